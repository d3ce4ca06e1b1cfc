//! What holds in any game.

use proptest::prelude::*;
use rules::{
    IllegalMove, Rules,
    dicechess::{DiceChess, LegalTurns, MicroMove, Next, Piece, Position, Roll, State, Turn},
};
use turnstream_rules as rules;

/// Choices of a game: three dice, which of the turns, and what happens with draws.
#[derive(Clone, Copy, Debug)]
struct Choice {
    dice: [u8; 3],
    turn: prop::sample::Index,
    offers: bool,
    accepts: bool,
}

fn choices(turns: usize) -> impl Strategy<Value = Vec<Choice>> {
    let choice = (
        [1_u8..=6, 1..=6, 1..=6],
        any::<prop::sample::Index>(),
        prop::bool::weighted(0.05),
        prop::bool::weighted(0.02),
    );
    let choice = choice.prop_map(|(dice, turn, offers, accepts)| Choice {
        dice,
        turn,
        offers,
        accepts,
    });
    prop::collection::vec(choice, turns)
}

/// Plays a game of these choices and shows each state to `check`.
fn play(choices: &[Choice], mut check: impl FnMut(&State)) -> State {
    let mut state = State::initial();
    let mut choices = choices.iter();
    loop {
        check(&state);
        let next = state.next();
        if let Next::Over(_) = next {
            return state;
        }
        let Some(choice) = choices.next() else {
            return state;
        };
        state = match next {
            Next::Answer(seat) => state.answer_draw_offer(seat, choice.accepts).unwrap(),
            Next::Roll(_) => state.rolled(Roll::new(choice.dice).unwrap()).unwrap(),
            Next::Pass(seat) => state.play(seat, &Turn::PASS).unwrap().0,
            Next::Turn(seat) => {
                let turns = state.legal_turns();
                let turn = turns.iter().nth(choice.turn.index(turns.len())).unwrap();
                let offering = state
                    .arm_draw_offer(seat, choice.offers)
                    .unwrap_or_else(|_| state.clone());
                offering.play(seat, &turn).unwrap().0
            }
            Next::Over(_) => unreachable!("the game goes on"),
        };
    }
}

fn spent(position: &Position, turn: &Turn) -> (u8, bool) {
    let after = turn
        .moves()
        .iter()
        .fold(*position, |position, &mv| position.after(mv).unwrap());
    let captured = after.pieces(!after.side(), Piece::King).is_empty();
    (position.pool().len() - after.pool().len(), captured)
}

/// Every path, by the words of the rule: what cannot go on, or captures the king.
fn paths(position: &Position, path: &mut Vec<MicroMove>, found: &mut Vec<Turn>) {
    let mut moves: Vec<_> = Piece::ALL
        .into_iter()
        .filter(|&piece| position.pool().has(piece))
        .flat_map(|piece| position.micro_moves(piece))
        .filter(|mv| {
            let castles = ["e1g1", "e1c1", "e8g8", "e8c8"].contains(&mv.to_string().as_str())
                && position.piece_on(mv.from()).unwrap().1 == Piece::King;
            !castles || position.pool().has(Piece::Rook)
        })
        .collect();
    moves.sort_unstable();
    if moves.is_empty() && !path.is_empty() {
        found.push(Turn::new(path.clone()).unwrap());
    }
    for mv in moves {
        path.push(mv);
        let next = position.after(mv).unwrap();
        if next.pieces(!next.side(), Piece::King).is_empty() {
            found.push(Turn::new(path.clone()).unwrap());
        } else {
            paths(&next, path, found);
        }
        path.pop();
    }
}

fn legal_by_the_words_of_the_rule(position: &Position) -> Vec<Turn> {
    let mut all = Vec::new();
    paths(position, &mut Vec::new(), &mut all);
    let ordinary = all
        .iter()
        .map(|turn| spent(position, turn))
        .filter(|&(_, king)| !king);
    let most = ordinary.map(|(dice, _)| dice).max().unwrap_or(0);
    all.retain(|turn| match spent(position, turn) {
        (_, true) => true,
        (dice, false) => dice == most,
    });
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_state_of_a_game_is_read_as_it_is_written(choices in choices(400)) {
        play(&choices, |state| {
            let json = serde_json::to_value(state).unwrap();
            assert_eq!(&serde_json::from_value::<State>(json).unwrap(), state);
            let position = state.position();
            assert_eq!(position.to_string().parse(), Ok(*position));
        });
    }

    #[test]
    fn the_tree_the_count_and_the_check_agree_with_the_words_of_the_rule(choices in choices(60)) {
        play(&choices, |state| {
            let position = state.position();
            let turns = LegalTurns::of(position);
            let expected = legal_by_the_words_of_the_rule(position);
            assert!(turns.iter().eq(expected.iter().cloned()), "{position}");
            assert_eq!(position.count_turns(), expected.len());
            assert_eq!(turns.len(), expected.len());
            assert_eq!(position.can_move(), !expected.is_empty());
            assert_eq!(expected.iter().cloned().collect::<LegalTurns>(), turns);
            assert_eq!(LegalTurns::of(position), turns, "the same again");
            for turn in expected.iter().step_by(expected.len() / 20 + 1) {
                assert!(position.is_legal(turn.moves()) && turns.contains(turn.moves()));
                let beginning = &turn.moves()[1..];
                assert_eq!(position.is_legal(beginning), turns.contains(beginning));
                let beginning = &turn.moves()[..turn.moves().len() - 1];
                assert!(!position.is_legal(beginning) && !turns.contains(beginning));
            }
            assert_eq!(position.is_legal(&[]), expected.is_empty());
            assert_eq!(turns.contains(&[]), expected.is_empty());
        });
    }

    #[test]
    fn a_game_goes_on_until_it_is_over(choices in choices(400)) {
        let mut turns_over = 0;
        let end = play(&choices, |state| {
            assert!(state.turns_over() == turns_over || state.turns_over() == turns_over + 1);
            turns_over = state.turns_over();
            let kings = state.position().pieces(state.position().side(), Piece::King);
            assert_eq!(kings.len(), 1);
            assert_eq!(state.to_move().is_none(), DiceChess::outcome(state).is_some());
            let moves = DiceChess::legal_moves(state);
            assert_eq!(moves.is_empty(), !matches!(state.next(), Next::Turn(_) | Next::Pass(_)));
        });
        if let Next::Over(_) = end.next() {
            for seat in rules::Seat::BOTH {
                assert_eq!(end.play(seat, &Turn::PASS), Err(IllegalMove::GameOver));
                assert!(end.arm_draw_offer(seat, true).is_err());
            }
            assert!(end.rolled(Roll::new([1, 2, 3]).unwrap()).is_err());
        }
    }
}
