//! Hears how many watch the games that other processes hold.

use std::collections::HashMap;

use commands::ports::{Clock, Monotonic};
use contract::GameId;
use tokio::sync::mpsc;

use super::Preview;
use super::telling::LAPSES_MS;
use crate::ports::{SpectatorCounts, Watched};

/// Between two tries to listen, and between two looks for counts that lapsed, in milliseconds.
const EVERY_MS: u64 = 5_000;

/// The counts that hold now.
#[derive(Default)]
struct Heard {
    at: HashMap<GameId, Monotonic>,
}

impl Heard {
    fn take(&mut self, preview: &Preview, count: Watched, now: Monotonic) {
        if preview.watched_elsewhere(count) && count.spectators > 0 {
            self.at.insert(count.game, now);
        } else {
            self.at.remove(&count.game);
        }
    }

    /// Whoever told of these is gone, or does not hold them any more.
    fn lapse(&mut self, preview: &Preview, now: Monotonic) {
        self.at.retain(|game, at| {
            let holds = now.since(*at) < LAPSES_MS;
            if !holds {
                preview.watched_elsewhere(Watched {
                    game: *game,
                    spectators: 0,
                });
            }
            holds
        });
    }
}

impl Preview {
    /// Hears for ever.
    pub(super) async fn hear_counts(&self, counts: &dyn SpectatorCounts, clock: &dyn Clock) {
        let mut heard = Heard::default();
        loop {
            match counts.listen().await {
                Ok(mut told) => self.hear(&mut heard, &mut told, clock).await,
                Err(error) => tracing::debug!("spectators elsewhere cannot be heard of yet: {error}"),
            }
            clock.sleep(EVERY_MS).await;
        }
    }

    /// Returns when there is nothing more to hear.
    async fn hear(&self, heard: &mut Heard, told: &mut mpsc::Receiver<Watched>, clock: &dyn Clock) {
        loop {
            tokio::select! {
                biased;
                count = told.recv() => match count {
                    Some(count) => heard.take(self, count, clock.monotonic()),
                    None => return,
                },
                () = clock.sleep(EVERY_MS) => heard.lapse(self, clock.monotonic()),
            }
        }
    }

    /// Another process's game has so many spectators; false if there is no such game.
    fn watched_elsewhere(&self, count: Watched) -> bool {
        let (known, shown) = self.ranking().watched_elsewhere(count.game, count.spectators);
        self.changed_if(shown);
        known
    }
}
