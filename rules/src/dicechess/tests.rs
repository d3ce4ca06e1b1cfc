use serde_json::{json, to_value};

use super::*;
use crate::mancala::Mancala;

fn turn(moves: &[&str]) -> Turn {
    Turn::new(moves.iter().map(|mv| mv.parse().unwrap()).collect()).unwrap()
}

fn rolled(faces: [u8; DICE]) -> State {
    State::initial().rolled(Roll::new(faces).unwrap()).unwrap()
}

#[test]
fn the_board_shows_the_dice_sorted_and_the_record_as_they_fell() {
    let state = rolled([6, 2, 3]);
    let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 NBK";
    assert_eq!(to_value(DiceChess::board(&state)).unwrap(), board);

    let knight = turn(&["g1f3"]);
    let (after, steps) = DiceChess::play(&state, Seat::Player1, &knight).unwrap();
    assert_eq!(to_value(steps).unwrap(), json!({"dice": [6, 2, 3]}));
    let record = DiceChess::record(&knight, &after, &steps);
    assert_eq!(
        to_value(&record).unwrap(),
        json!({
            "dice": [6, 2, 3],
            "moves": ["g1f3"],
            "dfenAfter": "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1",
        })
    );
    assert_eq!(
        serde_json::from_value::<Play>(to_value(&record).unwrap()).unwrap(),
        record
    );
}

#[test]
fn the_listed_moves_are_those_that_may_be_played_now() {
    assert_eq!(DiceChess::legal_moves(&State::initial()), []);
    assert_eq!(
        DiceChess::legal_moves(&rolled([2, 3, 6])),
        ["b1a3", "b1c3", "g1f3", "g1h3"].map(|mv| turn(&[mv]))
    );
    assert_eq!(DiceChess::legal_moves(&rolled([3, 4, 5])), [Turn::PASS]);
}

#[test]
fn no_json_of_dice_chess_is_one_of_mancala() {
    let state = rolled([1, 2, 3]);
    let mv = to_value(turn(&["e2e4"])).unwrap();
    assert!(serde_json::from_value::<<Mancala as Rules>::Move>(mv).is_err());
    let board = to_value(DiceChess::board(&state)).unwrap();
    assert!(serde_json::from_value::<<Mancala as Rules>::Board>(board).is_err());
    let pit = to_value(crate::mancala::Move(3)).unwrap();
    assert!(serde_json::from_value::<Turn>(pit).is_err());
    let board = to_value(crate::mancala::START).unwrap();
    assert!(serde_json::from_value::<Board>(board).is_err());
}
