//! Takes games over: adopts them, claims each with a `resumed` event, and looks again where the claim was refused.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use commands::live::{Adopted, Settled};
use contract::{GameId, GameKey, GameState, Millis, UserId, WriterId};

use super::gather::{Candidate, Found, from_own_messages};
use super::waiting::queue_of;
use super::{NotYet, Report, RestoreParts};

/// So many games are claimed at once: each claim is one message to the log.
const CHUNK: usize = 1000;

/// A claim that is refused (a late message of the dead process came first) is tried so often.
const ROUNDS: usize = 3;

/// Between two looks at claims under way.
const POLL: Duration = Duration::from_millis(2);

/// Adopts and claims.
pub(super) async fn take_over(
    parts: &RestoreParts,
    found: Found,
    silent: &(dyn Fn(WriterId) -> bool + Sync),
    report: &mut Report,
) -> Result<(), NotYet> {
    let before = found.games.len();
    let signs = SignsOfLife::of(&found);
    let mut ours: Vec<Candidate> = found
        .games
        .into_values()
        .filter(|candidate| silent(candidate.folded.game.last_event.writer))
        .collect();
    report.elsewhere = before - ours.len();
    // Older games first, so that a user's newer game finds the seat free.
    ours.sort_by_key(|candidate| (candidate.folded.game.started_at, candidate.folded.game.id));
    let held = held_beside(parts, &ours);
    let superseded = superseded(&held, &ours);
    // Before their players are seated in their newer games.
    let left: Vec<GameId> = held.iter().map(|game| game.id).collect();
    finish_superseded(parts, &left, &superseded, report).await;
    let (old, current): (Vec<_>, Vec<_>) = ours
        .into_iter()
        .partition(|candidate| superseded.contains(&candidate.folded.game.id));
    for candidates in [old, current] {
        for chunk in chunks(candidates) {
            let over = over(&chunk);
            let held = claim(parts, chunk, silent, &signs, report).await?;
            report.ended += held.iter().filter(|game| over.contains(game)).count();
            finish(parts, &held, &superseded, report).await;
        }
    }
    report.restored = parts.games.held().len();
    Ok(())
}

/// The last that was heard of each process: its newest event in any game. Until then it served all of its games; from
/// then on nobody can say, and the doubt is in the players' favour.
#[derive(Default)]
struct SignsOfLife(HashMap<WriterId, Millis>);

impl SignsOfLife {
    fn of(found: &Found) -> Self {
        let mut signs = Self::default();
        for candidate in found.games.values() {
            let game = &candidate.folded.game;
            let last = signs.0.entry(game.last_event.writer).or_insert(game.last_at);
            *last = game.last_at.max(*last);
        }
        signs
    }

    fn served_until(&self, game: &GameState) -> Millis {
        let heard = self.0.get(&game.last_event.writer).copied();
        heard.map_or(game.last_at, |at| at.max(game.last_at))
    }
}

fn chunks(candidates: Vec<Candidate>) -> Vec<Vec<Candidate>> {
    let mut chunks: Vec<Vec<Candidate>> = Vec::new();
    for candidate in candidates {
        match chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(candidate),
            _ => chunks.push(vec![candidate]),
        }
    }
    chunks
}

/// The live games that are held already, beside those that were found.
fn held_beside(parts: &RestoreParts, found: &[Candidate]) -> Vec<Arc<GameState>> {
    let found: HashSet<GameId> = found.iter().map(|candidate| candidate.folded.game.id).collect();
    let mut held = parts.games.held();
    held.retain(|game| !found.contains(&game.id));
    held
}

/// The games that a player of theirs has left behind for a newer one.
fn superseded(held: &[Arc<GameState>], found: &[Candidate]) -> HashSet<GameId> {
    let found = found.iter().map(|candidate| &candidate.folded.game);
    let mut games: Vec<&GameState> = held.iter().map(Arc::as_ref).chain(found).collect();
    games.sort_by_key(|game| (game.started_at, game.id));
    let mut newest: HashMap<&UserId, GameId> = HashMap::new();
    let mut older = HashSet::new();
    for game in games.into_iter().filter(|game| game.is_live()) {
        for user in [&game.players.player1.user_id, &game.players.player2.user_id] {
            if let Some(before) = newest.insert(user, game.id) {
                older.insert(before);
            }
        }
    }
    older
}

/// The games that are over by their last move and have no end: they get it as soon as they are held, by whoever comes first.
fn over(games: &[Candidate]) -> HashSet<GameId> {
    let games = games.iter().map(|candidate| &candidate.folded.game);
    let over = games.filter(|game| game.is_live() && game.state.ending().is_some());
    over.map(|game| game.id).collect()
}

/// Claims a chunk, and again what was refused, if its last writer is silent too.
async fn claim(
    parts: &RestoreParts,
    mut chunk: Vec<Candidate>,
    silent: &(dyn Fn(WriterId) -> bool + Sync),
    signs: &SignsOfLife,
    report: &mut Report,
) -> Result<Vec<GameId>, NotYet> {
    let mut held = Vec::new();
    for _ in 0..ROUNDS {
        let keys: BTreeMap<GameId, GameKey> = chunk
            .iter()
            .map(|candidate| (candidate.folded.game.id, candidate.folded.game.key()))
            .collect();
        for candidate in chunk.drain(..) {
            if candidate.ahead {
                report.reanchored += 1;
            }
            adopt(parts, candidate, signs).await;
        }
        for (id, key) in keys {
            if settle(parts, id).await == Settled::Gone {
                chunk.extend(look_again(parts, key, silent, report).await?);
            } else {
                held.push(id);
            }
        }
        if chunk.is_empty() {
            break;
        }
    }
    report.elsewhere += chunk.len();
    Ok(held)
}

async fn adopt(parts: &RestoreParts, candidate: Candidate, signs: &SignsOfLife) {
    let waiting = queue_of(parts, &candidate);
    let game = candidate.folded.game;
    let (id, live, served) = (game.id, game.is_live(), signs.served_until(&game));
    let adopted = parts.games.adopt(Adopted {
        game,
        acked: candidate.acked,
        waiting,
        last: None,
    });
    if adopted && live {
        let downtime_ms = parts.clock.now().since(served).max(0);
        parts.games.claim(id, downtime_ms).await;
    }
}

/// Waits until the log has the claim, another process has the game, or the log is away.
pub(super) async fn settle(parts: &RestoreParts, id: GameId) -> Settled {
    loop {
        match parts.games.settled(id) {
            Settled::UnderWay => tokio::time::sleep(POLL).await,
            done => return done,
        }
    }
}

async fn look_again(
    parts: &RestoreParts,
    key: GameKey,
    silent: &(dyn Fn(WriterId) -> bool + Sync),
    report: &mut Report,
) -> Result<Option<Candidate>, NotYet> {
    let again = from_own_messages(parts, key, &mut Found::default(), report)
        .await
        .map_err(|error| NotYet::Interrupted(error.to_string()))?;
    let (ours, elsewhere) = match again {
        Some(candidate) if silent(candidate.folded.game.last_event.writer) => (Some(candidate), 0),
        Some(_) => (None, 1),
        None => (None, 0),
    };
    report.elsewhere += elsewhere;
    Ok(ours)
}

/// Ends what is over, since a player of it has a newer game, or by its last move; and lets go on what waits for no
/// player.
async fn finish(parts: &RestoreParts, held: &[GameId], superseded: &HashSet<GameId>, report: &mut Report) {
    finish_superseded(parts, held, superseded, report).await;
    for game in parts.games.held_among(held) {
        let is_over = game.state.ending().is_some();
        let ends = !is_over && superseded.contains(&game.id);
        if !ends && !game.state.next().is_a_players() {
            parts.games.go_on(game.id).await;
        }
    }
}

async fn finish_superseded(
    parts: &RestoreParts,
    held: &[GameId],
    superseded: &HashSet<GameId>,
    report: &mut Report,
) {
    for game in parts.games.held_among(held) {
        if superseded.contains(&game.id) && game.state.ending().is_none() {
            parts.games.end_inactive(game.id).await;
            report.ended += 1;
        }
    }
}
