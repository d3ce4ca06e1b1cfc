use super::*;

const WHITE: Seat = Seat::Player1;
const BLACK: Seat = Seat::Player2;

/// White has offered with a turn.
fn offered() -> DrawOffers {
    let mut offers = DrawOffers::default();
    assert_eq!(offers.arm(WHITE, true), Ok(true));
    offers.turn_completed(WHITE);
    offers
}

#[test]
fn an_armed_offer_is_delivered_with_the_seats_own_turn() {
    let mut offers = DrawOffers::default();
    assert_eq!(offers.arm(BLACK, true), Ok(true));
    offers.turn_completed(WHITE);
    assert_eq!(offers.pending(), None);
    assert!(offers.is_armed(BLACK));
    offers.turn_completed(BLACK);
    assert_eq!(offers.pending(), Some(BLACK));
    assert!(!offers.is_armed(BLACK));
}

#[test]
fn only_the_other_seat_answers_and_only_once() {
    let mut offers = offered();
    assert_eq!(offers.answer(WHITE, true), Err(DrawRefusal::NotYourTurn));
    assert_eq!(offers.answer(BLACK, false), Ok(()));
    assert_eq!(offers.pending(), None);
    assert_eq!(offers.answer(BLACK, true), Err(DrawRefusal::NothingPending));
    assert!(!offers.accepted());
}

#[test]
fn an_accepted_offer_ends_everything() {
    let mut offers = offered();
    assert_eq!(offers.answer(BLACK, true), Ok(()));
    assert!(offers.accepted());
    for seat in Seat::BOTH {
        assert_eq!(offers.arm(seat, true), Err(DrawRefusal::GameOver));
        assert_eq!(offers.arm(seat, false), Err(DrawRefusal::GameOver));
        assert_eq!(offers.answer(seat, false), Err(DrawRefusal::GameOver));
    }
}

#[test]
fn nobody_arms_while_an_offer_is_pending() {
    let mut offers = offered();
    for armed in [false, true] {
        assert_eq!(offers.arm(WHITE, armed), Err(DrawRefusal::AlreadyDelivered));
        assert_eq!(offers.arm(BLACK, armed), Err(DrawRefusal::RespondFirst));
    }
}

#[test]
fn the_right_to_offer_alternates() {
    let mut offers = offered();
    offers.answer(BLACK, false).unwrap();
    for _ in 0..100 {
        assert_eq!(offers.arm(WHITE, true), Err(DrawRefusal::OpponentMustOfferNext));
        offers.turn_completed(BLACK);
        offers.turn_completed(WHITE);
    }
    offers.arm(BLACK, true).unwrap();
    offers.turn_completed(BLACK);
    offers.answer(WHITE, false).unwrap();
    assert_eq!(offers.arm(BLACK, true), Err(DrawRefusal::OpponentMustOfferNext));
    assert_eq!(offers.arm(WHITE, true), Ok(true));
}

#[test]
fn a_game_may_give_the_right_back_after_own_turns() {
    let mut offers = DrawOffers::new(2);
    offers.arm(WHITE, true).unwrap();
    offers.turn_completed(WHITE);
    offers.answer(BLACK, false).unwrap();
    for _ in 0..2 {
        assert_eq!(offers.arm(WHITE, true), Err(DrawRefusal::Cooldown));
        offers.turn_completed(BLACK);
        offers.turn_completed(WHITE);
    }
    assert_eq!(offers.arm(WHITE, true), Ok(true));
}

#[test]
fn an_offer_that_stood_while_the_opponent_offered_is_still_armed() {
    let mut offers = DrawOffers::default();
    offers.arm(BLACK, true).unwrap();
    offers.arm(WHITE, true).unwrap();
    offers.turn_completed(WHITE);
    offers.answer(BLACK, false).unwrap();
    offers.turn_completed(BLACK);
    assert_eq!(offers.pending(), Some(BLACK));
}

#[test]
fn a_seat_changes_its_mind_ten_times_a_turn_and_what_is_no_change_is_free() {
    let mut offers = DrawOffers::default();
    for toggle in 0..MOST_TOGGLES {
        let armed = toggle % 2 == 0;
        assert_eq!(offers.arm(WHITE, armed), Ok(true));
        assert_eq!(offers.arm(WHITE, armed), Ok(false));
    }
    assert_eq!(offers.arm(WHITE, false), Ok(false));
    assert_eq!(offers.arm(WHITE, true), Err(DrawRefusal::TooManyToggles));
    assert_eq!(offers.arm(BLACK, true), Ok(true));
    offers.turn_completed(WHITE);
    assert_eq!(offers.arm(WHITE, true), Ok(true));
}

#[test]
fn offers_are_read_as_they_are_written() {
    let json = serde_json::to_value(offered()).unwrap();
    assert_eq!(serde_json::from_value::<DrawOffers>(json).unwrap(), offered());
}

#[test]
fn an_answer_to_no_offer_is_not_sound() {
    assert!(offered().are_sound());
    for json in [
        serde_json::json!({"answer": "yes"}),
        serde_json::json!({"answer": "pending"}),
        serde_json::json!({"toggles": [0, 11]}),
        serde_json::json!({"answer": "pending", "last": {"by": "player2", "turns": 0}, "armed": [false, true]}),
    ] {
        assert!(!serde_json::from_value::<DrawOffers>(json).unwrap().are_sound());
    }
}
