//! Histories that went wrong once, as short as they could be made. Each is named after what it showed.

use std::sync::Arc;

use testkit::sim::{Access, Fate, Outside};

use crate::histories::live;
use crate::ops::{History, Op};

fn lives(seed: u64, ops: Vec<Op>) {
    let outside = Arc::new(Outside::new());
    if let Err(why) = live(&outside, &History { seed, ops }) {
        panic!("{why}");
    }
}

const SEEK: Op = Op::Seek { pair: 0, terms: 0 };

/// Its `started` lands after another process has restored everything there was, and then nobody held the game.
#[test]
fn a_game_that_a_dead_process_begins_late_is_taken_over() {
    let dies = Op::NextAppend {
        process: 0,
        fate: Fate::DiesAndLate(3_545),
    };
    lives(0, vec![dies, SEEK, Op::Start, SEEK]);
}

/// The same, when it is the invitation's process that dies, and nobody stands by.
#[test]
fn an_invitation_that_a_dead_process_accepts_late_is_taken_over() {
    let dies = Op::NextAppend {
        process: 0,
        fate: Fate::DiesAndLate(4_070),
    };
    let invite = Op::Invite {
        pair: 2,
        terms: 0,
        required: true,
    };
    let play = Op::PlayTwice { table: 0, choice: 63 };
    lives(0, vec![dies, invite, Op::Wait(2_546), play]);
}

/// Nobody says so, and nothing happens that would have to be written: the projector has to look.
#[test]
fn a_store_that_is_emptied_is_filled_again_though_nobody_moves() {
    let out_of_turn = Op::OutOfTurn { table: 0, choice: 0 };
    let emptied = Op::RunningEmptied { restarts: false };
    lives(6_274_732_335_996_641, vec![SEEK, out_of_turn, emptied]);
}

/// What waited comes back with the old store; the log has it by then, and it is no reason to write it again.
#[test]
fn what_comes_back_with_an_old_store_and_is_in_the_log_changes_nothing() {
    let history = vec![
        SEEK,
        Op::LogGoes,
        SEEK,
        Op::RunningSaved,
        Op::LogReturns {
            silent_readers: false,
        },
        Op::Wait(1),
        Op::RunningFallsBack,
    ];
    lives(0, history);
}

/// Its dice were thrown as soon as it was taken over, and what was still under way then kept the list for ever.
#[test]
fn what_a_dead_process_left_waiting_is_dropped_though_the_game_goes_on_at_once() {
    let history = vec![
        Op::Seek { pair: 0, terms: 1 },
        SEEK,
        Op::CutOff { process: 0 },
        SEEK,
        Op::Kill { process: 0 },
        Op::Wait(3_437),
    ];
    lives(5_514_526_960_123_974, history);
}

/// The wait for the seeds was over while it stood still and could not ask whether the game was still its own, and then nobody
/// threw the dice.
#[test]
fn a_first_throw_that_could_not_be_decided_in_time_is_decided_later() {
    let history = vec![
        Op::Invite {
            pair: 0,
            terms: 91,
            required: false,
        },
        Op::CutOff { process: 0 },
        Op::Freeze { process: 0 },
        Op::Wait(8_000),
        Op::Thaw { process: 0 },
    ];
    lives(0, history);
}

/// The store of what waits did not answer when the next process restored, and nobody looked there again.
#[test]
fn what_waits_where_the_restore_could_not_look_is_taken_over_when_it_answers_again() {
    let history = vec![
        Op::NextAppend {
            process: 0,
            fate: Fate::Lost,
        },
        SEEK,
        Op::Wait(245),
        Op::Running(Access::Mute),
        Op::Kill { process: 0 },
        Op::Start,
        Op::Wait(3_724),
    ];
    lives(0, history);
}

/// The same, when it is not there at all and comes back under the new process.
#[test]
fn what_waits_where_the_restore_found_no_store_is_taken_over_when_it_is_back() {
    let history = vec![
        Op::NextAppend {
            process: 0,
            fate: Fate::Lost,
        },
        SEEK,
        Op::Wait(600),
        Op::Running(Access::Gone),
        Op::Kill { process: 0 },
        Op::Start,
        Op::Wait(5_000),
        Op::Running(Access::Open),
    ];
    lives(0, history);
}

/// The `ended` of a fallen flag was all that the process still had of the game when the log lost the event before it, and the
/// state that was put there had a clock that did not run.
#[test]
fn a_game_whose_flag_fell_is_anchored_with_the_clock_running_when_the_log_loses_its_tail() {
    let history = vec![
        Op::Seek { pair: 0, terms: 5 },
        Op::Wait(3_001),
        Op::Wait(11_998),
        Op::LogFallsBack(11_999),
        SEEK,
    ];
    lives(0, history);
}

/// It was under way to a server that started again without what came before it, and landed behind what was put there instead.
/// No connection outlives its server, so the simulation does not do that any more.
#[test]
fn what_was_under_way_to_a_server_that_starts_again_as_it_was_is_gone() {
    let late = Op::NextAppend {
        process: 0,
        fate: Fate::Late(1_009),
    };
    let history = vec![
        Op::Seek { pair: 0, terms: 1 },
        Op::Wait(8_000),
        late,
        Op::Play { table: 0, choice: 0 },
        Op::LogGoes,
        SEEK,
        Op::LogFallsBack(12),
    ];
    lives(0, history);
}

/// It stood still while another one restored; then it woke up, copied the `started` that the log had not taken, and ended before
/// it could set that aside.
#[test]
fn what_a_process_copies_after_another_one_restored_is_taken_over() {
    let nothing = Op::Play { table: 0, choice: 0 };
    let mut history = vec![nothing; 4];
    history.extend([
        SEEK,
        Op::Freeze { process: 0 },
        Op::Start,
        Op::Terminate { process: 2 },
        Op::Wait(4_998),
    ]);
    lives(6_750_937_630_464_253_747, history);
}

/// The game was over and forgotten before its copy could be dropped in a store that had been away, and nobody did it then.
#[test]
fn a_copy_of_a_game_that_was_let_go_is_dropped_when_its_store_is_back() {
    let history = vec![
        Op::LogGoes,
        Op::Seek { pair: 0, terms: 14 },
        Op::Running(Access::Gone),
        Op::Wait(290_000),
        SEEK,
    ];
    lives(0, history);
}
