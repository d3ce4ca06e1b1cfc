//! What every reader of the log must do.
//!
//! A case gets an empty log of its own and a reader of it.

use std::sync::Arc;
use std::time::Duration;

use commands::ports::{EventLog, LogEntry};
use contract::{EndReason, Kind};
use projections::ports::{LogCursor, LogFilter, LogReader};
use tokio::time::{Instant, timeout};

use crate::fixtures::{self, Game, append_all, messages, outgoing};

/// Long enough for anything that will happen at all.
const PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE_MS: u64 = 20_000;

/// Stamps every case as a test of an adapter. `$open` is an async function that returns an empty log as
/// `Arc<dyn EventLog>`, its reader as `Arc<dyn LogReader>`, and whatever has to live as long as they.
#[macro_export]
macro_rules! log_reader_contract {
    ($open:expr) => {
        $crate::log_reader_contract! { $open;
            a_cursor_returns_everything_in_order,
            a_cursor_continues_behind_a_sequence,
            a_cursor_ahead_of_the_log_waits_for_its_place,
            an_ended_filter_returns_only_ends,
            a_cursor_returns_at_most_what_was_asked_for,
            a_waiting_cursor_returns_the_first_message_at_once,
            an_idle_cursor_returns_nothing_when_its_time_is_over,
            a_cursor_that_may_not_wait_does_not,
            cursors_do_not_disturb_each_other,
            thousands_of_messages_come_without_a_hole,
            an_abandoned_wait_loses_nothing,
        }
    };
    ($open:expr; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (log, reader, _keep) = $open().await;
            $crate::contracts::log_reader::$case(log, reader).await;
        }
    )+ };
}

type Log = Arc<dyn EventLog>;
type Reader = Arc<dyn LogReader>;

/// The next `count` messages, however they come.
async fn take(cursor: &mut dyn LogCursor, count: usize) -> Vec<LogEntry> {
    let mut taken = Vec::new();
    while taken.len() < count {
        let next = cursor.next(count - taken.len(), PATIENCE_MS).await.unwrap();
        assert!(!next.is_empty(), "only {} of {count} messages came", taken.len());
        taken.extend(next);
    }
    taken
}

async fn games(log: &Log, count: usize, of_length: usize) -> Vec<LogEntry> {
    let mut written = Vec::new();
    for _ in 0..count {
        written.extend(append_all(&**log, &messages(of_length)).await);
    }
    written
}

pub async fn a_cursor_returns_everything_in_order(log: Log, reader: Reader) {
    let written = games(&log, 10, 3).await;
    let mut cursor = reader.open(0, LogFilter::All).await.unwrap();
    assert_eq!(take(&mut *cursor, written.len()).await, written);
}

pub async fn a_cursor_continues_behind_a_sequence(log: Log, reader: Reader) {
    let written = games(&log, 4, 3).await;
    let mut cursor = reader.open(written[6].seq, LogFilter::All).await.unwrap();
    assert_eq!(take(&mut *cursor, written.len() - 7).await, written[7..]);
}

/// A checkpoint can be ahead of a log that lost its tail.
pub async fn a_cursor_ahead_of_the_log_waits_for_its_place(log: Log, reader: Reader) {
    let before = games(&log, 1, 2).await;
    let ahead = before[1].seq + 2;
    let mut cursor = reader.open(ahead, LogFilter::All).await.unwrap();
    let after = games(&log, 1, 5).await;
    let expected: Vec<_> = after.into_iter().filter(|entry| entry.seq > ahead).collect();
    assert_eq!(take(&mut *cursor, expected.len()).await, expected);
}

pub async fn an_ended_filter_returns_only_ends(log: Log, reader: Reader) {
    let mut ends = Vec::new();
    for _ in 0..5 {
        games(&log, 2, 3).await;
        let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
        let events = [
            outgoing(&started),
            outgoing(&game.play()),
            outgoing(&game.end(EndReason::Left)),
        ];
        ends.push(append_all(&*log, &events).await.remove(2));
    }
    let mut cursor = reader.open(0, LogFilter::Ended).await.unwrap();
    assert_eq!(take(&mut *cursor, 5).await, ends);
    let mut cursor = reader.open(ends[2].seq, LogFilter::Ended).await.unwrap();
    assert_eq!(take(&mut *cursor, 2).await, ends[3..]);
    assert_eq!(cursor.next(10, 50).await.unwrap(), []);
}

pub async fn a_cursor_returns_at_most_what_was_asked_for(log: Log, reader: Reader) {
    let written = games(&log, 4, 3).await;
    let mut cursor = reader.open(0, LogFilter::All).await.unwrap();
    let mut read = Vec::new();
    while read.len() < written.len() {
        let next = cursor.next(2, PATIENCE_MS).await.unwrap();
        assert!((1..=2).contains(&next.len()), "{}", next.len());
        read.extend(next);
    }
    assert_eq!(read, written);
}

pub async fn a_waiting_cursor_returns_the_first_message_at_once(log: Log, reader: Reader) {
    let mut cursor = reader.open(0, LogFilter::All).await.unwrap();
    let begun = Instant::now();
    let (next, written) = tokio::join!(cursor.next(100, PATIENCE_MS), async {
        tokio::task::yield_now().await;
        append_all(&*log, &messages(1)).await
    });
    assert_eq!(next.unwrap(), written);
    assert!(begun.elapsed() < PATIENCE / 2, "it did not wait for more");
}

pub async fn an_idle_cursor_returns_nothing_when_its_time_is_over(log: Log, reader: Reader) {
    let written = games(&log, 1, 1).await;
    let mut cursor = reader.open(written[0].seq, LogFilter::All).await.unwrap();
    let begun = Instant::now();
    assert_eq!(cursor.next(10, 200).await.unwrap(), []);
    assert!(begun.elapsed() >= Duration::from_millis(190));
    assert!(begun.elapsed() < PATIENCE / 2);
}

pub async fn a_cursor_that_may_not_wait_does_not(log: Log, reader: Reader) {
    let mut cursor = reader.open(0, LogFilter::All).await.unwrap();
    assert_eq!(
        timeout(PATIENCE / 2, cursor.next(10, 0))
            .await
            .expect("it returns")
            .unwrap(),
        []
    );
    let written = games(&log, 1, 1).await;
    assert_eq!(take(&mut *cursor, 1).await, written);
}

pub async fn cursors_do_not_disturb_each_other(log: Log, reader: Reader) {
    let written = games(&log, 3, 3).await;
    let mut one = reader.open(0, LogFilter::All).await.unwrap();
    let mut other = reader.open(0, LogFilter::All).await.unwrap();
    assert_eq!(take(&mut *one, 5).await, written[..5]);
    assert_eq!(take(&mut *other, 9).await, written);
    drop(other);
    assert_eq!(take(&mut *one, 4).await, written[5..]);
}

pub async fn thousands_of_messages_come_without_a_hole(log: Log, reader: Reader) {
    let mut cursor = reader.open(0, LogFilter::All).await.unwrap();
    let (read, written) = tokio::join!(take(&mut *cursor, 3_000), games(&log, 150, 20));
    assert_eq!(read.len(), written.len());
    for (read, written) in read.iter().zip(&written) {
        assert_eq!(read, written);
    }
}

/// A projector gives up a wait when it is told to stop, or to do something else first.
pub async fn an_abandoned_wait_loses_nothing(log: Log, reader: Reader) {
    let mut cursor = reader.open(0, LogFilter::All).await.unwrap();
    let read = async {
        let mut read = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        while read.len() < 300 && Instant::now() < deadline {
            if let Ok(next) = timeout(Duration::from_micros(300), cursor.next(7, PATIENCE_MS)).await {
                read.extend(next.unwrap());
            }
        }
        read
    };
    let (read, written) = tokio::join!(read, games(&log, 30, 10));
    assert_eq!(read, written);
}
