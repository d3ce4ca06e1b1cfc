//! Several NATS servers with one replicated log.

use std::time::Duration;

use anyhow::Context;
use futures::future::{join_all, try_join_all};
use tokio::time::{sleep, timeout};

use super::find;
use super::nats::{Nats, NatsProgram};
use super::ports;
use super::server::Program;

const DEADLINE: Duration = Duration::from_mins(1);
const ATTEMPTS: usize = 3;

/// NATS servers that know each other; each can be broken and restarted by itself.
pub struct NatsCluster {
    nodes: Vec<Nats>,
}

impl NatsCluster {
    /// Starts `size` nodes with empty stores; returns when they have a leader.
    pub async fn start(size: usize) -> anyhow::Result<Self> {
        let mut attempt = 1;
        loop {
            match Self::try_start(size).await {
                // A port may have been taken meanwhile; every node would have to learn of another one.
                Err(_) if attempt < ATTEMPTS => attempt += 1,
                other => return other,
            }
        }
    }

    /// Every node, separated by commas, as clients take it.
    pub fn url(&self) -> String {
        self.nodes.iter().map(Nats::url).collect::<Vec<_>>().join(",")
    }

    /// The nodes, in a fixed order.
    pub fn nodes(&self) -> &[Nats] {
        &self.nodes
    }

    /// Returns when every node that runs is in contact with a leader and has what the others have.
    pub async fn settle(&self) -> anyhow::Result<()> {
        let running = self.nodes.iter().filter(|node| node.pid().is_some());
        let settled = join_all(running.map(|node| async {
            while !(node.program().answers().await && node.program().healthy("js-server-only=true").await) {
                sleep(Duration::from_millis(10)).await;
            }
        }));
        timeout(DEADLINE, settled).await.with_context(|| {
            let logs: Vec<_> = self.nodes.iter().map(Nats::log).collect();
            format!(
                "the cluster does not agree on a leader; its logs:\n{}",
                logs.join("\n")
            )
        })?;
        Ok(())
    }

    async fn try_start(size: usize) -> anyhow::Result<Self> {
        let binary = find::nats().await?;
        let routes: Vec<String> = (0..size)
            .map(|_| Ok(format!("nats://127.0.0.1:{}", ports::free()?)))
            .collect::<anyhow::Result<_>>()?;
        let nodes = routes.iter().enumerate().map(|(index, own_route)| {
            let cluster = [
                ["--name", &format!("node-{}", index + 1)],
                ["--cluster_name", "turnstream"],
                ["--cluster", own_route],
                ["--routes", &routes.join(",")],
            ];
            // A client uses the ways that it was given, and finds no others: a test may want to cut them.
            let no_advertise = ["--no_advertise".to_owned()];
            let cluster = cluster.as_flattened().iter().map(ToString::to_string);
            let cluster = cluster.chain(no_advertise).collect();
            let mut program = NatsProgram {
                cluster,
                ..NatsProgram::new(binary.clone())
            };
            async {
                program.choose_ports()?;
                let node = Nats::prepare(program).await?;
                node.spawn()?;
                anyhow::Ok(node)
            }
        });
        let cluster = Self {
            nodes: try_join_all(nodes).await?,
        };
        cluster.settle().await?;
        Ok(cluster)
    }
}
