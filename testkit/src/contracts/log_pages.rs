//! What everybody who hands the log out must do.
//!
//! A case gets an empty log of its own and its pages.

use std::sync::Arc;

use commands::ports::{EventLog, LogEntry};
use contract::{EndReason, Kind, Millis, Seq};
use projections::ports::{LogPages, RawEntry, Wanted};

use crate::fixtures::{self, Game, append_all, messages, outgoing};

/// Stamps every case as a test of an adapter. `$open` is an async function that returns an empty log as
/// `Arc<dyn EventLog>`, its pages as `Arc<dyn LogPages>`, and whatever has to live as long as they.
#[macro_export]
macro_rules! log_pages_contract {
    ($open:expr) => {
        $crate::log_pages_contract! { $open;
            pages_have_everything_in_order_and_to_the_byte,
            a_page_begins_at_its_sequence_and_has_at_most_what_was_asked_for,
            a_page_behind_the_end_is_empty_until_something_is_written,
            a_page_has_only_what_is_wanted,
            large_messages_come_in_several_pages,
            the_ends_are_those_of_the_log,
            a_time_before_all_leads_to_the_beginning_and_one_after_all_behind_the_end,
        }
    };
    ($open:expr; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (log, pages, _keep) = $open().await;
            $crate::contracts::log_pages::$case(log, pages).await;
        }
    )+ };
}

type Log = Arc<dyn EventLog>;
type Pages = Arc<dyn LogPages>;

fn raw(entry: &LogEntry) -> RawEntry {
    RawEntry {
        seq: entry.seq,
        kind: entry.key.kind.to_string(),
        game: entry.key.id.to_string(),
        name: entry.name.clone(),
        bytes: entry.bytes.clone(),
    }
}

fn raws<'a>(entries: impl IntoIterator<Item = &'a LogEntry>) -> Vec<RawEntry> {
    entries.into_iter().map(raw).collect()
}

async fn games(log: &Log, count: usize, of_length: usize) -> Vec<LogEntry> {
    let mut written = Vec::new();
    for _ in 0..count {
        written.extend(append_all(&**log, &messages(of_length)).await);
    }
    written
}

/// Everything from a sequence on, page by page.
async fn all(pages: &Pages, mut from: Seq, wanted: &Wanted, max: usize) -> Vec<RawEntry> {
    let mut all: Vec<RawEntry> = Vec::new();
    loop {
        let page = pages.page(from, wanted, max).await.unwrap();
        assert!(page.len() <= max, "{}", page.len());
        let Some(last) = page.last() else { return all };
        from = last.seq + 1;
        all.extend(page);
    }
}

pub async fn pages_have_everything_in_order_and_to_the_byte(log: Log, pages: Pages) {
    let written = raws(&games(&log, 20, 5).await);
    for max in [1, 7, 1_000] {
        assert_eq!(all(&pages, 0, &Wanted::default(), max).await, written);
    }
}

pub async fn a_page_begins_at_its_sequence_and_has_at_most_what_was_asked_for(log: Log, pages: Pages) {
    let written = raws(&games(&log, 4, 3).await);
    let page = pages.page(written[6].seq, &Wanted::default(), 3).await.unwrap();
    assert_eq!(page, written[6..9]);
}

pub async fn a_page_behind_the_end_is_empty_until_something_is_written(log: Log, pages: Pages) {
    let behind = games(&log, 1, 3).await.last().expect("it was written").seq + 1;
    assert_eq!(pages.page(behind, &Wanted::default(), 9).await.unwrap(), []);
    let written = raws(&games(&log, 1, 2).await);
    assert_eq!(all(&pages, behind, &Wanted::default(), 9).await, written);
}

pub async fn a_page_has_only_what_is_wanted(log: Log, pages: Pages) {
    let mut written = games(&log, 3, 4).await;
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let events = [
        outgoing(&started),
        outgoing(&game.play()),
        outgoing(&game.end(EndReason::Left)),
    ];
    written.extend(append_all(&*log, &events).await);
    let id = game.state().id;
    for wanted in [
        Wanted {
            name: Some("moved".into()),
            ..Wanted::default()
        },
        Wanted {
            game: Some(id),
            ..Wanted::default()
        },
        Wanted {
            kind: Some("mancala".into()),
            ..Wanted::default()
        },
        Wanted {
            kind: Some("dicechess".into()),
            ..Wanted::default()
        },
        Wanted {
            kind: Some("mancala".into()),
            game: Some(id),
            name: Some("ended".into()),
        },
        Wanted {
            name: Some("castled".into()),
            ..Wanted::default()
        },
    ] {
        let is_wanted = |entry: &&LogEntry| {
            wanted
                .kind
                .as_ref()
                .is_none_or(|kind| *kind == entry.key.kind.to_string())
                && wanted.game.is_none_or(|game| game == entry.key.id)
                && wanted.name.as_ref().is_none_or(|name| *name == entry.name)
        };
        let expected = raws(written.iter().filter(is_wanted));
        assert_eq!(all(&pages, 1, &wanted, 2).await, expected, "{wanted:?}");
    }
}

/// Whoever holds a page must have the memory for it.
pub async fn large_messages_come_in_several_pages(log: Log, pages: Pages) {
    let mut written = Vec::new();
    for _ in 0..12 {
        let large = fixtures::padded(&messages(1)[0], 2_000_000);
        written.extend(append_all(&*log, &[large]).await);
    }
    let page = pages.page(1, &Wanted::default(), 100).await.unwrap();
    assert!((1..12).contains(&page.len()), "{}", page.len());
    assert_eq!(all(&pages, 1, &Wanted::default(), 100).await, raws(&written));
}

pub async fn the_ends_are_those_of_the_log(log: Log, pages: Pages) {
    assert_eq!(pages.info().await.unwrap(), log.info().await.unwrap());
    games(&log, 2, 3).await;
    assert_eq!(pages.info().await.unwrap(), log.info().await.unwrap());
}

pub async fn a_time_before_all_leads_to_the_beginning_and_one_after_all_behind_the_end(
    log: Log,
    pages: Pages,
) {
    assert_eq!(pages.at(Millis(0)).await.unwrap(), 1, "nothing is there yet");
    let written = games(&log, 3, 4).await;
    let last = written.last().expect("it was written").seq;
    assert_eq!(pages.at(Millis(0)).await.unwrap(), written[0].seq);
    assert_eq!(pages.at(Millis(4_000_000_000_000)).await.unwrap(), last + 1);
}
