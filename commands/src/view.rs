//! What clients see of a game, made from its state: boards and steps are recomputed by its rules.

use contract::player::BySeat;
use contract::view::{
    ConnectionView, FinishedGameSummary, GameRecord, InlineChoices, LiveGame, LiveGameSummary, LiveStatus,
    MoveRecord,
};
use contract::{
    Choices, FinishedGame, GameId, GameState, Kind, Millis, Play, PlayedMove, Players, Position, State,
    UserId, Version,
};
use rules::Next;
use rules::kinds::MOST_INLINE_CHOICES;

use crate::{clocks, seed_gate};

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
        let number = index + 1;
        let error = |why| ReplayError { number, why };
        if let Some(dice) = &played.dice {
            state = state.thrown(dice).map_err(error)?;
        }
        let done = state.play(played.seat, &played.mv).map_err(error)?;
        records.push(MoveRecord {
            player_id: players.of(played.seat).user_id.clone(),
            play: Play::of(&played.mv, &done),
            think_ms: played.think_ms,
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

/// What the player to move may choose from, as it is sent along; `None` while nobody has a move to choose.
pub fn inline_choices(state: &State) -> Option<InlineChoices> {
    matches!(state.next(), Next::Choose(_)).then(|| {
        let few = state.choices(MOST_INLINE_CHOICES);
        few.map_or(InlineChoices::TooMany, InlineChoices::Listed)
    })
}

/// What the player to move may choose from, not listed yet: with dice that can be millions of turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlisted {
    /// The game.
    pub game: GameId,
    /// When: a game has the same choices as long as it has the same position.
    pub position: Position,
    state: State,
}

impl Unlisted {
    /// What there is to choose in this game now.
    pub fn of(game: &GameState) -> Self {
        Self {
            game: game.id,
            position: game.position(),
            state: game.state.clone(),
        }
    }

    /// All of it, if that is no more than is sent along with a position, and so quickly listed.
    pub fn few(&self) -> Option<Choices> {
        if self.is_a_choice() {
            self.state.choices(MOST_INLINE_CHOICES)
        } else {
            Some(Choices::none(self.state.kind()))
        }
    }

    /// All of it, nothing while nobody has a move to choose. It may take a second, and tens of megabytes.
    pub fn all(&self) -> Choices {
        let all = self.is_a_choice().then(|| self.state.choices(usize::MAX));
        all.flatten().unwrap_or_else(|| Choices::none(self.state.kind()))
    }

    fn is_a_choice(&self) -> bool {
        matches!(self.state.next(), Next::Choose(_))
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

/// The whole live game for `viewer`: as a spectator sees it, and what is theirs alone if they play in it.
///
/// # Errors
/// [`ReplayError`] when its moves cannot be replayed.
pub fn live_game(
    game: &GameState,
    context: LiveContext,
    viewer: Option<&UserId>,
) -> Result<LiveGame, ReplayError> {
    let seen_by_all = as_spectators_see(game, context)?;
    Ok(match viewer.and_then(|user| game.players.seat_of(user)) {
        None => seen_by_all,
        Some(seat) => LiveGame {
            you: Some(seat),
            draw_armed: game.state.is_draw_armed(seat),
            ..seen_by_all
        },
    })
}

fn as_spectators_see(game: &GameState, context: LiveContext) -> Result<LiveGame, ReplayError> {
    let id = |seat| game.players.of(seat).user_id.clone();
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
        dice: game.state.chance(),
        legal_moves: inline_choices(&game.state),
        draw_offered_by: game.state.pending_draw().map(id),
        fairness: game.fairness.clone(),
        seeds_until: seed_gate::waits_until(game),
        history: replay(game.kind, &game.players, &game.moves)?,
        move_times: game.moves.iter().map(|played| played.at).collect(),
        connections: context.connections,
        turn_timeout_ms: TURN_TIMEOUT_MS,
        you: None,
        draw_armed: false,
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
        dice: game.final_state.chance(),
        fairness: game.fairness.clone(),
        total_spectators: game.spectators.total,
    })
}
