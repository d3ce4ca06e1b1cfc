//! Histories: what may happen to processes, servers, messages and clients happens, in an order made by chance, and
//! afterwards everything must be as promised. A history that goes wrong is made as short as it can be and stays as a
//! test of its own in [`reproduction`].
//!
//! The processes are real but for their edge: live games, election, restore, projectors, sweeper and preview over the
//! embedded adapters. The time is the simulation's, everything runs in one thread, and each call to a store goes through
//! `testkit::sim`, where it may fail.
//!
//! # What must hold
//!
//! At every moment:
//!
//! - Whoever watches a game on one socket sees its versions one after the other, without a hole and without a
//!   repetition, until they are shown it whole again. Nobody sees anything of a game after its end.
//! - A command that was answered durable is answered the same when it is sent again.
//!
//! And once everything is back (servers, connections, one process at least) and some seconds have passed:
//!
//! - It comes to rest: one process is active, its queues are empty, nothing waits in the pending store, and both
//!   projectors have come to the log's end.
//! - The log has each game's events in order, without a repetition, with no hole but one that an `anchored` closes,
//!   and without a fork; each move is one that the rules allow; nothing follows an `ended`.
//! - What was answered durable is in the log. What was accepted at all is, unless a process died, was cut off, or stood
//!   still.
//! - A clock runs while its player is waited for, and for nothing else. Nobody gains time but by their own turns, nobody
//!   is charged more than has passed, nobody has less than nothing; what a move says that it took is what was charged. A
//!   flag that fell is that of whoever was waited for, who has nothing left and loses.
//! - The fold of a game's events is the state in memory and in the store of running games, to the last field. The games
//!   of memory, store and preview are those that have not ended in the log.
//! - Each finished game has one row, which says what its `ended` says, or a letter among the dead ones if the store
//!   refuses it. No other game has a row.
//! - Every command that was sent to a process that still runs was answered.
//! - No game is stuck: who is to move comes back, moves, and gets it durable; the other one sees it.
//! - What waits for the log stays within its bound all the time.
//!
//! One thing is no promise and is allowed for: events that the log itself forgot when it fell back, where the process
//! that held them died before it could send them again.

mod breaking;
mod clients;
mod doing;
mod healing;
mod histories;
mod holding;
mod ops;
mod process;
mod promises;
mod reproduction;
mod world;
