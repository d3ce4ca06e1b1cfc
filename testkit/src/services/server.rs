//! What all servers have in common: start, stop, kill, restart, freeze, thaw.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};

use super::process::Process;

const DEADLINE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(2);
const PORT_ATTEMPTS: usize = 10;

/// What differs from server to server.
pub trait Program: Clone + Send + Sync + 'static {
    /// As people call it.
    const NAME: &'static str;
    /// Asks it to close its files and end, without waiting for its clients.
    const STOP: Signal;

    /// Makes it end at once when it is no longer wanted.
    const DISMISS: Signal = Signal::KILL;

    /// Under which directory its own is made.
    fn home() -> PathBuf {
        std::env::temp_dir()
    }
    /// Chooses the ports to listen on.
    fn choose_ports(&mut self) -> anyhow::Result<()>;
    /// Makes what the first start finds; `store` does not exist yet.
    fn prepare(&self, store: &Path) -> impl Future<Output = anyhow::Result<()>> + Send;
    /// The program and its arguments.
    fn command(&self, store: &Path) -> Vec<OsString>;
    /// Whether it answers in its own protocol.
    fn answers(&self) -> impl Future<Output = bool> + Send;
    /// Where clients connect.
    fn url(&self) -> String;
}

/// A server of this process's own. Dropping it kills it and removes its store.
///
/// All methods take `&self`, so that one task can break a server while others use it.
pub struct Server<P: Program> {
    // Declared, and so dropped, before the directory it writes to.
    process: Mutex<Option<Process>>,
    program: P,
    directory: TempDir,
}

/// Somebody else was faster; other ports will do.
#[derive(Debug)]
struct PortTaken;

impl<P: Program> Server<P> {
    /// Starts it with an empty store, on ports nobody else uses; returns when it answers.
    pub async fn launch(mut program: P) -> anyhow::Result<Self> {
        program.choose_ports()?;
        let mut server = Self::prepare(program).await?;
        for _ in 1..PORT_ATTEMPTS {
            match server.come_up().await {
                Err(error) if error.is::<PortTaken>() => server.program.choose_ports()?,
                other => return other.map(|()| server),
            }
        }
        server.come_up().await.map(|()| server)
    }

    /// Everything but the start.
    pub(super) async fn prepare(program: P) -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("turnstream-")
            .tempdir_in(P::home())?;
        // A server that must not run as root has to get through.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755))?;
        let server = Self {
            process: Mutex::new(None),
            program,
            directory,
        };
        server.program.prepare(&server.store_dir()).await?;
        Ok(server)
    }

    /// Where clients connect. It stays the same over every restart.
    pub fn url(&self) -> String {
        self.program.url()
    }

    /// The directory of its data.
    pub fn store_dir(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    /// Its process id, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.process().as_ref().map(Process::id)
    }

    /// What it has printed, over all its starts.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log_file()).unwrap_or_default()).into_owned()
    }

    /// Ends it in good order: what it acknowledged is on disk.
    pub async fn stop(&self) -> anyhow::Result<()> {
        if let Some(process) = self.process().as_ref() {
            process.signal(P::STOP)?;
            process.thaw()?;
        }
        timeout(DEADLINE, async {
            while !self.take_ended()? {
                sleep(POLL).await;
            }
            Ok(())
        })
        .await
        .with_context(|| format!("{} does not stop; its log:\n{}", P::NAME, self.log()))?
    }

    /// Ends it at once, as a crash would; returns when it is gone.
    pub async fn kill(&self) -> anyhow::Result<()> {
        let process = self.process().take();
        tokio::task::spawn_blocking(move || process.map_or(Ok(()), |mut process| process.kill())).await?
    }

    /// Starts it again on the same ports and store, after stopping it if it runs; returns when it answers.
    pub async fn restart(&self) -> anyhow::Result<()> {
        self.stop().await?;
        let deadline = Instant::now() + DEADLINE;
        loop {
            match self.come_up().await {
                Err(error) if error.is::<PortTaken>() && Instant::now() < deadline => {
                    sleep(Duration::from_millis(50)).await;
                }
                other => return other,
            }
        }
    }

    /// The same, but with a new and empty store.
    pub async fn restart_empty(&self) -> anyhow::Result<()> {
        self.stop().await?;
        fs::remove_dir_all(self.store_dir())?;
        self.program.prepare(&self.store_dir()).await?;
        self.restart().await
    }

    /// Makes it hang: connections stay open, and nothing answers.
    pub fn freeze(&self) -> anyhow::Result<()> {
        self.running(Process::freeze)
    }

    /// Ends a freeze.
    pub fn thaw(&self) -> anyhow::Result<()> {
        self.running(Process::thaw)
    }

    /// How it is run.
    pub fn program(&self) -> &P {
        &self.program
    }

    /// Starts it without waiting for an answer.
    pub(super) fn spawn(&self) -> anyhow::Result<()> {
        let command = self.program.command(&self.store_dir());
        *self.process() = Some(Process::spawn(&command, self.directory.path(), &self.log_file())?);
        Ok(())
    }

    async fn come_up(&self) -> anyhow::Result<()> {
        let printed = self.log().len();
        self.spawn()?;
        let answered = timeout(DEADLINE, async {
            while !self.program.answers().await {
                if self.take_ended()? {
                    let log = self.log();
                    let log = log.get(printed..).unwrap_or_default();
                    if log.to_lowercase().contains("address already in use") {
                        bail!(PortTaken);
                    }
                    bail!("{} ended while starting; its log:\n{log}", P::NAME);
                }
                sleep(POLL).await;
            }
            Ok(())
        });
        answered
            .await
            .with_context(|| format!("{} does not answer; its log:\n{}", P::NAME, self.log()))?
    }

    /// Whether it has ended; if so its process is forgotten.
    fn take_ended(&self) -> anyhow::Result<bool> {
        let mut slot = self.process();
        let Some(process) = slot.as_mut() else {
            return Ok(true);
        };
        let ended = process.ended()?.is_some();
        if ended {
            process.dismiss_watcher()?;
            *slot = None;
        }
        Ok(ended)
    }

    fn running(&self, act: impl FnOnce(&Process) -> anyhow::Result<()>) -> anyhow::Result<()> {
        match self.process().as_ref() {
            Some(process) => act(process),
            None => bail!("{} does not run", P::NAME),
        }
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log_file(&self) -> PathBuf {
        self.directory.path().join("log")
    }
}

impl<P: Program> Drop for Server<P> {
    fn drop(&mut self) {
        let Some(mut process) = self.process().take() else {
            return;
        };
        // Should it not end so, the process kills it when it is dropped.
        if process.dismiss(P::DISMISS).is_err() {
            eprintln!("{} had to be killed", P::NAME);
        }
    }
}

impl fmt::Display for PortTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the port is taken")
    }
}

impl std::error::Error for PortTaken {}
