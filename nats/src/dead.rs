//! Dead letters: a stream of events that a projector can never apply. The event is the message, byte by byte; where it
//! is in the log and why it is here are headers.

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::response::Response;
use async_nats::{Client, HeaderMap, Request, header};
use commands::ports::Unavailable;
use contract::Seq;
use projections::ports::DeadLetter;
use serde_json::Value;
use tokio::time::timeout;

use crate::api::{self, Which};
use crate::shared::Shared;
use crate::subjects::{self, DEAD_LETTERS, DEAD_STREAM};

const SEQ: &str = "Turnstream-Seq";
/// As a JSON string: a header is one line.
const REASON: &str = "Turnstream-Reason";
/// Characters of a reason that are kept: headers have to fit beside the largest event.
const LONGEST_REASON: usize = 4_000;
/// Others who put a letter for the same game at the same moment.
const RIVALS: usize = 10;

/// Keeps a letter, unless it is there.
pub async fn put(shared: &Shared, letter: &DeadLetter) -> Result<(), Unavailable> {
    let subject = subjects::dead_letter(&letter.projector, letter.game).ok_or_else(|| {
        Unavailable::new(
            "nats",
            format_args!("no projector is named {:?}", letter.projector),
        )
    })?;
    for _ in 0..RIVALS {
        let client = shared.ready()?;
        let Some(last) = last_unless_there(client, &subject, letter.seq).await? else {
            return Ok(());
        };
        if publish(client, &subject, letter, last).await? {
            return Ok(());
        }
    }
    Err(Unavailable::new(
        "nats",
        "others put dead letters for this game all the time",
    ))
}

/// How many there are.
pub async fn count(shared: &Shared) -> Result<u64, Unavailable> {
    Ok(api::stream_info(shared.ready()?, DEAD_STREAM)
        .await?
        .state
        .messages)
}

/// The oldest `max`.
pub async fn list(shared: &Shared, max: usize) -> Result<Vec<DeadLetter>, Unavailable> {
    let mut letters = Vec::new();
    let mut after = 0;
    while letters.len() < max {
        let Some(message) = next(shared.ready()?, DEAD_LETTERS, after).await? else {
            break;
        };
        after = message.sequence;
        letters.push(read(&message)?);
    }
    Ok(letters)
}

/// The letter of `projector` about `seq`.
pub async fn find(shared: &Shared, projector: &str, seq: Seq) -> Result<Option<DeadLetter>, Unavailable> {
    match message_about(shared, projector, seq).await? {
        Some(message) => read(&message).map(Some),
        None => Ok(None),
    }
}

/// Deletes it, and has the server overwrite it.
pub async fn remove(shared: &Shared, projector: &str, seq: Seq) -> Result<bool, Unavailable> {
    match message_about(shared, projector, seq).await? {
        Some(message) => Ok(api::erase(shared.ready()?, DEAD_STREAM, message.sequence).await?),
        None => Ok(false),
    }
}

async fn message_about(
    shared: &Shared,
    projector: &str,
    seq: Seq,
) -> Result<Option<StreamMessage>, Unavailable> {
    let Some(filter) = subjects::dead_letters_of(projector) else {
        return Ok(None);
    };
    let mut after = 0;
    while let Some(message) = next(shared.ready()?, &filter, after).await? {
        if read(&message)?.seq == seq {
            return Ok(Some(message));
        }
        after = message.sequence;
    }
    Ok(None)
}

/// The sequence of the subject's newest letter (0: none), or nothing if one of them is about `seq`.
async fn last_unless_there(client: &Client, subject: &str, seq: Seq) -> Result<Option<Seq>, Unavailable> {
    let mut last = 0;
    while let Some(message) = next(client, subject, last).await? {
        last = message.sequence;
        if read(&message)?.seq == seq {
            return Ok(None);
        }
    }
    Ok(Some(last))
}

async fn next(client: &Client, filter: &str, after: Seq) -> Result<Option<StreamMessage>, Unavailable> {
    Ok(api::message(client, DEAD_STREAM, Which::Next(filter, after + 1)).await?)
}

/// Whether it was taken; not if the subject's newest letter is another than `last` by now.
async fn publish(
    client: &Client,
    subject: &str,
    letter: &DeadLetter,
    last: Seq,
) -> Result<bool, Unavailable> {
    let unavailable = |error: &dyn std::fmt::Display| Unavailable::new("nats", error);
    let reason: String = letter.reason.chars().take(LONGEST_REASON).collect();
    let mut headers = HeaderMap::new();
    headers.insert(header::NATS_EXPECTED_STREAM, DEAD_STREAM);
    headers.insert(header::NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, last.to_string());
    headers.insert(SEQ, letter.seq.to_string());
    headers.insert(REASON, Value::String(reason).to_string());
    let request = Request::new()
        .headers(headers)
        .payload(letter.bytes.clone())
        .timeout(None);
    let answer = timeout(api::DEADLINE, client.send_request(subject.to_owned(), request))
        .await
        .map_err(|error| unavailable(&error))?
        .map_err(|error| unavailable(&error))?;
    match serde_json::from_slice::<Response<Value>>(&answer.payload).map_err(|error| unavailable(&error))? {
        Response::Ok(_) => Ok(true),
        Response::Err { error } if is_expectation(error.error_code()) => Ok(false),
        Response::Err { error } => Err(unavailable(&error)),
    }
}

fn is_expectation(code: ErrorCode) -> bool {
    [
        ErrorCode::STREAM_WRONG_LAST_SEQUENCE,
        ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT,
    ]
    .contains(&code)
}

fn read(message: &StreamMessage) -> Result<DeadLetter, Unavailable> {
    let text = |name| {
        message
            .headers
            .get(name)
            .map(async_nats::HeaderValue::as_str)
            .unwrap_or_default()
    };
    let read = || {
        let (projector, game) = subjects::parse_dead_letter(&message.subject)?;
        let (seq, reason) = (text(SEQ).parse().ok()?, serde_json::from_str(text(REASON)).ok()?);
        Some(DeadLetter {
            projector: projector.to_owned(),
            game,
            seq,
            reason,
            bytes: message.payload.clone(),
        })
    };
    read().ok_or_else(|| {
        Unavailable::new(
            "nats",
            format_args!("message {} of {DEAD_STREAM} is no dead letter", message.sequence),
        )
    })
}
