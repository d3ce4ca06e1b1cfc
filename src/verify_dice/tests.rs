use contract::player::BySeat;
use contract::{FinishedGame, Kind, PlayedMove, Reveal, Seat, State};
use rules::Next;
use rules::fair::ServerSeed;
use testkit::contracts::history_store::games::game_of;

use super::*;

/// A game of so many turns that follow from its seeds, with the dice thrown for the next one.
fn honest(turns: usize) -> FinishedGame {
    let seed = ServerSeed::new([42; 32]);
    let game = game_of(Kind::DiceChess, 1);
    let reveal = Reveal {
        commit: seed.commit(),
        seed: seed.reveal(),
        client_seeds: BySeat {
            player1: "a seed that ada has typed".to_owned(),
            player2: game.players.player2.user_id.to_string(),
        },
    };
    let mut state = State::initial(Kind::DiceChess);
    let mut moves = Vec::new();
    while moves.len() < turns || state.chance().is_none() {
        let mv = match state.next() {
            Next::Chance(_) => {
                let index = state.chance_index();
                let dice = Kind::DiceChess.throw(&seed, reveal.clients(), index).unwrap();
                state = state.thrown(&dice).unwrap();
                continue;
            }
            Next::Choose(_) => state.legal_moves().swap_remove(0),
            Next::Forced(_, mv) => mv,
            other => panic!("{other:?} does not come so soon"),
        };
        let seat = state.to_move().unwrap();
        moves.push(PlayedMove {
            seat,
            mv: mv.clone(),
            dice: state.chance(),
            at: contract::Millis(0),
            think_ms: None,
        });
        state = state.play(seat, &mv).unwrap().state;
    }
    FinishedGame {
        moves,
        final_state: state,
        fairness: Some(reveal),
        ..game
    }
}

fn shown(game: &FinishedGame) -> GameRecord {
    commands::view::record(game).expect("it can be replayed")
}

#[test]
fn an_honest_game_is_true_with_the_throw_that_was_not_played() {
    let game = honest(12);
    let played = game.moves.len();
    assert!(played >= 12);
    let record = shown(&game);
    let commit = ServerSeed::new([42; 32]).commit();
    let is_true = Ok(Judgement::True {
        commit: commit.clone(),
        throws: played + 1,
    });
    assert_eq!(check(&record, None), is_true);
    assert_eq!(check(&record, Some(&commit.to_uppercase())), is_true);
    let other = ServerSeed::new([43; 32]).commit();
    assert_eq!(check(&record, Some(&other)), Ok(Judgement::OtherCommit));
}

#[test]
fn another_commitment_seed_or_throw_is_false() {
    let record = shown(&honest(8));
    let reveal = record.fairness.clone().unwrap();
    let with = |fairness| GameRecord {
        fairness: Some(fairness),
        ..record.clone()
    };
    let other = ServerSeed::new([43; 32]);
    let forged = [
        Reveal {
            commit: other.commit(),
            ..reveal.clone()
        },
        Reveal {
            seed: other.reveal(),
            ..reveal.clone()
        },
        Reveal {
            commit: other.commit(),
            seed: other.reveal(),
            ..reveal.clone()
        },
        Reveal {
            seed: "not hexadecimal".to_owned(),
            ..reveal.clone()
        },
        Reveal {
            client_seeds: BySeat {
                player1: "a seed that somebody else typed".to_owned(),
                ..reveal.client_seeds.clone()
            },
            ..reveal
        },
    ];
    for fairness in forged {
        let verdict = check(&with(fairness.clone()), None).unwrap();
        assert!(matches!(verdict, Judgement::False(_)), "{fairness:?}: {verdict}");
    }
    let mut other_dice = record.clone();
    let first = record.moves[0].play.chance();
    other_dice.dice = [[1, 1, 1], [2, 2, 2]]
        .into_iter()
        .map(|faces| serde_json::from_value(serde_json::json!(faces)).unwrap())
        .find(|dice| record.dice.as_ref() != Some(dice));
    assert!(
        matches!(check(&other_dice, None), Ok(Judgement::False(_))),
        "{first:?}"
    );
}

#[test]
fn a_record_is_read_alone_or_as_the_service_answers_it() {
    let record = shown(&honest(3));
    let alone = serde_json::to_string(&record).unwrap();
    let answer = format!(r#"{{"status":"finished","record":{alone}}}"#);
    for text in [&alone, &answer] {
        assert_eq!(super::record(text).unwrap(), record);
    }
    assert!(super::record("{}").is_err());
}

#[test]
fn a_game_without_dice_or_without_its_seeds_gets_no_verdict() {
    let mancala = shown(&game_of(Kind::Mancala, 1));
    assert_eq!(check(&mancala, None), Err(NoJudgement::NoDice(Kind::Mancala)));
    let silent = GameRecord {
        fairness: None,
        ..shown(&honest(1))
    };
    assert_eq!(check(&silent, None), Err(NoJudgement::NothingRevealed));
}

#[test]
fn a_seed_that_nobody_may_give_is_false() {
    let mut record = shown(&honest(1));
    let fairness = record.fairness.as_mut().expect("it is revealed");
    fairness.client_seeds.player2 = "x".to_owned();
    assert_eq!(check(&record, None), Ok(Judgement::NoShare(Seat::Player2)));
}
