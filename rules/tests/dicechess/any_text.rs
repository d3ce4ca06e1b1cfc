//! Reading is total: whatever the text, the answer is a value, and what is read can be played.

use std::sync::LazyLock;

use proptest::prelude::*;
use rules::dicechess::{Color, DrawOffers, LegalTurns, MicroMove, Piece, Position, Roll, State};
use turnstream_rules as rules;

use crate::vectors;

static DFENS: LazyLock<Vec<String>> = LazyLock::new(vectors::dfens);

/// A DFEN that somebody else wrote, or one whose fields are each from some DFEN.
fn known() -> impl Strategy<Value = String> {
    let dfen = || prop::sample::select(DFENS.as_slice());
    let mixed = prop::collection::vec(dfen(), 4..=8).prop_map(|dfens| {
        let fields = dfens.iter().enumerate();
        let fields: Vec<&str> = fields
            .filter_map(|(place, dfen)| dfen.split(' ').nth(place))
            .collect();
        fields.join(" ")
    });
    prop_oneof![2 => dfen(), 1 => mixed]
}

/// What becomes of a text at one place.
#[derive(Clone, Debug)]
enum Damage {
    Replace(char),
    Insert(char),
    Remove,
    /// A field is there twice.
    Repeat,
    /// It ends there.
    Cut,
}

fn damage() -> impl Strategy<Value = Damage> {
    let character = || {
        prop_oneof![
            4 => prop::sample::select("pnbrqkPNBRQK12345678/ -wbabcdefgh0".chars().collect::<Vec<_>>()),
            1 => any::<char>(),
        ]
    };
    prop_oneof![
        6 => character().prop_map(Damage::Replace),
        6 => character().prop_map(Damage::Insert),
        6 => Just(Damage::Remove),
        1 => Just(Damage::Repeat),
        1 => Just(Damage::Cut),
    ]
}

fn damaged() -> impl Strategy<Value = String> {
    let damages = prop::collection::vec((any::<prop::sample::Index>(), damage()), 0..6);
    (known(), damages).prop_map(|(dfen, damages)| {
        let mut text: Vec<char> = dfen.chars().collect();
        for (place, damage) in damages {
            if text.is_empty() {
                break;
            }
            let place = place.index(text.len());
            match damage {
                Damage::Replace(character) => text[place] = character,
                Damage::Insert(character) => text.insert(place, character),
                Damage::Remove => drop(text.remove(place)),
                Damage::Cut => text.truncate(place),
                Damage::Repeat => {
                    let field = text[place..].iter().take_while(|character| **character != ' ');
                    let again: Vec<char> = [' '].iter().chain(field).copied().collect();
                    text.splice(place..place, again);
                }
            }
        }
        text.into_iter().collect()
    })
}

/// Any bytes, as text: what is no UTF-8 is replaced, as a decoder does that cannot refuse.
fn any_bytes() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u8>(), 0..120).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
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
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_a_position_or_an_error(text in prop_oneof![6 => damaged(), 1 => any::<String>(), 1 => any_bytes()]) {
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
