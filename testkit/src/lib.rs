//! What the tests of every crate share. Only ever a development dependency: nothing here is part of the service.

pub mod authority;
pub mod clock;
pub mod contracts;
pub mod fixtures;
pub mod followed;
pub mod gated_log;
pub mod issuer;
pub mod proxy;
pub mod seeds;
pub mod services;
pub mod sim;
