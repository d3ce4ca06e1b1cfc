//! Publishes that the server forbade. It says so beside the connection's answers, and never answers the publish itself.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Complaints nobody asked about (of heartbeats, or of an append that was given up) must not pile up.
const MOST: usize = 1_000;

/// Subjects we may not publish to.
#[derive(Debug, Default)]
pub struct Denied(Mutex<HashSet<String>>);

impl Denied {
    /// Takes note of a complaint of the server; false if it is not one about publishing.
    pub fn note(&self, complaint: &str) -> bool {
        let Some(subject) = forbidden_subject(complaint) else {
            return false;
        };
        let mut denied = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if denied.len() >= MOST {
            denied.clear();
        }
        denied.insert(subject.to_owned());
        true
    }

    /// Whether there was one about `subject`; it is forgotten, since permissions can be given.
    pub fn take(&self, subject: &str) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(subject)
    }
}

fn forbidden_subject(complaint: &str) -> Option<&str> {
    complaint
        .strip_prefix("Permissions Violation for Publish to \"")?
        .split('"')
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_publish_is_known_by_its_subject_once() {
        let denied = Denied::default();
        assert!(denied.note("Permissions Violation for Publish to \"games.mancala.1.moved\""));
        assert!(!denied.take("games.mancala.2.moved"));
        assert!(denied.take("games.mancala.1.moved"));
        assert!(!denied.take("games.mancala.1.moved"));
    }

    #[test]
    fn other_complaints_are_none() {
        let denied = Denied::default();
        assert!(!denied.note("Permissions Violation for Subscription to \"service.*\""));
        assert!(!denied.note("Stale Connection"));
    }
}
