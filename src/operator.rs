//! The operators' commands: clients of a running service's administration port.
//!
//! **Belongs here:** what each command asks, how its answer is shown, with which code it ends. **Does not:** the work
//! itself, which the service does ([`operations`](crate::operations)): a command that is interrupted stops it there.
//!
//! On a terminal answers are made for people; elsewhere they are JSON, one document or one object a line.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Args;

use crate::said;

pub mod admin;
pub mod dead_letters;
pub mod erase;
mod following;
pub mod rebuild;
pub mod status;
pub mod verify;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything is as it should be: 0.
    Well,
    /// It did what was asked, and something is not as it should be: 1.
    Trouble,
    /// It could not do what was asked: 2.
    Failed,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Well => Self::SUCCESS,
            Verdict::Trouble => Self::from(1),
            Verdict::Failed => Self::from(2),
        }
    }
}

/// Where the service is, and how to answer.
#[derive(Debug, Clone, Args)]
pub struct Asked {
    /// The administration port of a running service.
    #[arg(
        long,
        env = "TURNSTREAM_ADMIN_URL",
        default_value = "http://127.0.0.1:9090",
        value_name = "URL"
    )]
    pub admin_url: String,

    /// Answer in JSON on a terminal too; elsewhere it is JSON anyway.
    #[arg(long)]
    pub json: bool,
}

impl Asked {
    /// Whether the answer is for a person.
    pub fn is_for_a_person(&self) -> bool {
        !self.json && std::io::stdout().is_terminal()
    }
}

/// Prints an answer, for a person or as JSON.
fn print(
    asked: &Asked,
    answer: &serde_json::Value,
    text: impl FnOnce(&serde_json::Value) -> String,
) -> std::io::Result<()> {
    if asked.is_for_a_person() {
        said::print(text(answer))
    } else {
        said::print(answer)
    }
}

/// Says why there is no answer.
fn failed(error: &admin::AdminError) -> Verdict {
    said::complain(format_args!("turnstream: {error}"));
    Verdict::Failed
}

/// A name in JSON as words.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}
