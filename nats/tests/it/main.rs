//! The adapter on real servers: one binary, since all of it needs the same things.

mod analysts;
mod common;
mod contracts;
mod credentials;
mod cursors;
mod fence;
mod limits;
mod longest;
mod old_server;
mod outages;
mod pages;
