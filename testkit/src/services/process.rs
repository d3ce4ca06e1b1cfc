//! One server process that cannot outlive the test process.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};

const POLL: Duration = Duration::from_millis(2);

/// States of a thread.
const STOPPED: char = 'T';
const ENDED: char = 'Z';

/// Waits until the watcher knows of it, then becomes the server. If we die before that, it never does.
const SERVER: &str = r#"read -r go && exec "$@" </dev/null"#;

/// Holds the other end of our pipe. It is told the server's process id, and when all is done; the pipe's end without
/// that means that we died: then it kills the server, with its workers, and removes their directory.
const WATCHER: &str = r#"
trap '' HUP INT TERM
read -r server || exit 0
read -r done && exit
kill -STOP $server
kill -KILL $server $(cat /proc/$server/task/$server/children)
rm -rf "$1"
"#;

/// A running server; dropping it kills it.
pub(super) struct Process {
    server: Child,
    watcher: Child,
}

impl Process {
    /// Starts `command`, its output appended to `log`. `directory` is removed if this process dies first.
    pub fn spawn(command: &[OsString], directory: &Path, log: &Path) -> anyhow::Result<Self> {
        let log = File::options().create(true).append(true).open(log)?;
        let watcher = shell(WATCHER, &log)?
            .arg(directory)
            .spawn()
            .context("cannot start /bin/sh")?;
        let server = shell(SERVER, &log)?
            .args(command)
            .spawn()
            .context("cannot start /bin/sh")?;
        let mut process = Self { server, watcher };
        let id = process.id();
        tell(&mut process.watcher, &id.to_string())?;
        tell(&mut process.server, "go")?;
        drop(process.server.stdin.take());
        Ok(process)
    }

    /// The server's own process id.
    pub fn id(&self) -> u32 {
        self.server.id()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        self.server.try_wait()
    }

    /// Signals the server alone.
    pub fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        kill_process(self.pid(), signal).with_context(|| format!("cannot signal process {}", self.id()))
    }

    /// Stops the server and its workers from running, connections included; returns when the last thread stands.
    pub fn freeze(&self) -> anyhow::Result<()> {
        self.signal(Signal::STOP)?;
        await_state(self.pid(), STOPPED);
        let workers = self.workers();
        signal_all(&workers, Signal::STOP);
        for worker in workers {
            await_state(worker, STOPPED);
        }
        Ok(())
    }

    /// Lets all go on.
    pub fn thaw(&self) -> anyhow::Result<()> {
        signal_all(&self.workers(), Signal::CONT);
        self.signal(Signal::CONT)
    }

    /// Kills the server with its workers, and returns when all are gone.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        if self.ended()?.is_none() {
            // Stopped first, it cannot start another worker meanwhile.
            self.signal(Signal::STOP)?;
            let workers = self.workers();
            self.signal(Signal::KILL)?;
            signal_all(&workers, Signal::KILL);
            self.server.wait()?;
            for worker in workers {
                await_state(worker, ENDED);
            }
        }
        self.dismiss_watcher()
    }

    /// Ends it with `signal`; kills it if that takes more than a second.
    pub fn dismiss(&mut self, signal: Signal) -> anyhow::Result<()> {
        if signal == Signal::KILL || self.ended()?.is_some() {
            return self.kill();
        }
        self.signal(signal)?;
        self.thaw()?;
        for _ in 0..500 {
            if self.ended()?.is_some() {
                return self.dismiss_watcher();
            }
            thread::sleep(POLL);
        }
        self.kill()
    }

    /// To be called once the server has ended.
    pub fn dismiss_watcher(&mut self) -> anyhow::Result<()> {
        if self.watcher.stdin.is_some() {
            tell(&mut self.watcher, "done")?;
            drop(self.watcher.stdin.take());
            self.watcher.wait()?;
        }
        Ok(())
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.server)
    }

    fn workers(&self) -> Vec<Pid> {
        let id = self.id();
        fs::read_to_string(format!("/proc/{id}/task/{id}/children"))
            .unwrap_or_default()
            .split_whitespace()
            .filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
            .collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A destructor has nobody to tell; the watcher is the second chance.
        let _ = self.kill();
    }
}

fn shell(script: &str, log: &File) -> anyhow::Result<Command> {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", script, "sh"])
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(log.try_clone()?)
        .stderr(log.try_clone()?)
        // Its own group: who interrupts or kills the test's group must not hit the watcher.
        .process_group(0);
    Ok(command)
}

fn tell(child: &mut Child, line: &str) -> anyhow::Result<()> {
    let stdin = child.stdin.as_mut().context("it has been told everything")?;
    Ok(writeln!(stdin, "{line}")?)
}

/// A worker that is gone already needs no signal.
fn signal_all(workers: &[Pid], signal: Signal) {
    for worker in workers {
        let _ = kill_process(*worker, signal);
    }
}

/// Returns when every thread of the process is in that state or gone. A signal that is sent is not yet obeyed, and
/// workers, which are not our children, cannot be waited for. It is a matter of moments.
fn await_state(process: Pid, state: char) {
    for _ in 0..500 {
        if threads(process)
            .iter()
            .all(|thread| *thread == state || *thread == ENDED)
        {
            return;
        }
        thread::sleep(POLL);
    }
}

/// The state of each thread, as /proc tells it after the name, which is in parentheses.
fn threads(process: Pid) -> Vec<char> {
    let tasks = fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero()));
    let stats = tasks
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("stat")).ok());
    stats
        .filter_map(|stat| stat.rsplit_once(") ")?.1.chars().next())
        .collect()
}
