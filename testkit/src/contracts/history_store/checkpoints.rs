//! Games and checkpoint move together.

use commands::ports::LogIdentity;
use contract::EventId;
use projections::ports::{Checkpoint, HistoryStore, Written};

use super::games::{game, id};
use super::given::{OTHER, TOKEN, checkpoint, comes_back, outcome, write};

/// The checkpoint comes back as it was given, also when its batch had no games.
pub async fn games_and_checkpoint_move_together(store: &dyn HistoryStore) {
    assert!(store.acquire(TOKEN).await.unwrap());
    let done = Ok(Written::Done);
    let nowhere = Checkpoint {
        seq: 0,
        event_id: None,
        ..checkpoint(0)
    };
    assert_eq!(outcome(store.write(TOKEN, None, &nowhere, &[]).await), done);
    assert_eq!(store.checkpoint().await.unwrap(), Some(nowhere));

    let anchored = checkpoint(7).event_id.map(|event| EventId {
        anchor: Some(3),
        ..event
    });
    let seventh = Checkpoint {
        event_id: anchored,
        ..checkpoint(7)
    };
    assert_eq!(
        outcome(store.write(TOKEN, Some(0), &seventh, &[game(1)]).await),
        done
    );
    assert_eq!(store.checkpoint().await.unwrap(), Some(seventh));

    assert_eq!(
        outcome(store.write(TOKEN, Some(7), &checkpoint(9), &[]).await),
        done
    );
    assert_eq!(store.checkpoint().await.unwrap(), Some(checkpoint(9)));
    comes_back(store, &game(1)).await;
}

/// Wherever it claims to start instead.
pub async fn a_batch_that_does_not_continue_the_checkpoint_writes_nothing(store: &dyn HistoryStore) {
    assert!(store.acquire(TOKEN).await.unwrap());
    let moved = Ok(Written::MovedCheckpoint);
    let batch = [game(1)];
    for from in [0, 4] {
        assert_eq!(
            outcome(store.write(TOKEN, Some(from), &checkpoint(5), &batch).await),
            moved
        );
        assert_eq!(store.checkpoint().await.unwrap(), None);
    }
    write(store, &[]).await;
    for from in [None, Some(0), Some(2)] {
        assert_eq!(
            outcome(store.write(TOKEN, from, &checkpoint(5), &batch).await),
            moved,
            "{from:?}"
        );
        assert_eq!(store.checkpoint().await.unwrap(), Some(checkpoint(1)));
    }
    assert_eq!(store.existing(&[id(1)]).await.unwrap(), []);
}

/// As when a write that was given up is still under way while it is tried again.
pub async fn of_two_writes_of_the_same_step_one_is_done(store: &dyn HistoryStore) {
    for from in [None, Some(1)] {
        assert!(store.acquire(TOKEN).await.unwrap());
        let to = checkpoint(from.unwrap_or(0) + 1);
        let batch = [game(to.seq as u32)];
        let (one, other) = tokio::join!(
            store.write(TOKEN, from, &to, &batch),
            store.write(TOKEN, from, &to, &batch)
        );
        let both = [outcome(one), outcome(other)];
        assert!(both.contains(&Ok(Written::Done)), "{both:?}");
        assert!(both.contains(&Ok(Written::MovedCheckpoint)), "{both:?}");
        comes_back(store, &batch[0]).await;
    }
}

/// Backward, forward, to another log, and where there was none.
pub async fn a_reset_moves_the_checkpoint_and_keeps_the_games(store: &dyn HistoryStore) {
    assert!(store.acquire(TOKEN).await.unwrap());
    let elsewhere = Checkpoint {
        log: LogIdentity("another".to_owned()),
        ..checkpoint(2)
    };
    let nowhere = Checkpoint {
        seq: 0,
        event_id: None,
        ..checkpoint(0)
    };
    for to in [checkpoint(9), elsewhere, nowhere] {
        assert_eq!(store.reset_checkpoint(TOKEN, &to).await.unwrap(), Written::Done);
        assert_eq!(store.checkpoint().await.unwrap(), Some(to));
    }
    write(store, &[game(1)]).await;
    assert_eq!(
        store.reset_checkpoint(TOKEN, &checkpoint(0)).await.unwrap(),
        Written::Done
    );
    comes_back(store, &game(1)).await;
}

/// Like a write.
pub async fn a_reset_needs_the_token(store: &dyn HistoryStore) {
    assert!(store.acquire(OTHER).await.unwrap());
    let lost = store.reset_checkpoint(TOKEN, &checkpoint(1)).await.unwrap();
    assert_eq!(lost, Written::LostToken);
    assert_eq!(store.checkpoint().await.unwrap(), None);
}

/// As when a log was replaced by a shorter one. No row is written twice, and none is lost.
pub async fn a_batch_may_set_the_checkpoint_back(store: &dyn HistoryStore) {
    assert!(store.acquire(TOKEN).await.unwrap());
    let (done, moved) = (Ok(Written::Done), Ok(Written::MovedCheckpoint));
    let first = [game(1), game(2)];
    assert_eq!(
        outcome(store.write(TOKEN, None, &checkpoint(1_000), &first).await),
        done
    );
    let back = Checkpoint {
        log: LogIdentity("another".to_owned()),
        ..checkpoint(30)
    };
    assert_eq!(
        outcome(store.write(TOKEN, Some(1_000), &back, &[game(2), game(3)]).await),
        done
    );
    assert_eq!(store.checkpoint().await.unwrap(), Some(back));
    for game in [game(1), game(2), game(3)] {
        comes_back(store, &game).await;
    }
    assert_eq!(
        outcome(store.write(TOKEN, Some(1_000), &checkpoint(1_001), &[]).await),
        moved
    );
    assert_eq!(
        outcome(store.write(TOKEN, Some(30), &checkpoint(31), &[]).await),
        done
    );
}
