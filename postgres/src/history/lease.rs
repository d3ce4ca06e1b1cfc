//! Who may write. The server's clock counts, so that processes need not agree about theirs.

use contract::WriterId;
use sqlx::PgConnection;

use crate::failure::Failure;

pub async fn acquire(connection: &mut PgConnection, token: WriterId) -> Result<bool, Failure> {
    let taken = sqlx::query(include_str!("sql/acquire.sql"))
        .bind(token.to_string())
        .execute(connection)
        .await?;
    Ok(taken.rows_affected() == 1)
}

pub async fn release(connection: &mut PgConnection, token: WriterId) -> Result<(), Failure> {
    sqlx::query(include_str!("sql/release.sql"))
        .bind(token.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Whether `token` holds the lease. Until the transaction ends nobody else can take it.
pub async fn holds(connection: &mut PgConnection, token: WriterId) -> Result<bool, Failure> {
    let holder: Option<String> = sqlx::query_scalar(include_str!("sql/lock_lease.sql"))
        .fetch_optional(connection)
        .await?;
    Ok(holder.is_some_and(|holder| holder == token.to_string()))
}

/// Gives its holder ten seconds from now.
pub async fn renew(connection: &mut PgConnection) -> Result<(), Failure> {
    sqlx::query(include_str!("sql/renew.sql"))
        .execute(connection)
        .await?;
    Ok(())
}
