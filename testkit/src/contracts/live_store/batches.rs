//! What a batch leaves, and where the checkpoint is after it.

use bytes::Bytes;
use commands::ports::LogIdentity;
use contract::{GameKey, Kind};
use projections::ports::{Checkpoint, LiveBatch, LiveStore, SnapshotStatus, SnapshotWrite, Written};

use super::given::{ME, batch, checkpoint, id, live, stored};

pub async fn an_empty_store_has_generation_zero_and_nothing_in_it(store: &dyn LiveStore) {
    assert_eq!(store.generation().await.unwrap(), 0);
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert_eq!(store.tombstones(0).await.unwrap(), vec![]);
    let all = store.load().await.unwrap();
    assert_eq!((all.generation, all.checkpoint, all.snapshots), (0, None, vec![]));
}

pub async fn a_batch_is_read_back_with_its_checkpoint(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let kind = *Kind::ALL.last().expect("there is a kind");
    let other_kind = SnapshotWrite {
        key: GameKey { kind, id: id(2) },
        ..live(2, 9)
    };
    let first = batch(None, 7, vec![live(1, 3), other_kind.clone()]);
    assert_eq!(store.write(0, ME, &first).await.unwrap(), Written::Done);
    let second = batch(Some(7), 9, vec![live(1, 4)]);
    assert_eq!(store.write(0, ME, &second).await.unwrap(), Written::Done);

    let mut all = store.load().await.unwrap();
    all.snapshots.sort_by_key(|snapshot| snapshot.key.id);
    assert_eq!(all.checkpoint, Some(second.to.clone()));
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(second.to));
    assert_eq!(all.snapshots.len(), 2);
    assert_eq!(all.snapshots[0].version, 4);
    assert_eq!(all.snapshots[0].bytes, live(1, 4).bytes);
    assert_eq!(all.snapshots[1].key, other_kind.key);
    assert_eq!(all.snapshots[1].status, SnapshotStatus::Live);
}

pub async fn any_bytes_survive(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    for (n, bytes) in [
        Bytes::new(),
        (0..=255).collect(),
        Bytes::from(vec![b'\n'; 100_000]),
    ]
    .into_iter()
    .enumerate()
    {
        let game = n as u128;
        let written = SnapshotWrite {
            bytes: bytes.clone(),
            ..live(game, 1)
        };
        assert_eq!(store.heal(0, ME, &[written]).await.unwrap(), Written::Done);
        assert_eq!(stored(store, game).await.unwrap().2, bytes);
    }
}

pub async fn a_batch_of_five_hundred_is_written_in_one_step(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let large = |version| -> Vec<SnapshotWrite> {
        let bytes = Bytes::from(vec![version as u8; 2048]);
        (0..500)
            .map(|game| SnapshotWrite {
                bytes: bytes.clone(),
                ..live(game, version)
            })
            .collect()
    };
    assert_eq!(
        store.write(0, ME, &batch(None, 500, large(1))).await.unwrap(),
        Written::Done
    );
    assert_eq!(
        store.write(0, ME, &batch(None, 1000, large(2))).await.unwrap(),
        Written::MovedCheckpoint
    );
    let all = store.load().await.unwrap();
    assert_eq!(all.checkpoint, Some(checkpoint(500)));
    assert_eq!(all.snapshots.len(), 500);
    assert!(
        all.snapshots
            .iter()
            .all(|snapshot| snapshot.version == 1 && snapshot.bytes[..] == [1; 2048])
    );
}

pub async fn a_batch_without_snapshots_moves_the_checkpoint(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let nothing_yet = Checkpoint {
        seq: 0,
        event_id: None,
        log: LogIdentity("GAMES@1".into()),
    };
    let first = LiveBatch {
        from: None,
        to: nothing_yet.clone(),
        writes: vec![],
    };
    assert_eq!(store.write(0, ME, &first).await.unwrap(), Written::Done);
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(nothing_yet));
    assert_eq!(
        store.write(0, ME, &batch(Some(0), 5, vec![])).await.unwrap(),
        Written::Done
    );
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(5)));
}

pub async fn a_checkpoint_in_doubt_is_set_back(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let first = batch(None, 1_000, vec![live(1, 4), live(2, 9)]);
    assert_eq!(store.write(0, ME, &first).await.unwrap(), Written::Done);
    // The log was replaced: it is shorter, and its games are other ones.
    let log = LogIdentity("GAMES@2".into());
    let refolded = SnapshotWrite {
        force: true,
        ..live(1, 2)
    };
    for (from, to) in [(1_000, 30), (30, 0)] {
        let back = LiveBatch {
            to: Checkpoint {
                log: log.clone(),
                ..checkpoint(to)
            },
            ..batch(Some(from), to, vec![refolded.clone()])
        };
        assert_eq!(store.write(0, ME, &back).await.unwrap(), Written::Done);
        assert_eq!(store.checkpoint(0).await.unwrap(), Some(back.to));
    }
    assert_eq!(stored(store, 1).await.map(|(version, ..)| version), Some(2));
    assert_eq!(
        stored(store, 2).await.map(|(version, ..)| version),
        Some(9),
        "what was not written stays"
    );
    let stale = batch(Some(1_000), 1_001, vec![]);
    assert_eq!(
        store.write(0, ME, &stale).await.unwrap(),
        Written::MovedCheckpoint
    );
    let on = batch(Some(0), 1, vec![live(1, 3)]);
    assert_eq!(store.write(0, ME, &on).await.unwrap(), Written::Done);
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(on.to));
}
