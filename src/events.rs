//! `turnstream events`: the log handed out, line by line or as a file.
//!
//! **Belongs here:** which events, in which form, and how a reader goes on when the log comes back. **Does not:** a running
//! service: the log is read where it lies, from NATS or from the embedded file, whether or not anybody plays.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, Subcommand};
use commands::ports::LogInfo;
use contract::event::parse_time;
use contract::{GameId, Millis, Seq};
use embedded::LogFile;
use nats::NatsPages;
use projections::ports::{LogPages, Wanted};

use crate::config::servers::NatsFlags;
use crate::operator::Verdict;

mod columns;
mod export;
mod ndjson;
mod parquet;
mod reading;
mod tail;

/// What `events` is told.
#[derive(Debug, Clone, Args)]
pub struct EventsCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Subcommand)]
enum What {
    /// Print events as they are written, one JSON object a line, until it is stopped.
    Tail(tail::Tail),
    /// Write the events that there are now into a file.
    Export(export::Export),
}

/// Where the log is: the same settings as of `serve`.
#[derive(Debug, Clone, Args)]
struct Source {
    #[command(flatten)]
    nats: NatsFlags,

    /// By which domain the event log is addressed: `turnstream` for analysts, whose account is another one than the log's.
    #[arg(long, env = "NATS_DOMAIN", requires = "nats_url", value_name = "NAME")]
    nats_domain: Option<String>,

    /// Where the embedded service keeps its file, which is read where there is no --nats-url. The service may be running.
    #[arg(
        long,
        env = "TURNSTREAM_DATA_DIR",
        default_value = "./data",
        value_name = "DIRECTORY"
    )]
    data_dir: PathBuf,
}

impl Source {
    async fn open(&self) -> anyhow::Result<Arc<dyn LogPages>> {
        let Some(connection) = self.nats.connection()? else {
            return Ok(Arc::new(LogFile::open(&self.data_dir).await?));
        };
        let pages = NatsPages::connect(&connection, self.nats_domain.as_deref()).await?;
        Ok(Arc::new(pages))
    }

    /// The log, and what it is like now.
    async fn opened(&self) -> anyhow::Result<(Arc<dyn LogPages>, LogInfo)> {
        let log = self.open().await?;
        let info = log.info().await;
        let info = info.map_err(|error| {
            if self.nats.nats_url.is_some() && self.nats_domain.is_none() {
                anyhow::anyhow!("{error} (analysts say --nats-domain turnstream)")
            } else {
                error.into()
            }
        })?;
        Ok((log, info))
    }
}

/// Which events.
#[derive(Debug, Clone, Args)]
struct Selection {
    /// Only of games of this kind, such as `mancala`.
    #[arg(long, value_name = "KIND", value_parser = name)]
    kind: Option<String>,

    /// Only of this game.
    #[arg(long, value_name = "ID")]
    game: Option<GameId>,

    /// Only of this type, such as `moved`.
    #[arg(long = "type", value_name = "TYPE", value_parser = event_type)]
    event: Option<String>,
}

impl Selection {
    fn wanted(&self) -> Wanted {
        Wanted {
            kind: self.kind.clone(),
            game: self.game,
            name: self.event.clone(),
        }
    }
}

/// A word as it stands in a subject.
fn name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !text.is_empty() && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("not a word of lower-case letters".to_owned())
    }
}

/// An event's name, or its `CloudEvents` type of any version.
fn event_type(text: &str) -> Result<String, String> {
    let own = text
        .strip_prefix("turnstream.game.")
        .and_then(|rest| rest.rsplit_once(".v"));
    name(own.map_or(text, |(name, _)| name))
}

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    Seq(Seq),
    Time(Millis),
    End,
}

impl FromStr for Beginning {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "end" {
            return Ok(Self::End);
        }
        if let Ok(seq) = text.parse() {
            return Ok(Self::Seq(seq));
        }
        parse_time(text)
            .map(Self::Time)
            .ok_or("not a sequence, not a time such as 2026-11-30T08:00:00Z, and not `end`")
    }
}

impl Beginning {
    /// The first sequence to be read.
    async fn seq(self, log: &dyn LogPages) -> anyhow::Result<Seq> {
        Ok(match self {
            Self::Seq(seq) => seq.max(1),
            Self::Time(time) => log.at(time).await?,
            Self::End => log.info().await?.last + 1,
        })
    }
}

/// Does what is asked.
///
/// # Errors
/// The log cannot be read, or what was read cannot be written.
pub async fn run(command: &EventsCommand) -> anyhow::Result<Verdict> {
    match &command.what {
        What::Tail(tail) => tail::run(tail).await,
        What::Export(export) => export::run(export).await,
    }
}

/// Returns when the process is told to end.
async fn told_to_end() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).context("signals cannot be heard")?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        interrupted = tokio::signal::ctrl_c() => interrupted.context("signals cannot be heard"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_a_sequence_a_time_or_the_end() {
        assert_eq!("17".parse(), Ok(Beginning::Seq(17)));
        assert_eq!("end".parse(), Ok(Beginning::End));
        let time = "2026-11-30T08:00:00Z".parse::<Beginning>();
        assert_eq!(time, Ok(Beginning::Time(Millis(1_796_025_600_000))));
        for bad in ["", "-1", "yesterday", "2026-11-30"] {
            assert!(bad.parse::<Beginning>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_type_is_named_as_its_subject_or_as_its_document_names_it() {
        assert_eq!(event_type("draw_armed").as_deref(), Ok("draw_armed"));
        assert_eq!(event_type("turnstream.game.moved.v2").as_deref(), Ok("moved"));
        for bad in ["", "*", "moved.v1", "Moved", "a b", "games.>"] {
            assert!(event_type(bad).is_err(), "{bad}");
        }
    }
}
