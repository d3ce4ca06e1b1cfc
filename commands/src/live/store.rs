//! The cqrs-es event store of one command on one game: load takes the gate and a working copy, commit swaps it in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use contract::{Envelope, EventId, GameState, Version};
use cqrs_es::{AggregateContext, AggregateError, EventEnvelope, EventStore};
use tokio::sync::OwnedMutexGuard;

use super::room::Room;
use super::{Shared, lock};
use crate::aggregate::{Decided, Game};
use crate::games::Rejection;
use crate::ports::Monotonic;
use crate::publish::Queued;
use crate::trace::Way;

/// The gate's guard and the copy that a command works on. Dropping it leaves the game as it was.
pub(crate) struct WorkingCopy {
    base: Option<Arc<GameState>>,
    game: Game,
    _gate: OwnedMutexGuard<()>,
}

impl AggregateContext<Game> for WorkingCopy {
    fn aggregate(&mut self) -> &mut Game {
        &mut self.game
    }
}

/// The store.
pub(crate) struct RoomStore {
    pub(crate) shared: Arc<Shared>,
    pub(crate) room: Arc<Room>,
    /// The gate, which whoever executes has taken.
    pub(crate) gate: Mutex<Option<OwnedMutexGuard<()>>>,
    /// When the command was received.
    pub(crate) received: Monotonic,
    /// The version that the command made.
    pub(crate) made: Arc<Mutex<Option<Version>>>,
}

impl EventStore<Game> for RoomStore {
    type AC = WorkingCopy;

    /// Replaying a game is the restore's business, from snapshots; nothing here reads events back.
    async fn load_events(&self, _: &str) -> Result<Vec<EventEnvelope<Game>>, AggregateError<Rejection>> {
        Ok(Vec::new())
    }

    async fn load_aggregate(&self, _: &str) -> Result<WorkingCopy, AggregateError<Rejection>> {
        let held = lock(&self.gate).take();
        let gate = match held {
            Some(gate) => gate,
            None => self.room.enter().await,
        };
        let base = self.room.inner().game.clone();
        let game = Game {
            key: Some(self.room.key),
            state: base.as_deref().cloned(),
        };
        Ok(WorkingCopy {
            base,
            game,
            _gate: gate,
        })
    }

    async fn commit(
        &self,
        events: Vec<Decided>,
        copy: WorkingCopy,
        _: HashMap<String, String>,
    ) -> Result<Vec<EventEnvelope<Game>>, AggregateError<Rejection>> {
        let Some(game) = copy.game.state else {
            return Ok(Vec::new());
        };
        let version = game.version;
        if events.is_empty() {
            // Accepted, and nothing to do: the version is the one that is there.
            *lock(&self.made) = Some(version);
            return Ok(Vec::new());
        }
        let envelopes = envelopes(copy.base.as_deref(), &game, events);
        let queued = envelopes.iter().map(queued).collect();
        self.shared
            .commit(&self.room, Arc::new(game), envelopes, queued, self.received)?;
        *lock(&self.made) = Some(version);
        Ok(Vec::new())
    }
}

/// An event with its bytes, at the beginning of its way to the log.
fn queued(envelope: &Envelope) -> Queued {
    Queued {
        way: Way::begin(envelope.event.name()),
        ..Queued::of(envelope)
    }
}

/// Gives each event its id, what it follows, and the trace of the command.
fn envelopes(base: Option<&GameState>, game: &GameState, events: Vec<Decided>) -> Vec<Envelope> {
    let mut previd = base.map(|base| base.last_event);
    let mut version = base.map_or(0, |base| base.version);
    events
        .into_iter()
        .map(|decided| {
            version += 1;
            let id = EventId::new(game.id, version, decided.writer);
            let envelope = Envelope {
                id,
                kind: game.kind,
                previd,
                time: decided.at,
                traceparent: crate::trace::current(),
                event: decided.event,
            };
            previd = Some(id);
            envelope
        })
        .collect()
}
