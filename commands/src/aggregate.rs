//! The cqrs-es aggregate: four lines around [`decide`](crate::decide::decide).
//!
//! Everything that depends on that crate's signatures is here and in `room/store.rs`.

use contract::{Event, EventId, GameKey, GameState, Millis, WriterId};
use cqrs_es::event_sink::EventSink;
use cqrs_es::{Aggregate, DomainEvent};
use serde::{Deserialize, Serialize};

use crate::decide::{Command, Context, decide, event_time};
use crate::fold;
use crate::games::Rejection;

/// A decided event, before it has an envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// What happened.
    pub event: Event,
    /// When.
    pub at: Millis,
    /// By which process.
    pub writer: WriterId,
}

impl DomainEvent for Decided {
    fn event_type(&self) -> String {
        self.event.name().to_owned()
    }

    fn event_version(&self) -> String {
        "1".to_owned()
    }
}

/// A game as the framework sees it: a working copy. Without a key it is nothing; without a state it is no game yet.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Game {
    /// Which game.
    pub key: Option<GameKey>,
    /// Its state, once it has started.
    pub state: Option<GameState>,
}

impl Aggregate for Game {
    const TYPE: &'static str = "game";
    type Command = (Command, Context);
    type Event = Decided;
    type Error = Rejection;
    type Services = ();

    async fn handle(
        &mut self,
        (command, context): Self::Command,
        (): &(),
        sink: &EventSink<Self>,
    ) -> Result<(), Rejection> {
        let at = event_time(self.state.as_ref(), context.now);
        for event in decide(self.state.as_ref(), &command, context)? {
            sink.write(
                Decided {
                    event,
                    at,
                    writer: context.writer,
                },
                self,
            )
            .await;
        }
        Ok(())
    }

    fn apply(&mut self, decided: Decided) {
        match (&mut self.state, self.key, &decided.event) {
            (Some(state), _, event) => fold::apply(state, event, decided.at, decided.writer),
            (None, Some(key), Event::Started(started)) => {
                let id = EventId::new(key.id, 1, decided.writer);
                self.state = Some(fold::start(key.kind, id, decided.at, started));
            }
            // A default aggregate is "no such game", never a new one.
            (None, _, _) => {}
        }
    }
}
