//! Settings of the servers, and of what takes the place of each that there is not.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub mod database;
pub mod nats;
pub mod valkey;

pub use database::DatabaseFlags;
pub use nats::NatsFlags;
pub use valkey::ValkeyFlags;

/// Which servers there are. Each that is not configured is replaced by the embedded adapter.
#[derive(Debug, Clone, Args)]
pub struct ServersConfig {
    #[command(flatten)]
    pub nats: NatsFlags,

    #[command(flatten)]
    pub valkey: ValkeyFlags,

    #[command(flatten)]
    pub database: DatabaseFlags,

    /// Where the embedded adapters and the secret live.
    #[arg(
        long,
        env = "TURNSTREAM_DATA_DIR",
        default_value = "./data",
        value_name = "DIRECTORY"
    )]
    pub data_dir: PathBuf,

    /// Keep nothing on disk: every game ends with the process.
    #[arg(long, env = "TURNSTREAM_IN_MEMORY")]
    pub in_memory: bool,

    /// How the embedded file is written: `normal` survives a killed process, `full` a power cut as well.
    #[arg(long, env = "TURNSTREAM_SYNCHRONOUS", value_enum, default_value_t = Synchronous::Normal)]
    pub synchronous: Synchronous,

    /// What every key in Valkey begins with.
    #[arg(
        long,
        env = "TURNSTREAM_KEY_PREFIX",
        default_value = "turnstream",
        value_name = "PREFIX"
    )]
    pub key_prefix: String,

    /// On how many NATS servers the log is kept.
    #[arg(long, env = "TURNSTREAM_NATS_REPLICAS", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub nats_replicas: u8,

    /// `sync_interval` of the NATS server, which cannot be asked for it: what a power cut can cost, in milliseconds.
    #[arg(long, env = "TURNSTREAM_NATS_SYNC_INTERVAL_MS", default_value_t = 1000, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub nats_sync_interval_ms: u64,

    /// How long the log keeps a message, in hours; 0 keeps everything. Live games outlast it; finished ones older than it
    /// are in the history only.
    #[arg(long, env = "TURNSTREAM_NATS_MAX_AGE_HOURS", default_value_t = 0, value_name = "HOURS", value_parser = clap::value_parser!(u64).range(0..=876_000))]
    pub nats_max_age_hours: u64,
}

impl ServersConfig {
    /// How long the log keeps a message, in milliseconds; 0: for ever.
    pub fn nats_max_age_ms(&self) -> u64 {
        self.nats_max_age_hours * 3_600_000
    }

    /// Whether every server is configured, so that nothing is embedded.
    pub fn all(&self) -> bool {
        self.nats.nats_url.is_some()
            && self.valkey.valkey_url.is_some()
            && self.database.database_url.is_some()
    }

    /// Whether any server is configured; then the secret must be configured too.
    pub fn any(&self) -> bool {
        self.nats.nats_url.is_some()
            || self.valkey.valkey_url.is_some()
            || self.database.database_url.is_some()
    }
}

/// `SQLite`'s `synchronous`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Synchronous {
    /// Survives a killed process.
    Normal,
    /// Survives a power cut.
    Full,
}
