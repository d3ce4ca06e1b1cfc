//! How long it takes to list, count and check the turns of a roll.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use turnstream_rules::dicechess::{LegalTurns, Position, Roll, State, Turn};
use turnstream_rules::kinds::MOST_INLINE_CHOICES;

/// Positions with their dice, from the most turns of the start to a quiet middle game.
const POSITIONS: [(&str, &str); 5] = [
    (
        "start, PPP, 3376 turns",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PPP",
    ),
    (
        "start, PNB, 340 turns",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB",
    ),
    (
        "middle game, PNB, 6282 turns",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 PNB",
    ),
    (
        "middle game, RQK, 522 turns",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 RQK",
    ),
    (
        "middle game, BRK, 102 turns",
        "r1bqk2r/ppppbppp/2n1pn2/1B6/3PP3/2N5/PPP2PPP/R1BQK1NR b KQkq - 0 1 brk",
    ),
];

fn one_roll(c: &mut Criterion) {
    for (name, dfen) in POSITIONS {
        let position: Position = dfen.parse().expect("a DFEN");
        let turns = LegalTurns::of(&position);
        let last = turns.iter().last().expect("there are turns");
        let mut group = c.benchmark_group(name);
        group.bench_function("tree", |b| b.iter(|| LegalTurns::of(black_box(&position))));
        group.bench_function("inline tree", |b| {
            b.iter(|| LegalTurns::at_most(MOST_INLINE_CHOICES, black_box(&position)));
        });
        group.bench_function("count", |b| b.iter(|| black_box(&position).count_turns()));
        group.bench_function("check", |b| {
            b.iter(|| black_box(&position).is_legal(last.moves()));
        });
        group.bench_function("look up", |b| {
            b.iter(|| black_box(&turns).contains(last.moves()));
        });
        group.bench_function("JSON of the tree", |b| {
            b.iter(|| serde_json::to_vec(black_box(&turns)).expect("a tree is JSON"));
        });
        group.finish();
    }
}

/// The positions of a game of the first hundred rolls that some arithmetic throws, each turn some of the list.
fn rolls_of_a_game() -> Vec<State> {
    let mut state = State::initial();
    let mut states = Vec::new();
    for number in 0_usize..100 {
        let faces =
            [number * 7 + 1, number * 5 + number / 6, number * 11 + number / 3].map(|n| (n % 6) as u8 + 1);
        let Ok(rolled) = state.rolled(Roll::new(faces).expect("faces")) else {
            break;
        };
        let turns = rolled.legal_turns();
        let turn = turns
            .iter()
            .nth(number * 37 % turns.len().max(1))
            .unwrap_or(Turn::PASS);
        let seat = rolled.to_move().expect("a rolled game is not over");
        state = rolled.play(seat, &turn).expect("a listed turn is legal").0;
        states.push(rolled);
    }
    states
}

fn a_game(c: &mut Criterion) {
    let states = rolls_of_a_game();
    let turns: usize = states.iter().map(|state| state.position().count_turns()).sum();
    let mut group = c.benchmark_group(format!(
        "a game of {} rolls, {turns} turns to choose from",
        states.len()
    ));
    group.bench_function("trees", |b| {
        b.iter(|| {
            states
                .iter()
                .map(|state| state.legal_turns().len())
                .sum::<usize>()
        });
    });
    group.finish();
}

criterion_group!(benches, one_roll, a_game);
criterion_main!(benches);
