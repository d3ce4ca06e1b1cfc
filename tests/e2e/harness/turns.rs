//! Turns of dice chess, as a client reads them from the tree that the service shows.

use rules::dicechess::{MicroMove, Piece, Position};
use serde_json::Value;

/// Every path from the root of a tree to a leaf.
pub fn turns(tree: &Value) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    collect(tree, &mut Vec::new(), &mut all);
    all
}

fn collect(tree: &Value, path: &mut Vec<String>, all: &mut Vec<Vec<String>>) {
    let following = tree.as_object().expect("a tree is an object");
    if following.is_empty() && !path.is_empty() {
        all.push(path.clone());
    }
    for (mv, tree) in following {
        path.push(mv.clone());
        collect(tree, path, all);
        path.pop();
    }
}

/// Whether a turn in this position captures the king.
pub fn captures_king(dfen: &str, turn: &[String]) -> bool {
    let position: Position = dfen.parse().expect("a board is a DFEN");
    let king = position.pieces(!position.side(), Piece::King);
    turn.iter().any(|mv| {
        let mv: MicroMove = mv.parse().expect("a tree is of micro-moves");
        king.has(mv.to())
    })
}
