//! What must hold when the world is at rest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use commands::games::Games;
use commands::ports::LogEntry;
use commands::seed_gate::{GATE_MS, waits_until};
use commands::snapshot::{Snapshot, Tombstone};
use contract::event::Placement;
use contract::{FinishedGame, GameId, GameState, Seat};
use projections::ports::{LogFilter, SnapshotStatus};
use rules::Next;
use testkit::followed::Followed;

use crate::clients::{Sent, What};
use crate::world::World;

/// More than any history has.
const ALL: usize = 100_000;

fn must(holds: bool, else_say: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(else_say()) }
}

impl World {
    /// The whole log, with every game in it followed.
    pub fn followed(&self) -> Result<Followed, String> {
        Followed::of(&self.entries()?)
    }

    /// The whole log.
    pub fn entries(&self) -> Result<Vec<LogEntry>, String> {
        let reader = self.bus.reader();
        let entries = self.call(async move {
            let mut cursor = reader.open(0, LogFilter::All).await?;
            cursor.next(ALL, 0).await
        });
        entries.map_err(|error| error.to_string())
    }

    /// The ids of all events.
    pub fn events(&self) -> Vec<String> {
        let entries = self.entries().unwrap_or_default();
        let id = |entry: &LogEntry| Placement::from_bytes(&entry.bytes).map(|found| found.id.to_string());
        entries.iter().filter_map(|entry| id(entry).ok()).collect()
    }

    pub fn held(&self, process: usize) -> impl Iterator<Item = Arc<GameState>> {
        self.processes[process].games.held().into_iter()
    }

    /// All of it.
    pub fn must_hold(&mut self, log: &Followed) -> Result<(), String> {
        self.promises_are_kept(log)?;
        self.states_agree(log)?;
        self.rows_are_right(log)?;
        self.everybody_was_answered()?;
        self.everybody_sees_the_same(log)
    }

    fn promises_are_kept(&self, log: &Followed) -> Result<(), String> {
        let has = |game, position| {
            log.games
                .get(&game)
                .is_some_and(|found| found.state.chain.has(position, found.state.version))
        };
        for (game, position) in self.promises.durable() {
            must(has(game, position), || {
                format!("{position} of {game} was durable and is not in the log")
            })?;
        }
        let forgot: BTreeSet<GameId> = self.promises.lost.iter().map(|event| event.game).collect();
        for (game, version) in self
            .promises
            .versions()
            .filter(|(game, _)| !forgot.contains(game))
        {
            let found = log.games.get(&game).map_or(0, |found| found.state.version);
            must(found >= version, || {
                format!("{game} was durable up to {version} and ends at {found}")
            })?;
        }
        let a_process_died = self.processes.iter().any(|process| process.life.is_dead());
        if !self.losses_allowed && !a_process_died {
            for (game, position) in self.promises.all_accepted() {
                must(has(game, position), || {
                    format!("{position} of {game} was accepted and is not in the log")
                })?;
            }
            for event in &self.promises.lost {
                must(has(event.game, event.position()), || {
                    format!("{event} was lost, and not sent again")
                })?;
            }
        }
        Ok(())
    }

    fn states_agree(&self, log: &Followed) -> Result<(), String> {
        let active = self.active().ok_or("nobody is active")?;
        let process = &self.processes[active];
        let live: BTreeMap<GameId, &GameState> = log
            .games
            .iter()
            .filter(|(_, found)| found.record.is_none())
            .map(|(id, found)| (*id, &found.state))
            .collect();
        for held in self.held(active) {
            must(live.get(&held.id) == Some(&&*held), || {
                format!("memory has {held:?}, the log {:?}", live.get(&held.id))
            })?;
        }
        must(process.preview.live_games() == live.len(), || {
            format!(
                "the preview has {} games of {}",
                process.preview.live_games(),
                live.len()
            )
        })?;
        for id in live.keys() {
            must(process.preview.game(*id).is_some(), || {
                format!("the preview lacks {id}")
            })?;
        }
        let ports = self.running.ports();
        let set = self
            .call(async move { ports.live.load().await })
            .map_err(|error| error.to_string())?;
        let mut stored = BTreeSet::new();
        for found in &set.snapshots {
            let id = found.key.id;
            match found.status {
                SnapshotStatus::Live => {
                    let snapshot = Snapshot::decode(&found.bytes).map_err(|error| error.to_string())?;
                    must(live.get(&id) == Some(&&snapshot.game), || {
                        format!("the store has {:?}, the log {:?}", snapshot.game, live.get(&id))
                    })?;
                    stored.insert(id);
                }
                SnapshotStatus::Tombstone => {
                    let stone = Tombstone::decode(&found.bytes).map_err(|error| error.to_string())?;
                    let ended = log.games.get(&id).filter(|found| found.record.is_some());
                    must(ended.is_some_and(|found| found.state == stone.game), || {
                        format!("there is a tombstone of {id}")
                    })?;
                }
            }
        }
        must(stored.iter().eq(live.keys()), || {
            format!("the store has {stored:?} of {:?}", live.keys())
        })
    }

    fn rows_are_right(&self, log: &Followed) -> Result<(), String> {
        for (id, found) in &log.games {
            let row = self.row_of(*id)?;
            let letter = self.refused.contains(id) && row.is_none() && found.record.is_some();
            if letter {
                must(self.has_letter(*id)?, || format!("{id} has no row and no letter"))?;
            } else {
                let forgot = self.promises.lost.iter().any(|event| event.game == *id);
                must(row == found.record || (forgot && found.record.is_none()), || {
                    format!("the row of {id} is {row:?}, not {:?}", found.record)
                })?;
            }
        }
        Ok(())
    }

    fn row_of(&self, id: GameId) -> Result<Option<FinishedGame>, String> {
        let history = self.finished.ports().history;
        self.call(async move { history.game(id).await })
            .map_err(|error| error.to_string())
    }

    fn has_letter(&self, id: GameId) -> Result<bool, String> {
        let letters = self.bus.dead_letters();
        let letters = self
            .call(async move { letters.list(ALL).await })
            .map_err(|error| error.to_string())?;
        Ok(letters
            .iter()
            .any(|letter| letter.game == id && letter.projector == "history"))
    }

    fn everybody_was_answered(&self) -> Result<(), String> {
        let open = self
            .asked
            .values()
            .find(|asked| !self.processes[asked.process].life.is_dead());
        must(open.is_none(), || {
            format!("{} was never answered", open.map_or("it", |asked| &asked.what))
        })
    }

    /// Who follows a live game on a socket has seen its newest version.
    fn everybody_sees_the_same(&self, log: &Followed) -> Result<(), String> {
        let active = self.active();
        for client in &self.clients {
            if client.socket.as_ref().map(|socket| socket.process) != active {
                continue;
            }
            for (game, view) in client.views.iter().filter(|(_, view)| view.followed) {
                let found = log.games.get(game).map(|found| found.state.position());
                must(found == Some(view.position), || {
                    format!(
                        "{} saw {} of {game}, which is at {found:?}",
                        client.user.user_id, view.position
                    )
                })?;
            }
        }
        Ok(())
    }

    /// Who is to move comes back, moves, and gets it durable; the other one sees it.
    pub async fn nobody_is_stuck(&mut self) -> Result<(), String> {
        let active = self.active().ok_or("nobody is active")?;
        for client in 0..self.clients.len() {
            self.come_back(client, 0);
        }
        self.pass(50).await?;
        if self.held(active).any(|game| waits_until(&game).is_some()) {
            // Where dice wait for seeds that nobody gives, they come by then.
            self.pass(GATE_MS as u64).await?;
        }
        let games: Vec<Arc<GameState>> = self.held(active).collect();
        for game in games {
            let (seat, what) = goes_on_with(&game)?;
            let user = &game.players.of(seat).user_id;
            let number = self
                .clients
                .iter()
                .position(|client| client.user.user_id == *user);
            let number = number.ok_or("nobody plays it")?;
            let sent = Sent {
                id: self.clients[number].next_id(),
                game: game.id,
                what,
            };
            self.send(number, active, &sent);
            self.pass(600).await?;
            let made = self.processes[active].games.live(game.id, None);
            let durable =
                made.is_none_or(|live| live.version > game.version && live.durable_version == live.version);
            must(durable, || format!("{} is stuck at {}", game.id, game.version))?;
        }
        Ok(())
    }
}

/// What a player can do in a game that waits for them.
fn goes_on_with(game: &GameState) -> Result<(Seat, What), String> {
    match game.state.next() {
        Next::Choose(seat) => {
            let first = game.state.legal_moves().into_iter().next();
            let mv = first.ok_or_else(|| format!("{} has no move", game.id))?;
            let what = What::Move {
                position: game.position(),
                mv,
                offer_draw: false,
            };
            Ok((seat, what))
        }
        Next::Answer(seat) => Ok((seat, What::Answer(false))),
        other => Err(format!("{} waits for {other:?}", game.id)),
    }
}
