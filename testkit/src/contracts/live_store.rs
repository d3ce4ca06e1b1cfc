//! What every [`LiveStore`] does. Stamp it with [`live_store_contract!`](crate::live_store_contract).
//!
//! Not here: that a token lapses after ten seconds (each adapter turns its own clock), and what happens when the store
//! is away, killed or frozen.

use bytes::Bytes;
use commands::ports::LogIdentity;
use contract::{EventId, GameId, GameKey, Kind, Seq, Version, WriterId};
use projections::ports::{Checkpoint, LiveBatch, LiveStore, SnapshotStatus, SnapshotWrite, Written};
use uuid::Uuid;

const ME: WriterId = WriterId(0xa11ce);
const OTHER: WriterId = WriterId(0xb0b);

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn LiveStore>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! live_store_contract {
    ($open:path) => {
        $crate::live_store_contract! { $open;
            an_empty_store_has_generation_zero_and_nothing_in_it,
            a_batch_is_read_back_with_its_checkpoint,
            any_bytes_survive,
            a_batch_of_five_hundred_is_written_in_one_step,
            a_batch_without_snapshots_moves_the_checkpoint,
            a_checkpoint_in_doubt_is_set_back,
            writing_needs_the_token,
            a_batch_that_does_not_start_at_the_checkpoint_is_refused,
            a_first_batch_is_refused_once_there_is_a_checkpoint,
            a_lost_token_is_said_before_a_moved_checkpoint,
            a_version_not_above_the_stored_one_is_skipped,
            versions_are_compared_as_numbers,
            a_forced_snapshot_replaces_a_newer_one,
            only_a_creating_write_makes_a_new_key,
            a_heal_leaves_the_checkpoint_where_it_is,
            a_heal_needs_the_token_and_a_newer_version,
            the_token_has_one_holder,
            of_many_who_want_the_token_one_gets_it,
            of_two_batches_from_one_checkpoint_one_is_written,
            only_its_holder_gives_a_token_back,
            each_generation_has_its_own_token,
            games_are_read_one_by_one_and_in_the_order_asked_for,
            tombstones_are_listed_and_still_readable,
            sweeping_deletes_tombstones_and_leaves_live_games,
            a_swept_game_may_be_made_anew,
            generations_do_not_see_each_other,
            a_flip_changes_what_readers_see_and_deletes_the_old_generation,
            a_flip_from_another_generation_changes_nothing,
            the_writer_of_the_old_generation_stops_at_the_flip,
            of_many_flips_one_succeeds,
            a_discarded_generation_is_empty,
            the_generation_in_use_is_not_discarded,
            a_quarantined_game_is_gone_from_every_list,
            quarantining_an_unknown_game_is_no_error,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::live_store::$case(&*store).await;
        }
    )+ };
}

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

pub async fn writing_needs_the_token(store: &dyn LiveStore) {
    let first = batch(None, 1, vec![live(1, 1)]);
    assert_eq!(store.write(0, ME, &first).await.unwrap(), Written::LostToken);
    assert!(store.acquire(0, OTHER).await.unwrap());
    assert_eq!(store.write(0, ME, &first).await.unwrap(), Written::LostToken);
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert_eq!(store.write(0, OTHER, &first).await.unwrap(), Written::Done);
}

pub async fn a_batch_that_does_not_start_at_the_checkpoint_is_refused(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let without_base = batch(Some(4), 5, vec![live(1, 1)]);
    assert_eq!(
        store.write(0, ME, &without_base).await.unwrap(),
        Written::MovedCheckpoint
    );
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(
        store.write(0, ME, &batch(None, 5, vec![])).await.unwrap(),
        Written::Done
    );
    for from in [4, 6, 50] {
        let other_base = batch(Some(from), 60, vec![live(1, 1)]);
        assert_eq!(
            store.write(0, ME, &other_base).await.unwrap(),
            Written::MovedCheckpoint
        );
    }
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(5)));
    assert_eq!(store.get(id(1)).await.unwrap(), None);
}

pub async fn a_first_batch_is_refused_once_there_is_a_checkpoint(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store.write(0, ME, &batch(None, 5, vec![])).await.unwrap(),
        Written::Done
    );
    let again = batch(None, 6, vec![live(1, 1)]);
    assert_eq!(
        store.write(0, ME, &again).await.unwrap(),
        Written::MovedCheckpoint
    );
    assert_eq!(store.get(id(1)).await.unwrap(), None);
}

pub async fn a_lost_token_is_said_before_a_moved_checkpoint(store: &dyn LiveStore) {
    assert!(store.acquire(0, OTHER).await.unwrap());
    let both_wrong = batch(Some(3), 4, vec![]);
    assert_eq!(store.write(0, ME, &both_wrong).await.unwrap(), Written::LostToken);
}

pub async fn a_version_not_above_the_stored_one_is_skipped(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .write(0, ME, &batch(None, 1, vec![live(1, 5)]))
            .await
            .unwrap(),
        Written::Done
    );
    let same = SnapshotWrite {
        bytes: "other".into(),
        ..live(1, 5)
    };
    let older_and_new = batch(Some(1), 2, vec![same, live(2, 1)]);
    assert_eq!(store.write(0, ME, &older_and_new).await.unwrap(), Written::Done);
    assert_eq!(store.heal(0, ME, &[live(1, 4)]).await.unwrap(), Written::Done);
    assert_eq!(
        stored(store, 1).await,
        Some((5, SnapshotStatus::Live, live(1, 5).bytes))
    );
    assert!(stored(store, 2).await.is_some());
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(2)));
}

pub async fn versions_are_compared_as_numbers(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    for version in [9, 10, 99, 100, 1_000_000] {
        assert_eq!(
            store.heal(0, ME, &[live(1, version)]).await.unwrap(),
            Written::Done
        );
        assert_eq!(stored(store, 1).await.unwrap().0, version);
    }
}

pub async fn a_forced_snapshot_replaces_a_newer_one(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store.heal(0, ME, &[live(1, 5), tombstone(2, 9)]).await.unwrap(),
        Written::Done
    );
    let forced = [
        SnapshotWrite {
            force: true,
            ..live(1, 3)
        },
        SnapshotWrite {
            force: true,
            ..live(2, 9)
        },
    ];
    assert_eq!(store.heal(0, ME, &forced).await.unwrap(), Written::Done);
    assert_eq!(stored(store, 1).await.unwrap().0, 3);
    assert_eq!(stored(store, 2).await.unwrap().1, SnapshotStatus::Live);
    assert_eq!(store.tombstones(0).await.unwrap(), vec![]);
}

pub async fn only_a_creating_write_makes_a_new_key(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let replacing = SnapshotWrite {
        create: false,
        ..live(1, 2)
    };
    let forcing = SnapshotWrite {
        create: false,
        force: true,
        ..live(1, 2)
    };
    assert_eq!(
        store
            .write(0, ME, &batch(None, 1, vec![replacing.clone()]))
            .await
            .unwrap(),
        Written::Done
    );
    assert_eq!(store.heal(0, ME, &[forcing]).await.unwrap(), Written::Done);
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert_eq!(store.load().await.unwrap().snapshots, vec![]);
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert_eq!(store.heal(0, ME, &[replacing]).await.unwrap(), Written::Done);
    assert_eq!(stored(store, 1).await.unwrap().0, 2);
}

pub async fn a_heal_leaves_the_checkpoint_where_it_is(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(
        store.write(0, ME, &batch(None, 8, vec![])).await.unwrap(),
        Written::Done
    );
    assert_eq!(store.heal(0, ME, &[live(1, 2)]).await.unwrap(), Written::Done);
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(8)));
    assert_eq!(stored(store, 1).await.unwrap().0, 2);
}

pub async fn a_heal_needs_the_token_and_a_newer_version(store: &dyn LiveStore) {
    assert_eq!(
        store.heal(0, ME, &[live(1, 1)]).await.unwrap(),
        Written::LostToken
    );
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(store.heal(0, ME, &[live(1, 2)]).await.unwrap(), Written::Done);
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert_eq!(
        store.heal(0, OTHER, &[live(1, 3)]).await.unwrap(),
        Written::LostToken
    );
    assert_eq!(stored(store, 1).await.unwrap().0, 2);
}

pub async fn the_token_has_one_holder(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(!store.acquire(0, OTHER).await.unwrap());
    assert!(store.acquire(0, ME).await.unwrap());
    store.release(0, ME).await.unwrap();
    assert!(store.acquire(0, OTHER).await.unwrap());
    assert!(!store.acquire(0, ME).await.unwrap());
}

pub async fn of_many_who_want_the_token_one_gets_it(store: &dyn LiveStore) {
    let attempts = (0..16).map(|n| store.acquire(0, WriterId(n)));
    let got = futures::future::try_join_all(attempts).await.unwrap();
    assert_eq!(got.iter().filter(|got| **got).count(), 1);
}

pub async fn of_two_batches_from_one_checkpoint_one_is_written(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let (one, other) = (batch(None, 5, vec![live(1, 1)]), batch(None, 6, vec![live(2, 1)]));
    let (first, second) = tokio::join!(store.write(0, ME, &one), store.write(0, ME, &other));
    let kept = match (first.unwrap(), second.unwrap()) {
        (Written::Done, Written::MovedCheckpoint) => one,
        (Written::MovedCheckpoint, Written::Done) => other,
        both => panic!("{both:?}"),
    };
    let all = store.load().await.unwrap();
    assert_eq!(all.checkpoint, Some(kept.to));
    assert_eq!(
        all.snapshots
            .iter()
            .map(|snapshot| snapshot.key)
            .collect::<Vec<_>>(),
        [kept.writes[0].key]
    );
}

pub async fn only_its_holder_gives_a_token_back(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    store.release(0, OTHER).await.unwrap();
    assert!(!store.acquire(0, OTHER).await.unwrap());
    assert_eq!(
        store.write(0, ME, &batch(None, 1, vec![])).await.unwrap(),
        Written::Done
    );
}

pub async fn each_generation_has_its_own_token(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(store.acquire(1, OTHER).await.unwrap());
    assert_eq!(
        store.write(0, ME, &batch(None, 1, vec![])).await.unwrap(),
        Written::Done
    );
    assert_eq!(
        store.write(1, ME, &batch(None, 1, vec![])).await.unwrap(),
        Written::LostToken
    );
}

pub async fn games_are_read_one_by_one_and_in_the_order_asked_for(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let writes = vec![live(1, 1), live(2, 2), live(3, 3)];
    assert_eq!(
        store.write(0, ME, &batch(None, 3, writes)).await.unwrap(),
        Written::Done
    );
    let found = store.get_many(0, &[id(3), id(9), id(1), id(3)]).await.unwrap();
    let versions: Vec<_> = found
        .iter()
        .map(|found| found.as_ref().map(|found| found.version))
        .collect();
    assert_eq!(versions, [Some(3), None, Some(1), Some(3)]);
    assert_eq!(store.get_many(0, &[]).await.unwrap(), vec![]);
    assert_eq!(store.get(id(2)).await.unwrap().unwrap().key, key(2));
    let many: Vec<_> = (0..1200).map(id).collect();
    let found = store.get_many(0, &many).await.unwrap();
    assert_eq!(found.len(), many.len());
    assert_eq!(found.iter().flatten().count(), 3);
}

pub async fn tombstones_are_listed_and_still_readable(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .heal(0, ME, &[live(1, 1), live(2, 1), live(3, 1)])
            .await
            .unwrap(),
        Written::Done
    );
    let ended = SnapshotWrite {
        create: false,
        ..tombstone(2, 7)
    };
    assert_eq!(
        store.write(0, ME, &batch(None, 9, vec![ended])).await.unwrap(),
        Written::Done
    );
    let tombstones = store.tombstones(0).await.unwrap();
    assert_eq!(tombstones.len(), 1);
    assert_eq!((tombstones[0].key, tombstones[0].version), (key(2), 7));
    assert_eq!(tombstones[0].bytes, tombstone(2, 7).bytes);
    assert_eq!(stored(store, 2).await.unwrap().1, SnapshotStatus::Tombstone);
    assert_eq!(store.load().await.unwrap().snapshots.len(), 3);
}

pub async fn sweeping_deletes_tombstones_and_leaves_live_games(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .heal(0, ME, &[live(1, 1), tombstone(2, 1), tombstone(3, 1)])
            .await
            .unwrap(),
        Written::Done
    );
    store.sweep(0, &[id(1), id(2), id(9)]).await.unwrap();
    assert!(store.get(id(1)).await.unwrap().is_some());
    assert_eq!(store.get(id(2)).await.unwrap(), None);
    let left: Vec<_> = store
        .tombstones(0)
        .await
        .unwrap()
        .into_iter()
        .map(|left| left.key)
        .collect();
    assert_eq!(left, [key(3)]);
    assert_eq!(store.load().await.unwrap().snapshots.len(), 2);
    store.sweep(0, &[]).await.unwrap();
}

pub async fn a_swept_game_may_be_made_anew(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store.heal(0, ME, &[tombstone(1, 9)]).await.unwrap(),
        Written::Done
    );
    store.sweep(0, &[id(1)]).await.unwrap();
    assert_eq!(store.heal(0, ME, &[live(1, 2)]).await.unwrap(), Written::Done);
    assert_eq!(stored(store, 1).await.unwrap().0, 2);
}

pub async fn generations_do_not_see_each_other(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(store.acquire(1, ME).await.unwrap());
    assert_eq!(
        store
            .write(0, ME, &batch(None, 3, vec![live(1, 3)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert_eq!(
        store
            .write(1, ME, &batch(None, 1, vec![live(1, 1), tombstone(2, 1)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(3)));
    assert_eq!(store.checkpoint(1).await.unwrap(), Some(checkpoint(1)));
    assert_eq!(stored(store, 1).await.unwrap().0, 3);
    assert_eq!(
        store.get_many(1, &[id(1)]).await.unwrap()[0]
            .as_ref()
            .unwrap()
            .version,
        1
    );
    assert_eq!(store.tombstones(0).await.unwrap(), vec![]);
    assert_eq!(store.tombstones(1).await.unwrap().len(), 1);
    store.sweep(0, &[id(2)]).await.unwrap();
    assert_eq!(store.tombstones(1).await.unwrap().len(), 1);
}

pub async fn a_flip_changes_what_readers_see_and_deletes_the_old_generation(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(store.acquire(1, ME).await.unwrap());
    let old = (0..700).map(|game| live(game, 1)).collect();
    assert_eq!(
        store.write(0, ME, &batch(None, 3, old)).await.unwrap(),
        Written::Done
    );
    assert_eq!(
        store
            .write(1, ME, &batch(None, 4, vec![live(1, 2)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert!(store.flip(0, 1).await.unwrap());
    assert_eq!(store.generation().await.unwrap(), 1);
    let all = store.load().await.unwrap();
    assert_eq!(
        (all.generation, all.checkpoint, all.snapshots.len()),
        (1, Some(checkpoint(4)), 1)
    );
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(
        store.get_many(0, &[id(1), id(699)]).await.unwrap(),
        vec![None, None]
    );
    assert_eq!(
        store.write(1, ME, &batch(Some(4), 5, vec![])).await.unwrap(),
        Written::Done
    );
}

pub async fn a_flip_from_another_generation_changes_nothing(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert!(!store.flip(1, 2).await.unwrap());
    assert_eq!(store.generation().await.unwrap(), 0);
    assert!(store.get(id(1)).await.unwrap().is_some());
}

pub async fn the_writer_of_the_old_generation_stops_at_the_flip(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .write(0, ME, &batch(None, 3, vec![live(1, 1)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert!(store.flip(0, 1).await.unwrap());
    let next = batch(Some(3), 4, vec![live(1, 2)]);
    assert_eq!(store.write(0, ME, &next).await.unwrap(), Written::LostToken);
    assert_eq!(
        store.heal(0, ME, &[live(1, 2)]).await.unwrap(),
        Written::LostToken
    );
}

pub async fn of_many_flips_one_succeeds(store: &dyn LiveStore) {
    let flips = (1..9).map(|to| store.flip(0, to));
    let flipped = futures::future::try_join_all(flips).await.unwrap();
    assert_eq!(flipped.iter().filter(|flipped| **flipped).count(), 1);
    let winner = flipped.iter().position(|flipped| *flipped).unwrap() as u64 + 1;
    assert_eq!(store.generation().await.unwrap(), winner);
}

pub async fn a_discarded_generation_is_empty(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(store.acquire(1, OTHER).await.unwrap());
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    let left_over = (0..700).map(|game| tombstone(game, 9)).collect();
    assert_eq!(
        store.write(1, OTHER, &batch(None, 3, left_over)).await.unwrap(),
        Written::Done
    );
    store.discard(1).await.unwrap();
    assert_eq!(store.checkpoint(1).await.unwrap(), None);
    assert_eq!(store.tombstones(1).await.unwrap(), vec![]);
    assert_eq!(
        store.get_many(1, &[id(1), id(699)]).await.unwrap(),
        vec![None, None]
    );
    assert!(store.get(id(1)).await.unwrap().is_some());
    assert!(store.acquire(1, ME).await.unwrap(), "its token is gone with it");
    assert_eq!(
        store
            .write(1, ME, &batch(None, 1, vec![live(1, 1)]))
            .await
            .unwrap(),
        Written::Done
    );
}

/// Whether it answers with an error or does nothing is left to the adapter.
pub async fn the_generation_in_use_is_not_discarded(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .write(0, ME, &batch(None, 3, vec![live(1, 1)]))
            .await
            .unwrap(),
        Written::Done
    );
    let _ = store.discard(0).await;
    let all = store.load().await.unwrap();
    assert_eq!((all.checkpoint, all.snapshots.len()), (Some(checkpoint(3)), 1));
    assert_eq!(
        store.write(0, ME, &batch(Some(3), 4, vec![])).await.unwrap(),
        Written::Done
    );
}

pub async fn a_quarantined_game_is_gone_from_every_list(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .heal(0, ME, &[live(1, 5), tombstone(2, 5), live(3, 5)])
            .await
            .unwrap(),
        Written::Done
    );
    store
        .quarantine(id(1), "its chain is not the log's")
        .await
        .unwrap();
    store.quarantine(id(2), "cannot be decoded").await.unwrap();
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert_eq!(store.tombstones(0).await.unwrap(), vec![]);
    let left: Vec<_> = store
        .load()
        .await
        .unwrap()
        .snapshots
        .into_iter()
        .map(|left| left.key)
        .collect();
    assert_eq!(left, [key(3)]);
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert_eq!(
        stored(store, 1).await.unwrap().0,
        1,
        "a refold may make it anew, at any version"
    );
}

pub async fn quarantining_an_unknown_game_is_no_error(store: &dyn LiveStore) {
    store.quarantine(id(1), "it is not there").await.unwrap();
    assert_eq!(store.load().await.unwrap().snapshots, vec![]);
}

fn id(game: u128) -> GameId {
    GameId(Uuid::from_u128(game))
}

fn key(game: u128) -> GameKey {
    GameKey {
        kind: Kind::Mancala,
        id: id(game),
    }
}

fn live(game: u128, version: Version) -> SnapshotWrite {
    SnapshotWrite {
        key: key(game),
        version,
        status: SnapshotStatus::Live,
        create: true,
        force: false,
        bytes: format!("game {game} at {version}").into(),
    }
}

fn tombstone(game: u128, version: Version) -> SnapshotWrite {
    let bytes = format!("game {game} ended at {version}").into();
    SnapshotWrite {
        status: SnapshotStatus::Tombstone,
        bytes,
        ..live(game, version)
    }
}

fn checkpoint(seq: Seq) -> Checkpoint {
    let event_id = Some(EventId::new(id(1), seq, ME));
    Checkpoint {
        seq,
        event_id,
        log: LogIdentity("GAMES@1".into()),
    }
}

fn batch(from: Option<Seq>, to: Seq, writes: Vec<SnapshotWrite>) -> LiveBatch {
    LiveBatch {
        from,
        to: checkpoint(to),
        writes,
    }
}

async fn stored(store: &dyn LiveStore, game: u128) -> Option<(Version, SnapshotStatus, Bytes)> {
    let snapshot = store.get(id(game)).await.unwrap()?;
    assert_eq!(snapshot.key.id, id(game));
    Some((snapshot.version, snapshot.status, snapshot.bytes))
}
