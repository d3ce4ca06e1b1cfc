//! The read side as tasks of a process: both projectors, the sweeper, the audit. `serve` runs them beside the games,
//! `project` alone.

use std::sync::Arc;

use commands::committed::CommittedEvents;
use commands::observer::RecordKeeper;
use commands::ports::Clock;
use contract::WriterId;
use projections::catch_up::{CatchUp, Progress};
use projections::history::{HistoryParts, HistoryProjector};
use projections::live::{LiveParts, LiveProjector, Target};
use projections::operations::verify::audit::{Audited, Auditor};
use projections::sweep::{SeenRows, Sweeper};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::operations;
use crate::status::ReadSide;
use crate::stores::Stores;

/// The tasks of a process; the first that ends by itself ends the process.
pub type Tasks = JoinSet<anyhow::Result<&'static str>>;

/// The read side of a process.
pub struct Projecting {
    clock: Arc<dyn Clock>,
    token: WriterId,
    keeper: Option<Arc<dyn RecordKeeper>>,
    committed: Arc<CommittedEvents>,
    live: Arc<Progress>,
    history: Arc<Progress>,
    audited: watch::Sender<Audited>,
}

impl Projecting {
    /// By the right of `token`; `keeper` is told how far history has come, and what this process has `committed` need not
    /// be decoded.
    pub fn new(
        clock: Arc<dyn Clock>,
        token: WriterId,
        keeper: Option<Arc<dyn RecordKeeper>>,
        committed: Arc<CommittedEvents>,
    ) -> Self {
        Self {
            clock,
            token,
            keeper,
            committed,
            live: Arc::new(Progress::new(projections::live::NAME)),
            history: Arc::new(Progress::new(projections::history::NAME)),
            audited: watch::Sender::default(),
        }
    }

    /// What operators see of it.
    pub fn read_side(&self, stores: &Stores) -> ReadSide {
        ReadSide {
            log: stores.log.clone(),
            reader: stores.reader.clone(),
            live: stores.live.clone(),
            history: stores.history.clone(),
            dead_letters: stores.dead_letters.clone(),
            projectors: vec![self.live.clone(), self.history.clone()],
            audited: self.audited.subscribe(),
            served: stores.served.clone(),
            adapters: stores.watched(),
            clock: self.clock.clone(),
        }
    }

    /// Runs everything.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub fn spawn(&self, tasks: &mut Tasks, stores: &Stores, stop: &CancellationToken) -> anyhow::Result<()> {
        let live = CatchUp {
            projection: self.live_projector(stores),
            log: stores.log.clone(),
            reader: stores.reader.clone(),
            clock: self.clock.clone(),
            progress: self.live.clone(),
        };
        let history = CatchUp {
            projection: self.history_projector(stores),
            log: stores.log.clone(),
            reader: stores.reader.clone(),
            clock: self.clock.clone(),
            progress: self.history.clone(),
        };
        let sweeper = Sweeper {
            live: stores.live.clone(),
            history: stores.history.clone(),
            clock: self.clock.clone(),
            seen: SeenRows::default(),
        };
        let auditor = Auditor {
            parts: operations::parts(stores, &self.clock)?,
            below: Box::new(|most| {
                // A chance that is not quite even is chance enough here.
                getrandom::u64().map_or(0, |random| random % most.max(1))
            }),
            audited: self.audited.clone(),
        };
        let cancel = || stop.clone();
        let (for_live, for_history) = (cancel(), cancel());
        let (for_sweeper, for_auditor) = (cancel(), cancel());
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
        tasks.spawn(async move {
            auditor.run(for_auditor).await;
            Ok("the audit")
        });
        Ok(())
    }

    /// Another process projects: the games held here have to know all the same what is written.
    pub fn spawn_listener(&self, tasks: &mut Tasks, stores: &Stores, stop: &CancellationToken) {
        let history = self.history_projector(stores);
        let (log, cancel) = (stores.log.clone(), stop.clone());
        tasks.spawn(async move {
            history.only_tell(log.as_ref(), cancel).await;
            Ok("the listener to history")
        });
    }

    fn live_projector(&self, stores: &Stores) -> LiveProjector {
        LiveProjector::new(LiveParts {
            store: stores.live.clone(),
            history: stores.history.clone(),
            log: stores.log.clone(),
            reader: stores.reader.clone(),
            dead_letters: stores.dead_letters.clone(),
            token: self.token,
            target: Target::Current,
            progress: self.live.clone(),
        })
        .beside(self.committed.clone())
    }

    fn history_projector(&self, stores: &Stores) -> HistoryProjector {
        HistoryProjector::new(HistoryParts {
            store: stores.history.clone(),
            cache: stores.cache.clone(),
            dead_letters: stores.dead_letters.clone(),
            keeper: self.keeper.clone(),
            clock: self.clock.clone(),
            token: self.token,
            progress: self.history.clone(),
        })
    }
}

/// Ends with an error when a task inside of an adapter dies that nothing takes the place of.
pub fn spawn_watch(tasks: &mut Tasks, stores: &Stores, stop: &CancellationToken) {
    let (died, cancel) = (stores.died(), stop.clone());
    tasks.spawn(async move {
        tokio::select! {
            () = cancel.cancelled() => Ok("the watch on the adapters"),
            what = died => Err(anyhow::anyhow!("{what} died")),
        }
    });
}

/// Runs migrations beside everything else, as often as it takes.
pub fn spawn_migration(tasks: &mut Tasks, stores: &Stores, clock: &Arc<dyn Clock>, stop: &CancellationToken) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use clap::Parser;
    use contract::{Kind, Millis};
    use testkit::clock::FakeClock;
    use testkit::fixtures::{Game, outgoing};

    use crate::config::ServersConfig;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        servers: ServersConfig,
    }

    #[tokio::test]
    async fn random_games_are_audited_by_whoever_projects() {
        let clock = FakeClock::at(Millis(1_790_000_000_000));
        let flags = Flags::try_parse_from(["turnstream", "--in-memory"]).expect("good flags");
        let stores = Stores::open(&flags.servers, clock.clone()).await;
        let stores = stores.expect("memory can be used");
        let (_, started) = Game::start(Kind::Mancala, WriterId(1));
        let appended = stores.log.append(&outgoing(&started), 0).await;
        appended.expect("the log takes it");
        let projecting = Projecting::new(clock.clone(), WriterId(2), None, Arc::default());
        let mut audited = projecting.audited.subscribe();
        let (mut tasks, stop) = (Tasks::new(), CancellationToken::new());
        let spawned = projecting.spawn(&mut tasks, &stores, &stop);
        spawned.expect("there are random bytes");
        let turning = async {
            loop {
                clock.advance(1_000);
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let found = async {
            tokio::select! {
                found = audited.wait_for(|audited| audited.games > 0) => *found.expect("it is kept"),
                () = turning => unreachable!("it turns for ever"),
            }
        };
        let found = tokio::time::timeout(Duration::from_secs(20), found).await;
        assert_eq!(found.expect("a game is audited").differences, 0);
        stop.cancel();
        while tasks.join_next().await.is_some() {}
    }
}
