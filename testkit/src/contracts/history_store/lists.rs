//! What lists show, and in which order.

use contract::view::FinishedGameSummary;
use contract::{EndReason, FinishedGame, GameId, Millis, Spectators, UserId};
use projections::ports::{HistoryStore, Page};

use super::games::{game, game_with, id, player, short_game};
use super::given::{all_of, comes_back, ids, write};

/// Field by field.
pub async fn a_summary_shows_what_the_game_has(store: &dyn HistoryStore) {
    let leaver = game(2).players.player1.user_id;
    let left = FinishedGame {
        left_user_id: Some(leaver),
        end_reason: EndReason::Left,
        ..game(2)
    };
    for (n, game) in (0..).zip([game(1), left, short_game("kc:carl", 3)]) {
        write(store, std::slice::from_ref(&game)).await;
        let expected = summary(&game);
        assert_eq!(
            all_of(store, game.players.player1.user_id.as_str()).await,
            std::slice::from_ref(&expected)
        );
        assert_eq!(
            all_of(store, game.players.player2.user_id.as_str()).await,
            std::slice::from_ref(&expected)
        );
        assert!(store.popular(n + 1).await.unwrap().contains(&expected));
    }
}

fn summary(game: &FinishedGame) -> FinishedGameSummary {
    FinishedGameSummary {
        id: game.id,
        kind: game.kind,
        player1: game.players.player1.clone(),
        player2: game.players.player2.clone(),
        board: game.final_state.board(),
        result: game.result,
        end_reason: game.end_reason,
        left_user_id: game.left_user_id.clone(),
        started_at: game.started_at,
        ended_at: game.ended_at,
        move_count: game.moves.len() as u32,
        peak_spectators: game.spectators.peak,
    }
}

/// By their end, not by when they were written; from either seat.
pub async fn recent_games_come_newest_first(store: &dyn HistoryStore) {
    let mut second_seat = game(3);
    second_seat.players.player2 = player("kc:anna");
    write(store, &[game_with("kc:anna", 2), game_with("kc:bert", 4)]).await;
    write(store, &[second_seat, game_with("kc:anna", 1)]).await;

    assert_eq!(ids(&all_of(store, "kc:anna").await), [id(3), id(2), id(1)]);
    let two = store
        .recent(
            &UserId::new("kc:anna"),
            Page {
                limit: 2,
                before: None,
            },
        )
        .await
        .unwrap();
    assert_eq!(ids(&two), [id(3), id(2)]);
    let none = store
        .recent(
            &UserId::new("kc:anna"),
            Page {
                limit: 0,
                before: None,
            },
        )
        .await
        .unwrap();
    assert_eq!(none, []);
}

/// Though many games end in the same millisecond, and whatever the size of a page.
pub async fn pages_show_the_whole_history_without_repeat_or_hole(store: &dyn HistoryStore) {
    let same_end = game(0).ended_at;
    let games: Vec<_> = (0..50)
        .map(|n| FinishedGame {
            ended_at: same_end.plus(i64::from(n / 20)),
            ..short_game("kc:anna", n)
        })
        .collect();
    write(store, &games).await;
    let newest_first: Vec<_> = (0..50).rev().map(id).collect();

    for limit in [1, 7, 20, 50, 60] {
        let mut seen = Vec::new();
        let mut before = None;
        loop {
            let page = store
                .recent(&UserId::new("kc:anna"), Page { limit, before })
                .await
                .unwrap();
            assert!(page.len() <= limit as usize);
            let Some(last) = page.last() else { break };
            before = Some((last.ended_at, last.id));
            seen.extend(ids(&page));
            assert!(seen.len() <= games.len(), "pages of {limit} repeat themselves");
        }
        assert_eq!(seen, newest_first, "in pages of {limit}");
    }
}

/// It is a place between games: before all, after all, or of a game that somebody else has.
pub async fn a_cursor_need_not_be_a_game_of_the_list(store: &dyn HistoryStore) {
    write(store, &[game_with("kc:anna", 1), game_with("kc:anna", 3)]).await;
    let anna = UserId::new("kc:anna");
    let from = async |at: Millis, id: GameId| {
        let page = Page {
            limit: 9,
            before: Some((at, id)),
        };
        ids(&store.recent(&anna, page).await.unwrap())
    };
    assert_eq!(from(game(2).ended_at, id(2)).await, [id(1)]);
    assert_eq!(from(game(3).ended_at, id(2)).await, [id(1)]);
    assert_eq!(from(game(3).ended_at, id(4)).await, [id(3), id(1)]);
    assert_eq!(from(Millis(i64::MAX), id(0)).await, [id(3), id(1)]);
    assert_eq!(from(Millis(i64::MIN), id(9)).await, []);
}

/// Neither upper and lower case nor a pattern nor a beginning is the same.
pub async fn only_the_very_same_user_id_has_the_games(store: &dyn HistoryStore) {
    write(store, &[game_with("kc:anna", 1), game_with("kc:Anna", 2)]).await;
    assert_eq!(ids(&all_of(store, "kc:anna").await), [id(1)]);
    assert_eq!(ids(&all_of(store, "kc:Anna").await), [id(2)]);
    for nobody in ["kc:%", "kc:ann", "kc:anna ", "", "kc:an\0na"] {
        assert_eq!(all_of(store, nobody).await, [], "{nobody:?}");
    }
}

/// Whether or not the service lets anybody play so.
pub async fn a_game_against_oneself_is_listed_once(store: &dyn HistoryStore) {
    let mut game = game_with("kc:anna", 1);
    game.players.player2 = player("kc:anna");
    write(store, &[game.clone(), game_with("kc:anna", 2)]).await;
    comes_back(store, &game).await;
    assert_eq!(ids(&all_of(store, "kc:anna").await), [id(2), id(1)]);
}

/// At most as many as are asked for.
pub async fn popular_games_come_by_peak_then_newest_end(store: &dyn HistoryStore) {
    let watched = |n, peak| FinishedGame {
        spectators: Spectators { peak, total: peak },
        ..game(n)
    };
    write(
        store,
        &[watched(1, 5), watched(2, 9), watched(3, 5), watched(4, 0)],
    )
    .await;
    assert_eq!(
        ids(&store.popular(20).await.unwrap()),
        [id(2), id(3), id(1), id(4)]
    );
    assert_eq!(ids(&store.popular(2).await.unwrap()), [id(2), id(3)]);
    assert_eq!(store.popular(0).await.unwrap(), []);
}
