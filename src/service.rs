//! The service: everything wired together and run until it is told to stop.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use commands::live::{Limits as WriteLimits, LiveGames, Parts};
use commands::observer::Observer;
use commands::ports::Clock;
use contract::WriterId;
use projections::library::Library;
use projections::preview::Preview;
use projections::preview::elsewhere::Elsewhere;
use projections::preview::telling::Teller;
use projections::restore::RestoreParts;
use tokio::net::TcpListener;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::auth::Auth;
use crate::auth::dice_seeds::DiceSeeds;
use crate::auth::oidc::Oidc;
use crate::auth::secret::Secret;
use crate::config::Config;
use crate::http::listing::Listings;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::operations::Operations;
use crate::ownership::Ownership;
use crate::projecting::{Projecting, Tasks, spawn_migration, spawn_watch};
use crate::server;
use crate::status::ServiceStatus;
use crate::stores::Stores;

/// How long queues may drain and sockets may close when the service stops.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the service on the given listeners until `shutdown` is cancelled.
///
/// # Errors
/// It cannot start (a setting, a database in use, a schema that is too new), or one of its tasks died.
pub async fn run(
    config: Config,
    clock: Arc<dyn Clock>,
    players: TcpListener,
    operators: TcpListener,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let stores = Stores::open(&config.servers, clock.clone()).await?;
    stores.check_valkey().await?;
    let service = Service::wire(&config, &clock, &stores)?;
    let done = service
        .run(&config, &clock, &stores, players, operators, shutdown)
        .await;
    stores.close().await;
    done
}

struct Service {
    app: Arc<App>,
    games: LiveGames,
    preview: Arc<Preview>,
    teller: Arc<Teller>,
    projecting: Projecting,
    operations: Arc<Operations>,
    last_restore: Arc<Mutex<Option<projections::restore::Report>>>,
}

impl Service {
    fn wire(config: &Config, clock: &Arc<dyn Clock>, stores: &Stores) -> anyhow::Result<Self> {
        let servers = &config.servers;
        let secret = Arc::new(config.identity.load_secret(
            servers.any(),
            servers.in_memory,
            &servers.data_dir,
        )?);
        let oidc = config.identity.issuer().map(Oidc::new).transpose()?;
        let preview = Preview::new();
        let teller = Teller::new(preview.clone(), stores.spectator_counts.clone());
        let metrics = Arc::new(Metrics::new());
        let observers: Vec<Arc<dyn Observer>> = vec![preview.clone(), teller.clone()];
        let parts = parts(config, clock, stores, &secret, observers)?;
        let games = LiveGames::measured_by(metrics.clone(), parts);
        let keeper = Arc::new(games.clone());
        let projecting = Projecting::new(clock.clone(), games.writer(), Some(keeper), games.committed());
        let last_restore = Arc::default();
        let library = Library {
            games: Arc::new(games.clone()),
            preview: preview.clone(),
            live: stores.live.clone(),
            history: stores.history.clone(),
            log: stores.log.clone(),
            cache: stores.cache.clone(),
        };
        let status = ServiceStatus {
            games: games.clone(),
            preview: preview.clone(),
            keys: stores.keys.clone(),
            last_restore: Arc::clone(&last_restore),
            reading: projecting.read_side(stores),
        };
        let app = Arc::new(App {
            games: Arc::new(games.clone()),
            reads: Arc::new(library),
            live_list: preview.clone(),
            status: Arc::new(status),
            clock: clock.clone(),
            auth: Auth::new(secret, oidc, config.identity.legacy_userkey_auth, clock.clone()),
            limits: Limits::new(config.limits.clone()),
            listings: Listings::default(),
            sign_in: config.identity.sign_in(),
            edge: config.edge.clone(),
            served: stores.served.clone(),
            metrics,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        });
        Ok(Self {
            app,
            games,
            preview,
            teller,
            projecting,
            operations: Arc::new(Operations::new(stores, clock)?),
            last_restore,
        })
    }

    async fn run(
        self,
        config: &Config,
        clock: &Arc<dyn Clock>,
        stores: &Stores,
        players: TcpListener,
        operators: TcpListener,
        shutdown: CancellationToken,
    ) -> anyhow::Result<()> {
        let mut tasks = Tasks::new();
        let stop = CancellationToken::new();
        let goodbye = CancellationToken::new();
        self.spawn_games(&mut tasks, clock, stores, &stop, &goodbye);
        if config.no_projectors {
            self.projecting.spawn_listener(&mut tasks, stores, &stop);
        } else {
            self.projecting.spawn(&mut tasks, stores, &stop)?;
        }
        self.spawn_servers(&mut tasks, players, operators, &stop)?;
        tracing::info!(writer = %self.games.writer(), "turnstream runs: {}", served(stores));
        let died = tokio::select! {
            () = shutdown.cancelled() => None,
            died = tasks.join_next() => died,
        };
        tracing::info!("stopping");
        self.games.shutdown(PATIENCE).await;
        // Another process may take over now, however long connections take to close.
        goodbye.cancel();
        self.app.closing.cancel();
        self.app.tasks.close();
        if tokio::time::timeout(PATIENCE, self.app.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("some connections did not close in time");
        }
        self.operations.close(PATIENCE).await;
        stop.cancel();
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(PATIENCE, ended).await.is_err() {
            tracing::warn!("some tasks did not end in time");
        }
        outcome(died)
    }

    fn spawn_games(
        &self,
        tasks: &mut Tasks,
        clock: &Arc<dyn Clock>,
        stores: &Stores,
        stop: &CancellationToken,
        goodbye: &CancellationToken,
    ) {
        let games = self.games.clone();
        tasks.spawn(async move {
            games
                .run()
                .await
                .map(|()| "the games")
                .map_err(anyhow::Error::msg)
        });
        let ownership = Ownership {
            restore: RestoreParts {
                games: self.games.clone(),
                log: stores.log.clone(),
                reader: stores.reader.clone(),
                live: stores.live.clone(),
                pending: stores.pending.clone(),
                dead_letters: stores.dead_letters.clone(),
                clock: clock.clone(),
            },
            heartbeats: stores.heartbeats.clone(),
            keys: stores.keys.clone(),
            clock: clock.clone(),
            shared_log: stores.shared_log,
            last_restore: self.last_restore.clone(),
            metrics: self.app.metrics.clone(),
        };
        let cancel = goodbye.clone();
        tasks.spawn(async move { ownership.run(cancel).await.map(|()| "the ownership") });
        self.spawn_preview(tasks, clock, stores, stop);
        spawn_migration(tasks, stores, clock, stop);
        spawn_watch(tasks, stores, stop);
    }

    fn spawn_preview(
        &self,
        tasks: &mut Tasks,
        clock: &Arc<dyn Clock>,
        stores: &Stores,
        stop: &CancellationToken,
    ) {
        let (preview, time, cancel) = (self.preview.clone(), clock.clone(), stop.clone());
        tasks.spawn(async move {
            preview.run(time.as_ref(), cancel).await;
            Ok("the preview")
        });
        let elsewhere = Elsewhere {
            preview: self.preview.clone(),
            live: stores.live.clone(),
            log: stores.log.clone(),
            reader: stores.reader.clone(),
            counts: stores.spectator_counts.clone(),
            clock: clock.clone(),
        };
        let (teller, time, cancel) = (self.teller.clone(), clock.clone(), stop.clone());
        tasks.spawn(async move {
            teller.run(time.as_ref(), cancel).await;
            Ok("the telling of spectators")
        });
        let (roles, cancel) = (self.games.roles(), stop.clone());
        tasks.spawn(async move {
            elsewhere.run(roles, cancel).await;
            Ok("the preview of other processes' games")
        });
    }

    fn spawn_servers(
        &self,
        tasks: &mut Tasks,
        players: TcpListener,
        operators: TcpListener,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        tracing::info!(
            "players: http://{}  operators: http://{}",
            players.local_addr()?,
            operators.local_addr()?
        );
        let app = self.app.clone();
        let most = server::open_files::room_for(app.limits.config().connections);
        let admin = self.app.clone().admin_router(self.operations.clone().router());
        let (closing, cancel) = (stop.clone(), stop.clone());
        tasks.spawn(async move {
            server::serve(app, players, most, closing).await?;
            Ok("the players' server")
        });
        tasks.spawn(async move {
            axum::serve(operators, admin)
                .with_graceful_shutdown(cancel.cancelled_owned())
                .await?;
            Ok("the operators' server")
        });
        Ok(())
    }
}

/// How a process ends whose first task to end was this one.
pub(crate) fn outcome(died: Option<Result<anyhow::Result<&'static str>, JoinError>>) -> anyhow::Result<()> {
    match died {
        None => Ok(()),
        Some(Ok(Ok(name))) => anyhow::bail!("{name} ended by itself"),
        Some(Ok(Err(error))) => Err(error),
        Some(Err(panicked)) => Err(panicked.into()),
    }
}

fn parts(
    config: &Config,
    clock: &Arc<dyn Clock>,
    stores: &Stores,
    secret: &Arc<Secret>,
    observers: Vec<Arc<dyn Observer>>,
) -> anyhow::Result<Parts> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    let ids = clock.clone();
    Ok(Parts {
        writer: WriterId(u64::from_be_bytes(random)),
        clock: clock.clone(),
        log: stores.log.clone(),
        pending: stores.pending.clone(),
        seeds: Arc::new(DiceSeeds(secret.clone())),
        observers,
        committed: Arc::default(),
        limits: write_limits(config),
        new_game_id: Box::new(move || {
            crate::auth::new_game_id(ids.now()).expect("the operating system gives random bytes")
        }),
    })
}

fn served(stores: &Stores) -> String {
    let list: Vec<String> = stores
        .served
        .iter()
        .map(|served| format!("{} by {}", served.port, served.adapter))
        .collect();
    list.join(", ")
}

fn write_limits(config: &Config) -> WriteLimits {
    let servers = &config.servers;
    let max_age_ms = servers.nats_max_age_ms() as i64;
    WriteLimits {
        // A power cut of the log's server can cost one interval; three leave room for the reconnect.
        keep_acked_ms: 3 * servers.nats_sync_interval_ms as i64,
        max_live_games: config.max_live_games,
        max_watches: config.limits.watches_per_socket,
        anchor_every_ms: (max_age_ms > 0).then_some(max_age_ms / 2),
        ..WriteLimits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a process ends with this task.
    async fn ends(task: impl Future<Output = anyhow::Result<&'static str>> + Send + 'static) -> String {
        let mut tasks = Tasks::new();
        tasks.spawn(task);
        tasks.spawn(std::future::pending());
        let died = tasks.join_next().await;
        let error = outcome(died).expect_err("no task may end before it is told to");
        format!("{error:#}")
    }

    #[tokio::test]
    async fn a_task_that_dies_ends_the_process_with_its_reason() {
        let failed = ends(async { Err(anyhow::anyhow!("the cause").context("the task")) }).await;
        assert_eq!(failed, "the task: the cause");
        assert_eq!(ends(async { Ok("the task") }).await, "the task ended by itself");
        let panicked = ends(async { panic!("the test says so") }).await;
        assert!(panicked.contains("the test says so"), "{panicked}");
    }

    #[test]
    fn a_process_that_is_told_to_end_ends_well() {
        assert!(outcome(None).is_ok());
    }
}
