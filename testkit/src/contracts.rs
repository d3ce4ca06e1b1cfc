//! One suite of cases for each port. Every adapter stamps the suite of each port that it implements, so that they
//! differ in nothing a caller could see. What only one adapter can do is tested beside that adapter.

pub mod cache;
pub mod dead_letters;
pub mod event_log;
pub mod heartbeats;
pub mod history_repair;
pub mod history_store;
pub mod live_repair;
pub mod live_store;
pub mod log_eraser;
pub mod log_pages;
pub mod log_reader;
pub mod pending_store;
pub mod service_keys;
pub mod spectator_counts;
