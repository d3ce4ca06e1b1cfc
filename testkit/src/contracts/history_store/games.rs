//! Finished games to write. Each is told by its number, from which its id and its times follow.

use contract::player::BySeat;
use contract::{
    Chance, Durability, EndReason, FinishedGame, GameId, Kind, Millis, Origin, Outcome, PlayedMove,
    PlayerSummary, Reveal, Spectators, State, TimeControl, UserId,
};
use rules::fair::ServerSeed;
use uuid::Uuid;

/// When game 0 ended.
const FIRST_END: i64 = 1_760_000_000_123;

/// The id of game `n`; ids are ordered as their numbers.
pub fn id(n: u32) -> GameId {
    GameId(Uuid::from_u128(
        0x0199_0000_0000_7000_8000_0000_0000_0000 + u128::from(n),
    ))
}

/// Game `n`: mancala, played to its end a second after game `n - 1`, between players whom no other game has.
pub fn game(n: u32) -> FinishedGame {
    game_of(Kind::Mancala, n)
}

/// The same, of another kind.
pub fn game_of(kind: Kind, n: u32) -> FinishedGame {
    let ended_at = Millis(FIRST_END + i64::from(n) * 1_000);
    let started_at = ended_at.plus(-600_000);
    let (moves, final_state) = play(kind, n as usize, started_at);
    FinishedGame {
        id: id(n),
        kind,
        rules: kind.rules().to_owned(),
        rules_version: kind.rules_version(),
        players: BySeat {
            player1: player(&format!("kc:first-{n}")),
            player2: player(&format!("guest:second-{n}")),
        },
        time_control: TimeControl::Unlimited,
        durability: Durability::BestEffort,
        origin: Origin::Queue,
        rated: false,
        result: Some(final_state.outcome().unwrap_or(Outcome::Draw)),
        end_reason: EndReason::Completed,
        left_user_id: None,
        started_at,
        ended_at,
        moves,
        fairness: kind.is_fair().then(|| reveal(n)),
        final_state,
        spectators: Spectators { peak: 3, total: 7 },
    }
}

/// Game `n`, with `user` in the first seat.
pub fn game_with(user: &str, n: u32) -> FinishedGame {
    let mut game = game(n);
    game.players.player1 = player(user);
    game
}

/// Game `n` as it is when nobody has played a move: small, for tests that need many.
pub fn short_game(user: &str, n: u32) -> FinishedGame {
    let mut game = game_with(user, n);
    game.moves.clear();
    game.final_state = State::initial(game.kind);
    game.result = None;
    game.end_reason = EndReason::Inactive;
    game
}

/// A player whose public id is `id`.
pub fn player(id: &str) -> PlayerSummary {
    let user_id = UserId::new(id);
    let is_guest = user_id.is_guest();
    PlayerSummary {
        user_id,
        name: (!is_guest).then(|| format!("Name of {id}")),
        is_guest,
    }
}

/// At most sixty legal moves; which ones depends on `taste`.
fn play(kind: Kind, taste: usize, started_at: Millis) -> (Vec<PlayedMove>, State) {
    let mut state = State::initial(kind);
    let mut moves = Vec::new();
    while let Some(seat) = state.to_move()
        && moves.len() < 60
    {
        let dice = throw(taste, &state);
        if let Some(dice) = &dice {
            state = state.thrown(dice).expect("it is thrown when it is due");
        }
        let legal = state.legal_moves();
        let Some(mv) = legal.get((taste + moves.len()) % legal.len().max(1)) else {
            break;
        };
        state = state
            .advance(seat, mv)
            .expect("the move is one of the legal ones");
        moves.push(PlayedMove {
            seat,
            mv: mv.clone(),
            dice,
            at: started_at.plus(7 * moves.len() as i64),
            think_ms: Some(7),
        });
    }
    (moves, state)
}

fn seed(n: usize) -> ServerSeed {
    ServerSeed::new([n as u8; 32])
}

fn reveal(n: u32) -> Reveal {
    let seed = seed(n as usize);
    Reveal {
        commit: seed.commit(),
        seed: seed.reveal(),
        client_seeds: BySeat {
            player1: format!("kc:first-{n}"),
            player2: format!("a seed of {n}'s own"),
        },
    }
}

/// What is thrown for the next move, in games with chance.
fn throw(n: usize, state: &State) -> Option<Chance> {
    let reveal = reveal(n as u32);
    state
        .kind()
        .throw(&seed(n), reveal.clients(), state.chance_index())
}
