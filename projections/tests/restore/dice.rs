//! Games of dice chess whose process died around a throw.

use commands::decide::{Command, Context, Start, decide, event_time};
use commands::fold::fold;
use commands::games::Games;
use commands::ports::EventLog;
use commands::seed_gate::GATE_MS;
use contract::player::BySeat;
use contract::{
    CommandHash, Durability, Envelope, Event, EventId, GameId, GameKey, GameState, Kind, Millis, Origin,
    Spectators, TimeControl, WriterId,
};
use testkit::fixtures::{game_id, guest};
use testkit::seeds::{KEY_ID, seed_of};

use super::process::Process;
use super::stores::{PATIENCE, Stores};

const DEAD: WriterId = WriterId(0xdead);
const STARTED_AT: Millis = Millis(1_790_000_000_000);

/// What a process that is dead by now decided on.
struct Past {
    id: GameId,
    game: Option<GameState>,
    events: Vec<Envelope>,
}

impl Past {
    /// A game with its first dice.
    fn with_dice() -> Self {
        let mut past = Self {
            id: game_id(),
            game: None,
            events: Vec::new(),
        };
        let start = Start {
            kind: Kind::DiceChess,
            players: BySeat {
                player1: guest("Ayşe"),
                player2: guest("Bora"),
            },
            time_control: TimeControl::Unlimited,
            durability: Durability::BestEffort,
            origin: Origin::Queue,
            key_id: Some(KEY_ID.to_owned()),
            command: None,
        };
        past.run(&Command::Start(Box::new(start)), 0);
        past.run(&Command::GoOn, GATE_MS);
        past
    }

    fn run(&mut self, command: &Command, after_ms: i64) {
        let context = Context {
            now: STARTED_AT.plus(after_ms),
            ran_ms: 0,
            writer: DEAD,
            spectators: Spectators::default(),
            seed: Some(seed_of(self.id)),
        };
        let at = event_time(self.game.as_ref(), context.now);
        for event in decide(self.game.as_ref(), command, context).expect("it is allowed") {
            let version = self.game.as_ref().map_or(1, |game| game.version + 1);
            let envelope = Envelope {
                id: EventId::new(self.id, version, DEAD),
                kind: Kind::DiceChess,
                previd: self.game.as_ref().map(|game| game.last_event),
                time: at,
                traceparent: None,
                event,
            };
            self.game = Some(fold(self.game.take(), &envelope).expect("it follows"));
            self.events.push(envelope);
        }
    }

    fn game(&self) -> &GameState {
        self.game.as_ref().expect("it has started")
    }

    fn play(&mut self) {
        let game = self.game();
        let command = Command::Move {
            seat: game.to_move().expect("it goes on"),
            hash: CommandHash(7),
            position: game.position(),
            mv: game.state.legal_moves().swap_remove(0),
            offer_draw: false,
        };
        self.run(&command, GATE_MS + 1_000);
    }
}

/// The game's events in the log, as soon as one of the new process's own is the last.
async fn logged(stores: &Stores, id: GameId, name: &str) -> Vec<Envelope> {
    let kind = Kind::DiceChess;
    let log = stores.all.log();
    let read = async {
        loop {
            let entries = log.read_game(GameKey { kind, id }, 0).await.unwrap();
            let events: Vec<_> = entries
                .iter()
                .map(|entry| Envelope::from_bytes(&entry.bytes).expect("only events are written"))
                .collect();
            if events
                .last()
                .is_some_and(|last| last.event.name() == name && last.id.writer != DEAD)
            {
                return events;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, read)
        .await
        .expect("the log takes it")
}

#[tokio::test]
async fn dice_that_were_thrown_are_not_thrown_again() {
    let stores = Stores::open().await;
    let past = Past::with_dice();
    stores.append(&past.events).await;
    stores.project().await;
    let process = Process::start(&stores, stores.gated());
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!(report.restored, 1, "{report:?}");
    let live = process.games.live(past.id, None).expect("it is held");
    assert_eq!(live.dice, past.game().state.chance());
    let events = logged(&stores, past.id, "resumed").await;
    assert_eq!(events.len(), past.events.len() + 1);
}

#[tokio::test]
async fn dice_that_nobody_came_to_throw_are_thrown_by_who_takes_over_and_are_the_same() {
    let stores = Stores::open().await;
    let mut past = Past::with_dice();
    let before = past.events.len();
    past.play();
    // The log got the turn, and nothing of what followed from it.
    let turn = past.events[..=before].to_vec();
    assert_eq!(turn.last().map(|last| last.event.name()), Some("moved"));
    stores.append(&turn).await;
    stores.project().await;
    let process = Process::start(&stores, stores.gated());
    stores.restore(&process.games, stores.all.log(), DEAD).await;
    let events = logged(&stores, past.id, "rolled").await;
    let dice = |events: &[Envelope]| {
        let thrown = events.iter().filter_map(|envelope| match &envelope.event {
            Event::Rolled(rolled) => Some((rolled.index, rolled.dice.clone())),
            _ => None,
        });
        thrown.collect::<Vec<_>>()
    };
    assert_eq!(dice(&events), dice(&past.events));
    assert_eq!(events[turn.len()].event.name(), "resumed");
    let live = process.games.live(past.id, None).expect("it is held");
    assert_eq!(live.dice, past.game().state.chance());
}
