//! A thousand games of dice chess, and some of mancala with clocks, played to their ends by chance: with all kinds of
//! clocks and any thinking time, with offers of draws, resignations, fallen flags and players who go away. What must hold
//! of every game is checked in the log, where `testkit::followed` folds its events, follows its clocks and computes its
//! throws anew from the seed that is revealed.

mod table;
mod witness;

use std::collections::BTreeMap;

use commands::fold::refold;
use commands::ports::EventLog;
use contract::{EndReason, Envelope, Kind};
use futures::future::join_all;
use testkit::sim::Chance;
use turnstream_commands as commands;

use crate::service::{STEP_MS, Service};
use table::Table;

/// Where chance begins: the same in every run.
const SEED: u64 = 3;

/// So many games are played at one time.
const AT_ONCE: usize = 100;

/// One of so many games is looked at all the time.
const LOOK_AT_ONE_OF: usize = 50;

/// What became of many games.
#[derive(Debug, Default)]
struct Played {
    endings: BTreeMap<&'static str, usize>,
    events: usize,
    moves: usize,
}

/// Plays so many games of a kind to their ends.
async fn play(kind: Kind, games: usize) -> Played {
    let service = Service::start().await;
    let chance = Chance::of(SEED);
    let (mut played, mut waiting) = (Played::default(), 0..games);
    let mut tables: Vec<Table> = Vec::new();
    loop {
        let free = AT_ONCE - tables.len();
        for number in waiting.by_ref().take(free) {
            tables.push(Table::begin(&service, &chance, kind, number).await);
        }
        if tables.is_empty() {
            return played;
        }
        join_all(tables.iter_mut().map(|table| table.go_on(&service))).await;
        for table in tables
            .iter()
            .filter(|table| table.number.is_multiple_of(LOOK_AT_ONE_OF))
        {
            memory_is_what_the_log_folds_to(&service, table).await;
        }
        service.pass(1 + chance.below("time", STEP_MS)).await;
        let (over, going_on): (Vec<_>, Vec<_>) =
            tables.into_iter().partition(|table| table.is_over(&service));
        tables = going_on;
        for table in over {
            let logged = table.must_be_right(&service).await;
            let record = logged.record.expect("it has ended");
            *played.endings.entry(record.end_reason.as_str()).or_default() += 1;
            played.events += logged.events.len();
            played.moves += record.moves.len();
        }
    }
}

async fn memory_is_what_the_log_folds_to(service: &Service, table: &Table) {
    let Some(held) = table.held(service) else { return };
    let entries = service.embedded.log().read_game(held.key(), 0).await.unwrap();
    let envelope = |bytes: &[u8]| Envelope::from_bytes(bytes).expect("only events are written");
    let envelopes: Vec<Envelope> = entries.iter().map(|entry| envelope(&entry.bytes)).collect();
    // The log may not have the newest yet.
    if let Some(folded) = refold(&envelopes).expect("there is no hole")
        && folded.version == held.version
    {
        assert_eq!(folded, *held);
    }
}

fn some_ended_by_each(played: &Played, reasons: &[EndReason]) {
    println!("{played:?}");
    for reason in reasons {
        assert!(
            played.endings.contains_key(reason.as_str()),
            "none ended by {reason:?}: {played:?}"
        );
    }
}

#[tokio::test]
async fn a_thousand_games_of_dice_chess_keep_what_was_promised() {
    let played = play(Kind::DiceChess, 1_000).await;
    let reasons = [
        EndReason::KingCaptured,
        EndReason::DrawAgreed,
        EndReason::Resigned,
        EndReason::Flag,
        EndReason::Left,
    ];
    some_ended_by_each(&played, &reasons);
}

#[tokio::test]
async fn two_hundred_games_of_mancala_with_clocks_keep_what_was_promised() {
    let played = play(Kind::Mancala, 200).await;
    some_ended_by_each(&played, &[EndReason::Completed, EndReason::Flag, EndReason::Left]);
}
