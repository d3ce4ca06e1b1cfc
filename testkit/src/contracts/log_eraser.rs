//! What every eraser of the log must do.
//!
//! A case gets an empty log of its own, its reader and its eraser.

use std::sync::Arc;

use commands::ports::EventLog;
use projections::ports::{LogEraser, LogFilter, LogReader};

use crate::fixtures::{append_after, append_all, messages};

/// Stamps every case as a test of an adapter. `$open` is an async function that returns an empty log as
/// `Arc<dyn EventLog>`, its reader and its eraser, and whatever has to live as long as they.
#[macro_export]
macro_rules! log_eraser_contract {
    ($open:expr) => {
        $crate::log_eraser_contract! { $open;
            only_the_games_messages_below_the_sequence_are_gone,
            readers_pass_over_what_is_gone,
            a_game_may_be_extended_after_its_beginning_was_erased,
            a_sequence_is_never_given_out_again,
            erasing_nothing_is_no_error,
        }
    };
    ($open:expr; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (log, reader, eraser, _keep) = $open().await;
            $crate::contracts::log_eraser::$case(log, reader, eraser).await;
        }
    )+ };
}

type Log = Arc<dyn EventLog>;
type Reader = Arc<dyn LogReader>;
type Eraser = Arc<dyn LogEraser>;

pub async fn only_the_games_messages_below_the_sequence_are_gone(log: Log, _: Reader, eraser: Eraser) {
    let other = append_all(&*log, &messages(3)).await;
    let mine = append_all(&*log, &messages(5)).await;
    let (key, below) = (mine[0].key, mine[3].seq);
    assert_eq!(eraser.erase_below(key, below).await.unwrap(), 3);
    assert_eq!(log.read_game(key, 0).await.unwrap(), mine[3..]);
    assert_eq!(log.read_game(other[0].key, 0).await.unwrap(), other);
    assert_eq!(eraser.erase_below(key, below).await.unwrap(), 0, "they are gone");
}

pub async fn readers_pass_over_what_is_gone(log: Log, reader: Reader, eraser: Eraser) {
    let first = append_all(&*log, &messages(2)).await;
    let mine = append_all(&*log, &messages(5)).await;
    let last = append_all(&*log, &messages(2)).await;
    eraser.erase_below(mine[0].key, mine[4].seq).await.unwrap();
    let left: Vec<_> = first.iter().chain(&mine[4..]).chain(&last).cloned().collect();
    let mut cursor = reader.open(0, LogFilter::All).await.unwrap();
    let mut read = Vec::new();
    while read.len() < left.len() {
        let next = cursor.next(100, 20_000).await.unwrap();
        assert!(!next.is_empty(), "only {} of {} came", read.len(), left.len());
        read.extend(next);
    }
    assert_eq!(read, left);
}

pub async fn a_game_may_be_extended_after_its_beginning_was_erased(log: Log, _: Reader, eraser: Eraser) {
    let all = messages(6);
    let mine = append_all(&*log, &all[..4]).await;
    let key = mine[0].key;
    eraser.erase_below(key, mine[3].seq).await.unwrap();
    assert!(log.append(&all[4], 0).await.is_err(), "the fence holds");
    let further = append_after(&*log, mine[3].seq, &all[4..]).await;
    assert_eq!(log.last(key).await.unwrap(), further.last().cloned());
}

pub async fn a_sequence_is_never_given_out_again(log: Log, _: Reader, eraser: Eraser) {
    let all = messages(3);
    let mine = append_all(&*log, &all[..2]).await;
    eraser.erase_below(mine[0].key, mine[1].seq + 1).await.unwrap();
    assert_eq!(log.info().await.unwrap().last, mine[1].seq);
    let next = append_all(&*log, &messages(1)).await;
    assert_eq!(next[0].seq, mine[1].seq + 1);
}

pub async fn erasing_nothing_is_no_error(log: Log, _: Reader, eraser: Eraser) {
    let mine = append_all(&*log, &messages(2)).await;
    assert_eq!(eraser.erase_below(mine[0].key, 0).await.unwrap(), 0);
    assert_eq!(
        eraser
            .erase_below(crate::fixtures::game_key(), 100)
            .await
            .unwrap(),
        0
    );
    assert_eq!(log.read_game(mine[0].key, 0).await.unwrap(), mine);
}
