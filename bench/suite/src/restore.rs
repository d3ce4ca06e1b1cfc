//! From the start of a process until it is ready, with live games to take up.

use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::results::{Restored, Results};
use crate::subject::{Running, Subject};
use crate::{Options, load};

const PATIENCE: Duration = Duration::from_mins(2);

/// With 10,000 and 100,000 games that were left by their players.
pub async fn measure(options: &Options, results: &mut Results) -> anyhow::Result<()> {
    let numbers: &[u64] = if options.smoke {
        &[1_000]
    } else {
        &[10_000, 100_000]
    };
    results.restores.clear();
    for subject in [Subject::File, Subject::Servers] {
        for games in numbers {
            let running = subject.start(&options.peers).await?;
            leave(subject, &running, *games).await?;
            for killed in [false, true] {
                let restored = again(subject, &running, *games, killed).await?;
                println!("{restored:?}");
                results.restores.push(restored);
                results.write(&options.results)?;
            }
        }
    }
    Ok(())
}

/// Begins games and leaves them; returns when all of it is in the stores.
pub async fn leave(subject: Subject, running: &Running, games: u64) -> anyhow::Result<()> {
    let arguments = [format!("--games={games}"), "leave".to_owned()];
    let report = load::run(subject, running, 1, &arguments).await?;
    ensure!(
        report.errors == 0,
        "games could not be begun: {:?}",
        report.first_error
    );
    settled(running).await
}

/// Ends it and starts it again.
pub async fn again(
    subject: Subject,
    running: &Running,
    games: u64,
    killed: bool,
) -> anyhow::Result<Restored> {
    settled(running).await?;
    running.end(killed).await?;
    let began = Instant::now();
    running.start_again().await?;
    let took_ms = began.elapsed().as_millis() as u64;
    let status = status(running).await?;
    Ok(Restored {
        subject: subject.name().to_owned(),
        games,
        killed,
        took_ms,
        found: status["lastRestore"]["restored"].as_u64().context("a number")?,
    })
}

/// Waits until the projectors have caught up.
pub async fn settled(running: &Running) -> anyhow::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let status = status(running).await?;
        let projectors = status["projectors"].as_array().context("projectors")?;
        let caught_up = projectors.iter().all(|projector| projector["lag"] == 0);
        if caught_up && status["pendingPublishes"] == 0 {
            return Ok(());
        }
        ensure!(
            Instant::now() < deadline,
            "the projectors do not catch up: {status}"
        );
        sleep(Duration::from_millis(100)).await;
    }
}

async fn status(running: &Running) -> anyhow::Result<Value> {
    Ok(reqwest::get(running.status_url()).await?.json().await?)
}
