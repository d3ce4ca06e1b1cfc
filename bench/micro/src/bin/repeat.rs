//! Takes one step so many times, for a tool that counts what that takes: `repeat NAME TIMES`; without arguments it names
//! the steps.

use anyhow::{Context, bail};
use turnstream_micro::{Middle, STEPS};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, times] = &arguments[..] else {
        if !arguments.is_empty() {
            bail!("usage: repeat [NAME TIMES]");
        }
        for (name, _) in STEPS {
            println!("{name}");
        }
        return Ok(());
    };
    let (_, step) = STEPS
        .iter()
        .find(|(known, _)| known == name)
        .context("no such step")?;
    let times: u32 = times.parse()?;
    let middle = Middle::new();
    for _ in 0..times {
        step(&middle);
    }
    Ok(())
}
