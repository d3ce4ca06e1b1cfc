//! Whether this process holds games: heartbeats, the election, restore, and stepping down.
//!
//! A log that nobody else can have (embedded) needs none of it: the games are restored, and that is all.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use commands::election::{BEAT_MS, Election, Part};
use commands::games::{Games, Role};
use commands::live::LiveGames;
use commands::ports::{Clock, Heartbeat, Heartbeats, Link, LogIdentity, Monotonic, ServiceKeys};
use contract::WriterId;
use projections::restore::{NotYet, Report, RestoreParts, restore};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// A key lapses when it is not renewed for this long, in milliseconds.
const KEY_TTL_MS: u64 = 3000;

/// A beat later than this was a standstill: others may have taken over.
const STANDSTILL_MS: i64 = 2500;

/// Between two tries to restore.
const TRY_AGAIN_MS: u64 = 250;

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
        if self.shared_log {
            return self.run_among_others(cancel).await;
        }
        tokio::select! {
            () = cancel.cancelled() => {}
            () = self.restore_alone() => cancel.cancelled().await,
        }
        Ok(())
    }

    async fn restore_alone(&self) {
        while !self.try_restore(&|_| true).await {
            self.clock.sleep(TRY_AGAIN_MS).await;
        }
    }

    /// One try; true when this process is active now.
    async fn try_restore(&self, silent: &(dyn Fn(WriterId) -> bool + Sync)) -> bool {
        match restore(&self.restore, silent).await {
            Ok(report) => {
                *self.last_restore.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
                self.games().set_role(Role::Active);
                true
            }
            Err(error @ (NotYet::NothingToRestoreFrom { .. } | NotYet::Interrupted(_))) => {
                tracing::warn!("games are not restored yet: {error}");
                self.games().set_role(Role::Starting(error.to_string()));
                false
            }
        }
    }

    async fn run_among_others(self, cancel: CancellationToken) -> anyhow::Result<()> {
        let mut watch = Watch::begin(&self).await;
        let done = loop {
            tokio::select! {
                () = cancel.cancelled() => break Ok(()),
                done = self.beat_and_decide(&mut watch) => {
                    if let Err(error) = done {
                        break Err(error);
                    }
                }
            }
        };
        self.say_goodbye(&watch).await;
        done
    }

    async fn beat_and_decide(&self, watch: &mut Watch) -> anyhow::Result<()> {
        self.clock.sleep(BEAT_MS).await;
        let now = self.clock.monotonic();
        let stood_still = now.since(watch.last_beat) > STANDSTILL_MS;
        watch.last_beat = now;
        self.look_around(watch, now).await?;
        if stood_still {
            self.after_standstill(watch, now);
        }
        self.beat(watch).await;
        match self.games().role() {
            Role::Active => self.stay_active(watch, now).await,
            Role::Standby | Role::Starting(_) => self.maybe_take_over(watch, now).await,
            Role::Leaving => {}
        }
        Ok(())
    }

    /// Hears what was said since the last beat.
    async fn look_around(&self, watch: &mut Watch, now: Monotonic) -> anyhow::Result<()> {
        let link = *watch.link.borrow_and_update();
        if link != watch.known_link {
            watch.known_link = link;
            watch.election.listen_anew(now);
        }
        if watch.identity.is_none() && link.is_up() {
            watch.identity = self.restore.log.info().await.ok().map(|info| info.identity);
        }
        while let Some(heartbeat) = watch.next_heartbeat() {
            watch.election.heard(&heartbeat, now);
        }
        let keys = self.keys.alive().await.ok();
        if let (Some(identity), Some(keys)) = (&watch.identity, &keys)
            && let Some(stranger) = keys
                .iter()
                .find(|key| !key.log.0.is_empty() && key.log != *identity)
        {
            anyhow::bail!(
                "the live store belongs to {:?}, whose service {} is alive",
                stranger.log.0,
                stranger.writer
            );
        }
        watch.election.set_keys(keys.map(active_keys));
        Ok(())
    }

    async fn beat(&self, watch: &mut Watch) {
        let active = matches!(self.games().role(), Role::Active);
        let heartbeat = self.heartbeat(watch, active, false);
        if watch.known_link.is_up()
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

    /// This process did not run for a while: nothing is sent or decided before it is known whether another took over.
    fn after_standstill(&self, watch: &mut Watch, now: Monotonic) {
        if self.games().role() != Role::Active {
            return;
        }
        tracing::warn!("this process stood still; listening whether another one took over");
        self.games().hold_back(true);
        watch.held_back = true;
        watch.election.listen_anew(now);
        self.games()
            .set_role(Role::Starting("listening after a standstill".to_owned()));
    }

    /// Another active process: the one that stood still has stepped aside above; of two that do not know how it came, the
    /// one with the larger id steps down.
    async fn stay_active(&self, watch: &mut Watch, now: Monotonic) {
        if let Some(other) = watch.election.other_active(now)
            && (other < self.games().writer() || watch.held_back)
        {
            self.step_down(watch).await;
            return;
        }
        if watch.held_back && watch.known_link.is_up() && watch.election.part(now) == Part::Active {
            watch.held_back = false;
            self.games().hold_back(false);
        }
    }

    async fn step_down(&self, watch: &mut Watch) {
        tracing::warn!("another process is active: this one is a standby now");
        self.games().set_role(Role::Standby);
        self.games().let_all_go().await;
        watch.held_back = false;
        self.games().hold_back(false);
    }

    async fn maybe_take_over(&self, watch: &mut Watch, now: Monotonic) {
        let is_standby = self.games().role() == Role::Standby;
        match watch.election.part(now) {
            Part::Listening => {}
            Part::Standby if is_standby => {}
            Part::Standby => self.step_down(watch).await,
            // A standby that lost the bus cannot know whether the active one is silent.
            Part::Active if is_standby && !watch.known_link.is_up() => {}
            Part::Active => self.take_over(watch, now).await,
        }
    }

    async fn take_over(&self, watch: &mut Watch, now: Monotonic) {
        let link_is_up = watch.known_link.is_up();
        if !link_is_up {
            // Claims wait until the log is back and the owners are known to be silent.
            self.games().hold_back(true);
            watch.held_back = true;
        }
        self.say_active(watch).await;
        let election = &watch.election;
        let active = self.try_restore(&|writer| election.is_silent(writer, now)).await;
        if active && link_is_up && watch.held_back {
            watch.held_back = false;
            self.games().hold_back(false);
        }
        watch.last_beat = self.clock.monotonic();
    }

    /// A restore may take longer than a beat: the others shall know that it is under way.
    async fn say_active(&self, watch: &Watch) {
        let heartbeat = self.heartbeat(watch, true, false);
        if watch.known_link.is_up()
            && let Err(error) = self.heartbeats.beat(&heartbeat).await
        {
            tracing::debug!("a heartbeat was not said: {error}");
        }
        if let Err(error) = self.keys.renew(&heartbeat, KEY_TTL_MS).await {
            tracing::debug!("the service's key was not renewed: {error}");
        }
    }
}

fn active_keys(keys: Vec<Heartbeat>) -> HashSet<WriterId> {
    keys.into_iter()
        .filter(|key| key.active && !key.leaving)
        .map(|key| key.writer)
        .collect()
}

/// What is known from beat to beat.
struct Watch {
    election: Election,
    link: watch::Receiver<Link>,
    known_link: Link,
    heard: Option<mpsc::Receiver<Heartbeat>>,
    identity: Option<LogIdentity>,
    since: i64,
    last_beat: Monotonic,
    /// Whether nothing is sent to the log until it is clear that nobody took over.
    held_back: bool,
}

impl Watch {
    async fn begin(ownership: &Ownership) -> Self {
        let now = ownership.clock.monotonic();
        let mut link = ownership.restore.log.link();
        let known_link = *link.borrow_and_update();
        let heard = match ownership.heartbeats.listen().await {
            Ok(heard) => Some(heard),
            Err(error) => {
                tracing::warn!("other processes cannot be heard: {error}");
                None
            }
        };
        Self {
            election: Election::new(ownership.games().writer(), now),
            link,
            known_link,
            heard,
            identity: None,
            since: ownership.clock.now().0,
            last_beat: now,
            held_back: false,
        }
    }

    fn next_heartbeat(&mut self) -> Option<Heartbeat> {
        self.heard.as_mut()?.try_recv().ok()
    }
}
