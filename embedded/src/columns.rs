//! Reading ids and names back from columns. Content that is no such thing is an error that names the column, never a
//! panic: the file can be damaged or edited.

use std::str::FromStr;

use bytes::Bytes;
use contract::{GameId, GameKey, Kind};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use uuid::Uuid;

/// A text column that has the form of `T`.
pub(crate) fn parsed<T>(row: &SqliteRow, column: &'static str) -> Result<T, sqlx::Error>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    row.try_get::<&str, _>(column)?
        .parse()
        .map_err(|error: T::Err| corrupt(column, error))
}

/// A text column that has the form of `T`, or is NULL.
pub(crate) fn parsed_or_null<T>(row: &SqliteRow, column: &'static str) -> Result<Option<T>, sqlx::Error>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    row.try_get::<Option<&str>, _>(column)?
        .map(|text| text.parse().map_err(|error: T::Err| corrupt(column, error)))
        .transpose()
}

/// A column that counts.
pub(crate) fn count(row: &SqliteRow, column: &'static str) -> Result<u64, sqlx::Error> {
    row.try_get::<i64, _>(column)?
        .try_into()
        .map_err(|error| corrupt(column, error))
}

/// A game's id.
pub(crate) fn game(row: &SqliteRow, column: &'static str) -> Result<GameId, sqlx::Error> {
    row.try_get::<Uuid, _>(column).map(GameId)
}

/// The kinds that are known here, as SQL has a list of texts. Rows of another kind are newer code's: they are passed over,
/// so that they keep nobody from reading the others.
pub(crate) fn known_kinds() -> String {
    let kinds: Vec<String> = Kind::ALL
        .iter()
        .map(|kind| format!("'{}'", kind.as_str()))
        .collect();
    format!("({})", kinds.join(", "))
}

/// The columns `kind` and `game`.
pub(crate) fn key(row: &SqliteRow) -> Result<GameKey, sqlx::Error> {
    Ok(GameKey {
        kind: parsed::<Kind>(row, "kind")?,
        id: game(row, "game")?,
    })
}

/// A document.
pub(crate) fn bytes(row: &SqliteRow, column: &'static str) -> Result<Bytes, sqlx::Error> {
    row.try_get::<Vec<u8>, _>(column).map(Bytes::from)
}

/// The error for content that does not fit its column.
pub(crate) fn corrupt(
    column: &'static str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> sqlx::Error {
    sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: Box::new(error),
    }
}
