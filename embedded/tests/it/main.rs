//! Tests of the adapters from outside: the contract suites, and what only a database in a directory can do.

mod appending;
mod contracts;
mod damage;
mod directory;
mod killed;
mod lapsing;
mod log_file;
mod opened;
mod pools;
mod reopening;
mod together;
