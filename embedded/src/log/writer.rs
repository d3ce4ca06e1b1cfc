//! The one task that appends. What waits when it is free is decided and committed together, so that many games share
//! the cost of a commit; each caller is answered after it.

use std::sync::{Arc, LazyLock};

use commands::ports::{AppendError, Outgoing};
use contract::Seq;
use sqlx::{AssertSqlSafe, SqliteConnection};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::ends::Ends;
use super::fence::Refused;
use super::recent::Recent;
use crate::database::{Database, ROWS};

/// How many appends share a transaction at most: as many as one statement inserts.
const BATCH: usize = ROWS;

/// A batch of up to so many rows has a statement that stays prepared: to parse one takes a quarter of the time of its execution.
const PREPARED: usize = 64;

/// An append, and where its outcome goes.
#[derive(Debug)]
pub(super) struct AppendRequest {
    pub(super) message: Outgoing,
    pub(super) expected: Seq,
    pub(super) reply: oneshot::Sender<Result<Seq, AppendError>>,
}

/// The task's state.
#[derive(Debug)]
pub(super) struct Writer {
    db: Arc<Database>,
    requests: mpsc::Receiver<AppendRequest>,
    tail: watch::Sender<Seq>,
    recent: Arc<Recent>,
    ends: Ends,
}

impl Writer {
    /// Takes `requests`, says in `tail` how far the log is committed, and adds that to `recent`.
    pub(super) fn new(
        db: Arc<Database>,
        requests: mpsc::Receiver<AppendRequest>,
        tail: watch::Sender<Seq>,
        recent: Arc<Recent>,
    ) -> Self {
        Self {
            db,
            requests,
            tail,
            recent,
            ends: Ends::default(),
        }
    }

    /// Works until nobody can ask any more, or until `stopping`; what was asked before is still done.
    pub(super) async fn run(mut self, stopping: CancellationToken) {
        let mut batch = Vec::with_capacity(BATCH);
        while self.receive(&mut batch, &stopping).await > 0 {
            self.serve(&mut batch).await;
        }
    }

    async fn receive(&mut self, batch: &mut Vec<AppendRequest>, stopping: &CancellationToken) -> usize {
        tokio::select! {
            received = self.requests.recv_many(batch, BATCH) => {
                // Whoever is about to ask gets their turn first: they share the commit, which costs more than its rows.
                tokio::task::yield_now().await;
                if self.requests.is_empty() {
                    return received;
                }
                return received + self.requests.recv_many(batch, BATCH - received).await;
            }
            () = stopping.cancelled() => self.requests.close(),
        }
        self.requests.recv_many(batch, BATCH).await
    }

    async fn serve(&mut self, batch: &mut Vec<AppendRequest>) {
        let outcomes = self.commit(batch).await;
        if let Err(error) = &outcomes {
            self.ends.forget();
            tracing::error!(%error, appends = batch.len(), "the log could not commit");
        }
        for (n, request) in batch.drain(..).enumerate() {
            let outcome = match &outcomes {
                Ok(decided) => decided[n].map_err(|refused| AppendError::Refused(refused.to_string())),
                Err(error) => Err(AppendError::Unknown(error.to_string())),
            };
            // Whoever asked may have stopped waiting; to them the outcome is unknown.
            drop(request.reply.send(outcome));
        }
    }

    /// Decides all and commits what is taken. On an error nothing is, unless the commit itself answered with it.
    async fn commit(&mut self, batch: &[AppendRequest]) -> Result<Vec<Result<Seq, Refused>>, sqlx::Error> {
        // Held from the look at the ends to the insert: nobody else appends in between.
        let mut connection = self.db.writer().await?;
        let games = batch.iter().map(|request| request.message.key).collect();
        let mut fence = self.ends.fence(&mut connection, games).await?;
        let decided: Vec<_> = batch
            .iter()
            .map(|request| fence.decide(request.message.key, request.expected))
            .collect();
        let taken: Vec<(Seq, &Outgoing)> = decided
            .iter()
            .zip(batch)
            .filter_map(|(outcome, request)| outcome.ok().map(|seq| (seq, &request.message)))
            .collect();
        insert(&mut connection, &taken).await?;
        drop(connection);
        // Before anybody is told to look.
        self.recent.add(taken.into_iter());
        self.tail.send_replace(fence.tail());
        self.ends.committed(fence);
        Ok(decided)
    }
}

/// Inserts all by one statement, so that it needs no transaction around it: each call into a database is a hop to its
/// thread and back.
async fn insert(connection: &mut SqliteConnection, taken: &[(Seq, &Outgoing)]) -> Result<(), sqlx::Error> {
    if taken.is_empty() {
        return Ok(());
    }
    let mut statement = match INSERTS.get(taken.len() - 1) {
        Some(prepared) => sqlx::query(prepared.as_str()),
        None => sqlx::query(AssertSqlSafe(insert_of(taken.len()))).persistent(false),
    };
    for (seq, message) in taken {
        statement = statement
            .bind(*seq as i64)
            .bind(message.key.kind.as_str())
            .bind(message.key.id.0)
            .bind(message.name)
            .bind(&message.bytes[..]);
    }
    statement.execute(connection).await?;
    Ok(())
}

/// The statements that insert one row, two rows, and so on.
static INSERTS: LazyLock<Vec<String>> = LazyLock::new(|| (1..=PREPARED).map(insert_of).collect());

fn insert_of(rows: usize) -> String {
    let rows = vec!["(?, ?, ?, ?, ?)"; rows].join(", ");
    format!("INSERT INTO log (seq, kind, game, name, bytes) VALUES {rows}")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use contract::{GameId, GameKey, Kind};
    use uuid::Uuid;

    use super::*;
    use crate::EmbeddedConfig;
    use crate::tasks::Tasks;

    fn started(game: u128) -> Outgoing {
        let key = GameKey {
            kind: Kind::Mancala,
            id: GameId(Uuid::from_u128(game)),
        };
        Outgoing {
            key,
            name: "started",
            bytes: Bytes::from_static(b"{}"),
        }
    }

    fn ask(
        asking: &mpsc::Sender<AppendRequest>,
        message: Outgoing,
        expected: Seq,
    ) -> oneshot::Receiver<Result<Seq, AppendError>> {
        let (reply, outcome) = oneshot::channel();
        asking
            .try_send(AppendRequest {
                message,
                expected,
                reply,
            })
            .expect("there is room");
        outcome
    }

    #[tokio::test]
    async fn what_waits_is_committed_together() {
        let db = Arc::new(Database::open(&EmbeddedConfig::default()).await.unwrap());
        let (asking, requests) = mpsc::channel(1_000);
        let outcomes: Vec<_> = (1..=400).map(|game| ask(&asking, started(game), 0)).collect();
        let refused = ask(&asking, started(1), 0);
        let (committed, mut tail) = watch::channel(0);
        let tasks = Tasks::default();
        tasks.spawn(Writer::new(db, requests, committed, Arc::default()).run(tasks.stopping()));

        tail.changed().await.unwrap();
        assert_eq!(
            *tail.borrow_and_update(),
            400,
            "the first commit is of all of them"
        );
        for (seq, outcome) in (1..).zip(outcomes) {
            assert_eq!(outcome.await.unwrap().unwrap(), seq);
        }
        assert!(matches!(refused.await.unwrap(), Err(AppendError::Refused(_))));
    }

    #[tokio::test]
    async fn what_was_asked_before_the_stop_is_done() {
        let db = Arc::new(Database::open(&EmbeddedConfig::default()).await.unwrap());
        let (asking, requests) = mpsc::channel(2_000);
        let outcomes: Vec<_> = (1..=1_200).map(|game| ask(&asking, started(game), 0)).collect();
        let (committed, tail) = watch::channel(0);
        let tasks = Tasks::default();
        tasks.spawn(Writer::new(db, requests, committed, Arc::default()).run(tasks.stopping()));
        tasks.stop().await;
        assert_eq!(*tail.borrow(), 1_200);
        for outcome in outcomes {
            assert!(outcome.await.unwrap().is_ok());
        }
        assert!(asking.is_closed());
    }
}
