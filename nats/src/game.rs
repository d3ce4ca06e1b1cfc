//! Reading one game's messages, and the newest of many games.

use std::time::Duration;

use async_nats::jetstream::message::StreamMessage;
use async_nats::{Client, Message};
use bytes::Bytes;
use commands::ports::{LogEntry, Unavailable};
use contract::{GameId, GameKey, Seq};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::json;
use tokio::time::timeout;

use crate::api::{self, Which};
use crate::shared::Shared;
use crate::subjects::{self, GAMES_STREAM};

/// How many games are asked about at once.
const AT_ONCE: usize = 32;
/// Messages that one direct request asks for.
const BATCH: usize = 1_000;
/// Between two messages of a batch.
const SILENCE: Duration = Duration::from_secs(1);

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
    let client = shared.ready()?;
    let inbox = client.new_inbox();
    let mut answers = client
        .subscribe(inbox.clone())
        .await
        .map_err(|error| Unavailable::new("nats", error))?;
    request_batch(client, inbox, filter, after).await?;
    let mut before = None;
    loop {
        let answer = timeout(SILENCE, answers.next())
            .await
            .map_err(|_| Unavailable::new("nats", "a direct read fell silent"))?
            .ok_or_else(|| Unavailable::new("nats", "closed"))?;
        match answer.status.map(|status| status.as_u16()) {
            None => {
                let entry = direct_entry(&answer, before)?;
                before = Some(entry.seq);
                entries.push(entry);
            }
            // The batch's end, and what is left behind it.
            Some(204) => return Ok(number(&answer, "Nats-Num-Pending")?.unwrap_or(0) > 0),
            Some(404) => return Ok(false),
            Some(status) => {
                let description = answer.description.as_deref().unwrap_or_default();
                return Err(Unavailable::new(
                    "nats",
                    format_args!("a direct read: {status} {description}"),
                ));
            }
        }
    }
}

async fn request_batch(client: &Client, inbox: String, filter: &str, after: Seq) -> Result<(), Unavailable> {
    let question = json!({ "next_by_subj": filter, "seq": after.saturating_add(1), "batch": BATCH });
    let subject = format!("$JS.API.DIRECT.GET.{GAMES_STREAM}");
    timeout(
        SILENCE,
        client.publish_with_reply(subject, inbox, question.to_string().into()),
    )
    .await
    .map_err(|_| Unavailable::new("nats", "a direct read could not be sent"))?
    .map_err(|error| Unavailable::new("nats", error))
}

/// One message of a batch; each names the one before it, so that a lost one is noticed.
fn direct_entry(answer: &Message, before: Option<Seq>) -> Result<LogEntry, Unavailable> {
    let seq = number(answer, "Nats-Sequence")?.ok_or_else(|| Unavailable::new("nats", "no sequence"))?;
    if let Some(before) = before
        && number(answer, "Nats-Last-Sequence")? != Some(before)
    {
        return Err(Unavailable::new(
            "nats",
            format_args!("a direct read lost a message before {seq}"),
        ));
    }
    let subject = header(answer, "Nats-Subject").unwrap_or_default();
    entry(subject, seq, answer.payload.clone())
}

fn header<'a>(message: &'a Message, name: &str) -> Option<&'a str> {
    Some(message.headers.as_ref()?.get(name)?.as_str())
}

fn number(message: &Message, name: &str) -> Result<Option<u64>, Unavailable> {
    header(message, name)
        .map(|text| {
            text.parse()
                .map_err(|_| Unavailable::new("nats", format_args!("{name}: {text:?}")))
        })
        .transpose()
}
