//! Dead letters: listed, shown, tried again, dropped.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use commands::ports::Unavailable;
use contract::problem::ProblemType;
use contract::{GameId, Seq};
use projections::operations::retry::{Retried, retry as try_again};
use projections::ports::DeadLetter;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Operations;
use crate::problem::Failure;

/// How many are listed unless more are asked for.
const LISTED: usize = 100;

/// One as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Letter {
    /// Which projector gave up.
    pub projector: String,
    /// Where the event is in the log.
    pub seq: Seq,
    /// The game.
    pub game: GameId,
    /// Why.
    pub reason: String,
    /// The event, where it was asked for: a document, or its text if it is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Value>,
}

impl Letter {
    fn listed(letter: DeadLetter) -> Self {
        Self {
            projector: letter.projector,
            seq: letter.seq,
            game: letter.game,
            reason: letter.reason,
            event: None,
        }
    }

    fn shown(letter: DeadLetter) -> Self {
        let event = serde_json::from_slice(&letter.bytes)
            .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&letter.bytes)));
        Self {
            event: Some(event),
            ..Self::listed(letter)
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct HowMany {
    max: Option<usize>,
}

pub(super) async fn list(
    State(operations): State<Arc<Operations>>,
    Query(how_many): Query<HowMany>,
) -> Result<Json<Vec<Letter>>, Failure> {
    let letters = operations
        .stores
        .dead_letters
        .list(how_many.max.unwrap_or(LISTED))
        .await
        .map_err(unavailable)?;
    Ok(Json(letters.into_iter().map(Letter::listed).collect()))
}

pub(super) async fn show(
    State(operations): State<Arc<Operations>>,
    Path((projector, seq)): Path<(String, Seq)>,
) -> Result<Json<Letter>, Failure> {
    find(&operations, &projector, seq)
        .await
        .map(Letter::shown)
        .map(Json)
}

pub(super) async fn retry(
    State(operations): State<Arc<Operations>>,
    Path((projector, seq)): Path<(String, Seq)>,
) -> Result<Json<Retried>, Failure> {
    let letter = find(&operations, &projector, seq).await?;
    let retried = try_again(&operations.stores, &letter)
        .await
        .map_err(unavailable)?;
    Ok(Json(retried))
}

pub(super) async fn remove(
    State(operations): State<Arc<Operations>>,
    Path((projector, seq)): Path<(String, Seq)>,
) -> Result<Json<Letter>, Failure> {
    let letter = find(&operations, &projector, seq).await?;
    operations
        .stores
        .dead_letters
        .remove(&projector, seq)
        .await
        .map_err(unavailable)?;
    tracing::warn!(projector, seq, game = %letter.game, "a dead letter was dropped");
    Ok(Json(Letter::listed(letter)))
}

async fn find(operations: &Operations, projector: &str, seq: Seq) -> Result<DeadLetter, Failure> {
    let found = operations
        .stores
        .dead_letters
        .find(projector, seq)
        .await
        .map_err(unavailable)?;
    found.ok_or_else(|| {
        let why = format!("there is no dead letter of {projector} at {seq}");
        Failure::new(ProblemType::NotFound).with_detail(why)
    })
}

#[expect(clippy::needless_pass_by_value, reason = "used as the argument of map_err")]
fn unavailable(error: Unavailable) -> Failure {
    // Operators are told what players are not.
    Failure::new(ProblemType::Unavailable).with_detail(error.to_string())
}
