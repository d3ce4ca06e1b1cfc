//! The command line: what the binary can be told to do.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::Config;
use crate::events::EventsCommand;
use crate::operator::dead_letters::DeadLettersCommand;
use crate::operator::erase::EraseCommand;
use crate::operator::rebuild::RebuildCommand;
use crate::operator::status::StatusCommand;
use crate::operator::verify::VerifyCommand;
use crate::project::ProjectConfig;

/// A backend for live, turn-based board games on an event stream.
#[derive(Debug, Parser)]
#[command(name = "turnstream", version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; `serve` when absent.
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    serve: Config,
}

/// What the binary does.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service (also without any command).
    Serve(Box<Config>),
    /// Run the read side alone, beside services that run with `--no-projectors`.
    Project(Box<ProjectConfig>),
    /// Show how a running service is; exits with 1 if something is not as it should be, with 2 if it is not reachable.
    Status(StatusCommand),
    /// Make a projection anew from the log, while the service runs.
    Rebuild(RebuildCommand),
    /// Compare log, live store and history game by game; exits with 1 if something differs, with 2 if it cannot be told.
    Verify(VerifyCommand),
    /// Look at the events that a projector could not apply, and try them again.
    DeadLetters(DeadLettersCommand),
    /// Read the event log, as it grows or as a whole; for analysts.
    Events(Box<EventsCommand>),
    /// Forget a person: in every finished game a name of nobody takes the place of theirs.
    Erase(EraseCommand),
    /// Ask a running service whether it is alive; exits with 1 if it is not.
    Healthcheck(Healthcheck),
    /// Say whether the dice of a finished game are those that its seeds make; exits with 1 if they are not, and with 2 if that cannot be
    /// told.
    VerifyDice(VerifyDice),
    /// Print the description of the HTTP interface.
    Openapi,
    /// Print the description of the WebSocket interface.
    Asyncapi,
    /// Write every document that is made from the code; for those who change it.
    #[command(hide = true)]
    Documents {
        /// The folder `docs`.
        directory: PathBuf,
    },
}

/// What `healthcheck` is told.
#[derive(Debug, Clone, Args)]
pub struct Healthcheck {
    /// What to ask.
    #[arg(
        long,
        env = "TURNSTREAM_HEALTHCHECK_URL",
        default_value = "http://127.0.0.1:8080/healthz",
        value_name = "URL"
    )]
    pub url: String,
}

/// What `verify-dice` is told.
#[derive(Debug, Clone, Args)]
pub struct VerifyDice {
    /// The id of a game, or a file with its record as `GET /game/:id` shows it.
    #[arg(value_name = "GAME-ID | RECORD.JSON")]
    pub game: String,

    /// The commitment as it was shown when the game began: then the record's must be the same.
    #[arg(long, value_name = "SHA-256")]
    pub commit: Option<String>,

    /// The service that has the game, when an id is given.
    #[arg(
        long,
        env = "TURNSTREAM_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    pub url: String,
}

impl Cli {
    /// What to do.
    pub fn into_command(self) -> Command {
        self.command
            .unwrap_or_else(|| Command::Serve(Box::new(self.serve)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serving_is_what_it_does_when_not_told_otherwise() {
        for args in [
            vec!["turnstream", "--in-memory"],
            vec!["turnstream", "serve", "--in-memory"],
        ] {
            let cli = Cli::try_parse_from(args).expect("good flags");
            assert!(matches!(cli.into_command(), Command::Serve(config) if config.servers.in_memory));
        }
        let cli = Cli::try_parse_from(["turnstream", "openapi"]).expect("a command");
        assert!(matches!(cli.into_command(), Command::Openapi));
    }
}
