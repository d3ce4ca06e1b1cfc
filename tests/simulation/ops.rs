//! What may happen, and how often it does.

use proptest::collection::vec;
use proptest::prelude::*;
use testkit::sim::{Access, Fate};

/// A history: what happens, one after the other, and the seed of how long messages take.
#[derive(Debug, Clone)]
pub struct History {
    pub seed: u64,
    pub ops: Vec<Op>,
}

/// What happens. Whoever is meant is counted among those who are there, around and around.
#[derive(Debug, Clone)]
pub enum Op {
    /// Two players ask for a game, of a kind and with a clock that are counted among those there are.
    Seek { pair: u8, terms: u8 },
    /// One invites the other; perhaps to a game whose moves wait for the log.
    Invite { pair: u8, terms: u8, required: bool },
    /// Whoever is to move, as they believe, plays.
    Play { table: u8, choice: u8 },
    /// The same, sent twice at once.
    PlayTwice { table: u8, choice: u8 },
    /// Whoever is not to move plays.
    OutOfTurn { table: u8, choice: u8 },
    /// A player sends their last command once more.
    Resend { player: u8 },
    /// A player will offer a draw with their next move, or not any more.
    OfferDraw { table: u8, second: bool, offer: bool },
    /// A player adds a seed of their own.
    GiveSeed { table: u8, second: bool },
    /// A player leaves their game.
    Leave { table: u8, second: bool },
    /// A player's or spectator's socket closes.
    Drop { client: u8 },
    /// They come back, with what they saw last.
    ComeBack { client: u8, to: u8 },
    /// Somebody who does not play watches.
    Watch { spectator: u8, table: u8 },
    /// Milliseconds pass.
    Wait(u32),
    /// What becomes of a process's next append.
    NextAppend { process: u8, fate: Fate },
    /// The server of the log ends.
    LogGoes,
    /// It starts (again).
    LogReturns { silent_readers: bool },
    /// It starts again as it was so many milliseconds ago.
    LogFallsBack(u16),
    /// A process is cut off from it.
    CutOff { process: u8 },
    /// And no longer.
    Mend { process: u8 },
    /// How the store of running games can be reached.
    Running(Access),
    /// It is emptied, and perhaps everybody has to connect anew.
    RunningEmptied { restarts: bool },
    /// What is in it now is what it will fall back to.
    RunningSaved,
    /// It starts again as it was when it was saved.
    RunningFallsBack,
    /// How the store of finished games can be reached.
    Finished(Access),
    /// It refuses a game for ever.
    Refuse { table: u8 },
    /// A process is killed.
    Kill { process: u8 },
    /// A process ends in good order.
    Terminate { process: u8 },
    /// A process stands still.
    Freeze { process: u8 },
    /// And no longer.
    Thaw { process: u8 },
    /// A process starts, beside those that run.
    Start,
    /// A process's projectors are killed and start again.
    ProjectorsRestart { process: u8 },
    /// A reader's next batch comes twice.
    Redeliver { process: u8 },
    /// Two messages of one game come in the wrong order, to the next reader that gets two at once.
    Reorder { process: u8 },
}

/// Which of a family of histories is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// One process, whose servers come and go.
    Servers,
    /// Processes that are killed, end, and start.
    Processes,
    /// Everything at once.
    Everything,
}

/// Histories of a family.
pub fn histories(family: Family) -> impl Strategy<Value = History> {
    (any::<u64>(), vec(ops(family), 4..40)).prop_map(|(seed, ops)| History { seed, ops })
}

fn ops(family: Family) -> BoxedStrategy<Op> {
    match family {
        Family::Servers => prop_oneof![5 => playing(), 3 => waiting(), 4 => servers()].boxed(),
        Family::Processes => prop_oneof![5 => playing(), 3 => waiting(), 3 => processes()].boxed(),
        Family::Everything => {
            prop_oneof![5 => playing(), 3 => waiting(), 2 => servers(), 2 => processes()].boxed()
        }
    }
}

fn playing() -> impl Strategy<Value = Op> {
    let few = 0..4_u8;
    prop_oneof![
        2 => (few.clone(), any::<u8>()).prop_map(|(pair, terms)| Op::Seek { pair, terms }),
        2 => (few.clone(), any::<u8>(), any::<bool>())
            .prop_map(|(pair, terms, required)| Op::Invite { pair, terms, required }),
        10 => (few.clone(), any::<u8>()).prop_map(|(table, choice)| Op::Play { table, choice }),
        2 => (few.clone(), any::<u8>()).prop_map(|(table, choice)| Op::PlayTwice { table, choice }),
        1 => (few.clone(), any::<u8>()).prop_map(|(table, choice)| Op::OutOfTurn { table, choice }),
        2 => (0..8_u8).prop_map(|player| Op::Resend { player }),
        1 => (few.clone(), any::<bool>(), any::<bool>())
            .prop_map(|(table, second, offer)| Op::OfferDraw { table, second, offer }),
        2 => (few.clone(), any::<bool>()).prop_map(|(table, second)| Op::GiveSeed { table, second }),
        1 => (few.clone(), any::<bool>()).prop_map(|(table, second)| Op::Leave { table, second }),
        1 => (0..10_u8).prop_map(|client| Op::Drop { client }),
        3 => (0..10_u8, few.clone()).prop_map(|(client, to)| Op::ComeBack { client, to }),
        1 => (0..2_u8, few).prop_map(|(spectator, table)| Op::Watch { spectator, table }),
    ]
}

/// The last is a time in which whoever is away loses: seldom, since it takes long to simulate.
fn waiting() -> impl Strategy<Value = Op> {
    prop_oneof![
        32 => 1..30_u32,
        24 => 100..900_u32,
        16 => 1_000..6_000_u32,
        4 => 8_000..20_000_u32,
        1 => 290_000..400_000_u32,
    ]
    .prop_map(Op::Wait)
}

fn fates() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::Lost),
        Just(Fate::AnswerLost),
        (1..4_000_u64).prop_map(Fate::Late),
    ]
}

fn deaths() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::DiesBefore),
        Just(Fate::DiesAfter),
        (1..6_000_u64).prop_map(Fate::DiesAndLate),
    ]
}

fn accesses() -> impl Strategy<Value = Access> {
    prop_oneof![
        4 => Just(Access::Open),
        2 => Just(Access::Gone),
        1 => Just(Access::Hung),
        1 => Just(Access::Mute),
    ]
}

fn servers() -> impl Strategy<Value = Op> {
    let process = 0..3_u8;
    prop_oneof![
        3 => (process.clone(), fates()).prop_map(|(process, fate)| Op::NextAppend { process, fate }),
        3 => Just(Op::LogGoes),
        5 => any::<bool>().prop_map(|silent_readers| Op::LogReturns { silent_readers }),
        1 => (0..8_000_u16).prop_map(Op::LogFallsBack),
        4 => accesses().prop_map(Op::Running),
        1 => any::<bool>().prop_map(|restarts| Op::RunningEmptied { restarts }),
        1 => Just(Op::RunningSaved),
        1 => Just(Op::RunningFallsBack),
        3 => accesses().prop_map(Op::Finished),
        1 => (0..4_u8).prop_map(|table| Op::Refuse { table }),
        1 => process.clone().prop_map(|process| Op::ProjectorsRestart { process }),
        1 => process.clone().prop_map(|process| Op::Redeliver { process }),
        1 => process.prop_map(|process| Op::Reorder { process }),
    ]
}

fn processes() -> impl Strategy<Value = Op> {
    let process = 0..3_u8;
    prop_oneof![
        3 => Just(Op::Start),
        3 => process.clone().prop_map(|process| Op::Kill { process }),
        1 => process.clone().prop_map(|process| Op::Terminate { process }),
        2 => process.clone().prop_map(|process| Op::Freeze { process }),
        3 => process.clone().prop_map(|process| Op::Thaw { process }),
        2 => process.clone().prop_map(|process| Op::CutOff { process }),
        3 => process.clone().prop_map(|process| Op::Mend { process }),
        2 => (process, deaths()).prop_map(|(process, fate)| Op::NextAppend { process, fate }),
    ]
}
