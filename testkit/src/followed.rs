//! What holds of every game in the log, however services and servers were treated (P4 and P5): its events follow each
//! other, fold, and are moves that the rules allow; nobody gains time, and no throw is chosen.

use std::collections::{BTreeMap, HashSet};

use commands::fold::{FoldError, fold, refold};
use commands::ports::LogEntry;
use contract::event::Moved;
use contract::{Envelope, Event, FinishedGame, GameId, GameState, Position};

mod chance;
mod clocks;

/// Every game that a log knows.
#[derive(Debug, Default)]
pub struct Followed {
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

impl Logged {
    /// Whether a position that a client was given is on the game's chain.
    ///
    /// # Panics
    /// If it is not a position.
    pub fn has(&self, position: &str) -> bool {
        let position: Position = position.parse().expect("clients have positions");
        self.state.chain.has(position, self.state.version)
    }

    /// The names of its events.
    pub fn names(&self) -> Vec<&'static str> {
        self.events.iter().map(|envelope| envelope.event.name()).collect()
    }
}

impl Followed {
    /// Follows all games of a log, given whole and in order.
    ///
    /// # Errors
    /// What is wrong with the first game that is not as it should be.
    pub fn of(entries: &[LogEntry]) -> Result<Self, String> {
        let mut before = 0;
        let mut games: BTreeMap<GameId, Follower> = BTreeMap::new();
        for entry in entries {
            if entry.seq <= before {
                return Err(format!("{} comes after {before} in the log", entry.seq));
            }
            before = entry.seq;
            let follower = games.entry(entry.key.id).or_default();
            follower.take(entry).map_err(|why| {
                format!(
                    "event {} of {} in the log {why}\nafter {:#?}",
                    entry.seq, entry.key.id, follower.events
                )
            })?;
        }
        let finished = games
            .into_iter()
            .map(|(id, follower)| Ok((id, follower.finish(id)?)));
        Ok(Self {
            games: finished.collect::<Result<_, String>>()?,
        })
    }
}

/// Takes a game's events one by one.
#[derive(Default)]
struct Follower {
    events: Vec<Envelope>,
    ids: HashSet<String>,
    commands: HashSet<String>,
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
        if let Event::Moved(moved) = &envelope.event {
            self.must_be_allowed(moved)?;
        }
        chance::must_be_due(self.state.as_ref(), &envelope)?;
        match fold(self.state.clone(), &envelope) {
            Ok(state) => {
                clocks::must_be_right(self.state.as_ref(), &state, &envelope)?;
                chance::must_be_readable(&state.state)?;
                self.state = Some(state);
            }
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

    /// A move by whoever is to move, that the rules allow and that comes out as it says, by a command of its own.
    fn must_be_allowed(&mut self, moved: &Moved) -> Result<(), String> {
        let Some(before) = &self.state else {
            return Err("moves before the game began".to_owned());
        };
        if before.to_move() != Some(moved.seat) {
            return Err(format!("moves {:?}, who is not to move", moved.seat));
        }
        let played = before.state.play(moved.seat, &moved.mv);
        let played = played.map_err(|illegal| format!("is no legal move: {illegal}"))?;
        // The offer of a draw may come with the move.
        let with_offer = || {
            let armed = before.state.arm_draw(moved.seat, true).ok()?;
            armed.play(moved.seat, &moved.mv).ok()
        };
        if played.state != moved.state && with_offer().is_none_or(|played| played.state != moved.state) {
            return Err("does not come out as it says".to_owned());
        }
        // A pass that no player chose belongs to the command that led to it.
        if !moved.forced
            && !self
                .commands
                .insert(format!("{:?} {:?}", moved.seat, moved.command))
        {
            return Err("is of a command that moved before".to_owned());
        }
        Ok(())
    }

    fn finish(self, id: GameId) -> Result<Logged, String> {
        let Some(state) = self.state else {
            return Err(format!("nothing folds of {id}"));
        };
        if refold(&self.events).as_ref() != Ok(&Some(state.clone())) {
            return Err(format!("{id} does not refold to the same"));
        }
        if let (Some(record), Some(ending)) = (&self.record, &state.ending)
            && *record != state.finished(ending, state.spectators)
        {
            return Err(format!("the record of {id} is not what its events say"));
        }
        if let Some(record) = &self.record {
            let commit = state.fairness.as_ref().map(|fairness| fairness.commit.as_str());
            chance::must_be_recomputable(commit, record)
                .map_err(|why| format!("the record of {id} {why}"))?;
        }
        Ok(Logged {
            events: self.events,
            state,
            record: self.record,
        })
    }
}
