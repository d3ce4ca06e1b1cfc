//! What is in a row, and that there is one.

use contract::{Durability, EndReason, FinishedGame, Kind, Millis, Origin, Outcome, Spectators};
use projections::ports::{HistoryError, HistoryStore, Written};

use super::games::{game, game_of, game_with, id, short_game};
use super::given::{TOKEN, all_of, checkpoint, comes_back, ids, set, write};

/// No checkpoint, no games, and no errors.
pub async fn an_empty_store_has_nothing(store: &dyn HistoryStore) {
    assert_eq!(store.checkpoint().await.unwrap(), None);
    assert_eq!(store.game(id(1)).await.unwrap(), None);
    assert_eq!(store.existing(&[id(1)]).await.unwrap(), []);
    assert_eq!(all_of(store, "kc:anna").await, []);
    assert_eq!(store.popular(20).await.unwrap(), []);
}

/// All fields, moves and the final state included.
pub async fn a_game_comes_back_exactly_as_it_was_written(store: &dyn HistoryStore) {
    let games = [game(1), game(2)];
    write(store, &games).await;
    for game in &games {
        comes_back(store, game).await;
    }
}

/// Each value that a field can have.
pub async fn every_kind_result_and_reason_comes_back(store: &dyn HistoryStore) {
    let mut games: Vec<_> = (1..).zip(Kind::ALL).map(|(n, kind)| game_of(*kind, n)).collect();
    let results = [
        Some(Outcome::Player1),
        Some(Outcome::Player2),
        Some(Outcome::Draw),
        None,
    ];
    for (n, (result, end_reason)) in (100..).zip(results.into_iter().cycle().zip(EndReason::ALL)) {
        games.push(FinishedGame {
            result,
            end_reason,
            ..game(n)
        });
    }
    let leaver = game(200).players.player2.user_id;
    games.push(FinishedGame {
        left_user_id: Some(leaver),
        durability: Durability::Required,
        origin: Origin::Invitation,
        rated: true,
        ..short_game("kc:anna", 200)
    });
    write(store, &games).await;
    for game in &games {
        comes_back(store, game).await;
    }
}

/// Counts are 32 bits without a sign.
pub async fn the_largest_numbers_come_back(store: &dyn HistoryStore) {
    let game = FinishedGame {
        rules_version: u32::MAX,
        spectators: Spectators {
            peak: u32::MAX,
            total: u32::MAX,
        },
        started_at: Millis(0),
        ended_at: Millis(4_102_444_799_999),
        ..game(1)
    };
    write(store, std::slice::from_ref(&game)).await;
    comes_back(store, &game).await;
    assert_eq!(store.popular(1).await.unwrap()[0].peak_spectators, u32::MAX);
}

/// Names are text, whatever they look like to SQL or JSON; none and an empty one are not the same.
pub async fn text_in_every_script_comes_back(store: &dyn HistoryStore) {
    let names = [
        "",
        "Ünal Çağrı",
        "王小明",
        "🎲♟️",
        "o'Brien \"\\\" %_$1",
        "{}",
        "NULL",
        "\u{202e}\u{7f}\n\t",
    ];
    let games: Vec<_> = (1..)
        .zip(names)
        .map(|(n, name)| {
            let mut game = game_with(&format!("kc:{name}"), n);
            game.players.player1.name = Some(name.to_owned());
            game.players.player2.name = None;
            game
        })
        .collect();
    write(store, &games).await;
    for game in &games {
        comes_back(store, game).await;
        let list = all_of(store, game.players.player1.user_id.as_str()).await;
        assert_eq!(list[0].player1, game.players.player1);
    }
}

/// Delivered twice or replayed: the first row stays, and nothing of it is there twice.
pub async fn a_game_written_again_stays_as_it_was_and_is_listed_once(store: &dyn HistoryStore) {
    let first = game_with("kc:anna", 1);
    write(store, std::slice::from_ref(&first)).await;

    let mut changed = FinishedGame {
        result: None,
        ..game_with("kc:bert", 1)
    };
    changed.moves.pop();
    write(store, &[changed, game(2)]).await;

    comes_back(store, &first).await;
    comes_back(store, &game(2)).await;
    assert_eq!(ids(&all_of(store, "kc:anna").await), [id(1)]);
    assert_eq!(all_of(store, "kc:bert").await, []);
    assert_eq!(store.popular(20).await.unwrap().len(), 2);
}

/// The log may have a game's end twice; the first one counts.
pub async fn a_game_twice_in_one_batch_is_written_once(store: &dyn HistoryStore) {
    let first = game_with("kc:anna", 1);
    write(
        store,
        &[
            first.clone(),
            game(2),
            FinishedGame {
                rated: true,
                ..first.clone()
            },
        ],
    )
    .await;
    comes_back(store, &first).await;
    assert_eq!(ids(&all_of(store, "kc:anna").await), [id(1)]);
    assert_eq!(store.popular(20).await.unwrap().len(), 2);
}

/// A projector would retry anything else for ever. If it is refused, the rest of its batch is not written either.
pub async fn a_name_with_a_nul_is_kept_or_refused_as_data(store: &dyn HistoryStore) {
    let mut odd = game(2);
    odd.players.player1.name = Some("a\0b".to_owned());
    assert!(store.acquire(TOKEN).await.unwrap());
    match store
        .write(TOKEN, None, &checkpoint(1), &[game(1), odd.clone()])
        .await
    {
        Ok(written) => {
            assert_eq!(written, Written::Done);
            comes_back(store, &odd).await;
        }
        Err(HistoryError::Data(_)) => {
            assert_eq!(store.checkpoint().await.unwrap(), None);
            assert_eq!(store.existing(&[id(1), id(2)]).await.unwrap(), []);
            write(store, &[game(1)]).await;
        }
        Err(HistoryError::Unavailable(error)) => panic!("{error}"),
    }
    comes_back(store, &game(1)).await;
}

/// In whatever order; also when asked about none, or twice about one.
pub async fn existing_names_exactly_the_games_that_have_a_row(store: &dyn HistoryStore) {
    write(store, &[game(1), game(2), game(3)]).await;
    let found = store
        .existing(&[id(9), id(3), id(1), id(3), id(8)])
        .await
        .unwrap();
    assert_eq!(set(found), set([id(1), id(3)]));
    assert_eq!(store.existing(&[]).await.unwrap(), []);
}

/// As a projector that catches up does; all of them are there.
pub async fn a_thousand_games_are_written_in_batches_of_a_hundred(store: &dyn HistoryStore) {
    let games: Vec<_> = (0..1_000).map(|n| game_with("kc:anna", n)).collect();
    for batch in games.chunks(100) {
        write(store, batch).await;
    }
    assert_eq!(store.checkpoint().await.unwrap(), Some(checkpoint(10)));
    let all: Vec<_> = games.iter().map(|game| game.id).collect();
    assert_eq!(set(store.existing(&all).await.unwrap()), set(all.iter().copied()));
    assert!(ids(&all_of(store, "kc:anna").await).iter().eq(all.iter().rev()));
    comes_back(store, &games[0]).await;
    comes_back(store, &games[999]).await;
}
