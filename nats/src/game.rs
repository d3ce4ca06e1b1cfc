//! Reading one game's messages, and the newest of many games.

use async_nats::jetstream::message::StreamMessage;
use bytes::Bytes;
use commands::ports::{LogEntry, Unavailable};
use contract::{GameId, GameKey, Seq};
use futures::{StreamExt, TryStreamExt, stream};

use crate::api::{self, Which};
use crate::direct::{self, Batch, From};
use crate::shared::Shared;
use crate::subjects::{self, GAMES_STREAM};

/// How many games are asked about at once.
const AT_ONCE: usize = 32;
/// Messages that one direct request asks for.
const BATCH: usize = 1_000;

/// The game's newest message, from the leader.
pub async fn last(shared: &Shared, key: GameKey) -> Result<Option<LogEntry>, Unavailable> {
    get(shared, Which::Last(&subjects::game(key))).await
}

/// The newest message of each game.
pub async fn last_of_each(shared: &Shared, keys: &[GameKey]) -> Result<Vec<Option<LogEntry>>, Unavailable> {
    stream::iter(keys.to_vec())
        .map(|key| last(shared, key))
        .buffered(AT_ONCE)
        .try_collect()
        .await
}

/// The newest `ended` message of a game of any kind.
pub async fn find_ended(shared: &Shared, id: GameId) -> Result<Option<LogEntry>, Unavailable> {
    get(shared, Which::Last(&subjects::ended(id))).await
}

/// All messages of a game with a sequence above `after`.
///
/// Most come in batches from any replica, which may lag behind; what it lacks comes one by one from the leader.
pub async fn read(shared: &Shared, key: GameKey, after: Seq) -> Result<Vec<LogEntry>, Unavailable> {
    let filter = subjects::game(key);
    let mut entries = Vec::new();
    let reached = |entries: &Vec<LogEntry>| entries.last().map_or(after, |entry: &LogEntry| entry.seq);
    while read_batch(shared, &filter, reached(&entries), &mut entries).await? {}
    let end = last(shared, key).await?.map_or(0, |entry| entry.seq);
    while reached(&entries) < end {
        let from = reached(&entries) + 1;
        let next = get(shared, Which::Next(&filter, from)).await?;
        // The end was there a moment ago; a log that loses its tail meanwhile is read again.
        entries.push(next.ok_or_else(|| Unavailable::new("nats", "the game's end is gone"))?);
    }
    Ok(entries)
}

/// Deletes a game's messages below `below` for good, the newest first: what is left of a game that was begun on is still
/// whole up to its last message.
pub async fn erase_below(shared: &Shared, key: GameKey, below: Seq) -> Result<u64, Unavailable> {
    let entries = read(shared, key, 0).await?;
    let mut erased = 0;
    for entry in entries.iter().rev().filter(|entry| entry.seq < below) {
        erased += u64::from(api::erase(shared.ready()?, GAMES_STREAM, entry.seq).await?);
    }
    Ok(erased)
}

async fn get(shared: &Shared, which: Which<'_>) -> Result<Option<LogEntry>, Unavailable> {
    match api::message(shared.ready()?, GAMES_STREAM, which).await? {
        None => Ok(None),
        Some(StreamMessage {
            subject,
            sequence,
            payload,
            ..
        }) => entry(&subject, sequence, payload).map(Some),
    }
}

/// A message of the log as the ports give it.
fn entry(subject: &str, seq: Seq, bytes: Bytes) -> Result<LogEntry, Unavailable> {
    let (key, name) = subjects::parse_event(subject)
        .ok_or_else(|| Unavailable::new("nats", format_args!("message {seq} on {subject:?} is no event")))?;
    Ok(LogEntry {
        seq,
        key,
        name: name.to_owned(),
        bytes,
    })
}

/// Adds a batch behind `after`; whether there is more.
async fn read_batch(
    shared: &Shared,
    filter: &str,
    after: Seq,
    entries: &mut Vec<LogEntry>,
) -> Result<bool, Unavailable> {
    let batch = Batch {
        filter,
        from: From::Seq(after.saturating_add(1)),
        most: BATCH,
        most_bytes: None,
    };
    let answer = direct::read(shared.ready()?, api::OWN, &batch).await?;
    for message in answer.messages {
        entries.push(entry(&message.subject, message.seq, message.bytes)?);
    }
    Ok(answer.more)
}
