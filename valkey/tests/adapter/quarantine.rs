//! What is moved aside can be looked at.

use bytes::Bytes;
use commands::ports::{PendingGame, PendingItem, PendingStore};
use contract::{EventId, Version};
use projections::ports::{LiveStore, Written};
use redis::AsyncCommands;
use turnstream_valkey::Quarantined;

use crate::opened::{ME, Opened, id, key, open, snapshot};

#[tokio::test]
async fn a_snapshot_in_quarantine_has_its_bytes_reason_and_time() {
    let opened = open().await;
    let valkey = &opened.valkey;
    assert!(valkey.acquire(0, ME).await.unwrap());
    assert_eq!(
        valkey.heal(0, ME, &[snapshot(1, 5)]).await.unwrap(),
        Written::Done
    );
    let before = server_time(&opened).await;
    LiveStore::quarantine(&**valkey, id(1), "not on the log's chain")
        .await
        .unwrap();
    LiveStore::quarantine(&**valkey, id(2), "it is not there")
        .await
        .unwrap();

    let [
        Quarantined {
            at,
            what,
            reason,
            bytes,
        },
    ] = &valkey.quarantined(id(1)).await.unwrap()[..]
    else {
        panic!("one entry")
    };
    assert!((before..=server_time(&opened).await).contains(&at.0));
    assert_eq!(
        (what.as_str(), reason.as_str()),
        ("live snapshot of version 5", "not on the log's chain")
    );
    assert_eq!(*bytes, snapshot(1, 5).bytes);
    assert_eq!(valkey.quarantined_games().await.unwrap(), [id(1)]);
}

#[tokio::test]
async fn pending_events_in_quarantine_are_those_that_are_not_on_the_chain() {
    let opened = open().await;
    let valkey = &opened.valkey;
    let items: Vec<_> = [3, 4, 5].map(item).into();
    let game = PendingGame {
        key: key(1),
        writer: ME,
        base: Some(event(2)),
        items: items.clone(),
    };
    valkey.append(&game).await.unwrap();
    PendingStore::quarantine(&**valkey, key(1), ME, &[event(3)], "fenced")
        .await
        .unwrap();

    let found = valkey.quarantined(id(1)).await.unwrap();
    assert_eq!(found.len(), 2);
    for (found, item) in found.iter().zip(&items[1..]) {
        assert_eq!(found.what, format!("pending moved event {}", item.id));
        assert_eq!(found.reason, "fenced");
        assert_eq!(found.bytes, item.bytes);
    }
    assert_eq!(valkey.quarantined_games().await.unwrap(), [id(1)]);
}

#[tokio::test]
async fn a_list_that_is_on_the_chain_leaves_nothing_in_quarantine() {
    let opened = open().await;
    let game = PendingGame {
        key: key(1),
        writer: ME,
        base: Some(event(2)),
        items: vec![item(3)],
    };
    opened.valkey.append(&game).await.unwrap();
    PendingStore::quarantine(&*opened.valkey, key(1), ME, &[event(3)], "fenced")
        .await
        .unwrap();
    assert_eq!(opened.valkey.quarantined_games().await.unwrap(), []);
}

#[tokio::test]
async fn the_newest_thousand_entries_of_a_game_are_kept() {
    let opened = open().await;
    let valkey = &opened.valkey;
    let items: Vec<_> = (3..1203).map(item).collect();
    let game = PendingGame {
        key: key(1),
        writer: ME,
        base: Some(event(2)),
        items,
    };
    valkey.append(&game).await.unwrap();
    PendingStore::quarantine(&**valkey, key(1), ME, &[], "fenced")
        .await
        .unwrap();
    let found = valkey.quarantined(id(1)).await.unwrap();
    assert_eq!(found.len(), 1000);
    assert_eq!(found.last().unwrap().bytes, item(1202).bytes);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_does_not_stop_the_others() {
    let mut opened = open().await;
    let valkey = &opened.valkey;
    for game in [1, 2] {
        let base = Some(EventId::new(id(game), 2, ME));
        let place = EventId::new(id(game), 3, ME);
        let items = vec![PendingItem {
            place,
            id: place,
            previd: base,
            ..item(3)
        }];
        valkey
            .append(&PendingGame {
                key: key(game),
                writer: ME,
                base,
                items,
            })
            .await
            .unwrap();
    }
    let () = opened
        .raw
        .hset(format!("{}:pending:{}", opened.prefix, id(1)), "writer", "?")
        .await
        .unwrap();
    let left: Vec<_> = PendingStore::load(&**valkey)
        .await
        .unwrap()
        .into_iter()
        .map(|game| game.key)
        .collect();
    assert_eq!(left, [key(2)]);
}

fn event(version: Version) -> EventId {
    EventId::new(id(1), version, ME)
}

fn item(version: Version) -> PendingItem {
    let bytes = Bytes::from(format!("{{\n\"version\": {version}\n}}\0"));
    let (place, previd) = (event(version), Some(event(version - 1)));
    PendingItem {
        place,
        id: place,
        previd,
        anchored: false,
        name: "moved".into(),
        bytes,
    }
}

async fn server_time(opened: &Opened) -> i64 {
    let (seconds, micros): (i64, i64) = redis::cmd("TIME")
        .query_async(&mut opened.raw.clone())
        .await
        .unwrap();
    seconds * 1000 + micros / 1000
}
