//! Games of `required` durability: nobody sees what the log does not have.

use commands::games::{CommandError, Games, NotNow};
use commands::live::Limits;
use contract::Durability;
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::service::{Service, client, invitation, user};

fn not_now<T: std::fmt::Debug>(answer: Result<T, CommandError>) -> (NotNow, bool) {
    match answer {
        Err(CommandError::Unavailable {
            reason,
            outcome_unknown,
            ..
        }) => (reason, outcome_unknown),
        other => panic!("it is not available, not {other:?}"),
    }
}

fn impatient() -> Limits {
    Limits {
        required_wait_ms: 100,
        ..Limits::default()
    }
}

#[tokio::test]
async fn a_move_is_shown_to_anyone_only_when_the_log_has_it() {
    let service = Service::start().await;
    let (game, host, guest) = service.invite(Durability::Required).await;
    let before = service.log.calls().appends;
    service.log.set(Gate::Hold);
    let looking = async {
        service.log.until_calls(|calls| calls.appends > before).await;
        assert_eq!(service.live(game).version, 1);
        assert!(guest.ear.versions(game).is_empty());
        service.log.set(Gate::Open);
    };
    let (accepted, ()) = tokio::join!(service.play(game, &host.user, "m1", 3), looking);
    assert!(accepted.unwrap().durable);
    assert_eq!(guest.ear.versions(game), [2]);
    assert_eq!(service.live(game).durable_version, 2);
}

#[tokio::test]
async fn while_the_log_is_away_nothing_is_decided() {
    let service = Service::start().await;
    let (game, host, guest) = service.invite(Durability::Required).await;
    service.log.set(Gate::Down);
    service.settle().await;
    let refused = service.play(game, &host.user, "m1", 3).await;
    assert_eq!(not_now(refused), (NotNow::LogAway, false));
    let invitation = invitation(&user("cid"), Durability::Required);
    let refused = service.games.join(invitation, &user("dan"), None).await;
    assert_eq!(not_now(refused), (NotNow::LogAway, false));
    service.log.set(Gate::Open);
    service.settle().await;
    assert!(service.play(game, &host.user, "m1", 3).await.unwrap().durable);
    assert_eq!(guest.ear.versions(game), [2]);
}

#[tokio::test]
async fn without_an_answer_the_outcome_is_unknown_and_the_same_id_resumes() {
    let service = Service::with(impatient()).await;
    let (game, host, guest) = service.invite(Durability::Required).await;
    let position = service.live(game).position;
    service.log.set(Gate::Hold);
    let unanswered = service.play_from(game, &host.user, "m1", 3, position).await;
    assert_eq!(not_now(unanswered), (NotNow::LogAway, true));
    let next = service.play_from(game, &host.user, "m2", 4, position).await;
    assert_eq!(
        not_now(next),
        (NotNow::LogAway, false),
        "the event before it is not in the log"
    );
    assert!(guest.ear.versions(game).is_empty());
    service.log.set(Gate::Open);
    let resumed = service
        .play_from(game, &host.user, "m1", 3, position)
        .await
        .unwrap();
    assert_eq!((resumed.version, resumed.durable), (2, true));
    assert_eq!(service.logged_names(game).await, ["started", "moved"]);
}

#[tokio::test]
async fn of_two_moves_at_once_the_second_waits_for_the_log_to_have_the_first() {
    let service = Service::with(impatient()).await;
    let (game, host, _guest) = service.invite(Durability::Required).await;
    service.log.set(Gate::Hold);
    let position = service.live(game).position;
    let after = contract::Position {
        version: 2,
        writer: service.writer,
    };
    let (first, second) = tokio::join!(
        service.play_from(game, &host.user, "m1", 3, position),
        service.play_from(game, &host.user, "m2", 4, after),
    );
    assert_eq!(not_now(first), (NotNow::LogAway, true));
    assert_eq!(not_now(second), (NotNow::LogAway, false));
}

#[tokio::test]
async fn a_start_without_an_answer_resumes_with_the_same_id_too() {
    let service = Service::with(impatient()).await;
    let (host, guest) = (service.connect("host"), service.connect("guest"));
    let invitation = invitation(&host.user, Durability::Required);
    service.log.set(Gate::Hold);
    let join = || {
        service
            .games
            .join(invitation.clone(), &guest.user, Some(client("join")))
    };
    assert_eq!(not_now(join().await), (NotNow::LogAway, true));
    assert!(host.ear.frames().is_empty(), "nobody saw a game");
    service.log.set(Gate::Open);
    assert!(join().await.unwrap().durable);
    assert_eq!(service.live(invitation.game).version, 1);
}

#[tokio::test]
async fn the_end_waits_for_the_log_too() {
    let service = Service::with(impatient()).await;
    let (game, host, guest) = service.invite(Durability::Required).await;
    service.log.set(Gate::Hold);
    assert_eq!(
        not_now(service.leave(game, &host.user).await),
        (NotNow::LogAway, true)
    );
    assert_eq!(service.live(game).version, 1);
    service.log.set(Gate::Open);
    guest.ear.until_version(game, 2).await;
    assert!(service.games.live(game, None).is_none());
}
