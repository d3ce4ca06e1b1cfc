use std::str::FromStr;

use schemars::schema_for;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::{IllegalMove, Outcome, Seat, mancala};

/// `Play` stands inside a record that says more, as in the API.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MoveRecord {
    player_id: String,
    #[serde(flatten)]
    play: Play,
    at: u64,
}

fn mancala(index: u8) -> Move {
    Move::Mancala(mancala::Move(index))
}

#[test]
fn a_kind_has_one_name_in_text_and_in_json() {
    for &kind in Kind::ALL {
        assert_eq!(Kind::from_str(&kind.to_string()), Ok(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        assert_eq!(
            serde_json::to_value(State::initial(kind)).unwrap()["kind"],
            kind.as_str()
        );
    }
    assert_eq!("Mancala".parse::<Kind>(), Err(UnknownKind("Mancala".into())));
    assert!(serde_json::from_value::<Kind>(json!("go")).is_err());
}

#[test]
fn mancala_is_played_by_the_first_version_of_mangala() {
    assert_eq!(Kind::Mancala.to_string(), "mancala");
    assert_eq!(Kind::Mancala.rules(), "mangala");
    assert_eq!(Kind::Mancala.rules_version(), 1);
}

#[test]
fn a_state_says_its_kind() {
    let state = State::initial(Kind::Mancala);
    let json = json!({
        "kind": "mancala",
        "board": [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0],
        "toMove": "player1",
    });
    assert_eq!(serde_json::to_value(&state).unwrap(), json);
    assert_eq!(serde_json::from_value::<State>(json).unwrap(), state);
    assert_eq!(state.kind(), Kind::Mancala);
}

#[test]
fn a_corrupt_state_is_refused() {
    let board = mancala::START;
    for json in [
        json!({"kind": "mancala", "board": board, "toMove": null}),
        json!({"kind": "mancala", "board": vec![4; 14], "toMove": "player1"}),
        json!({"kind": "mancala", "toMove": "player1"}),
        json!({"kind": "go", "board": board, "toMove": "player1"}),
        json!({"board": board, "toMove": "player1"}),
    ] {
        assert!(serde_json::from_value::<State>(json.clone()).is_err(), "{json}");
    }
}

#[test]
fn a_mancala_move_is_a_bare_number() {
    assert_eq!(serde_json::to_value(mancala(3)).unwrap(), json!(3));
    assert_eq!(serde_json::from_value::<Move>(json!(3)).unwrap(), mancala(3));
}

#[test]
fn what_is_no_place_on_the_board_is_refused_as_json_or_as_a_move() {
    for json in [
        json!("3"),
        json!(-1),
        json!(2.5),
        json!(256),
        json!(null),
        json!([3]),
        json!({"moveIndex": 3}),
    ] {
        assert!(serde_json::from_value::<Move>(json.clone()).is_err(), "{json}");
    }
    let state = State::initial(Kind::Mancala);
    for place in 13..=255 {
        let mv = serde_json::from_value(json!(place)).unwrap();
        assert_eq!(state.play(Seat::Player1, &mv), Err(IllegalMove::OutOfRange));
    }
}

#[test]
fn playing_goes_by_the_rules_of_the_kind() {
    let start = State::initial(Kind::Mancala);
    let played = start.play(Seat::Player1, &mancala(3)).unwrap();
    assert_eq!(played.state.to_move(), Some(Seat::Player1));
    assert_eq!(
        played.state.board(),
        Board::Mancala([4, 4, 4, 1, 5, 5, 1, 4, 4, 4, 4, 4, 4, 0])
    );
    assert_eq!(
        start.advance(Seat::Player1, &mancala(3)),
        Ok(played.state.clone())
    );
    assert_eq!(played.state.outcome(), None);
    assert_eq!(start.legal_moves(), (0..6).map(mancala).collect::<Vec<_>>());
    assert_eq!(
        start.play(Seat::Player2, &mancala(7)),
        Err(IllegalMove::NotYourTurn)
    );
}

#[test]
fn a_play_is_flattened_into_a_record_and_read_back() {
    let mv = mancala(5);
    let played = State::initial(Kind::Mancala).play(Seat::Player1, &mv).unwrap();
    let record = MoveRecord {
        player_id: "ada".into(),
        play: Play::of(&mv, &played),
        at: 1_700_000_000_000,
    };
    let json = json!({
        "playerId": "ada",
        "moveIndex": 5,
        "boardSnapshot": [4, 4, 4, 4, 4, 1, 1, 5, 5, 4, 4, 4, 4, 0],
        "gameSteps": [
            {"index": 5, "type": "GAME_STEP_GAME_MOVE"},
            {"index": 6, "type": "GAME_STEP_GAME_MOVE"},
            {"index": 7, "type": "GAME_STEP_GAME_MOVE"},
            {"index": 8, "type": "GAME_STEP_GAME_MOVE"},
        ],
        "at": 1_700_000_000_000_u64,
    });
    assert_eq!(serde_json::to_value(&record).unwrap(), json);
    assert_eq!(
        serde_json::from_str::<MoveRecord>(&json.to_string()).unwrap(),
        record
    );
    assert_eq!(serde_json::from_value::<MoveRecord>(json).unwrap(), record);
}

#[test]
fn steps_and_boards_survive_json() {
    let played = State::initial(Kind::Mancala)
        .play(Seat::Player1, &mancala(3))
        .unwrap();
    let steps = serde_json::to_value(&played.steps).unwrap();
    assert_eq!(steps.as_array().map(Vec::len), Some(5));
    assert_eq!(serde_json::from_value::<Steps>(steps).unwrap(), played.steps);
    let board = serde_json::to_value(played.state.board()).unwrap();
    assert_eq!(board, json!([4, 4, 4, 1, 5, 5, 1, 4, 4, 4, 4, 4, 4, 0]));
    assert_eq!(
        serde_json::from_value::<Board>(board).unwrap(),
        played.state.board()
    );
}

#[test]
fn every_type_has_a_schema() {
    let state = serde_json::to_string(&schema_for!(State)).unwrap();
    for word in [
        "\"kind\"",
        "\"mancala\"",
        "\"board\"",
        "\"toMove\"",
        "\"player1\"",
    ] {
        assert!(state.contains(word), "{word} is missing in {state}");
    }
    let mv = serde_json::to_value(schema_for!(Move)).unwrap();
    let number = mv
        .pointer("/$defs/MancalaMove")
        .expect("a mancala move has a schema of its own");
    assert_eq!(
        (&number["type"], &number["minimum"], &number["maximum"]),
        (&json!("integer"), &json!(0), &json!(12))
    );
    let play = serde_json::to_string(&schema_for!(Play)).unwrap();
    for word in [
        "\"moveIndex\"",
        "\"boardSnapshot\"",
        "\"gameSteps\"",
        "GAME_STEP_BOARD_CLEARED",
    ] {
        assert!(play.contains(word), "{word} is missing in {play}");
    }
    for schema in [
        schema_for!(Steps),
        schema_for!(Board),
        schema_for!(Kind),
        schema_for!(Outcome),
    ] {
        assert!(schema.as_object().is_some_and(|schema| schema.len() > 1));
    }
}

/// A second kind in the list: what the types of this module promise for several kinds cannot be seen with
/// one.
mod two_kinds {
    use super::*;
    use crate::Rules;

    /// Players take turns in counting down from two; who says zero wins.
    pub struct Countdown;

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
    pub struct CountdownState {
        left: u8,
    }

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
    pub enum CountdownMove {
        #[serde(rename = "down")]
        Down,
    }

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
    pub struct CountdownPlay {
        said: u8,
    }

    impl Rules for Countdown {
        const NAME: &'static str = "countdown";
        const RULES: &'static str = "from two";
        const VERSION: u32 = 7;

        type State = CountdownState;
        type Move = CountdownMove;
        type Steps = String;
        type Board = u8;
        type Play = CountdownPlay;

        fn initial() -> CountdownState {
            CountdownState { left: 2 }
        }

        fn to_move(state: &CountdownState) -> Option<Seat> {
            [None, Some(Seat::Player2), Some(Seat::Player1)][usize::from(state.left)]
        }

        fn play(
            state: &CountdownState,
            seat: Seat,
            _: &CountdownMove,
        ) -> Result<(CountdownState, String), IllegalMove> {
            match Self::to_move(state) {
                None => Err(IllegalMove::GameOver),
                Some(to_move) if to_move != seat => Err(IllegalMove::NotYourTurn),
                Some(_) => Ok((CountdownState { left: state.left - 1 }, format!("{seat} counts"))),
            }
        }

        fn outcome(state: &CountdownState) -> Option<Outcome> {
            (state.left == 0).then_some(Outcome::Player2)
        }

        fn board(state: &CountdownState) -> u8 {
            state.left
        }

        fn legal_moves(state: &CountdownState) -> Vec<CountdownMove> {
            Self::to_move(state)
                .map(|_| CountdownMove::Down)
                .into_iter()
                .collect()
        }

        fn record(_: &CountdownMove, after: &CountdownState, _: &String) -> CountdownPlay {
            CountdownPlay { said: after.left }
        }
    }

    kinds! {
        /// Turkish mangala.
        Mancala => crate::mancala::Mancala,
        /// The game above.
        Countdown => Countdown,
    }

    #[test]
    fn a_move_of_another_kind_is_refused() {
        let down = Move::from(CountdownMove::Down);
        let sow = Move::from(mancala::Move(0));
        assert_eq!((down.kind(), sow.kind()), (Kind::Countdown, Kind::Mancala));
        let mancala = State::initial(Kind::Mancala);
        let countdown = State::initial(Kind::Countdown);
        assert_eq!(mancala.play(Seat::Player1, &down), Err(IllegalMove::OtherKind));
        assert_eq!(mancala.advance(Seat::Player1, &down), Err(IllegalMove::OtherKind));
        assert_eq!(countdown.play(Seat::Player1, &sow), Err(IllegalMove::OtherKind));
        assert!(mancala.play(Seat::Player1, &sow).is_ok());
        assert!(countdown.play(Seat::Player1, &down).is_ok());
    }

    #[test]
    fn every_kind_can_be_played_to_its_end_by_names_alone() {
        for &kind in Kind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert!(!kind.rules().is_empty() && kind.rules_version() > 0);
            // A game that says nothing of time has no clock.
            assert_eq!(
                (
                    kind.usual_clock_s(),
                    kind.longest_turn_s(),
                    kind.longest_absence_s()
                ),
                (None, None, None)
            );
            let mut state = State::initial(kind);
            while let Some(seat) = state.to_move() {
                let mv = state.legal_moves().swap_remove(0);
                assert_eq!(mv.kind(), kind);
                let played = state.play(seat, &mv).unwrap();
                assert_eq!(state.advance(seat, &mv).as_ref(), Ok(&played.state));
                assert_survives_json(&mv);
                assert_survives_json(&played.state);
                assert_survives_json(&played.steps);
                assert_survives_json(&played.state.board());
                assert_survives_json(&Play::of(&mv, &played));
                state = played.state;
            }
            assert_eq!(state.kind(), kind);
            assert!(state.outcome().is_some() && state.legal_moves().is_empty());
            assert_eq!(
                State::initial(kind),
                match kind {
                    Kind::Mancala => mancala::State::initial().into(),
                    Kind::Countdown => Countdown::initial().into(),
                }
            );
        }
    }

    #[test]
    #[should_panic(expected = "of one kind")]
    fn a_play_of_a_move_and_the_result_of_another_kind_of_move_is_a_mistake() {
        let sow = Move::from(mancala::Move(0));
        let played = State::initial(Kind::Mancala).play(Seat::Player1, &sow).unwrap();
        let _ = Play::of(&CountdownMove::Down.into(), &played);
    }

    fn assert_survives_json<T>(value: &T)
    where
        T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let json: Value = serde_json::to_value(value).unwrap();
        assert_eq!(&serde_json::from_value::<T>(json).unwrap(), value);
    }
}
