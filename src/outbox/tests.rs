use super::*;
use contract::frames::server::{Durable, LiveGames};
use contract::{Position, WriterId};
use uuid::Uuid;

fn game(n: u128) -> GameId {
    GameId(Uuid::from_u128(n))
}

fn frame(n: u128, version: Version) -> Push {
    let durable = Durable {
        game_id: game(n),
        durable_version: version,
    };
    Push::Frame(Encoded::at(
        ServerFrame::OnDurable(durable),
        game(n),
        Position {
            version,
            writer: WriterId(1),
        },
    ))
}

fn live_games() -> Push {
    Push::Frame(Encoded::new(ServerFrame::OnLiveGames(LiveGames {
        games: vec![],
    })))
}

/// What is sent, in short.
fn sent(outbox: &Outbox) -> Vec<String> {
    let mut sent = Vec::new();
    while let Some(next) = outbox.try_next() {
        let text = match next {
            Next::Frame(frame, _) => match &frame.frame {
                ServerFrame::OnDurable(d) => format!("{}@{}", d.game_id.0.as_u128(), d.durable_version),
                ServerFrame::OnLiveGames(_) => "live".to_owned(),
                other => format!("{other:?}"),
            },
            Next::Resync(game) => format!("resync {}", game.0.as_u128()),
            Next::Close(ending) => {
                sent.push(format!("close {}", ending.code));
                return sent;
            }
        };
        sent.push(text);
    }
    sent
}

#[test]
fn frames_come_out_as_they_went_in() {
    let outbox = Outbox::new(4);
    (1..=3).for_each(|version| outbox.push(frame(1, version)));
    assert_eq!(sent(&outbox), ["1@1", "1@2", "1@3"]);
}

#[test]
fn a_slow_reader_gets_one_resync_for_each_game_in_place_of_what_it_missed() {
    let outbox = Outbox::new(2);
    (1..=9).for_each(|version| outbox.push(frame(1, version)));
    (1..=9).for_each(|version| outbox.push(frame(2, version)));
    assert_eq!(sent(&outbox), ["1@1", "1@2", "resync 1", "resync 2"]);
    outbox.push(frame(1, 10));
    assert_eq!(sent(&outbox), ["1@10"]);
}

#[test]
fn frames_that_a_resync_had_are_not_repeated() {
    let outbox = Outbox::new(2);
    (1..=3).for_each(|version| outbox.push(frame(1, version)));
    for expected in ["frame", "frame", "resync"] {
        let next = outbox.try_next().expect("something waits");
        assert_eq!(expected == "resync", matches!(next, Next::Resync(_)));
    }
    // Committed between the mark's end and the reading of the state, which had version 5.
    (4..=5).for_each(|version| outbox.push(frame(1, version)));
    outbox.resynced(game(1), 5);
    assert_eq!(sent(&outbox), Vec::<String>::new());
    outbox.push(frame(1, 6));
    assert_eq!(sent(&outbox), ["1@6"]);
}

#[test]
fn a_full_queue_still_takes_answers_but_not_for_ever() {
    let outbox = Outbox::new(1);
    outbox.push(frame(1, 1));
    (0..UNREAD_ANSWERS).for_each(|_| outbox.answer(ServerFrame::Pong));
    assert!(!matches!(
        outbox.waiting().ending,
        Some(Ending { code: 4002, .. })
    ));
    outbox.answer(ServerFrame::Pong);
    assert_eq!(sent(&outbox).last().map(String::as_str), Some("close 4002"));
}

#[test]
fn only_the_latest_list_of_live_games_waits() {
    let outbox = Outbox::new(1);
    (0..5).for_each(|_| outbox.push(live_games()));
    outbox.push(frame(1, 1));
    assert_eq!(sent(&outbox), ["1@1", "live"]);
}

#[test]
fn closing_sends_what_waits_first_and_the_first_reason_stays() {
    let outbox = Outbox::new(1);
    (1..=3).for_each(|version| outbox.push(frame(1, version)));
    outbox.push(Push::Close(CloseCode::Replaced));
    outbox.close(CloseCode::Reconnect);
    outbox.push(frame(1, 4));
    assert_eq!(sent(&outbox), ["1@1", "close 4001"]);
}

#[test]
fn a_game_that_is_not_watched_any_more_is_not_resynced() {
    let outbox = Outbox::new(1);
    (1..=3).for_each(|version| outbox.push(frame(1, version)));
    outbox.forget(game(1));
    assert_eq!(sent(&outbox), ["1@1"]);
}

#[tokio::test]
async fn whoever_waits_is_woken() {
    let outbox = Outbox::new(1);
    let (next, ()) = tokio::join!(outbox.next(), async { outbox.push(frame(1, 1)) });
    assert!(matches!(next, Next::Frame(..)));
}
