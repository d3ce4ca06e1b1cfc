//! What operators are told of commands and of the way to the log.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use commands::games::{Games, PlayerCommand, Role};
use commands::ports::{Answered, Meter, Published};
use contract::Kind;
use testkit::fixtures::game_id;
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::service::{Service, client, user};

type Command = (&'static str, Option<Kind>, Answered);

/// Whatever was measured.
#[derive(Default)]
pub struct Recorded {
    commands: Mutex<Vec<(Command, Duration)>>,
    published: Mutex<Vec<(Published, Duration)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Meter for Recorded {
    fn answered(&self, command: &'static str, kind: Option<Kind>, answer: Answered, took: Duration) {
        lock(&self.commands).push(((command, kind, answer), took));
    }

    fn published(&self, answer: Published, took: Duration) {
        lock(&self.published).push((answer, took));
    }
}

impl Recorded {
    /// The commands since the last time it was asked.
    fn commands(&self) -> Vec<Command> {
        let all = std::mem::take(&mut *lock(&self.commands));
        all.into_iter().map(|(command, _)| command).collect()
    }

    /// What the log said since the last time it was asked.
    fn published(&self) -> Vec<Published> {
        let all = std::mem::take(&mut *lock(&self.published));
        all.into_iter().map(|(answer, _)| answer).collect()
    }
}

const MANCALA: Option<Kind> = Some(Kind::Mancala);

#[tokio::test]
async fn every_command_is_measured_with_its_kind_and_what_it_was_answered() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    assert_eq!(
        service.meter.commands(),
        [
            ("seek", MANCALA, Answered::Accepted),
            ("seek", MANCALA, Answered::Accepted)
        ]
    );
    service.play(game, &ann.user, "m1", 0).await.expect("it is legal");
    service
        .play(game, &ann.user, "m2", 0)
        .await
        .expect_err("it is not");
    let leave = PlayerCommand::Leave { id: client("m3") };
    let nowhere = service.games.command(game_id(), &ben.user, leave).await;
    nowhere.expect_err("there is no such game");
    service.log.set(Gate::Down);
    service
        .leave(game, &ben.user)
        .await
        .expect("the game goes on without the log");
    service.games.set_role(Role::Standby);
    service.leave(game, &ann.user).await.expect_err("it is elsewhere");
    assert_eq!(
        service.meter.commands(),
        [
            ("move", MANCALA, Answered::Accepted),
            ("move", MANCALA, Answered::Rejected),
            ("leave", None, Answered::Rejected),
            ("leave", MANCALA, Answered::Undurable),
            ("leave", None, Answered::Elsewhere),
        ]
    );
}

#[tokio::test]
async fn every_answer_of_the_log_is_measured_with_the_time_that_it_took() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.until_logged(game, 1).await;
    assert_eq!(service.meter.published(), [Published::Acknowledged]);
    service.log.set(Gate::Silent);
    service.play(game, &ann.user, "m1", 0).await.expect("it is legal");
    service.log.set(Gate::Refuse);
    let halted = &service.games.counters().halted;
    while halted.load(Ordering::Relaxed) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let published = std::mem::take(&mut *lock(&service.meter.published));
    let (unanswered, took) = published[0];
    assert_eq!(unanswered, Published::Unanswered);
    assert!(
        took >= Duration::from_millis(300),
        "a silent log takes its time: {took:?}"
    );
    assert_eq!(
        published.last().map(|(answer, _)| *answer),
        Some(Published::Impossible)
    );
}

#[tokio::test]
async fn a_game_whose_sending_fails_inside_stands_alone_and_is_counted() {
    let service = Service::start().await;
    let (broken, ann, _ben) = service.pair("ann", "ben").await;
    let (whole, cid, _dee) = service.pair("cid", "dee").await;
    service.until_logged(broken, 1).await;
    service.until_logged(whole, 1).await;
    service.log.set(Gate::Panic);
    let played = service
        .play(broken, &ann.user, "m1", 0)
        .await
        .expect("it is legal");
    assert!(!played.durable);
    assert_eq!(service.games.counters().halted.load(Ordering::Relaxed), 1);
    service.log.set(Gate::Open);
    let played = service
        .play(whole, &cid.user, "m1", 0)
        .await
        .expect("it is legal");
    assert!(played.durable, "no other game waits");
    service.until_pending(broken, |pending| pending.is_some()).await;
    assert_eq!(
        service.logged(broken).await.len(),
        1,
        "nothing more of it is sent"
    );
}

#[tokio::test]
async fn how_much_is_held_is_known_at_any_time() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.seek(&user("eve")).await.expect("she waits");
    service.until_logged(game, 1).await;
    service.log.set(Gate::Down);
    service.play(game, &ann.user, "m1", 0).await.expect("it is legal");
    let load = service.games.load();
    assert_eq!((load.live_games(), load.ended, load.seeks), (1, 0, 1));
    assert_eq!((load.waiting_events, load.waiting_games), (1, 1));
    assert_eq!(load.waiting_bytes, service.games.waiting_bytes(game));
    assert!(load.waiting_bytes > 0);
    service.leave(game, &ann.user).await.expect("she may");
    let load = service.games.load();
    assert_eq!((load.live_games(), load.ended), (0, 1));
}

#[tokio::test]
async fn how_long_the_log_has_taken_nothing_is_known_while_something_waits() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.until_logged(game, 1).await;
    service.pass(60_000).await;
    assert_eq!(service.games.load().unmoved_ms, 0, "nothing waits");
    service.log.set(Gate::Down);
    service.play(game, &ann.user, "m1", 0).await.expect("it is legal");
    service.pass(60_000).await;
    let unmoved = service.games.load().unmoved_ms;
    assert!((50_000..=60_000).contains(&unmoved), "{unmoved}");
    service.log.set(Gate::Open);
    service.until_durable(game, 2).await;
    assert_eq!(service.games.load().unmoved_ms, 0);
    service.log.set(Gate::Down);
    service.play(game, &ben.user, "m2", 7).await.expect("it is legal");
    assert_eq!(service.games.load().unmoved_ms, 0, "it has just begun to wait");
}
