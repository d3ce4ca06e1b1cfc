//! Which processes of this machine are dead for certain.
//!
//! A process that was killed says nothing more, but for its heartbeats and its key to lapse takes seconds. A process on the
//! same machine can see it at once. Whatever cannot be seen, or is seen from another container, is not dead: it is waited
//! for as always.

use std::collections::BTreeMap;
use std::fs;

use commands::ports::{Heartbeat, Process};
use contract::WriterId;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use sha2::{Digest, Sha256};

/// This process and those that were met on its machine.
#[derive(Debug)]
pub(super) struct Neighbours {
    own: Option<Process>,
    met: BTreeMap<WriterId, Process>,
}

impl Neighbours {
    /// Nobody met yet.
    pub(super) fn of_this_machine() -> Self {
        Self {
            own: own(),
            met: BTreeMap::new(),
        }
    }

    /// What others need to know of this process.
    pub(super) fn own(&self) -> Option<&Process> {
        self.own.as_ref()
    }

    /// Somebody said that they live.
    pub(super) fn meet(&mut self, heartbeat: &Heartbeat) {
        let Some(own) = &self.own else { return };
        if let Some(process) = heartbeat
            .process
            .as_ref()
            .filter(|process| process.host == own.host)
        {
            self.met.insert(heartbeat.writer, process.clone());
        }
    }

    /// Takes out those that are dead by now.
    pub(super) fn dead(&mut self) -> Vec<WriterId> {
        let dead: Vec<WriterId> = self
            .met
            .iter()
            .filter(|(_, process)| is_dead(process))
            .map(|(writer, _)| *writer)
            .collect();
        for writer in &dead {
            self.met.remove(writer);
        }
        dead
    }
}

/// This process; `None` where the system does not say enough for others to be certain.
fn own() -> Option<Process> {
    let pid = std::process::id();
    let stat = Stat::of("self")?;
    // Another one's `/proc` would show another one's processes.
    (stat.pid == pid).then_some(())?;
    Some(Process {
        host: host()?,
        pid,
        started: stat.started,
    })
}

/// A digest of what a process id and a start time mean something in: the boot, and the namespaces of both.
fn host() -> Option<String> {
    let mut digest = Sha256::new();
    digest.update(fs::read("/proc/sys/kernel/random/boot_id").ok()?);
    for namespace in ["pid", "time"] {
        let link = fs::read_link(format!("/proc/self/ns/{namespace}")).ok()?;
        digest.update(link.as_os_str().as_encoded_bytes());
    }
    Some(hex::encode(&digest.finalize()[..8]))
}

/// Whether a process of this machine is gone. One that cannot be looked at lives.
fn is_dead(process: &Process) -> bool {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
        return false;
    };
    // Not by `/proc` alone, where others' processes may be hidden.
    if test_kill_process(pid) == Err(Errno::SRCH) {
        return true;
    }
    Stat::of(&process.pid.to_string()).is_some_and(|stat| stat.started != process.started || stat.is_over)
}

/// What matters of `/proc/<pid>/stat`.
struct Stat {
    pid: u32,
    /// In ticks since the boot.
    started: u64,
    /// Nothing of it runs any more; it only waits for its parent to ask.
    is_over: bool,
}

impl Stat {
    fn of(pid: &str) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        // The second field is a name in parentheses, which may have blanks and parentheses in it.
        let (pid, _) = text.split_once(' ')?;
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let state = *fields.first()?;
        let threads: u32 = fields.get(17)?.parse().ok()?;
        Some(Self {
            pid: pid.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
            is_over: matches!(state, "Z" | "X") && threads <= 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;
    use commands::ports::LogIdentity;

    fn heartbeat(writer: u64, process: Option<Process>) -> Heartbeat {
        Heartbeat {
            writer: WriterId(writer),
            active: true,
            since: 0,
            log: LogIdentity("GAMES@1".to_owned()),
            leaving: false,
            unable: false,
            process,
        }
    }

    fn sleeping() -> (Child, Process) {
        let child = Command::new("sleep").arg("600").spawn().expect("a child");
        let stat = Stat::of(&child.id().to_string()).expect("it runs");
        let process = Process {
            pid: child.id(),
            started: stat.started,
            ..own().expect("the system says it")
        };
        (child, process)
    }

    #[test]
    fn a_killed_process_is_dead_whether_or_not_its_parent_has_asked() {
        let (mut child, process) = sleeping();
        let mut neighbours = Neighbours::of_this_machine();
        neighbours.meet(&heartbeat(7, Some(process.clone())));
        assert_eq!(neighbours.dead(), []);
        child.kill().expect("it runs");
        while !is_dead(&process) {
            std::thread::yield_now();
        }
        assert!(
            test_kill_process(Pid::from_child(&child)).is_ok(),
            "its id is still taken"
        );
        assert_eq!(neighbours.dead(), [WriterId(7)]);
        assert_eq!(neighbours.dead(), [], "once");
        child.wait().expect("it was killed");
        assert!(is_dead(&process));
    }

    #[test]
    fn a_stopped_process_is_not_dead() {
        let (mut child, process) = sleeping();
        rustix::process::kill_process(Pid::from_child(&child), rustix::process::Signal::STOP)
            .expect("it runs");
        let state = || fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it is there");
        while !state().contains(") T ") {
            std::thread::yield_now();
        }
        assert!(!is_dead(&process));
        child.kill().expect("it is there");
        child.wait().expect("it was killed");
    }

    #[test]
    fn whoever_has_a_dead_ones_number_is_not_it() {
        let own = own().expect("the system says it");
        assert!(!is_dead(&own));
        let before = Process {
            started: own.started - 1,
            ..own
        };
        assert!(is_dead(&before));
    }

    #[test]
    fn nothing_is_known_of_processes_elsewhere() {
        let (mut child, process) = sleeping();
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
        let elsewhere = Process {
            host: "0123456789abcdef".to_owned(),
            ..process
        };
        let mut neighbours = Neighbours::of_this_machine();
        neighbours.meet(&heartbeat(7, Some(elsewhere)));
        neighbours.meet(&heartbeat(8, None));
        assert_eq!(neighbours.dead(), []);
    }

    #[test]
    fn a_name_with_blanks_and_parentheses_is_no_trouble() {
        let fields = "S 1 2 3 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 9 0 4711 1 1";
        let stat = Stat::parse(&format!("42 (a ) Z (b) {fields}")).expect("it is one");
        assert_eq!((stat.pid, stat.started, stat.is_over), (42, 4711, false));
        assert!(Stat::parse("42 (cut").is_none());
    }
}
