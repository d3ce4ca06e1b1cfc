//! The adapter on a real server, one for each test.

mod contract_suite;
mod data;
mod lease;
mod outages;
mod schema;
mod support;
