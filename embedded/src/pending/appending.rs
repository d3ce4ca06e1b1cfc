//! What appending does to a game's list. Pure.

use std::collections::HashSet;

use commands::ports::{PendingGame, PendingItem};
use contract::{EventId, WriterId};

/// A stored list. It is never empty, and its items come without their documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredList {
    pub(super) writer: WriterId,
    pub(super) base: Option<EventId>,
    /// Oldest first.
    pub(super) items: Vec<PendingItem>,
}

/// How the stored list changes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan<'g> {
    /// Whether what is stored is another writer's and goes first.
    pub(super) from_nothing: bool,
    /// The base that the list then has.
    pub(super) base: Option<EventId>,
    /// The stored items that an `anchored` takes the place of.
    pub(super) drop: Vec<EventId>,
    /// The items to add. A list is in the order of versions, so that each has its place.
    pub(super) items: Vec<&'g PendingItem>,
}

/// Appends what follows, skips what is there, lets an `anchored` take the place of what it stands for, and starts anew
/// for another writer.
pub(super) fn plan<'g>(stored: Option<&'g StoredList>, game: &'g PendingGame) -> Plan<'g> {
    let own = stored.filter(|list| list.writer == game.writer);
    let before: Vec<&PendingItem> = own.iter().flat_map(|list| &list.items).collect();
    let mut base = own.map_or(game.base, |list| list.base);
    let mut list = before.clone();
    let known: HashSet<EventId> = before.iter().map(|item| item.id).collect();
    for item in game.items.iter().filter(|item| !known.contains(&item.id)) {
        let end = list.last().map(|last| last.place);
        if item.anchored {
            list = anchored(&list, item).unwrap_or(list);
        } else if is_started(item) && end.is_some() {
            list.insert(0, item);
            base = None;
        } else if item.previd == end.or(base) {
            list.push(item);
        }
    }
    let after: HashSet<EventId> = list.iter().map(|item| item.id).collect();
    let gone = before.iter().filter(|item| !after.contains(&item.id));
    Plan {
        from_nothing: stored.is_some() && own.is_none(),
        base,
        drop: gone.map(|item| item.id).collect(),
        items: list
            .into_iter()
            .filter(|item| !known.contains(&item.id))
            .collect(),
    }
}

/// The list with an `anchored` in place of what it stands for. `None` if it has no place in it: it would take that of an
/// `ended`, or what is above does not follow it.
fn anchored<'g>(list: &[&'g PendingItem], anchor: &'g PendingItem) -> Option<Vec<&'g PendingItem>> {
    let (covered, above): (Vec<_>, Vec<_>) = list
        .iter()
        .copied()
        .partition(|item| item.place.version <= anchor.place.version);
    let takes_an_ended = covered.iter().any(|item| item.name == "ended");
    let goes_on = above.first().is_none_or(|item| item.previd == Some(anchor.place));
    let started = covered.first().copied().filter(|item| is_started(item));
    (goes_on && !takes_an_ended).then(|| started.into_iter().chain([anchor]).chain(above).collect())
}

fn is_started(item: &PendingItem) -> bool {
    item.name == "started"
}
