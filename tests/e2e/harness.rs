//! What the stories are told with: a world to run services in, and clients of each kind.
//!
//! Clients know the protocol as its documents tell it: JSON in, JSON out, none of the service's types. They retry
//! nothing; a wait that takes longer than [`PATIENCE`] fails with what was seen until then.

use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::{Instant, sleep};

pub mod contents;
pub mod events;
pub mod figures;
pub mod inside;
pub mod json;
pub mod log_check;
pub mod operator;
pub mod player;
pub mod seen;
pub mod service;
pub mod socket;
pub mod stores;
pub mod turns;
pub mod vectors;
pub mod ways;
pub mod world;

pub use events::Events;
pub use inside::pass;
pub use player::{Invite, Player, Problem};
pub use seen::Seen;
pub use service::Service;
pub use socket::Socket;
pub use ways::Ways;
pub use world::World;

/// How long anything may take that a test waits for.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Makes each story, an `async fn(World)` of the module, a test on every backend.
macro_rules! on_every_backend {
    ($($story:ident),+ $(,)?) => {
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                Box::pin(super::$story($crate::harness::World::embedded().await)).await;
            })+
        }

        mod servers {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                Box::pin(super::$story($crate::harness::World::servers().await)).await;
            })+
        }
    };
}

/// Asks every 20 ms until there is an answer.
pub async fn eventually<T>(what: &str, ask: impl AsyncFnMut() -> Option<T>) -> T {
    eventually_within(PATIENCE, what, ask).await
}

/// The same with another patience.
pub async fn eventually_within<T>(
    patience: Duration,
    what: &str,
    mut ask: impl AsyncFnMut() -> Option<T>,
) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "not within {patience:?}: {what}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// The HTTP client of all players. Every request has a connection of its own: one that was kept would fail when the
/// service at its other end has been killed, and the failure would be told of the request.
pub fn http() -> &'static reqwest::Client {
    static CLIENT: OnceLock<reqwest::Client> = OnceLock::new();
    CLIENT.get_or_init(|| {
        reqwest::Client::builder()
            .no_proxy()
            .pool_max_idle_per_host(0)
            .build()
            .expect("a client needs nothing from outside")
    })
}
