//! What holds of every game in the log, however the service and its servers were treated (P4 and P5).
//!
//! The log is read whole, with the adapter that wrote it, and each game is folded with the service's own `fold`. The
//! embedded database belongs to one process: there it is for after the service has ended.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use commands::fold::{FoldError, fold, refold};
use commands::ports::{EventLog, LogEntry, PendingStore};
use contract::{Envelope, Event, FinishedGame, GameId, GameState, Position};
use embedded::{Embedded, EmbeddedConfig};
use nats::{NatsConfig, NatsLog};
use postgres::{PostgresConfig, PostgresHistory};
use projections::ports::{HistoryStore, LiveStore, LogFilter, LogReader};
use turnstream::system_clock::SystemClock;
use valkey::{Valkey, ValkeyConfig};

use super::{World, eventually};

/// So many messages are read at once.
const BATCH: usize = 1000;

/// A read that brings nothing for this long is no answer, in milliseconds.
const SILENCE_MS: u64 = 5_000;

/// The stores of a world, seen from outside the service.
pub struct Stores {
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Its reader.
    pub reader: Arc<dyn LogReader>,
    /// The rows.
    pub history: Arc<dyn HistoryStore>,
    /// The snapshots.
    pub live: Arc<dyn LiveStore>,
    /// What waits for the log.
    pub pending: Arc<dyn PendingStore>,
    embedded: Option<Embedded>,
}

impl Stores {
    /// Opens them.
    pub async fn of(world: &World) -> Self {
        if world.is_embedded() {
            return Self::embedded(world).await;
        }
        let nats = Arc::new(NatsLog::connect(&nats_config(world)).await.expect("NATS"));
        let valkey = world
            .valkey
            .as_ref()
            .expect("a world of servers has Valkey")
            .url();
        let valkey = Arc::new(Valkey::connect(ValkeyConfig::new(valkey)).expect("a URL"));
        let url = world
            .postgres
            .as_ref()
            .expect("a world of servers has Postgres")
            .url();
        let max_connections = 2;
        let history = PostgresHistory::new(&PostgresConfig { url, max_connections }).expect("a URL");
        Self {
            log: nats.clone(),
            reader: nats,
            history: Arc::new(history),
            live: valkey.clone(),
            pending: valkey,
            embedded: None,
        }
    }

    async fn embedded(world: &World) -> Self {
        let config = EmbeddedConfig {
            data_dir: Some(world.data_dir()),
            full_sync: false,
        };
        let embedded = Embedded::open(config, Arc::new(SystemClock::default()))
            .await
            .expect("no service runs on the data directory");
        Self {
            log: embedded.log(),
            reader: embedded.reader(),
            history: embedded.history(),
            live: embedded.live(),
            pending: embedded.pending(),
            embedded: Some(embedded),
        }
    }

    /// Gives an embedded database back.
    pub async fn close(self) {
        let Self { embedded, .. } = self;
        if let Some(embedded) = embedded {
            embedded.close().await;
        }
    }

    /// The whole log. Panics unless every game in it is as it should be.
    pub async fn checked_log(&self) -> Log {
        Log::follow(&self.entries().await)
    }

    /// Panics unless every game that ended in the log has the row that its `ended` says.
    pub async fn check_rows(&self, log: &Log) {
        for (id, game) in &log.games {
            if let Some(record) = &game.record {
                let row = async || self.history.game(*id).await.ok();
                let row = eventually("the history answers", row).await;
                assert_eq!(row.as_ref(), Some(record), "the row of {id}");
            }
        }
    }

    async fn entries(&self) -> Vec<LogEntry> {
        let end = eventually("the log answers", async || self.log.info().await.ok()).await;
        let mut cursor = self
            .reader
            .open(0, LogFilter::All)
            .await
            .expect("the log can be read");
        let mut entries: Vec<LogEntry> = Vec::new();
        while entries.last().map_or(0, |entry| entry.seq) < end.last {
            let batch = cursor.next(BATCH, SILENCE_MS).await.expect("the log can be read");
            assert!(
                !batch.is_empty(),
                "the reader fell silent before {} of {end:?}",
                entries.len()
            );
            entries.extend(batch);
        }
        entries
    }
}

/// How the log of a world is reached.
pub fn nats_config(world: &World) -> NatsConfig {
    let one = world.nats.as_ref().map(|nats| NatsConfig::new(nats.url()));
    one.unwrap_or_else(|| {
        let cluster = world.cluster.as_ref().expect("a world of servers has NATS");
        NatsConfig {
            replicas: 3,
            ..NatsConfig::new(cluster.url())
        }
    })
}

/// Every game that the log knows.
#[derive(Debug, Default)]
pub struct Log {
    /// By their ids.
    pub games: BTreeMap<GameId, Logged>,
}

/// One game in the log.
#[derive(Debug)]
pub struct Logged {
    /// Its events, in the order of the log.
    pub events: Vec<Envelope>,
    /// What they fold to.
    pub state: GameState,
    /// What its `ended` says, if it has ended.
    pub record: Option<FinishedGame>,
}

impl Log {
    /// Folds all games. Panics at the first that is not as it should be.
    fn follow(entries: &[LogEntry]) -> Self {
        let mut before = 0;
        let mut games: BTreeMap<GameId, Follower> = BTreeMap::new();
        for entry in entries {
            assert!(
                entry.seq > before,
                "{} comes after {before} in the log",
                entry.seq
            );
            before = entry.seq;
            let follower = games.entry(entry.key.id).or_default();
            if let Err(why) = follower.take(entry) {
                panic!(
                    "event {} of {} in the log {why}\nafter {:#?}",
                    entry.seq, entry.key.id, follower.events
                );
            }
        }
        let games = games.into_iter();
        Self {
            games: games.map(|(id, follower)| (id, follower.finish(id))).collect(),
        }
    }

    /// A game, by the id that clients know.
    pub fn game(&self, id: &str) -> &Logged {
        let id: GameId = id.parse().expect("clients have ids of games");
        self.games
            .get(&id)
            .unwrap_or_else(|| panic!("the log has nothing of {id}"))
    }
}

impl Logged {
    /// Whether a position that a client was given is on the game's chain.
    pub fn has(&self, position: &str) -> bool {
        let position: Position = position.parse().expect("clients have positions");
        self.state.chain.has(position, self.state.version)
    }

    /// The names of its events.
    pub fn names(&self) -> Vec<&'static str> {
        self.events.iter().map(|envelope| envelope.event.name()).collect()
    }
}

/// Takes a game's events one by one.
#[derive(Default)]
struct Follower {
    events: Vec<Envelope>,
    ids: HashSet<String>,
    state: Option<GameState>,
    record: Option<FinishedGame>,
}

impl Follower {
    fn take(&mut self, entry: &LogEntry) -> Result<(), String> {
        let envelope = Envelope::from_bytes(&entry.bytes).map_err(|error| error.to_string())?;
        if envelope.key() != entry.key || envelope.event.name() != entry.name {
            return Err(format!("is {} on the subject of a {}", envelope.id, entry.name));
        }
        if !self.ids.insert(envelope.id.to_string()) {
            return Err(format!("repeats {}", envelope.id));
        }
        if self.record.is_some() {
            return Err(format!("is {} after the game's end", envelope.id));
        }
        self.must_follow(&envelope)?;
        match fold(self.state.clone(), &envelope) {
            Ok(state) => self.state = Some(state),
            // An `anchored` may say once more what is known.
            Err(FoldError::Old { .. }) if matches!(envelope.event, Event::Anchored(_)) => {}
            Err(error) => return Err(format!("{} does not fold: {error}", envelope.id)),
        }
        if let Event::Ended(ended) = &envelope.event {
            self.record = Some((*ended.record).clone());
        }
        self.events.push(envelope);
        Ok(())
    }

    /// The next version, behind the event before it; only an `anchored` may close a hole, and then by the same chain.
    fn must_follow(&self, envelope: &Envelope) -> Result<(), String> {
        let (version, previd) = self
            .state
            .as_ref()
            .map_or((0, None), |state| (state.version, Some(state.last_event)));
        if let Event::Anchored(anchored) = &envelope.event {
            let game = &anchored.game;
            if game.last_event != anchored.stands_for || game.version < version {
                return Err(format!("{} stands for {}", envelope.id, anchored.stands_for));
            }
            if previd.is_some_and(|previd| !game.chain.has_event(previd, game.version)) {
                return Err(format!(
                    "{} is on another chain than {previd:?}: {:?}",
                    envelope.id, game.chain
                ));
            }
            return Ok(());
        }
        if envelope.version() != version + 1 {
            return Err(format!("{} follows version {version}", envelope.id));
        }
        if envelope.previd != previd {
            return Err(format!(
                "{} follows {:?}, not {previd:?}",
                envelope.id, envelope.previd
            ));
        }
        Ok(())
    }

    fn finish(self, id: GameId) -> Logged {
        let state = self.state.unwrap_or_else(|| panic!("nothing folds of {id}"));
        let again = refold(&self.events);
        assert_eq!(again.as_ref(), Ok(&Some(state.clone())), "the refold of {id}");
        if let (Some(record), Some(ending)) = (&self.record, &state.ending) {
            assert_eq!(
                *record,
                state.finished(ending, state.spectators),
                "the record of {id}"
            );
        }
        Logged {
            events: self.events,
            state,
            record: self.record,
        }
    }
}
