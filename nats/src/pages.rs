//! [`NatsPages`]: the log for those who only read it, by requests that leave nothing behind and need no rights but to
//! read. Nothing is applied to the server, and nothing is asked of its version.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_nats::connection::State;
use async_nats::jetstream::message::StreamMessage;
use async_nats::{Client, Event};
use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::{LogInfo, Unavailable};
use contract::event::{format_time, parse_time};
use contract::{Millis, Seq};
use projections::ports::{LogPages, PAGE_BYTES, RawEntry, Wanted};
use serde_json::json;

use crate::api::{self, StreamInfo, Which};
use crate::config::NatsConfig;
use crate::connection::{self, ConnectError, Told};
use crate::denied::Denied;
use crate::direct::{self, Batch, From};
use crate::log;
use crate::subjects::{self, GAMES_STREAM};

/// The log, only read.
pub struct NatsPages {
    client: Client,
    api: String,
    connections: Arc<AtomicU64>,
    denied: Arc<Denied>,
}

impl NatsPages {
    /// Connects once; later it connects again by itself. `domain` is what the account calls the API of the log's account:
    /// none where it is the same account.
    ///
    /// # Errors
    /// The server cannot be reached now, does not let us in, or the configuration makes no sense.
    pub async fn connect(config: &NatsConfig, domain: Option<&str>) -> Result<Self, ConnectError> {
        let (connections, denied) = (Arc::new(AtomicU64::new(0)), Arc::new(Denied::default()));
        let told = Arc::new(Told::default());
        let (counted, noted, heard) = (connections.clone(), denied.clone(), told.clone());
        let options = connection::options(config).await?;
        let client = options
            .event_callback(move |event| {
                match event {
                    Event::Connected => {
                        counted.fetch_add(1, Ordering::SeqCst);
                        heard.well("connected");
                    }
                    Event::Disconnected => heard.trouble("disconnected"),
                    Event::ServerError(error) => {
                        noted.note(&connection::complaint(&error));
                    }
                    _ => {}
                }
                std::future::ready(())
            })
            .reconnect_to_server_callback(move |servers, _| {
                told.failures(&servers);
                std::future::ready(None)
            })
            .connect(connection::servers(config)?)
            .await
            .map_err(|error| ConnectError::Away(error.to_string()))?;
        Ok(Self {
            client,
            api: domain.map_or(api::OWN.to_owned(), |domain| format!("$JS.{domain}.API")),
            connections,
            denied,
        })
    }

    /// The client, while it has a connection: what it is given without one it would send later.
    fn ready(&self) -> Result<&Client, Unavailable> {
        if self.client.connection_state() == State::Connected {
            Ok(&self.client)
        } else {
            Err(Unavailable::new("nats", "not connected"))
        }
    }

    /// What a failure is, if the server has said that we may not ask.
    fn told(&self, what: &str, error: Unavailable) -> Unavailable {
        let subject = format!("{}.{what}", self.api);
        if self.denied.take(&subject) {
            Unavailable::new("nats", format_args!("no permission to publish to {subject}"))
        } else {
            error
        }
    }

    async fn stream_info(&self) -> Result<StreamInfo, Unavailable> {
        let what = format!("STREAM.INFO.{GAMES_STREAM}");
        let asked = api::ask_at(self.ready()?, &self.api, &what, &json!({}), api::DEADLINE).await;
        asked.map_err(|error| self.told(&what, error.into()))
    }

    async fn batch(&self, batch: &Batch<'_>) -> Result<Vec<direct::Stored>, Unavailable> {
        let read = direct::read(self.ready()?, &self.api, batch).await;
        let what = format!("DIRECT.GET.{GAMES_STREAM}");
        Ok(read.map_err(|error| self.told(&what, error))?.messages)
    }

    /// The next message as the leader has it: a replica may not have it yet.
    async fn next(&self, filter: &str, from: Seq) -> Result<Option<RawEntry>, Unavailable> {
        let which = Which::Next(filter, from);
        let next = api::message_at(self.ready()?, &self.api, GAMES_STREAM, which).await;
        let what = format!("STREAM.MSG.GET.{GAMES_STREAM}");
        let next = next.map_err(|error| self.told(&what, error.into()))?;
        Ok(next.map(
            |StreamMessage {
                 subject,
                 sequence,
                 payload,
                 ..
             }| entry(&subject, sequence, payload),
        ))
    }
}

#[async_trait]
impl LogPages for NatsPages {
    async fn info(&self) -> Result<LogInfo, Unavailable> {
        Ok(log::of_stream(&self.stream_info().await?))
    }

    async fn page(&self, from: Seq, wanted: &Wanted, max: usize) -> Result<Vec<RawEntry>, Unavailable> {
        let filter = subjects::wanted(wanted);
        let batch = Batch {
            filter: &filter,
            from: From::Seq(from),
            most: max,
            most_bytes: Some(PAGE_BYTES),
        };
        let page = self.batch(&batch).await?.into_iter();
        let page: Vec<RawEntry> = page
            .map(|stored| entry(&stored.subject, stored.seq, stored.bytes))
            .collect();
        if page.is_empty() {
            return Ok(self.next(&filter, from).await?.into_iter().collect());
        }
        Ok(page)
    }

    /// By the times at which the server stored the messages, which are never before those at which they were written.
    async fn at(&self, time: Millis) -> Result<Seq, Unavailable> {
        let filter = subjects::wanted(&Wanted::default());
        let time_text = format_time(time);
        let batch = Batch {
            filter: &filter,
            from: From::Time(&time_text),
            most: 1,
            most_bytes: None,
        };
        if let Some(first) = self.batch(&batch).await?.first() {
            return Ok(first.seq);
        }
        let state = self.stream_info().await?.state;
        match parse_time(&state.last_ts) {
            Some(last) if last >= time && state.messages > 0 => Err(Unavailable::new(
                "nats",
                "a replica does not have the newest messages yet",
            )),
            _ => Ok(state.last_seq + 1),
        }
    }

    fn connection(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }
}

fn entry(subject: &str, seq: Seq, bytes: Bytes) -> RawEntry {
    let mut tokens = subject.splitn(4, '.').skip(1).map(str::to_owned);
    let mut token = || tokens.next().unwrap_or_default();
    RawEntry {
        seq,
        kind: token(),
        game: token(),
        name: token(),
        bytes,
    }
}
