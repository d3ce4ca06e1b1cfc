//! One process runs a projector: who stops gives the token back, and who has lost it stops.

use contract::WriterId;
use projections::catch_up::ProjectorState;
use projections::ports::LiveStore;

use super::world::World;

const ONE: WriterId = WriterId(0xa);
const OTHER: WriterId = WriterId(0xb);

#[tokio::test]
async fn a_projector_that_stops_in_good_order_leaves_its_token_to_the_next() {
    let mut world = World::open().await;
    world.game(2).await;
    let (live, history) = (world.live(ONE), world.history(ONE, world.stores.history(), None));
    world.until_caught_up(&live).await;
    world.until_caught_up(&history).await;
    live.stop().await;
    history.stop().await;
    // The clock stands still: no token lapses.
    let next = (
        world.live(OTHER),
        world.history(OTHER, world.stores.history(), None),
    );
    world.until_caught_up(&next.0).await;
    world.until_caught_up(&next.1).await;
}

#[tokio::test]
async fn a_projector_that_has_nothing_to_write_notices_that_its_token_is_anothers() {
    let mut world = World::open().await;
    world.game(2).await;
    let projector = world.following(ONE).await;
    let store = world.stores.live();
    let generation = store.generation().await.unwrap();
    store.release(generation, ONE).await.unwrap();
    assert!(store.acquire(generation, OTHER).await.unwrap());
    projector
        .until(|status| status.state == ProjectorState::HeldElsewhere)
        .await;
}
