//! Plays games against one server, and prints a report as one line of JSON.

use clap::Parser;
use turnstream_loadgen::mode::Run;
use turnstream_loadgen::peer::Peer;
use turnstream_loadgen::peer::boardgame_io::BoardgameIo;
use turnstream_loadgen::peer::colyseus::Colyseus;
use turnstream_loadgen::peer::floor::Floor;
use turnstream_loadgen::peer::turnstream::Turnstream;
use turnstream_loadgen::plan::{Mode, PeerName, Plan};
use turnstream_loadgen::report::Report;

// One thread: it has one processor, and the server the other.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let plan = Plan::parse();
    plan.check()?;
    let report = match plan.peer {
        PeerName::Turnstream => on_turnstream(Turnstream::new(plan.at), plan).await?,
        PeerName::Floor => on(Floor::new(plan.at), plan).await?,
        PeerName::Colyseus => on(Colyseus::new(plan.at), plan).await?,
        PeerName::BoardgameIo => on(BoardgameIo::new(plan.at), plan).await?,
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

async fn on_turnstream(peer: Turnstream, plan: Plan) -> anyhow::Result<Report> {
    if matches!(plan.mode, Mode::Storm) {
        return Run::new(peer, plan).storm().await;
    }
    on(peer, plan).await
}

async fn on<P: Peer>(peer: P, plan: Plan) -> anyhow::Result<Report> {
    let mode = plan.mode.clone();
    let run = Run::new(peer, plan);
    match mode {
        Mode::Saturate => run.play(false).await,
        Mode::Paced => run.play(true).await,
        Mode::Idle => run.idle().await,
        Mode::FanOut(fan_out) => run.fan_out(&fan_out).await,
        Mode::Storm => anyhow::bail!("only turnstream gives back what was missed"),
        Mode::Leave(leave) => run.leave(&leave).await,
    }
}
