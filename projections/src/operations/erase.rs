//! A person forgotten: in every finished game of theirs a name of nobody takes the place of their id and name.
//!
//! The games stay, with their moves, since they are their opponents' too. In each game it is another name, so that the
//! games of one person cannot be told to be so. **In the log** no message can be changed: the game's whole state and its
//! end, rewritten, are appended, and then all that was before them is deleted and overwritten. **In the history** the
//! row is replaced. Tombstone, quarantine, dead letters and cached lists of the game go as well.
//!
//! A game's row is the last thing that is changed, and games are found by their rows: an erasure that is interrupted is
//! finished by asking for it again. A game that is under way is not touched; it has to end first.

use commands::ports::{EventLog, Outgoing, Unavailable};
use contract::{GameId, Seat, UserId};
use serde::{Deserialize, Serialize};

use super::rebuild::put;
use super::{OperationParts, Stopped, Work, find};
use crate::ports::{CacheKey, Page};

mod rewrite;

use rewrite::{Rewritten, rewrite};

/// So many games are found at once.
const PAGE: u32 = 200;

/// So many dead letters are looked through.
const LETTERS: usize = 10_000;

/// Who, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The public id.
    pub user: UserId,
    /// Whether only to say what would be done.
    #[serde(default)]
    pub dry_run: bool,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Erased {
    /// Finished games that were theirs.
    pub games: u64,
    /// Messages that were deleted from the log.
    pub messages: u64,
    /// Games that the log does not reach back to, of which only the row was changed.
    pub beyond_log: u64,
    /// Dead letters that were forgotten.
    pub dead_letters: u64,
    /// Whether nothing was changed.
    pub dry_run: bool,
}

/// Names of nobody, each unlike any other.
pub type NewNames = dyn Fn() -> UserId + Send + Sync;

/// Forgets a person.
///
/// # Errors
/// [`Stopped`]: ask again, and what is left is done. [`Stopped::Refused`] if a game of theirs is under way.
pub async fn erase(
    parts: &OperationParts,
    request: &Request,
    new_name: &NewNames,
    work: &Work,
) -> Result<Erased, Stopped> {
    refuse_live(parts, &request.user).await?;
    wait_for_history(parts, work).await?;
    let games = games_of(parts, &request.user, work).await?;
    let mut erased = Erased {
        dry_run: request.dry_run,
        ..Erased::default()
    };
    work.phase("games", Some(games.len() as u64));
    for id in games {
        work.go_on()?;
        erased.games += 1;
        if !request.dry_run {
            one(parts, &request.user, id, &new_name(), &mut erased).await?;
        }
        work.did(1);
    }
    if !request.dry_run {
        erased.dead_letters = forget_letters(parts, &request.user).await?;
        let lists = [CacheKey::PopularFinished, CacheKey::Recent(request.user.clone())];
        parts.cache.delete(&lists).await?;
        work.phase("overwriting", None);
        parts.live.scrub().await?;
    }
    Ok(erased)
}

async fn refuse_live(parts: &OperationParts, user: &UserId) -> Result<(), Stopped> {
    for key in parts.log.unfinished().await? {
        let entries = parts.log.read_game(key, 0).await?;
        if entries.iter().any(|entry| rewrite::mentions(&entry.bytes, user)) {
            let why = format!(
                "{user} is in game {}, which is under way: it has to end first",
                key.id
            );
            return Err(Stopped::Refused(why));
        }
    }
    Ok(())
}

/// Games are found by their rows, so each that has ended must have one.
async fn wait_for_history(parts: &OperationParts, work: &Work) -> Result<(), Stopped> {
    let end = parts.log.info().await?.last;
    work.phase("waiting for the history projector", None);
    for _ in 0..100 {
        work.go_on()?;
        let reached = parts.history.checkpoint().await?;
        if reached.map_or(0, |reached| reached.seq) >= end {
            return Ok(());
        }
        parts.clock.sleep(100).await;
    }
    Err(Stopped::Unavailable(
        "the history projector is behind: games of theirs may not have a row yet".to_owned(),
    ))
}

async fn games_of(parts: &OperationParts, user: &UserId, work: &Work) -> Result<Vec<GameId>, Stopped> {
    let mut found = Vec::new();
    let mut before = None;
    loop {
        work.go_on()?;
        let page = Page { limit: PAGE, before };
        let games = parts.history.recent(user, page).await?;
        let Some(last) = games.last() else {
            return Ok(found);
        };
        before = Some((last.ended_at, last.id));
        found.extend(games.iter().map(|game| game.id));
    }
}

async fn one(
    parts: &OperationParts,
    user: &UserId,
    id: GameId,
    name: &UserId,
    erased: &mut Erased,
) -> Result<(), Stopped> {
    let Some(mut record) = parts.history.game(id).await? else {
        return Ok(());
    };
    let Some(seat) = record.players.seat_of(user) else {
        return Ok(());
    };
    let lists = CacheKey::of_players(&record.players);
    let person = Person { user, seat };
    // What was begun before goes on with the same name, so that row and log agree.
    let logged = in_log(parts, &person, id, name, erased).await?;
    erased.beyond_log += u64::from(logged.is_none());
    let name = logged.unwrap_or_else(|| name.clone());
    parts.live.erase(id).await?;
    rewrite::record(&mut record, user, &name);
    put(parts, &record).await?;
    parts.cache.delete(&lists).await?;
    Ok(())
}

/// Who is forgotten, in one game.
struct Person<'a> {
    user: &'a UserId,
    seat: Seat,
}

/// Rewrites a game in the log; the name that it has there now, or nothing if the log does not reach back to it.
async fn in_log(
    parts: &OperationParts,
    person: &Person<'_>,
    id: GameId,
    name: &UserId,
    erased: &mut Erased,
) -> Result<Option<UserId>, Stopped> {
    let Some((key, entries)) = find(parts.log.as_ref(), id).await? else {
        return Ok(None);
    };
    let Person { user, seat } = *person;
    let rewritten = rewrite(&entries, user, seat, name, parts.token).map_err(Stopped::Refused)?;
    let (first, name) = match rewritten {
        Rewritten::Already { first, name } => (first, name),
        Rewritten::New(messages) => {
            let last = entries.last().map_or(0, |entry| entry.seq);
            (append(parts.log.as_ref(), &messages, last).await?, name.clone())
        }
    };
    erased.messages += parts.eraser.erase_below(key, first).await?;
    Ok(Some(name))
}

/// Appends the rewritten messages; the sequence of the first.
async fn append(log: &dyn EventLog, messages: &[Outgoing], mut last: u64) -> Result<u64, Unavailable> {
    let mut first = None;
    for message in messages {
        last = log
            .append(message, last)
            .await
            .map_err(|error| Unavailable::new("log", error))?;
        first.get_or_insert(last);
    }
    first.ok_or_else(|| Unavailable::new("log", "there was nothing to rewrite"))
}

/// Dead letters hold whole events.
async fn forget_letters(parts: &OperationParts, user: &UserId) -> Result<u64, Stopped> {
    let mut forgotten = 0;
    for letter in parts.dead_letters.list(LETTERS).await? {
        if rewrite::mentions(&letter.bytes, user)
            && parts.dead_letters.remove(&letter.projector, letter.seq).await?
        {
            forgotten += 1;
        }
    }
    Ok(forgotten)
}
