//! What outlives a process: a log with a gate before it, and stores.

use std::sync::Arc;
use std::time::Duration;

use commands::live::LiveGames;
use commands::ports::{EventLog, PendingGame, PendingItem, PendingStore};
use contract::{Envelope, EventId, GameId, GameKey, Kind, Millis, Seq, WriterId};
use embedded::{Embedded, EmbeddedConfig};
use projections::catch_up::{CatchUp, Progress};
use projections::live::{LiveParts, LiveProjector, Target};
use projections::restore::{Report, RestoreParts, restore};
use testkit::clock::FakeClock;
use testkit::fixtures::outgoing;
use testkit::gated_log::GatedLog;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Stores {
    pub all: Embedded,
    pub clock: Arc<FakeClock>,
}

impl Stores {
    pub async fn open() -> Self {
        let clock = FakeClock::at(Millis(1_790_000_000_000));
        let all = Embedded::open(EmbeddedConfig::default(), clock.clone())
            .await
            .expect("memory can be used");
        Self { all, clock }
    }

    /// The log as one process reaches it.
    pub fn gated(&self) -> Arc<GatedLog> {
        GatedLog::new(self.all.log(), Duration::from_millis(400))
    }

    /// A new log beside these stores, as if the old one had lost everything.
    pub fn with_log_of(&self, other: &Self, games: &LiveGames, log: Arc<dyn EventLog>) -> RestoreParts {
        RestoreParts {
            games: games.clone(),
            log,
            reader: other.all.reader(),
            live: self.all.live(),
            pending: self.all.pending(),
            dead_letters: self.all.dead_letters(),
            clock: self.clock.clone(),
        }
    }

    /// Events of one game, behind what the log has of it.
    pub async fn append(&self, events: &[Envelope]) {
        let log = self.all.log();
        for event in events {
            let last = log.last(event.key()).await.unwrap();
            let expected: Seq = last.map_or(0, |last| last.seq);
            log.append(&outgoing(event), expected).await.unwrap();
        }
    }

    /// Projects the log into the live store, to its end.
    pub async fn project(&self) {
        let progress = Arc::new(Progress::new(projections::live::NAME));
        let projection = LiveProjector::new(LiveParts {
            store: self.all.live(),
            history: self.all.history(),
            log: self.all.log(),
            reader: self.all.reader(),
            dead_letters: self.all.dead_letters(),
            token: WriterId(0xf01d),
            target: Target::Current,
            progress: progress.clone(),
        });
        let catch_up = CatchUp {
            projection,
            log: self.all.log(),
            reader: self.all.reader(),
            clock: self.clock.clone(),
            progress: progress.clone(),
        };
        let end = self.all.log().info().await.unwrap().last;
        let mut status = progress.subscribe();
        let cancel = CancellationToken::new();
        let reached = async {
            status
                .wait_for(|status| status.checkpoint == Some(end))
                .await
                .expect("the projector keeps its progress");
            cancel.cancel();
        };
        tokio::time::timeout(PATIENCE, async {
            tokio::join!(reached, catch_up.run(cancel.clone()))
        })
        .await
        .expect("the projector comes to the log's end");
    }

    /// Copies events that wait, as their writer does.
    pub async fn copy(&self, writer: WriterId, events: &[Envelope]) {
        let items: Vec<PendingItem> = events.iter().map(item).collect();
        let game = PendingGame {
            key: events[0].key(),
            writer,
            base: items[0].previd,
            items,
        };
        self.all.pending().append(&game).await.unwrap();
    }

    /// What waits for a game.
    pub async fn waiting(&self, game: GameId) -> Vec<PendingItem> {
        let all = self.all.pending().load().await.unwrap().into_iter();
        all.filter(|list| list.key.id == game)
            .flat_map(|list| list.items)
            .collect()
    }

    /// Waits until the last event that waits for the game is this one.
    pub async fn until_waiting(&self, game: GameId, last: EventId) {
        let copied = async {
            while self.waiting(game).await.last().map(|item| item.place) != Some(last) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, copied)
            .await
            .expect("it is copied");
    }

    /// The game's events in the log.
    pub async fn logged(&self, game: GameId) -> Vec<Envelope> {
        let key = GameKey {
            kind: Kind::Mancala,
            id: game,
        };
        let entries = self.all.log().read_game(key, 0).await.unwrap();
        let read = |bytes: &[u8]| Envelope::from_bytes(bytes).expect("only events are written");
        entries.iter().map(|entry| read(&entry.bytes)).collect()
    }

    /// Their names.
    pub async fn logged_names(&self, game: GameId) -> Vec<&'static str> {
        self.logged(game)
            .await
            .iter()
            .map(|event| event.event.name())
            .collect()
    }

    /// Waits until the game's last event in the log is called this.
    pub async fn until_logged(&self, game: GameId, name: &str) {
        let logged = async {
            while self.logged_names(game).await.last() != Some(&name) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, logged)
            .await
            .expect("the log takes it");
    }

    /// Restores the games of a dead writer.
    pub async fn restore(&self, games: &LiveGames, log: Arc<dyn EventLog>, dead: WriterId) -> Report {
        let parts = self.with_log_of(self, games, log);
        restored(&parts, dead).await
    }
}

/// Restores the games of a dead writer.
pub async fn restored(parts: &RestoreParts, dead: WriterId) -> Report {
    restore(parts, &move |writer| writer == dead)
        .await
        .expect("there is something to restore from")
}

fn item(event: &Envelope) -> PendingItem {
    PendingItem {
        place: event.place(),
        id: event.id,
        previd: event.previd,
        anchored: event.id.anchor.is_some(),
        name: event.event.name().to_owned(),
        bytes: event.to_bytes(),
    }
}
