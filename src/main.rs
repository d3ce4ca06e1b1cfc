//! The binary: reads its settings, runs what it was told to, and says why it ended.

// They panic when nobody reads: see `turnstream::said`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use turnstream::cli::{Cli, Command, Healthcheck, VerifyDice};
use turnstream::config::{Config, LogConfig, TracesConfig};
use turnstream::operator::Verdict;
use turnstream::project::ProjectConfig;
use turnstream::system_clock::SystemClock;
use turnstream::{
    asyncapi, documents, events, openapi, operator, said, server, service, telemetry, verify_dice,
};

fn main() -> ExitCode {
    match start(Cli::parse().into_command()) {
        Ok(code) => code,
        Err(error) => {
            said::complain(format_args!("turnstream: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn start(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve(config) => {
            let (logging, traces) = (config.logging.clone(), config.traces.clone());
            return runtime()?.block_on(logged(&logging, Some(&traces), serve(*config)));
        }
        Command::Project(config) => {
            let logging = config.logging.clone();
            return runtime()?.block_on(logged(&logging, None, project(*config)));
        }
        Command::Status(command) => return ask(operator::status::run(&command)),
        Command::Rebuild(command) => return ask(operator::rebuild::run(&command)),
        Command::Verify(command) => return ask(operator::verify::run(&command)),
        Command::DeadLetters(command) => return ask(operator::dead_letters::run(&command)),
        Command::Erase(command) => return ask(operator::erase::run(&command)),
        Command::Events(command) => return ask(events::run(&command)),
        Command::Healthcheck(check) => runtime()?.block_on(healthcheck(&check))?,
        Command::VerifyDice(asked) => return ask(judge_dice(&asked)),
        Command::Openapi => print(&openapi::document())?,
        Command::Asyncapi => print(&asyncapi::document())?,
        Command::Documents { directory } => documents::write(&directory)
            .with_context(|| format!("cannot write into {}", directory.display()))?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn judge_dice(asked: &VerifyDice) -> anyhow::Result<Verdict> {
    let judgement = verify_dice::run(asked).await?;
    said::print(&judgement)?;
    Ok(judgement.into())
}

/// Does what ends by itself or with its caller, and says by its code what came of it.
fn ask(command: impl Future<Output = anyhow::Result<Verdict>>) -> anyhow::Result<ExitCode> {
    let runtime = runtime()?;
    let verdict = runtime.block_on(command).unwrap_or_else(|error| {
        said::complain(format_args!("turnstream: {error:#}"));
        Verdict::Failed
    });
    // Not waiting for what was being printed: its reader may be gone.
    runtime.shutdown_background();
    Ok(verdict.into())
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime does not start")
}

fn print(document: &serde_json::Value) -> anyhow::Result<()> {
    said::print(serde_json::to_string_pretty(document)?)?;
    Ok(())
}

/// Does `work` that logs. Why it failed is said in a line like every other one.
async fn logged(
    logging: &LogConfig,
    traces: Option<&TracesConfig>,
    work: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<ExitCode> {
    let telemetry = telemetry::start(logging, traces)?;
    let done = work.await;
    if let Err(error) = &done {
        tracing::error!("turnstream: {error:#}");
    }
    telemetry.end().await;
    Ok(if done.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn serve(config: Config) -> anyhow::Result<()> {
    server::open_files::raise();
    let players = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("cannot listen on {}", config.listen))?;
    let operators = TcpListener::bind(config.admin_listen)
        .await
        .with_context(|| format!("cannot listen on {}", config.admin_listen))?;
    let shutdown = CancellationToken::new();
    let clock = Arc::new(SystemClock::default());
    let run = Box::pin(service::run(config, clock, players, operators, shutdown.clone()));
    until_signalled(run, shutdown).await
}

async fn project(config: ProjectConfig) -> anyhow::Result<()> {
    let operators = TcpListener::bind(config.admin_listen)
        .await
        .with_context(|| format!("cannot listen on {}", config.admin_listen))?;
    let shutdown = CancellationToken::new();
    let clock = Arc::new(SystemClock::default());
    let run = Box::pin(turnstream::project::run(
        &config,
        clock,
        operators,
        shutdown.clone(),
    ));
    until_signalled(run, shutdown).await
}

/// Runs until it ends by itself or is told to.
async fn until_signalled(
    mut run: Pin<Box<impl Future<Output = anyhow::Result<()>>>>,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    tokio::select! {
        done = &mut run => return done,
        signal = signal() => signal?,
    }
    shutdown.cancel();
    // The first signal drains, the second cuts.
    tokio::select! {
        done = &mut run => done,
        signal = signal() => {
            signal?;
            anyhow::bail!("stopped before everything was written")
        }
    }
}

async fn signal() -> anyhow::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        interrupted = tokio::signal::ctrl_c() => interrupted.context("signals cannot be heard"),
    }
}

async fn healthcheck(check: &Healthcheck) -> anyhow::Result<()> {
    let client = reqwest::Client::builder()
        // It asks this machine, whatever proxy leads elsewhere.
        .no_proxy()
        .timeout(Duration::from_secs(3))
        .build()?;
    client.get(&check.url).send().await?.error_for_status()?;
    Ok(())
}
