//! A game's chain: which writer wrote which version, as ranges, so that "is this id mine?" needs no list of ids.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{EventId, Position, Version, WriterId};

/// From `from` on, until the next range, every event was written by `writer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainRange {
    /// The first version of the range.
    pub from: Version,
    /// Who wrote it.
    pub writer: WriterId,
}

/// The writers of a game's events, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Chain(Vec<ChainRange>);

impl Chain {
    /// A chain whose first event, `version`, is `writer`'s.
    pub fn from_version(version: Version, writer: WriterId) -> Self {
        Self(vec![ChainRange {
            from: version,
            writer,
        }])
    }

    /// Adds the event of `version`, which must follow the versions already there.
    pub fn extend(&mut self, version: Version, writer: WriterId) {
        if self.0.last().is_none_or(|last| last.writer != writer) {
            self.0.push(ChainRange {
                from: version,
                writer,
            });
        }
    }

    /// The writer of `version`, if the chain reaches back that far. It does not know where it ends.
    pub fn writer_of(&self, version: Version) -> Option<WriterId> {
        self.0
            .iter()
            .rev()
            .find(|range| range.from <= version)
            .map(|range| range.writer)
    }

    /// Whether `position` lies on this chain, which ends at `last`.
    pub fn has(&self, position: Position, last: Version) -> bool {
        position.version <= last && self.writer_of(position.version) == Some(position.writer)
    }

    /// Whether the event `id` (an `anchored` by what it stands for) lies on this chain, which ends at `last`.
    pub fn has_event(&self, id: EventId, last: Version) -> bool {
        self.has(id.position(), last)
    }

    /// Forgets everything after `last`.
    pub fn truncate(&mut self, last: Version) {
        self.0.retain(|range| range.from <= last);
    }

    /// The ranges, oldest first.
    pub fn ranges(&self) -> &[ChainRange] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_knows_the_writer_of_each_version() {
        let (a, b) = (WriterId(1), WriterId(2));
        let mut chain = Chain::default();
        for (version, writer) in [(1, a), (2, a), (3, b), (4, b), (5, a)] {
            chain.extend(version, writer);
        }
        assert_eq!(chain.ranges().len(), 3);
        assert!(chain.has(
            Position {
                version: 2,
                writer: a
            },
            5
        ));
        assert!(!chain.has(
            Position {
                version: 3,
                writer: a
            },
            5
        ));
        assert!(chain.has(
            Position {
                version: 5,
                writer: a
            },
            5
        ));
        assert!(!chain.has(
            Position {
                version: 6,
                writer: a
            },
            5
        ));
        assert_eq!(chain.writer_of(0), None);
    }
}
