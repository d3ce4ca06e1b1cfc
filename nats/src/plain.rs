//! What is said on plain subjects, heartbeats and counts of spectators: nothing of it is kept anywhere.

use std::sync::Arc;

use async_nats::Subscriber;
use commands::ports::Unavailable;
use futures::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::api;
use crate::shared::Shared;

/// Some seconds of some services, or one of many games: who listens so late has other troubles.
const AT_ONCE: usize = 1024;

/// Says it to all who listen.
pub async fn say(shared: &Shared, subject: String, what: &impl Serialize) -> Result<(), Unavailable> {
    let client = shared.ready()?;
    let unavailable = |error: &dyn std::fmt::Display| Unavailable::new("nats", error);
    let bytes = serde_json::to_vec(what).map_err(|error| unavailable(&error))?;
    timeout(api::DEADLINE, client.publish(subject, bytes.into()))
        .await
        .map_err(|error| unavailable(&error))?
        .map_err(|error| unavailable(&error))
}

/// Listens from now on; while the link is down, from when it is up. The client subscribes again by itself.
pub async fn listen<T: DeserializeOwned + Send + 'static>(
    shared: &Arc<Shared>,
    subjects: &'static str,
) -> Result<mpsc::Receiver<T>, Unavailable> {
    let unavailable = |error: &dyn std::fmt::Display| Unavailable::new("nats", error);
    let subscriber = timeout(api::DEADLINE, shared.client.subscribe(subjects))
        .await
        .map_err(|error| unavailable(&error))?
        .map_err(|error| unavailable(&error))?;
    if let Ok(client) = shared.ready() {
        // The server takes one thing after the other: when it has answered this, it has taken the subscription.
        api::ask::<Value>(client, "INFO", &json!({}), api::DEADLINE).await?;
    }
    let (sender, said) = mpsc::channel(AT_ONCE);
    shared.tasks.spawn(hear(shared.clone(), subscriber, sender));
    Ok(said)
}

async fn hear<T: DeserializeOwned>(shared: Arc<Shared>, mut subscriber: Subscriber, heard: mpsc::Sender<T>) {
    let hearing = async {
        while let Some(message) = subscriber.next().await {
            match serde_json::from_slice(&message.payload) {
                Ok(said) => {
                    if heard.send(said).await.is_err() {
                        return;
                    }
                }
                Err(error) => {
                    tracing::warn!(subject = %message.subject, %error, "a message that cannot be read");
                }
            }
        }
    };
    tokio::select! {
        () = hearing => {}
        () = shared.closed.cancelled() => {}
        () = heard.closed() => {}
    }
}
