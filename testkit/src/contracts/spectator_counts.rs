//! What every bus of spectator counts must do.
//!
//! A case gets two ends of one bus that nobody else uses: two processes, or the same one twice where there can only be
//! one.

use std::sync::Arc;
use std::time::Duration;

use projections::ports::{SpectatorCounts, Watched};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::fixtures;

/// Long enough for anything that will happen at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// Stamps every case as a test of an adapter. `$open` is an async function that returns both ends as
/// `Arc<dyn SpectatorCounts>`, and whatever has to live as long as they.
#[macro_export]
macro_rules! spectator_counts_contract {
    ($open:expr) => {
        $crate::spectator_counts_contract! { $open;
            a_count_is_heard_as_it_was_told,
            counts_of_many_games_are_heard_in_order,
            nobody_has_to_listen_for_counts,
        }
    };
    ($open:expr; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (one, other, _keep) = $open().await;
            $crate::contracts::spectator_counts::$case(one, other).await;
        }
    )+ };
}

type Bus = Arc<dyn SpectatorCounts>;

fn count(spectators: u32) -> Watched {
    Watched {
        game: fixtures::game_id(),
        spectators,
    }
}

async fn next(listener: &mut mpsc::Receiver<Watched>) -> Watched {
    timeout(PATIENCE, listener.recv())
        .await
        .expect("it is heard")
        .expect("the bus goes on")
}

pub async fn a_count_is_heard_as_it_was_told(one: Bus, other: Bus) {
    let mut listeners = [other.listen().await.unwrap(), other.listen().await.unwrap()];
    for told in [count(3), count(0), count(u32::MAX)] {
        one.tell(told).await.unwrap();
        for listener in &mut listeners {
            assert_eq!(next(listener).await, told);
        }
    }
}

pub async fn counts_of_many_games_are_heard_in_order(one: Bus, other: Bus) {
    let mut listener = other.listen().await.unwrap();
    let told: Vec<_> = (0..200).map(count).collect();
    for count in &told {
        one.tell(*count).await.unwrap();
    }
    for count in told {
        assert_eq!(next(&mut listener).await, count);
    }
}

pub async fn nobody_has_to_listen_for_counts(one: Bus, other: Bus) {
    one.tell(count(1)).await.unwrap();
    drop(other.listen().await.unwrap());
    let earlier = count(2);
    one.tell(earlier).await.unwrap();
    let mut listener = other.listen().await.unwrap();
    let told = count(4);
    one.tell(told).await.unwrap();
    // What was told before may have been under way still.
    let mut heard = next(&mut listener).await;
    if heard == earlier {
        heard = next(&mut listener).await;
    }
    assert_eq!(heard, told);
}
