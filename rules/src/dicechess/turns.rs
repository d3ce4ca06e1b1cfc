//! All legal turns of a roll at once, as the tree of their common beginnings: what a client gets to choose
//! from.

use std::{borrow::Cow, fmt, iter};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor},
    ser::SerializeMap,
};

use super::{DICE, MicroMove, Position, TooLong, Turn};

/// The legal turns of a position with its dice, in the order of their texts. No turn is the beginning of
/// another.
///
/// In JSON a tree: objects whose keys are micro-moves, in order, and whose values are what may follow; `{}`
/// ends a turn. At the top `{}` is a forced pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegalTurns {
    /// The tree in the order of the texts: after each node all that follow it.
    nodes: Vec<Node>,
    turns: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    mv: MicroMove,
    /// The number of nodes with this one as their beginning, itself counted: where its sibling stands.
    size: u32,
}

impl LegalTurns {
    /// The legal turns of this position.
    pub fn of(position: &Position) -> LegalTurns {
        LegalTurns::at_most(usize::MAX, position).unwrap_or_default()
    }

    /// The legal turns of this position if there are no more than `limit`, found out without listing more
    /// than that.
    pub fn at_most(limit: usize, position: &Position) -> Option<LegalTurns> {
        let mut growth = Growth {
            tree: LegalTurns::default(),
            limit,
            moves: [const { Vec::new() }; DICE],
        };
        growth.grow(position, 0, position.most_dice())?;
        Some(growth.tree)
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.turns
    }

    /// Whether there is none, so that the side to move passes.
    pub const fn is_empty(&self) -> bool {
        self.turns == 0
    }

    /// Whether these micro-moves, in this order, are a legal turn; none at all if there is none to choose.
    pub fn contains(&self, turn: &[MicroMove]) -> bool {
        let mut nodes = self.nodes.as_slice();
        for &mv in turn {
            let Some((_, following)) = siblings(nodes).find(|(found, _)| *found == mv) else {
                return false;
            };
            nodes = following;
        }
        nodes.is_empty()
    }

    /// Each turn, in order.
    pub fn iter(&self) -> impl Iterator<Item = Turn> {
        let mut path = Vec::with_capacity(DICE);
        // Where each node of the path ends.
        let mut ends = Vec::with_capacity(DICE);
        self.nodes.iter().enumerate().filter_map(move |(index, node)| {
            while ends.pop_if(|end| *end <= index).is_some() {
                path.pop();
            }
            path.push(node.mv);
            ends.push(index + node.size as usize);
            (node.size == 1).then(|| Turn::from_path(&path))
        })
    }
}

/// The nodes side by side at the top of a piece of the tree, each with the nodes that follow it.
fn siblings(nodes: &[Node]) -> impl Iterator<Item = (MicroMove, &[Node])> {
    let mut rest = nodes;
    iter::from_fn(move || {
        let (first, _) = rest.split_first()?;
        let (subtree, others) = rest.split_at(first.size as usize);
        rest = others;
        Some((first.mv, &subtree[1..]))
    })
}

/// A tree while it grows.
struct Growth {
    tree: LegalTurns,
    limit: usize,
    /// The moves that are being tried after no, one and two micro-moves.
    moves: [Vec<MicroMove>; DICE],
}

impl Growth {
    /// Adds the legal turns that go on from here, where ordinary ones have still `most` dice to spend. Says
    /// whether anything goes on, legal or not; `None` once there are too many turns.
    fn grow(&mut self, position: &Position, depth: usize, most: u8) -> Option<bool> {
        let mut moves = std::mem::take(&mut self.moves[depth]);
        moves.clear();
        position.visit_payable(|mv| moves.push(mv));
        moves.sort_unstable();
        for &mv in &moves {
            self.grow_by(mv, position, depth, most)?;
        }
        let goes_on = !moves.is_empty();
        self.moves[depth] = moves;
        Some(goes_on)
    }

    /// Adds the legal turns that go on from here with `mv`.
    fn grow_by(&mut self, mv: MicroMove, position: &Position, depth: usize, most: u8) -> Option<()> {
        if position.captures_king(mv) {
            return self.end_turn(mv);
        }
        let cost = position.cost(mv);
        let is_most = cost == most;
        if cost == position.pool().len() {
            return if is_most { self.end_turn(mv) } else { Some(()) };
        }
        let place = self.tree.nodes.len();
        self.tree.nodes.push(Node { mv, size: 1 });
        let next = position.after(mv)?;
        if !self.grow(&next, depth + 1, most.saturating_sub(cost))? {
            self.tree.nodes.pop();
            return if is_most { self.end_turn(mv) } else { Some(()) };
        }
        let size = self.tree.nodes.len() - place;
        if size == 1 {
            // What goes on is no legal turn.
            self.tree.nodes.pop();
        } else {
            self.tree.nodes[place].size = size as u32;
        }
        Some(())
    }

    fn end_turn(&mut self, mv: MicroMove) -> Option<()> {
        if self.tree.turns == self.limit {
            return None;
        }
        self.tree.turns += 1;
        self.tree.nodes.push(Node { mv, size: 1 });
        Some(())
    }
}

impl FromIterator<Turn> for LegalTurns {
    /// The tree of these turns. Of two turns with one the beginning of the other, the longer stays.
    fn from_iter<I: IntoIterator<Item = Turn>>(turns: I) -> LegalTurns {
        let mut turns: Vec<Turn> = turns.into_iter().collect();
        turns.sort_unstable();
        let mut tree = LegalTurns::default();
        tree.graft(&turns, 0);
        tree
    }
}

impl LegalTurns {
    /// Adds these turns, sorted and equal in their first `depth` micro-moves, from there on.
    fn graft(&mut self, turns: &[Turn], depth: usize) {
        // Sorted, a turn that ends here stands before those that go on.
        let ended = turns
            .iter()
            .take_while(|turn| turn.moves().len() == depth)
            .count();
        for branch in turns[ended..].chunk_by(|a, b| a.moves()[depth] == b.moves()[depth]) {
            let place = self.nodes.len();
            let mv = branch[0].moves()[depth];
            self.nodes.push(Node { mv, size: 1 });
            self.graft(branch, depth + 1);
            self.nodes[place].size = (self.nodes.len() - place) as u32;
            self.turns += usize::from(self.nodes[place].size == 1);
        }
    }
}

impl Serialize for LegalTurns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Branch(&self.nodes).serialize(serializer)
    }
}

/// A piece of the tree as JSON.
struct Branch<'a>(&'a [Node]);

impl Serialize for Branch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (mv, following) in siblings(self.0) {
            map.serialize_entry(&mv, &Branch(following))?;
        }
        map.end()
    }
}

/// Reads a tree as clients get it.
impl<'de> Deserialize<'de> for LegalTurns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LegalTurns, D::Error> {
        let mut turns = Vec::new();
        deserializer.deserialize_map(Branches {
            path: Vec::new(),
            turns: &mut turns,
        })?;
        Ok(turns.into_iter().collect())
    }
}

/// A piece of a tree in JSON that is read into a list of turns.
struct Branches<'a> {
    /// The micro-moves that lead to it.
    path: Vec<MicroMove>,
    turns: &'a mut Vec<Turn>,
}

impl<'de> Visitor<'de> for Branches<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tree of legal turns")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut is_leaf = true;
        while let Some(mv) = map.next_key()? {
            is_leaf = false;
            let mut path = self.path.clone();
            path.push(mv);
            map.next_value_seed(Branches {
                path,
                turns: &mut *self.turns,
            })?;
        }
        if is_leaf && !self.path.is_empty() {
            self.turns.push(Turn::new(self.path).map_err(A::Error::custom)?);
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Branches<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.path.len() > DICE {
            return Err(D::Error::custom(TooLong));
        }
        deserializer.deserialize_map(self)
    }
}

impl JsonSchema for LegalTurns {
    fn schema_name() -> Cow<'static, str> {
        "DiceChessLegalTurns".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The legal turns: a micro-move, and what may follow it. {} ends a turn; at the top it is a forced pass.",
            "type": "object",
            "additionalProperties": generator.subschema_for::<LegalTurns>(),
        })
    }
}
