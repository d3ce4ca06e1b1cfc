//! Where the log and its games end, remembered by the one task that appends.
//!
//! No other process of ours writes to the file while the data directory is locked, and all writes of this one go through one
//! connection, so what was read or written once stays true and an append need not ask for each of its games again. Should
//! somebody change the file all the same, `SQLite` says so, and everything is asked for anew.

use std::collections::{HashMap, HashSet};

use contract::{GameKey, Seq};
use sqlx::SqliteConnection;

use super::entries;
use super::fence::Fence;

/// More than the games that go on at one time; beyond it all are asked for again.
const MOST: usize = 65_536;

/// What is known of the ends.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// The state of the file, as far as other connections change it.
    file: Option<i64>,
    tail: Option<Seq>,
    newest: HashMap<GameKey, Seq>,
}

impl Ends {
    /// The fence for appends to these games: what is not known is read. `connection` must be the one that appends.
    pub(super) async fn fence(
        &mut self,
        connection: &mut SqliteConnection,
        games: HashSet<GameKey>,
    ) -> Result<Fence, sqlx::Error> {
        let file = sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(&mut *connection)
            .await?;
        if self.file != Some(file) {
            self.forget();
            self.file = Some(file);
        }
        let tail = match self.tail {
            Some(tail) => tail,
            None => entries::tail(&mut *connection).await?,
        };
        let mut newest = HashMap::with_capacity(games.len());
        let mut unknown = HashSet::new();
        for game in games {
            match self.newest.get(&game) {
                Some(seq) => {
                    newest.insert(game, *seq);
                }
                None => {
                    unknown.insert(game);
                }
            }
        }
        newest.extend(entries::newest_of_each(connection, unknown).await?);
        Ok(Fence::new(tail, newest))
    }

    /// What the fence has let through is committed.
    pub(super) fn committed(&mut self, fence: Fence) {
        if self.newest.len() > MOST {
            self.newest.clear();
        }
        self.tail = Some(fence.tail());
        self.newest.extend(fence.into_newest());
    }

    /// Nobody knows what was committed.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}
