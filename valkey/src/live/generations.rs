//! The change from one generation to the next, and what is left of the old ones.
//!
//! A generation that is given up loses its token and checkpoint in the step that gives it up, so that nobody can write
//! it any more. Its games are then deleted a few at a time. It stays listed until the last one is gone, so that a later
//! flip or discard finishes what a crash or an outage interrupted.

use std::sync::LazyLock;

use commands::ports::Unavailable;
use redis::{Script, ScriptInvocation};

use crate::Valkey;
use crate::calls::{STEP, unavailable};

static FLIP: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("flip.lua")));
static DISCARD: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("discard.lua")));
static CLEAR: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("clear.lua")));

impl Valkey {
    pub(super) async fn flip_generation(&self, from: u64, to: u64) -> Result<bool, Unavailable> {
        let mut script = self.giving_up(&FLIP, from);
        script.arg(from).arg(to);
        let flipped: bool = self.run(&script).await?;
        if flipped && let Err(why) = self.clear_discarded().await {
            // The flip itself is done, and that is what the caller has to know.
            tracing::warn!(%why, "an old generation's games are deleted later");
        }
        Ok(flipped)
    }

    pub(super) async fn discard_generation(&self, generation: u64) -> Result<(), Unavailable> {
        let mut script = self.giving_up(&DISCARD, generation);
        script.arg(generation);
        if !self.run(&script).await? {
            return Err(unavailable(format_args!(
                "generation {generation} is in use and cannot be discarded"
            )));
        }
        if !self.clear(generation).await? {
            return Err(unavailable(format_args!(
                "generation {generation} is being written"
            )));
        }
        self.clear_discarded().await
    }

    /// A script that gives up a generation, its keys named.
    fn giving_up(&self, script: &'static Script, generation: u64) -> ScriptInvocation<'static> {
        let mut script = script.key(self.keys.generation());
        script.key(self.keys.discarded());
        script
            .key(self.keys.token(generation))
            .key(self.keys.checkpoint(generation));
        script
    }

    async fn clear_discarded(&self) -> Result<(), Unavailable> {
        let discarded: Vec<u64> = self
            .command(redis::cmd("SMEMBERS").arg(self.keys.discarded()))
            .await?;
        for generation in discarded {
            self.clear(generation).await?;
        }
        Ok(())
    }

    /// Deletes the games of a generation; false if somebody writes it again.
    async fn clear(&self, generation: u64) -> Result<bool, Unavailable> {
        loop {
            let mut script = CLEAR.key(self.keys.generation());
            script.key(self.keys.discarded()).key(self.keys.token(generation));
            script
                .key(self.keys.games(generation))
                .key(self.keys.tombstones(generation));
            script
                .arg(generation)
                .arg(self.keys.games_of(generation))
                .arg(STEP);
            match self.run::<i64>(&script).await? {
                0 => return Ok(true),
                left if left < 0 => return Ok(false),
                _ => {}
            }
        }
    }
}
