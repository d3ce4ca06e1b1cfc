//! Where the server's seeds of games come from.

use contract::GameId;
use rules::fair::ServerSeed;

/// Seeds that are made from the service's secret and the game's id when they are needed, and so kept nowhere.
pub trait ServerSeeds: Send + Sync + 'static {
    /// The id of the key that seeds of new games are made with. It is no secret.
    fn key_id(&self) -> String;

    /// The seed of `game`, always the same one; `None` when the key is not configured (any more).
    fn seed(&self, key_id: &str, game: GameId) -> Option<ServerSeed>;
}
