//! Players whom the server pairs as it likes, until both of a game are found.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use tokio::sync::mpsc;

/// Who waits for the other one of their game, and the pairs that are complete.
///
/// Whoever brings two players takes one pair. As many are taken as come together, so nobody waits for ever.
pub struct Lobby<P> {
    alone: Mutex<HashMap<String, P>>,
    complete: mpsc::UnboundedSender<[P; 2]>,
    taking: tokio::sync::Mutex<mpsc::UnboundedReceiver<[P; 2]>>,
}

impl<P> Default for Lobby<P> {
    fn default() -> Self {
        let (complete, taking) = mpsc::unbounded_channel();
        Self {
            alone: Mutex::default(),
            complete,
            taking: tokio::sync::Mutex::new(taking),
        }
    }
}

impl<P> Lobby<P> {
    /// Brings a player of a game; `first` if they begin.
    pub fn bring(&self, game: String, player: P, first: bool) {
        let mut alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        match alone.remove(&game) {
            None => {
                alone.insert(game, player);
            }
            Some(other) => {
                let pair = if first { [player, other] } else { [other, player] };
                // It is taken as long as the lobby is there.
                let _ = self.complete.send(pair);
            }
        }
    }

    /// Takes a pair.
    ///
    /// # Errors
    /// Never, as long as the lobby is there.
    pub async fn take(&self) -> anyhow::Result<[P; 2]> {
        self.taking
            .lock()
            .await
            .recv()
            .await
            .context("the lobby is closed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn players_meet_by_their_game_in_the_order_of_their_seats() {
        let lobby = Lobby::default();
        lobby.bring("a".into(), "a2", false);
        lobby.bring("b".into(), "b1", true);
        lobby.bring("a".into(), "a1", true);
        lobby.bring("b".into(), "b2", false);
        assert_eq!(lobby.take().await.unwrap(), ["a1", "a2"]);
        assert_eq!(lobby.take().await.unwrap(), ["b1", "b2"]);
    }
}
