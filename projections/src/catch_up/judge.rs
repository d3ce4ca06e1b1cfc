//! Whether a checkpoint belongs to the log: pure decisions.

use commands::ports::{LogEntry, LogInfo};
use contract::event::Placement;

use crate::ports::Checkpoint;

/// What to think of a store's checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The log has that event there: go on.
    Valid,
    /// The log does not reach back that far. Nothing contradicts it: go on with what there is.
    Gap,
    /// It cannot be gone on from.
    Doubtful(Doubt),
}

/// Why a checkpoint cannot be gone on from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// There is none: the store is new, or came back empty.
    Absent,
    /// It is of another log.
    OtherLog,
    /// The log ends before it: it lost its tail.
    BeyondTheEnd,
    /// The log has another event there: it lost its tail and grew again.
    OtherEvent,
}

/// Whether the log must be asked for the message at the checkpoint.
pub(crate) fn must_be_looked_up(checkpoint: &Checkpoint, log: &LogInfo) -> bool {
    checkpoint.log == log.identity && (log.first.max(1)..=log.last).contains(&checkpoint.seq)
}

/// The verdict when there is nothing to look up.
pub(crate) fn at_sight(checkpoint: Option<&Checkpoint>, log: &LogInfo) -> Verdict {
    match checkpoint {
        None => Verdict::Doubtful(Doubt::Absent),
        Some(checkpoint) if checkpoint.log != log.identity => Verdict::Doubtful(Doubt::OtherLog),
        Some(checkpoint) if checkpoint.seq > log.last => Verdict::Doubtful(Doubt::BeyondTheEnd),
        Some(checkpoint) if checkpoint.seq + 1 >= log.first => Verdict::Valid,
        Some(_) => Verdict::Gap,
    }
}

/// The verdict by the message that the log has at the checkpoint's sequence.
pub(crate) fn against(checkpoint: &Checkpoint, message: Option<&LogEntry>) -> Verdict {
    let there = message.map(|entry| {
        Placement::from_bytes(&entry.bytes)
            .ok()
            .map(|placement| placement.id)
    });
    if there == Some(checkpoint.event_id) {
        Verdict::Valid
    } else {
        Verdict::Doubtful(Doubt::OtherEvent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use commands::ports::LogIdentity;
    use contract::{GameId, GameKey, Kind};

    fn log(first: u64, last: u64) -> LogInfo {
        LogInfo {
            identity: LogIdentity("one".into()),
            first,
            last,
        }
    }

    fn at(seq: u64) -> Checkpoint {
        Checkpoint {
            seq,
            event_id: None,
            log: LogIdentity("one".into()),
        }
    }

    #[test]
    fn no_checkpoint_is_a_doubt() {
        assert_eq!(at_sight(None, &log(1, 0)), Verdict::Doubtful(Doubt::Absent));
    }

    #[test]
    fn the_beginning_of_a_log_needs_no_look() {
        assert!(!must_be_looked_up(&at(0), &log(1, 9)));
        assert_eq!(at_sight(Some(&at(0)), &log(1, 9)), Verdict::Valid);
        assert_eq!(at_sight(Some(&at(0)), &log(1, 0)), Verdict::Valid);
    }

    #[test]
    fn a_checkpoint_of_another_log_is_a_doubt_wherever_it_is() {
        let other = LogInfo {
            identity: LogIdentity("two".into()),
            ..log(1, 9)
        };
        assert!(!must_be_looked_up(&at(5), &other));
        assert_eq!(at_sight(Some(&at(5)), &other), Verdict::Doubtful(Doubt::OtherLog));
    }

    #[test]
    fn a_checkpoint_beyond_the_end_is_a_doubt() {
        assert_eq!(
            at_sight(Some(&at(10)), &log(1, 9)),
            Verdict::Doubtful(Doubt::BeyondTheEnd)
        );
    }

    #[test]
    fn a_checkpoint_below_the_first_message_is_a_gap_unless_it_touches_it() {
        assert_eq!(at_sight(Some(&at(3)), &log(5, 9)), Verdict::Gap);
        assert_eq!(at_sight(Some(&at(4)), &log(5, 9)), Verdict::Valid);
        assert_eq!(at_sight(Some(&at(4)), &log(5, 4)), Verdict::Valid);
    }

    #[test]
    fn a_message_that_is_gone_or_another_is_a_doubt() {
        let key = GameKey {
            kind: Kind::Mancala,
            id: GameId(uuid::Uuid::nil()),
        };
        let unreadable = LogEntry {
            seq: 5,
            key,
            name: "moved".into(),
            bytes: Bytes::from_static(b"?"),
        };
        assert_eq!(
            against(&at(5), Some(&unreadable)),
            Verdict::Valid,
            "an unreadable message has no id"
        );
        assert_eq!(against(&at(5), None), Verdict::Doubtful(Doubt::OtherEvent));
        let with_id = Checkpoint {
            event_id: Some(contract::EventId::new(key.id, 1, contract::WriterId(1))),
            ..at(5)
        };
        assert_eq!(
            against(&with_id, Some(&unreadable)),
            Verdict::Doubtful(Doubt::OtherEvent)
        );
    }
}
