//! A process that holds games.

use std::sync::Arc;

use commands::games::{Accepted, Games, Invitation, PlayerCommand, Role};
use commands::live::{Limits, LiveGames, Parts};
use commands::ports::EventLog;
use contract::view::LiveGame;
use contract::{Durability, GameId, Kind, Move, PlayerSummary, Seat, TimeControl, WriterId};
use testkit::fixtures::{game_id, guest, writer};
use tokio::task::JoinHandle;

use super::stores::Stores;

pub struct Process {
    pub games: LiveGames,
    pub writer: WriterId,
    running: JoinHandle<Result<(), &'static str>>,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// A game and who plays it.
pub struct Table {
    pub game: GameId,
    pub players: [PlayerSummary; 2],
}

impl Process {
    /// One that takes commands.
    pub fn start(stores: &Stores, log: Arc<dyn EventLog>) -> Self {
        let writer = writer();
        let games = LiveGames::new(Parts {
            writer,
            clock: stores.clock.clone(),
            log,
            pending: stores.all.pending(),
            seeds: Arc::new(testkit::seeds::KnownSeeds),
            committed: Arc::default(),
            observers: Vec::new(),
            limits: Limits::default(),
            new_game_id: Box::new(game_id),
        });
        games.set_role(Role::Active);
        let running = run(games.clone());
        Self {
            games,
            writer,
            running,
        }
    }

    /// Two players in a game.
    pub async fn table(&self) -> Table {
        let players = [guest("Ayşe"), guest("Bora")];
        let invitation = Invitation {
            game: game_id(),
            kind: Kind::Mancala,
            time_control: TimeControl::Unlimited,
            durability: Durability::BestEffort,
            host: players[0].clone(),
            host_seat: Seat::Player1,
            key_id: "k1".to_owned(),
        };
        let joined = self.games.join(invitation, &players[1], None).await.unwrap();
        Table {
            game: joined.game,
            players,
        }
    }

    /// The game as it is shown.
    pub fn live(&self, table: &Table) -> LiveGame {
        self.games.live(table.game, None).expect("the game is held here")
    }

    /// Whoever is to move plays this.
    pub async fn play(&self, table: &Table, mv: &Move) -> Accepted {
        let live = self.live(table);
        let to_move = live.summary.turn_player_id.as_ref();
        let player = table
            .players
            .iter()
            .find(|player| to_move == Some(&player.user_id));
        let command = PlayerCommand::Move {
            id: format!("m{}", live.version).parse().expect("it is short"),
            position: live.position,
            mv: mv.clone(),
            offer_draw: false,
        };
        let player = player.expect("somebody is to move");
        self.games.command(table.game, player, command).await.unwrap()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test has no tracker; the process aborts the task when it is dropped"
)]
fn run(games: LiveGames) -> JoinHandle<Result<(), &'static str>> {
    tokio::spawn(async move { games.run().await })
}
