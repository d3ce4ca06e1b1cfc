//! The long works: rebuild, verify, erase.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use projections::operations::{Stopped, erase as erasing, rebuild as rebuilding, verify as verifying};
use serde::{Deserialize, Serialize};

use super::lines::answer;
use super::{Operations, nobody};
use crate::problem::Failure;

/// What is rebuilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Projection {
    Live,
    History,
    All,
}

/// What a rebuild of either or both did.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rebuilt {
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<rebuilding::LiveRebuilt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<rebuilding::HistoryRebuilt>,
}

pub(super) async fn rebuild(
    State(operations): State<Arc<Operations>>,
    Path(projection): Path<Projection>,
    Json(request): Json<rebuilding::Request>,
) -> Result<Response, Failure> {
    let parts = operations.parts().map_err(no_random_bytes)?;
    Ok(answer(
        &operations.tasks,
        &operations.closing,
        |work| async move {
            let mut rebuilt = Rebuilt::default();
            if projection != Projection::History {
                rebuilt.live = Some(rebuilding::live(&parts, &request, &work).await?);
            }
            if projection != Projection::Live {
                let history = rebuilding::history(&parts, &request, &work).await;
                rebuilt.history = Some(history.map_err(|stopped| after(&rebuilt, stopped))?);
            }
            tracing::info!(?projection, ?rebuilt, "a rebuild is done");
            Ok(rebuilt)
        },
    ))
}

/// Why the second part stopped, and what the first one did before that.
fn after(rebuilt: &Rebuilt, stopped: Stopped) -> Stopped {
    let Some(live) = &rebuilt.live else { return stopped };
    let done = serde_json::to_string(live).unwrap_or_default();
    let told = |why: String| format!("history: {why}; live was rebuilt before that: {done}");
    match stopped {
        Stopped::Cancelled => Stopped::Cancelled,
        Stopped::Busy(why) => Stopped::Busy(told(why)),
        Stopped::Refused(why) => Stopped::Refused(told(why)),
        Stopped::Unavailable(why) => Stopped::Unavailable(told(why)),
    }
}

pub(super) async fn verify(
    State(operations): State<Arc<Operations>>,
    Json(request): Json<verifying::Request>,
) -> Result<Response, Failure> {
    let parts = operations.parts().map_err(no_random_bytes)?;
    Ok(answer(
        &operations.tasks,
        &operations.closing,
        |work| async move { verifying::verify(&parts, &request, &work).await },
    ))
}

pub(super) async fn erase(
    State(operations): State<Arc<Operations>>,
    Json(request): Json<erasing::Request>,
) -> Result<Response, Failure> {
    let parts = operations.parts().map_err(no_random_bytes)?;
    Ok(answer(
        &operations.tasks,
        &operations.closing,
        |work| async move {
            let erased = erasing::erase(&parts, &request, &nobody, &work).await?;
            // Without the id, which is what shall be forgotten.
            tracing::info!(?erased, "a person is forgotten");
            Ok(erased)
        },
    ))
}

fn no_random_bytes(error: getrandom::Error) -> Failure {
    Failure::internal(&error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_before_it_stopped_is_told() {
        let busy = || Stopped::Busy("another one".to_owned());
        assert_eq!(after(&Rebuilt::default(), busy()), busy());
        let live = rebuilding::LiveRebuilt {
            changed: 3,
            ..rebuilding::LiveRebuilt::default()
        };
        let rebuilt = Rebuilt {
            live: Some(live),
            history: None,
        };
        let told = after(&rebuilt, busy()).to_string();
        assert!(
            told.contains("another one") && told.contains("\"changed\":3"),
            "{told}"
        );
    }
}
