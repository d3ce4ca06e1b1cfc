//! Databases for tests, on a clock that stands still unless a test turns it.

use std::path::Path;
use std::sync::Arc;

use contract::Millis;
use tempfile::TempDir;
use testkit::clock::FakeClock;
use turnstream_embedded::{Embedded, EmbeddedConfig, OpenError};

/// Opens the database in `directory`.
pub async fn open_in(directory: &Path) -> Result<Embedded, OpenError> {
    Embedded::open(config(directory), clock()).await
}

/// Everything in `directory`.
pub fn config(directory: &Path) -> EmbeddedConfig {
    EmbeddedConfig {
        data_dir: Some(directory.to_owned()),
        full_sync: false,
    }
}

/// An empty database in a directory of its own, which goes with it.
pub async fn on_disk() -> (Embedded, TempDir) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let embedded = open_in(directory.path())
        .await
        .expect("an empty directory can be used");
    (embedded, directory)
}

/// An empty database in memory.
pub async fn in_memory() -> (Embedded, ()) {
    let embedded = Embedded::open(EmbeddedConfig::default(), clock())
        .await
        .expect("memory can be used");
    (embedded, ())
}

/// A clock that stands still.
pub fn clock() -> Arc<FakeClock> {
    FakeClock::at(Millis(1_790_000_000_000))
}
