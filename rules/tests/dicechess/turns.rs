//! The legal turns of a roll and their tree.

use rules::dicechess::{LegalTurns, Piece, Position, Roll, Turn};
use rules::kinds::MOST_INLINE_CHOICES;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use turnstream_rules as rules;

use crate::vectors::{derived, position, position_with, stated, texts, turn};

fn roots(turns: &LegalTurns) -> Vec<String> {
    let mut roots: Vec<_> = turns.iter().map(|turn| turn.moves()[0].to_string()).collect();
    roots.dedup();
    roots
}

#[derive(Deserialize)]
struct FirstMoves {
    dfen: String,
    dice: Vec<u8>,
    legal_micro_moves: Vec<String>,
    count: usize,
}

#[test]
fn the_tree_has_the_recorded_first_moves() {
    let cases: Vec<FirstMoves> = stated("legal_first_micro_moves");
    assert_eq!(cases.len(), 39);
    for case in cases {
        let position = position(&case.dfen);
        assert_eq!(position, position_with(&case.dfen, &case.dice));
        let roots = roots(&LegalTurns::of(&position));
        assert_eq!(roots, case.legal_micro_moves, "{position}");
        assert_eq!(roots.len(), case.count);
    }
}

#[derive(Deserialize)]
struct Perft {
    dfen: String,
    die: u8,
    depth: u32,
    nodes: usize,
}

/// The side to move changes after each micro-move, and every one is made with the same die.
fn perft(position: Position, piece: Piece, depth: u32) -> usize {
    if depth == 0 {
        return 1;
    }
    position
        .micro_moves(piece)
        .into_iter()
        .map(|mv| perft(position.after(mv).unwrap().end_turn(), piece, depth - 1))
        .sum()
}

#[test]
fn a_single_die_has_the_recorded_number_of_micro_moves() {
    let cases: Vec<Perft> = stated("single_die_perft");
    assert_eq!(cases.len(), 14);
    for case in cases {
        let piece = Roll::new([case.die; 3]).unwrap().pieces()[0];
        let nodes = perft(position(&case.dfen), piece, case.depth);
        assert_eq!(nodes, case.nodes, "{} {piece}", case.dfen);
    }
}

#[derive(Deserialize)]
struct FullTurns {
    dfen: String,
    dice: Vec<u8>,
    legal_turn_count: usize,
    root_micro_moves: Option<Vec<String>>,
    king_capture_turns: usize,
    #[serde(alias = "sha256_of_sorted_space_joined_turns_LF")]
    sha256_of_sorted_turns_joined: String,
    exceeds_inline_cap_1000: Option<bool>,
    turns: Option<Vec<Vec<String>>>,
}

#[test]
fn all_turns_of_a_roll_are_the_recorded_ones() {
    let cases: Vec<FullTurns> = derived("full_turns");
    assert_eq!(cases.len(), 15);
    for case in &cases {
        check(case, ",");
    }
    let cases: Vec<FullTurns> = derived("en_passant_turn_counts");
    assert_eq!(cases.len(), 2);
    for case in &cases {
        check(case, " ");
    }
}

/// Checks the turns of a roll. Their hash is over one turn a line, its micro-moves joined by `separator`.
fn check(case: &FullTurns, separator: &str) {
    let position = position_with(&case.dfen, &case.dice);
    let turns = LegalTurns::of(&position);
    assert_eq!(turns.len(), case.legal_turn_count, "{position}");
    assert_eq!(position.count_turns(), case.legal_turn_count, "{position}");

    let list: Vec<_> = turns.iter().map(|turn| texts(turn.moves())).collect();
    assert_eq!(list.len(), case.legal_turn_count, "{position}");
    let lines: Vec<_> = list.iter().map(|turn| turn.join(separator)).collect();
    let hash = hex::encode(Sha256::digest(lines.join("\n")));
    assert_eq!(hash, case.sha256_of_sorted_turns_joined, "{position}");

    assert!(
        case.root_micro_moves
            .iter()
            .all(|roots| *roots == self::roots(&turns))
    );
    assert!(case.turns.iter().all(|turns| *turns == list));
    let captures = turns.iter().filter(|turn| captures_king(&position, turn));
    assert_eq!(captures.count(), case.king_capture_turns, "{position}");

    let inline = LegalTurns::at_most(MOST_INLINE_CHOICES, &position);
    let exceeds = case
        .exceeds_inline_cap_1000
        .unwrap_or(turns.len() > MOST_INLINE_CHOICES);
    assert_eq!(inline.is_none(), exceeds, "{position}");
    assert!(inline.is_none_or(|inline| inline == turns));
}

fn captures_king(position: &Position, turn: &Turn) -> bool {
    let after = turn
        .moves()
        .iter()
        .fold(*position, |position, &mv| position.after(mv).unwrap());
    after.pieces(!position.side(), Piece::King).is_empty()
}

#[test]
fn the_limit_of_an_inline_tree_is_the_last_size_that_is_sent() {
    let position = position("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 0 1 rrk");
    assert!(LegalTurns::at_most(145, &position).is_none());
    assert_eq!(
        LegalTurns::at_most(146, &position).map(|turns| turns.len()),
        Some(146)
    );
}

#[derive(Deserialize)]
struct OldEngine {
    dfen: String,
    dice: Vec<u8>,
    legal_turn_count: usize,
    contains: Vec<Vec<String>>,
    lacks: Vec<Vec<String>>,
}

/// The stated count is that of an engine in which a pawn could be captured en passant only by the first
/// micro-move. Ours has those turns, and those that capture later.
#[test]
fn en_passant_by_a_later_micro_move_is_all_that_an_older_count_lacks() {
    let cases: Vec<OldEngine> = stated("full_turn_counts_stated");
    assert_eq!(cases.len(), 1);
    for case in cases {
        let position = position_with(&case.dfen, &case.dice);
        let turns = LegalTurns::of(&position);
        let later = |turn: &Turn| turn.moves()[1..].iter().any(|mv| mv.to_string() == "e4d3");
        let old = turns.iter().filter(|turn| !later(turn)).count();
        assert_eq!(old, case.legal_turn_count);
        for texts in case.contains.iter().chain(&case.lacks) {
            assert!(turns.contains(turn(texts).moves()));
        }
    }
}

#[derive(Deserialize)]
struct BeyondTheFilter {
    dfen: String,
    in_turn_tree_only: Vec<String>,
    turns_through_them: Vec<Vec<String>>,
}

/// There is an engine that offers as first moves only those which reach the maximum or capture the king
/// themselves. A shorter beginning that goes on to the king is legal all the same.
#[test]
fn a_turn_may_begin_short_of_the_maximum_if_it_captures_the_king() {
    let cases: Vec<BeyondTheFilter> = derived("first_move_filter_vs_turn_tree");
    assert_eq!(cases.len(), 5);
    for case in cases {
        let position = position(&case.dfen);
        let turns = LegalTurns::of(&position);
        for root in &case.in_turn_tree_only {
            assert!(roots(&turns).contains(root), "{position} {root}");
        }
        let mut through: Vec<_> = turns
            .iter()
            .map(|turn| texts(turn.moves()))
            .filter(|turn| case.in_turn_tree_only.contains(&turn[0]))
            .collect();
        let mut expected = case.turns_through_them;
        through.sort();
        expected.sort();
        assert_eq!(through, expected, "{position}");
    }
}

#[derive(Deserialize)]
struct TreeOfPaths {
    paths: Vec<Vec<String>>,
    tree: Value,
}

#[test]
fn paths_become_the_recorded_trees() {
    let cases: Vec<TreeOfPaths> = stated("move_tree");
    assert_eq!(cases.len(), 5);
    for case in cases {
        let tree: LegalTurns = case.paths.iter().map(|path| turn(path)).collect();
        assert_eq!(serde_json::to_value(&tree).unwrap(), case.tree);
    }
}

#[test]
fn a_tree_is_written_with_sorted_keys() {
    let position = position("k7/6P1/8/8/8/8/8/4K3 w - - 0 1 PN");
    let json = serde_json::to_string(&LegalTurns::of(&position)).unwrap();
    let expected = r#"{"g7g8n":{"g8e7":{},"g8f6":{},"g8h6":{}}}"#;
    assert_eq!(json, expected);
}
