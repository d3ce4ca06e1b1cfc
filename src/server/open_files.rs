//! How many files the process may have open: each connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files for everything else: databases, the log, the listeners.
const RESERVE: u64 = 256;

/// Raises the process's bound as far as it may: systems set it low for the sake of very old programs.
pub fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the number of open files stays as it was");
    }
}

/// How many connections of `wanted` there is room for.
pub fn room_for(wanted: u32) -> u32 {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let room = files.saturating_sub(RESERVE).max(1);
    let most = u64::from(wanted).min(room) as u32;
    if most < wanted {
        tracing::warn!(
            "at most {files} files may be open, so there is room for {most} connections, not {wanted}"
        );
    }
    most
}
