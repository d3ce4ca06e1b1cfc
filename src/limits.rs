//! How much of the edge one user or one address may have.
//!
//! Every limit is in the process and waits for nothing. What a socket may send is in [`rate`].

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use contract::UserId;
use governor::clock::{Clock as _, DefaultClock};
use governor::{Quota, RateLimiter};

pub mod client_ip;
pub mod rate;

use crate::config::LimitsConfig;

/// When this many addresses are remembered, those that have been quiet are forgotten.
const MANY_ADDRESSES: usize = 10_000;

/// Why there is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Too many sockets and streams.
    #[error("there are too many open connections from here")]
    TooManySockets,
    /// Too often.
    #[error("that was too often; try again later")]
    RateLimited {
        /// When it may be tried again, in milliseconds.
        retry_after_ms: u64,
    },
}

/// An address as it is counted: an IPv6 user has a whole /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Neighbour(IpAddr);

impl Neighbour {
    fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

/// The limits that connections share.
#[derive(Debug)]
pub struct Limits {
    config: LimitsConfig,
    by_address: Arc<Counts<Neighbour>>,
    by_user: Arc<Counts<UserId>>,
    guests: governor::DefaultKeyedRateLimiter<Neighbour>,
}

impl Limits {
    /// Limits as configured.
    pub fn new(config: LimitsConfig) -> Self {
        let guests = RateLimiter::keyed(Quota::per_minute(config.guests_per_minute));
        Self {
            config,
            by_address: Arc::default(),
            by_user: Arc::default(),
            guests,
        }
    }

    /// The settings.
    pub fn config(&self) -> &LimitsConfig {
        &self.config
    }

    /// Counts a socket or stream of an address, until the permit is dropped.
    ///
    /// # Errors
    /// [`LimitError::TooManySockets`].
    pub fn connection_from(&self, address: IpAddr) -> Result<Permit, LimitError> {
        Counts::take(
            &self.by_address,
            Neighbour::of(address),
            self.config.sockets_per_address,
        )
    }

    /// Counts a socket or stream of a user, until the permit is dropped.
    ///
    /// # Errors
    /// [`LimitError::TooManySockets`].
    pub fn connection_of(&self, user: &UserId) -> Result<Permit, LimitError> {
        Counts::take(&self.by_user, user.clone(), self.config.sockets_per_user)
    }

    /// Counts a new guest of an address.
    ///
    /// # Errors
    /// [`LimitError::RateLimited`].
    pub fn guest_from(&self, address: IpAddr) -> Result<(), LimitError> {
        if self.guests.len() > MANY_ADDRESSES {
            self.guests.retain_recent();
        }
        self.guests
            .check_key(&Neighbour::of(address))
            .map_err(|not_until| {
                let wait = not_until.wait_time_from(DefaultClock::default().now());
                LimitError::RateLimited {
                    retry_after_ms: wait.as_millis() as u64,
                }
            })
    }
}

#[derive(Debug)]
struct Counts<K>(Mutex<HashMap<K, u32>>);

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Hash + Eq + Clone + Send + Sync + 'static> Counts<K> {
    fn take(this: &Arc<Self>, key: K, most: u32) -> Result<Permit, LimitError> {
        let mut counts = this.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key.clone()).or_default();
        if *count >= most {
            return Err(LimitError::TooManySockets);
        }
        *count += 1;
        let counts = this.clone();
        Ok(Permit(Some(Box::new(move || counts.give_back(&key)))))
    }

    fn give_back(&self, key: &K) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(key);
            }
        }
    }
}

/// A place taken; dropping it gives the place back.
pub struct Permit(Option<Box<dyn FnOnce() + Send + Sync>>);

impl std::fmt::Debug for Permit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Permit")
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(give_back) = self.0.take() {
            give_back();
        }
    }
}

#[cfg(test)]
mod tests;
