//! An app over games that do as they are told, for tests of the edge alone.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use commands::fold::fold;
use commands::games::{
    Accepted, CommandError, ConnectionId, Encoded, Games, Invitation, Listener, PlayerCommand, Push, Role,
    Sought, Watching,
};
use commands::ports::{Clock, Monotonic, Unavailable};
use commands::view::{LiveContext, Unlisted, live_game, live_summary};
use contract::api::PopularGames;
use contract::event::Started;
use contract::frames::ServerFrame;
use contract::player::BySeat;
use contract::view::{FinishedGameSummary, GameView, LiveGame, LiveGameSummary};
use contract::{
    ClientId, Envelope, Event, EventId, GameId, GameState, Kind, Millis, Origin, PlayerSummary, Position,
    Spectators, State, TimeControl, UserId, WriterId,
};
use uuid::Uuid;

use super::{App, Served};
use crate::auth::Auth;
use crate::auth::secret::Secret;
use crate::config::{Config, tests_support::config};
use crate::http::listing::Listings;
use crate::limits::Limits;
use crate::ports::{LiveList, Reads, Status};

/// When tests begin.
pub(crate) const START: i64 = 1_700_000_000_000;

/// The game that is held here.
pub(crate) fn held() -> GameId {
    GameId(Uuid::from_u128(0x0194_f000_0000_7000_8000_0000_0000_0001))
}

/// A game that another process holds.
pub(crate) fn elsewhere() -> GameId {
    GameId(Uuid::from_u128(0x0194_f000_0000_7000_8000_0000_0000_0002))
}

/// A game that just began between `player1` and somebody else.
pub(crate) fn game(id: GameId, player1: &str) -> GameState {
    let player = |id: &str| PlayerSummary {
        user_id: UserId::new(id),
        name: None,
        is_guest: true,
    };
    let started = Started {
        players: BySeat {
            player1: player(player1),
            player2: player("guest:2"),
        },
        rules: "mangala".into(),
        rules_version: 1,
        time_control: TimeControl::Unlimited,
        durability: contract::Durability::BestEffort,
        origin: Origin::Invitation,
        rated: false,
        key_id: None,
        commit: None,
        state: State::initial(Kind::Mancala),
        clocks: None,
        command: None,
        spectators: Spectators::default(),
    };
    let envelope = Envelope {
        id: EventId::new(id, 1, WriterId(1)),
        kind: Kind::Mancala,
        previd: None,
        time: Millis(START),
        traceparent: None,
        event: Event::Started(Box::new(started)),
    };
    fold(None, &envelope).expect("a game starts with `started`")
}

fn live(id: GameId, player1: &str) -> LiveGame {
    live_game(&game(id, player1), LiveContext::default(), None).expect("it has no moves")
}

/// Games that do as they are told.
pub(crate) struct ToldGames {
    pub(crate) role: Mutex<Role>,
    pub(crate) active: Mutex<Option<GameId>>,
    pub(crate) player1: Mutex<String>,
    pub(crate) outcomes: Mutex<VecDeque<CommandError>>,
    pub(crate) stuck: Mutex<bool>,
    pub(crate) commands: Mutex<Vec<(UserId, PlayerCommand)>>,
    pub(crate) joins: Mutex<Vec<Invitation>>,
    pub(crate) open: Mutex<HashMap<ConnectionId, Arc<dyn Listener>>>,
    next: AtomicU64,
}

impl ToldGames {
    fn outcome(&self, game: GameId) -> Result<Accepted, CommandError> {
        let position = Position {
            version: 2,
            writer: WriterId(1),
        };
        let accepted = Accepted {
            game,
            version: 2,
            position,
            durable: true,
            durable_version: 2,
        };
        self.outcomes
            .lock()
            .expect("no test panics with it")
            .pop_front()
            .map_or(Ok(accepted), Err)
    }

    /// Pushes to every connection.
    pub(crate) fn push(&self, push: &Push) {
        for listener in self.open.lock().expect("no test panics with it").values() {
            listener.push(push.clone());
        }
    }
}

#[async_trait]
impl Games for ToldGames {
    fn role(&self) -> Role {
        self.role.lock().expect("no test panics with it").clone()
    }

    fn now(&self) -> Millis {
        Millis(START)
    }

    fn connect(&self, _: Option<&PlayerSummary>, listener: Arc<dyn Listener>) -> ConnectionId {
        let id = ConnectionId(self.next.fetch_add(1, Ordering::SeqCst));
        self.open
            .lock()
            .expect("no test panics with it")
            .insert(id, listener);
        id
    }

    fn disconnect(&self, connection: ConnectionId) {
        self.open
            .lock()
            .expect("no test panics with it")
            .remove(&connection);
    }

    async fn command(
        &self,
        game: GameId,
        user: &PlayerSummary,
        command: PlayerCommand,
    ) -> Result<Accepted, CommandError> {
        if *self.stuck.lock().expect("no test panics with it") {
            std::future::pending::<()>().await;
        }
        self.commands
            .lock()
            .expect("no test panics with it")
            .push((user.user_id.clone(), command));
        self.outcome(game)
    }

    async fn join(
        &self,
        invitation: Invitation,
        _: &PlayerSummary,
        _: Option<ClientId>,
    ) -> Result<Accepted, CommandError> {
        let game = invitation.game;
        self.joins
            .lock()
            .expect("no test panics with it")
            .push(invitation);
        self.outcome(game)
    }

    async fn seek(&self, _: &PlayerSummary, _: Kind, _: TimeControl) -> Result<Sought, CommandError> {
        self.outcome(held()).map(|_| Sought::Waiting)
    }

    fn cancel_seek(&self, _: &UserId) {}

    async fn watch(
        &self,
        connection: ConnectionId,
        game: GameId,
        _: Option<Position>,
    ) -> Result<Watching, CommandError> {
        if game != held() {
            return Ok(Watching::NotHere);
        }
        let live = live(game, &self.player1.lock().expect("no test panics with it"));
        let at = live.position;
        let frame = Encoded::at(ServerFrame::OnGameStart(Box::new(live)), game, at);
        let open = self.open.lock().expect("no test panics with it");
        open[&connection].push(Push::Frame(frame));
        Ok(Watching::Here)
    }

    fn unwatch(&self, _: ConnectionId, _: GameId) {}

    fn live(&self, id: GameId, _: Option<&UserId>) -> Option<LiveGame> {
        (id == held()).then(|| live(id, &self.player1.lock().expect("no test panics with it")))
    }

    fn just_finished(&self, _: GameId) -> Option<contract::FinishedGame> {
        None
    }

    fn just_finished_games(&self, _: Option<&UserId>) -> Vec<contract::view::FinishedGameSummary> {
        Vec::new()
    }

    fn legal_moves(&self, id: GameId) -> Option<Unlisted> {
        (id == held()).then(|| Unlisted::of(&game(id, "guest:1")))
    }

    fn active_game(&self, _: &UserId) -> Option<LiveGameSummary> {
        let active = *self.active.lock().expect("no test panics with it");
        active.map(|id| live_summary(&game(id, "guest:1"), 0))
    }
}

struct ToldReads(Arc<ToldGames>);

#[async_trait]
impl Reads for ToldReads {
    async fn game(&self, id: GameId, _: Option<&UserId>) -> Result<Option<GameView>, Unavailable> {
        let known = id == held() || id == elsewhere();
        let player1 = self.0.player1.lock().expect("no test panics with it").clone();
        Ok(known.then(|| GameView::Live(Box::new(live(id, &player1)))))
    }

    async fn recent(&self, _: &UserId, _: u32, _: Option<(Millis, GameId)>) -> Vec<FinishedGameSummary> {
        Vec::new()
    }

    async fn popular(&self, _: u32) -> PopularGames {
        PopularGames::Finished(Vec::new())
    }
}

impl LiveList for ToldGames {
    fn active(&self, _: &UserId) -> Option<LiveGameSummary> {
        None
    }

    fn subscribe(&self, _: ConnectionId, _: Option<UserId>, _: Arc<dyn Listener>) {}

    fn unsubscribe(&self, _: ConnectionId) {}
}

#[async_trait]
impl Status for ToldGames {
    async fn status(&self) -> serde_json::Value {
        serde_json::json!({"role": "active"})
    }
}

/// A clock that moves only when told.
pub(crate) struct ToldClock(pub(crate) AtomicI64);

impl ToldClock {
    pub(crate) fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for ToldClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Monotonic {
        Monotonic(self.0.load(Ordering::SeqCst))
    }

    async fn sleep(&self, _: u64) {
        std::future::pending::<()>().await;
    }
}

/// An app, and what tells its parts.
pub(crate) struct Told {
    pub(crate) app: Arc<App>,
    pub(crate) games: Arc<ToldGames>,
    pub(crate) clock: Arc<ToldClock>,
}

/// An app with all settings at their defaults.
pub(crate) fn app() -> Told {
    app_with(|_| {})
}

/// An app with other settings.
pub(crate) fn app_with(change: impl FnOnce(&mut Config)) -> Told {
    let mut config = config();
    change(&mut config);
    let games = Arc::new(ToldGames {
        role: Mutex::new(Role::Active),
        active: Mutex::default(),
        player1: Mutex::new("guest:1".to_owned()),
        outcomes: Mutex::default(),
        stuck: Mutex::default(),
        commands: Mutex::default(),
        joins: Mutex::default(),
        open: Mutex::default(),
        next: AtomicU64::new(1),
    });
    let clock = Arc::new(ToldClock(AtomicI64::new(START)));
    let secret = Secret::parse(&format!("k:{}", "5a".repeat(32))).expect("one good key");
    let app = App {
        games: games.clone(),
        reads: Arc::new(ToldReads(games.clone())),
        live_list: games.clone(),
        status: games.clone(),
        clock: clock.clone(),
        auth: Auth::new(
            Arc::new(secret),
            None,
            config.identity.legacy_userkey_auth,
            clock.clone(),
        ),
        limits: Limits::new(config.limits),
        listings: Listings::default(),
        sign_in: config.identity.sign_in(),
        edge: config.edge,
        served: vec![Served {
            port: "event log",
            adapter: "none",
        }],
        metrics: Arc::default(),
        tasks: tokio_util::task::TaskTracker::new(),
        closing: tokio_util::sync::CancellationToken::new(),
    };
    Told {
        app: Arc::new(app),
        games,
        clock,
    }
}
