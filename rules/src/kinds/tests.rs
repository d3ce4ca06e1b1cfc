use std::str::FromStr;

use schemars::schema_for;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::fair::{ClientSeeds, ServerSeed};
use crate::{DrawRefusal, IllegalMove, Leaving, Next, NoChance, Outcome, Seat, mancala};

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

fn turn(moves: &[&str]) -> Move {
    serde_json::from_value(json!(moves)).unwrap()
}

/// Whatever the game waits for, done at once: the last choice of several, dice from the seeds below.
fn go_on(state: &State) -> Option<State> {
    let seed = ServerSeed::new([7; 32]);
    let clients = ClientSeeds {
        player1: "ada",
        player2: "ben",
    };
    let play = |seat: Seat, mv: &Move| {
        let played = state.play(seat, mv).unwrap();
        assert_eq!(state.advance(seat, mv).as_ref(), Ok(&played.state));
        assert_survives_json(mv);
        assert_survives_json(&played.steps);
        assert_survives_json(&played.state.board());
        assert_survives_json(&Play::of(mv, &played));
        assert_eq!(Play::of(mv, &played).chance(), state.chance());
        played.state
    };
    Some(match state.next() {
        Next::Choose(seat) => {
            let moves = state.legal_moves();
            let choices = state.choices(moves.len());
            assert_survives_json(&choices.unwrap());
            assert_eq!(state.choices(moves.len() - 1), None);
            play(seat, moves.last().unwrap())
        }
        Next::Forced(seat, mv) => {
            assert_eq!(state.legal_moves(), std::slice::from_ref(&mv));
            play(seat, &mv)
        }
        Next::Chance(_) => {
            let throw = state.kind().throw(&seed, clients, state.chance_index()).unwrap();
            assert_survives_json(&throw);
            let thrown = state.thrown(&throw).unwrap();
            assert_eq!(thrown.chance(), Some(throw.clone()));
            assert_eq!(thrown.thrown(&throw), Err(IllegalMove::ChanceNotDue));
            thrown
        }
        Next::Answer(seat) => state.answer_draw(seat, false).unwrap(),
        Next::Over(_) => return None,
    })
}

#[test]
fn every_kind_can_be_played_to_its_end_by_names_alone() {
    for &kind in Kind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
        assert!(!kind.rules().is_empty() && kind.rules_version() > 0);
        let mut state = State::initial(kind);
        assert_eq!(kind.is_fair(), matches!(state.next(), Next::Chance(_)));
        while let Some(next) = go_on(&state) {
            assert_eq!(state.next().seat(), state.to_move());
            assert_eq!((state.ending(), state.outcome()), (None, None));
            assert_survives_json(&next);
            state = next;
        }
        assert_eq!(state.kind(), kind);
        assert_eq!(state.to_move(), None);
        let ending = state.ending().unwrap();
        assert_eq!(state.next(), Next::Over(ending));
        assert_eq!(state.outcome(), Some(ending.outcome));
        assert!(state.legal_moves().is_empty());
        assert_eq!(state.choices(0), Some(Choices::none(kind)));
    }
}

#[test]
fn what_is_of_another_kind_is_refused() {
    let (sow, pawn) = (mancala(0), turn(&["e2e4"]));
    assert_eq!((pawn.kind(), sow.kind()), (Kind::DiceChess, Kind::Mancala));
    let board = State::initial(Kind::Mancala);
    let chess = State::initial(Kind::DiceChess);
    assert_eq!(board.play(Seat::Player1, &pawn), Err(IllegalMove::OtherKind));
    assert_eq!(board.advance(Seat::Player1, &pawn), Err(IllegalMove::OtherKind));
    assert_eq!(chess.play(Seat::Player1, &sow), Err(IllegalMove::OtherKind));
    let dice = Chance::DiceChess(serde_json::from_value(json!([1, 2, 3])).unwrap());
    assert_eq!(board.thrown(&dice), Err(IllegalMove::OtherKind));
    assert!(
        chess
            .thrown(&dice)
            .unwrap()
            .play(Seat::Player1, &turn(&["e2e4", "b1c3"]))
            .is_err()
    );
    assert_eq!(dice.to_string(), "1 2 3");
}

#[test]
fn a_game_without_chance_and_without_draw_offers_says_so() {
    let board = State::initial(Kind::Mancala);
    let clients = ClientSeeds {
        player1: "",
        player2: "",
    };
    let seed = ServerSeed::new([0; 32]);
    assert_eq!(Kind::Mancala.throw(&seed, clients, 0), None);
    assert!(!Kind::Mancala.is_fair());
    assert_eq!((board.chance(), board.chance_index()), (None, 0));
    assert_eq!(
        board.arm_draw(Seat::Player1, true),
        Err(DrawRefusal::NoDrawOffers)
    );
    assert_eq!(
        board.answer_draw(Seat::Player1, true),
        Err(DrawRefusal::NoDrawOffers)
    );
    assert_eq!(board.pending_draw(), None);
    assert!(serde_json::from_value::<NoChance>(json!(null)).is_err());
}

#[test]
fn a_game_says_what_is_usual_in_it_where_time_matters() {
    let usual = |kind: Kind| {
        (
            kind.usual_clock_s(),
            kind.longest_turn_s(),
            kind.longest_absence_s(),
        )
    };
    assert_eq!(usual(Kind::Mancala), (None, None, None));
    assert_eq!(usual(Kind::DiceChess), (Some((600, 10)), Some(120), Some(30)));
}

#[test]
fn leaving_is_resigning_where_kings_are_captured() {
    assert_eq!(Kind::Mancala.leaving(), Leaving::Left);
    assert_eq!(Kind::DiceChess.leaving(), Leaving::Resigned);
}

#[test]
#[should_panic(expected = "of one kind")]
fn a_play_of_a_move_and_the_result_of_another_kind_of_move_is_a_mistake() {
    let played = State::initial(Kind::Mancala)
        .play(Seat::Player1, &mancala(0))
        .unwrap();
    let _ = Play::of(&turn(&["e2e4"]), &played);
}

fn assert_survives_json<T>(value: &T)
where
    T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let json: Value = serde_json::to_value(value).unwrap();
    assert_eq!(&serde_json::from_value::<T>(json).unwrap(), value);
}
