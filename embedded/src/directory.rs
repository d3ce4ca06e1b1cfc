//! The data directory and its lock: one process at a time, whichever port it uses.

use std::fs::{DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Why the database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process (or another open database of this one) holds the directory.
    #[error("another turnstream is already running on {}", path.display())]
    AlreadyRunning {
        /// The data directory.
        path: PathBuf,
    },
    /// The directory or the lock in it cannot be made.
    #[error("the data directory {} cannot be used", path.display())]
    Directory {
        /// The data directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A newer turnstream has written here: this one does not know the schema and leaves it alone.
    #[error(
        "the database was written by a newer turnstream (schema {version}); use that one, or another directory"
    )]
    NewerSchema {
        /// The first migration that is unknown here.
        version: i64,
    },
    /// The schema cannot be brought up to date.
    #[error("the database's schema cannot be brought up to date")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// The database cannot be opened or read.
    #[error("the database cannot be opened")]
    Database(#[from] sqlx::Error),
}

/// The database file of a data directory.
pub(crate) fn database_in(path: &Path) -> PathBuf {
    path.join("turnstream.sqlite")
}

/// A directory that is ours. It is given back when this is dropped, and by the system when the process dies.
#[derive(Debug)]
pub(crate) struct DataDirectory {
    path: PathBuf,
    lock: Mutex<Option<File>>,
}

impl DataDirectory {
    /// Makes the directory if it is not there, readable by its owner only, and locks it.
    pub(crate) fn lock(path: &Path) -> Result<Self, OpenError> {
        let unusable = |source| OpenError::Directory {
            path: path.to_owned(),
            source,
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(unusable)?;
        let lock = File::options()
            .create(true)
            .write(true)
            .truncate(false)
            .open(path.join("lock"))
            .map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                lock: Mutex::new(Some(lock)),
            }),
            Err(TryLockError::WouldBlock) => Err(OpenError::AlreadyRunning {
                path: path.to_owned(),
            }),
            Err(TryLockError::Error(source)) => Err(unusable(source)),
        }
    }

    /// The database file.
    pub(crate) fn database(&self) -> PathBuf {
        database_in(&self.path)
    }

    /// Gives the directory back before its time.
    pub(crate) fn unlock(&self) {
        // A poisoned mutex still holds the lock that is to be given back.
        self.lock
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take();
    }
}
