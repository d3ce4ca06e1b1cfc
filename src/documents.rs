//! The documents that are made from the code and committed below `docs/`: `./test generate` writes them, and a test
//! compares.
//!
//! **To add** one: a line in [`all`].

use std::path::Path;

use clap::{Command, CommandFactory};
use contract::event::data_schemas;
use serde_json::Value;

use crate::cli::Cli;
use crate::{asyncapi, openapi};

/// Folders that hold nothing but such documents.
const FOLDERS: [&str; 2] = ["help", "schemas"];

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where it belongs, from `docs/` on.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// All of them.
pub fn all() -> Vec<Document> {
    let mut documents = vec![
        json("openapi.json", &openapi::document()),
        json("asyncapi.json", &asyncapi::document()),
    ];
    for schema in data_schemas() {
        documents.push(json(
            &format!("schemas/{}", schema.file),
            schema.schema.as_value(),
        ));
    }
    documents.extend(help());
    documents
}

/// Writes all of them below `docs`.
///
/// # Errors
/// A file cannot be written.
pub fn write(docs: &Path) -> std::io::Result<()> {
    for folder in FOLDERS {
        std::fs::create_dir_all(docs.join(folder))?;
    }
    for document in all() {
        std::fs::write(docs.join(document.path), document.text)?;
    }
    Ok(())
}

fn json(path: &str, value: &Value) -> Document {
    let text =
        serde_json::to_string_pretty(value).expect("a document has string keys and finite numbers only");
    Document {
        path: path.to_owned(),
        text: text + "\n",
    }
}

/// What `--help` says, for the binary and for each command.
fn help() -> Vec<Document> {
    let mut cli = Cli::command();
    cli.build();
    let mut documents = vec![help_of("turnstream", &cli)];
    help_below("turnstream", &cli, &mut documents);
    documents
}

fn help_below(name: &str, command: &Command, documents: &mut Vec<Document>) {
    for command in command
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        let name = format!("{name}-{}", command.get_name());
        documents.push(help_of(&name, command));
        // The parts of a command that has its settings all in them.
        if command.get_arguments().all(|arg| arg.get_id() == "help") {
            help_below(&name, command, documents);
        }
    }
}

/// Neither the terminal's width nor the environment's values are part of it.
fn help_of(name: &str, command: &Command) -> Document {
    let mut command = command
        .clone()
        .term_width(100)
        .mut_args(|arg| arg.hide_env_values(true));
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    Document {
        path: format!("help/{name}.txt"),
        text: lines.join("\n") + "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");

    #[test]
    fn what_is_committed_is_what_the_code_makes() {
        for Document { path, text } in all() {
            let committed = std::fs::read_to_string(Path::new(DOCS).join(&path)).unwrap_or_default();
            assert!(
                committed == text,
                "docs/{path} is out of date: run `./test generate`"
            );
        }
    }

    #[test]
    fn nothing_else_is_in_their_folders() {
        let made: BTreeSet<String> = all().into_iter().map(|document| document.path).collect();
        for folder in FOLDERS {
            for entry in std::fs::read_dir(Path::new(DOCS).join(folder)).expect("the folder is committed") {
                let name = entry
                    .expect("it can be read")
                    .file_name()
                    .to_string_lossy()
                    .into_owned();
                let path = format!("{folder}/{name}");
                assert!(made.contains(&path), "docs/{path} is made by nothing: delete it");
            }
        }
    }
}
