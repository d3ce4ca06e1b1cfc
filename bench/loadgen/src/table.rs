//! Two players and the game between them, as the rules have it.

use anyhow::ensure;
use fastrand::Rng;
use rules::Seat;
use rules::mancala::{Move, State};
use tokio::time::{Instant, timeout};

use crate::peer::{Peer, Player, Seen};
use crate::socket::PATIENCE;

/// A table.
pub struct Table<P: Peer> {
    /// In the order of their seats.
    pub players: [P::Player; 2],
    state: State,
    random: Rng,
}

impl<P: Peer> Table<P> {
    /// A new game of these.
    pub fn new(players: [P::Player; 2], random: Rng) -> Self {
        Self {
            players,
            state: State::initial(),
            random,
        }
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.state.to_move().is_none()
    }

    /// Plays a legal move. Returns when it was sent and when both players had it.
    ///
    /// # Errors
    /// It was not shown in time, or not as the rules have it.
    ///
    /// # Panics
    /// If the game is over.
    pub async fn turn(&mut self) -> anyhow::Result<(Instant, Instant)> {
        let seat = self.state.to_move().expect("the game is not over");
        let mv = self.choose();
        self.state = self.state.advance(seat, mv)?;
        let [first, second] = &mut self.players;
        let (mover, other) = match seat {
            Seat::Player1 => (first, second),
            Seat::Player2 => (second, first),
        };
        let sent = Instant::now();
        let state = &self.state;
        timeout(PATIENCE, async {
            mover.play(mv).await?;
            see(mover, mv, state).await?;
            see(other, mv, state).await
        })
        .await
        .map_err(|_| anyhow::anyhow!("a move was not shown in time"))??;
        Ok((sent, Instant::now()))
    }

    /// The next game, once this one is over; the players may be others.
    ///
    /// # Errors
    /// It does not begin.
    pub async fn again(self, peer: &P) -> anyhow::Result<Self> {
        let players = timeout(PATIENCE, peer.again(self.players))
            .await
            .map_err(|_| anyhow::anyhow!("the next game did not begin in time"))??;
        Ok(Self::new(players, self.random))
    }

    fn choose(&mut self) -> Move {
        let legal: Vec<Move> = self.state.legal_moves().collect();
        legal[self.random.usize(..legal.len())]
    }
}

async fn see(player: &mut impl Player, mv: Move, after: &State) -> anyhow::Result<()> {
    match player.seen().await? {
        Seen::Board(board) => ensure!(
            board == *after.board(),
            "shown {board:?} instead of {:?}",
            after.board()
        ),
        Seen::Move(shown) => ensure!(shown == mv, "shown {shown:?} instead of {mv:?}"),
    }
    Ok(())
}
