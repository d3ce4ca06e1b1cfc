//! How much of the edge one user or one address may have.
//!
//! Every limit is in the process and waits for nothing. How often an address may come is in [`by_address`], what a
//! socket may send in [`rate`].

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use contract::UserId;
use governor::Quota;

pub mod by_address;
pub mod client_ip;
pub mod rate;

use crate::config::LimitsConfig;
use by_address::{AddressRate, Failures, Neighbour};

/// Why there is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Too many connections.
    #[error("there are too many open connections from here")]
    TooManySockets,
    /// Too often.
    #[error("that was too often; try again later")]
    RateLimited {
        /// When it may be tried again, in milliseconds.
        retry_after_ms: u64,
    },
}

/// The limits that connections share.
#[derive(Debug)]
pub struct Limits {
    config: LimitsConfig,
    connections: Arc<Counts<()>>,
    connections_by_address: Arc<Counts<Neighbour>>,
    sockets_by_address: Arc<Counts<Neighbour>>,
    sockets_by_user: Arc<Counts<UserId>>,
    requests: AddressRate,
    guests: AddressRate,
    failures: Failures,
}

impl Limits {
    /// Limits as configured.
    pub fn new(config: LimitsConfig) -> Self {
        let requests = Quota::per_second(config.requests_per_second).allow_burst(config.requests_burst);
        Self {
            requests: AddressRate::new(requests),
            guests: AddressRate::new(Quota::per_minute(config.guests_per_minute)),
            failures: Failures::new(config.failed_logins_per_minute),
            config,
            connections: Arc::default(),
            connections_by_address: Arc::default(),
            sockets_by_address: Arc::default(),
            sockets_by_user: Arc::default(),
        }
    }

    /// The settings.
    pub fn config(&self) -> &LimitsConfig {
        &self.config
    }

    /// Counts a connection to the listener until the permit is dropped, whatever it turns out to be: of an address, or
    /// of a proxy, whose connections are many people's. At most `most` are open in all.
    ///
    /// # Errors
    /// [`LimitError::TooManySockets`].
    pub fn stream_from(&self, address: Option<IpAddr>, most: u32) -> Result<StreamPermit, LimitError> {
        let per_address = self
            .config
            .sockets_per_address
            .saturating_add(self.config.spare_connections_per_address);
        let of_address = address
            .map(|address| Counts::take(&self.connections_by_address, Neighbour::of(address), per_address))
            .transpose()?;
        Ok(StreamPermit {
            _of_address: of_address,
            _of_all: Counts::take(&self.connections, (), most)?,
        })
    }

    /// Counts a socket or stream of an address, until the permit is dropped.
    ///
    /// # Errors
    /// [`LimitError::TooManySockets`].
    pub fn connection_from(&self, address: IpAddr) -> Result<Permit, LimitError> {
        Counts::take(
            &self.sockets_by_address,
            Neighbour::of(address),
            self.config.sockets_per_address,
        )
    }

    /// Counts a socket or stream of a user, until the permit is dropped.
    ///
    /// # Errors
    /// [`LimitError::TooManySockets`].
    pub fn connection_of(&self, user: &UserId) -> Result<Permit, LimitError> {
        Counts::take(&self.sockets_by_user, user.clone(), self.config.sockets_per_user)
    }

    /// Counts a request of an address.
    ///
    /// # Errors
    /// [`LimitError::RateLimited`].
    pub fn request_from(&self, address: IpAddr) -> Result<(), LimitError> {
        self.requests.count(address)
    }

    /// Counts a new guest of an address.
    ///
    /// # Errors
    /// [`LimitError::RateLimited`].
    pub fn guest_from(&self, address: IpAddr) -> Result<(), LimitError> {
        self.guests.count(address)
    }

    /// Whether credentials from an address are looked at: not while too many of them were not valid.
    ///
    /// # Errors
    /// [`LimitError::RateLimited`].
    pub fn may_log_in(&self, address: IpAddr) -> Result<(), LimitError> {
        self.failures.check(address)
    }

    /// A credential from an address was not valid.
    pub fn failed_to_log_in(&self, address: IpAddr) {
        self.failures.count(address);
    }
}

/// A connection's places among its address's and among all.
#[derive(Debug)]
pub struct StreamPermit {
    _of_address: Option<Permit>,
    _of_all: Permit,
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
