//! The clock of the machine.

use async_trait::async_trait;
use commands::ports::{Clock, Monotonic};
use contract::Millis;
use tokio::time::Instant;

/// Time as the machine has it.
#[derive(Debug)]
pub struct SystemClock {
    began: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            began: Instant::now(),
        }
    }
}

#[async_trait]
impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place where the time of day comes from"
    )]
    fn now(&self) -> Millis {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        // A machine whose clock stands before 1970 is at the epoch.
        Millis(since_epoch.map_or(0, |d| d.as_millis() as i64))
    }

    fn monotonic(&self) -> Monotonic {
        Monotonic(self.began.elapsed().as_millis() as i64)
    }

    async fn sleep(&self, ms: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    }
}
