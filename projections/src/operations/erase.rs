//! A person forgotten: in every finished game of theirs a name of nobody takes the place of their id and name.
//!
//! The games stay, with their moves, since they are their opponents' too. In each game it is another name, so that the
//! games of one person cannot be told to be so. **In the log** no message can be changed: the game's whole state and its
//! end, rewritten, are appended, and then all that was before them is deleted and overwritten. **In the history** the
//! row is replaced. Tombstone, quarantine, dead letters and cached lists of the game go as well.
//!
//! Games are found by their rows and by their ends in the log: one may have no row, as the store refuses it, and a row
//! may be of a game that the log has forgotten. A game's row is the last thing that is changed: an erasure that is
//! interrupted is finished by asking for it again. A game that is under way is not touched; it has to end first. One that
//! cannot be rewritten stays as it is, and so do its dead letters: all others are done, and then it is refused.

use std::collections::BTreeSet;

use commands::ports::{EventLog, LogEntry, Outgoing, Unavailable};
use contract::{FinishedGame, GameId, GameKey, Seat, UserId};
use serde::{Deserialize, Serialize};

use super::ends::Ends;
use super::rebuild::put;
use super::{OperationParts, Stopped, Work, find};
use crate::history::ended::record_of;
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
/// [`Stopped`]: ask again, and what is left is done. [`Stopped::Refused`] if a game of theirs is under way, or if one
/// cannot be rewritten: then all others are.
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
    let mut left = Vec::new();
    work.phase("games", Some(games.len() as u64));
    for id in games {
        work.go_on()?;
        erased.games += 1;
        if !request.dry_run {
            match one(parts, &request.user, id, &new_name(), &mut erased).await {
                Err(Stopped::Refused(why)) => left.push(format!("game {id}: {why}")),
                done => done?,
            }
        }
        work.did(1);
    }
    if !left.is_empty() {
        let (user, left) = (&request.user, left.join("; "));
        return Err(Stopped::Refused(format!(
            "{user} is still in games that cannot be rewritten: {left}"
        )));
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

/// A projector that reads a game's end only after it was erased would write its row as it was.
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

/// The finished games of a person, by rows and log.
async fn games_of(parts: &OperationParts, user: &UserId, work: &Work) -> Result<BTreeSet<GameId>, Stopped> {
    let mut found = in_rows(parts, user, work).await?;
    let end = parts.log.info().await?.last;
    let mut ends = Ends::after(parts, 0);
    work.phase("messages", Some(end));
    while let Some(entries) = ends.next(end).await? {
        work.go_on()?;
        let theirs = entries.iter().filter(|entry| is_an_end_of(entry, user));
        found.extend(theirs.map(|entry| entry.key.id));
        work.is_at(ends.reached());
    }
    Ok(found)
}

/// Whether they sat in a game that ends here. Of an end that cannot be read it is enough that it mentions them.
fn is_an_end_of(entry: &LogEntry, user: &UserId) -> bool {
    entry.name == "ended"
        && rewrite::mentions(&entry.bytes, user)
        && record_of(entry).map_or(true, |record| record.players.seat_of(user).is_some())
}

async fn in_rows(parts: &OperationParts, user: &UserId, work: &Work) -> Result<BTreeSet<GameId>, Stopped> {
    let mut found = BTreeSet::new();
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
    let row = parts.history.game(id).await?;
    let logged = find(parts.log.as_ref(), id).await?;
    let messages = logged.as_ref().map_or(&[][..], |(_, entries)| entries);
    let seat = row.as_ref().and_then(|row| row.players.seat_of(user));
    let Some(seat) = seat.or_else(|| rewrite::seat_in(messages, user)) else {
        return Err(Stopped::Refused("it cannot be told where they sit".to_owned()));
    };
    let person = Person { user, seat };
    // What was begun before goes on with the same name, so that row and log agree.
    let name = if let Some((key, entries)) = &logged {
        in_log(parts, &person, *key, entries, name, erased).await?
    } else {
        erased.beyond_log += 1;
        name.clone()
    };
    parts.live.erase(id).await?;
    if let Some(row) = row {
        in_row(parts, &person, row, &name).await?;
    }
    Ok(())
}

/// Replaces the row. A game without one gets it from its rewritten end, by the projector that reads that.
async fn in_row(
    parts: &OperationParts,
    person: &Person<'_>,
    mut row: FinishedGame,
    name: &UserId,
) -> Result<(), Stopped> {
    let lists = CacheKey::of_players(&row.players);
    if row.players.seat_of(person.user).is_some() {
        rewrite::record(&mut row, person.user, name);
    } else if let Some(end) = parts.log.find_ended(row.id).await? {
        // Log and row were of different minds about who played.
        row = *record_of(&end).map_err(Stopped::Refused)?;
    }
    put(parts, &row).await?;
    parts.cache.delete(&lists).await?;
    Ok(())
}

/// Who is forgotten, in one game.
struct Person<'a> {
    user: &'a UserId,
    seat: Seat,
}

/// Rewrites a game in the log; the name that it has there now.
async fn in_log(
    parts: &OperationParts,
    person: &Person<'_>,
    key: GameKey,
    entries: &[LogEntry],
    name: &UserId,
    erased: &mut Erased,
) -> Result<UserId, Stopped> {
    let Person { user, seat } = *person;
    let rewritten = rewrite(entries, user, seat, name, parts.token).map_err(Stopped::Refused)?;
    let (first, name) = match rewritten {
        Rewritten::Already { first, name } => (first, name),
        Rewritten::New(messages) => {
            let last = entries.last().map_or(0, |entry| entry.seq);
            (append(parts.log.as_ref(), &messages, last).await?, name.clone())
        }
    };
    erased.messages += parts.eraser.erase_below(key, first).await?;
    Ok(name)
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
