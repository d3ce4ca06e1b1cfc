//! Fair dice against recorded rolls.

use rules::dicechess::{DICE, Piece, Roll};
use rules::fair::{ClientSeeds, ServerSeed, is_client_seed, verify};
use serde::Deserialize;
use serde_json::Value;
use turnstream_rules as rules;

use crate::vectors::{derived, stated};

#[derive(Deserialize)]
struct Case {
    server_seed_hex: String,
    commit: String,
    client_white: String,
    client_black: String,
    rolls_by_index: Vec<[u8; DICE]>,
    roll_1000000: [u8; DICE],
}

#[test]
fn recorded_rolls_follow_from_their_seeds() {
    let cases: Vec<Case> = derived("dice_rolls");
    assert_eq!(cases.len(), 3);
    for case in cases {
        let seed = ServerSeed::from_hex(&case.server_seed_hex).unwrap();
        assert_eq!(seed.commit(), case.commit);
        assert_eq!(seed.reveal(), case.server_seed_hex);
        let clients = ClientSeeds {
            player1: &case.client_white,
            player2: &case.client_black,
        };
        let rolls: Vec<_> = (0..)
            .zip(&case.rolls_by_index)
            .map(|(index, faces)| (index, (*faces).try_into().unwrap()))
            .collect();
        assert_eq!(rolls.len(), 12);
        assert_eq!(
            verify(&case.commit, &case.server_seed_hex, rolls, |seed, index| {
                Roll::of(seed, clients, index)
            }),
            Ok(())
        );
        assert_eq!(Roll::of(&seed, clients, 1_000_000).faces(), case.roll_1000000);
    }
}

#[test]
fn the_stated_constants_and_properties_are_ours() {
    let stated: Value = stated("provably_fair");
    let constants = &stated["stated_constants"];
    assert_eq!(constants["dice_per_roll"], DICE);
    assert_eq!(constants["faces"], Piece::NUM);
    for length in constants["client_seed_chars"].as_array().unwrap() {
        assert!(is_client_seed(&"a".repeat(length.as_u64().unwrap() as usize)));
    }
    assert_eq!(stated["stated_numeric_rolls"], Value::Array(Vec::new()));

    // Every roll of the first 200 has three faces; a `Roll` has no others.
    let seed = ServerSeed::new(std::array::from_fn(|index| index as u8));
    let clients = ClientSeeds {
        player1: "alice",
        player2: "bob",
    };
    let faces: Vec<_> = (0..200)
        .flat_map(|index| Roll::of(&seed, clients, index).faces())
        .collect();
    assert!((1..=6).all(|face| faces.contains(&face)));
}
