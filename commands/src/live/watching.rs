//! Who gets a game's frames, beginning with what they missed.

use std::sync::Arc;

use contract::frames::ServerFrame;
use contract::frames::server::Resync;
use contract::view::{FinishedStatus, GameView};
use contract::{Envelope, GameId, GameState, Position, UserId, Version};

use super::audience::give;
use super::frames::frames_of;
use super::room::{Inner, Room};
use super::{Shared, lock};
use crate::games::{CommandError, ConnectionId, Encoded, Listener, NotNow, Push, Rejection, Watching};
use crate::ports::Unavailable;
use crate::view::{live_game, record};

impl Shared {
    pub(crate) async fn watch(
        &self,
        connection: ConnectionId,
        game: GameId,
        since: Option<Position>,
    ) -> Result<Watching, CommandError> {
        self.wait_for(connection, game);
        // Looked for only now: a game that comes meanwhile finds who waits for it.
        let Some(room) = self.room(game) else {
            return Ok(Watching::NotHere);
        };
        self.people().awaited.forget(connection, game);
        self.may_watch(connection, game)?;
        let Some((user, listener)) = self.watcher(connection) else {
            return Ok(Watching::Here);
        };
        let mut earlier = Vec::new();
        if Self::memory_is_too_short(&room, since)? {
            // A failed read is no reason to refuse: the whole state says as much.
            earlier = self
                .frames_from_log(&room, since, user.as_ref())
                .await
                .unwrap_or_default();
        }
        self.begin(&room, connection, since, &earlier, user.as_ref(), listener)?;
        Ok(Watching::Here)
    }

    fn watcher(&self, connection: ConnectionId) -> Option<(Option<UserId>, Arc<dyn Listener>)> {
        let mut people = self.people();
        people
            .connection(connection)
            .map(|found| (found.user.clone(), found.listener.clone()))
    }

    /// A connection watches so many games. Those that are gone do not count.
    fn may_watch(&self, connection: ConnectionId, game: GameId) -> Result<(), CommandError> {
        let most = self.limits.max_watches;
        let mut people = self.people();
        let Some(open) = people.connection(connection) else {
            return Ok(());
        };
        if open.watches.len() >= most && !open.watches.contains(&game) {
            open.watches.retain(|watched| self.room(*watched).is_some());
            if open.watches.len() >= most {
                return Err(Rejection::TooManyWatched.into());
            }
        }
        Ok(())
    }

    /// Whether frames after `since` must come from the log.
    fn memory_is_too_short(room: &Room, since: Option<Position>) -> Result<bool, CommandError> {
        let inner = room.inner();
        let shown = shown(&inner)?;
        let on_chain = since.filter(|position| shown.chain.has(*position, shown.version));
        Ok(on_chain.is_some_and(|position| inner.frames_after(position.version, None).is_none()))
    }

    /// Pushes what was missed and adds the watcher, in one step, so that nothing falls between.
    fn begin(
        &self,
        room: &Room,
        connection: ConnectionId,
        since: Option<Position>,
        earlier: &[Arc<Encoded>],
        user: Option<&UserId>,
        listener: Arc<dyn Listener>,
    ) -> Result<(), CommandError> {
        let mut inner = room.inner();
        let shown = shown(&inner)?;
        let frames = self.missed(&inner, &shown, since, earlier, user)?;
        for frame in frames {
            give(&*listener, Push::Frame(frame));
        }
        {
            let mut people = self.people();
            let Some(open) = people.connection(connection) else {
                return Ok(());
            };
            open.watches.insert(shown.id);
        }
        if inner.audience.add(connection, user, listener, &shown.players) {
            self.recount(&inner, shown.id);
        }
        Ok(())
    }

    fn missed(
        &self,
        inner: &Inner,
        shown: &Arc<GameState>,
        since: Option<Position>,
        earlier: &[Arc<Encoded>],
        user: Option<&UserId>,
    ) -> Result<Vec<Arc<Encoded>>, CommandError> {
        let Some(position) = since.filter(|position| shown.chain.has(*position, shown.version)) else {
            return Ok(vec![self.whole(inner, shown, since.is_some(), user)?]);
        };
        let seat = user.and_then(|user| shown.players.seat_of(user));
        if let Some(frames) = inner.frames_after(position.version, seat) {
            return Ok(frames);
        }
        let reached = contiguous(position.version, earlier);
        match inner.frames_after(reached, seat) {
            Some(later) if reached > position.version => {
                let taken = (reached - position.version) as usize;
                Ok(earlier.iter().take(taken).cloned().chain(later).collect())
            }
            _ => Ok(vec![self.whole(inner, shown, true, user)?]),
        }
    }

    /// The whole game: `on_game_start` for a live one, `resync` in place of what cannot be sent step by step.
    pub(crate) fn whole(
        &self,
        inner: &Inner,
        game: &GameState,
        in_place: bool,
        user: Option<&UserId>,
    ) -> Result<Arc<Encoded>, CommandError> {
        let durable_version = inner.queue.durable_version();
        let corrupt = |error| {
            tracing::error!(game.id = %game.id, "game {} cannot be replayed: {error}", game.id);
            CommandError::not_now(NotNow::Internal)
        };
        let frame = if let Some(ending) = &game.ending {
            let finished = game.finished(ending, inner.audience.figures());
            let record = Box::new(record(&finished).map_err(corrupt)?);
            let view = GameView::Finished {
                status: FinishedStatus::Finished,
                record,
            };
            ServerFrame::Resync(Box::new(Resync {
                game_id: game.id,
                durable_version,
                game: Some(view),
            }))
        } else {
            let live = Box::new(live_game(game, self.context_of(inner, game), user).map_err(corrupt)?);
            if in_place {
                let view = Some(GameView::Live(live));
                ServerFrame::Resync(Box::new(Resync {
                    game_id: game.id,
                    durable_version,
                    game: view,
                }))
            } else {
                ServerFrame::OnGameStart(live)
            }
        };
        Ok(Encoded::at(frame, game.id, game.position()))
    }

    /// The frames after `since` that the log has.
    async fn frames_from_log(
        &self,
        room: &Room,
        since: Option<Position>,
        user: Option<&UserId>,
    ) -> Result<Vec<Arc<Encoded>>, Unavailable> {
        let entries = self.log.read_game(room.key, 0).await?;
        let inner = room.inner();
        let (Some(since), Some(game)) = (since, inner.shown.clone()) else {
            return Ok(Vec::new());
        };
        let durable = inner.queue.durable_version();
        drop(inner);
        let seat = user.and_then(|user| game.players.seat_of(user));
        Ok(entries
            .iter()
            .filter_map(|entry| Envelope::from_bytes(&entry.bytes).ok())
            .filter(|envelope| {
                envelope.version() > since.version && game.chain.has_event(envelope.id, game.version)
            })
            .filter_map(|envelope| frames_of(&envelope, &game.players, durable))
            .map(|frames| frames.of(seat).clone())
            .collect())
    }

    pub(crate) fn unwatch(&self, connection: ConnectionId, game: GameId) {
        {
            let mut people = self.people();
            people.awaited.forget(connection, game);
            if let Some(open) = people.connection(connection) {
                open.watches.remove(&game);
            }
        }
        self.remove_watcher(connection, game);
    }

    pub(crate) fn remove_watcher(&self, connection: ConnectionId, game: GameId) {
        let Some(room) = self.room(game) else { return };
        let mut inner = room.inner();
        if inner.audience.remove(connection) {
            self.recount(&inner, game);
        }
    }

    /// The number of spectators changed: observers at once, the audience at the next tick.
    pub(crate) fn recount(&self, inner: &Inner, game: GameId) {
        for observer in &self.observers {
            observer.spectators(game, inner.audience.now());
        }
        lock(&self.recounted).insert(game);
    }
}

fn shown(inner: &Inner) -> Result<Arc<GameState>, CommandError> {
    inner.shown.clone().ok_or_else(|| Rejection::NoSuchGame.into())
}

/// The last version of the run of frames that follows `version` without a hole.
fn contiguous(version: Version, frames: &[Arc<Encoded>]) -> Version {
    frames.iter().fold(version, |reached, frame| match frame.at {
        Some((_, position)) if position.version == reached + 1 => reached + 1,
        _ => reached,
    })
}
