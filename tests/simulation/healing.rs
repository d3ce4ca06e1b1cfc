//! Everything comes back, and the world comes to rest.

use std::collections::BTreeSet;

use commands::games::{Games, Role};
use commands::ports::{PendingGame, PendingItem};
use contract::GameId;
use testkit::followed::Followed;
use testkit::sim::Access;

use crate::world::World;

/// By then everybody has looked around and found what is not as it was, in milliseconds.
const NOTICED_WITHIN_MS: u64 = 3_000;

/// Between two looks, in milliseconds.
const LOOK_EVERY_MS: u64 = 500;

/// How long it may take: leases of ten seconds, and a projector's longest pause of thirty.
const LOOKS: u32 = 240;

impl World {
    /// Mends everything and waits until nothing happens any more.
    pub async fn heal(&mut self) -> Result<Followed, String> {
        for process in &self.processes {
            process.life.thaw();
            process.ways.line.behave();
            process.ways.line.mend();
        }
        self.bus.come_back(false);
        self.running.set(Access::Open);
        self.finished.set(Access::Open);
        if self.living().is_empty() {
            self.start_process();
        }
        self.pass(NOTICED_WITHIN_MS).await?;
        self.rest().await
    }

    /// Waits until nothing happens any more.
    pub async fn rest(&mut self) -> Result<Followed, String> {
        let mut restless = String::new();
        for _ in 0..LOOKS {
            self.pass(LOOK_EVERY_MS).await?;
            if self.living().is_empty() {
                self.start_process();
            }
            match self.unrest()? {
                None => return self.followed(),
                Some(why) => restless = why,
            }
        }
        Err(format!("it does not come to rest: {restless}"))
    }

    /// Why it is not at rest.
    fn unrest(&self) -> Result<Option<String>, String> {
        let living = self.living();
        let roles: Vec<Role> = living
            .iter()
            .map(|process| self.processes[*process].games.role())
            .collect();
        let count = |role: &Role| roles.iter().filter(|found| *found == role).count();
        if count(&Role::Active) != 1 || count(&Role::Active) + count(&Role::Standby) != roles.len() {
            return Ok(Some(format!("the processes are {roles:?}")));
        }
        let Some(active) = self.active() else {
            return Ok(Some("no process is active".to_owned()));
        };
        let waiting = self.processes[active].games.load().waiting_events;
        if waiting > 0 {
            return Ok(Some(format!("{waiting} events wait for the log")));
        }
        let end = self.bus.end();
        for (projector, name) in ["live", "history"].into_iter().enumerate() {
            if !living
                .iter()
                .any(|process| self.processes[*process].has_projected(projector, end))
            {
                let found: Vec<_> = living
                    .iter()
                    .map(|process| self.processes[*process].projectors[projector].status())
                    .collect();
                return Ok(Some(format!("the {name} projector is not at {end}: {found:?}")));
            }
        }
        if let Some(list) = self.pending_too_long()? {
            return Ok(Some(format!("something is pending: {list:?}")));
        }
        let held: BTreeSet<GameId> = self.held(active).map(|game| game.id).collect();
        let unfinished: BTreeSet<GameId> = self.unfinished()?;
        if held != unfinished {
            return Ok(Some(format!("{held:?} are held of {unfinished:?}")));
        }
        Ok(None)
    }

    /// A list of the pending store that should not be there. One that came back with an old store stays until the next
    /// restore, if a process that runs wrote it and the log has what is in it.
    fn pending_too_long(&self) -> Result<Option<PendingGame>, String> {
        let pending = self.running.ports().pending;
        let lists = self.call(async move { pending.load().await });
        let lists = lists.map_err(|error| error.to_string())?;
        let lists: Vec<PendingGame> = lists.into_iter().filter(|list| !list.items.is_empty()).collect();
        if !self.fell_back || lists.is_empty() {
            return Ok(lists.into_iter().next());
        }
        let log = self.followed()?;
        let has = |item: &PendingItem| {
            let game = log.games.get(&item.place.game);
            game.is_some_and(|game| game.state.chain.has_event(item.place, game.state.version))
        };
        let living = self.living();
        let runs = |list: &PendingGame| {
            living
                .iter()
                .any(|process| self.processes[*process].writer == list.writer)
        };
        Ok(lists
            .into_iter()
            .find(|list| !runs(list) || !list.items.iter().all(has)))
    }

    fn unfinished(&self) -> Result<BTreeSet<GameId>, String> {
        let log = self.bus.log();
        let unfinished = self.call(async move { log.unfinished().await });
        let unfinished = unfinished.map_err(|error| error.to_string())?;
        Ok(unfinished.into_iter().map(|key| key.id).collect())
    }
}
