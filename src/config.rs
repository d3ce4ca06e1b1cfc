//! Every setting, as a flag with an environment variable. `--help` is its documentation.
//!
//! One struct per subsystem; nothing else reads the environment.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub mod address;
pub mod edge;
pub mod identity;
pub mod url;

pub use address::Network;
pub use edge::{EdgeConfig, LimitsConfig};
pub use identity::IdentityConfig;
pub use url::{PublicUrl, ServerUrl};

/// What `serve` is told.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// Where players connect.
    #[arg(
        long,
        env = "TURNSTREAM_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS"
    )]
    pub listen: SocketAddr,

    /// Where operators connect: metrics, status, administration. Keep it private.
    #[arg(
        long,
        env = "TURNSTREAM_ADMIN_LISTEN",
        default_value = "127.0.0.1:9090",
        value_name = "ADDRESS"
    )]
    pub admin_listen: SocketAddr,

    #[command(flatten)]
    pub edge: EdgeConfig,

    #[command(flatten)]
    pub limits: LimitsConfig,

    #[command(flatten)]
    pub identity: IdentityConfig,

    #[command(flatten)]
    pub servers: ServersConfig,

    /// How many games the process holds at most; further ones are refused until others have ended and are written to the
    /// history. Waiting events take at most some 100 KiB of memory for each.
    #[arg(
        long,
        env = "TURNSTREAM_MAX_LIVE_GAMES",
        default_value_t = 200_000,
        value_name = "N"
    )]
    pub max_live_games: usize,

    /// Leave projecting to another process.
    #[arg(long, env = "TURNSTREAM_NO_PROJECTORS")]
    pub no_projectors: bool,

    #[command(flatten)]
    pub logging: LogConfig,
}

/// How a process says what it does.
#[derive(Debug, Clone, Args)]
pub struct LogConfig {
    /// How the process logs.
    #[arg(long, env = "TURNSTREAM_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,

    /// What it logs, as `tracing` directives.
    #[arg(
        long,
        env = "TURNSTREAM_LOG",
        default_value = "info,async_nats=warn",
        value_name = "DIRECTIVES"
    )]
    pub log: String,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For a person.
    Text,
    /// One JSON object a line.
    Json,
}

/// Which servers there are. Each that is not configured is replaced by the embedded adapter.
#[derive(Debug, Clone, Args)]
pub struct ServersConfig {
    /// The event log; embedded when absent.
    #[arg(long, env = "NATS_URL", hide_env_values = true, value_name = "URL")]
    pub nats_url: Option<ServerUrl>,

    /// Live snapshots and caches; embedded when absent.
    #[arg(long, env = "VALKEY_URL", hide_env_values = true, value_name = "URL")]
    pub valkey_url: Option<ServerUrl>,

    /// Finished games; embedded when absent.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    pub database_url: Option<ServerUrl>,

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
        self.nats_url.is_some() && self.valkey_url.is_some() && self.database_url.is_some()
    }

    /// Whether any server is configured; then the secret must be configured too.
    pub fn any(&self) -> bool {
        self.nats_url.is_some() || self.valkey_url.is_some() || self.database_url.is_some()
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

#[cfg(test)]
mod tests {
    use crate::cli::Cli;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_flags_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn nothing_listens_beyond_this_machine_unless_told_to() {
        let config = super::tests_support::config();
        assert!(config.listen.ip().is_loopback() && config.admin_listen.ip().is_loopback());
    }

    #[test]
    fn no_secret_shows_when_the_configuration_is_printed() {
        let cli = Cli::try_parse_from([
            "turnstream",
            "--nats-url=nats://u:hunter2@localhost",
            "--database-url=postgres://u:hunter2@localhost/x",
            "--secret=k:hunter2",
        ])
        .expect("good flags");
        assert!(!format!("{cli:?}").contains("hunter2"), "{cli:?}");
    }
}

/// Settings for tests of other modules: all at their defaults.
#[cfg(test)]
pub(crate) mod tests_support {
    use super::{Config, LimitsConfig};
    use crate::cli::{Cli, Command};
    use clap::Parser;

    pub(crate) fn config() -> Config {
        let Command::Serve(config) = Cli::parse_from(["turnstream"]).into_command() else {
            panic!("serving is the default");
        };
        *config
    }

    pub(crate) fn limits() -> LimitsConfig {
        config().limits
    }
}
