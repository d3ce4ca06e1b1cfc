use contract::{GameState, State};
use futures::FutureExt;
use futures::future::join_all;
use rules::dicechess::{self, DrawOffers, Roll};
use serde_json::Value;

use super::*;
use crate::app::tests_support::{game, held};

/// A board on which a roll of three queens has so many turns that their list is long.
const QUEENS: &str = "k7/8/2Q5/8/5Q2/8/8/K7 w - - 0 1";

/// A game of dice chess at a version, with these dice to be played.
fn diced(version: u64, roll: [u8; 3]) -> GameState {
    let position = QUEENS.parse().expect("a DFEN");
    let roll = Roll::new(roll).expect("three faces");
    let state = dicechess::State::new(position, Some(roll), DrawOffers::default());
    let mut game = game(held(), "guest:1");
    game.last_event.version = version;
    game.state = State::DiceChess(state.expect("a game can be there"));
    game
}

fn number_of_turns(body: &[u8]) -> usize {
    fn leaves(tree: &Value) -> usize {
        let following = tree.as_object().expect("a tree is an object");
        following.values().map(|tree| leaves(tree).max(1)).sum()
    }
    let answer: Value = serde_json::from_slice(body).expect("JSON");
    leaves(&answer["moves"])
}

#[tokio::test]
async fn a_short_list_is_answered_at_once() {
    let listings = Listings::default();
    // Nobody has a rook.
    let few = Unlisted::of(&diced(1, [6, 4, 4]));
    let body = listings.body(few).now_or_never().expect("it waits for nothing");
    assert_eq!(number_of_turns(&body.expect("it can be written")), 3);
    let mancala = Unlisted::of(&game(held(), "guest:1"));
    let body = listings
        .body(mancala)
        .now_or_never()
        .expect("it waits for nothing");
    assert_eq!(
        body.expect("it can be written"),
        &br#"{"moves":[0,1,2,3,4,5]}"#[..]
    );
}

#[tokio::test]
async fn a_long_list_is_made_once_for_all_who_ask_and_holds_up_nobody() {
    let listings = Listings::default();
    let game = diced(1, [5, 5, 5]);
    let Choices::DiceChess(all) = Unlisted::of(&game).all() else {
        panic!("it is dice chess");
    };
    assert!(all.len() > 10_000);
    let asking = join_all((0..8).map(|_| listings.body(Unlisted::of(&game))));
    tokio::pin!(asking);
    assert!(asking.as_mut().now_or_never().is_none(), "it is made elsewhere");
    let bodies: Vec<Bytes> = asking
        .await
        .into_iter()
        .map(|body| body.expect("it is made"))
        .collect();
    assert_eq!(number_of_turns(&bodies[0]), all.len());
    for body in &bodies {
        assert_eq!(body.as_ptr(), bodies[0].as_ptr(), "the same bytes");
    }
    let again = listings
        .body(Unlisted::of(&game))
        .now_or_never()
        .expect("it is there");
    assert_eq!(again.expect("it was made").as_ptr(), bodies[0].as_ptr());
}

#[tokio::test]
async fn another_position_has_another_list_and_takes_the_place_of_the_one_before() {
    let listings = Listings::default();
    let before = Unlisted::of(&diced(1, [5, 5, 5]));
    let after = Unlisted::of(&diced(2, [5, 5, 6]));
    let first = listings.body(before.clone()).await.expect("it is made");
    let second = listings.body(after).await.expect("it is made");
    assert_ne!(number_of_turns(&first), number_of_turns(&second));
    assert_eq!(listings.kept.lock().expect("nobody panics with it").len(), 1);
    let again = listings.body(before).await.expect("it is made");
    assert_ne!(again.as_ptr(), first.as_ptr());
    assert_eq!(again, first);
}

#[test]
fn what_is_kept_is_bounded_by_number_and_by_size() {
    let kept = Mutex::default();
    let at = |number: u128| {
        let mut game = diced(1, [5, 5, 5]);
        game.id = GameId(uuid::Uuid::from_u128(number));
        Unlisted::of(&game)
    };
    for number in 0..KEPT as u128 + 9 {
        keep(&kept, &at(number), Bytes::from_static(b"short"));
    }
    assert_eq!(kept.lock().expect("nobody panics with it").len(), KEPT);
    assert!(find(&kept, &at(0)).is_none() && find(&kept, &at(70)).is_some());
    keep(&kept, &at(100), Bytes::from(vec![b' '; KEPT_BYTES + 1]));
    assert_eq!(kept.lock().expect("nobody panics with it").len(), 1);
    assert!(find(&kept, &at(100)).is_some(), "the newest one stays");
}
