//! What a command says on the standard output and the standard error.
//!
//! Whoever reads may go away before everything is said, as `head` does: then it has seen enough. The macros of the
//! standard library panic there, and so are not used.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Prints a text and a line break.
///
/// # Errors
/// The output cannot be written, other than as nobody reads it any more.
pub fn print(text: impl Display) -> std::io::Result<()> {
    to(&mut std::io::stdout().lock(), text)
}

/// Says something on the standard error. If that cannot be written there is nowhere to say so.
pub fn complain(text: impl Display) {
    let _ = to(&mut std::io::stderr().lock(), text);
}

fn to(out: &mut impl Write, text: impl Display) -> std::io::Result<()> {
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        said => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_who_reads_is_no_error_and_no_room_is_one() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        to(&mut writer, "something").expect("they have seen enough");
        let full = std::fs::File::options().write(true).open("/dev/full");
        let full = to(&mut full.expect("Linux has it"), "something");
        assert_eq!(full.expect_err("it has no room").kind(), ErrorKind::StorageFull);
    }
}
