//! What appending does to a game's list. Pure.

use std::collections::HashSet;

use commands::ports::{PendingGame, PendingItem};
use contract::{EventId, WriterId};

/// A stored list, without its documents. It is never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredList {
    pub(super) writer: WriterId,
    pub(super) base: Option<EventId>,
    /// Id and place of each item, oldest first.
    pub(super) items: Vec<(EventId, EventId)>,
}

/// How the stored list changes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan<'g> {
    /// Whether what is stored goes first.
    pub(super) from_nothing: bool,
    /// The base that the list then has.
    pub(super) base: Option<EventId>,
    /// The items to add.
    pub(super) items: Vec<&'g PendingItem>,
}

/// Appends what follows, skips what is there, and starts anew with an `anchored` item or another writer.
pub(super) fn plan<'g>(stored: Option<&StoredList>, game: &'g PendingGame) -> Plan<'g> {
    let own = stored.filter(|list| list.writer == game.writer);
    let mut plan = Plan {
        from_nothing: stored.is_some() && own.is_none(),
        base: own.map_or(game.base, |list| list.base),
        items: Vec::new(),
    };
    let mut known: HashSet<EventId> = own
        .iter()
        .flat_map(|list| &list.items)
        .map(|(id, _)| *id)
        .collect();
    let mut end = own
        .and_then(|list| list.items.last())
        .map_or(plan.base, |(_, place)| Some(*place));
    for item in &game.items {
        if known.contains(&item.id) {
            continue;
        }
        if item.anchored {
            plan.from_nothing |= own.is_some();
            plan.items.clear();
            known.clear();
        } else if item.previd != end {
            continue;
        }
        end = Some(item.place);
        known.insert(item.id);
        plan.items.push(item);
    }
    plan
}
