//! One open socket or event stream, as games see it: opened, watching, closed whatever happens.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use commands::games::{CommandError, ConnectionId, Encoded, Watching};
use contract::frames::ServerFrame;
use contract::frames::server::Resync;
use contract::view::GameView;
use contract::{GameId, PlayerSummary, Position, UserId};

use crate::app::App;
use crate::auth::Principal;
use crate::auth::legacy::UserKey;
use crate::limits::Permit;
use crate::outbox::Outbox;
use crate::problem::Failure;

/// How frames are written for one reader.
#[derive(Debug, Clone, Default)]
pub struct Encoder {
    own_key: Option<UserKey>,
}

impl Encoder {
    /// For `reader`, or for anybody.
    pub fn of(reader: Option<&Principal>) -> Self {
        Self {
            own_key: reader.and_then(|principal| principal.key.clone()),
        }
    }

    /// The frame's text: shared by all readers, but a legacy reader's own.
    pub fn text(&self, frame: &Encoded) -> Utf8Bytes {
        let shared = || Utf8Bytes::try_from(frame.text().clone()).expect("JSON text is UTF-8");
        match &self.own_key {
            None => shared(),
            Some(key) => match key.own_encoding(&frame.frame) {
                Ok(own) => own.to_string().into(),
                Err(error) => {
                    tracing::error!(%error, "a frame cannot be encoded for its legacy reader");
                    shared()
                }
            },
        }
    }

    /// The same as bytes.
    pub fn bytes(&self, frame: &Encoded) -> Bytes {
        self.text(frame).into()
    }
}

/// An open connection. Dropping it closes it.
pub struct Connection {
    app: Arc<App>,
    id: ConnectionId,
    outbox: Arc<Outbox>,
    user: Option<PlayerSummary>,
    _place: Option<Permit>,
}

impl Connection {
    /// Opens one, for `user` or for nobody known; `place` is the user's place among their connections.
    pub fn open(
        app: Arc<App>,
        user: Option<PlayerSummary>,
        place: Option<Permit>,
        outbox: Arc<Outbox>,
    ) -> Self {
        let id = app.games.connect(user.as_ref(), outbox.clone());
        Self {
            app,
            id,
            outbox,
            user,
            _place: place,
        }
    }

    /// Whose it is.
    pub fn user(&self) -> Option<&PlayerSummary> {
        self.user.as_ref()
    }

    fn viewer(&self) -> Option<&UserId> {
        self.user.as_ref().map(|user| &user.user_id)
    }

    /// Watches a game. One that is not held here is given once, as it is: then the frame is returned.
    ///
    /// # Errors
    /// What a player is told.
    pub async fn watch(&self, game: GameId, since: Option<Position>) -> Result<Option<ServerFrame>, Failure> {
        let watched = self.app.games.watch(self.id, game, since).await;
        match watched {
            Ok(Watching::Here) => Ok(None),
            Ok(Watching::NotHere) | Err(CommandError::Elsewhere) => {
                let view = self.app.reads.game(game, self.viewer()).await?;
                view.map(|view| Some(resync_frame(game, Some(view))))
                    .ok_or_else(Failure::no_such_game)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Watches it no longer.
    pub fn unwatch(&self, game: GameId) {
        self.app.games.unwatch(self.id, game);
        self.outbox.forget(game);
    }

    /// Gets the list of live games from now on.
    pub fn subscribe(&self) {
        self.app
            .live_list
            .subscribe(self.id, self.viewer().cloned(), self.outbox.clone());
    }

    /// Gets it no longer.
    pub fn unsubscribe(&self) {
        self.app.live_list.unsubscribe(self.id);
    }
}

/// The whole state of a game in place of frames that its reader missed.
pub async fn resync(app: &App, viewer: Option<&UserId>, outbox: &Outbox, game: GameId) -> ServerFrame {
    app.metrics.resyncs.inc();
    let held = app
        .games
        .live(game, viewer)
        .map(|live| GameView::Live(Box::new(live)));
    let view = match held {
        Some(view) => Some(view),
        None => app.reads.game(game, viewer).await.unwrap_or_else(|error| {
            tracing::warn!(%error, %game, "a slow reader gets a resync without its game");
            None
        }),
    };
    if let Some(GameView::Live(live)) = &view {
        outbox.resynced(game, live.version);
    }
    resync_frame(game, view)
}

/// `resync` with a game, or without one that is not to be had.
fn resync_frame(game: GameId, view: Option<GameView>) -> ServerFrame {
    let durable_version = match &view {
        Some(GameView::Live(live)) => live.durable_version,
        Some(GameView::Finished { .. }) | None => 0,
    };
    ServerFrame::Resync(Box::new(Resync {
        game_id: game,
        durable_version,
        game: view,
    }))
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.app.live_list.unsubscribe(self.id);
        self.app.games.disconnect(self.id);
    }
}
