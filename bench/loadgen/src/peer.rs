//! How each server is spoken to.

use rules::mancala::{Board, Move};

pub mod boardgame_io;
pub mod colyseus;
pub mod floor;
pub mod turnstream;

/// What a player was shown of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The board after it.
    Board(Board),
    /// The move alone, by a server that knows no boards.
    Move(Move),
}

/// A server.
pub trait Peer: Send + Sync + 'static {
    /// One of two at a table, or one who watches.
    type Player: Player;

    /// Opens two sockets and begins a game between them: the players in the order of their seats. `number` is one that no
    /// other table has.
    fn open(&self, number: u64) -> impl Future<Output = anyhow::Result<[Self::Player; 2]>> + Send;

    /// Begins another game, when the last one is over. The players may be others.
    fn again(
        &self,
        players: [Self::Player; 2],
    ) -> impl Future<Output = anyhow::Result<[Self::Player; 2]>> + Send;

    /// Opens a socket that watches this player's game.
    fn watch(
        &self,
        player: &Self::Player,
        number: u64,
        deaf: bool,
    ) -> impl Future<Output = anyhow::Result<Self::Player>> + Send;

    /// How many moves were accepted before the log had them, and after.
    fn acknowledged(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// A socket of somebody in a game.
pub trait Player: Send + 'static {
    /// Sends a move.
    fn play(&mut self, mv: Move) -> impl Future<Output = anyhow::Result<()>> + Send;

    /// The next move that is shown. Cancelling it loses nothing.
    fn seen(&mut self) -> impl Future<Output = anyhow::Result<Seen>> + Send;
}
