//! DFEN, single micro-moves and the end of a turn.

use rules::dicechess::{Piece, Position, START};
use serde::Deserialize;
use turnstream_rules as rules;

use crate::vectors::{micro_move, pool, position, stated};

#[derive(Deserialize)]
struct Valid {
    dfen: String,
    dice: Option<Vec<u8>>,
    #[serde(default)]
    round_trips: bool,
    serialises_to: Option<String>,
    en_passant: Option<Vec<String>>,
    halfmove: Option<u8>,
    fullmove: Option<u32>,
}

#[test]
fn every_valid_dfen_is_read_and_written() {
    let cases: Vec<Valid> = stated("dfen_valid");
    assert_eq!(cases.len(), 11);
    for case in cases {
        let read = position(&case.dfen);
        let written = read.to_string();
        assert_eq!(written.parse(), Ok(read));
        if case.round_trips {
            assert_eq!(written, case.dfen);
        }
        if let Some(expected) = case.serialises_to {
            assert_eq!(written, expected);
        }
        if let Some(dice) = case.dice {
            assert_eq!(read.pool(), pool(&dice), "{}", case.dfen);
        }
        if let Some(squares) = case.en_passant {
            assert_eq!(written.split(' ').nth(3), Some(squares.concat().as_str()));
        }
        assert_eq!(read.half_moves(), case.halfmove.unwrap_or(0), "{}", case.dfen);
        assert_eq!(read.full_move(), case.fullmove.unwrap_or(1), "{}", case.dfen);
    }
}

#[derive(Deserialize)]
struct Invalid {
    dfen: String,
}

#[test]
fn every_invalid_dfen_is_an_error() {
    let cases: Vec<Invalid> = stated("dfen_invalid");
    assert_eq!(cases.len(), 16);
    for case in cases {
        assert!(case.dfen.parse::<Position>().is_err(), "{}", case.dfen);
    }
}

#[derive(Deserialize)]
struct Normalised {
    dfen: String,
    normalized_4_fields: String,
}

#[test]
fn a_key_has_only_en_passant_squares_that_matter() {
    let cases: Vec<Normalised> = stated("dfen_normalisation");
    assert_eq!(cases.len(), 5);
    for case in cases {
        assert_eq!(position(&case.dfen).key(), case.normalized_4_fields);
    }
}

#[derive(Deserialize)]
struct Transition {
    before: String,
    micro_moves: Vec<String>,
    end_turn: bool,
    after: String,
}

#[test]
fn micro_moves_and_ends_of_turns_lead_to_the_recorded_positions() {
    let cases: Vec<Transition> = stated("position_transitions");
    assert_eq!(cases.len(), 6);
    for case in cases {
        let mut after = case
            .micro_moves
            .iter()
            .fold(position(&case.before), |position, mv| {
                position.after(micro_move(mv)).expect("a piece stands there")
            });
        if case.end_turn {
            after = after.end_turn();
        }
        assert_eq!(after.to_string(), case.after, "{}", case.before);
    }
}

#[test]
fn a_micro_move_needs_an_own_piece_and_a_square_without_one() {
    let start = position(START);
    for mv in ["e3e4", "e7e5", "d1e1", "a1a1"] {
        assert_eq!(start.after(micro_move(mv)), None, "{mv}");
    }
}

#[test]
fn each_double_step_of_a_turn_is_capturable_by_any_micro_move_of_the_next() {
    let play = |position: Position, moves: &[&str]| {
        moves
            .iter()
            .fold(position, |position, mv| position.after(micro_move(mv)).unwrap())
    };
    let white = play(
        position("4k3/8/8/8/1p1p4/8/P1P1P3/4K3 w - - 3 9"),
        &["a2a4", "c2c4", "e2e4"],
    );
    let black = white.end_turn();
    assert_eq!(black.to_string(), "4k3/8/8/8/PpPpP3/8/8/4K3 b - a3c3e3 0 9");
    // The first capture takes its own square away; the king's move none.
    let black = play(black, &["b4a3", "e8e7", "d4e3"]);
    assert_eq!(black.to_string(), "8/4k3/8/8/2P5/p3p3/8/4K3 b - c3 0 9");
    // What was not captured is no longer capturable.
    assert_eq!(
        black.end_turn().to_string(),
        "8/4k3/8/8/2P5/p3p3/8/4K3 w - - 0 10"
    );
}

#[test]
fn a_pawn_that_moves_again_cannot_be_captured_en_passant() {
    let start = position("4k3/8/8/3p4/1p6/8/P1P5/4K3 w - - 0 1");
    let after = ["a2a4", "c2c4", "a4a5"]
        .iter()
        .fold(start, |position, mv| position.after(micro_move(mv)).unwrap());
    assert_eq!(after.to_string(), "4k3/8/8/P2p4/1pP5/8/8/4K3 w - c3 0 1");
    let after = after.after(micro_move("c4d5")).unwrap();
    assert_eq!(after.to_string(), "4k3/8/8/P2P4/1p6/8/8/4K3 w - - 0 1");
}

#[test]
fn any_move_onto_a_skipped_square_makes_it_no_target() {
    let black = position("4k3/8/8/8/1pP5/4n3/8/4K3 b - c3 0 1 pnn");
    let blocked = ["e3d1", "d1c3"]
        .iter()
        .fold(black, |position, mv| position.after(micro_move(mv)).unwrap());
    assert_eq!(blocked.to_string(), "4k3/8/8/8/1pP5/2n5/8/4K3 b - - 2 1 p");
    let moved_on = blocked.after(micro_move("b4b3")).unwrap();
    assert_eq!(moved_on.to_string(), "4k3/8/8/8/2P5/1pn5/8/4K3 b - - 0 1");
}

#[test]
fn castling_moves_the_rook_spends_two_dice_and_counts_as_one_quiet_micro_move() {
    let before = position("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 5 7 rrk");
    let after = before.after(micro_move("e8c8")).unwrap();
    assert_eq!(after.to_string(), "2kr3r/8/8/8/8/8/8/R3K2R b KQ - 6 7 r");
    let before = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 5 7 RRK");
    let after = before.after(micro_move("e1g1")).unwrap();
    assert_eq!(after.to_string(), "r3k2r/8/8/8/8/8/8/R4RK1 w kq - 6 7 R");
}

#[test]
fn a_rook_takes_with_it_the_right_of_the_corner_it_leaves_and_of_the_one_it_captures_on() {
    let before = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 5 7 R");
    let after = before.after(micro_move("a1a8")).unwrap();
    assert_eq!(after.to_string(), "R3k2r/8/8/8/8/8/8/4K2R w Kk - 0 7");
    let after = before.after(micro_move("h1h2")).unwrap();
    assert_eq!(after.to_string(), "r3k2r/8/8/8/8/8/7R/R3K3 w Qkq - 6 7");
}

#[test]
fn a_pawn_that_captures_the_king_on_the_last_rank_stays_a_pawn() {
    let before = position("3rk3/3P4/8/8/8/8/8/4K3 w - - 5 7 PQQ");
    let pawn_moves = before.micro_moves(Piece::Pawn);
    assert_eq!(pawn_moves, [micro_move("d7e8")]);
    let after = before.after(pawn_moves[0]).unwrap();
    assert_eq!(after.to_string(), "3rP3/8/8/8/8/8/8/4K3 w - - 0 7");
}
