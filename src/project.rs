//! `turnstream project`: the read side alone, beside services that run with `--no-projectors`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router, middleware};
use clap::Args;
use commands::ports::Clock;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::{LogConfig, ServersConfig};
use crate::http::admin::{Hosts, addressed};
use crate::metrics::CONTENT_TYPE;
use crate::operations::{self, Operations};
use crate::ports::Status;
use crate::projecting::{Projecting, Tasks, spawn_migration, spawn_watch};
use crate::status::ProjectStatus;
use crate::stores::Stores;

/// How long tasks may take to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// What `project` is told.
#[derive(Debug, Clone, Args)]
pub struct ProjectConfig {
    /// Where operators connect: metrics, status, administration. Keep it private.
    #[arg(
        long,
        env = "TURNSTREAM_ADMIN_LISTEN",
        default_value = "127.0.0.1:9090",
        value_name = "ADDRESS"
    )]
    pub admin_listen: std::net::SocketAddr,

    /// A name under which operators reach their address, besides addresses and names without a dot. May be given more than
    /// once.
    #[arg(
        long = "admin-host",
        env = "TURNSTREAM_ADMIN_HOSTS",
        value_delimiter = ',',
        value_name = "NAME"
    )]
    pub admin_hosts: Vec<String>,

    #[command(flatten)]
    pub servers: ServersConfig,

    #[command(flatten)]
    pub logging: LogConfig,
}

/// Projects until `shutdown` is cancelled.
///
/// # Errors
/// A server is not configured (an embedded one belongs to the process that serves), it cannot start, or one of its tasks
/// died.
pub async fn run(
    config: &ProjectConfig,
    clock: Arc<dyn Clock>,
    operators: TcpListener,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let servers = &config.servers;
    anyhow::ensure!(
        servers.all(),
        "a process that only projects needs all three servers (--nats-url, --valkey-url, --database-url): embedded \
         ones belong to the process that serves, which projects itself"
    );
    let stores = Stores::open(servers, clock.clone()).await?;
    stores.check_valkey().await?;
    let hosts = config.admin_hosts.clone().into();
    let done = project(&stores, &clock, operators, hosts, shutdown).await;
    stores.close().await;
    done
}

async fn project(
    stores: &Stores,
    clock: &Arc<dyn Clock>,
    operators: TcpListener,
    hosts: Hosts,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let writer = operations::new_token()?;
    let projecting = Projecting::new(clock.clone(), writer, None, Arc::default());
    let status = Arc::new(ProjectStatus {
        writer,
        reading: projecting.read_side(stores),
    });
    let operations = Arc::new(Operations::new(stores, clock)?);
    let mut tasks = Tasks::new();
    let stop = CancellationToken::new();
    spawn_migration(&mut tasks, stores, clock, &stop);
    spawn_watch(&mut tasks, stores, &stop);
    projecting.spawn(&mut tasks, stores, &stop)?;
    tracing::info!(%writer, "turnstream projects; operators: http://{}", operators.local_addr()?);
    let router = Router::new()
        .route("/metrics", get(metrics))
        .route("/status", get(show))
        .route("/healthz", get(async || "ok\n"))
        .with_state(status)
        .merge(operations.clone().router())
        .layer(middleware::from_fn_with_state(hosts, addressed));
    let cancel = stop.clone();
    tasks.spawn(async move {
        axum::serve(operators, router)
            .with_graceful_shutdown(cancel.cancelled_owned())
            .await?;
        Ok("the operators' server")
    });
    let died = tokio::select! {
        () = shutdown.cancelled() => None,
        died = tasks.join_next() => died,
    };
    tracing::info!("stopping");
    operations.close(PATIENCE).await;
    stop.cancel();
    let ended = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(PATIENCE, ended).await.is_err() {
        tracing::warn!("some tasks did not end in time");
    }
    crate::service::outcome(died)
}

async fn show(State(status): State<Arc<ProjectStatus>>) -> Json<serde_json::Value> {
    Json(status.status().await)
}

async fn metrics(State(status): State<Arc<ProjectStatus>>) -> impl IntoResponse {
    let text = status.figures().await.render();
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text)
}
