//! What every event log must do.
//!
//! A case gets an empty log of its own. Cases of an adapter (outages, limits, replicas) are in that adapter's tests.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use commands::ports::{AppendError, EventLog, LogEntry, LogInfo};
use contract::{EndReason, GameKey, Kind, Seq};
use futures::future::join_all;
use tokio::time::timeout;

use crate::fixtures::{self, Game, append_after, append_all, entry, messages, outgoing};

/// Long enough for anything that will happen at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// Stamps every case as a test of an adapter. `$open` is an async function that returns an empty log as
/// `Arc<dyn EventLog>`, and whatever has to live as long as it.
#[macro_export]
macro_rules! event_log_contract {
    ($open:expr) => {
        $crate::event_log_contract! { $open;
            an_empty_log_begins_at_one,
            a_log_keeps_its_identity,
            a_log_that_answers_is_up,
            a_message_is_read_back_as_it_was_written,
            the_ends_follow_what_is_appended,
            sequences_grow_over_all_games,
            an_expectation_is_about_the_games_own_messages,
            a_stale_expectation_is_refused_whatever_the_events_name,
            an_expectation_ahead_of_the_game_is_refused,
            a_refused_message_leaves_no_trace,
            of_two_appends_with_one_expectation_exactly_one_is_taken,
            of_many_writers_exactly_one_extends_a_game,
            a_large_message_is_taken_whole,
            the_last_message_is_the_newest_whatever_its_name,
            a_game_without_messages_has_no_last_one,
            the_last_of_each_come_in_the_order_asked_for,
            the_last_of_hundreds_of_games_are_found,
            a_game_is_read_in_order_and_alone,
            a_game_is_read_from_where_the_reader_is,
            a_long_game_is_read_whole,
            an_ended_game_is_found_by_its_id_alone,
            a_game_that_ended_twice_is_found_by_its_newest_end,
            a_game_is_unfinished_until_it_ends,
            hundreds_of_unfinished_games_are_listed_once_each,
            takeovers_are_told_from_now_on,
        }
    };
    ($open:expr; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (log, _keep) = $open().await;
            $crate::contracts::event_log::$case(log).await;
        }
    )+ };
}

type Log = Arc<dyn EventLog>;

fn assert_refused(outcome: &Result<Seq, AppendError>) {
    assert!(matches!(outcome, Err(AppendError::Refused(_))), "{outcome:?}");
}

pub async fn an_empty_log_begins_at_one(log: Log) {
    let LogInfo {
        first,
        last,
        identity,
    } = log.info().await.unwrap();
    assert_eq!((first, last), (1, 0));
    assert!(!identity.0.is_empty());
}

pub async fn a_log_keeps_its_identity(log: Log) {
    let before = log.info().await.unwrap().identity;
    append_all(&*log, &messages(3)).await;
    assert_eq!(log.info().await.unwrap().identity, before);
}

pub async fn a_log_that_answers_is_up(log: Log) {
    let mut link = log.link();
    timeout(PATIENCE, link.wait_for(|link| link.is_up()))
        .await
        .expect("it comes up")
        .expect("a log tells as long as it lives");
}

pub async fn a_message_is_read_back_as_it_was_written(log: Log) {
    let written = append_all(&*log, &messages(1)).await;
    assert_eq!(log.read_game(written[0].key, 0).await.unwrap(), written);
}

pub async fn the_ends_follow_what_is_appended(log: Log) {
    let written = append_all(&*log, &messages(4)).await;
    let info = log.info().await.unwrap();
    assert_eq!(info.first, written[0].seq);
    assert_eq!(info.last, written[3].seq);
}

pub async fn sequences_grow_over_all_games(log: Log) {
    let mut before = 0;
    for _ in 0..5 {
        for written in append_all(&*log, &messages(2)).await {
            assert!(written.seq > before);
            before = written.seq;
        }
    }
}

pub async fn an_expectation_is_about_the_games_own_messages(log: Log) {
    let (one, other) = (messages(2), messages(2));
    let one_seq = log.append(&one[0], 0).await.unwrap();
    let other_seq = log.append(&other[0], 0).await.unwrap();
    log.append(&one[1], one_seq).await.unwrap();
    log.append(&other[1], other_seq).await.unwrap();
}

pub async fn a_stale_expectation_is_refused_whatever_the_events_name(log: Log) {
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let first = log.append(&outgoing(&started), 0).await.unwrap();
    let second = log.append(&outgoing(&game.play()), first).await.unwrap();
    let anchored = outgoing(&game.anchor());
    let events = [
        game.play(),
        game.resume(fixtures::writer()),
        game.end(EndReason::Left),
    ]
    .map(|event| outgoing(&event));
    for stale in events.iter().chain([&anchored, &outgoing(&started)]) {
        assert_refused(&log.append(stale, 0).await);
        assert_refused(&log.append(stale, first).await);
    }
    log.append(&events[0], second)
        .await
        .expect("only the newest message's sequence is not stale");
}

pub async fn an_expectation_ahead_of_the_game_is_refused(log: Log) {
    let game = messages(2);
    assert_refused(&log.append(&game[0], 1).await);
    let seq = log.append(&game[0], 0).await.unwrap();
    assert_refused(&log.append(&game[1], seq + 1).await);
    let other = append_all(&*log, &messages(1)).await;
    assert_refused(&log.append(&game[1], other[0].seq).await);
}

pub async fn a_refused_message_leaves_no_trace(log: Log) {
    let game = messages(2);
    let written = append_all(&*log, &game[..1]).await;
    let before = log.info().await.unwrap();
    assert_refused(&log.append(&game[1], 0).await);
    assert_eq!(log.info().await.unwrap(), before);
    assert_eq!(log.read_game(game[0].key, 0).await.unwrap(), written);
}

pub async fn of_two_appends_with_one_expectation_exactly_one_is_taken(log: Log) {
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let mut seq = log.append(&outgoing(&started), 0).await.unwrap();
    for _ in 0..20 {
        let resumed = outgoing(&game.clone().resume(fixtures::writer()));
        let anchored = outgoing(&game.anchor());
        let (one, other) = tokio::join!(log.append(&resumed, seq), log.append(&anchored, seq));
        let (taken, refused) = if one.is_ok() { (one, other) } else { (other, one) };
        assert_refused(&refused);
        seq = taken.expect("one of two is taken");
        assert_eq!(
            log.last(game.state().key()).await.unwrap().map(|last| last.seq),
            Some(seq)
        );
    }
    assert_eq!(log.read_game(game.state().key(), 0).await.unwrap().len(), 21);
}

pub async fn of_many_writers_exactly_one_extends_a_game(log: Log) {
    let (game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let seq = log.append(&outgoing(&started), 0).await.unwrap();
    let claims: Vec<_> = (0..16)
        .map(|_| outgoing(&game.clone().resume(fixtures::writer())))
        .collect();
    let outcomes = join_all(claims.iter().map(|claim| log.append(claim, seq))).await;
    let taken: Vec<_> = outcomes
        .iter()
        .filter_map(|outcome| outcome.as_ref().ok())
        .collect();
    assert_eq!(taken.len(), 1, "{outcomes:?}");
    let winner = outcomes.iter().position(Result::is_ok).expect("there is one");
    let last = log
        .last(game.state().key())
        .await
        .unwrap()
        .expect("it has messages");
    assert_eq!(last, entry(*taken[0], &claims[winner]));
}

/// The longest game's record is some hundreds of kilobytes.
pub async fn a_large_message_is_taken_whole(log: Log) {
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let ended = fixtures::padded(&outgoing(&game.end(EndReason::Left)), 2 * 1024 * 1024);
    let written = append_all(&*log, &[outgoing(&started), ended]).await;
    assert_eq!(
        log.last(written[1].key).await.unwrap().as_ref(),
        Some(&written[1])
    );
    assert_eq!(log.read_game(written[1].key, 0).await.unwrap(), written);
}

pub async fn the_last_message_is_the_newest_whatever_its_name(log: Log) {
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let events = [
        started,
        game.play(),
        game.resume(fixtures::writer()),
        game.play(),
        game.anchor(),
        game.play(),
    ];
    let mut seq = 0;
    for event in &events {
        let message = outgoing(event);
        seq = log.append(&message, seq).await.unwrap();
        append_all(&*log, &messages(1)).await;
        assert_eq!(log.last(message.key).await.unwrap(), Some(entry(seq, &message)));
    }
}

pub async fn a_game_without_messages_has_no_last_one(log: Log) {
    append_all(&*log, &messages(2)).await;
    let nobody = fixtures::game_key();
    assert_eq!(log.last(nobody).await.unwrap(), None);
    assert_eq!(log.read_game(nobody, 0).await.unwrap(), []);
    assert_eq!(log.find_ended(nobody.id).await.unwrap(), None);
}

pub async fn the_last_of_each_come_in_the_order_asked_for(log: Log) {
    let one = append_all(&*log, &messages(3)).await;
    let other = append_all(&*log, &messages(2)).await;
    let keys = [other[0].key, fixtures::game_key(), one[0].key, other[0].key];
    let found = log.last_of_each(&keys).await.unwrap();
    assert_eq!(
        found,
        [
            Some(other[1].clone()),
            None,
            Some(one[2].clone()),
            Some(other[1].clone())
        ]
    );
    assert_eq!(log.last_of_each(&[]).await.unwrap(), []);
}

pub async fn the_last_of_hundreds_of_games_are_found(log: Log) {
    let mut expected = Vec::new();
    for _ in 0..300 {
        expected.extend(append_all(&*log, &messages(1)).await);
    }
    let keys: Vec<GameKey> = expected.iter().map(|last| last.key).collect();
    let found: Vec<_> = log
        .last_of_each(&keys)
        .await
        .unwrap()
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(found, expected);
}

pub async fn a_game_is_read_in_order_and_alone(log: Log) {
    let (one, other) = (messages(6), messages(6));
    let (mut one_written, mut other_written) = (Vec::new(), Vec::new());
    for (for_one, for_other) in one.iter().zip(&other) {
        let seq_of = |written: &Vec<LogEntry>| written.last().map_or(0, |last: &LogEntry| last.seq);
        let seq = log.append(for_one, seq_of(&one_written)).await.unwrap();
        one_written.push(entry(seq, for_one));
        let seq = log.append(for_other, seq_of(&other_written)).await.unwrap();
        other_written.push(entry(seq, for_other));
    }
    assert_eq!(log.read_game(one[0].key, 0).await.unwrap(), one_written);
    assert_eq!(log.read_game(other[0].key, 0).await.unwrap(), other_written);
}

pub async fn a_game_is_read_from_where_the_reader_is(log: Log) {
    let written = append_all(&*log, &messages(5)).await;
    let key = written[0].key;
    assert_eq!(log.read_game(key, written[1].seq).await.unwrap(), written[2..]);
    assert_eq!(log.read_game(key, written[4].seq).await.unwrap(), []);
    assert_eq!(log.read_game(key, written[4].seq + 100).await.unwrap(), []);
}

pub async fn a_long_game_is_read_whole(log: Log) {
    let written = append_all(&*log, &messages(400)).await;
    assert_eq!(log.read_game(written[0].key, 0).await.unwrap(), written);
}

pub async fn an_ended_game_is_found_by_its_id_alone(log: Log) {
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let id = game.state().id;
    let seq = log.append(&outgoing(&started), 0).await.unwrap();
    assert_eq!(log.find_ended(id).await.unwrap(), None);
    let ended = outgoing(&game.end(EndReason::Left));
    let seq = log.append(&ended, seq).await.unwrap();
    append_all(&*log, &messages(1)).await;
    assert_eq!(log.find_ended(id).await.unwrap(), Some(entry(seq, &ended)));
}

/// It happens when the log lost its tail and the end is written again.
pub async fn a_game_that_ended_twice_is_found_by_its_newest_end(log: Log) {
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let ended = outgoing(&game.end(EndReason::Left));
    let written = append_all(&*log, &[outgoing(&started), ended.clone(), ended]).await;
    assert_eq!(
        log.find_ended(game.state().id).await.unwrap().as_ref(),
        Some(&written[2])
    );
    assert_eq!(log.unfinished().await.unwrap(), []);
}

pub async fn a_game_is_unfinished_until_it_ends(log: Log) {
    assert_eq!(log.unfinished().await.unwrap(), []);
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let events = [
        started,
        game.play(),
        game.anchor(),
        game.resume(fixtures::writer()),
    ]
    .map(|e| outgoing(&e));
    let written = append_all(&*log, &events).await;
    assert_eq!(log.unfinished().await.unwrap(), [game.state().key()]);
    let ended = outgoing(&game.end(EndReason::Inactive));
    log.append(&ended, written[3].seq).await.unwrap();
    assert_eq!(log.unfinished().await.unwrap(), []);
}

pub async fn hundreds_of_unfinished_games_are_listed_once_each(log: Log) {
    let mut unfinished = BTreeSet::new();
    for _ in 0..200 {
        unfinished.insert(append_all(&*log, &messages(2)).await[0].key);
        let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
        append_all(&*log, &[outgoing(&started), outgoing(&game.end(EndReason::Left))]).await;
    }
    let listed = log.unfinished().await.unwrap();
    assert_eq!(listed.len(), unfinished.len());
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), unfinished);
}

pub async fn takeovers_are_told_from_now_on(log: Log) {
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let early = [outgoing(&started), outgoing(&game.resume(fixtures::writer()))];
    let early = append_all(&*log, &early).await;
    let mut takeovers = log.takeovers().await.unwrap();
    let later = [
        game.play(),
        game.resume(fixtures::writer()),
        game.play(),
        game.anchor(),
    ]
    .map(|e| outgoing(&e));
    let later = append_after(&*log, early[1].seq, &later).await;
    let other = append_all(&*log, &messages(2)).await;
    let expected = [&later[1], &later[3], &other[0]];
    for expected in expected {
        let told = timeout(PATIENCE, takeovers.recv())
            .await
            .expect("takeovers are told");
        assert_eq!(told.as_ref(), Some(expected));
    }
    // A message may come twice; nothing else may come.
    while let Ok(told) = takeovers.try_recv() {
        assert!(expected.contains(&&told), "{told:?}");
    }
}
