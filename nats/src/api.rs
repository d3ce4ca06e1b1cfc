//! Requests to JetStream's API, each with a deadline.

use std::time::Duration;

use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::response::Response;
use async_nats::jetstream::stream::RawMessage;
use async_nats::jetstream::{Error as Refusal, ErrorCode};
use async_nats::{Client, Request, RequestErrorKind};
use commands::ports::Unavailable;
use contract::Seq;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What an answer has to come within.
pub const DEADLINE: Duration = Duration::from_secs(1);

/// A request without the answer hoped for.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The server understood and refused.
    #[error("refused: {0}")]
    Refused(Refusal),
    /// The server knows nobody who would answer: no JetStream, or a cluster between two leaders.
    #[error("{0}: nobody answers")]
    NobodyAnswers(String),
    /// No answer, or none that can be read.
    #[error("{0}")]
    Failed(String),
}

impl ApiError {
    /// Whether the server refused with this code.
    pub fn is(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.error_code() == code)
    }
}

impl From<ApiError> for Unavailable {
    fn from(error: ApiError) -> Self {
        Self::new("nats", error)
    }
}

/// What `STREAM.INFO`, `.CREATE` and `.UPDATE` answer.
#[derive(Debug, Deserialize)]
pub struct StreamInfo {
    /// When the stream was made, in the server's spelling.
    pub created: String,
    /// How it is kept.
    pub config: Value,
    /// What is in it.
    pub state: StreamState,
    /// How many subjects there are, when they were asked for.
    #[serde(default)]
    pub total: usize,
}

/// What is in a stream.
#[derive(Debug, Deserialize)]
pub struct StreamState {
    /// How many messages.
    pub messages: u64,
    /// The oldest one's sequence; means nothing when there is none.
    pub first_seq: Seq,
    /// The sequence given last.
    pub last_seq: Seq,
    /// When that was.
    pub last_ts: String,
    /// A page of the subjects with their numbers of messages, when they were asked for.
    #[serde(default)]
    pub subjects: Option<std::collections::HashMap<String, u64>>,
}

#[derive(Deserialize)]
struct Got {
    message: RawMessage,
}

/// Under which subjects JetStream is asked in the account that has it.
pub const OWN: &str = "$JS.API";

/// Asks `$JS.API.<what>`.
pub async fn ask<T: DeserializeOwned>(
    client: &Client,
    what: &str,
    question: &impl Serialize,
    deadline: Duration,
) -> Result<T, ApiError> {
    ask_at(client, OWN, what, question, deadline).await
}

/// Asks `<api>.<what>`.
pub async fn ask_at<T: DeserializeOwned>(
    client: &Client,
    api: &str,
    what: &str,
    question: &impl Serialize,
    deadline: Duration,
) -> Result<T, ApiError> {
    let failed = |why: &dyn std::fmt::Display| ApiError::Failed(format!("{what}: {why}"));
    let payload = serde_json::to_vec(question).map_err(|error| failed(&error))?;
    let request = Request::new().payload(payload.into()).timeout(None);
    // The deadline is over sending too: a client whose connection hangs takes no more requests at some point.
    let answer = tokio::time::timeout(deadline, client.send_request(format!("{api}.{what}"), request))
        .await
        .map_err(|_| failed(&format_args!("no answer within {} ms", deadline.as_millis())))?
        .map_err(|error| match error.kind() {
            RequestErrorKind::NoResponders => ApiError::NobodyAnswers(what.to_owned()),
            _ => failed(&error),
        })?;
    match serde_json::from_slice(&answer.payload).map_err(|error| failed(&error))? {
        Response::Err { error } => Err(ApiError::Refused(error)),
        Response::Ok(answer) => Ok(answer),
    }
}

/// A stream's state, without its subjects.
pub async fn stream_info(client: &Client, stream: &str) -> Result<StreamInfo, ApiError> {
    ask(client, &format!("STREAM.INFO.{stream}"), &json!({}), DEADLINE).await
}

/// Which message of a stream.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    /// The newest on subjects that match.
    Last(&'a str),
    /// The first on subjects that match, at or after a sequence.
    Next(&'a str, Seq),
}

/// One message, from the stream's leader: a replica that answers direct requests may lag behind.
pub async fn message(
    client: &Client,
    stream: &str,
    which: Which<'_>,
) -> Result<Option<StreamMessage>, ApiError> {
    message_at(client, OWN, stream, which).await
}

/// The same, asked under other subjects.
pub async fn message_at(
    client: &Client,
    api: &str,
    stream: &str,
    which: Which<'_>,
) -> Result<Option<StreamMessage>, ApiError> {
    let question = match which {
        Which::Last(filter) => json!({ "last_by_subj": filter }),
        Which::Next(filter, from) => json!({ "next_by_subj": filter, "seq": from.max(1) }),
    };
    let what = format!("STREAM.MSG.GET.{stream}");
    match ask_at::<Got>(client, api, &what, &question, DEADLINE).await {
        Ok(got) => got
            .message
            .try_into()
            .map(Some)
            .map_err(|error| ApiError::Failed(format!("{error}"))),
        Err(error) if error.is(ErrorCode::NO_MESSAGE_FOUND) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Deletes a message for good: the server overwrites it where it is kept. False if it was not there.
pub async fn erase(client: &Client, stream: &str, seq: Seq) -> Result<bool, ApiError> {
    let question = json!({ "seq": seq, "no_erase": false });
    match ask::<Value>(
        client,
        &format!("STREAM.MSG.DELETE.{stream}"),
        &question,
        DEADLINE,
    )
    .await
    {
        Ok(_) => Ok(true),
        Err(error) if error.is(ErrorCode::NO_MESSAGE_FOUND) || is_no_such_message(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The server has one code for every reason that a message cannot be deleted; its text tells them apart.
fn is_no_such_message(error: &ApiError) -> bool {
    matches!(error, ApiError::Refused(refusal)
        if refusal.error_code() == ErrorCode::STREAM_MESSAGE_DELETE_FAILED && refusal.to_string().contains("no message found"))
}
