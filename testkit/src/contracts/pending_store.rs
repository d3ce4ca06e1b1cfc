//! What every [`PendingStore`] does. Stamp it with [`pending_store_contract!`](crate::pending_store_contract).
//!
//! Not here: what happens when the store is away, killed or frozen, and how an operator reads the quarantine.

use bytes::Bytes;
use commands::ports::{PendingGame, PendingItem, PendingStore};
use contract::{EventId, GameId, GameKey, Kind, Version, WriterId};
use uuid::Uuid;

const ME: WriterId = WriterId(0xa11ce);
const OTHER: WriterId = WriterId(0xb0b);

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn PendingStore>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! pending_store_contract {
    ($open:path) => {
        $crate::pending_store_contract! { $open;
            nothing_waits_in_an_empty_store,
            a_store_that_answers_has_a_link,
            what_was_appended_is_read_back_as_it_was,
            a_game_may_wait_from_its_first_event,
            later_items_go_behind_earlier_ones,
            an_item_that_is_there_already_is_skipped,
            an_item_that_does_not_follow_is_not_appended,
            a_first_item_that_does_not_follow_the_base_is_not_appended,
            the_base_of_a_list_that_is_not_empty_stays,
            an_anchored_item_replaces_the_list,
            an_anchored_item_sent_again_replaces_nothing,
            a_started_at_the_head_stays_before_an_anchored_item,
            a_started_comes_back_to_the_head_of_what_waits,
            an_ended_stays_behind_an_anchored_item,
            what_is_above_an_anchored_item_stays_behind_it,
            a_late_anchored_item_changes_nothing,
            an_anchored_item_never_takes_the_place_of_an_ended,
            what_follows_an_anchored_item_names_what_it_stands_for,
            the_list_of_another_writer_is_replaced_whole,
            games_wait_apart,
            many_games_wait,
            trimming_drops_what_the_log_has_and_makes_it_the_base,
            a_list_that_is_trimmed_to_its_end_no_longer_waits,
            trimming_beyond_the_end_drops_everything,
            a_late_trim_drops_nothing,
            an_anchored_item_is_trimmed_by_what_it_stands_for,
            the_list_of_another_writer_is_not_trimmed,
            trimming_what_does_not_wait_is_no_error,
            nothing_of_a_quarantined_game_waits,
            the_list_of_another_writer_is_not_quarantined,
            quarantining_what_does_not_wait_is_no_error,
            appending_twice_at_once_keeps_each_item_once,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::pending_store::$case(&*store).await;
        }
    )+ };
}

pub async fn nothing_waits_in_an_empty_store(store: &dyn PendingStore) {
    assert_eq!(store.load().await.unwrap(), vec![]);
}

pub async fn a_store_that_answers_has_a_link(store: &dyn PendingStore) {
    store.load().await.unwrap();
    assert!(store.link().borrow().is_up());
}

pub async fn what_was_appended_is_read_back_as_it_was(store: &dyn PendingStore) {
    let bytes: Bytes = (0..=255).collect();
    let every_byte = PendingItem { bytes, ..item(4) };
    let game = PendingGame {
        items: vec![item(3), every_byte],
        ..after(2)
    };
    store.append(&game).await.unwrap();
    assert_eq!(store.load().await.unwrap(), vec![game]);
}

pub async fn a_game_may_wait_from_its_first_event(store: &dyn PendingStore) {
    let game = PendingGame {
        base: None,
        items: vec![started(), item(2)],
        ..after(0)
    };
    store.append(&game).await.unwrap();
    assert_eq!(store.load().await.unwrap(), vec![game]);
}

pub async fn later_items_go_behind_earlier_ones(store: &dyn PendingStore) {
    append(store, 2, &[3]).await;
    append(store, 2, &[4, 5]).await;
    assert_eq!(waiting(store).await, [3, 4, 5]);
    assert_eq!(store.load().await.unwrap()[0].base, Some(event(2)));
}

pub async fn an_item_that_is_there_already_is_skipped(store: &dyn PendingStore) {
    append(store, 2, &[3, 4]).await;
    append(store, 2, &[3, 4, 5]).await;
    append(store, 2, &[4]).await;
    let game = load_one(store).await;
    assert_eq!(game.items, [item(3), item(4), item(5)]);
}

pub async fn an_item_that_does_not_follow_is_not_appended(store: &dyn PendingStore) {
    append(store, 2, &[3, 5]).await;
    append(store, 2, &[7]).await;
    let fork = PendingItem {
        previd: Some(EventId::new(id(), 3, OTHER)),
        ..item(4)
    };
    store
        .append(&PendingGame {
            items: vec![fork],
            ..after(2)
        })
        .await
        .unwrap();
    assert_eq!(waiting(store).await, [3]);
}

pub async fn a_first_item_that_does_not_follow_the_base_is_not_appended(store: &dyn PendingStore) {
    append(store, 2, &[5]).await;
    let without_base = PendingGame {
        base: None,
        items: vec![item(3)],
        ..after(0)
    };
    store.append(&without_base).await.unwrap();
    assert_eq!(store.load().await.unwrap(), vec![]);
    append(store, 2, &[3]).await;
    assert_eq!(waiting(store).await, [3]);
}

pub async fn the_base_of_a_list_that_is_not_empty_stays(store: &dyn PendingStore) {
    append(store, 2, &[3]).await;
    append(store, 3, &[4]).await;
    assert_eq!(load_one(store).await.base, Some(event(2)));
    assert_eq!(waiting(store).await, [3, 4]);
}

pub async fn an_anchored_item_replaces_the_list(store: &dyn PendingStore) {
    append(store, 2, &[3, 4]).await;
    store
        .append(&PendingGame {
            items: vec![anchored(5), item(6)],
            ..after(2)
        })
        .await
        .unwrap();
    assert_eq!(load_one(store).await.items, [anchored(5), item(6)]);
}

pub async fn an_anchored_item_sent_again_replaces_nothing(store: &dyn PendingStore) {
    let collapsed = PendingGame {
        items: vec![anchored(5), item(6)],
        ..after(2)
    };
    store.append(&collapsed).await.unwrap();
    append(store, 2, &[7]).await;
    store.append(&collapsed).await.unwrap();
    assert_eq!(load_one(store).await.items, [anchored(5), item(6), item(7)]);
}

pub async fn a_started_at_the_head_stays_before_an_anchored_item(store: &dyn PendingStore) {
    append_items(store, None, &[started(), item(2), item(3)]).await;
    let collapsed = [started(), anchored(5), item(6)];
    append_items(store, None, &collapsed).await;
    assert_eq!(load_one(store).await.items, collapsed);
    assert_eq!(load_one(store).await.base, None);
    append_items(store, None, &[started(), anchored(8)]).await;
    assert_eq!(load_one(store).await.items, [started(), anchored(8)]);
    store.trim(key(), ME, event(1)).await.unwrap();
    append(store, 1, &[9]).await;
    assert_eq!(load_one(store).await.items, [anchored(8), item(9)]);
    assert_eq!(load_one(store).await.base, Some(event(1)));
}

pub async fn a_started_comes_back_to_the_head_of_what_waits(store: &dyn PendingStore) {
    append(store, 4, &[5, 6]).await;
    let from_the_first = [started(), anchored(7), item(8)];
    append_items(store, None, &from_the_first).await;
    let list = load_one(store).await;
    assert_eq!((list.base, &list.items[..]), (None, &from_the_first[..]));
}

pub async fn an_ended_stays_behind_an_anchored_item(store: &dyn PendingStore) {
    append_items(store, Some(2), &[item(3), item(4), ended(5)]).await;
    append_items(store, Some(2), &[anchored(4)]).await;
    assert_eq!(load_one(store).await.items, [anchored(4), ended(5)]);
    append_items(store, Some(2), &[anchored(4), ended(5)]).await;
    assert_eq!(load_one(store).await.items, [anchored(4), ended(5)]);
}

pub async fn what_is_above_an_anchored_item_stays_behind_it(store: &dyn PendingStore) {
    append(store, 2, &[3, 4, 5, 6]).await;
    append_items(store, Some(2), &[anchored(4)]).await;
    assert_eq!(load_one(store).await.items, [anchored(4), item(5), item(6)]);
}

pub async fn a_late_anchored_item_changes_nothing(store: &dyn PendingStore) {
    append_items(store, Some(2), &[anchored(6), item(7)]).await;
    append_items(store, Some(2), &[anchored(4)]).await;
    assert_eq!(load_one(store).await.items, [anchored(6), item(7)]);
}

pub async fn an_anchored_item_never_takes_the_place_of_an_ended(store: &dyn PendingStore) {
    append_items(store, Some(2), &[item(3), ended(4)]).await;
    append_items(store, Some(2), &[anchored(4)]).await;
    assert_eq!(load_one(store).await.items, [item(3), ended(4)]);
}

pub async fn what_follows_an_anchored_item_names_what_it_stands_for(store: &dyn PendingStore) {
    store
        .append(&PendingGame {
            items: vec![anchored(5)],
            ..after(2)
        })
        .await
        .unwrap();
    let wrong = PendingItem {
        previd: Some(anchored(5).id),
        ..item(6)
    };
    store
        .append(&PendingGame {
            items: vec![wrong],
            ..after(2)
        })
        .await
        .unwrap();
    assert_eq!(waiting(store).await, [5]);
    append(store, 2, &[6]).await;
    assert_eq!(waiting(store).await, [5, 6]);
}

pub async fn the_list_of_another_writer_is_replaced_whole(store: &dyn PendingStore) {
    append(store, 2, &[3, 4, 5]).await;
    let theirs = PendingGame {
        writer: OTHER,
        items: vec![item(8)],
        ..after(7)
    };
    store.append(&theirs).await.unwrap();
    assert_eq!(store.load().await.unwrap(), vec![theirs]);
}

pub async fn games_wait_apart(store: &dyn PendingStore) {
    let (one, other) = (game_of(1, &[3, 4]), game_of(2, &[3]));
    store.append(&one).await.unwrap();
    store.append(&other).await.unwrap();
    store.trim(one.key, ME, one.items[1].place).await.unwrap();
    assert_eq!(store.load().await.unwrap(), vec![other]);
}

pub async fn many_games_wait(store: &dyn PendingStore) {
    let mut games: Vec<_> = (1..=600).map(|n| game_of(n, &[3, 4])).collect();
    for game in &games {
        store.append(game).await.unwrap();
    }
    let mut all = store.load().await.unwrap();
    all.sort_by_key(|game| game.key);
    games.sort_by_key(|game| game.key);
    assert_eq!(all, games);
}

pub async fn trimming_drops_what_the_log_has_and_makes_it_the_base(store: &dyn PendingStore) {
    append(store, 2, &[3, 4, 5]).await;
    store.trim(key(), ME, event(4)).await.unwrap();
    assert_eq!(
        load_one(store).await,
        PendingGame {
            items: vec![item(5)],
            ..after(4)
        }
    );
    append(store, 4, &[6]).await;
    assert_eq!(waiting(store).await, [5, 6]);
}

pub async fn a_list_that_is_trimmed_to_its_end_no_longer_waits(store: &dyn PendingStore) {
    append(store, 2, &[3, 4]).await;
    store.trim(key(), ME, event(4)).await.unwrap();
    assert_eq!(store.load().await.unwrap(), vec![]);
    append(store, 4, &[5]).await;
    assert_eq!(
        load_one(store).await,
        PendingGame {
            items: vec![item(5)],
            ..after(4)
        }
    );
}

pub async fn trimming_beyond_the_end_drops_everything(store: &dyn PendingStore) {
    append(store, 2, &[3, 4]).await;
    store.trim(key(), ME, event(9)).await.unwrap();
    assert_eq!(store.load().await.unwrap(), vec![]);
}

pub async fn a_late_trim_drops_nothing(store: &dyn PendingStore) {
    append(store, 4, &[5, 6]).await;
    store.trim(key(), ME, event(3)).await.unwrap();
    assert_eq!(
        load_one(store).await,
        PendingGame {
            items: vec![item(5), item(6)],
            ..after(4)
        }
    );
}

pub async fn an_anchored_item_is_trimmed_by_what_it_stands_for(store: &dyn PendingStore) {
    store
        .append(&PendingGame {
            items: vec![anchored(5), item(6)],
            ..after(2)
        })
        .await
        .unwrap();
    store.trim(key(), ME, event(5)).await.unwrap();
    assert_eq!(
        load_one(store).await,
        PendingGame {
            items: vec![item(6)],
            ..after(5)
        }
    );
}

pub async fn the_list_of_another_writer_is_not_trimmed(store: &dyn PendingStore) {
    append(store, 2, &[3, 4]).await;
    store.trim(key(), OTHER, event(4)).await.unwrap();
    assert_eq!(waiting(store).await, [3, 4]);
}

pub async fn trimming_what_does_not_wait_is_no_error(store: &dyn PendingStore) {
    store.trim(key(), ME, event(4)).await.unwrap();
    assert_eq!(store.load().await.unwrap(), vec![]);
}

pub async fn nothing_of_a_quarantined_game_waits(store: &dyn PendingStore) {
    append(store, 2, &[3, 4, 5]).await;
    let other = game_of(2, &[3]);
    store.append(&other).await.unwrap();
    store
        .quarantine(key(), ME, &[event(3)], "another writer went on")
        .await
        .unwrap();
    assert_eq!(store.load().await.unwrap(), vec![other]);
    append(store, 7, &[8]).await;
    assert_eq!(waiting_of(store, key()).await, [8]);
}

pub async fn the_list_of_another_writer_is_not_quarantined(store: &dyn PendingStore) {
    append(store, 2, &[3]).await;
    store.quarantine(key(), OTHER, &[], "not theirs").await.unwrap();
    assert_eq!(waiting(store).await, [3]);
}

pub async fn quarantining_what_does_not_wait_is_no_error(store: &dyn PendingStore) {
    store
        .quarantine(key(), ME, &[event(3)], "nothing is there")
        .await
        .unwrap();
    assert_eq!(store.load().await.unwrap(), vec![]);
}

pub async fn appending_twice_at_once_keeps_each_item_once(store: &dyn PendingStore) {
    let items: Vec<Version> = (3..30).collect();
    let game = game_of(1, &items);
    futures::future::try_join_all((0..8).map(|_| store.append(&game)))
        .await
        .unwrap();
    assert_eq!(store.load().await.unwrap(), vec![game]);
}

fn id() -> GameId {
    GameId(Uuid::from_u128(1))
}

fn key() -> GameKey {
    key_of(id())
}

fn key_of(id: GameId) -> GameKey {
    GameKey {
        kind: Kind::Mancala,
        id,
    }
}

fn event(version: Version) -> EventId {
    EventId::new(id(), version, ME)
}

fn item(version: Version) -> PendingItem {
    item_of(id(), version)
}

fn item_of(game: GameId, version: Version) -> PendingItem {
    let place = EventId::new(game, version, ME);
    PendingItem {
        place,
        id: place,
        previd: Some(EventId::new(game, version - 1, ME)),
        anchored: false,
        name: "moved".into(),
        bytes: format!("{{\"moved\":\n{version}}}").into(),
    }
}

fn anchored(version: Version) -> PendingItem {
    let id = EventId {
        anchor: Some(0),
        ..event(version)
    };
    PendingItem {
        id,
        previd: Some(event(version)),
        anchored: true,
        name: "anchored".into(),
        ..item(version)
    }
}

fn started() -> PendingItem {
    PendingItem {
        previd: None,
        name: "started".into(),
        ..item(1)
    }
}

fn ended(version: Version) -> PendingItem {
    PendingItem {
        name: "ended".into(),
        ..item(version)
    }
}

/// An empty list of mine behind version `base`.
fn after(base: Version) -> PendingGame {
    PendingGame {
        key: key(),
        writer: ME,
        base: Some(event(base)),
        items: vec![],
    }
}

/// A list of mine for another game, its base just before its first item.
fn game_of(game: u128, versions: &[Version]) -> PendingGame {
    let id = GameId(Uuid::from_u128(game));
    let items: Vec<_> = versions.iter().map(|version| item_of(id, *version)).collect();
    PendingGame {
        key: key_of(id),
        writer: ME,
        base: items[0].previd,
        items,
    }
}

async fn append(store: &dyn PendingStore, base: Version, versions: &[Version]) {
    let items = versions.iter().map(|version| item(*version)).collect();
    store.append(&PendingGame { items, ..after(base) }).await.unwrap();
}

async fn append_items(store: &dyn PendingStore, base: Option<Version>, items: &[PendingItem]) {
    let game = PendingGame {
        base: base.map(event),
        items: items.to_vec(),
        ..after(0)
    };
    store.append(&game).await.unwrap();
}

async fn load_one(store: &dyn PendingStore) -> PendingGame {
    let mut all = store.load().await.unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// The versions that wait for a game.
async fn waiting_of(store: &dyn PendingStore, key: GameKey) -> Vec<Version> {
    let all = store.load().await.unwrap().into_iter();
    all.filter(|game| game.key == key)
        .flat_map(|game| game.items)
        .map(|item| item.place.version)
        .collect()
}

async fn waiting(store: &dyn PendingStore) -> Vec<Version> {
    waiting_of(store, key()).await
}
