//! What players notice of a log that is away, silent, forgetful or unwilling: play goes on.

use std::sync::Arc;
use std::time::Duration;

use commands::games::Games;
use commands::live::{Limits, Settled};
use commands::ports::EventLog;
use contract::frames::ServerFrame;
use contract::frames::server::Durable;
use contract::{Durability, Envelope, GameId, Seq};
use embedded::{Embedded, EmbeddedConfig};
use testkit::clock::FakeClock;
use testkit::fixtures::{append_all, messages, outgoing};
use testkit::gated_log::Gate;
use tokio::time::Instant;
use turnstream_commands as commands;

use crate::ears::{Ear, PATIENCE};
use crate::service::{Person, Service, client, invitation, key, user};

async fn told_durable(ear: &Ear, game: GameId) -> Durable {
    ear.until(|frame| match frame {
        ServerFrame::OnDurable(durable) if durable.game_id == game => Some(*durable),
        _ => None,
    })
    .await
}

fn never_told_durable(ear: &Ear) -> bool {
    let told = |frame: &ServerFrame| matches!(frame, ServerFrame::OnDurable(_));
    !ear.frames().iter().any(|frame| told(&frame.frame))
}

#[tokio::test]
async fn an_event_that_the_log_took_at_once_is_told_to_its_mover_only() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    assert!(service.play(game, &ann.user, "m1", 3).await.unwrap().durable);
    assert!(never_told_durable(&ann.ear) && never_told_durable(&ben.ear));
    assert_eq!(service.pending(game).await, None);
}

#[tokio::test]
async fn while_the_log_is_away_play_goes_on_and_the_queue_drains_in_order_after() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::Down);
    service.settle().await;
    for (id, person, index) in [("m1", &ann, 3), ("m2", &ann, 4), ("m3", &ben, 7)] {
        let begun = Instant::now();
        let accepted = service.play(game, &person.user, id, index).await.unwrap();
        assert!(!accepted.durable);
        assert!(begun.elapsed() < Duration::from_millis(200), "answered at once");
    }
    assert_eq!(ben.ear.versions(game), [2, 3, 4], "shown at once");
    service
        .until_pending(game, |pending| {
            pending.is_some_and(|found| found.items.last().is_some_and(|item| item.place.version == 4))
        })
        .await;
    let copied = service.pending(game).await.expect("it is there");
    let versions: Vec<_> = copied.items.iter().map(|item| item.place.version).collect();
    assert_eq!(
        versions,
        [1, 2, 3, 4],
        "what was acknowledged just before is copied too"
    );
    assert_eq!(copied.writer, service.writer);

    service.log.set(Gate::Open);
    for person in [&ann, &ben] {
        assert_eq!(told_durable(&person.ear, game).await.durable_version, 4);
    }
    assert_eq!(
        service.logged_names(game).await,
        ["started", "moved", "moved", "moved"]
    );
    assert_eq!(service.folded(game).await.version, 4);
    service
        .until_pending(game, |pending| pending.is_none_or(|found| found.items.is_empty()))
        .await;
}

#[tokio::test]
async fn a_silent_log_is_waited_for_a_quarter_of_a_second_and_then_only_probed() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::Silent);
    let before = service.log.calls();
    let begun = Instant::now();
    let accepted = service.play(game, &ann.user, "m1", 3).await.unwrap();
    assert!(!accepted.durable);
    assert!(begun.elapsed() >= Duration::from_millis(250));
    let probed = service
        .log
        .until_calls(|calls| calls.infos >= before.infos + 2)
        .await;
    let unanswered = (probed.appends - before.appends) + (probed.lasts - before.lasts);
    assert_eq!(unanswered, 3, "then nothing but probes");
    let begun = Instant::now();
    assert!(!service.play(game, &ann.user, "m2", 4).await.unwrap().durable);
    assert!(
        begun.elapsed() < Duration::from_millis(200),
        "nobody waits any more"
    );
    let later = service.log.calls();
    assert_eq!((later.appends, later.lasts), (probed.appends, probed.lasts));

    service.log.set(Gate::Open);
    assert_eq!(told_durable(&ben.ear, game).await.durable_version, 3);
    assert_eq!(service.logged_names(game).await, ["started", "moved", "moved"]);
    service
        .until_pending(game, |pending| pending.is_none_or(|found| found.items.is_empty()))
        .await;
}

#[tokio::test]
async fn a_caller_who_goes_away_leaves_the_move_and_what_is_owed_for_it() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::Hold);
    let shown = ben.ear.until(|frame| match frame {
        ServerFrame::OnGameUpdate(update) => Some(update.at.version),
        _ => None,
    });
    tokio::select! {
        biased;
        _ = service.play(game, &ann.user, "m1", 3) => panic!("the log has not answered"),
        version = shown => assert_eq!(version, 2),
    }
    service
        .until_pending(game, |pending| {
            pending.is_some_and(|found| found.items.last().is_some_and(|item| item.place.version == 2))
        })
        .await;
    service.log.set(Gate::Open);
    assert_eq!(told_durable(&ben.ear, game).await.durable_version, 2);
}

#[tokio::test]
async fn every_game_goes_on_when_a_silent_log_answers_again() {
    let service = Service::start().await;
    let mut games = Vec::new();
    for n in 0..10 {
        games.push(service.pair(&format!("a{n}"), &format!("b{n}")).await);
    }
    service.log.set(Gate::Silent);
    for (game, first, _) in &games {
        let position = service.live(*game).position;
        let moved = service.play_from(*game, &first.user, "m1", 3, position);
        assert!(!moved.await.unwrap().durable);
    }
    service.log.set(Gate::Open);
    for (game, _, second) in &games {
        assert_eq!(told_durable(&second.ear, *game).await.durable_version, 2);
        assert_eq!(service.folded(*game).await.version, 2);
    }
}

#[tokio::test]
async fn a_lost_answer_is_found_in_the_log_and_nothing_is_written_twice() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::LoseAnswers);
    assert!(service.play(game, &ann.user, "m1", 3).await.unwrap().durable);
    assert!(service.play(game, &ann.user, "m2", 4).await.unwrap().durable);
    assert_eq!(service.logged_names(game).await, ["started", "moved", "moved"]);
}

#[tokio::test]
async fn a_game_whose_event_is_refused_for_good_stops_no_other() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::Refuse);
    assert!(!service.play(game, &ann.user, "m1", 3).await.unwrap().durable);
    service.log.set(Gate::Open);
    assert!(!service.play(game, &ann.user, "m2", 4).await.unwrap().durable);
    service
        .until_pending(game, |pending| {
            pending.is_some_and(|found| found.items.len() == 2)
        })
        .await;
    assert_eq!(
        service
            .games
            .counters()
            .halted
            .load(std::sync::atomic::Ordering::Relaxed),
        1
    );
    let (other, cid, _dan) = service.pair("cid", "dan").await;
    assert!(service.play(other, &cid.user, "m1", 3).await.unwrap().durable);
    assert_eq!(service.logged_names(game).await, ["started"]);
}

#[tokio::test]
async fn a_log_that_is_full_is_asked_more_and_more_seldom_until_it_takes_what_waits() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::Full);
    let before = service.log.calls().appends;
    let begun = Instant::now();
    assert!(!service.play(game, &ann.user, "m1", 3).await.unwrap().durable);
    service.log.until_calls(|calls| calls.appends >= before + 3).await;
    assert!(begun.elapsed() >= Duration::from_millis(300), "100 and 200");
    service
        .until_pending(game, |pending| {
            pending.is_some_and(|found| found.items.len() == 1)
        })
        .await;
    assert_eq!(
        service.games.settled(game),
        Settled::Waits,
        "no restore waits for it"
    );
    service.log.set(Gate::Open);
    assert_eq!(told_durable(&ben.ear, game).await.durable_version, 2);
    assert_eq!(service.games.settled(game), Settled::Durable);
    assert_eq!(service.logged_names(game).await, ["started", "moved"]);
}

#[tokio::test]
async fn an_invitation_is_joined_while_the_log_is_away() {
    let service = Service::start().await;
    service.log.set(Gate::Down);
    service.settle().await;
    let (host, guest) = (service.connect("host"), service.connect("guest"));
    let invitation = invitation(&host.user, Durability::BestEffort);
    let game = invitation.game;
    let joined = service
        .games
        .join(invitation, &guest.user, Some(client("join")))
        .await
        .unwrap();
    assert!(!joined.durable);
    let started = |frame: &ServerFrame| matches!(frame, ServerFrame::OnGameStart(_)).then_some(());
    host.ear.until(started).await;
    service.log.set(Gate::Open);
    assert_eq!(told_durable(&host.ear, game).await.durable_version, 1);
}

#[tokio::test]
async fn an_invitation_is_joined_while_the_log_refuses_its_game() {
    let service = Service::start().await;
    service.log.set(Gate::Refuse);
    let host = service.connect("host");
    let invitation = invitation(&host.user, Durability::BestEffort);
    let joined = service
        .games
        .join(invitation, &user("guest"), None)
        .await
        .unwrap();
    assert!(!joined.durable);
}

/// The names of the game's events in a log.
async fn names(log: &Arc<dyn EventLog>, game: GameId) -> Vec<String> {
    let entries = log.read_game(key(game), 0).await.unwrap();
    entries.into_iter().map(|entry| entry.name).collect()
}

/// A log with the events of `game` up to a version, as in an older copy of what there was.
pub async fn older_log(service: &Service, game: GameId, version: u64) -> (Embedded, Arc<dyn EventLog>) {
    let clock = FakeClock::at(service.now());
    let older = Embedded::open(EmbeddedConfig::default(), clock).await.unwrap();
    let log: Arc<dyn EventLog> = older.log();
    let mut last = 0;
    for envelope in service.logged(game).await {
        if envelope.id.version <= version {
            last = log.append(&outgoing(&envelope), last).await.unwrap();
        }
    }
    (older, log)
}

/// Returns when the log has the game's newest state again, behind what was left of it.
async fn until_healed(log: &Arc<dyn EventLog>, game: GameId) {
    let healed = async {
        while names(log, game).await != ["started", "moved", "anchored"] {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, healed)
        .await
        .expect("it is healed");
    let entry = log.last(key(game)).await.unwrap().expect("it is there");
    let newest = Envelope::from_bytes(&entry.bytes).expect("an event");
    assert_eq!(newest.place().version, 4);
}

/// A game of three moves, of which nothing is kept any more, and a log with the first of them.
async fn played_and_lost(service: &Service) -> (GameId, Person, Embedded, Arc<dyn EventLog>) {
    let (game, ann, ben) = service.pair("ann", "ben").await;
    for (id, person, index) in [("m1", &ann, 3), ("m2", &ann, 4), ("m3", &ben, 7)] {
        service.play(game, &person.user, id, index).await.unwrap();
    }
    service.until_durable(game, 4).await;
    service.pass(10_000).await;
    let (older, log) = older_log(service, game, 2).await;
    (game, ann, older, log)
}

#[tokio::test]
async fn a_game_that_nobody_plays_on_is_healed_when_the_log_comes_back_older() {
    let service = Service::start().await;
    let (game, ann, _older, log) = played_and_lost(&service).await;
    service.log.set(Gate::Down);
    service.settle().await;
    service.log.replace(log.clone());
    service.log.set(Gate::Open);
    until_healed(&log, game).await;
    service.play(game, &ann.user, "m4", 0).await.unwrap();
    service.until_durable(game, 5).await;
}

/// The log's end is asked for no more than once: only a new connection says that it may be another.
pub fn never_asking() -> Limits {
    Limits {
        ask_for_end_ms: 3_600_000,
        ..Limits::default()
    }
}

/// Others play until the log's end is beyond `reached`.
async fn grow_past(log: &dyn EventLog, reached: Seq) {
    while log.info().await.unwrap().last <= reached {
        append_all(log, &messages(4)).await;
    }
}

#[tokio::test]
async fn so_it_is_when_the_log_grew_past_its_old_end_before_it_was_back() {
    let service = Service::with(never_asking()).await;
    let (game, ann, _older, log) = played_and_lost(&service).await;
    let reached = service.embedded.log().info().await.unwrap().last;
    service.log.set(Gate::Down);
    service.settle().await;
    grow_past(&*log, reached).await;
    service.log.replace(log.clone());
    service.log.set(Gate::Open);
    until_healed(&log, game).await;
    service.play(game, &ann.user, "m4", 0).await.unwrap();
    service.until_durable(game, 5).await;
}

#[tokio::test]
async fn so_it_is_when_the_log_is_older_though_its_connection_never_went() {
    let service = Service::with(Limits {
        // Whatever was kept is looked at only at a reconnect.
        keep_acked_ms: -1,
        ask_for_end_ms: 20,
        ..Limits::default()
    })
    .await;
    let (game, ann, _older, log) = played_and_lost(&service).await;
    service.log.replace(log.clone());
    until_healed(&log, game).await;
    service.play(game, &ann.user, "m4", 0).await.unwrap();
    service.until_durable(game, 5).await;
}
