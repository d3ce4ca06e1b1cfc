//! Commands on a game, from the player's side.

use std::sync::Arc;

use commands::games::{CommandError, Games, Listener, NotNow, PlayerCommand, Push, Rejection, Role};
use contract::frames::ServerFrame;
use contract::frames::server::GameEnded;
use contract::{EndReason, GameId, Outcome};
use serde::Deserialize;
use serde_json::Value;
use turnstream_commands as commands;

use crate::service::{Service, client, user};

#[derive(Deserialize)]
struct Vectors {
    games: Vec<Recorded>,
}

#[derive(Deserialize)]
struct Recorded {
    result: Outcome,
    moves: Vec<RecordedMove>,
}

/// Seat (1 or 2), pit, board after it, what was sown, what it did, next seat.
type RecordedMove = (usize, u8, [u8; 14], Value, Value, Option<usize>);

fn recorded() -> Recorded {
    let file = include_str!("../../../rules/tests/vectors/mancala-games.json");
    let vectors: Vectors = serde_json::from_str(file).expect("the file has this form");
    vectors.games.into_iter().next().expect("there are 24")
}

fn reason(answer: Result<commands::games::Accepted, CommandError>) -> Rejection {
    match answer {
        Err(CommandError::Rejected { reason, .. }) => reason,
        other => panic!("it is rejected, not {other:?}"),
    }
}

async fn ended(ear: &crate::ears::Ear) -> Box<GameEnded> {
    ear.until(|frame| match frame {
        ServerFrame::OnGameEnded(ended) => Some(ended.clone()),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_whole_game_reaches_both_players_and_the_log_without_a_gap() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    let recorded = recorded();
    for (number, (seat, index, board, ..)) in recorded.moves.iter().enumerate() {
        let mover = [&ann, &ben][seat - 1];
        let position = service
            .games
            .live(game, None)
            .map(|live| live.position)
            .expect("it is not over yet");
        let accepted = service
            .play_from(game, &mover.user, &format!("m{number}"), *index, position)
            .await
            .unwrap();
        assert!(accepted.durable, "move {number}");
        if let Some(live) = service.games.live(game, None) {
            assert_eq!(
                live.summary.board,
                contract::Board::Mancala(*board),
                "move {number}"
            );
        }
    }
    let last = 1 + recorded.moves.len() as u64 + 1;
    for person in [&ann, &ben] {
        person.ear.until_version(game, last).await;
        assert_eq!(person.ear.versions(game), (2..=last).collect::<Vec<_>>());
        assert_eq!(ended(&person.ear).await.result, Some(recorded.result));
    }
    let folded = service.folded(game).await;
    assert_eq!(folded.version, last);
    assert_eq!(folded.moves.len(), recorded.moves.len());
    let record = service.games.just_finished(game).expect("it ended just now");
    assert_eq!(record.end_reason, EndReason::Completed);
    assert_eq!(service.games.active_game(&ann.user.user_id), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_command_twice_at_once_is_one_move() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let position = service.live(game).position;
    let answers =
        futures::future::join_all((0..20).map(|_| service.play_from(game, &ann.user, "once", 0, position)))
            .await;
    for answer in answers {
        assert_eq!(answer.unwrap().version, 2);
    }
    assert_eq!(service.logged_names(game).await, ["started", "moved"]);
}

#[tokio::test]
async fn a_move_with_an_extra_turn_that_is_sent_again_is_not_played_again() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let position = service.live(game).position;
    let first = service
        .play_from(game, &ann.user, "m1", 3, position)
        .await
        .unwrap();
    assert_eq!(
        service.live(game).summary.turn_player_id,
        Some(ann.user.user_id.clone())
    );
    let again = service
        .play_from(game, &ann.user, "m1", 3, position)
        .await
        .unwrap();
    assert_eq!((again.version, again.position), (first.version, first.position));
    assert_eq!(service.live(game).summary.move_count, 1);
}

#[tokio::test]
async fn a_stale_move_is_rejected_with_the_current_state() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let position = service.live(game).position;
    service
        .play_from(game, &ann.user, "m1", 3, position)
        .await
        .unwrap();
    let stale = service.play_from(game, &ann.user, "m2", 4, position).await;
    let Err(CommandError::Rejected {
        reason: Rejection::Stale,
        game: Some(current),
    }) = stale
    else {
        panic!("it is stale, not {stale:?}");
    };
    assert_eq!(current.version, 2);
    assert_eq!(current.you, Some(contract::Seat::Player1));
    service
        .play_from(game, &ann.user, "m2", 4, current.position)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_resumed_event_makes_no_move_stale() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let position = service.live(game).position;
    service.games.claim(game, 0).await;
    assert_eq!(service.live(game).version, 2);
    service
        .play_from(game, &ann.user, "m1", 3, position)
        .await
        .unwrap();
}

#[tokio::test]
async fn what_is_not_allowed_is_rejected_with_its_reason() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    assert_eq!(
        reason(service.play(game, &ben.user, "m1", 7).await),
        Rejection::NotYourTurn
    );
    assert_eq!(
        reason(service.play(game, &user("cid"), "m1", 0).await),
        Rejection::NotYourGame
    );
    assert!(matches!(
        reason(service.play(game, &ann.user, "m1", 8).await),
        Rejection::Illegal(_)
    ));
    let nowhere = service.leave(testkit::fixtures::game_id(), &ann.user).await;
    assert_eq!(reason(nowhere), Rejection::NoSuchGame);
    let offer = PlayerCommand::OfferDraw {
        id: client("d"),
        offer: true,
    };
    assert_eq!(
        reason(service.games.command(game, &ann.user, offer).await),
        Rejection::Draw(rules::DrawRefusal::NoDrawOffers)
    );
    service.leave(game, &ann.user).await.unwrap();
    let position = service.folded(game).await.position();
    assert_eq!(
        reason(service.play_from(game, &ben.user, "m9", 7, position).await),
        Rejection::GameOver
    );
}

#[tokio::test]
async fn the_leaver_loses_and_leaving_twice_is_the_same_answer() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    let first = service.leave(game, &ann.user).await.unwrap();
    let again = service.leave(game, &ann.user).await.unwrap();
    assert_eq!(first.version, again.version);
    let ended = ended(&ben.ear).await;
    assert_eq!(
        (ended.result, ended.end_reason),
        (Some(Outcome::Player2), EndReason::Left)
    );
    assert_eq!(ended.left_user_id, Some(ann.user.user_id.clone()));
}

/// Plays the recorded game but for its last move; returns that.
async fn all_but_the_last_move(service: &Service, game: GameId, names: [&str; 2]) -> (usize, u8) {
    let recorded = recorded();
    let (last, others) = recorded.moves.split_last().expect("a game has moves");
    for (number, (seat, index, ..)) in others.iter().enumerate() {
        let mover = user(names[seat - 1]);
        service
            .play(game, &mover, &format!("m{number}"), *index)
            .await
            .unwrap();
    }
    (last.0, last.1)
}

#[tokio::test]
async fn resigning_the_last_move_and_the_timeout_at_one_instant_end_a_game_once() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    let (seat, index) = all_but_the_last_move(&service, game, ["ann", "ben"]).await;
    let (mover, other) = if seat == 1 { (ann, ben) } else { (ben, ann) };
    service.games.disconnect(mover.connection);
    service.pass(299_500).await;
    let position = service.live(game).position;
    let ((), moved, left) = tokio::join!(
        service.pass(11_000),
        service.play_from(game, &mover.user, "last", index, position),
        service.leave(game, &other.user),
    );
    assert!(!(moved.is_ok() && left.is_ok()), "{moved:?} {left:?}");
    ended(&other.ear).await;
    let ends = service.logged_names(game).await;
    assert_eq!(ends.iter().filter(|name| **name == "ended").count(), 1);
    assert_eq!(ends.last(), Some(&"ended"));
}

struct Broken;

impl Listener for Broken {
    fn push(&self, _: Push) {
        panic!("a listener that fails");
    }
}

#[tokio::test]
async fn a_listener_that_panics_harms_nobody_else() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    let broken = service.games.connect(None, Arc::new(Broken));
    service.games.watch(broken, game, None).await.unwrap();
    for (number, person) in [(3, &ann), (4, &ann), (7, &ben)] {
        let accepted = service
            .play(game, &person.user, &format!("m{number}"), number)
            .await
            .unwrap();
        assert!(accepted.durable);
    }
    assert_eq!(ben.ear.versions(game), [2, 3, 4]);
}

#[tokio::test]
async fn only_an_active_service_takes_commands() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let not_now = |answer| match answer {
        Err(CommandError::Unavailable {
            reason,
            outcome_unknown: false,
            ..
        }) => reason,
        other => panic!("it is not available, not {other:?}"),
    };
    service
        .games
        .set_role(Role::Starting("restoring games".to_owned()));
    assert_eq!(
        not_now(service.play(game, &ann.user, "m1", 0).await),
        NotNow::Restoring
    );
    service.games.set_role(Role::Leaving);
    assert_eq!(
        not_now(service.play(game, &ann.user, "m1", 0).await),
        NotNow::Leaving
    );
    service.games.set_role(Role::Standby);
    assert!(matches!(
        service.play(game, &ann.user, "m1", 0).await,
        Err(CommandError::Elsewhere)
    ));
    assert!(matches!(
        service.seek(&user("cid")).await,
        Err(CommandError::Unavailable {
            reason: NotNow::Standby,
            ..
        })
    ));
}
