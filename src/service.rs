//! The service: everything wired together and run until it is told to stop.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use commands::live::{Limits as WriteLimits, LiveGames, Parts};
use commands::observer::Observer;
use commands::ports::Clock;
use contract::WriterId;
use projections::catch_up::{CatchUp, Progress};
use projections::history::{HistoryParts, HistoryProjector};
use projections::library::Library;
use projections::live::{LiveParts, LiveProjector, Target};
use projections::preview::Preview;
use projections::preview::elsewhere::Elsewhere;
use projections::preview::telling::Teller;
use projections::restore::RestoreParts;
use projections::sweep::Sweeper;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::auth::Auth;
use crate::auth::oidc::Oidc;
use crate::config::Config;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::ownership::Ownership;
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
    live_progress: Arc<Progress>,
    history_progress: Arc<Progress>,
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
        let games = live_games(config, clock, stores, vec![preview.clone(), teller.clone()])?;
        let live_progress = Arc::new(Progress::new(projections::live::NAME));
        let history_progress = Arc::new(Progress::new(projections::history::NAME));
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
            log: stores.log.clone(),
            dead_letters: stores.dead_letters.clone(),
            projectors: vec![live_progress.clone(), history_progress.clone()],
            last_restore: Arc::clone(&last_restore),
            served: stores.served.clone(),
        };
        let app = Arc::new(App {
            games: Arc::new(games.clone()),
            reads: Arc::new(library),
            live_list: preview.clone(),
            status: Arc::new(status),
            clock: clock.clone(),
            auth: Auth::new(secret, oidc, config.identity.legacy_userkey_auth, clock.clone()),
            limits: Limits::new(config.limits.clone()),
            sign_in: config.identity.sign_in(),
            edge: config.edge.clone(),
            served: stores.served.clone(),
            metrics: Metrics::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        });
        Ok(Self {
            app,
            games,
            preview,
            teller,
            live_progress,
            history_progress,
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
        let mut tasks: JoinSet<anyhow::Result<&'static str>> = JoinSet::new();
        let stop = CancellationToken::new();
        let goodbye = CancellationToken::new();
        self.spawn_games(&mut tasks, clock, stores, &stop, &goodbye);
        if config.no_projectors {
            self.spawn_listener_to_history(&mut tasks, clock, stores, &stop);
        } else {
            self.spawn_projectors(&mut tasks, clock, stores, &stop);
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
        stop.cancel();
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(PATIENCE, ended).await.is_err() {
            tracing::warn!("some tasks did not end in time");
        }
        match died {
            None => Ok(()),
            Some(Ok(Ok(name))) => anyhow::bail!("{name} ended by itself"),
            Some(Ok(Err(error))) => Err(error),
            Some(Err(panicked)) => Err(panicked.into()),
        }
    }

    fn spawn_games(
        &self,
        tasks: &mut JoinSet<anyhow::Result<&'static str>>,
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
                clock: clock.clone(),
            },
            heartbeats: stores.heartbeats.clone(),
            keys: stores.keys.clone(),
            clock: clock.clone(),
            shared_log: stores.shared_log,
            last_restore: self.last_restore.clone(),
        };
        let cancel = goodbye.clone();
        tasks.spawn(async move { ownership.run(cancel).await.map(|()| "the ownership") });
        self.spawn_preview(tasks, clock, stores, stop);
        let (database, time, cancel) = (stores.database(), clock.clone(), stop.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = cancel.cancelled() => {}
                done = Stores::migrate(database, time) => {
                    done?;
                    cancel.cancelled().await;
                }
            }
            Ok("the migration")
        });
    }

    fn spawn_preview(
        &self,
        tasks: &mut JoinSet<anyhow::Result<&'static str>>,
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

    fn spawn_projectors(
        &self,
        tasks: &mut JoinSet<anyhow::Result<&'static str>>,
        clock: &Arc<dyn Clock>,
        stores: &Stores,
        stop: &CancellationToken,
    ) {
        let token = self.games.writer();
        let live = CatchUp {
            projection: LiveProjector::new(LiveParts {
                store: stores.live.clone(),
                history: stores.history.clone(),
                log: stores.log.clone(),
                reader: stores.reader.clone(),
                dead_letters: stores.dead_letters.clone(),
                token,
                target: Target::Current,
                progress: self.live_progress.clone(),
            }),
            log: stores.log.clone(),
            reader: stores.reader.clone(),
            clock: clock.clone(),
            progress: self.live_progress.clone(),
        };
        let history = CatchUp {
            projection: self.history_projector(clock, stores),
            log: stores.log.clone(),
            reader: stores.reader.clone(),
            clock: clock.clone(),
            progress: self.history_progress.clone(),
        };
        let sweeper = Sweeper {
            live: stores.live.clone(),
            history: stores.history.clone(),
            clock: clock.clone(),
        };
        let (for_live, for_history, for_sweeper) = (stop.clone(), stop.clone(), stop.clone());
        tasks.spawn(async move {
            live.run(for_live).await;
            Ok("the live projector")
        });
        tasks.spawn(async move {
            history.run(for_history).await;
            Ok("the history projector")
        });
        tasks.spawn(async move {
            sweeper.run(for_sweeper).await;
            Ok("the sweeper")
        });
    }

    /// Another process projects: the games held here have to know all the same what is written.
    fn spawn_listener_to_history(
        &self,
        tasks: &mut JoinSet<anyhow::Result<&'static str>>,
        clock: &Arc<dyn Clock>,
        stores: &Stores,
        stop: &CancellationToken,
    ) {
        let history = self.history_projector(clock, stores);
        let (log, cancel) = (stores.log.clone(), stop.clone());
        tasks.spawn(async move {
            history.only_tell(log.as_ref(), cancel).await;
            Ok("the listener to history")
        });
    }

    fn history_projector(&self, clock: &Arc<dyn Clock>, stores: &Stores) -> HistoryProjector {
        HistoryProjector::new(HistoryParts {
            store: stores.history.clone(),
            cache: stores.cache.clone(),
            dead_letters: stores.dead_letters.clone(),
            keeper: Some(Arc::new(self.games.clone())),
            clock: clock.clone(),
            token: self.games.writer(),
            progress: self.history_progress.clone(),
        })
    }

    fn spawn_servers(
        &self,
        tasks: &mut JoinSet<anyhow::Result<&'static str>>,
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
        let admin = self.app.clone().admin_router();
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

fn live_games(
    config: &Config,
    clock: &Arc<dyn Clock>,
    stores: &Stores,
    observers: Vec<Arc<dyn Observer>>,
) -> anyhow::Result<LiveGames> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    let ids = clock.clone();
    Ok(LiveGames::new(Parts {
        writer: WriterId(u64::from_be_bytes(random)),
        clock: clock.clone(),
        log: stores.log.clone(),
        pending: stores.pending.clone(),
        observers,
        limits: write_limits(config),
        new_game_id: Box::new(move || {
            crate::auth::new_game_id(ids.now()).expect("the operating system gives random bytes")
        }),
    }))
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
