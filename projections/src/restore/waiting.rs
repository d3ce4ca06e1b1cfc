//! How events that waited for the log fit behind what the log has.

use bytes::Bytes;
use commands::fold::fold_onto;
use commands::live::Settled;
use commands::ports::{PendingGame, PendingItem, Unavailable};
use commands::publish::Queued;
use commands::publish::queue::anchored;
use contract::{Envelope, EventId, GameState, WriterId};

use super::claim::settle;
use super::gather::{Candidate, Found};
use super::{NotYet, Report, RestoreParts, Sources};
use crate::live::folded::Folded;
use crate::live::refold::{Refolded, refold};
use crate::newer;

/// The name of a game's first event.
const STARTED: &str = "started";

/// Waiting events, sorted by what becomes of them.
#[derive(Debug, Default)]
struct Fit {
    /// The game after those that fit.
    game: Option<GameState>,
    /// Those that fit, in order.
    run: Vec<Queued>,
    /// The game's `started`, if it waits although the game is known.
    started: Option<Queued>,
    /// The document of `ended`, if it fits.
    ended: Option<Bytes>,
    /// Whether some do not fit.
    rest: bool,
}

/// The contiguous run of items that follows `game`; what the chain has already is dropped.
fn fit(game: Option<GameState>, items: &[PendingItem]) -> Fit {
    let mut fit = Fit {
        game,
        ..Fit::default()
    };
    for item in items {
        if fit
            .game
            .as_ref()
            .is_some_and(|game| game.chain.has_event(item.place, game.version))
        {
            if item.name == STARTED {
                fit.started = queued(item);
            }
            continue;
        }
        let next = Envelope::from_bytes(&item.bytes)
            .ok()
            .filter(|envelope| fold_onto(&mut fit.game, envelope).is_ok());
        let Some(envelope) = next else {
            fit.rest = true;
            break;
        };
        if fit.game.as_ref().is_some_and(|game| !game.is_live()) {
            fit.ended = Some(item.bytes.clone());
        }
        fit.run.push(Queued::with_bytes(&envelope, item.bytes.clone()));
    }
    fit
}

fn queued(item: &PendingItem) -> Option<Queued> {
    let envelope = Envelope::from_bytes(&item.bytes).ok()?;
    Some(Queued::with_bytes(&envelope, item.bytes.clone()))
}

/// Whether nobody here takes care of a list: another process wrote it, or this one did and has let the game go since, before the
/// store could be told.
pub(super) fn is_left_behind(parts: &RestoreParts, list: &PendingGame) -> bool {
    list.writer != parts.games.writer() || !parts.games.holds(list.key.id)
}

/// Puts each game's waiting events behind it, if their writer is silent; what does not fit is set aside. Returns the lists
/// that are of no more use once the log has everything of their games.
pub(super) async fn fit_all<'a>(
    parts: &RestoreParts,
    found: &mut Found,
    sources: &'a Sources,
    silent: &(dyn Fn(WriterId) -> bool + Sync),
    report: &mut Report,
) -> Result<Vec<&'a PendingGame>, NotYet> {
    let mut used = Vec::new();
    let lists = sources.pending.iter().flatten();
    for list in lists.filter(|list| silent(list.writer) && is_left_behind(parts, list)) {
        if list.items.iter().any(|item| newer::is_newer(&item.bytes)) {
            found.games.remove(&list.key.id);
            found.park(list.key.id, report);
        }
        if found.parked.contains(&list.key.id) {
            continue;
        }
        if let Some(game) = parts.games.state_of(list.key.id) {
            if beside(parts, list, &game, report).await {
                used.push(list);
            }
            continue;
        }
        if parts.games.holds(list.key.id) {
            // It is about to begin here: what becomes of that shows later.
            continue;
        }
        let gathered = found.games.remove(&list.key.id);
        let place = place_of(parts, gathered, list, sources.log.is_some()).await?;
        let (before, is_over) = match place {
            Place::Among(before) => (before, false),
            Place::Over(game) => (Some(game), true),
            Place::Parked => continue,
        };
        let known = before.as_ref().map(|candidate| candidate.folded.game.clone());
        let fitted = fit(known, &list.items);
        if fitted.rest {
            if before.is_none() && sources.log.is_none() {
                // What they follow may be in the log: they are looked at again when it is back.
                continue;
            }
            let on_chain: Vec<EventId> = fitted.run.iter().map(|queued| queued.place).collect();
            set_aside(parts, list, &on_chain, report).await;
        } else if is_over {
            drop_list(parts, list).await;
        } else {
            used.push(list);
        }
        if let Some(candidate) = behind(before, fitted).filter(|_| !is_over) {
            found.games.insert(list.key.id, candidate);
        }
    }
    Ok(used)
}

/// Where a list's game was found.
enum Place {
    /// Among the games to be held, or nowhere yet.
    Among(Option<Candidate>),
    /// In the log, ended.
    Over(Candidate),
    /// Newer code wrote it: its list stays as it is, too.
    Parked,
}

async fn place_of(
    parts: &RestoreParts,
    found: Option<Candidate>,
    list: &PendingGame,
    log_is_there: bool,
) -> Result<Place, NotYet> {
    if found.is_some() || !log_is_there {
        return Ok(Place::Among(found));
    }
    let entries = parts.log.read_game(list.key, 0).await;
    let entries = entries.map_err(|error| NotYet::Interrupted(error.to_string()))?;
    Ok(match refold(&entries) {
        Refolded::Game(folded) if folded.game.is_live() => {
            // Nobody else knows of it: the live store has lost it.
            Place::Among(Some(Candidate::as_folded(*folded)))
        }
        Refolded::Game(folded) => Place::Over(Candidate::as_folded(*folded)),
        Refolded::Newer => Place::Parked,
        Refolded::Nothing | Refolded::Broken(_) => Place::Among(None),
    })
}

/// The game with what waits behind it, if there is a game.
fn behind(before: Option<Candidate>, fitted: Fit) -> Option<Candidate> {
    let Fit {
        game,
        mut run,
        ended,
        started,
        ..
    } = fitted;
    let Some(before) = before else {
        let folded = Folded {
            game: game?,
            seq: 0,
            ended,
        };
        return Some(Candidate {
            folded,
            acked: None,
            ahead: false,
            waiting: run,
        });
    };
    let folded = Folded {
        game: game.unwrap_or(before.folded.game),
        ended: ended.or(before.folded.ended),
        ..before.folded
    };
    if before.ahead && before.acked.is_none() {
        // The log has nothing of the game any more: its `started` must come again.
        run.splice(..0, started);
    }
    Some(Candidate {
        folded,
        waiting: run,
        ..before
    })
}

/// What waits of a game that is held: nothing can follow it but what is decided here. True if all of it is on the game's
/// chain; else it is set aside.
async fn beside(parts: &RestoreParts, list: &PendingGame, game: &GameState, report: &mut Report) -> bool {
    let (on_chain, rest): (Vec<EventId>, Vec<EventId>) = list
        .items
        .iter()
        .map(|item| item.place)
        .partition(|place| game.chain.has_event(*place, game.version));
    if !rest.is_empty() {
        set_aside(parts, list, &on_chain, report).await;
    }
    rest.is_empty()
}

async fn set_aside(parts: &RestoreParts, list: &PendingGame, on_chain: &[EventId], report: &mut Report) {
    report.quarantined += 1;
    let reason = "the waiting events do not follow what the log has";
    if let Err(error) = parts
        .pending
        .quarantine(list.key, list.writer, on_chain, reason)
        .await
    {
        stays(list, &error);
    }
}

/// Drops the lists of games of which the log has everything. A game that went on by itself is waited for.
pub(super) async fn drop_used(parts: &RestoreParts, lists: &[&PendingGame]) {
    for list in lists {
        if settle(parts, list.key.id).await == Settled::Durable {
            drop_list(parts, list).await;
        }
    }
}

/// A list that this process has replaced by one of its own stays.
async fn drop_list(parts: &RestoreParts, list: &PendingGame) {
    let Some(last) = list.items.last() else { return };
    if let Err(error) = parts.pending.trim(list.key, list.writer, last.place).await {
        stays(list, &error);
    }
}

fn stays(list: &PendingGame, error: &Unavailable) {
    let id = list.key.id;
    tracing::warn!(game.id = %id, "waiting events of {id} stay where they are: {error}");
}

/// What a candidate's queue begins with: where the log lost its tail the whole state (behind `started` if that is lost
/// too, and before `ended`), else what waited.
pub(super) fn queue_of(parts: &RestoreParts, candidate: &Candidate) -> Vec<Queued> {
    let mut queued = Vec::new();
    if candidate.ahead && !candidate.waiting.iter().any(Queued::is_anchor) {
        let writer = parts.games.writer();
        let game = &candidate.folded.game;
        let started = candidate.waiting.first().filter(|first| first.name == STARTED);
        let previd = started
            .map(|started| started.place)
            .or(candidate.acked.map(|acked| acked.place));
        queued.extend(started.cloned());
        let before = game.before_end();
        queued.push(Queued::of(&anchored(
            before.as_ref().unwrap_or(game),
            writer,
            0,
            previd,
        )));
        if let Some(ended) = &candidate.folded.ended
            && let Ok(envelope) = Envelope::from_bytes(ended)
        {
            queued.push(Queued::with_bytes(&envelope, ended.clone()));
        }
        return queued;
    }
    queued.extend(candidate.waiting.iter().cloned());
    queued
}
