//! Lists of legal moves as they are answered. Most are short. With dice there can be millions of turns: such a list takes a
//! second and tens of megabytes to make, and anybody may ask for it, as often as they like.
//!
//! So a long one is made beside everything else, one at a time, once for each position of a game, and all who ask get the
//! same bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use commands::view::Unlisted;
use contract::api::LegalMoves;
use contract::problem::ProblemType;
use contract::{Choices, GameId, Position};
use tokio::sync::Semaphore;

use crate::problem::Failure;

/// So many bytes of lists are kept at most, but for the newest one.
const KEPT_BYTES: usize = 64 << 20;

/// So many lists are kept at most.
const KEPT: usize = 64;

/// How long one who asks waits for their turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// The long lists that were made lately.
#[derive(Debug)]
pub struct Listings {
    kept: Arc<Mutex<VecDeque<Kept>>>,
    one_at_a_time: Arc<Semaphore>,
}

#[derive(Debug)]
struct Kept {
    game: GameId,
    position: Position,
    body: Bytes,
}

impl Default for Listings {
    fn default() -> Self {
        Self {
            kept: Arc::default(),
            one_at_a_time: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Listings {
    /// The list, as JSON.
    ///
    /// # Errors
    /// `unavailable` while too many others are made.
    pub async fn body(&self, unlisted: Unlisted) -> Result<Bytes, Failure> {
        if let Some(few) = unlisted.few() {
            return written(few);
        }
        if let Some(body) = find(&self.kept, &unlisted) {
            return Ok(body);
        }
        let turn = Arc::clone(&self.one_at_a_time).acquire_owned();
        let Ok(Ok(turn)) = tokio::time::timeout(PATIENCE, turn).await else {
            return Err(
                Failure::new(ProblemType::Unavailable).with_detail("too many long lists are asked for")
            );
        };
        let kept = Arc::clone(&self.kept);
        let made = tokio::task::spawn_blocking(move || {
            // Whoever asked may have gone: it is for the next one then, and their turn ends here.
            let _turn = turn;
            if let Some(body) = find(&kept, &unlisted) {
                return Ok(body);
            }
            let body = written(unlisted.all())?;
            keep(&kept, &unlisted, body.clone());
            Ok(body)
        });
        made.await
            .unwrap_or_else(|failed| Err(Failure::internal(&failed)))
    }
}

/// These moves as the answer.
///
/// # Errors
/// They cannot be written, which would be a mistake of ours.
pub fn written(moves: Choices) -> Result<Bytes, Failure> {
    let json = serde_json::to_vec(&LegalMoves { moves });
    json.map(Bytes::from).map_err(|error| Failure::internal(&error))
}

fn find(kept: &Mutex<VecDeque<Kept>>, wanted: &Unlisted) -> Option<Bytes> {
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    let found = kept
        .iter()
        .find(|kept| (kept.game, kept.position) == (wanted.game, wanted.position));
    found.map(|kept| kept.body.clone())
}

/// Of a game only the newest list is of any use.
fn keep(kept: &Mutex<VecDeque<Kept>>, listed: &Unlisted, body: Bytes) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|kept| kept.game != listed.game);
    kept.push_front(Kept {
        game: listed.game,
        position: listed.position,
        body,
    });
    let mut bytes = 0;
    let few = kept.iter().take_while(|kept| {
        bytes += kept.body.len();
        bytes <= KEPT_BYTES
    });
    let few = few.count().clamp(1, KEPT);
    kept.truncate(few);
}

#[cfg(test)]
mod tests;
