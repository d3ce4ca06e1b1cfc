//! What settings name without holding it: passwords and certificates.
//!
//! A password has no flag of its own, since every user of a machine can read the arguments of its processes. It is in a
//! variable or in a file, read when it is needed, and in no structure that could be printed.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};

use crate::auth::secret::Hidden;

/// The variables that hold passwords.
pub const SECRETS: [&str; 4] = [NATS_PASSWORD, NATS_TOKEN, VALKEY_PASSWORD, DATABASE_PASSWORD];

pub(super) const NATS_PASSWORD: &str = "NATS_PASSWORD";
pub(super) const NATS_TOKEN: &str = "NATS_TOKEN";
pub(super) const VALKEY_PASSWORD: &str = "VALKEY_PASSWORD";
pub(super) const DATABASE_PASSWORD: &str = "DATABASE_PASSWORD";

/// How certificates begin in a PEM file.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";
/// How keys of every sort do, behind a word or two.
const KEY: &str = "PRIVATE KEY-----";

/// The password in a variable or in a file, if there is one.
///
/// # Errors
/// Both are there, or the file cannot be read or is empty.
pub(super) fn password(variable: &str, file: Option<&Path>) -> anyhow::Result<Option<Hidden>> {
    one_of(variable, variable_of(variable), file)
}

fn one_of(name: &str, variable: Option<String>, file: Option<&Path>) -> anyhow::Result<Option<Hidden>> {
    match (variable, file) {
        (None, None) => Ok(None),
        (Some(value), None) => Ok(Some(value.into())),
        (Some(_), Some(file)) => bail!("both {name} and {} are given: which one?", file.display()),
        (None, Some(file)) => {
            let text = read(file)?;
            let password = text.trim_end_matches(['\r', '\n']);
            ensure!(!password.is_empty(), "{} is empty", file.display());
            Ok(Some(password.into()))
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the configuration")]
fn variable_of(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The text of a file with certificates.
///
/// # Errors
/// It cannot be read, or has none.
pub(super) fn certificates(file: &Path) -> anyhow::Result<String> {
    pem(file, CERTIFICATE, "certificate")
}

/// The text of a file with a private key.
///
/// # Errors
/// It cannot be read, or has none.
pub(super) fn private_key(file: &Path) -> anyhow::Result<String> {
    pem(file, KEY, "private key")
}

fn pem(file: &Path, mark: &str, what: &str) -> anyhow::Result<String> {
    let text = read(file)?;
    ensure!(
        text.contains(mark),
        "{} has no {what} in PEM form",
        file.display()
    );
    Ok(text)
}

fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), text).expect("it can be written");
        file
    }

    #[test]
    fn a_password_is_in_a_variable_or_in_a_file_and_not_in_both() {
        let own = file("hunter2\n");
        let exposed = |found: anyhow::Result<Option<Hidden>>| {
            found
                .expect("it can be read")
                .map(|hidden| hidden.expose().to_owned())
        };
        assert_eq!(exposed(one_of("X", None, None)), None);
        assert_eq!(exposed(one_of("X", Some("a b".into()), None)), Some("a b".into()));
        assert_eq!(
            exposed(one_of("X", None, Some(own.path()))),
            Some("hunter2".into())
        );
        let both = one_of("X", Some("hunter2".into()), Some(own.path())).expect_err("which one?");
        let none = one_of("X", None, Some(file("\n").path())).expect_err("it is empty");
        let missing = one_of("X", None, Some(Path::new("/nowhere"))).expect_err("it is not there");
        for error in [both, none, missing] {
            assert!(!format!("{error:#}").contains("hunter2"), "{error:#}");
        }
    }

    #[test]
    fn a_file_without_what_it_should_have_is_told_by_its_name() {
        let certificate = file("-----BEGIN CERTIFICATE-----\n");
        let key = file("-----BEGIN EC PRIVATE KEY-----\n");
        assert!(certificates(certificate.path()).is_ok() && private_key(key.path()).is_ok());
        for error in [certificates(key.path()), private_key(certificate.path())] {
            let error = error.expect_err("it has none").to_string();
            assert!(error.contains("in PEM form") && error.contains('/'), "{error}");
        }
    }
}
