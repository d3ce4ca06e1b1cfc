//! Statements about single positions, each with its own check.

use rules::dicechess::{LegalTurns, Position};
use serde::Deserialize;
use serde_json::Value;
use turnstream_rules as rules;

use crate::vectors::{micro_move, position, position_with, stated, texts};

#[derive(Deserialize)]
#[serde(untagged)]
enum Property {
    /// One field of the DFEN after a micro-move.
    Field {
        before: String,
        micro_move: String,
        field: String,
        value: Value,
    },
    /// A sentence about the legal turns.
    Turns {
        dfen: String,
        dice: Vec<u8>,
        expect: String,
    },
}

#[test]
fn every_stated_property_of_a_turn_holds() {
    let properties: Vec<Property> = stated("turn_properties");
    assert_eq!(properties.len(), 33);
    for property in properties {
        match property {
            Property::Field {
                before,
                micro_move: mv,
                field,
                value,
            } => {
                let after = position(&before).after(micro_move(&mv)).unwrap();
                assert!(field_is(&after, &field, &value), "{before} {mv}: {after}");
            }
            Property::Turns { dfen, dice, expect } => {
                let position = position_with(&dfen, &dice);
                assert!(holds(&Turns::of(&position), &expect), "{position}: {expect}");
            }
        }
    }
}

fn field_is(position: &Position, field: &str, value: &Value) -> bool {
    let dfen = position.to_string();
    let fields: Vec<_> = dfen.split(' ').collect();
    match field {
        "castling" => fields[2] == value,
        "castling_lacks" => !fields[2].contains(value.as_str().unwrap()),
        "en_passant" => fields[3] == value,
        "halfmove" => fields[4].parse::<u64>().ok() == value.as_u64(),
        _ => panic!("unknown field {field}"),
    }
}

/// The legal turns as texts, with how many dice each spends.
struct Turns(Vec<(Vec<String>, u8)>);

impl Turns {
    fn of(position: &Position) -> Turns {
        let spent = |moves: &[_]| {
            let after = moves
                .iter()
                .fold(*position, |position, &mv| position.after(mv).unwrap());
            position.pool().len() - after.pool().len()
        };
        let turns = LegalTurns::of(position);
        Turns(
            turns
                .iter()
                .map(|turn| (texts(turn.moves()), spent(turn.moves())))
                .collect(),
        )
    }

    fn first(&self, mv: &str) -> bool {
        self.0.iter().any(|(turn, _)| turn[0] == mv)
    }

    fn firsts(&self) -> Vec<&str> {
        let mut firsts: Vec<_> = self.0.iter().map(|(turn, _)| turn[0].as_str()).collect();
        firsts.dedup();
        firsts
    }

    fn has(&self, moves: &[&str]) -> bool {
        self.0.iter().any(|(turn, _)| turn == moves)
    }

    fn all_spend(&self, dice: u8) -> bool {
        self.0.iter().all(|&(_, spent)| spent == dice)
    }

    fn any_move(&self, wanted: &[&str]) -> bool {
        self.0
            .iter()
            .flat_map(|(turn, _)| turn)
            .any(|mv| wanted.contains(&mv.as_str()))
    }
}

const CASTLINGS: [&str; 4] = ["e1g1", "e1c1", "e8g8", "e8c8"];

fn holds(turns: &Turns, expect: &str) -> bool {
    match expect {
        "castling-first turns exist; every legal turn spends 3 dice" => {
            turns.first("e1g1") && turns.all_spend(3)
        }
        "black queen-side castling turn e8c8 present" => turns.has(&["e8c8"]),
        "every legal turn has the same (maximum) number of micro-moves; no castling" => {
            turns.0.iter().all(|(turn, _)| turn.len() == 2) && !turns.any_move(&CASTLINGS)
        }
        "some legal turn plays e4d3 en passant as the 2nd micro-move (e.g. b8c8,e4d3,g8f6)" => {
            turns.has(&["b8c8", "e4d3", "g8f6"])
        }
        "first move a2a3 illegal, e2e3 legal" => !turns.first("a2a3") && turns.first("e2e3"),
        "only the 4 knight moves are legal first moves" => turns.firsts() == ["b1a3", "b1c3", "g1f3", "g1h3"],
        "no legal turn (forced pass)" => turns.0.is_empty(),
        "exactly 3 legal first moves" => turns.firsts().len() == 3,
        "promotion to queen is illegal as first move" => !turns.first("e7e8q") && turns.first("e7e8n"),
        "all four promotions legal as first move" => ["e7e8b", "e7e8n", "e7e8q", "e7e8r"]
            .iter()
            .all(|mv| turns.first(mv)),
        "both castlings legal as first move" => turns.first("e1g1") && turns.first("e1c1"),
        "castling illegal (no rook die)" => !turns.any_move(&CASTLINGS),
        "en-passant e5f6 legal as first move" => turns.first("e5f6"),
        "king-side castling IS legal: g1 attacked" | "king-side castling IS legal: f1 attacked" => {
            turns.has(&["e1g1"])
        }
        "some legal turn starts with castling e1g1 (1 move, 2 dice)" => {
            turns.0.contains(&(vec!["e1g1".to_owned()], 2))
        }
        "some legal turn ENDS with the en-passant capture e4d3 (e.g. d8d6,d6c6,e4d3)" => {
            turns.has(&["d8d6", "d6c6", "e4d3"])
        }
        "e2e4 legal as first move" => turns.first("e2e4"),
        "e4e5 legal (maximum is 2 dice)" => turns.has(&["e4e5", "e5e6"]) && turns.all_spend(2),
        _ if expect.starts_with("no castling generated although the rights field claims it") => {
            !turns.any_move(&CASTLINGS)
        }
        _ => panic!("unknown property {expect}"),
    }
}
