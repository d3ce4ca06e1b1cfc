//! What Postgres refuses, and what is in its tables.

use contract::{Millis, UserId};
use projections::ports::{HistoryError, HistoryStore, Written};
use testkit::contracts::history_store::{checkpoint, games, games::game, write};

use crate::support::{number, opened, run};

const TOKEN: contract::WriterId = contract::WriterId(1);

#[tokio::test]
async fn a_value_that_has_no_place_in_its_column_is_refused_as_data_and_stops_nothing() {
    let db = opened().await;
    let mut nul_in_name = game(1);
    nul_in_name.players.player2.name = Some("\0".to_owned());
    let mut nul_in_id = game(2);
    nul_in_id.players.player1.user_id = UserId::new("kc:\0");
    let mut nul_in_rules = game(3);
    nul_in_rules.rules = "\0".to_owned();
    let mut long_id = game(4);
    long_id.players.player1.user_id = UserId::new("kc:".to_owned() + &"x".repeat(100_000));
    let mut far_end = game(5);
    far_end.ended_at = Millis(i64::MAX);

    assert!(db.store.acquire(TOKEN).await.unwrap());
    for bad in [nul_in_name, nul_in_id, nul_in_rules, long_id, far_end] {
        let refused = db.store.write(TOKEN, None, &checkpoint(1), &[game(9), bad]).await;
        assert!(matches!(refused, Err(HistoryError::Data(_))), "{refused:?}");
    }
    assert_eq!(number(&db.url, "SELECT count(*) FROM games").await, 0);
    db.store.release(TOKEN).await.unwrap();
    write(&db.store, &[game(9)]).await;
}

#[tokio::test]
async fn a_lack_of_resources_is_no_fault_of_the_data() {
    let db = opened().await;
    assert!(db.store.acquire(TOKEN).await.unwrap());
    // As for a full disk: an error of class 53.
    run(
        &db.url,
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON games FOR EACH ROW EXECUTE FUNCTION full_disk()",
    )
    .await;
    let refused = db.store.write(TOKEN, None, &checkpoint(1), &[game(1)]).await;
    assert!(
        matches!(refused, Err(HistoryError::Unavailable(_))),
        "{refused:?}"
    );

    run(&db.url, "DROP TRIGGER full_disk ON games").await;
    db.store.release(TOKEN).await.unwrap();
    write(&db.store, &[game(1)]).await;
}

#[tokio::test]
async fn a_batch_whose_checkpoint_cannot_be_stored_leaves_no_row() {
    let db = opened().await;
    assert!(db.store.acquire(TOKEN).await.unwrap());
    run(
        &db.url,
        "CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$;
         CREATE TRIGGER no_space BEFORE INSERT OR UPDATE ON projector_checkpoints
            FOR EACH ROW EXECUTE FUNCTION no_space()",
    )
    .await;
    let refused = db.store.write(TOKEN, None, &checkpoint(1), &[game(1)]).await;
    assert!(
        matches!(refused, Err(HistoryError::Unavailable(_))),
        "{refused:?}"
    );
    assert_eq!(number(&db.url, "SELECT count(*) FROM games").await, 0);
    assert_eq!(number(&db.url, "SELECT count(*) FROM game_players").await, 0);

    run(&db.url, "DROP TRIGGER no_space ON projector_checkpoints").await;
    let written = db.store.write(TOKEN, None, &checkpoint(1), &[game(1)]).await;
    assert_eq!(written.unwrap(), Written::Done);
    // By the transaction that last changed each: rows and checkpoint are one.
    let together = "SELECT count(DISTINCT changed.xmin::text) FROM (
        SELECT xmin FROM games UNION ALL SELECT xmin FROM game_players
        UNION ALL SELECT xmin FROM projector_checkpoints) AS changed";
    assert_eq!(number(&db.url, together).await, 1);
}

#[tokio::test]
async fn a_game_written_twice_is_one_row_and_its_players_are_two() {
    let db = opened().await;
    write(&db.store, &[game(1)]).await;
    let mut others = game(1);
    others.players = game(2).players;
    write(&db.store, &[others]).await;
    assert_eq!(number(&db.url, "SELECT count(*) FROM games").await, 1);
    assert_eq!(number(&db.url, "SELECT count(*) FROM game_players").await, 2);
    let theirs = "SELECT count(*) FROM game_players WHERE user_id IN ('kc:first-1', 'guest:second-1')";
    assert_eq!(number(&db.url, theirs).await, 2);
}

#[tokio::test]
async fn a_row_that_somebody_has_damaged_is_an_error_that_names_the_column() {
    let db = opened().await;
    write(&db.store, &[games::game_with("kc:anna", 1), game(2)]).await;
    run(
        &db.url,
        "UPDATE games SET moves = '[{}]', final_board = '7' WHERE player1_id = 'kc:anna'",
    )
    .await;

    let error = db.store.game(game(1).id).await.unwrap_err().to_string();
    assert!(error.contains("moves"), "{error}");
    let error = db.store.popular(9).await.unwrap_err().to_string();
    assert!(error.contains("final_board"), "{error}");
    assert_eq!(db.store.game(game(2).id).await.unwrap(), Some(game(2)));
}

#[tokio::test]
async fn sql_reads_times_moves_and_players_without_our_code() {
    let db = opened().await;
    write(&db.store, &[game(1)]).await;
    let readable = "SELECT count(*) FROM games JOIN game_players ON game_id = id AND seat = 1
        WHERE games.ended_at = '2025-10-09 08:53:21.123+00'
            AND game_players.ended_at = games.ended_at
            AND user_id = player1_id
            AND moves->0->>'seat' = 'player1'
            AND jsonb_typeof(moves->0->'at') = 'number'
            AND jsonb_array_length(moves) = move_count
            AND final_board = final_state->'board'";
    assert_eq!(number(&db.url, readable).await, 1);
}
