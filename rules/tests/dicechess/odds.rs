//! Probabilities of captures.

use rules::dicechess::{Color, Piece, odds};
use serde::Deserialize;
use serde_json::Value;
use turnstream_rules as rules;

use crate::vectors::{position, stated};

#[derive(Deserialize)]
struct KingCapture {
    dfen: String,
    probability: f64,
    checked_ordered_rolls_of_216: u32,
}

#[test]
fn kings_are_captured_with_the_recorded_probability() {
    let cases: Vec<KingCapture> = stated("king_capture_probability");
    assert_eq!(cases.len(), 14);
    for case in cases {
        let position = position(&case.dfen);
        let rolls = position.capturing_rolls(position.side(), Piece::King);
        assert_eq!(rolls, case.checked_ordered_rolls_of_216, "{position}");
        let probability = position.king_capture_probability();
        assert!((probability - case.probability).abs() < 0.0001, "{position}");
    }
}

#[derive(Deserialize)]
struct CaptureCounts {
    dfen: String,
    white_king: Option<u32>,
    white_queen: Option<u32>,
    black_king: Option<u32>,
    black_queen: Option<u32>,
}

#[test]
fn kings_and_queens_are_captured_by_the_recorded_number_of_rolls() {
    let cases: Vec<CaptureCounts> = stated("king_queen_capture_counts");
    assert_eq!(cases.len(), 16);
    for case in cases {
        let position = position(&case.dfen);
        for (attacker, target, expected) in [
            (Color::Black, Piece::King, case.white_king),
            (Color::Black, Piece::Queen, case.white_queen),
            (Color::White, Piece::King, case.black_king),
            (Color::White, Piece::Queen, case.black_queen),
        ] {
            if let Some(expected) = expected {
                let rolls = position.capturing_rolls(attacker, target);
                assert_eq!(rolls, expected, "{attacker:?} captures {target} in {position}");
            }
        }
    }
}

#[test]
fn rolls_are_distributed_as_stated() {
    let stated: Value = stated("dice_distribution");
    let rolls: Vec<_> = odds::sorted_rolls().collect();
    assert_eq!(stated["ordered_outcomes"], odds::ROLLS);
    assert_eq!(stated["sorted_multisets"], rolls.len());
    for class in ["AAA", "AAB", "ABC"] {
        let class = &stated["weights"][class];
        let same = rolls.iter().filter(|(_, orders)| class["weight"] == *orders);
        assert_eq!(class["multisets"], same.count());
    }
    let share = |wanted: &[Piece]| {
        let found = rolls
            .iter()
            .filter(|(pool, _)| wanted.iter().any(|&piece| pool.has(piece)));
        let rolls: u32 = found.map(|(_, orders)| orders).sum();
        format!("{rolls}/216")
    };
    assert_eq!(stated["p_specific_face_at_least_once"], share(&[Piece::Rook]));
    assert_eq!(
        stated["p_either_of_two_faces"],
        share(&[Piece::Rook, Piece::Pawn])
    );
}
