//! Many tables, all playing at once, and those who watch some of them.

use std::time::Duration;

use futures::{StreamExt, stream};
use projections::ports::SnapshotStatus;
use tokio::sync::watch;

use crate::harness::log_check::{Log, Stores};
use crate::harness::{Service, World, eventually};

use super::table::{Return, Table, short_vectors};
use super::watcher::Watcher;

/// So many tables wait for an answer at one time.
const AT_ONCE: usize = 24;

/// Tables and watchers.
pub struct Hall {
    pub tables: Vec<Table>,
    pub watchers: Vec<Watcher>,
}

impl Hall {
    /// Begins so many games; some are played over sockets and some are watched, over sockets and event streams.
    pub async fn open(url: &str, games: usize) -> Self {
        let vectors = short_vectors(games).into_iter().enumerate();
        let tables = stream::iter(vectors)
            .map(async |(number, vector)| {
                let mut table = Table::sit(url, number, vector).await;
                if number % 10 == 0 {
                    table.take_sockets().await;
                }
                table
            })
            .buffered(AT_ONCE)
            .collect::<Vec<Table>>()
            .await;
        let mut watchers = Vec::new();
        for (number, table) in tables.iter().enumerate() {
            if number % 7 == 0 {
                watchers.push(Watcher::open(url, &table.game, number % 2 == 0).await);
            }
        }
        Self { tables, watchers }
    }

    /// Everybody plays, up to `goal` of their game, until the service is gone or they are there.
    pub async fn play(&mut self, goal: impl Fn(&Table) -> usize, answered: &watch::Sender<usize>) {
        let goal = &goal;
        stream::iter(&mut self.tables)
            .for_each_concurrent(AT_ONCE, async |table| {
                let goal = goal(table);
                while table.played() < goal {
                    match table.play_next().await {
                        Ok(_) => answered.send_modify(|count| *count += 1),
                        // The service is gone, or says that it goes.
                        Err(problem) if problem.status == 0 || problem.status == 503 => break,
                        Err(problem) => panic!("move {} of {}: {problem:?}", table.played(), table.game),
                    }
                }
            })
            .await;
    }

    /// Everybody plays until the service is killed, after so many answers and a moment more.
    pub async fn play_until_killed(
        &mut self,
        service: &Service,
        goal: impl Fn(&Table) -> usize,
        answers: usize,
        moment: Duration,
    ) {
        let answered = watch::Sender::new(0);
        let mut count = answered.subscribe();
        let kill = async {
            count
                .wait_for(|count| *count >= answers)
                .await
                .expect("the sender lives");
            tokio::time::sleep(moment).await;
            service.kill().await;
        };
        tokio::join!(self.play(goal, &answered), kill);
        for watcher in &mut self.watchers {
            watcher.was_cut_off().await;
        }
    }

    /// Everybody comes back.
    pub async fn come_back(&mut self, url: &str) -> Return {
        for watcher in &mut self.watchers {
            watcher.come_back(url).await;
        }
        let mut found = Return::default();
        let mut returns = stream::iter(&mut self.tables)
            .map(async |table| table.come_back().await)
            .buffer_unordered(AT_ONCE);
        while let Some(one) = returns.next().await {
            found.landed += one.landed;
            found.extra_turns += one.extra_turns;
            found.lost += one.lost;
        }
        found
    }

    /// Everybody plays to the end, and the watchers see it.
    pub async fn finish(&mut self) {
        stream::iter(&mut self.tables)
            .for_each_concurrent(AT_ONCE, async |table| table.finish().await)
            .await;
        for watcher in &mut self.watchers {
            watcher.see_the_end().await;
        }
    }

    /// Every game is what its vector says, as clients see it, in the log, and in one row; nothing is left elsewhere. The
    /// service is ended.
    pub async fn check(&self, world: &World, service: &Service) -> Log {
        converged(service).await;
        stream::iter(&self.tables)
            .for_each_concurrent(AT_ONCE, check_as_client)
            .await;
        service.terminate().await;
        let stores = Stores::of(world).await;
        let log = stores.checked_log().await;
        stores.check_rows(&log).await;
        check_nothing_is_left(&stores).await;
        stores.close().await;
        for table in &self.tables {
            let game = log.game(&table.game);
            assert!(game.record.is_some(), "{} has its end", table.game);
            for promise in table.promises.iter().filter(|promise| promise.durable) {
                assert!(
                    game.has(&promise.position),
                    "{promise:?} is kept: {:?}",
                    game.state.chain
                );
            }
        }
        for watcher in &self.watchers {
            watcher.check(&log);
        }
        log
    }
}

async fn check_as_client(table: &Table) {
    table.check_record().await;
    for player in &table.players {
        let (_, list) = player.get("/games/me?limit=20").await;
        let games = list["games"].as_array().expect("a list of games");
        assert_eq!(games.len(), 1, "{list}");
        assert_eq!(games[0]["id"], table.game.as_str(), "{list}");
    }
}

async fn check_nothing_is_left(stores: &Stores) {
    let live = stores.live.load().await.expect("the live store answers");
    let live = live.snapshots.iter();
    let live: Vec<_> = live
        .filter(|stored| stored.status == SnapshotStatus::Live)
        .map(|stored| stored.key.id)
        .collect();
    assert!(live.is_empty(), "no game is live any more: {live:?}");
    let pending = stores.pending.load().await.expect("the pending store answers");
    let pending: Vec<_> = pending
        .iter()
        .map(|list| {
            let places = list.items.iter().map(|item| item.place.to_string());
            (list.base.map(|base| base.to_string()), places.collect::<Vec<_>>())
        })
        .collect();
    assert!(pending.is_empty(), "nothing waits any more: {pending:#?}");
}

/// Returns when nothing waits for the log and both projectors have come to its end.
pub async fn converged(service: &Service) {
    caught_up(service, &["live", "history"]).await;
}

/// Returns when nothing waits for the log and these projectors have come to its end.
pub async fn caught_up(service: &Service, projectors: &[&str]) {
    eventually(&format!("{projectors:?} have what the log has"), async || {
        let status = service.status().await;
        let end = status["log"]["last"].as_u64()?;
        let all = status["projectors"].as_array()?;
        let behind = all.iter().any(|projector| {
            projectors.iter().any(|name| projector["name"] == *name) && projector["checkpoint"] != end
        });
        (status["pendingPublishes"] == 0 && !behind).then_some(())
    })
    .await;
}
