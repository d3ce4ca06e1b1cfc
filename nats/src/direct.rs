//! Batches of messages by direct requests, which any replica answers. They leave nothing behind on the server.

use std::time::Duration;

use async_nats::{Client, Message};
use bytes::Bytes;
use commands::ports::Unavailable;
use contract::Seq;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::subjects::GAMES_STREAM;

/// Between two messages of a batch.
const SILENCE: Duration = Duration::from_secs(1);

/// What is asked for.
pub struct Batch<'a> {
    /// Messages on subjects that match.
    pub filter: &'a str,
    /// Where it begins.
    pub from: From<'a>,
    /// At most so many.
    pub most: usize,
    /// At most so many bytes, but always one message.
    pub most_bytes: Option<usize>,
}

/// Where a batch begins.
pub enum From<'a> {
    /// At or above a sequence.
    Seq(Seq),
    /// With what was stored at or after a time, as RFC 3339 has it.
    Time(&'a str),
}

/// A message as it is stored.
pub struct Stored {
    pub subject: String,
    pub seq: Seq,
    pub bytes: Bytes,
}

/// What a replica has.
pub struct Answer {
    /// The messages, in order.
    pub messages: Vec<Stored>,
    /// Whether it has more.
    pub more: bool,
}

/// Asks under the subjects of this API.
pub async fn read(client: &Client, api: &str, batch: &Batch<'_>) -> Result<Answer, Unavailable> {
    let unavailable = |error: &dyn std::fmt::Display| Unavailable::new("nats", error);
    let inbox = client.new_inbox();
    let subscribing = timeout(SILENCE, client.subscribe(inbox.clone()));
    let mut answers = subscribing
        .await
        .map_err(|_| Unavailable::new("nats", "a direct read could not be asked for"))?
        .map_err(|error| unavailable(&error))?;
    request(client, api, inbox, batch).await?;
    let mut messages: Vec<Stored> = Vec::new();
    loop {
        let answer = timeout(SILENCE, answers.next())
            .await
            .map_err(|_| Unavailable::new("nats", "a direct read fell silent"))?
            .ok_or_else(|| Unavailable::new("nats", "closed"))?;
        let more = match answer.status.map(|status| status.as_u16()) {
            None => {
                let before = messages.last().map(|stored| stored.seq);
                messages.push(stored(&answer, before)?);
                continue;
            }
            // The batch's end, and what is left behind it.
            Some(204) => number(&answer, "Nats-Num-Pending")?.unwrap_or(0) > 0,
            Some(404) => false,
            Some(status) => {
                let description = answer.description.as_deref().unwrap_or_default();
                return Err(unavailable(&format_args!(
                    "a direct read: {status} {description}"
                )));
            }
        };
        return Ok(Answer { messages, more });
    }
}

async fn request(client: &Client, api: &str, inbox: String, batch: &Batch<'_>) -> Result<(), Unavailable> {
    let mut question = json!({ "next_by_subj": batch.filter, "batch": batch.most });
    match batch.from {
        From::Seq(seq) => question["seq"] = seq.max(1).into(),
        From::Time(time) => question["start_time"] = time.into(),
    }
    question["max_bytes"] = batch.most_bytes.map_or(Value::Null, Value::from);
    let subject = format!("{api}.DIRECT.GET.{GAMES_STREAM}");
    timeout(
        SILENCE,
        client.publish_with_reply(subject, inbox, question.to_string().into()),
    )
    .await
    .map_err(|_| Unavailable::new("nats", "a direct read could not be sent"))?
    .map_err(|error| Unavailable::new("nats", error))
}

/// One message of a batch; each names the one before it, so that a lost one is noticed.
fn stored(answer: &Message, before: Option<Seq>) -> Result<Stored, Unavailable> {
    let seq = number(answer, "Nats-Sequence")?.ok_or_else(|| Unavailable::new("nats", "no sequence"))?;
    if let Some(before) = before
        && number(answer, "Nats-Last-Sequence")? != Some(before)
    {
        return Err(Unavailable::new(
            "nats",
            format_args!("a direct read lost a message before {seq}"),
        ));
    }
    Ok(Stored {
        subject: header(answer, "Nats-Subject").unwrap_or_default().to_owned(),
        seq,
        bytes: answer.payload.clone(),
    })
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
