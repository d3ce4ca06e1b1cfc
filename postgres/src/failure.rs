//! Why a call failed, and which of the port's errors that is.

use std::time::Duration;

use commands::ports::Unavailable;
use projections::ports::HistoryError;

const WHAT: &str = "postgres";

/// Whatever can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Sql(#[from] sqlx::Error),
    /// It did not answer a moment ago, and nothing is known since.
    #[error("it is away")]
    Away,
    #[error("no answer within {0:?}")]
    Deadline(Duration),
    /// A value that has no place in its column.
    #[error("{column}: {why}")]
    Value { column: &'static str, why: String },
    /// A row that this service cannot have written as it is.
    #[error("a row of {table} cannot be read: {column}: {why}")]
    Row {
        table: &'static str,
        column: &'static str,
        why: String,
    },
}

impl Failure {
    pub fn value(column: &'static str, why: &impl ToString) -> Self {
        Self::Value {
            column,
            why: why.to_string(),
        }
    }

    /// Whether the data is to blame: trying again would fail for ever.
    fn is_of_the_data(&self) -> bool {
        match self {
            Self::Sql(error) => class(error).is_some_and(|class| matches!(class.as_str(), "22" | "23")),
            Self::Value { .. } => true,
            Self::Away | Self::Deadline(_) | Self::Row { .. } => false,
        }
    }

    /// Whether the server or the way to it may be the trouble, rather than what was asked.
    pub fn is_of_the_connection(&self) -> bool {
        use sqlx::Error::{ColumnDecode, Database, RowNotFound};
        match self {
            Self::Sql(Database(_) | ColumnDecode { .. } | RowNotFound)
            | Self::Value { .. }
            | Self::Row { .. } => false,
            Self::Sql(_) | Self::Deadline(_) | Self::Away => true,
        }
    }
}

/// The first two characters of the SQLSTATE, if the server has answered with one.
pub fn class(error: &sqlx::Error) -> Option<String> {
    let code = error.as_database_error()?.code()?;
    code.get(..2).map(str::to_owned)
}

impl From<Failure> for Unavailable {
    fn from(failure: Failure) -> Self {
        Self::new(WHAT, failure)
    }
}

impl From<Failure> for HistoryError {
    fn from(failure: Failure) -> Self {
        if failure.is_of_the_data() {
            Self::Data(failure.to_string())
        } else {
            Self::Unavailable(failure.into())
        }
    }
}
