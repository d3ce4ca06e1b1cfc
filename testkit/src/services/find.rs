//! Where the servers are: the first suitable version wins, not the first on the `PATH`.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tokio::process::Command;

/// NATS before 2.12 silently ignores what fences off a stale writer.
const OLDEST_NATS: (u32, u32) = (2, 12);

const POSTGRES_MAJORS: [u32; 3] = [17, 16, 15];

/// A directory of Postgres programs, and the version they say they are.
pub(super) struct PostgresPrograms {
    pub bin: PathBuf,
    pub version: String,
}

/// `$TURNSTREAM_NATS_SERVER`, then what `./test` installed, then the `PATH`.
pub(super) async fn nats() -> anyhow::Result<PathBuf> {
    let mut candidates: Vec<PathBuf> = variable("TURNSTREAM_NATS_SERVER").into_iter().collect();
    candidates.push(servers_directory().join("venv/bin/nats-server"));
    candidates.extend(on_path("nats-server"));
    let (major, minor) = OLDEST_NATS;
    nats_among(candidates, |version| version >= OLDEST_NATS)
        .await
        .with_context(|| format!("no nats-server {major}.{minor} or newer: run `./test servers`"))
}

/// One that is too old: `$TURNSTREAM_OLD_NATS_SERVER`, then what `./test` unpacked.
pub(super) async fn old_nats() -> anyhow::Result<PathBuf> {
    let mut candidates: Vec<PathBuf> = variable("TURNSTREAM_OLD_NATS_SERVER").into_iter().collect();
    candidates.push(servers_directory().join("old-nats/usr/sbin/nats-server"));
    let (major, minor) = OLDEST_NATS;
    nats_among(candidates, |version| version < OLDEST_NATS)
        .await
        .with_context(|| format!("no nats-server before {major}.{minor}: run `./test servers`"))
}

/// The first whose version is suitable.
async fn nats_among(candidates: Vec<PathBuf>, suits: impl Fn((u32, u32)) -> bool) -> anyhow::Result<PathBuf> {
    let mut unsuitable = Vec::new();
    for candidate in candidates {
        let Ok(said) = version_of(&candidate).await else {
            continue;
        };
        match said
            .trim()
            .strip_prefix("nats-server: v")
            .and_then(major_and_minor)
        {
            Some(version) if suits(version) => return Ok(candidate),
            _ => unsuitable.push(format!("{} ({})", candidate.display(), said.trim())),
        }
    }
    bail!("unsuitable: [{}]", unsuitable.join(", "))
}

/// A Python with what the programs in `docs/ANALYTICS.md` need: `$TURNSTREAM_ANALYSTS_PYTHON`, then what `./test` made.
pub fn analysts_python() -> anyhow::Result<PathBuf> {
    let candidates = variable("TURNSTREAM_ANALYSTS_PYTHON")
        .into_iter()
        .chain([servers_directory().join("analysts/bin/python")]);
    candidates
        .into_iter()
        .find(|python| python.exists())
        .context("no Python with nats-py and duckdb: run `./test servers`")
}

/// `valkey-server` of the `PATH`.
pub(super) fn valkey() -> anyhow::Result<PathBuf> {
    on_path("valkey-server")
        .into_iter()
        .next()
        .context("no valkey-server: run `./test servers`")
}

/// The newest of the versions that Debian 12 and 13 have.
pub(super) async fn postgres() -> anyhow::Result<PostgresPrograms> {
    for major in POSTGRES_MAJORS {
        let bin = PathBuf::from(format!("/usr/lib/postgresql/{major}/bin"));
        if !bin.join("initdb").exists() {
            continue;
        }
        if let Ok(said) = version_of(&bin.join("postgres")).await
            && let Some(version) = said.split_whitespace().nth(2)
        {
            return Ok(PostgresPrograms {
                bin,
                version: version.to_owned(),
            });
        }
    }
    bail!("no Postgres 15, 16 or 17 in /usr/lib/postgresql: run `./test servers`")
}

/// Where `./test` keeps servers, and the tests what is dear to make; all of it can be deleted.
pub(super) fn servers_directory() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("testkit is a folder of the workspace");
    let target = variable("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    workspace.join(target).join("servers")
}

fn on_path(name: &str) -> Vec<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .filter(|file| file.is_file())
        .collect()
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

async fn version_of(binary: &Path) -> anyhow::Result<String> {
    let output = Command::new(binary).arg("--version").output().await?;
    Ok(String::from_utf8(output.stdout)?)
}

fn major_and_minor(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_compared_by_its_numbers() {
        assert_eq!(major_and_minor("2.15.1"), Some((2, 15)));
        assert!(major_and_minor("2.9.10") < Some(OLDEST_NATS));
        assert!(major_and_minor("2.12.0-RC.1") >= Some(OLDEST_NATS));
        assert_eq!(major_and_minor("dev"), None);
    }
}
