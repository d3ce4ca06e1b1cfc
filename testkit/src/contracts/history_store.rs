//! What every [`HistoryStore`] does. Stamp it with [`history_store_contract!`](crate::history_store_contract).
//!
//! Not here: that a token lapses after ten seconds (each adapter turns its own clock), and what happens when the store
//! is away, killed or frozen.

use std::collections::HashSet;

use commands::ports::LogIdentity;
use contract::view::FinishedGameSummary;
use contract::{
    Durability, EndReason, EventId, FinishedGame, GameId, Kind, Millis, Origin, Outcome, Spectators, UserId,
    WriterId,
};
use projections::ports::{Checkpoint, HistoryError, HistoryStore, Page, Written};

pub mod games;

use games::{game, game_of, game_with, id, player, short_game};

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn HistoryStore>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! history_store_contract {
    ($open:path) => {
        $crate::history_store_contract! { $open;
            an_empty_store_has_nothing,
            a_game_comes_back_exactly_as_it_was_written,
            every_kind_result_and_reason_comes_back,
            the_largest_numbers_come_back,
            text_in_every_script_comes_back,
            a_game_written_again_stays_as_it_was_and_is_listed_once,
            a_game_twice_in_one_batch_is_written_once,
            games_and_checkpoint_move_together,
            a_batch_that_does_not_continue_the_checkpoint_writes_nothing,
            without_the_token_nothing_is_written,
            one_token_holds_at_a_time,
            of_two_that_ask_at_once_one_gets_the_token,
            a_released_token_is_free_and_only_its_holder_releases_it,
            of_two_writes_of_the_same_step_one_is_done,
            a_reset_moves_the_checkpoint_and_keeps_the_games,
            a_reset_needs_the_token,
            a_batch_may_set_the_checkpoint_back,
            a_name_with_a_nul_is_kept_or_refused_as_data,
            existing_names_exactly_the_games_that_have_a_row,
            a_summary_shows_what_the_game_has,
            recent_games_come_newest_first,
            pages_show_the_whole_history_without_repeat_or_hole,
            a_cursor_need_not_be_a_game_of_the_list,
            only_the_very_same_user_id_has_the_games,
            a_game_against_oneself_is_listed_once,
            popular_games_come_by_peak_then_newest_end,
            a_thousand_games_are_written_in_batches_of_a_hundred,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::history_store::$case(&*store).await;
        }
    )+ };
}

const TOKEN: WriterId = WriterId(0xa);
const OTHER: WriterId = WriterId(0xb);

/// A checkpoint at `seq`, of the event by which game `seq` ended.
pub fn checkpoint(seq: u64) -> Checkpoint {
    Checkpoint {
        seq,
        event_id: Some(EventId::new(id(seq as u32), 40, WriterId(0xffff_0000_1234_abcd))),
        log: LogIdentity("GAMES@2026-01-01T00:00:00.123456789Z".to_owned()),
    }
}

/// Takes the token, and writes `games` in one batch from the stored checkpoint to the next sequence.
pub async fn write(store: &dyn HistoryStore, games: &[FinishedGame]) {
    assert!(store.acquire(TOKEN).await.unwrap(), "the token is free");
    let from = store.checkpoint().await.unwrap().map(|stored| stored.seq);
    let to = checkpoint(from.unwrap_or(0) + 1);
    assert_eq!(store.write(TOKEN, from, &to, games).await.unwrap(), Written::Done);
}

/// The user's whole list.
async fn all_of(store: &dyn HistoryStore, user: &str) -> Vec<FinishedGameSummary> {
    let page = Page {
        limit: 1_000,
        before: None,
    };
    store.recent(&UserId::new(user), page).await.unwrap()
}

fn ids(list: &[FinishedGameSummary]) -> Vec<GameId> {
    list.iter().map(|game| game.id).collect()
}

fn set(ids: impl IntoIterator<Item = GameId>) -> HashSet<GameId> {
    ids.into_iter().collect()
}

async fn comes_back(store: &dyn HistoryStore, game: &FinishedGame) {
    assert_eq!(store.game(game.id).await.unwrap().as_ref(), Some(game));
}

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

/// Neither by somebody who never had it, nor by somebody who had it before.
pub async fn without_the_token_nothing_is_written(store: &dyn HistoryStore) {
    let lost = Ok(Written::LostToken);
    let batch = [game(1)];
    assert_eq!(
        outcome(store.write(TOKEN, None, &checkpoint(1), &batch).await),
        lost
    );

    assert!(store.acquire(TOKEN).await.unwrap());
    store.release(TOKEN).await.unwrap();
    assert!(store.acquire(OTHER).await.unwrap());
    assert_eq!(
        outcome(store.write(TOKEN, None, &checkpoint(1), &batch).await),
        lost
    );

    assert_eq!(store.checkpoint().await.unwrap(), None);
    assert_eq!(store.existing(&[id(1)]).await.unwrap(), []);
}

/// Asking again renews it.
pub async fn one_token_holds_at_a_time(store: &dyn HistoryStore) {
    assert!(store.acquire(TOKEN).await.unwrap());
    assert!(!store.acquire(OTHER).await.unwrap());
    assert!(store.acquire(TOKEN).await.unwrap());
    assert!(!store.acquire(OTHER).await.unwrap());
}

/// However their requests interleave.
pub async fn of_two_that_ask_at_once_one_gets_the_token(store: &dyn HistoryStore) {
    let (one, other) = tokio::join!(store.acquire(TOKEN), store.acquire(OTHER));
    assert_ne!(one.unwrap(), other.unwrap());
}

/// A release by anybody else changes nothing.
pub async fn a_released_token_is_free_and_only_its_holder_releases_it(store: &dyn HistoryStore) {
    store.release(TOKEN).await.unwrap();
    assert!(store.acquire(TOKEN).await.unwrap());
    store.release(OTHER).await.unwrap();
    assert!(!store.acquire(OTHER).await.unwrap());
    store.release(TOKEN).await.unwrap();
    assert!(store.acquire(OTHER).await.unwrap());
    assert!(!store.acquire(TOKEN).await.unwrap());
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

/// [`HistoryError`] cannot be compared; its text can.
fn outcome(result: Result<Written, HistoryError>) -> Result<Written, String> {
    result.map_err(|error| error.to_string())
}
