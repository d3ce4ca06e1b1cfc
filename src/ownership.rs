//! Whether this process holds games: heartbeats, the election, restore, and stepping down.
//!
//! A log that nobody else can have (embedded) needs no election: the games are restored, and that is all.

use std::sync::{Arc, Mutex, PoisonError};

use commands::election::{BEAT_MS, Keep, Part};
use commands::games::{Games, Role};
use commands::live::LiveGames;
use commands::ports::{Clock, Heartbeat, Heartbeats, LogIdentity, Monotonic, ServiceKeys};
use contract::WriterId;
use projections::restore::{NotYet, Report, RestoreParts, restore, restore_waiting};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;

mod neighbours;
mod touch;
mod watch;

use touch::SinceLastLook;
use watch::Watch;

/// A key lapses when it is not renewed for this long, in milliseconds.
const KEY_TTL_MS: u64 = 3000;

/// A service that starts waits this long for a service of another log to leave its live store, in milliseconds.
const STRANGER_AT_START_MS: i64 = 3000;

/// One that runs, for an older one.
const STRANGER_MS: i64 = 10_000;

/// What it works with.
pub struct Ownership {
    /// What a restore needs, the games among it.
    pub restore: RestoreParts,
    /// The bus.
    pub heartbeats: Arc<dyn Heartbeats>,
    /// The store of keys.
    pub keys: Arc<dyn ServiceKeys>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Whether other processes may share the log.
    pub shared_log: bool,
    /// Where the result of the last restore goes.
    pub last_restore: Arc<Mutex<Option<Report>>>,
    /// Where restores are counted.
    pub metrics: Arc<Metrics>,
}

impl Ownership {
    fn games(&self) -> &LiveGames {
        &self.restore.games
    }

    /// Runs until cancelled, then says goodbye.
    ///
    /// # Errors
    /// The live store belongs to another log that is alive.
    pub async fn run(self, cancel: CancellationToken) -> anyhow::Result<()> {
        let mut watch = Watch::begin(&self);
        if !self.shared_log {
            tokio::select! {
                biased;
                () = cancel.cancelled() => {}
                () = self.run_alone(&mut watch) => {}
            }
            return Ok(());
        }
        let done = tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(()),
            done = self.run_among_others(&mut watch) => done,
        };
        self.say_goodbye(&watch).await;
        done
    }

    /// Nobody else can hold a game: whoever wrote last is gone.
    async fn run_alone(&self, watch: &mut Watch) {
        loop {
            watch.link_changed();
            watch.notice_pending();
            watch.notice_lost_games(self.games());
            let now = self.clock.monotonic();
            if self.is_starting() || (watch.restore_is_due && watch.link_is_up()) {
                watch.left(self.try_restore(&|_| true).await, now);
            } else if watch.can_look_at_waiting(now) {
                watch.left(self.try_restore_waiting(&|_| true).await, now);
            }
            self.clock.sleep(BEAT_MS).await;
        }
    }

    async fn run_among_others(&self, watch: &mut Watch) -> anyhow::Result<()> {
        loop {
            self.look_around(watch).await?;
            // Nobody starts on the store of another log, nor says there that they are.
            if watch.stranger.is_none() || !self.is_starting() {
                self.decide(watch).await;
                self.beat(watch, self.says_active()).await;
            }
            self.clock.sleep(BEAT_MS).await;
        }
    }

    async fn decide(&self, watch: &mut Watch) {
        let now = self.clock.monotonic();
        match self.games().role() {
            Role::Active => self.stay_active(watch, now).await,
            Role::Standby | Role::Starting(_) => self.maybe_take_over(watch, now).await,
            Role::Leaving => {}
        }
    }

    /// One that is leaving holds its games until they are in the log.
    fn says_active(&self) -> bool {
        matches!(self.games().role(), Role::Active | Role::Leaving)
    }

    /// Hears what was said since the last beat.
    async fn look_around(&self, watch: &mut Watch) -> anyhow::Result<()> {
        let now = self.clock.monotonic();
        let since = SinceLastLook {
            ms: now.since(watch.looked_at),
            link_changed: watch.link_changed(),
            lost_games: watch.notice_lost_games(self.games()),
        };
        watch.notice_strays(self.games());
        watch.notice_pending();
        watch.looked_at = now;
        if since.stood_still() && self.games().role() == Role::Active {
            tracing::warn!("this process stood still; another one may have taken over");
        }
        if since.lost_touch() {
            watch.election.lost_touch(now);
        }
        watch.hear(self, now).await;
        let mut keys = self.keys.alive().await.ok();
        self.notice_the_dead(watch, keys.as_mut()).await;
        watch.election.set_keys(keys.as_deref(), now);
        keys.map_or(Ok(()), |keys| self.refuse_strangers(watch, &keys, now))
    }

    /// Whoever was killed on this machine need not be waited for. What they sent before may still land: their games are
    /// claimed as always.
    async fn notice_the_dead(&self, watch: &mut Watch, mut keys: Option<&mut Vec<Heartbeat>>) {
        for key in keys.iter().flat_map(|keys| keys.iter()) {
            watch.neighbours.meet(key);
        }
        for writer in watch.neighbours.dead() {
            tracing::info!(%writer, "a process of this machine is dead");
            watch.election.gone(writer);
            if let Some(keys) = &mut keys {
                keys.retain(|key| key.writer != writer);
            }
            if let Err(error) = self.keys.remove(writer).await {
                tracing::debug!("a dead service's key stays until it lapses: {error}");
            }
        }
    }

    /// A live store belongs to one log. Of two services of two logs the one that runs longer stays; a moment's difference
    /// is none, since a log that is made anew is not known to all at once.
    fn refuse_strangers(&self, watch: &mut Watch, keys: &[Heartbeat], now: Monotonic) -> anyhow::Result<()> {
        watch.meet_stranger(keys, now);
        let Some(met) = &watch.stranger else {
            return Ok(());
        };
        let (stranger, for_ms) = (&met.who, now.since(met.since));
        if for_ms == 0 {
            tracing::error!(
                "service {} of another log, {:?}, uses the live store of this one",
                stranger.writer,
                stranger.log.0
            );
        }
        let patience = if self.is_starting() {
            STRANGER_AT_START_MS
        } else if stranger.since < watch.since {
            STRANGER_MS
        } else {
            i64::MAX
        };
        if for_ms >= patience {
            anyhow::bail!(
                "the live store belongs to {:?}, whose service {} is alive",
                stranger.log.0,
                stranger.writer
            );
        }
        Ok(())
    }

    fn is_starting(&self) -> bool {
        matches!(self.games().role(), Role::Starting(_))
    }

    async fn beat(&self, watch: &Watch, active: bool) {
        let heartbeat = self.heartbeat(watch, active, false);
        if watch.link_is_up()
            && let Err(error) = self.heartbeats.beat(&heartbeat).await
        {
            tracing::debug!("a heartbeat was not said: {error}");
        }
        if let Err(error) = self.keys.renew(&heartbeat, KEY_TTL_MS).await {
            tracing::debug!("the service's key was not renewed: {error}");
        }
    }

    fn heartbeat(&self, watch: &Watch, active: bool, leaving: bool) -> Heartbeat {
        let log = watch
            .identity
            .clone()
            .unwrap_or_else(|| LogIdentity(String::new()));
        Heartbeat {
            writer: self.games().writer(),
            active,
            since: watch.since,
            log,
            leaving,
            unable: watch.election.is_unable(self.clock.monotonic()),
            process: watch.neighbours.own().cloned(),
        }
    }

    async fn say_goodbye(&self, watch: &Watch) {
        let heartbeat = self.heartbeat(watch, false, true);
        if let Err(error) = self.heartbeats.beat(&heartbeat).await {
            tracing::debug!("the goodbye was not said: {error}");
        }
        if let Err(error) = self.keys.remove(self.games().writer()).await {
            tracing::debug!("the service's key stays until it lapses: {error}");
        }
    }

    async fn stay_active(&self, watch: &mut Watch, now: Monotonic) {
        match watch.election.keep(now) {
            Keep::Yield => self.step_down(watch).await,
            Keep::Alone if watch.link_is_up() => {
                self.hold_back(watch, false);
                if watch.restore_is_due {
                    self.restore_beating(watch, now, What::All).await;
                } else if watch.can_look_at_waiting(now) {
                    self.restore_beating(watch, now, What::Waiting).await;
                }
            }
            Keep::Alone | Keep::On => {}
        }
    }

    async fn step_down(&self, watch: &mut Watch) {
        tracing::warn!("another process holds the games, or goes first: this one is a standby now");
        self.games().set_role(Role::Standby);
        self.games().let_all_go().await;
        self.hold_back(watch, false);
        watch.left(Due::default(), self.clock.monotonic());
    }

    async fn maybe_take_over(&self, watch: &mut Watch, now: Monotonic) {
        let is_standby = self.games().role() == Role::Standby;
        match watch.election.part(now, watch.link_is_up()) {
            Part::Listening => {}
            Part::Standby if is_standby => {}
            // Only its key speaks for the other one, which may have died with it: that shows when the key lapses. As a
            // standby this process would wait for the bus instead, however long that is away.
            Part::Standby if !watch.link_is_up() => {}
            Part::Standby => self.step_down(watch).await,
            // A standby that lost the bus cannot know whether the active one is silent.
            Part::Active if is_standby && !watch.link_is_up() => {}
            Part::Active => {
                if !watch.link_is_up() {
                    // Claims wait until the log is back and the owners are known to be silent.
                    self.hold_back(watch, true);
                }
                watch.election.took_over();
                self.restore_beating(watch, now, What::All).await;
            }
        }
    }

    fn hold_back(&self, watch: &mut Watch, held_back: bool) {
        if watch.held_back != held_back {
            watch.held_back = held_back;
            self.games().hold_back(held_back);
        }
    }

    /// A restore may take longer than a beat: the others shall know that it is under way.
    async fn restore_beating(&self, watch: &mut Watch, now: Monotonic, what: What) {
        let silent = |writer| watch.election.is_silent(writer, now);
        let beating = async {
            if matches!(what, What::Waiting) {
                // That is done in no time as a rule, and it has just been said who is active.
                self.clock.sleep(BEAT_MS).await;
            }
            loop {
                self.beat(watch, true).await;
                self.clock.sleep(BEAT_MS).await;
            }
        };
        let restoring = async {
            match what {
                What::All => self.try_restore(&silent).await,
                What::Waiting => self.try_restore_waiting(&silent).await,
            }
        };
        let due = tokio::select! {
            biased;
            due = restoring => due,
            () = beating => unreachable!("it beats for ever"),
        };
        let now = self.clock.monotonic();
        watch.left(due, now);
        watch.election.tried(self.games().role() == Role::Active, now);
        watch.looked_at = now;
    }

    /// One try; what is left for later. What is held already stays, whatever comes of it.
    async fn try_restore(&self, silent: &(dyn Fn(WriterId) -> bool + Sync)) -> Due {
        match restore(&self.restore, silent).await {
            Ok(report) => {
                let due = Due {
                    // Without the log, the games that only it has are still to come.
                    all: !report.log_was_there,
                    waiting: report.waiting_is_left,
                };
                self.metrics.restored(&report);
                *self.last_restore.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
                self.games().set_role(Role::Active);
                due
            }
            Err(error @ (NotYet::NothingToRestoreFrom { .. } | NotYet::Interrupted(_))) => {
                tracing::warn!("games are not restored yet: {error}");
                self.metrics.not_restored();
                if self.games().role() != Role::Active {
                    self.games().set_role(Role::Starting(error.to_string()));
                }
                Due {
                    all: true,
                    waiting: true,
                }
            }
        }
    }

    /// The same for the games of which something waits in the pending store alone.
    async fn try_restore_waiting(&self, silent: &(dyn Fn(WriterId) -> bool + Sync)) -> Due {
        let waiting = match restore_waiting(&self.restore, silent).await {
            Ok(None) => false,
            Ok(Some(report)) => {
                self.metrics.restored(&report);
                let mut last = self.last_restore.lock().unwrap_or_else(PoisonError::into_inner);
                last.get_or_insert_default().add(&report);
                report.waiting_is_left
            }
            Err(error) => {
                tracing::debug!("what waits cannot be looked at yet: {error}");
                true
            }
        };
        Due { all: false, waiting }
    }
}

/// What is restored.
#[derive(Debug, Clone, Copy)]
enum What {
    /// Everything.
    All,
    /// The games of which something waits.
    Waiting,
}

/// What a restore left for later.
#[derive(Debug, Clone, Copy, Default)]
struct Due {
    /// The log was away.
    all: bool,
    /// The pending store was.
    waiting: bool,
}

#[cfg(test)]
mod tests;
