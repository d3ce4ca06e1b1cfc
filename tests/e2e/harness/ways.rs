//! A service's own ways to the servers, which a test may break while others keep theirs.

use testkit::proxy::Proxy;
use testkit::services::Nats;

use super::{Service, World};

/// The ways of one service to the servers.
pub struct Ways {
    /// To each node.
    pub nats: Vec<Proxy>,
    /// To Valkey.
    pub valkey: Proxy,
    /// To Postgres.
    pub postgres: Proxy,
}

impl Ways {
    /// Opens them.
    pub async fn of(world: &World) -> Self {
        let mut nats = Vec::new();
        for node in nodes(world) {
            nats.push(Proxy::to_url(&node).await.expect("a port"));
        }
        let [valkey, postgres] = stores(world);
        Self {
            nats,
            valkey: Proxy::to_url(&valkey).await.expect("a port"),
            postgres: Proxy::to_url(&postgres).await.expect("a port"),
        }
    }

    /// Starts a service that has no others; returns when it is ready.
    pub async fn start(&self, world: &World) -> Service {
        let nodes = nodes(world).into_iter().zip(&self.nats);
        let nats: Vec<String> = nodes.map(|(node, way)| way.url(&node)).collect();
        let [valkey, postgres] = stores(world);
        let flags = [
            format!("--nats-url={}", nats.join(",")),
            format!("--valkey-url={}", self.valkey.url(&valkey)),
            format!("--database-url={}", self.postgres.url(&postgres)),
        ];
        world.start_with(&flags.each_ref().map(String::as_str)).await
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Proxy> {
        self.nats.iter().chain([&self.valkey, &self.postgres])
    }
}

/// The URL of each NATS server.
fn nodes(world: &World) -> Vec<String> {
    match &world.cluster {
        Some(cluster) => cluster.nodes().iter().map(Nats::url).collect(),
        None => world.nats.iter().map(Nats::url).collect(),
    }
}

fn stores(world: &World) -> [String; 2] {
    [
        world.valkey.as_ref().expect("it has Valkey").url(),
        world.postgres.as_ref().expect("it has Postgres").url(),
    ]
}
