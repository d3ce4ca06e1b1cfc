//! What every [`HistoryRepair`] does. Stamp it with [`history_repair_contract!`](crate::history_repair_contract).
//!
//! Not here: that the right to a shadow lapses (each adapter turns its own clock).

use contract::{EndReason, FinishedGame, GameId, UserId, WriterId};
use projections::ports::{HistoryRepair, Merged, Merging, Page, Written};

use super::history_store::games::{game, id, player};
use super::history_store::write;

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn HistoryRepair>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! history_repair_contract {
    ($open:path) => {
        $crate::history_repair_contract! { $open;
            a_replaced_row_is_as_it_was_given_with_its_players,
            a_missing_row_is_made_by_replacing_it,
            ids_come_in_pages_and_ascending,
            a_merge_replaces_what_differs_adds_what_is_missing_and_leaves_the_rest,
            a_dry_merge_counts_and_changes_nothing,
            a_row_with_another_player_differs,
            a_merge_that_changes_nothing_writes_nothing,
            a_shadow_that_the_store_has_overtaken_is_not_merged,
            one_at_a_time_has_a_shadow,
            a_shadow_left_behind_is_thrown_away,
            without_the_right_nothing_is_filled_or_merged,
            a_game_twice_in_a_shadow_counts_once,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::history_repair::$case(&*store).await;
        }
    )+ };
}

const ME: WriterId = WriterId(0x5ad);
const OTHER: WriterId = WriterId(0x0dd);

/// Further than any store here has come.
const THROUGH: u64 = 1_000;

fn otherwise(n: u32) -> FinishedGame {
    FinishedGame {
        end_reason: EndReason::Inactive,
        result: None,
        moves: Vec::new(),
        ..game(n)
    }
}

async fn has(store: &dyn HistoryRepair, game: &FinishedGame) {
    assert_eq!(store.game(game.id).await.unwrap().as_ref(), Some(game));
}

async fn shadow(store: &dyn HistoryRepair, games: &[FinishedGame]) {
    assert!(store.begin_shadow(ME).await.unwrap());
    assert_eq!(store.fill_shadow(ME, games).await.unwrap(), Written::Done);
}

async fn merged(store: &dyn HistoryRepair, dry: bool) -> Merged {
    match store.merge_shadow(ME, THROUGH, dry).await.unwrap() {
        Merging::Done(merged) => merged,
        other => panic!("{other:?}"),
    }
}

pub async fn a_replaced_row_is_as_it_was_given_with_its_players(store: &dyn HistoryRepair) {
    write(store, &[game(1), game(2)]).await;
    let mut new = otherwise(1);
    let before = new.players.player1.user_id.clone();
    new.players.player1 = player("erased:1");
    store.replace(&new).await.unwrap();
    has(store, &new).await;
    has(store, &game(2)).await;
    let all = Page {
        limit: 10,
        before: None,
    };
    let of = async |user: &UserId| -> Vec<GameId> {
        let games = store.recent(user, all).await.unwrap();
        games.into_iter().map(|game| game.id).collect()
    };
    assert_eq!(of(&UserId::new("erased:1")).await, [new.id]);
    assert!(!of(&before).await.contains(&new.id));
}

pub async fn a_missing_row_is_made_by_replacing_it(store: &dyn HistoryRepair) {
    store.replace(&game(1)).await.unwrap();
    has(store, &game(1)).await;
    assert_eq!(store.checkpoint().await.unwrap(), None, "no checkpoint moves");
}

pub async fn ids_come_in_pages_and_ascending(store: &dyn HistoryRepair) {
    assert_eq!(store.ids(None, 10).await.unwrap(), []);
    write(store, &[game(3), game(1), game(2)]).await;
    let mut all: Vec<_> = (1..=3).map(id).collect();
    all.sort_unstable();
    assert_eq!(store.ids(None, 10).await.unwrap(), all);
    assert_eq!(store.ids(None, 2).await.unwrap(), all[..2]);
    assert_eq!(store.ids(Some(all[1]), 2).await.unwrap(), all[2..]);
    assert_eq!(store.ids(Some(all[2]), 2).await.unwrap(), []);
}

pub async fn a_merge_replaces_what_differs_adds_what_is_missing_and_leaves_the_rest(
    store: &dyn HistoryRepair,
) {
    write(store, &[game(1), otherwise(2), game(3)]).await;
    shadow(store, &[game(1), game(2)]).await;
    assert_eq!(store.fill_shadow(ME, &[game(4)]).await.unwrap(), Written::Done);
    has(store, &otherwise(2)).await;
    assert_eq!(store.game(id(4)).await.unwrap(), None, "nobody reads a shadow");
    let expected = Merged {
        same: 1,
        replaced: 1,
        added: 1,
        carried: 1,
    };
    assert_eq!(merged(store, false).await, expected);
    for n in 1..=4 {
        has(store, &game(n)).await;
    }
    store.drop_shadow(ME).await.unwrap();
    has(store, &game(3)).await;
}

pub async fn a_dry_merge_counts_and_changes_nothing(store: &dyn HistoryRepair) {
    write(store, &[otherwise(2), game(3)]).await;
    shadow(store, &[game(1), game(2)]).await;
    let expected = Merged {
        same: 0,
        replaced: 1,
        added: 1,
        carried: 1,
    };
    assert_eq!(merged(store, true).await, expected);
    has(store, &otherwise(2)).await;
    assert_eq!(store.game(id(1)).await.unwrap(), None);
    assert_eq!(merged(store, false).await, expected, "it may still be done");
}

pub async fn a_row_with_another_player_differs(store: &dyn HistoryRepair) {
    let mut renamed = game(1);
    renamed.players.player2.name = Some("somebody else".to_owned());
    write(store, &[renamed]).await;
    shadow(store, &[game(1)]).await;
    assert_eq!(merged(store, false).await.replaced, 1);
    has(store, &game(1)).await;
}

pub async fn a_merge_that_changes_nothing_writes_nothing(store: &dyn HistoryRepair) {
    let games: Vec<_> = (1..=20).map(game).collect();
    write(store, &games).await;
    shadow(store, &games).await;
    let expected = Merged {
        same: 20,
        ..Merged::default()
    };
    assert_eq!(merged(store, false).await, expected);
}

pub async fn a_shadow_that_the_store_has_overtaken_is_not_merged(store: &dyn HistoryRepair) {
    for n in 1..=3 {
        write(store, &[game(n)]).await;
    }
    shadow(store, &[otherwise(1)]).await;
    assert_eq!(
        store.merge_shadow(ME, 2, false).await.unwrap(),
        Merging::Behind(3)
    );
    has(store, &game(1)).await;
    assert!(matches!(
        store.merge_shadow(ME, 3, false).await.unwrap(),
        Merging::Done(_)
    ));
    has(store, &otherwise(1)).await;
}

pub async fn one_at_a_time_has_a_shadow(store: &dyn HistoryRepair) {
    assert!(store.begin_shadow(ME).await.unwrap());
    assert!(!store.begin_shadow(OTHER).await.unwrap());
    store.drop_shadow(OTHER).await.unwrap();
    assert!(
        !store.begin_shadow(OTHER).await.unwrap(),
        "it was not its own to drop"
    );
    assert!(store.keep_shadow(ME).await.unwrap());
    assert!(!store.keep_shadow(OTHER).await.unwrap());
    store.drop_shadow(ME).await.unwrap();
    assert!(!store.keep_shadow(ME).await.unwrap());
    assert!(store.begin_shadow(OTHER).await.unwrap());
    // A projector's token is another right.
    assert!(store.acquire(ME).await.unwrap());
}

pub async fn a_shadow_left_behind_is_thrown_away(store: &dyn HistoryRepair) {
    shadow(store, &[game(1)]).await;
    assert!(
        store.begin_shadow(ME).await.unwrap(),
        "by the same, or once its right has lapsed"
    );
    assert_eq!(merged(store, false).await, Merged::default());
    assert_eq!(store.game(id(1)).await.unwrap(), None);
}

pub async fn without_the_right_nothing_is_filled_or_merged(store: &dyn HistoryRepair) {
    assert_eq!(
        store.merge_shadow(OTHER, THROUGH, false).await.unwrap(),
        Merging::LostShadow,
        "there is none"
    );
    shadow(store, &[game(1)]).await;
    assert_eq!(
        store.fill_shadow(OTHER, &[game(2)]).await.unwrap(),
        Written::LostToken
    );
    assert_eq!(
        store.merge_shadow(OTHER, THROUGH, false).await.unwrap(),
        Merging::LostShadow
    );
    assert_eq!(store.ids(None, 10).await.unwrap(), []);
    assert_eq!(merged(store, false).await.added, 1);
}

pub async fn a_game_twice_in_a_shadow_counts_once(store: &dyn HistoryRepair) {
    shadow(store, &[game(1)]).await;
    assert_eq!(
        store.fill_shadow(ME, &[game(1), game(1)]).await.unwrap(),
        Written::Done
    );
    assert_eq!(merged(store, false).await.added, 1);
    has(store, &game(1)).await;
}
