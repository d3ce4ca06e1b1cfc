//! How events that waited for the log fit behind what the log has.

use bytes::Bytes;
use commands::fold::fold;
use commands::ports::{PendingGame, PendingItem};
use commands::publish::Queued;
use commands::publish::queue::anchored;
use contract::{Envelope, EventId, GameState, WriterId};

use super::gather::{Candidate, Found};
use super::{Report, RestoreParts};
use crate::live::folded::Folded;

/// Waiting events, sorted by what becomes of them.
#[derive(Debug, Default)]
struct Fit {
    /// The game after those that fit.
    game: Option<GameState>,
    /// Those that fit, in order.
    run: Vec<Queued>,
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
            continue;
        }
        let Ok(envelope) = Envelope::from_bytes(&item.bytes) else {
            fit.rest = true;
            break;
        };
        match fold(fit.game.clone(), &envelope) {
            Ok(next) => {
                if !next.is_live() {
                    fit.ended = Some(item.bytes.clone());
                }
                fit.game = Some(next);
                fit.run.push(Queued::with_bytes(&envelope, item.bytes.clone()));
            }
            Err(_) => {
                fit.rest = true;
                break;
            }
        }
    }
    fit
}

/// Puts each game's waiting events behind it, if their writer is silent; what does not fit is set aside.
pub(super) async fn fit_all(
    parts: &RestoreParts,
    found: &mut Found,
    pending: &[PendingGame],
    silent: &(dyn Fn(WriterId) -> bool + Sync),
    report: &mut Report,
) {
    for list in pending
        .iter()
        .filter(|list| silent(list.writer) && list.writer != parts.games.writer())
    {
        let id = list.key.id;
        let before = found.remove(&id);
        let acked = before.as_ref().and_then(|candidate| candidate.acked);
        let ahead = before.as_ref().is_some_and(|candidate| candidate.ahead);
        let seq = before.as_ref().map_or(0, |candidate| candidate.folded.seq);
        let known = match before {
            Some(candidate) => Some(candidate.folded.game),
            None => ended_or_absent(parts, list).await,
        };
        let fitted = fit(known, &list.items);
        if fitted.rest {
            report.quarantined += 1;
            let on_chain: Vec<EventId> = fitted.run.iter().map(|queued| queued.place).collect();
            let reason = "the waiting events do not follow what the log has";
            if let Err(error) = parts
                .pending
                .quarantine(list.key, list.writer, &on_chain, reason)
                .await
            {
                tracing::warn!(game.id = %id, "waiting events of {id} stay where they are: {error}");
            }
        }
        let over_already = fitted.run.is_empty() && fitted.game.as_ref().is_some_and(|game| !game.is_live());
        if let Some(game) = fitted.game.filter(|_| !over_already) {
            let folded = Folded {
                game,
                seq,
                ended: fitted.ended,
            };
            found.insert(
                id,
                Candidate {
                    folded,
                    acked,
                    ahead,
                    waiting: fitted.run,
                },
            );
        } else if !fitted.rest {
            drop_list(parts, list).await;
        }
    }
}

/// The log has all of it: nothing waits.
async fn drop_list(parts: &RestoreParts, list: &PendingGame) {
    let Some(last) = list.items.last() else { return };
    if let Err(error) = parts.pending.trim(list.key, list.writer, last.place).await {
        tracing::warn!(game.id = %list.key.id, "waiting events of {} stay where they are: {error}", list.key.id);
    }
}

/// A game that is not among the live ones: over, or never in the log.
async fn ended_or_absent(parts: &RestoreParts, list: &PendingGame) -> Option<GameState> {
    let entries = parts.log.read_game(list.key, 0).await.ok()?;
    match crate::live::refold::refold(&entries) {
        crate::live::refold::Refolded::Game(folded) => Some(folded.game),
        _ => None,
    }
}

/// What a candidate's queue begins with: the whole state (and `ended` again) where the log lost its tail, then what
/// waited.
pub(super) fn queue_of(parts: &RestoreParts, candidate: &Candidate) -> Vec<Queued> {
    let mut queued = Vec::new();
    if candidate.ahead && !candidate.waiting.iter().any(Queued::is_anchor) {
        let writer = parts.games.writer();
        let game = &candidate.folded.game;
        let previd = candidate.acked.map(|acked| acked.place);
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
