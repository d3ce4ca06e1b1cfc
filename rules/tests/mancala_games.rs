//! Whole games of mangala, recorded elsewhere: every board, every step, every next seat and every result must
//! be ours.

use rules::{Kind, Move, Outcome, Play, Seat, State, mancala};
use serde::Deserialize;
use serde_json::{Value, json};
use turnstream_rules as rules;

#[derive(Deserialize)]
struct Vectors {
    rules: String,
    games: Vec<Game>,
}

#[derive(Deserialize)]
struct Game {
    result: Outcome,
    moves: Vec<Recorded>,
}

/// A line of the file. Seats are 1 and 2 there.
#[derive(Deserialize)]
struct Recorded(usize, u8, mancala::Board, Vec<u8>, Vec<Value>, Option<usize>);

fn games() -> Vec<Game> {
    let vectors: Vectors =
        serde_json::from_str(include_str!("vectors/mancala-games.json")).expect("the file has this form");
    assert_eq!(vectors.rules, Kind::Mancala.rules());
    assert_eq!(vectors.games.len(), 24);
    vectors.games
}

#[test]
fn every_move_of_24_games_has_the_recorded_board_steps_and_next_seat() {
    let mut moves = 0;
    for (game_number, game) in games().into_iter().enumerate() {
        let mut state = State::initial(Kind::Mancala);
        for (move_number, Recorded(seat, index, board, sown, effects, next)) in
            game.moves.into_iter().enumerate()
        {
            let place = format!("move {move_number} of game {game_number}");
            let seat = Seat::BOTH[seat - 1];
            let mv: Move = serde_json::from_value(json!(index)).unwrap();
            assert!(state.legal_moves().contains(&mv), "{place}");
            let played = state
                .play(seat, &mv)
                .unwrap_or_else(|refusal| panic!("{place}: {refusal}"));
            let mut steps: Vec<_> = sown
                .iter()
                .map(|index| json!({"index": index, "type": "GAME_STEP_GAME_MOVE"}))
                .collect();
            steps.extend(effects);
            let record = json!({"moveIndex": index, "boardSnapshot": board, "gameSteps": steps});
            assert_eq!(
                serde_json::to_value(Play::of(&mv, &played)).unwrap(),
                record,
                "{place}"
            );
            assert_eq!(
                played.state.to_move(),
                next.map(|seat| Seat::BOTH[seat - 1]),
                "{place}"
            );
            state = played.state;
            moves += 1;
        }
        assert_eq!(state.outcome(), Some(game.result), "game {game_number}");
    }
    assert_eq!(moves, 1036);
}

#[test]
fn descriptions_of_24_games_agree_with_the_recorded_steps() {
    for game in games() {
        let moves: Vec<_> = game
            .moves
            .iter()
            .map(|&Recorded(_, index, ..)| mancala::Move(index))
            .collect();
        let mut before = mancala::START;
        for (n, Recorded(seat, _, board, _, effects, next)) in (1..).zip(&game.moves) {
            let described = mancala::history::describe_move(&moves, n).unwrap();
            let store = [6, 13][seat - 1];
            let types: Vec<_> = effects
                .iter()
                .map(|effect| effect["type"].as_str().unwrap())
                .collect();
            assert_eq!(described.player, Seat::BOTH[seat - 1]);
            assert_eq!(described.store_gain, board[store] - before[store]);
            assert_eq!(described.extra_turn, next == &Some(*seat));
            assert_eq!(described.game_over, types.contains(&"GAME_STEP_BOARD_CLEARED"));
            assert_eq!(
                described.capture,
                types
                    .iter()
                    .any(|step| step.ends_with("_EMPTY_PIT") || step.ends_with("_DOUBLE_STONE_IN_PIT"))
            );
            assert_eq!(mancala::history::board_after(&moves, n), Ok(*board));
            before = *board;
        }
    }
}
