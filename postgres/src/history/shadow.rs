//! The shadow: a second set of tables that a rebuild fills beside the rows, and merges into them in one transaction.
//!
//! The tables are not renamed into each other: a rename would wait for every reader and stop every other one, leave
//! indexes under names that migrations do not know, and take rows with it that only the old table has. Merging touches
//! the rows that differ, which after an ordinary rebuild are few or none.

use std::time::Duration;

use contract::{Seq, WriterId};
use projections::ports::{Merged, Merging, Written};
use sqlx::{Connection as _, PgConnection, Row as _};

use super::batch::Batch;
use super::{read, write};
use crate::failure::{Failure, class};

/// What a merge of many rows may take.
pub const MERGE: Duration = Duration::from_mins(30);

/// Takes the right, and makes the tables anew.
pub async fn begin(connection: &mut PgConnection, token: WriterId) -> Result<bool, Failure> {
    let mut transaction = connection.begin().await?;
    let taken = sqlx::query(include_str!("sql/shadow_acquire.sql"))
        .bind(token.to_string())
        .execute(&mut *transaction)
        .await?;
    if taken.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::raw_sql(include_str!("sql/make_shadow.sql"))
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(true)
}

pub async fn keep(connection: &mut PgConnection, token: WriterId) -> Result<bool, Failure> {
    let mut transaction = connection.begin().await?;
    let held = holds(&mut transaction, token).await?;
    if held {
        renew(&mut transaction).await?;
    }
    transaction.commit().await?;
    Ok(held)
}

pub async fn fill(connection: &mut PgConnection, token: WriterId, batch: &Batch) -> Result<Written, Failure> {
    let mut transaction = connection.begin().await?;
    if !holds(&mut transaction, token).await? {
        return Ok(Written::LostToken);
    }
    write::insert_by(include_str!("sql/fill_shadow.sql"), &mut transaction, batch).await?;
    renew(&mut transaction).await?;
    transaction.commit().await?;
    Ok(Written::Done)
}

/// Sees rows and checkpoint as of one moment, so that what is counted is so. A projector that writes the same rows
/// meanwhile makes it fail, to be tried again. Nobody waits for it but another rebuild.
pub async fn merge(
    connection: &mut PgConnection,
    token: WriterId,
    through: Seq,
    dry: bool,
) -> Result<Merging, Failure> {
    match merge_once(connection, token, through, dry).await {
        // 40: somebody else wrote the same rows. 42: the tables are gone.
        Err(Failure::Sql(error)) if matches!(class(&error).as_deref(), Some("40" | "42")) => {
            Ok(Merging::LostShadow)
        }
        other => other,
    }
}

async fn merge_once(
    connection: &mut PgConnection,
    token: WriterId,
    through: Seq,
    dry: bool,
) -> Result<Merging, Failure> {
    let mut transaction = connection
        .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ")
        .await?;
    // Before the transaction's moment is fixed by its first look: whoever has the right then has these tables.
    sqlx::query("LOCK TABLE shadow_games, shadow_game_players IN ACCESS SHARE MODE")
        .execute(&mut *transaction)
        .await?;
    if !is_holder(&mut transaction, token).await? {
        return Ok(Merging::LostShadow);
    }
    let reached = read::checkpoint(&mut transaction)
        .await?
        .map_or(0, |stored| stored.seq);
    if reached > through {
        return Ok(Merging::Behind(reached));
    }
    sqlx::query(include_str!("sql/differing.sql"))
        .execute(&mut *transaction)
        .await?;
    let merged = count(&mut transaction).await?;
    if dry {
        return Ok(Merging::Done(merged));
    }
    sqlx::raw_sql(include_str!("sql/merge_shadow.sql"))
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(Merging::Done(merged))
}

async fn count(connection: &mut PgConnection) -> Result<Merged, Failure> {
    let row = sqlx::query(include_str!("sql/count_shadow.sql"))
        .fetch_one(connection)
        .await?;
    let count = |name: &str| row.try_get::<i64, _>(name).map(|count| count as u64);
    let (shadows, games) = (count("shadows")?, count("games")?);
    let (replaced, added) = (count("replaced")?, count("added")?);
    Ok(Merged {
        same: shadows - replaced - added,
        replaced,
        added,
        carried: games - (shadows - added),
    })
}

pub async fn drop_tables(connection: &mut PgConnection, token: WriterId) -> Result<(), Failure> {
    let mut transaction = connection.begin().await?;
    if holds(&mut transaction, token).await? {
        sqlx::raw_sql(include_str!("sql/drop_shadow.sql"))
            .execute(&mut *transaction)
            .await?;
        sqlx::query(include_str!("sql/shadow_release.sql"))
            .bind(token.to_string())
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// Whether `token` has the right. Until the transaction ends nobody else can take it.
async fn holds(connection: &mut PgConnection, token: WriterId) -> Result<bool, Failure> {
    let holder: Option<String> = sqlx::query_scalar(include_str!("sql/shadow_lock_lease.sql"))
        .fetch_optional(connection)
        .await?;
    Ok(holder.is_some_and(|holder| holder == token.to_string()))
}

/// The same without keeping it from being renewed or taken.
async fn is_holder(connection: &mut PgConnection, token: WriterId) -> Result<bool, Failure> {
    let holder: Option<String> = sqlx::query_scalar(include_str!("sql/shadow_holder.sql"))
        .fetch_optional(connection)
        .await?;
    Ok(holder.is_some_and(|holder| holder == token.to_string()))
}

async fn renew(connection: &mut PgConnection) -> Result<(), Failure> {
    sqlx::query(include_str!("sql/shadow_renew.sql"))
        .execute(connection)
        .await?;
    Ok(())
}
