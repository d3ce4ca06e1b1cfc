//! What a run is told, and its bounds.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::ensure;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// A process has 20,000 file descriptors, and a game takes two.
pub const MOST_GAMES: usize = 9_000;
/// Games that are left without sockets.
pub const MOST_SOCKETLESS: usize = 200_000;
const MOST_SECONDS: u64 = 600;

/// Plays games against a server on this machine and reports, as JSON, how it did.
#[derive(Debug, Clone, Parser)]
pub struct Plan {
    /// Which server it is.
    #[arg(long, value_enum)]
    pub peer: PeerName,
    /// Where it listens.
    #[arg(long, value_name = "ADDRESS")]
    pub at: SocketAddr,
    /// Its process id.
    #[arg(long, value_name = "PID")]
    pub server: u32,
    /// A server behind it, whose CPU time is told apart, with its children's. May be given more than once.
    #[arg(long = "behind", value_name = "NAME=PID", value_parser = behind)]
    pub behind: Vec<(String, u32)>,
    /// How many games at once.
    #[arg(long, default_value_t = 64, value_name = "N")]
    pub games: usize,
    /// How long to measure.
    #[arg(long, default_value_t = 10, value_name = "S")]
    pub seconds: u64,
    /// How long to play before measuring.
    #[arg(long, default_value_t = 2, value_name = "S")]
    pub warm_up: u64,
    /// What is played; the same number, the same games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Which load.
    #[command(subcommand)]
    pub mode: Mode,
}

/// The servers that it can speak to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PeerName {
    /// turnstream.
    Turnstream,
    /// The relay without rules.
    Floor,
    /// Colyseus.
    Colyseus,
    /// boardgame.io.
    BoardgameIo,
}

/// The loads.
#[derive(Debug, Clone, Subcommand)]
pub enum Mode {
    /// Every game's next move as soon as both players have the last one.
    Saturate,
    /// Each game a move a second.
    Paced,
    /// Games that were begun, and nobody moves.
    Idle,
    /// One game and many who watch it.
    FanOut(FanOut),
    /// All players lose their sockets at once and come back at once.
    Storm,
    /// Games that were begun and whose players left, for a restart to find.
    Leave(Leave),
}

/// How many watch.
#[derive(Debug, Clone, Args)]
pub struct FanOut {
    /// Those who read.
    #[arg(long, default_value_t = 5_000, value_name = "N")]
    pub spectators: usize,
    /// Those who never do.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub deaf: usize,
    /// Moves a second.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub rate: u32,
}

/// How far the games go.
#[derive(Debug, Clone, Args)]
pub struct Leave {
    /// Moves in each.
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub moves: usize,
    /// Say that all is prepared, and keep the sockets until interrupted.
    #[arg(long)]
    pub stay: bool,
}

impl Plan {
    /// Whether it stays within its bounds.
    ///
    /// # Errors
    /// Says which one it does not keep.
    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.at.ip().is_loopback(),
            "only servers on this machine: {}",
            self.at
        );
        let most = match self.mode {
            Mode::Leave(Leave { stay: false, .. }) => MOST_SOCKETLESS,
            _ => MOST_GAMES,
        };
        ensure!(
            (1..=most).contains(&self.games),
            "from 1 to {most} games, not {}",
            self.games
        );
        ensure!(
            (1..=MOST_SECONDS).contains(&self.seconds) && self.warm_up <= MOST_SECONDS,
            "at most {MOST_SECONDS} s"
        );
        if let Mode::FanOut(fan_out) = &self.mode {
            let sockets = fan_out.spectators + fan_out.deaf;
            ensure!(sockets <= 2 * MOST_GAMES, "too many sockets: {sockets}");
            ensure!(fan_out.rate > 0, "a game has to move");
        }
        Ok(())
    }

    /// How long to measure.
    pub fn measured(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// How long to play before that.
    pub fn warming(&self) -> Duration {
        Duration::from_secs(self.warm_up)
    }
}

fn behind(text: &str) -> Result<(String, u32), String> {
    let (name, pid) = text.split_once('=').ok_or("NAME=PID")?;
    let pid = pid.parse().map_err(|error| format!("{pid}: {error}"))?;
    Ok((name.to_owned(), pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(more: &[&str]) -> anyhow::Result<()> {
        let few = ["loadgen", "--peer=floor", "--server=1"];
        Plan::try_parse_from(few.iter().chain(more))?.check()
    }

    #[test]
    fn only_this_machine_is_loaded() {
        assert!(plan(&["--at=127.0.0.1:1", "idle"]).is_ok());
        assert!(plan(&["--at=192.0.2.1:1", "idle"]).is_err());
    }

    #[test]
    fn more_games_than_file_descriptors_only_without_sockets() {
        assert!(plan(&["--at=127.0.0.1:1", "--games=9001", "idle"]).is_err());
        assert!(plan(&["--at=127.0.0.1:1", "--games=100000", "leave"]).is_ok());
        assert!(plan(&["--at=127.0.0.1:1", "--games=100000", "leave", "--stay"]).is_err());
    }
}
