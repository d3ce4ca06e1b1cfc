//! `turnstream events export`: the events that there are, as a file.
//!
//! The file has its name only when it is whole. Until then it is beside it under another one, and is removed if the
//! export ends before.

use std::fs::{File, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use commands::ports::LogInfo;
use contract::Seq;
use projections::ports::RawEntry;
use serde_json::json;
use tempfile::NamedTempFile;
use tokio::time::Instant;

use super::reading::{Failed, Reading};
use super::{Beginning, Selection, Source, ndjson, parquet, told_to_end};
use crate::operator::Verdict;
use crate::progress::Shown;
use crate::said;

/// How long the log may be away before an export is given up.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two attempts.
const AGAIN: Duration = Duration::from_millis(500);

/// What `events export` is told.
#[derive(Debug, Clone, Args)]
pub(super) struct Export {
    /// The form of the file.
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    format: Format,

    /// The file. What is there is replaced when the export is whole.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    selection: Selection,

    /// Where to begin: a sequence of the log, or a time such as 2026-11-30T08:00:00Z.
    #[arg(long, default_value = "1", value_name = "SEQUENCE | TIME")]
    from: Beginning,

    #[command(flatten)]
    source: Source,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One JSON object a line.
    Ndjson,
    /// Parquet: a row for each event, with columns.
    Parquet,
}

/// What takes the events.
trait Sink {
    fn write(&mut self, entry: &RawEntry) -> anyhow::Result<()>;
    fn finish(self: Box<Self>) -> anyhow::Result<()>;
}

/// Exports, and prints how much.
///
/// # Errors
/// The log cannot be read or is not the same any more, the file cannot be written, or it is told to end.
pub(super) async fn run(export: &Export) -> anyhow::Result<Verdict> {
    let (log, info) = export.source.opened().await?;
    let from = export.from.seq(log.as_ref()).await?;
    let reading = Reading::of(log, &info, export.selection.wanted(), from);
    let file = beside(&export.output)?;
    let sink = export.format.sink(file.reopen()?, &info)?;
    let events = tokio::select! {
        written = write(reading, from, info.last, sink) => written?,
        ended = told_to_end() => {
            ended?;
            anyhow::bail!("stopped; {} was not written", export.output.display())
        }
    };
    file.as_file().sync_all()?;
    file.persist(&export.output)
        .with_context(|| format!("{} cannot be written", export.output.display()))?;
    let told = json!({ "events": events, "through": info.last, "file": export.output });
    said::print(told)?;
    Ok(Verdict::Well)
}

/// A file that is removed unless it gets the other one's name.
fn beside(output: &Path) -> anyhow::Result<NamedTempFile> {
    let name = output.file_name().context("that is no name of a file")?;
    ensure!(!output.is_dir(), "{} is a directory", output.display());
    let directory = match output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".part")
        // As of any other file: what the user's mask leaves of it.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)
        .with_context(|| format!("nothing can be written in {}", directory.display()))
}

/// Writes everything up to `last`, as the log was when it began; how many events those are.
async fn write(mut reading: Reading, from: Seq, last: Seq, mut sink: Box<dyn Sink>) -> anyhow::Result<u64> {
    let mut shown = Shown::new();
    let total = (last + 1).saturating_sub(from);
    let (mut events, mut done) = (0, 0);
    while done < total {
        let page = patiently(&mut reading).await?;
        let wanted = page.iter().take_while(|entry| entry.seq <= last);
        for entry in wanted {
            sink.write(entry)?;
            events += 1;
        }
        done = match page.last() {
            Some(entry) => (entry.seq + 1 - from).min(total),
            // There is no more of it.
            None => total,
        };
        shown.show("sequences", done, Some(total));
    }
    sink.finish()?;
    shown.end();
    Ok(events)
}

/// The next page; the log may be away for a while.
async fn patiently(reading: &mut Reading) -> anyhow::Result<Vec<RawEntry>> {
    let begun = Instant::now();
    loop {
        match reading.page().await {
            Ok(page) => return Ok(page),
            Err(Failed::Away(error)) if begun.elapsed() < PATIENCE => {
                tracing::debug!(%error, "reading again");
                tokio::time::sleep(AGAIN).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

impl Format {
    fn sink(self, file: File, info: &LogInfo) -> anyhow::Result<Box<dyn Sink>> {
        Ok(match self {
            Self::Ndjson => Box::new(Lines(BufWriter::new(file))),
            Self::Parquet => Box::new(parquet::Table::new(file, info)?),
        })
    }
}

/// Events as lines.
struct Lines(BufWriter<File>);

impl Sink for Lines {
    fn write(&mut self, entry: &RawEntry) -> anyhow::Result<()> {
        Ok(self.0.write_all(&ndjson::line(entry))?)
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        Ok(self.0.flush()?)
    }
}

impl Sink for parquet::Table {
    fn write(&mut self, entry: &RawEntry) -> anyhow::Result<()> {
        self.add(entry)
    }

    fn finish(self: Box<Self>) -> anyhow::Result<()> {
        self.close()
    }
}
