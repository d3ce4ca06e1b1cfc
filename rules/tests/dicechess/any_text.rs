//! Reading is total: whatever the text, the answer is a value, and what is read can be played.

use proptest::prelude::*;
use rules::dicechess::{Color, DrawOffers, LegalTurns, MicroMove, Piece, Position, Roll, START, State};
use turnstream_rules as rules;

/// A DFEN, with some of its characters replaced, added or taken away.
fn damaged() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => prop::sample::select("pnbrqkPNBRQK12345678/ -wbabcdefgh0".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    let damage = prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            prop::option::of(character),
            any::<bool>(),
        ),
        0..6,
    );
    let dfen = prop::sample::select(vec![
        START.to_owned(),
        format!("{START} PNK"),
        "r3k2r/1P6/8/2pPp3/2PpP3/8/6p1/R3K2R w KQkq c6e6 99 2499 PRK".to_owned(),
        "r3k2r/1P6/8/2pPp3/2PpP3/8/6p1/R3K2R b KQkq c3e3 127 2147483647 prk".to_owned(),
    ]);
    (dfen, damage).prop_map(|(dfen, damage)| {
        let mut text: Vec<char> = dfen.chars().collect();
        for (place, character, replaces) in damage {
            let place = place.index(text.len());
            match character {
                Some(character) if replaces => text[place] = character,
                Some(character) => text.insert(place, character),
                None if text.len() > 1 => drop(text.remove(place)),
                None => (),
            }
        }
        text.into_iter().collect()
    })
}

/// A board with any few pieces anywhere, pawns on the last rank and missing kings among them.
fn any_board() -> impl Strategy<Value = String> {
    let square =
        prop_oneof![6 => Just('1'), 1 => prop::sample::select("pnbrqkPNBRQK".chars().collect::<Vec<_>>())];
    let board = prop::collection::vec(square, 64);
    let side = prop::sample::select(vec!['w', 'b']);
    let en_passant = prop::sample::select(vec!["-", "a3c3e6", "b6h6", "a3b3c3d3e3f3g3h3a6b6c6d6e6f6g6h6"]);
    let dice = prop::collection::vec(prop::sample::select(Piece::ALL.to_vec()), 1..=3);
    (board, side, en_passant, dice, 0..=127_u8).prop_map(|(board, side, en_passant, dice, half_moves)| {
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let dice: String = dice.iter().map(ToString::to_string).collect();
        format!(
            "{} {side} KQkq {en_passant} {half_moves} 7 {dice}",
            ranks.join("/")
        )
    })
}

/// Plays some turns with what was read.
fn use_it(position: &Position) {
    assert_eq!(position.to_string().parse(), Ok(*position));
    assert_eq!(
        position.key().parse::<Position>().unwrap().side(),
        position.side()
    );
    let Some(turns) = LegalTurns::at_most(20_000, position) else {
        return;
    };
    assert_eq!(turns.len(), position.count_turns());
    for turn in turns.iter().step_by(turns.len() / 5 + 1) {
        assert!(position.is_legal(turn.moves()));
        let after = turn.moves().iter().fold(*position, |position, &mv| {
            let next = position.after(mv).expect("a legal turn can be played");
            assert!(next.half_moves() == 0 || next.half_moves() == (position.half_moves() + 1).min(127));
            next
        });
        for after in [after, after.end_turn()] {
            assert_eq!(after.to_string().parse(), Ok(after));
        }
    }
    if let Ok(state) = State::new(*position, None, DrawOffers::default()) {
        let _ = state
            .rolled(Roll::new([1, 4, 6]).unwrap())
            .map(|state| state.next());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_text_is_a_position_or_an_error(text in prop_oneof![damaged(), any::<String>()]) {
        if let Ok(position) = text.parse::<Position>() {
            use_it(&position);
        }
        let json = serde_json::json!({"dfen": text, "roll": [1, 4, 6]});
        let _ = serde_json::from_value::<State>(json);
    }

    #[test]
    fn any_text_is_a_micro_move_or_an_error(text in prop_oneof![any::<String>(), "[a-i][0-9][a-i][0-9][a-zA-Z]?"]) {
        if let Ok(mv) = text.parse::<MicroMove>() {
            prop_assert_eq!(mv.to_string(), text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_board_can_be_played(dfen in any_board()) {
        let position: Position = dfen.parse().unwrap();
        use_it(&position);
        for (color, piece) in Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| (color, piece))) {
            for mv in position.with_side(color).micro_moves(piece) {
                prop_assert!(position.with_side(color).after(mv).is_some());
            }
        }
        prop_assert_eq!(position.is_legal(&[]), !position.can_move());
    }
}
