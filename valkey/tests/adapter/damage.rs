//! What somebody or something has damaged: it is noticed, and stops nothing else.

use projections::ports::{LiveStore, Written};
use redis::AsyncCommands;

use crate::opened::{ME, Opened, batch, id, open, snapshot};

/// A store of the games 1 and 2, whose checkpoint is at 5.
async fn written() -> Opened {
    let opened = open().await;
    let valkey = &opened.valkey;
    assert!(valkey.acquire(0, ME).await.unwrap());
    let games = vec![snapshot(1, 1), snapshot(2, 1)];
    assert_eq!(
        valkey.write(0, ME, &batch(None, 5, games)).await.unwrap(),
        Written::Done
    );
    opened
}

#[tokio::test]
async fn a_game_whose_snapshot_is_gone_is_named() {
    let mut opened = written().await;
    let key = format!("{}:live:0:{}", opened.prefix, id(1));
    let gone: u64 = opened.raw.del(key).await.unwrap();
    assert_eq!(gone, 1);
    let set = opened.valkey.load().await.unwrap();
    assert_eq!(set.missing, [id(1)]);
    assert_eq!(set.snapshots, [opened.valkey.get(id(2)).await.unwrap().unwrap()]);
}

#[tokio::test]
async fn what_is_no_id_among_the_games_hides_no_game() {
    let mut opened = written().await;
    let games = format!("{}:live:0:games", opened.prefix);
    let () = opened.raw.sadd(games, "rubbish").await.unwrap();
    let set = opened.valkey.load().await.unwrap();
    assert_eq!((set.snapshots.len(), set.missing.len()), (2, 0));
}

#[tokio::test]
async fn a_checkpoint_of_which_a_part_cannot_be_read_can_be_gone_on_from() {
    for part in ["seq", "event", "log"] {
        let mut opened = written().await;
        let key = format!("{}:live:0:checkpoint", opened.prefix);
        let () = opened.raw.hset(key, part, "rubbish").await.unwrap();
        let valkey = &opened.valkey;
        let damaged = valkey.checkpoint(0).await.unwrap();
        assert_eq!(valkey.load().await.unwrap().checkpoint, damaged, "{part}");
        let next = batch(damaged.map(|checkpoint| checkpoint.seq), 9, vec![snapshot(1, 2)]);
        assert_eq!(valkey.write(0, ME, &next).await.unwrap(), Written::Done, "{part}");
        assert_eq!(valkey.checkpoint(0).await.unwrap(), Some(next.to), "{part}");
    }
}
