//! A service that was rolled back to the release before: it meets what the newer one wrote.
//!
//! Both releases are this one. What "the newer one" wrote is made unreadable: events get a higher version or an unknown
//! name, snapshots a higher schema number. When the newer one is back, it is made readable again.

use crate::harness::Service;
use crate::kill::{Table, converged, short_vectors};

mod embedded;
mod file;
mod servers;

/// The games, by what becomes of them.
struct Games {
    /// Readable all along.
    plain: Table,
    /// Its snapshot has a newer schema.
    snapshot: Table,
    /// One of its moves has a newer version.
    moved: Table,
    /// One of its events has a name that nobody knows.
    named: Table,
    /// Its end has a newer version.
    ended: Table,
}

impl Games {
    async fn begin(service: &Service) -> Self {
        let mut tables = Vec::new();
        for (number, vector) in short_vectors(5).into_iter().enumerate() {
            let mut table = Table::sit(&service.url(), number, vector).await;
            table.play_to(3).await;
            tables.push(table);
        }
        let mut next = || tables.remove(0);
        Self {
            plain: next(),
            snapshot: next(),
            moved: next(),
            named: next(),
            ended: next(),
        }
    }

    /// Those that only the newer release can go on with.
    fn parked(&self) -> [&Table; 4] {
        [&self.snapshot, &self.moved, &self.named, &self.ended]
    }
}

/// Starts again, as the release before: it parks what only the newer one can read, and the other game goes on.
async fn leaves_alone_what_is_newer(service: &Service, games: &mut Games) {
    service.restart().await;
    let status = service.status().await;
    assert_eq!(status["lastRestore"]["parked"], 4, "{status}");
    assert_eq!(status["liveGames"], 1, "{status}");
    let next = games.plain.played() + 1;
    games.plain.play_to(next).await;
    converged(service).await;
    reads_nothing_as_over(service, games).await;
}

async fn reads_nothing_as_over(service: &Service, games: &Games) {
    for table in games.parked() {
        let (_, game) = table.players[0].get(&format!("/games/{}", table.game)).await;
        assert_ne!(game["status"], "finished", "{game}");
    }
    let status = service.status().await;
    for projector in status["projectors"].as_array().expect("a list") {
        assert_eq!(projector["state"]["state"], "running", "{status}");
    }
}
