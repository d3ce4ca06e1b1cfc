//! Another process extended a game that was held here: it leaves memory, and its audience gets what the log has.

use std::sync::Arc;

use contract::frames::server::Resync;
use contract::frames::{CloseCode, ServerFrame};
use contract::view::{FinishedStatus, GameView};
use contract::{Envelope, EventId, GameKey, GameState};

use super::Shared;
use super::room::{Outcome, Room};
use crate::fold::refold;
use crate::games::Encoded;
use crate::ports::{LogEntry, Unavailable};
use crate::view::{LiveContext, live_game, record};

impl Shared {
    pub(crate) async fn fence(self: &Arc<Self>, room: &Arc<Room>) {
        if !self.let_go(room) {
            return;
        }
        Self::count(&self.counters.fenced);
        let (taken_over, claim_lost) = {
            let queue = &room.inner().queue;
            let claims = queue.waiting().any(|event| event.name == "resumed");
            (queue.acked().is_some(), claims)
        };
        if taken_over {
            Self::count(&self.counters.taken_over);
        }
        if claim_lost {
            Self::count(&self.counters.claims_lost);
        }
        tracing::warn!(game.id = %room.key.id, "another process extended {}: it is not held here any more", room.key.id);
        self.send_on(room).await;
    }

    /// Lets a game go that another process holds, or will. It is not known that anybody extended it.
    pub(crate) async fn hand_over(self: &Arc<Self>, room: &Arc<Room>) {
        if self.let_go(room) {
            Self::count(&self.counters.handed_over);
            self.send_on(room).await;
        }
    }

    /// A game's audience gets what the log has and comes back; what waits of it is set aside.
    async fn send_on(self: &Arc<Self>, room: &Arc<Room>) {
        let envelopes = self.envelopes_of(room).await;
        self.set_aside_soon(room.key);
        let inner = room.inner();
        if let Some(frame) = what_the_log_has(&envelopes) {
            inner.audience.push(&frame);
        }
        inner.audience.close(CloseCode::Reconnect);
    }

    /// Takes the game out of memory; false if it was out already.
    pub(crate) fn let_go(self: &Arc<Self>, room: &Arc<Room>) -> bool {
        let (waiters, game) = {
            let mut inner = room.inner();
            if inner.fenced {
                return false;
            }
            inner.fenced = true;
            inner.driving = false;
            (std::mem::take(&mut inner.waiters), inner.game.clone())
        };
        self.remove(room);
        for waiter in waiters {
            // A caller that went away does not want to know any more.
            let _gone = waiter.tell.send(Outcome::Fenced);
        }
        if let Some(game) = game {
            let players = [&game.players.player1.user_id, &game.players.player2.user_id];
            self.people().presence.leave(game.id, players);
        }
        for observer in &self.observers {
            observer.gone(room.key.id);
        }
        true
    }

    async fn envelopes_of(&self, room: &Room) -> Vec<Envelope> {
        match self.log.read_game(room.key, 0).await {
            Ok(entries) => envelopes(&entries),
            Err(error) => {
                tracing::warn!(game.id = %room.key.id, "what the log has of {} cannot be read: {error}", room.key.id);
                Vec::new()
            }
        }
    }

    /// Sets aside what waits of a game that is another process's by now: all but what is on the game's chain.
    pub(crate) async fn set_aside(&self, key: GameKey) -> Result<(), Unavailable> {
        let entries = self.log.read_game(key, 0).await?;
        let on_chain: Vec<EventId> = envelopes(&entries).iter().map(Envelope::place).collect();
        let reason = "another process extended the game";
        self.pending.quarantine(key, self.writer, &on_chain, reason).await
    }
}

fn envelopes(entries: &[LogEntry]) -> Vec<Envelope> {
    entries
        .iter()
        .filter_map(|entry| Envelope::from_bytes(&entry.bytes).ok())
        .collect()
}

fn what_the_log_has(envelopes: &[Envelope]) -> Option<Arc<Encoded>> {
    let game = refold(envelopes).ok().flatten()?;
    let view = view_of(&game);
    let resync = Resync {
        game_id: game.id,
        durable_version: game.version,
        game: view,
    };
    Some(Encoded::at(
        ServerFrame::Resync(Box::new(resync)),
        game.id,
        game.position(),
    ))
}

fn view_of(game: &GameState) -> Option<GameView> {
    match &game.ending {
        None => {
            let context = LiveContext {
                durable_version: game.version,
                ..LiveContext::default()
            };
            live_game(game, context, None)
                .ok()
                .map(|live| GameView::Live(Box::new(live)))
        }
        Some(ending) => {
            let finished = game.finished(ending, game.spectators);
            let record = record(&finished).ok()?;
            Some(GameView::Finished {
                status: FinishedStatus::Finished,
                record: Box::new(record),
            })
        }
    }
}
