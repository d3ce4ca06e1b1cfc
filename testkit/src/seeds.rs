//! Server's seeds of games that a test knows.

use commands::ports::ServerSeeds;
use contract::GameId;
use rules::fair::ServerSeed;

/// The one key.
pub const KEY_ID: &str = "k1";

/// A game's seed is its id, twice. There is one key, [`KEY_ID`].
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownSeeds;

impl ServerSeeds for KnownSeeds {
    fn key_id(&self) -> String {
        KEY_ID.to_owned()
    }

    fn seed(&self, key_id: &str, game: GameId) -> Option<ServerSeed> {
        (key_id == KEY_ID).then(|| seed_of(game))
    }
}

/// The seed of `game`.
pub fn seed_of(game: GameId) -> ServerSeed {
    let half = game.0.as_bytes();
    ServerSeed::new(std::array::from_fn(|index| half[index % half.len()]))
}
