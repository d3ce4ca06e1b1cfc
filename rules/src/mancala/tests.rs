use proptest::prelude::*;
use serde_json::json;

use super::*;

/// The position of these counts; the seat to move is taken to be right.
fn state(board: Board, to_move: Seat) -> State {
    State::new(board, Some(to_move)).expect("the test gives a position")
}

/// The steps after those that only sow.
fn effects(steps: &[Step]) -> Vec<(u8, Effect)> {
    steps
        .iter()
        .filter(|step| step.effect != Effect::Sown)
        .map(|step| (step.index, step.effect))
        .collect()
}

fn sown(steps: &[Step]) -> Vec<u8> {
    steps
        .iter()
        .filter(|step| step.effect == Effect::Sown)
        .map(|step| step.index)
        .collect()
}

#[test]
fn player1_begins_with_four_stones_in_every_pit() {
    let start = State::initial();
    assert_eq!(start.to_move(), Some(Seat::Player1));
    assert_eq!(start.board(), &START);
    assert_eq!(start.outcome(), None);
    assert_eq!(State::new(START, Some(Seat::Player1)), Ok(start));
}

#[test]
fn the_first_of_several_stones_goes_back_into_its_pit() {
    let (after, steps) = State::initial().play(Seat::Player1, Move(1)).unwrap();
    assert_eq!(
        after,
        state([4, 1, 5, 5, 5, 4, 0, 4, 4, 4, 4, 4, 4, 0], Seat::Player2)
    );
    assert_eq!(sown(&steps), [1, 2, 3, 4]);
    assert_eq!(effects(&steps), []);
}

#[test]
fn a_lone_stone_goes_to_the_next_pit() {
    let before = state([1, 3, 7, 4, 4, 4, 1, 4, 4, 4, 4, 4, 4, 0], Seat::Player1);
    let (after, steps) = before.play(Seat::Player1, Move(0)).unwrap();
    assert_eq!(
        after,
        state([0, 4, 7, 4, 4, 4, 1, 4, 4, 4, 4, 4, 4, 0], Seat::Player2)
    );
    assert_eq!(sown(&steps), [1]);
}

#[test]
fn the_last_stone_in_the_own_store_gives_another_turn() {
    let (after, steps) = State::initial().play(Seat::Player1, Move(3)).unwrap();
    assert_eq!(
        after,
        state([4, 4, 4, 1, 5, 5, 1, 4, 4, 4, 4, 4, 4, 0], Seat::Player1)
    );
    assert_eq!(effects(&steps), [(6, Effect::LastStoneInBank)]);
}

#[test]
fn sowing_skips_the_opponents_store() {
    let before = state([4, 4, 4, 4, 4, 10, 0, 4, 4, 4, 4, 2, 0, 0], Seat::Player1);
    let (after, steps) = before.play(Seat::Player1, Move(5)).unwrap();
    assert_eq!(sown(&steps), [5, 6, 7, 8, 9, 10, 11, 12, 0, 1]);
    assert_eq!(
        after,
        state([5, 5, 4, 4, 4, 1, 1, 5, 5, 5, 5, 3, 1, 0], Seat::Player2)
    );

    let before = state([4, 4, 4, 4, 2, 0, 0, 4, 4, 4, 4, 4, 10, 0], Seat::Player2);
    let (after, steps) = before.play(Seat::Player2, Move(12)).unwrap();
    assert_eq!(sown(&steps), [12, 13, 0, 1, 2, 3, 4, 5, 7, 8]);
    assert_eq!(
        after,
        state([5, 5, 5, 5, 3, 1, 0, 5, 5, 4, 4, 4, 1, 1], Seat::Player1)
    );
}

#[test]
fn an_even_count_in_an_opponents_pit_is_captured() {
    let before = state([4, 4, 4, 4, 4, 3, 0, 3, 5, 4, 4, 4, 4, 1], Seat::Player1);
    let (after, steps) = before.play(Seat::Player1, Move(5)).unwrap();
    assert_eq!(
        after,
        state([4, 4, 4, 4, 4, 1, 5, 0, 5, 4, 4, 4, 4, 1], Seat::Player2)
    );
    assert_eq!(effects(&steps), [(7, Effect::DoubleStoneInPit { captured: 4 })]);
}

#[test]
fn an_odd_count_in_an_opponents_pit_stays() {
    let before = state([4, 4, 4, 4, 4, 3, 0, 4, 4, 4, 4, 4, 4, 1], Seat::Player1);
    let (after, steps) = before.play(Seat::Player1, Move(5)).unwrap();
    assert_eq!(
        after,
        state([4, 4, 4, 4, 4, 1, 1, 5, 4, 4, 4, 4, 4, 1], Seat::Player2)
    );
    assert_eq!(effects(&steps), []);
}

#[test]
fn a_last_stone_in_an_own_empty_pit_captures_with_the_opposite_pit() {
    let before = state([2, 0, 4, 4, 4, 4, 6, 4, 4, 4, 4, 4, 4, 0], Seat::Player1);
    let (after, steps) = before.play(Seat::Player1, Move(0)).unwrap();
    assert_eq!(
        after,
        state([1, 0, 4, 4, 4, 4, 11, 4, 4, 4, 4, 0, 4, 0], Seat::Player2)
    );
    assert_eq!(
        effects(&steps),
        [(
            1,
            Effect::LastStoneInEmptyPit {
                opposite_index: 11,
                captured: 5
            }
        )]
    );
}

#[test]
fn an_own_empty_pit_captures_nothing_if_the_opposite_pit_is_empty() {
    let before = state([2, 0, 4, 4, 4, 4, 6, 4, 4, 4, 4, 0, 4, 4], Seat::Player1);
    let (after, steps) = before.play(Seat::Player1, Move(0)).unwrap();
    assert_eq!(
        after,
        state([1, 1, 4, 4, 4, 4, 6, 4, 4, 4, 4, 0, 4, 4], Seat::Player2)
    );
    assert_eq!(effects(&steps), []);
}

#[test]
fn fourteen_stones_end_in_their_own_pit_which_is_not_empty_then() {
    let before = state([14, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 2, 2, 0], Seat::Player1);
    let (after, steps) = before.play(Seat::Player1, Move(0)).unwrap();
    assert_eq!(sown(&steps), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0]);
    assert_eq!(
        after,
        state([2, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 3, 3, 0], Seat::Player2)
    );
    assert_eq!(effects(&steps), []);
}

#[test]
fn an_empty_row_ends_the_game_and_its_player_gets_the_rest() {
    // The mover's row runs empty by a stone into the store: no further turn.
    let before = state([0, 0, 0, 0, 0, 1, 20, 0, 2, 3, 0, 0, 0, 22], Seat::Player1);
    let (after, steps) = before.play(Seat::Player1, Move(5)).unwrap();
    assert_eq!(after.board(), &[0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 22]);
    assert_eq!((after.to_move(), after.outcome()), (None, Some(Outcome::Player1)));
    let cleared = (6, Effect::BoardCleared { collected: 5 });
    assert_eq!(effects(&steps), [(6, Effect::LastStoneInBank), cleared]);

    // The opponent's row runs empty by a capture: the rest is the opponent's.
    let before = state([0, 2, 0, 0, 0, 0, 31, 0, 0, 0, 2, 0, 1, 12], Seat::Player2);
    let (after, steps) = before.play(Seat::Player2, Move(10)).unwrap();
    assert_eq!(after.board(), &[0, 0, 0, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 15]);
    let captured = (
        11,
        Effect::LastStoneInEmptyPit {
            opposite_index: 1,
            captured: 3,
        },
    );
    assert_eq!(
        effects(&steps),
        [captured, (6, Effect::BoardCleared { collected: 2 })]
    );
}

#[test]
fn a_capture_that_empties_both_rows_leaves_nothing_to_collect() {
    let before = state([0, 0, 0, 0, 3, 0, 22, 1, 0, 0, 0, 0, 0, 22], Seat::Player2);
    let (after, steps) = before.play(Seat::Player2, Move(7)).unwrap();
    assert_eq!(after.board(), &[0, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0, 0, 0, 26]);
    let captured = (
        8,
        Effect::LastStoneInEmptyPit {
            opposite_index: 4,
            captured: 4,
        },
    );
    assert_eq!(
        effects(&steps),
        [captured, (13, Effect::BoardCleared { collected: 0 })]
    );
}

#[test]
fn equal_stores_are_a_draw() {
    let over = State::new([0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 24], None).unwrap();
    assert_eq!(over.outcome(), Some(Outcome::Draw));
    let over = State::new([0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 0, 0, 0, 25], None).unwrap();
    assert_eq!(over.outcome(), Some(Outcome::Player2));
}

#[test]
fn each_illegal_move_is_refused_for_its_reason() {
    let start = State::initial();
    assert_eq!(start.play(Seat::Player2, Move(7)), Err(IllegalMove::NotYourTurn));
    assert_eq!(start.play(Seat::Player1, Move(7)), Err(IllegalMove::NotYourPit));
    for place in [6, 13, 14, 255] {
        assert_eq!(
            start.play(Seat::Player1, Move(place)),
            Err(IllegalMove::OutOfRange),
            "{place}"
        );
    }
    let emptied = state([0, 4, 8, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0], Seat::Player1);
    assert_eq!(emptied.play(Seat::Player1, Move(0)), Err(IllegalMove::EmptyPit));
    let over = State::new([0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 24], None).unwrap();
    for seat in Seat::BOTH {
        assert_eq!(over.play(seat, Move(0)), Err(IllegalMove::GameOver));
    }
}

#[test]
fn corrupt_states_are_refused() {
    let over = [0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 24];
    let half_over = [0, 0, 0, 0, 0, 0, 24, 1, 0, 0, 0, 0, 0, 23];
    for json in [
        json!({"board": [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 1], "toMove": "player1"}),
        json!({"board": [5, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, -1], "toMove": "player1"}),
        json!({"board": [255, 0, 0, 0, 0, 0, 0, 49, 0, 0, 0, 0, 0, 0], "toMove": "player1"}),
        json!({"board": [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4], "toMove": "player1"}),
        json!({"board": [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0, 0], "toMove": "player1"}),
        json!({"board": [4.5, 3.5, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0], "toMove": "player1"}),
        json!({"board": START, "toMove": "player3"}),
        json!({"board": START, "toMove": null}),
        json!({"board": START}),
        json!({"toMove": "player1"}),
        json!({"board": over, "toMove": "player2"}),
        json!({"board": half_over, "toMove": "player2"}),
        json!({"board": half_over, "toMove": null}),
    ] {
        assert!(serde_json::from_value::<State>(json.clone()).is_err(), "{json}");
    }
    assert_eq!(State::new(half_over, None), Err(CorruptState::ToMove(None)));
    assert_eq!(
        State::new([4; 14], Some(Seat::Player1)),
        Err(CorruptState::Stones(56))
    );
}

#[test]
fn a_state_is_a_board_and_the_seat_to_move() {
    let json = json!({"board": START, "toMove": "player1"});
    assert_eq!(serde_json::to_value(State::initial()).unwrap(), json);
    assert_eq!(serde_json::from_value::<State>(json).unwrap(), State::initial());
}

/// A non-scoring move only moves stones forward in the mover's row, which a stone can do five times, for 48
/// stones; and no more than 48 moves can score.
const LONGEST_GAME: usize = (48 * 5 + 1) * 48;

/// A position met in a game of random moves, the end included.
fn position() -> impl Strategy<Value = State> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..120).prop_map(|choices| {
        choices.iter().fold(State::initial(), |state, choice| {
            let moves: Vec<_> = state.legal_moves().collect();
            match state.to_move() {
                Some(seat) => state.advance(seat, moves[choice.index(moves.len())]).unwrap(),
                None => state,
            }
        })
    })
}

/// The board that the steps alone lead to, without a look at the rules.
fn apply(board: Board, seat: Seat, mv: Move, steps: &[Step]) -> Board {
    let mut after = board;
    after[usize::from(mv.0)] = 0;
    for &Step { index, effect } in steps {
        let at = usize::from(index);
        match effect {
            Effect::Sown => after[at] += 1,
            Effect::LastStoneInBank => assert_eq!(at, store(seat)),
            Effect::LastStoneInEmptyPit {
                opposite_index,
                captured,
            } => {
                let taken = mem::take(&mut after[at]) + mem::take(&mut after[usize::from(opposite_index)]);
                assert_eq!(taken, captured);
                after[store(seat)] += captured;
            }
            Effect::DoubleStoneInPit { captured } => {
                assert_eq!(mem::take(&mut after[at]), captured);
                after[store(seat)] += captured;
            }
            Effect::BoardCleared { collected } => {
                let mut taken = 0;
                for pit in row(Seat::Player1).chain(row(Seat::Player2)) {
                    taken += mem::take(&mut after[pit]);
                }
                assert_eq!(taken, collected);
                after[at] += collected;
            }
        }
    }
    after
}

proptest! {
    #[test]
    fn a_move_is_accepted_exactly_if_it_is_listed(state in position(), place: u8, second: bool) {
        let seat = Seat::BOTH[usize::from(second)];
        let listed = state.to_move() == Some(seat) && state.legal_moves().any(|mv| mv == Move(place));
        prop_assert_eq!(state.play(seat, Move(place)).is_ok(), listed);
        for place in 0..=14 {
            let listed = state.to_move() == Some(seat) && state.legal_moves().any(|mv| mv == Move(place));
            prop_assert_eq!(state.play(seat, Move(place)).is_ok(), listed, "{}", place);
        }
    }

    #[test]
    fn the_seat_to_move_always_has_a_move(state in position()) {
        prop_assert_eq!(state.legal_moves().next().is_some(), state.to_move().is_some());
        prop_assert_eq!(state.outcome().is_none(), state.to_move().is_some());
    }

    #[test]
    fn every_move_leads_to_a_position_of_48_stones_by_its_steps(before in position()) {
        for mv in before.legal_moves() {
            let seat = before.to_move().unwrap();
            let (after, steps) = before.play(seat, mv).unwrap();
            prop_assert_eq!(State::new(*after.board(), after.to_move()), Ok(after));
            prop_assert_eq!(apply(*before.board(), seat, mv, &steps), *after.board());
            prop_assert_eq!(before.advance(seat, mv), Ok(after));

            let stones = usize::from(before.board()[usize::from(mv.0)]);
            let (sown, rest) = steps.split_at(stones);
            prop_assert!(sown.iter().all(|step| step.effect == Effect::Sown));
            let last_stone = rest.iter().filter(|step| !matches!(step.effect, Effect::BoardCleared { .. }));
            prop_assert!(last_stone.count() <= 1 && !rest.iter().any(|step| step.effect == Effect::Sown));
            let cleared = matches!(rest.last(), Some(Step { effect: Effect::BoardCleared { .. }, .. }));
            prop_assert_eq!(cleared, after.to_move().is_none());
        }
    }

    #[test]
    fn every_game_ends(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..50)) {
        let mut state = State::initial();
        let mut moves = 0;
        let mut choices = choices.iter().cycle();
        while let Some(seat) = state.to_move() {
            let legal: Vec<_> = state.legal_moves().collect();
            let choice = choices.next().unwrap().index(legal.len());
            state = state.advance(seat, legal[choice]).unwrap();
            moves += 1;
            prop_assert!(moves <= LONGEST_GAME);
        }
        prop_assert_eq!(state.stored(Seat::Player1) + state.stored(Seat::Player2), STONES);
        prop_assert!(state.outcome().is_some());
    }

    #[test]
    fn a_move_without_a_capture_or_a_store_passed_moves_stones_forward_only(before in position()) {
        let progress = |state: &State, seat| -> u32 {
            row(seat).zip(0..).map(|(pit, distance)| distance * u32::from(state.board()[pit])).sum()
        };
        for mv in before.legal_moves() {
            let seat = before.to_move().unwrap();
            let after = before.advance(seat, mv).unwrap();
            if Seat::BOTH.iter().all(|&seat| after.stored(seat) == before.stored(seat)) {
                prop_assert!(progress(&after, seat) > progress(&before, seat));
                prop_assert_eq!(&after.board()[row(seat.other())], &before.board()[row(seat.other())]);
            }
        }
    }

    #[test]
    fn any_board_of_counts_is_a_position_or_refused_and_never_panics(
        board: Board,
        to_move in prop::option::of(prop::sample::select(&Seat::BOTH[..])),
    ) {
        let stones: u32 = board.iter().copied().map(u32::from).sum();
        prop_assert!(State::new(board, to_move).is_err() || stones == 48);
    }

    #[test]
    fn states_and_plays_survive_json(before in position()) {
        let json = serde_json::to_string(&before).unwrap();
        prop_assert_eq!(serde_json::from_str::<State>(&json).unwrap(), before);
        for mv in before.legal_moves() {
            let (after, steps) = before.play(before.to_move().unwrap(), mv).unwrap();
            let play = Mancala::record(&mv, &after, &steps);
            let json = serde_json::to_string(&play).unwrap();
            prop_assert_eq!(serde_json::from_str::<Play>(&json).unwrap(), play);
        }
    }
}
