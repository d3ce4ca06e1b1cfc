//! A running write side, and what tests do with it all the time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use commands::fold::refold;
use commands::games::{Accepted, CommandError, ConnectionId, Games, Invitation, PlayerCommand, Role, Sought};
use commands::live::{Limits, LiveGames, Parts};
use commands::ports::{Clock, EventLog, PendingGame, PendingStore};
use contract::view::LiveGame;
use contract::{
    ClientId, Durability, Envelope, GameId, GameKey, GameState, Kind, Millis, Move, PlayerSummary, Position,
    Seat, TimeControl, UserId, WriterId,
};
use embedded::{Embedded, EmbeddedConfig};
use rules::mancala;
use testkit::clock::FakeClock;
use testkit::fixtures::{game_id, writer};
use testkit::gated_log::GatedLog;
use tokio::task::JoinHandle;
use turnstream_commands as commands;

use crate::ears::{Ear, PATIENCE};
use crate::measured::Recorded;

/// The clock is moved by at most this, so that a jump is no stall.
pub const STEP_MS: u64 = 500;

/// As long as a silent log keeps a caller: longer than a command waits for its answer.
const SILENCE: Duration = Duration::from_millis(400);

/// One process that holds games.
pub struct Service {
    pub games: LiveGames,
    pub log: Arc<GatedLog>,
    pub clock: Arc<FakeClock>,
    pub writer: WriterId,
    pub embedded: Embedded,
    pub meter: Arc<Recorded>,
    running: JoinHandle<Result<(), &'static str>>,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// A user with an open socket.
pub struct Person {
    pub user: PlayerSummary,
    pub ear: Arc<Ear>,
    pub connection: ConnectionId,
}

/// A user without a connection.
pub fn user(name: &str) -> PlayerSummary {
    PlayerSummary {
        user_id: UserId::new(format!("guest:{name}")),
        name: Some(name.to_owned()),
        is_guest: true,
    }
}

/// A client's command id.
pub fn client(id: &str) -> ClientId {
    id.parse().expect("it is short")
}

/// A pit to take.
pub fn pit(index: u8) -> Move {
    mancala::Move(index).into()
}

impl Service {
    /// An active service on an empty log.
    pub async fn start() -> Self {
        Self::with(Limits::default()).await
    }

    /// The same with other limits.
    pub async fn with(limits: Limits) -> Self {
        Self::with_pending(limits, |pending| pending).await
    }

    /// The same with something before the pending store.
    pub async fn with_pending(
        limits: Limits,
        before: impl FnOnce(Arc<dyn PendingStore>) -> Arc<dyn PendingStore>,
    ) -> Self {
        Self::with_ports(limits, before, |clock| clock).await
    }

    /// The same with something before the clock, too.
    pub async fn with_ports(
        limits: Limits,
        before_pending: impl FnOnce(Arc<dyn PendingStore>) -> Arc<dyn PendingStore>,
        before_clock: impl FnOnce(Arc<dyn Clock>) -> Arc<dyn Clock>,
    ) -> Self {
        let clock = FakeClock::at(Millis(1_790_000_000_000));
        let embedded = Embedded::open(EmbeddedConfig::default(), clock.clone())
            .await
            .expect("memory can be used");
        let log = GatedLog::new(embedded.log(), SILENCE);
        let writer = writer();
        let meter = Arc::new(Recorded::default());
        let parts = Parts {
            writer,
            clock: before_clock(clock.clone()),
            log: log.clone(),
            pending: before_pending(embedded.pending()),
            seeds: Arc::new(testkit::seeds::KnownSeeds),
            committed: Arc::default(),
            observers: Vec::new(),
            limits,
            new_game_id: Box::new(game_id),
        };
        let games = LiveGames::measured_by(meter.clone(), parts);
        games.set_role(Role::Active);
        let running = run(games.clone());
        log.until_calls(|calls| calls.links > 0).await;
        clock.until_sleeping(3).await;
        Self {
            games,
            log,
            clock,
            writer,
            embedded,
            meter,
            running,
        }
    }

    /// A user opens a socket.
    pub fn connect(&self, name: &str) -> Person {
        let ear = Ear::socket();
        let user = user(name);
        let connection = self.games.connect(Some(&user), ear.clone());
        Person {
            user,
            ear,
            connection,
        }
    }

    /// Somebody asks for a game without a clock.
    pub async fn seek(&self, person: &PlayerSummary) -> Result<Sought, CommandError> {
        self.seek_with(person, TimeControl::Unlimited).await
    }

    /// Somebody asks for a game with this time control.
    pub async fn seek_with(
        &self,
        person: &PlayerSummary,
        control: TimeControl,
    ) -> Result<Sought, CommandError> {
        self.games.seek(person, Kind::Mancala, control).await
    }

    /// Two users with sockets in a game from the queue; the first one begins.
    pub async fn pair(&self, first: &str, second: &str) -> (GameId, Person, Person) {
        self.pair_with(first, second, TimeControl::Unlimited).await
    }

    /// The same with a clock.
    pub async fn pair_with(
        &self,
        first: &str,
        second: &str,
        control: TimeControl,
    ) -> (GameId, Person, Person) {
        let (first, second) = (self.connect(first), self.connect(second));
        assert_eq!(
            self.seek_with(&first.user, control).await.unwrap(),
            Sought::Waiting
        );
        let Sought::Paired(game) = self.seek_with(&second.user, control).await.unwrap() else {
            panic!("the first one waits");
        };
        (game, first, second)
    }

    /// Two users with sockets in a game from an invitation.
    pub async fn invite(&self, durability: Durability) -> (GameId, Person, Person) {
        let (host, guest) = (self.connect("host"), self.connect("guest"));
        let invitation = invitation(&host.user, durability);
        let joined = self
            .games
            .join(invitation, &guest.user, Some(client("join")))
            .await
            .unwrap();
        (joined.game, host, guest)
    }

    /// The live game.
    pub fn live(&self, game: GameId) -> LiveGame {
        self.games.live(game, None).expect("the game is live")
    }

    /// A move from the position that is shown.
    pub async fn play(
        &self,
        game: GameId,
        person: &PlayerSummary,
        id: &str,
        index: u8,
    ) -> Result<Accepted, CommandError> {
        let position = self.live(game).position;
        self.play_from(game, person, id, index, position).await
    }

    /// A move decided on at `position`.
    pub async fn play_from(
        &self,
        game: GameId,
        person: &PlayerSummary,
        id: &str,
        index: u8,
        position: Position,
    ) -> Result<Accepted, CommandError> {
        let command = PlayerCommand::Move {
            id: client(id),
            position,
            mv: pit(index),
            offer_draw: false,
        };
        self.games.command(game, person, command).await
    }

    /// A player leaves.
    pub async fn leave(&self, game: GameId, person: &PlayerSummary) -> Result<Accepted, CommandError> {
        let command = PlayerCommand::Leave { id: client("leave") };
        self.games.command(game, person, command).await
    }

    /// The game's events as they are in the log.
    pub async fn logged(&self, game: GameId) -> Vec<Envelope> {
        let entries = self.embedded.log().read_game(key(game), 0).await.unwrap();
        let envelope = |bytes: &[u8]| Envelope::from_bytes(bytes).expect("only events are written");
        entries.iter().map(|entry| envelope(&entry.bytes)).collect()
    }

    /// The names of the game's events in the log.
    pub async fn logged_names(&self, game: GameId) -> Vec<&'static str> {
        let logged = self.logged(game).await;
        logged.iter().map(|envelope| envelope.event.name()).collect()
    }

    /// Waits until the log has so many events of the game.
    pub async fn until_logged(&self, game: GameId, count: usize) {
        let logged = async {
            while self.logged(game).await.len() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, logged)
            .await
            .expect("the log takes them");
    }

    /// What the log says the game is.
    pub async fn folded(&self, game: GameId) -> GameState {
        refold(&self.logged(game).await)
            .expect("there is no hole")
            .expect("there is a game")
    }

    /// What waits in the pending store for the game.
    pub async fn pending(&self, game: GameId) -> Option<PendingGame> {
        let all = self.embedded.pending().load().await.unwrap();
        all.into_iter().find(|pending| pending.key.id == game)
    }

    /// Waits until what waits there is as `wanted`.
    pub async fn until_pending(&self, game: GameId, wanted: impl Fn(Option<&PendingGame>) -> bool) {
        let waiting = async {
            while !wanted(self.pending(game).await.as_ref()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting)
            .await
            .expect("the pending store is brought up to date");
    }

    /// Waits until the log has `version` of the game.
    pub async fn until_durable(&self, game: GameId, version: u64) {
        let durable = async {
            while self.live(game).durable_version < version {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, durable)
            .await
            .expect("the log takes it");
    }

    /// Waits until the game has ended, and the log has that.
    pub async fn until_ended(&self, game: GameId) {
        let ended = async {
            while self.logged_names(game).await.last() != Some(&"ended") {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, ended).await.expect("it ends");
    }

    /// Time passes, step by step.
    pub async fn pass(&self, ms: u64) {
        let mut left = ms;
        while left > 0 {
            let step = left.min(STEP_MS);
            left -= step;
            self.clock.advance(step);
            self.settle().await;
        }
    }

    /// Lets the background tasks do what they were woken for.
    pub async fn settle(&self) {
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
        self.clock.until_sleeping(3).await;
    }

    /// How often a game was fenced.
    pub fn fenced(&self) -> u64 {
        self.games.counters().fenced.load(Ordering::Relaxed)
    }

    /// The time.
    pub fn now(&self) -> Millis {
        self.clock.now()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test has no tracker; the service aborts the task when it is dropped"
)]
fn run(games: LiveGames) -> JoinHandle<Result<(), &'static str>> {
    tokio::spawn(async move { games.run().await })
}

/// An invitation by `host`, who begins.
pub fn invitation(host: &PlayerSummary, durability: Durability) -> Invitation {
    Invitation {
        game: game_id(),
        kind: Kind::Mancala,
        time_control: TimeControl::Unlimited,
        durability,
        host: host.clone(),
        host_seat: Seat::Player1,
        key_id: "k1".to_owned(),
    }
}

/// A mancala game's key.
pub fn key(game: GameId) -> GameKey {
    GameKey {
        kind: Kind::Mancala,
        id: game,
    }
}
