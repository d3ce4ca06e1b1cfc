//! Games by invitation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use commands::games::{CommandError, Games, NotNow, Rejection, Sought};
use commands::live::Limits;
use commands::ports::{Clock, EventLog, Monotonic};
use contract::frames::ServerFrame;
use contract::{Durability, Kind, Millis};
use futures::future::join_all;
use testkit::fixtures::{Game, outgoing, writer};
use turnstream_commands as commands;

use crate::service::{Service, client, invitation, user};

fn rejection<T: std::fmt::Debug>(answer: Result<T, CommandError>) -> Rejection {
    match answer {
        Err(CommandError::Rejected { reason, .. }) => reason,
        other => panic!("it is rejected, not {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_who_race_for_one_invitation_exactly_one_joins() {
    let service = Service::start().await;
    let host = service.connect("host");
    let invitation = invitation(&host.user, Durability::BestEffort);
    let racers: Vec<_> = (0..50).map(|n| user(&format!("racer{n}"))).collect();
    let answers = join_all(racers.iter().map(|racer| {
        service
            .games
            .join(invitation.clone(), racer, Some(client("join")))
    }))
    .await;
    let (mut joined, mut free) = (0, 0);
    for (racer, answer) in racers.iter().zip(answers) {
        if answer.is_ok() {
            joined += 1;
            assert!(service.games.active_game(&racer.user_id).is_some());
        } else {
            free += 1;
            assert_eq!(rejection(answer), Rejection::SeatTaken);
            assert_eq!(service.games.active_game(&racer.user_id), None);
        }
    }
    assert_eq!((joined, free), (1, 49));
    let active = service.games.active_game(&host.user.user_id);
    assert_eq!(active.map(|game| game.id), Some(invitation.game));
    assert_eq!(
        rejection(service.seek(&host.user).await),
        Rejection::ActiveGame(invitation.game)
    );
    assert_eq!(service.logged_names(invitation.game).await, ["started"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_join_a_thousand_invitations() {
    let service = Service::start().await;
    let invitations: Vec<_> = (0..1_000)
        .map(|n| invitation(&user(&format!("host{n}")), Durability::BestEffort))
        .collect();
    let joiners: Vec<_> = (0..1_000).map(|n| user(&format!("joiner{n}"))).collect();
    let answers = join_all(
        invitations
            .iter()
            .zip(&joiners)
            .map(|(invitation, joiner)| service.games.join(invitation.clone(), joiner, None)),
    )
    .await;
    for (invitation, answer) in invitations.iter().zip(answers) {
        assert_eq!(answer.unwrap().game, invitation.game);
    }
    assert_eq!(service.games.held().len(), 1_000);
    assert_eq!(service.embedded.log().unfinished().await.unwrap().len(), 1_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn joining_twice_with_one_id_is_the_same_answer() {
    let service = Service::start().await;
    let host = service.connect("host");
    for round in 0..20 {
        let joiner = user(&format!("joiner{round}"));
        let invitation = invitation(&host.user, Durability::BestEffort);
        let join = || {
            service
                .games
                .join(invitation.clone(), &joiner, Some(client("join")))
        };
        for answer in join_all((0..4).map(|_| join())).await {
            assert_eq!(answer.unwrap().version, 1);
        }
        let other = service
            .games
            .join(invitation.clone(), &joiner, Some(client("other")))
            .await;
        assert_eq!(rejection(other), Rejection::SeatTaken);
        service.leave(invitation.game, &host.user).await.unwrap();
    }
}

#[tokio::test]
async fn whoever_is_in_a_game_joins_no_other() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    let by_cid = invitation(&user("cid"), Durability::BestEffort);
    let busy = service.games.join(by_cid.clone(), &ann.user, None).await;
    assert_eq!(rejection(busy), Rejection::ActiveGame(game));
    let by_ben = invitation(&ben.user, Durability::BestEffort);
    let busy = service.games.join(by_ben, &user("cid"), None).await;
    assert_eq!(rejection(busy), Rejection::HostBusy);
    let own = service.games.join(by_cid.clone(), &user("cid"), None).await;
    assert_eq!(rejection(own), Rejection::OwnInvitation);
    service.games.join(by_cid, &user("dan"), None).await.unwrap();
}

#[tokio::test]
async fn a_link_that_was_used_elsewhere_starts_nothing_here() {
    let service = Service::start().await;
    let host = service.connect("host");
    let (elsewhere, started) = Game::start(Kind::Mancala, writer());
    service
        .embedded
        .log()
        .append(&outgoing(&started), 0)
        .await
        .unwrap();
    let mut invitation = invitation(&host.user, Durability::BestEffort);
    invitation.game = elsewhere.state().id;
    let late = service.games.join(invitation, &user("late"), None).await;
    assert_eq!(rejection(late), Rejection::SeatTaken);
    assert!(host.ear.frames().is_empty(), "nobody saw a game");
    assert_eq!(service.seek(&host.user).await.unwrap(), Sought::Waiting);
}

#[tokio::test]
async fn the_host_learns_of_the_game_by_their_socket() {
    let service = Service::start().await;
    let (game, host, guest) = service.invite(Durability::BestEffort).await;
    for (person, seat) in [
        (&host, contract::Seat::Player1),
        (&guest, contract::Seat::Player2),
    ] {
        let live = person
            .ear
            .until(|frame| match frame {
                ServerFrame::OnGameStart(live) => Some(live.clone()),
                _ => None,
            })
            .await;
        assert_eq!((live.summary.id, live.you), (game, Some(seat)));
        assert!(
            live.connections
                .is_some_and(|both| both.player1.connected && both.player2.connected)
        );
    }
}

/// A clock that breaks when it is asked for the time once too often; 0 for never.
struct Breaking {
    clock: Arc<dyn Clock>,
    left: Arc<AtomicU32>,
}

#[async_trait]
impl Clock for Breaking {
    fn now(&self) -> Millis {
        let left = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        assert_ne!(left, Ok(1), "the test says so");
        self.clock.now()
    }

    fn monotonic(&self) -> Monotonic {
        self.clock.monotonic()
    }

    async fn sleep(&self, ms: u64) {
        self.clock.sleep(ms).await;
    }
}

async fn service_that_breaks(left: &Arc<AtomicU32>) -> Service {
    let left = left.clone();
    let before = |clock| -> Arc<dyn Clock> { Arc::new(Breaking { clock, left }) };
    Service::with_ports(Limits::default(), |pending| pending, before).await
}

#[tokio::test]
async fn a_start_that_fails_inside_leaves_the_invitation_and_its_seats_free() {
    let left = Arc::new(AtomicU32::new(0));
    let service = service_that_breaks(&left).await;
    let (host, guest) = (service.connect("host"), service.connect("guest"));
    let invitation = invitation(&host.user, Durability::BestEffort);
    let join = || {
        service
            .games
            .join(invitation.clone(), &guest.user, Some(client("join")))
    };
    // The seats are taken at the first time; the second is the one that is decided with.
    left.store(2, Ordering::Relaxed);
    let failed = join().await;
    assert!(
        matches!(
            failed,
            Err(CommandError::Unavailable {
                reason: NotNow::Internal,
                ..
            })
        ),
        "{failed:?}"
    );
    assert_eq!(left.load(Ordering::Relaxed), 0, "it broke");
    assert_eq!(service.games.active_game(&guest.user.user_id), None);
    assert_eq!(service.seek(&host.user).await.unwrap(), Sought::Waiting);
    service.games.cancel_seek(&host.user.user_id);
    assert!(join().await.unwrap().durable);
}

#[tokio::test]
async fn whoever_waits_for_a_game_waits_on_when_its_start_fails_inside() {
    let left = Arc::new(AtomicU32::new(0));
    let service = service_that_breaks(&left).await;
    let (first, second) = (service.connect("first"), service.connect("second"));
    assert_eq!(service.seek(&first.user).await.unwrap(), Sought::Waiting);
    // Of the queue, of the seats, of the decision.
    left.store(3, Ordering::Relaxed);
    assert!(service.seek(&second.user).await.is_err());
    assert_eq!(left.load(Ordering::Relaxed), 0, "it broke");
    let Sought::Paired(game) = service.seek(&second.user).await.unwrap() else {
        panic!("the first one still waits");
    };
    assert_eq!(service.logged_names(game).await, ["started"]);
}
