//! Appending one message behind a game's newest, and what each answer of the server means.

use std::time::Duration;

use async_nats::jetstream::response::Response;
use async_nats::jetstream::{Error as Refusal, ErrorCode};
use async_nats::{Client, HeaderMap, Message, Request, RequestError, RequestErrorKind, header};
use commands::ports::{AppendError, Outgoing};
use contract::Seq;
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use crate::requirements::SMALLEST_MAX_PAYLOAD;
use crate::shared::Shared;
use crate::{api, subjects};

/// The largest event that is taken, in bytes. What is left of the server's limit is for headers: of the append, and of
/// the dead letter that an event may become.
pub const LARGEST_EVENT: usize = SMALLEST_MAX_PAYLOAD - 64 * 1024;

/// Sending and the answer together.
const DEADLINE: Duration = Duration::from_secs(1);

/// Of which subjects the newest message must have the expected sequence; without it: of the message's own.
const EXPECTED_OF: &str = "Nats-Expected-Last-Subject-Sequence-Subject";

#[derive(Debug, Deserialize)]
struct Acknowledged {
    stream: String,
    seq: Seq,
}

/// See [`EventLog::append`](commands::ports::EventLog::append).
pub async fn append(shared: &Shared, message: &Outgoing, expected: Seq) -> Result<Seq, AppendError> {
    let length = message.bytes.len();
    if length > LARGEST_EVENT {
        return Err(AppendError::Permanent(format!(
            "{length} bytes are more than {LARGEST_EVENT}"
        )));
    }
    let client = shared
        .ready()
        .map_err(|error| AppendError::Unknown(error.to_string()))?;
    let deadline = Instant::now() + DEADLINE;
    let subject = subjects::event(message.key, message.name);
    let request = Request::new()
        .headers(expectation(message, expected))
        .payload(message.bytes.clone())
        .timeout(None);
    match timeout_at(deadline, client.send_request(subject.clone(), request)).await {
        Ok(Ok(answer)) => acknowledged(&answer),
        Ok(Err(error)) => Err(unanswered(client, deadline, &error).await),
        Err(_) if shared.denied.take(&subject) => Err(AppendError::Permanent(format!(
            "no permission to publish to {subject}"
        ))),
        Err(_) => Err(AppendError::Unknown(format!(
            "no answer within {} ms",
            DEADLINE.as_millis()
        ))),
    }
}

fn expectation(message: &Outgoing, expected: Seq) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::NATS_EXPECTED_STREAM, subjects::GAMES_STREAM);
    headers.insert(header::NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, expected.to_string());
    headers.insert(EXPECTED_OF, subjects::game(message.key));
    headers
}

fn acknowledged(answer: &Message) -> Result<Seq, AppendError> {
    match serde_json::from_slice(&answer.payload) {
        Ok(Response::Ok(Acknowledged { stream, seq })) if stream == subjects::GAMES_STREAM => Ok(seq),
        Ok(Response::Ok(Acknowledged { stream, .. })) => {
            Err(AppendError::Permanent(format!("stream {stream} took it")))
        }
        Ok(Response::Err { error }) => Err(refused(&error)),
        Err(error) => Err(AppendError::Unknown(format!("an answer that is none: {error}"))),
    }
}

/// By the server's code, never by the client's idea of it. A code that is not known to be final may change with time.
fn refused(refusal: &Refusal) -> AppendError {
    const FINAL: [ErrorCode; 4] = [
        ErrorCode::STREAM_MESSAGE_EXCEEDS_MAXIMUM,
        ErrorCode::STREAM_HEADER_EXCEEDS_MAXIMUM,
        ErrorCode::STREAM_NOT_FOUND,
        ErrorCode::STREAM_NOT_MATCH,
    ];
    /// A wrong last sequence, in the spellings of the servers that know the expectation.
    const EXPECTATION: [u64; 3] = [10071, 10158, 10164];
    if FINAL.contains(&refusal.error_code()) {
        AppendError::Permanent(refusal.to_string())
    } else if EXPECTATION.contains(&refusal.error_code().0) {
        AppendError::Refused(refusal.to_string())
    } else {
        AppendError::Unknown(refusal.to_string())
    }
}

async fn unanswered(client: &Client, deadline: Instant, error: &RequestError) -> AppendError {
    match error.kind() {
        RequestErrorKind::MaxPayloadExceeded | RequestErrorKind::InvalidSubject => {
            AppendError::Permanent(error.to_string())
        }
        RequestErrorKind::NoResponders => no_stream_response(client, deadline).await,
        _ => AppendError::Unknown(error.to_string()),
    }
}

/// No stream takes the subject: there is none, or its cluster is between two leaders, which passes.
async fn no_stream_response(client: &Client, deadline: Instant) -> AppendError {
    match timeout_at(deadline, api::stream_info(client, subjects::GAMES_STREAM)).await {
        Ok(Err(error)) if error.is(ErrorCode::STREAM_NOT_FOUND) => AppendError::Permanent(error.to_string()),
        _ => AppendError::Unknown("no stream answers".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: u64) -> Refusal {
        serde_json::from_value(serde_json::json!({ "code": 400, "err_code": code, "description": "no" }))
            .expect("it is what the server sends")
    }

    #[test]
    fn only_what_no_time_can_change_is_permanent() {
        for code in [10054, 10059, 10060, 10097] {
            assert!(
                matches!(refused(&refusal(code)), AppendError::Permanent(_)),
                "{code}"
            );
        }
        for code in [10071, 10158, 10164] {
            assert!(
                matches!(refused(&refusal(code)), AppendError::Refused(_)),
                "{code}"
            );
        }
        // No space, no leader, and one that no version knows.
        for code in [10047, 10077, 10008, 99_999] {
            assert!(
                matches!(refused(&refusal(code)), AppendError::Unknown(_)),
                "{code}"
            );
        }
    }
}
