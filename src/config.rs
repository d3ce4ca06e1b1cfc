//! Every setting, as a flag with an environment variable. `--help` is its documentation.
//!
//! One struct per subsystem; nothing else reads the environment.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};

pub mod address;
pub mod edge;
mod files;
pub mod identity;
pub mod servers;
pub mod traces;
pub mod url;

pub use address::Network;
pub use edge::{EdgeConfig, LimitsConfig};
pub use files::SECRETS;
pub use identity::IdentityConfig;
pub use servers::{ServersConfig, Synchronous};
pub use traces::TracesConfig;
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

    #[command(flatten)]
    pub traces: TracesConfig,
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
