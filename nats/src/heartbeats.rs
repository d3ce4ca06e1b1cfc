//! Heartbeats on plain subjects: nothing of them is kept anywhere.

use std::sync::Arc;

use async_nats::Subscriber;
use commands::ports::{Heartbeat, Unavailable};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::shared::Shared;
use crate::{api, subjects};

/// Some seconds of some services: who listens so late has other troubles.
const AT_ONCE: usize = 256;

/// Says it to all who listen.
pub async fn beat(shared: &Shared, heartbeat: &Heartbeat) -> Result<(), Unavailable> {
    let client = shared.ready()?;
    let unavailable = |error: &dyn std::fmt::Display| Unavailable::new("nats", error);
    let bytes = serde_json::to_vec(heartbeat).map_err(|error| unavailable(&error))?;
    timeout(
        api::DEADLINE,
        client.publish(subjects::heartbeat(heartbeat.writer), bytes.into()),
    )
    .await
    .map_err(|error| unavailable(&error))?
    .map_err(|error| unavailable(&error))
}

/// Listens from now on; while the link is down, from when it is up. The client subscribes again by itself.
pub async fn listen(shared: &Arc<Shared>) -> Result<mpsc::Receiver<Heartbeat>, Unavailable> {
    let unavailable = |error: &dyn std::fmt::Display| Unavailable::new("nats", error);
    let subscriber = timeout(api::DEADLINE, shared.client.subscribe(subjects::HEARTBEATS))
        .await
        .map_err(|error| unavailable(&error))?
        .map_err(|error| unavailable(&error))?;
    if let Ok(client) = shared.ready() {
        // The server takes one thing after the other: when it has answered this, it has taken the subscription.
        api::ask::<Value>(client, "INFO", &json!({}), api::DEADLINE).await?;
    }
    let (sender, heartbeats) = mpsc::channel(AT_ONCE);
    shared.tasks.spawn(hear(shared.clone(), subscriber, sender));
    Ok(heartbeats)
}

async fn hear(shared: Arc<Shared>, mut subscriber: Subscriber, heartbeats: mpsc::Sender<Heartbeat>) {
    let hearing = async {
        while let Some(message) = subscriber.next().await {
            match serde_json::from_slice(&message.payload) {
                Ok(heartbeat) => {
                    if heartbeats.send(heartbeat).await.is_err() {
                        return;
                    }
                }
                Err(error) => {
                    tracing::warn!(subject = %message.subject, %error, "a heartbeat that cannot be read");
                }
            }
        }
    };
    tokio::select! {
        () = hearing => {}
        () = shared.closed.cancelled() => {}
        () = heartbeats.closed() => {}
    }
}
