//! An operator: the program's commands, as somebody types them.

use std::process::{Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::{PATIENCE, Service, eventually, http};

/// What a command said.
#[derive(Debug)]
pub struct Said {
    /// Its exit code.
    pub code: i32,
    /// What it printed.
    pub out: String,
    /// What it complained of.
    pub complaint: String,
}

impl Said {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            complaint: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The answer, which is JSON where nobody reads it.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs `turnstream` with these arguments against a service's administration port.
pub async fn operate(service: &Service, arguments: &[&str]) -> Said {
    operate_at(&service.admin_url(), arguments).await
}

/// The same at any address.
pub async fn operate_at(admin_url: &str, arguments: &[&str]) -> Said {
    let run = command(arguments)
        .arg(format!("--admin-url={admin_url}"))
        .output();
    let output = timeout(PATIENCE, run).await.expect("it ends in time");
    Said::of(&output.expect("the program runs"))
}

/// Runs `turnstream` with these arguments and no others, to its end.
pub async fn run(arguments: &[&str]) -> Said {
    let output = timeout(PATIENCE, command(arguments).output()).await;
    Said::of(&output.expect("it ends in time").expect("the program runs"))
}

/// A command that has to end well; what it answered.
pub async fn well(service: &Service, arguments: &[&str]) -> Value {
    let said = operate(service, arguments).await;
    assert_eq!(said.code, 0, "{arguments:?}: {said:?}");
    said.json()
}

/// Without the test's environment, whose variables would be settings.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstream"));
    command
        .args(arguments)
        .env_clear()
        .env("http_proxy", "http://127.0.0.1:9")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// A command that runs beside the test.
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts it.
    pub fn start(admin_url: &str, arguments: &[&str]) -> Self {
        let child = command(arguments)
            .arg(format!("--admin-url={admin_url}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self {
            child: child.expect("the program runs"),
        }
    }

    /// Types Ctrl-C; returns when it is gone.
    pub async fn interrupt(self) {
        let pid = self.child.id().and_then(|pid| Pid::from_raw(pid as i32));
        kill_process(pid.expect("it runs"), Signal::INT).expect("it runs");
        let ended = timeout(PATIENCE, self.child.wait_with_output()).await;
        ended
            .expect("it ends when it is told to")
            .expect("it was running");
    }

    /// Returns when it has ended.
    pub async fn end(self) -> Said {
        let ended = timeout(PATIENCE, self.child.wait_with_output()).await;
        Said::of(&ended.expect("it ends in time").expect("it was running"))
    }
}

/// `turnstream project`, until it is dropped.
pub struct Projector {
    child: Child,
    /// Where operators connect.
    pub admin_url: String,
}

impl Projector {
    /// Starts it with these flags; returns when it answers.
    pub async fn start(flags: &[String]) -> Self {
        let port = testkit::services::free_port().expect("a port");
        let child = command(&["project"])
            .arg(format!("--admin-listen=127.0.0.1:{port}"))
            .args(flags)
            .stderr(Stdio::inherit())
            .spawn();
        let admin_url = format!("http://127.0.0.1:{port}");
        let health = format!("{admin_url}/healthz");
        eventually("the projecting process answers", async || {
            let answer = http().get(&health).send().await.ok()?;
            answer.status().is_success().then_some(())
        })
        .await;
        Self {
            child: child.expect("the program runs"),
            admin_url,
        }
    }

    /// Kills it.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("it runs");
    }
}
