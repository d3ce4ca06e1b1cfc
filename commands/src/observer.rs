//! What the write side tells others in its own process: commits as they are shown, and what it may forget.

use std::sync::Arc;

use contract::{Envelope, GameId, GameState, Seq};

/// Is told of what happens to the games held here, in order per game, under the game's lock: it must be quick and must
/// not call back.
pub trait Observer: Send + Sync + 'static {
    /// A game changed (or was restored: then with its `resumed` event) and everybody may see it. An ended one is not
    /// live any more.
    fn committed(&self, game: &Arc<GameState>, events: &[Envelope]);

    /// A game has this many spectators now.
    fn spectators(&self, game: GameId, now: u32);

    /// A game is not held here any more, without having ended.
    fn gone(&self, game: GameId);
}

/// Keeps records of finished games until history has them.
pub trait RecordKeeper: Send + Sync + 'static {
    /// History has every `ended` event up to this sequence of the log.
    fn recorded_through(&self, seq: Seq);
}
