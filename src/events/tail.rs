//! `turnstream events tail`: events as they are written.

use std::io::ErrorKind;
use std::time::Duration;

use clap::Args;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::{AsyncWriteExt, BufWriter, Stdout};

use super::ndjson::line;
use super::reading::Reading;
use super::{Beginning, Selection, Source, told_to_end};
use crate::operator::Verdict;
use crate::said;

/// How often it is looked whether somebody still reads what is printed.
const LOOK: Duration = Duration::from_millis(500);

/// What `events tail` is told.
#[derive(Debug, Clone, Args)]
pub(super) struct Tail {
    #[command(flatten)]
    selection: Selection,

    /// Where to begin: a sequence of the log, a time such as 2026-11-30T08:00:00Z, or `end` for what comes from now on.
    #[arg(long, default_value = "end", value_name = "SEQUENCE | TIME | end")]
    from: Beginning,

    #[command(flatten)]
    source: Source,
}

/// Prints until it is told to end, or nobody reads any more.
///
/// # Errors
/// The log cannot be read, or is not the same any more.
pub(super) async fn run(tail: &Tail) -> anyhow::Result<Verdict> {
    let (log, info) = tail.source.opened().await?;
    let from = tail.from.seq(log.as_ref()).await?;
    let reading = Reading::of(log, &info, tail.selection.wanted(), from);
    tokio::select! {
        ended = told_to_end() => ended?,
        () = nobody_reads() => {}
        printed = print(reading) => printed?,
    }
    Ok(Verdict::Well)
}

async fn print(mut reading: Reading) -> anyhow::Result<()> {
    let mut out = BufWriter::new(tokio::io::stdout());
    loop {
        let page = reading
            .more(|error| said::complain(format_args!("turnstream: {error}; trying again")))
            .await?;
        let mut lines = Vec::new();
        for entry in &page {
            lines.extend(line(entry));
        }
        match write(&mut out, &lines).await {
            // Whoever read has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
}

async fn write(out: &mut BufWriter<Stdout>, lines: &[u8]) -> std::io::Result<()> {
    out.write_all(lines).await?;
    out.flush().await
}

/// Returns when the standard output is a pipe whose other end is closed: where nothing is printed, nothing else tells.
async fn nobody_reads() {
    let out = std::io::stdout();
    loop {
        let mut ends = [PollFd::new(&out, PollFlags::empty())];
        let now = Timespec::default();
        let told = poll(&mut ends, Some(&now));
        if told.is_ok() && ends[0].revents().contains(PollFlags::ERR) {
            return;
        }
        tokio::time::sleep(LOOK).await;
    }
}
