//! How long each step of a move's way takes.

use criterion::{Criterion, criterion_group, criterion_main};
use turnstream_micro::{Middle, STEPS};

fn steps(c: &mut Criterion) {
    let middle = Middle::new();
    for (name, step) in STEPS {
        c.bench_function(name, |b| b.iter(|| step(&middle)));
    }
}

criterion_group!(benches, steps);
criterion_main!(benches);
