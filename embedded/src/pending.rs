//! Events that wait for the log: a list per game, each change of it one transaction.

mod appending;
mod lists;

use std::sync::Arc;

use async_trait::async_trait;
use commands::ports::{Clock, Link, PendingGame, PendingStore, Unavailable};
use contract::{EventId, GameKey, WriterId};
use tokio::sync::watch;

use crate::database::{Database, cannot};
use appending::plan;

/// The store of waiting events.
pub struct SqlitePending {
    db: Arc<Database>,
    clock: Arc<dyn Clock>,
    link: watch::Sender<Link>,
}

impl SqlitePending {
    pub(crate) fn new(db: Arc<Database>, clock: Arc<dyn Clock>) -> Self {
        // A file never comes back with less than it was given.
        let link = watch::Sender::new(Link::Up(1));
        Self { db, clock, link }
    }

    async fn add(&self, game: &PendingGame) -> Result<(), sqlx::Error> {
        let mut tx = self.db.write().await?;
        let stored = lists::head(&mut tx, game.key.id).await?;
        let plan = plan(stored.as_ref(), game);
        if plan.from_nothing {
            lists::delete(&mut tx, game.key.id).await?;
        }
        lists::delete_items(&mut tx, game.key.id, "id", &plan.drop).await?;
        if !plan.items.is_empty() {
            lists::insert(&mut tx, game.key, game.writer, plan.base, &plan.items).await?;
        }
        tx.commit().await
    }

    async fn drop_to(&self, key: GameKey, writer: WriterId, place: EventId) -> Result<(), sqlx::Error> {
        let mut tx = self.db.write().await?;
        if lists::writer(&mut tx, key.id).await? == Some(writer) {
            lists::trim(&mut tx, key.id, place).await?;
        }
        tx.commit().await
    }

    async fn all(&self) -> Result<Vec<PendingGame>, sqlx::Error> {
        let mut tx = self.db.reads().begin().await?;
        let all = lists::all(&mut tx).await?;
        tx.commit().await?;
        Ok(all)
    }

    async fn move_aside(
        &self,
        key: GameKey,
        writer: WriterId,
        keep_out: &[EventId],
        reason: &str,
    ) -> Result<(), sqlx::Error> {
        let mut tx = self.db.write().await?;
        if lists::writer(&mut tx, key.id).await? == Some(writer) {
            lists::quarantine(&mut tx, key, keep_out, reason, self.clock.now()).await?;
        }
        tx.commit().await
    }
}

#[async_trait]
impl PendingStore for SqlitePending {
    async fn append(&self, game: &PendingGame) -> Result<(), Unavailable> {
        self.add(game).await.map_err(cannot("keep waiting events"))
    }

    async fn trim(&self, key: GameKey, writer: WriterId, place: EventId) -> Result<(), Unavailable> {
        self.drop_to(key, writer, place)
            .await
            .map_err(cannot("drop events that no longer wait"))
    }

    async fn load(&self) -> Result<Vec<PendingGame>, Unavailable> {
        self.all().await.map_err(cannot("load the waiting events"))
    }

    async fn quarantine(
        &self,
        key: GameKey,
        writer: WriterId,
        keep_out: &[EventId],
        reason: &str,
    ) -> Result<(), Unavailable> {
        self.move_aside(key, writer, keep_out, reason)
            .await
            .map_err(cannot("quarantine waiting events"))
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }
}
