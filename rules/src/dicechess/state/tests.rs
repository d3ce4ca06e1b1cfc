use serde_json::{Value, json};

use super::*;
use crate::{Outcome, RuleEnd};

const WHITE: Seat = Seat::Player1;
const BLACK: Seat = Seat::Player2;

fn roll(faces: [u8; 3]) -> Roll {
    Roll::new(faces).unwrap()
}

fn turn(moves: &[&str]) -> Turn {
    Turn::new(moves.iter().map(|mv| mv.parse().unwrap()).collect()).unwrap()
}

fn at(dfen: &str) -> State {
    State::new(dfen.parse().unwrap(), None, DrawOffers::default()).unwrap()
}

/// The state after a roll and a turn with it.
fn played(state: &State, seat: Seat, faces: [u8; 3], moves: &[&str]) -> State {
    let rolled = state.rolled(roll(faces)).unwrap();
    rolled.play(seat, &turn(moves)).unwrap().0
}

#[test]
fn a_game_waits_for_a_roll_and_a_turn_by_turns() {
    let start = State::initial();
    assert_eq!(start.next(), Next::Roll(WHITE));
    let rolled = start.rolled(roll([1, 2, 3])).unwrap();
    assert_eq!(rolled.next(), Next::Turn(WHITE));
    assert_eq!(rolled.rolled(roll([1, 2, 3])), Err(NoRollDue));
    let (next, dice) = rolled.play(WHITE, &turn(&["e2e3", "f1c4", "g1f3"])).unwrap();
    assert_eq!(dice, roll([1, 2, 3]));
    assert_eq!(next.next(), Next::Roll(BLACK));
    assert_eq!((start.turns_over(), next.turns_over()), (0, 1));
}

#[test]
fn a_turn_is_refused_with_the_first_reason_there_is() {
    let start = State::initial();
    let pawns = turn(&["a2a3", "b2b3", "c2c3"]);
    assert_eq!(start.play(BLACK, &pawns), Err(IllegalMove::NotYourTurn));
    assert_eq!(start.play(WHITE, &pawns), Err(IllegalMove::NotRolled));
    let rolled = start.rolled(roll([1, 1, 2])).unwrap();
    assert_eq!(rolled.play(BLACK, &pawns), Err(IllegalMove::NotYourTurn));
    assert_eq!(rolled.play(WHITE, &pawns), Err(IllegalMove::NoLegalTurn));
    assert_eq!(rolled.play(WHITE, &Turn::PASS), Err(IllegalMove::NoLegalTurn));
}

#[test]
fn who_has_no_turn_passes_and_the_half_moves_stay() {
    let start = at("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 17 1");
    let rolled = start.rolled(roll([3, 4, 5])).unwrap();
    assert_eq!(rolled.next(), Next::Pass(WHITE));
    assert!(rolled.legal_turns().is_empty());
    let (next, _) = rolled.play(WHITE, &Turn::PASS).unwrap();
    assert_eq!(next.next(), Next::Roll(BLACK));
    assert_eq!((next.turns_over(), next.position().half_moves()), (1, 17));
}

#[test]
fn a_captured_king_ends_the_game_before_the_end_of_the_turn() {
    let state = played(
        &at("4k3/8/8/8/8/8/8/R3K3 w - - 99 40"),
        WHITE,
        [4, 4, 4],
        &["a1a8", "a8e8"],
    );
    assert_eq!(state.next(), Next::Over(Ending::KingCaptured(WHITE)));
    assert_eq!(state.position().to_string(), "4R3/8/8/8/8/8/8/4K3 w - - 0 40");
    assert_eq!((state.to_move(), state.roll()), (None, None));
    let ending = crate::Ending::from(Ending::KingCaptured(WHITE));
    assert_eq!(
        (ending.outcome, ending.reason),
        (Outcome::Player1, RuleEnd::KingCaptured)
    );
}

#[test]
fn a_hundred_quiet_micro_moves_are_a_draw_at_the_end_of_the_turn() {
    let state = at("4k3/8/8/8/8/8/8/4K3 w - - 97 60");
    let state = played(&state, WHITE, [6, 6, 1], &["e1e2", "e2e1"]);
    assert_eq!(state.next(), Next::Roll(BLACK));
    let rolled = state.rolled(roll([6, 6, 6])).unwrap();
    assert_eq!(rolled.next(), Next::Turn(BLACK));
    let (state, _) = rolled.play(BLACK, &turn(&["e8e7", "e7e8", "e8e7"])).unwrap();
    assert_eq!(state.position().half_moves(), 102);
    assert_eq!(state.next(), Next::Over(Ending::DrawRule));
    assert_eq!(crate::Ending::from(Ending::DrawRule).outcome, Outcome::Draw);
}

#[test]
fn a_pawns_micro_move_within_the_turn_saves_the_game() {
    let state = at("4k3/8/8/8/8/8/4P3/4K3 w - - 98 60");
    let state = played(&state, WHITE, [6, 6, 1], &["e1d1", "d1e1", "e2e3"]);
    assert_eq!(state.position().half_moves(), 0);
    assert_eq!(state.next(), Next::Roll(BLACK));
}

#[test]
fn the_turn_number_5000_is_the_last() {
    let state = at("4k3/7p/8/8/8/8/8/4K3 b - - 0 2500");
    assert_eq!((state.turns_over(), state.next()), (4_999, Next::Roll(BLACK)));
    let pass = played(&state, BLACK, [2, 3, 4], &[]);
    assert_eq!(pass.turns_over(), DRAW_TURNS);
    assert_eq!(pass.next(), Next::Over(Ending::DrawRule));

    let state = at("4k3/8/8/8/8/8/8/4K2q b - - 0 2500");
    let won = played(&state, BLACK, [5, 3, 3], &["h1e1"]);
    assert_eq!(won.next(), Next::Over(Ending::KingCaptured(BLACK)));
}

#[test]
fn an_offer_withholds_the_next_roll_until_it_is_declined() {
    let state = State::initial().rolled(roll([2, 3, 6])).unwrap();
    let state = state.arm_draw_offer(WHITE, true).unwrap();
    let (gated, _) = state.play(WHITE, &turn(&["g1f3"])).unwrap();
    assert_eq!(gated.next(), Next::Answer(BLACK));
    assert_eq!(gated.to_move(), Some(BLACK));
    assert_eq!(gated.rolled(roll([1, 1, 1])), Err(NoRollDue));
    let knight = turn(&["b8c6"]);
    assert_eq!(gated.play(BLACK, &knight), Err(IllegalMove::DrawOfferPending));
    assert_eq!(gated.play(WHITE, &knight), Err(IllegalMove::NotYourTurn));
    assert_eq!(
        gated.answer_draw_offer(WHITE, true),
        Err(DrawRefusal::NotYourTurn)
    );

    let declined = gated.answer_draw_offer(BLACK, false).unwrap();
    assert_eq!(declined.next(), Next::Roll(BLACK));
    // The withheld roll uses up no number.
    assert_eq!((gated.turns_over(), declined.turns_over()), (1, 1));
}

#[test]
fn an_accepted_offer_is_a_draw_without_a_roll() {
    let state = State::initial().arm_draw_offer(WHITE, true).unwrap();
    let gated = played(&state, WHITE, [3, 4, 5], &[]);
    let accepted = gated.answer_draw_offer(BLACK, true).unwrap();
    assert_eq!(accepted.next(), Next::Over(Ending::DrawAgreed));
    assert_eq!((accepted.to_move(), accepted.roll()), (None, None));
    assert_eq!(
        accepted.answer_draw_offer(BLACK, true),
        Err(DrawRefusal::GameOver)
    );
}

#[test]
fn a_turn_that_ends_the_game_delivers_no_offer() {
    let state = at("4k3/8/8/8/8/8/8/R3K3 w - - 0 40");
    let armed = state.arm_draw_offer(WHITE, true).unwrap();
    let won = played(&armed, WHITE, [4, 4, 2], &["a1a8", "a8e8"]);
    assert_eq!(won.next(), Next::Over(Ending::KingCaptured(WHITE)));
    assert_eq!(won.draw_offers().pending(), None);
    assert!(!won.draw_offers().is_armed(WHITE));

    let state = at("4k3/8/8/8/8/8/8/4K3 w - - 99 40");
    let armed = state.arm_draw_offer(WHITE, true).unwrap();
    let drawn = played(&armed, WHITE, [6, 2, 2], &["e1e2"]);
    assert_eq!(drawn.next(), Next::Over(Ending::DrawRule));
    assert_eq!(drawn.draw_offers().pending(), None);
}

#[test]
fn a_state_is_read_as_it_is_written() {
    let start = serde_json::to_value(State::initial()).unwrap();
    assert_eq!(start, json!({"dfen": START}));
    let armed = State::initial().arm_draw_offer(BLACK, true).unwrap();
    let rolled = armed.rolled(roll([3, 1, 2])).unwrap();
    let json = serde_json::to_value(&rolled).unwrap();
    assert_eq!((&json["dfen"], &json["roll"]), (&json!(START), &json!([3, 1, 2])));
    assert_eq!(serde_json::from_value::<State>(json).unwrap(), rolled);
}

#[test]
fn a_stored_state_that_is_none_is_refused() {
    let error = |json: Value| serde_json::from_value::<State>(json).unwrap_err().to_string();
    let pending = json!({"last": {"by": "player2", "turns": 0}, "answer": "pending"});
    let own = json!({"last": {"by": "player1", "turns": 0}, "answer": "pending"});
    let agreed = json!({"last": {"by": "player1", "turns": 0}, "answer": "yes"});
    for (json, expected) in [
        (
            json!({"dfen": "8/8 w - -"}),
            CorruptState::Dfen(BadDfen::Placement),
        ),
        (json!({"dfen": format!("{START} P")}), CorruptState::Dice),
        (
            json!({"dfen": "4k3/8/8/8/8/8/8/8 w - - 0 1"}),
            CorruptState::NoKing,
        ),
        (
            json!({"dfen": "4K3/8/8/8/8/8/8/8 w - - 0 1", "roll": [1, 2, 3]}),
            CorruptState::RollAfterEnd,
        ),
        (
            json!({"dfen": START, "roll": [1, 2, 3], "drawOffers": agreed}),
            CorruptState::RollAfterEnd,
        ),
        (
            json!({"dfen": START, "roll": [1, 2, 3], "drawOffers": pending}),
            CorruptState::Offers,
        ),
        (json!({"dfen": START, "drawOffers": own}), CorruptState::Offers),
    ] {
        assert_eq!(error(json), expected.to_string());
    }
    let gated = json!({"dfen": START, "drawOffers": pending});
    assert_eq!(
        serde_json::from_value::<State>(gated).unwrap().next(),
        Next::Answer(WHITE)
    );
}
