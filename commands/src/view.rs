//! What clients see of a game, made from its state: boards and steps are recomputed by its rules.

use contract::player::BySeat;
use contract::view::{
    ConnectionView, FinishedGameSummary, GameRecord, LiveGame, LiveGameSummary, LiveStatus, MoveRecord,
};
use contract::{FinishedGame, GameState, Kind, Millis, Play, PlayedMove, Players, State, UserId, Version};

use crate::clocks;

/// How long a player to move may be offline before the watcher ends the game, in milliseconds (five minutes).
pub const TURN_TIMEOUT_MS: i64 = 300_000;

/// A move list that its rules refuse: the data is corrupt, or the rules are not those it was played by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("move {number} of the record cannot be replayed: {why}")]
pub struct ReplayError {
    /// Which move, from 1.
    pub number: usize,
    /// What the rules said.
    pub why: rules::IllegalMove,
}

/// All moves with boards and steps.
///
/// # Errors
/// [`ReplayError`] when the rules refuse one.
pub fn replay(kind: Kind, players: &Players, moves: &[PlayedMove]) -> Result<Vec<MoveRecord>, ReplayError> {
    let mut state = State::initial(kind);
    let mut records = Vec::with_capacity(moves.len());
    for (index, played) in moves.iter().enumerate() {
        let done = state.play(played.seat, &played.mv).map_err(|why| ReplayError {
            number: index + 1,
            why,
        })?;
        records.push(MoveRecord {
            player_id: players.of(played.seat).user_id.clone(),
            play: Play::of(&played.mv, &done),
            at: played.at,
        });
        state = done.state;
    }
    Ok(records)
}

/// What lists show of a live game.
pub fn live_summary(game: &GameState, spectator_count: u32) -> LiveGameSummary {
    LiveGameSummary {
        id: game.id,
        kind: game.kind,
        player1: game.players.player1.clone(),
        player2: game.players.player2.clone(),
        board: game.state.board(),
        turn_player_id: game.to_move().map(|seat| game.players.of(seat).user_id.clone()),
        spectator_count,
        move_count: game.moves.len() as u32,
        started_at: game.started_at,
    }
}

/// What is not in a game's state but in the process that holds it.
#[derive(Debug, Clone, Copy, Default)]
pub struct LiveContext {
    /// The last version that the log has.
    pub durable_version: Version,
    /// How many watch now.
    pub spectator_count: u32,
    /// Whether the players are there; `None` when the game is not held here.
    pub connections: Option<BySeat<ConnectionView>>,
    /// For how long the running clock has run, in milliseconds, and the time of the answer; `None` when the game is not
    /// held here.
    pub clock: Option<(i64, Millis)>,
}

/// The whole live game for `viewer`.
///
/// # Errors
/// [`ReplayError`] when its moves cannot be replayed.
pub fn live_game(
    game: &GameState,
    context: LiveContext,
    viewer: Option<&UserId>,
) -> Result<LiveGame, ReplayError> {
    Ok(LiveGame {
        status: LiveStatus::Live,
        summary: live_summary(game, context.spectator_count),
        version: game.version,
        position: game.position(),
        durable_version: context.durable_version,
        rules: game.rules.clone(),
        time_control: game.time_control,
        durability: game.durability,
        clocks: match (game.clocks, context.clock) {
            (Some(clocks), Some((ran_ms, at))) => Some(clocks::as_of(clocks, ran_ms, at)),
            (clocks, _) => clocks,
        },
        history: replay(game.kind, &game.players, &game.moves)?,
        move_times: game.moves.iter().map(|played| played.at).collect(),
        connections: context.connections,
        turn_timeout_ms: TURN_TIMEOUT_MS,
        you: viewer.and_then(|user| game.players.seat_of(user)),
    })
}

/// What lists show of a finished game.
pub fn finished_summary(game: &FinishedGame) -> FinishedGameSummary {
    FinishedGameSummary {
        id: game.id,
        kind: game.kind,
        player1: game.players.player1.clone(),
        player2: game.players.player2.clone(),
        board: game.final_state.board(),
        result: game.result,
        end_reason: game.end_reason,
        left_user_id: game.left_user_id.clone(),
        started_at: game.started_at,
        ended_at: game.ended_at,
        move_count: game.moves.len() as u32,
        peak_spectators: game.spectators.peak,
    }
}

/// A finished game with boards and steps.
///
/// # Errors
/// [`ReplayError`] when its moves cannot be replayed.
pub fn record(game: &FinishedGame) -> Result<GameRecord, ReplayError> {
    Ok(GameRecord {
        summary: finished_summary(game),
        rules: game.rules.clone(),
        moves: replay(game.kind, &game.players, &game.moves)?,
        total_spectators: game.spectators.total,
    })
}
