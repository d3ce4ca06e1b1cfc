//! A whole game, played from its seeds.

use rules::{
    Outcome, Rules, Seat,
    dicechess::{DICE, DiceChess, Next, Roll, State},
    fair::{ClientSeeds, ServerSeed},
};
use serde::Deserialize;
use serde_json::{json, to_value};
use sha2::{Digest, Sha256};
use turnstream_rules as rules;

use crate::vectors::{derived, turn};

#[derive(Deserialize)]
struct Game {
    server_seed_hex: String,
    client_white: String,
    client_black: String,
    result: String,
    turns: Vec<Recorded>,
}

/// Number, side, dice, number of legal turns, moves, DFEN after.
#[derive(Deserialize)]
struct Recorded(u64, String, [u8; DICE], usize, Vec<String>, String);

/// The recorded choice among so many turns: the same for everybody who knows the number of the roll.
fn choice(index: u64, turns: usize) -> usize {
    let hash = Sha256::digest(index.to_string());
    let number = u64::from_be_bytes(hash[..8].try_into().unwrap());
    (number % turns as u64) as usize
}

#[test]
fn a_recorded_game_is_played_again_from_its_seeds() {
    let game: Game = derived("played_game");
    assert_eq!(game.turns.len(), 326);
    let seed = ServerSeed::from_hex(&game.server_seed_hex).unwrap();
    let clients = ClientSeeds {
        player1: &game.client_white,
        player2: &game.client_black,
    };
    let mut state = State::initial();
    for Recorded(index, side, dice, legal_turns, moves, dfen_after) in game.turns {
        let seat = if side == "white" {
            Seat::Player1
        } else {
            Seat::Player2
        };
        assert_eq!(state.turns_over(), index);
        assert_eq!(state.next(), Next::Roll(seat));
        let roll = Roll::of(&seed, clients, state.turns_over());
        assert_eq!(roll.faces(), dice, "roll {index}");
        state = state.rolled(roll).unwrap();

        let turns = state.legal_turns();
        assert_eq!(turns.len(), legal_turns, "turn {index}");
        let chosen = match state.next() {
            Next::Turn(_) => turns.iter().nth(choice(index, turns.len())).unwrap(),
            _ => turn(&[]),
        };
        assert_eq!(chosen, turn(&moves), "turn {index}");
        let (after, steps) = DiceChess::play(&state, seat, &chosen).unwrap();
        assert_eq!(
            to_value(DiceChess::record(&chosen, &after, &steps)).unwrap(),
            json!({"dice": dice, "moves": moves, "dfenAfter": dfen_after}),
            "turn {index}"
        );
        state = after;
    }
    assert_eq!(game.result, "black");
    assert_eq!(DiceChess::outcome(&state), Some(Outcome::Player2));
}
