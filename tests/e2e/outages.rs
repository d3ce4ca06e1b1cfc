//! Servers go away and come back: play goes on, and afterwards everything is there without an operator.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::harness::log_check::Stores;
use crate::harness::{Service, World, eventually, http};
use crate::kill::{Dice, Hall, Table, caught_up, converged, short_vectors};

mod damaged;
mod first_second;
mod frozen;
mod full;
mod gone;
mod old_valkey;
mod pairs;
mod purged;
mod quorum;
mod refused_row;
mod regrown;
mod restart;
mod rollback;
mod under_load;
mod ways;

/// No answer to a player may take longer, whatever is down. (It is a fraction of that; the machine may be busy.)
const ANSWER: Duration = Duration::from_secs(2);

/// A few tables that have begun to play.
async fn few_tables(service: &Service, count: usize) -> Hall {
    let url = service.url();
    let mut hall = Hall {
        tables: Vec::new(),
        watchers: Vec::new(),
    };
    for (number, vector) in short_vectors(count).into_iter().enumerate() {
        let mut table = Table::sit(&url, number, vector).await;
        table.play_to(3).await;
        hall.tables.push(table);
    }
    hall
}

/// Every table plays some moves, each of which is answered in time. Whether all were durable, and whether none was.
async fn all_play(hall: &mut Hall, moves: usize) -> (bool, bool) {
    let (mut all, mut none) = (true, true);
    for table in &mut hall.tables {
        for _ in 0..moves {
            if table.is_over() {
                break;
            }
            let began = Instant::now();
            let played = timeout(ANSWER, table.play_next()).await;
            let promise = played.unwrap_or_else(|_| panic!("no answer in {:?}", began.elapsed()));
            let promise = promise.unwrap_or_else(|problem| panic!("{problem:?}"));
            all &= promise.durable;
            none &= !promise.durable;
        }
    }
    (all, none)
}

/// Every list is answered in time, be it with nothing.
async fn lists_are_answered(table: &Table) {
    for path in ["/games/me", "/games/me/active", "/games/popular"] {
        let listed = timeout(ANSWER, table.players[0].get(path)).await;
        let (status, list) = listed.unwrap_or_else(|_| panic!("no answer to {path}"));
        assert_eq!(status, 200, "{path}: {list}");
    }
}

/// Returns when the last move of every game waits in the pending store.
async fn until_pending(world: &World, tables: &[Table]) {
    let stores = Stores::of(world).await;
    let wanted: BTreeMap<&str, u64> = tables
        .iter()
        .map(|table| {
            let version = table.promises.last().map_or(1, |promise| promise.version);
            (table.game.as_str(), version)
        })
        .collect();
    eventually("what waits is copied", async || {
        let lists = stores.pending.load().await.ok()?;
        let copied: BTreeMap<String, u64> = lists
            .iter()
            .filter_map(|list| Some((list.key.id.to_string(), list.items.last()?.place.version)))
            .collect();
        wanted
            .iter()
            .all(|(game, version)| copied.get(*game) == Some(version))
            .then_some(())
    })
    .await;
}
