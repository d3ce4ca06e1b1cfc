//! A cursor: an ephemeral consumer of the server's, and a task that pulls from it ahead of its reader.
//!
//! It ends with the connection it was made on, since a consumer can fall silent after an outage without an error.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::consumer::pull::{Config, Stream};
use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, ReplayPolicy};
use async_trait::async_trait;
use commands::ports::{Link, LogEntry, Unavailable};
use contract::Seq;
use futures::StreamExt;
use projections::ports::LogCursor;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout, timeout_at};

use crate::api;
use crate::shared::Shared;
use crate::subjects::{self, GAMES_STREAM};

/// Messages read ahead, twice: here and in the client.
const AHEAD: usize = 512;
/// The server says that it is there this often when it has no message; missing it twice is an error.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);
/// When the server removes a consumer whose process is gone. A dropped cursor removes its own at once.
const ABANDONED: Duration = Duration::from_secs(10);

/// A place in the log.
#[derive(Debug)]
pub struct Cursor {
    entries: mpsc::Receiver<Result<Delivered, Unavailable>>,
    passed: Seq,
    failed: Option<Unavailable>,
}

/// A message that came.
#[derive(Debug)]
enum Delivered {
    /// An event.
    Entry(LogEntry),
    /// One of a kind that only newer code knows, at this sequence.
    Unknown(Seq),
}

impl Delivered {
    fn seq(&self) -> Seq {
        match self {
            Self::Entry(entry) => entry.seq,
            Self::Unknown(seq) => *seq,
        }
    }
}

impl Cursor {
    /// A cursor over the messages above `after` on subjects that match one of `filters` (none: all).
    pub async fn open(shared: &Arc<Shared>, after: Seq, filters: Vec<String>) -> Result<Self, Unavailable> {
        let link = shared.link.watch();
        let messages = timeout(2 * api::DEADLINE, pull(shared, after, filters))
            .await
            .map_err(|_| Unavailable::new("nats", "no consumer in time"))??;
        let (sender, entries) = mpsc::channel(AHEAD);
        shared
            .tasks
            .spawn(run(shared.clone(), messages, after, link, sender));
        Ok(Self {
            entries,
            passed: after,
            failed: None,
        })
    }
}

impl Cursor {
    fn take(&mut self, received: Vec<Result<Delivered, Unavailable>>, entries: &mut Vec<LogEntry>) {
        for outcome in received {
            match outcome {
                Ok(delivered) => {
                    self.passed = delivered.seq();
                    if let Delivered::Entry(entry) = delivered {
                        entries.push(entry);
                    }
                }
                Err(error) => self.failed = Some(error),
            }
        }
    }
}

#[async_trait]
impl LogCursor for Cursor {
    async fn next(&mut self, max: usize, wait_ms: u64) -> Result<Vec<LogEntry>, Unavailable> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let deadline = Instant::now() + Duration::from_millis(wait_ms);
        let mut entries = Vec::new();
        while entries.is_empty() && self.failed.is_none() {
            let mut received = Vec::new();
            // Giving this up loses nothing: what was not returned is still in the channel.
            match timeout_at(deadline, self.entries.recv_many(&mut received, max)).await {
                Ok(0) if max > 0 => self.failed = Some(Unavailable::new("nats", "the cursor has ended")),
                Ok(0) | Err(_) => break,
                Ok(_) => self.take(received, &mut entries),
            }
        }
        match &self.failed {
            Some(error) if entries.is_empty() => Err(error.clone()),
            _ => Ok(entries),
        }
    }

    fn passed(&self) -> Seq {
        self.passed
    }
}

struct Pulled {
    consumer: String,
    messages: Stream,
}

async fn pull(shared: &Shared, after: Seq, filters: Vec<String>) -> Result<Pulled, Unavailable> {
    let unavailable = |error: &dyn std::fmt::Display| Unavailable::new("nats", error);
    let context = jetstream::context::ContextBuilder::new()
        .timeout(api::DEADLINE)
        .build(shared.ready()?.clone());
    let consumer: Consumer<Config> = context
        .create_consumer_on_stream(config(after, filters), GAMES_STREAM)
        .await
        .map_err(|error| unavailable(&error))?;
    let messages = consumer
        .stream()
        .max_messages_per_batch(AHEAD)
        .heartbeat(SIGN_OF_LIFE)
        .messages()
        .await
        .map_err(|error| unavailable(&error))?;
    Ok(Pulled {
        consumer: consumer.cached_info().name.clone(),
        messages,
    })
}

fn config(after: Seq, filter_subjects: Vec<String>) -> Config {
    Config {
        deliver_policy: DeliverPolicy::ByStartSequence {
            start_sequence: after.saturating_add(1),
        },
        ack_policy: AckPolicy::None,
        replay_policy: ReplayPolicy::Instant,
        filter_subjects,
        inactive_threshold: ABANDONED,
        num_replicas: 1,
        memory_storage: true,
        ..Config::default()
    }
}

/// Forwards until the reader is gone, the log is closed, or something fails; then removes the consumer.
async fn run(
    shared: Arc<Shared>,
    pulled: Pulled,
    after: Seq,
    link: watch::Receiver<Link>,
    entries: mpsc::Sender<Result<Delivered, Unavailable>>,
) {
    let Pulled { consumer, messages } = pulled;
    let failure = tokio::select! {
        error = forward(messages, after, link, &entries) => error,
        () = shared.closed.cancelled() => Some(Unavailable::new("nats", "closed")),
        () = entries.closed() => None,
    };
    remove(&shared, &consumer).await;
    if let Some(error) = failure {
        // If the reader is gone nobody needs to know.
        let _ = entries.send(Err(error)).await;
    }
}

/// `None` if the reader went away.
async fn forward(
    mut messages: Stream,
    after: Seq,
    mut link: watch::Receiver<Link>,
    entries: &mpsc::Sender<Result<Delivered, Unavailable>>,
) -> Option<Unavailable> {
    let opened_on = *link.borrow_and_update();
    let mut count = 0;
    loop {
        let message = tokio::select! {
            lost = link.wait_for(|link| *link != opened_on) => {
                drop(lost);
                return Some(Unavailable::new("nats", "the connection was lost"));
            }
            message = messages.next() => message,
        };
        let message = match message {
            None => return Some(Unavailable::new("nats", "the consumer has ended")),
            Some(Err(error)) => return Some(Unavailable::new("nats", error)),
            Some(Ok(message)) => match read(&message, count) {
                Ok(message) => message,
                Err(error) => return Some(error),
            },
        };
        count += 1;
        // The server lets a consumer that starts behind the log's end start at the end.
        if message.seq() > after && entries.send(Ok(message)).await.is_err() {
            return None;
        }
    }
}

/// A delivered message, after so many others.
fn read(message: &jetstream::Message, count: u64) -> Result<Delivered, Unavailable> {
    let info = message.info().map_err(|error| Unavailable::new("nats", error))?;
    if info.consumer_sequence != count + 1 {
        let (seq, number) = (info.stream_sequence, info.consumer_sequence);
        let why = format_args!(
            "message {seq} is number {number} of its consumer, not {}",
            count + 1
        )
        .to_string();
        return Err(Unavailable::new("nats", why));
    }
    let seq = info.stream_sequence;
    let Some((key, name)) = subjects::parse_event(&message.subject) else {
        tracing::warn!(seq, subject = %message.subject, "not an event of a known kind, passed over");
        return Ok(Delivered::Unknown(seq));
    };
    Ok(Delivered::Entry(LogEntry {
        seq,
        key,
        name: name.to_owned(),
        bytes: message.payload.clone(),
    }))
}

async fn remove(shared: &Shared, consumer: &str) {
    // Not while disconnected: then the server finds out by itself.
    let Ok(client) = shared.ready() else { return };
    let what = format!("CONSUMER.DELETE.{GAMES_STREAM}.{consumer}");
    if let Err(error) = api::ask::<Value>(client, &what, &json!({}), api::DEADLINE).await {
        tracing::debug!(consumer, %error, "left to the server to remove");
    }
}
