//! Commands whose reader goes away, as `head` does when it has seen enough.

use std::process::{Command, Stdio};

/// Runs `turnstream` with a standard output that nobody reads; its exit code, and what it complained of.
fn unread(arguments: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_turnstream"))
        .args(arguments)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(writer)
        .output()
        .expect("the program runs");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), complaint)
}

#[test]
fn a_command_whose_reader_goes_away_ends_quietly_and_with_its_code() {
    for (arguments, code) in [
        (&["openapi"][..], 0),
        (&["asyncapi"][..], 0),
        // Nobody is there to be asked.
        (&["status", "--admin-url=http://127.0.0.1:1"][..], 2),
    ] {
        assert_eq!(unread(arguments), (Some(code), String::new()), "{arguments:?}");
    }
}
