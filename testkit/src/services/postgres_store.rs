//! Data directories for Postgres: `initdb` runs once for each version, then its result is copied.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tokio::process::Command;

use crate::authority::Identity;

use super::find::servers_directory;

/// Room for a dozen servers; a container may have only 64 MB.
const ENOUGH_MEMORY: u64 = 1 << 30;

/// Where there is room in memory: a database is a thousand small files, which some disks take a second to create.
pub(super) fn home() -> PathBuf {
    let memory = Path::new("/dev/shm");
    match rustix::fs::statvfs(memory) {
        Ok(free) if free.f_bavail * free.f_frsize >= ENOUGH_MEMORY => memory.to_owned(),
        _ => std::env::temp_dir(),
    }
}

/// `program`, to be run as the user `postgres` if we are root: Postgres refuses to run as root.
///
/// `setpriv` becomes the program where `runuser` would stay in front of it, and take the signals.
pub(super) fn as_postgres(program: &Path) -> Vec<OsString> {
    let mut command: Vec<OsString> = Vec::new();
    if we_are_root() {
        let arguments = [
            "setpriv",
            "--reuid=postgres",
            "--regid=postgres",
            "--init-groups",
            "--",
        ];
        command.extend(arguments.map(OsString::from));
    }
    command.push(program.into());
    command
}

/// Creates the data directory `store`. The directory above must exist and let others through.
pub(super) async fn create(bin: &Path, version: &str, store: &Path) -> anyhow::Result<()> {
    let owner = if we_are_root() { "postgres" } else { "self" };
    let template = servers_directory().join(format!("postgres-{version}-{owner}"));
    if !template.exists() {
        make_template(bin, &template)
            .await
            .with_context(|| format!("cannot make {}", template.display()))?;
    }
    copy(&template, store).await
}

/// Whom a secured one lets in: whoever encrypts, shows a certificate and knows the password.
const SECURED: &str = "hostssl all postgres 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n";

/// Gives a data directory a certificate, and its user a password that is asked for.
pub(super) async fn secure(
    bin: &Path,
    store: &Path,
    identity: &Identity,
    password: &str,
) -> anyhow::Result<()> {
    for (file, name) in [
        (&identity.certificate, "server.crt"),
        (&identity.key, "server.key"),
        (&identity.authority, "authority.pem"),
    ] {
        let own = store.join(name);
        fs::copy(file, &own)?;
        fs::set_permissions(&own, fs::Permissions::from_mode(0o600))?;
        if we_are_root() {
            run(&[OsStr::new("chown"), OsStr::new("postgres:"), own.as_os_str()]).await?;
        }
    }
    fs::write(store.join("pg_hba.conf"), SECURED)?;
    // By itself, without anybody to let in.
    let mut alone = as_postgres(&bin.join("postgres"));
    alone.extend(["--single".into(), "-D".into(), store.into(), "postgres".into()]);
    let said = format!("ALTER ROLE postgres PASSWORD '{password}'\n");
    let told = store.with_file_name("told");
    fs::write(&told, said)?;
    let (program, arguments) = alone.split_first().context("an empty command")?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir("/")
        .stdin(fs::File::open(&told)?)
        .output()
        .await?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

async fn make_template(bin: &Path, template: &Path) -> anyhow::Result<()> {
    let servers = servers_directory();
    fs::create_dir_all(&servers)?;
    // Not below the workspace: the user postgres may not get through to there.
    let scratch = tempfile::tempdir_in(home())?;
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755))?;
    let data = scratch.path().join("data");
    fs::create_dir(&data)?;
    if we_are_root() {
        run(&[OsStr::new("chown"), OsStr::new("postgres:"), data.as_os_str()]).await?;
    }
    let mut initdb = as_postgres(&bin.join("initdb"));
    initdb.extend(["--pgdata".into(), data.clone().into()]);
    let settings = [
        "--username=postgres",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C.UTF-8",
        // Small log files make small copies.
        "--wal-segsize=1",
        "--no-sync",
    ];
    initdb.extend(settings.map(OsString::from));
    run(&initdb).await?;

    // Complete under its name, or not there at all.
    let complete = tempfile::tempdir_in(&servers)?;
    let copied = complete.path().join("data");
    copy(&data, &copied).await?;
    match fs::rename(&copied, template) {
        // Another process was faster.
        Err(_) if template.exists() => Ok(()),
        other => Ok(other?),
    }
}

async fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    run(&[
        OsStr::new("cp"),
        OsStr::new("-a"),
        OsStr::new("--reflink=auto"),
        from.as_os_str(),
        to.as_os_str(),
    ])
    .await
}

async fn run(command: &[impl AsRef<OsStr>]) -> anyhow::Result<()> {
    let (program, arguments) = command.split_first().context("an empty command")?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir("/")
        .output()
        .await?;
    ensure!(
        output.status.success(),
        "{} failed: {}{}",
        program.as_ref().display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

fn we_are_root() -> bool {
    rustix::process::geteuid().is_root()
}
