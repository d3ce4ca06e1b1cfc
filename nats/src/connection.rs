//! The connection: made in the background, checked each time it stands.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::{Client, ConnectOptions, Event, Server, ServerAddr, ServerError};
use commands::lifeline::Lifeline;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address;
use crate::api::{self, ApiError};
use crate::config::{Credentials, NatsConfig, Tls};
use crate::denied::Denied;
use crate::link::LinkState;
use crate::requirements::{self, Unfit};
use crate::shared::Shared;
use crate::streams::{self, Definition};

/// A silent connection is asked for a sign of life this often; the third without one ends it. Nothing else notices a
/// server that hangs.
const PING_INTERVAL: Duration = Duration::from_secs(1);
/// What a server has to greet us within.
const GREETING: Duration = Duration::from_secs(2);
/// How long a start waits to learn whether the server is fit. It is not an error if it does not.
const START: Duration = Duration::from_secs(2);
/// Between two looks at a server that could not be made ready.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
const LONGEST_RECONNECT_DELAY_MS: u64 = 200;

/// Why there is nothing to wait for.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The server answers, and can never hold the log.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// What was configured makes no sense.
    #[error("the configuration of NATS: {0}")]
    Config(String),
    /// It cannot be reached, and was not to be waited for.
    #[error("NATS cannot be reached: {0}")]
    Away(String),
}

/// What the first moments told.
#[derive(Debug, Clone, PartialEq, Eq)]
enum First {
    /// Nothing yet.
    Open,
    /// The server is away; the client goes on trying.
    Away,
    /// The link was up.
    Up,
    /// The server can never hold the log.
    Unfit(Unfit),
}

/// Starts to connect, and waits for at most two seconds for what comes of it.
pub async fn connect(config: &NatsConfig) -> Result<Arc<Shared>, ConnectError> {
    let link = Arc::new(LinkState::new());
    let denied = Arc::new(Denied::default());
    let first = watch::Sender::new(First::Open);
    let told = Arc::new(Told::default());
    let listener = listener(link.clone(), denied.clone(), first.clone(), told.clone());
    let client = options(config)
        .await?
        .retry_on_initial_connect()
        .event_callback(move |event| {
            listener(event);
            std::future::ready(())
        })
        .reconnect_to_server_callback(move |servers, _| {
            told.failures(&servers);
            // Which of them is next is the client's choice.
            std::future::ready(None)
        })
        .connect(servers(config)?)
        .await
        .map_err(|error| ConnectError::Config(error.to_string()))?;
    let shared = Arc::new(Shared {
        client,
        link,
        denied,
        tasks: TaskTracker::new(),
        closed: CancellationToken::new(),
        lifeline: Lifeline::default(),
    });
    let mut told = first.subscribe();
    let keeping = keep_ready(shared.clone(), streams::definitions(config), first);
    shared
        .tasks
        .spawn(shared.lifeline.clone().hold(shared.closed.clone(), keeping));
    match tokio::time::timeout(START, told.wait_for(|first| *first != First::Open)).await {
        Ok(Ok(first)) => match &*first {
            First::Unfit(unfit) => {
                shared.closed.cancel();
                Err(ConnectError::Unfit(unfit.clone()))
            }
            First::Open | First::Away | First::Up => Ok(shared.clone()),
        },
        Ok(Err(_)) | Err(_) => Ok(shared.clone()),
    }
}

/// Where the servers are.
pub fn servers(config: &NatsConfig) -> Result<Vec<ServerAddr>, ConnectError> {
    Ok(address::parse(&config.url)?.0)
}

/// How they are connected to, and who we are.
pub async fn options(config: &NatsConfig) -> Result<ConnectOptions, ConnectError> {
    let (_, own) = address::parse(&config.url)?;
    let mut options = ConnectOptions::new()
        .name("turnstream")
        .ping_interval(PING_INTERVAL)
        .connection_timeout(GREETING)
        .reconnect_delay_callback(|attempt| {
            Duration::from_millis((10 * attempt as u64).min(LONGEST_RECONNECT_DELAY_MS))
        });
    if let Some(Tls {
        authorities,
        identity,
    }) = &config.tls
    {
        options = options.require_tls(true);
        if let Some(path) = authorities {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = identity {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
    }
    Ok(match config.credentials.clone().or(own) {
        None => options,
        Some(Credentials::Password { user, password }) => options.user_and_password(user, password),
        Some(Credentials::Token(token)) => options.token(token),
        Some(Credentials::File(path)) => options
            .credentials_file(&path)
            .await
            .map_err(|error| ConnectError::Config(format!("{}: {error}", path.display())))?,
    })
}

/// What is told of the connection. The client tries several times a second: only what is new is worth a line.
#[derive(Debug, Default)]
pub struct Told(Mutex<String>);

impl Told {
    pub fn well(&self, text: &str) {
        if self.is_new(text) {
            tracing::info!("NATS: {text}");
        }
    }

    pub fn trouble(&self, text: &str) {
        if self.is_new(text) {
            tracing::warn!("NATS: {text}");
        }
    }

    fn is_new(&self, text: &str) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = *last != text;
        if is_new {
            text.clone_into(&mut last);
        }
        is_new
    }

    /// Why servers could not be reached. The client's own event of it leaves the cause out: that somebody unknown vouches
    /// for the server, say.
    pub fn failures(&self, servers: &[Server]) {
        let failures: Vec<String> = servers
            .iter()
            .filter_map(|server| Some(format!("{server}: {}", server.last_error.as_ref()?)))
            .collect();
        if !failures.is_empty() {
            self.trouble(&failures.join("; "));
        }
    }
}

/// What each event of the client does. It must not wait: events that nobody takes are dropped.
fn listener(
    link: Arc<LinkState>,
    denied: Arc<Denied>,
    first: watch::Sender<First>,
    told: Arc<Told>,
) -> impl Fn(Event) + Send + Sync + 'static {
    move |event| match event {
        Event::Connected => {
            told.well("connected");
            link.connected();
        }
        Event::Disconnected | Event::Closed => {
            link.disconnected();
            told.trouble("disconnected");
        }
        Event::ServerError(error) => {
            let complaint = complaint(&error);
            denied.note(&complaint);
            told.trouble(&complaint);
        }
        // An attempt to connect has failed: why is told before the next one.
        Event::ClientError(_) => {
            first.send_if_modified(|first| {
                *first == First::Open && {
                    *first = First::Away;
                    true
                }
            });
        }
        Event::SlowConsumer(_) | Event::LameDuckMode | Event::Draining => {
            tracing::info!(%event, "NATS");
        }
    }
}

/// What the server said, without the client's words around it.
pub fn complaint(error: &ServerError) -> String {
    match error {
        ServerError::Other(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Checks every connection, and raises the link of each that passes.
async fn keep_ready(shared: Arc<Shared>, definitions: Vec<Definition>, first: watch::Sender<First>) {
    let mut connections = shared.link.connections();
    let mut trouble = String::new();
    loop {
        let connection = *connections.borrow_and_update();
        let mut pause = None;
        if let Some(number) = connection {
            match make_ready(&shared.client, &definitions).await {
                Ok(()) if shared.link.ready(number) => {
                    trouble.clear();
                    tracing::info!(connection = number, "the event log is up");
                    first.send_replace(First::Up);
                }
                Ok(()) => {}
                Err(error) => {
                    if let NotReady::Unfit(unfit) = &error {
                        first.send_replace(First::Unfit(unfit.clone()));
                    }
                    let text = error.to_string();
                    if text != trouble {
                        tracing::error!(reason = text, "the event log stays down");
                        trouble = text;
                    }
                    pause = Some(LOOK_AGAIN);
                }
            }
        }
        let again = async {
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.closed.cancelled() => return,
            changed = connections.changed() => if changed.is_err() { return },
            () = again => {}
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum NotReady {
    #[error(transparent)]
    Unfit(#[from] Unfit),
    #[error(transparent)]
    Api(#[from] ApiError),
}

async fn make_ready(client: &Client, definitions: &[Definition]) -> Result<(), NotReady> {
    // The client tells of a connection before it knows the server's greeting. When it has carried a question to the
    // server and back, whatever the answer, it does: only then does `server_info` speak of this server, not the last.
    let account: Result<Value, _> = api::ask(client, "INFO", &json!({}), api::DEADLINE).await;
    if let Err(error @ ApiError::Failed(_)) = account {
        return Err(error.into());
    }
    let info = client.server_info();
    requirements::check(&info.version, info.jetstream, info.max_payload)?;
    match account {
        Err(error) if error.is(ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT) => {
            return Err(Unfit::NoJetStream.into());
        }
        other => other.map(|_| ())?,
    }
    for definition in definitions {
        streams::apply(client, definition).await?;
    }
    Ok(())
}
