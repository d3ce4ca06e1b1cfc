//! The service's keys: what tokens and links are signed with.
//!
//! The first key signs; every key that is configured is accepted. Each purpose has a key of its own, derived from it.

use std::fmt;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The fewest bytes of a key.
pub const MIN_KEY_BYTES: usize = 32;

/// Text that must not be seen: printing it for debugging shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(String);

impl Hidden {
    /// The text itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Hidden {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for Hidden {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

#[derive(Clone)]
struct Key {
    id: String,
    bytes: Vec<u8>,
}

/// One or more keys.
#[derive(Clone)]
pub struct Secret {
    keys: Vec<Key>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.keys.iter().map(|key| &key.id))
            .finish()
    }
}

/// Why there are no keys. No message holds any of the secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Nothing was configured, and it may not be made up.
    #[error(
        "a secret is needed when a server is configured: set TURNSTREAM_SECRET or --secret-file to `id:hex`, at \
         least {MIN_KEY_BYTES} random bytes (for example `k1:` and the output of `openssl rand -hex 32`)"
    )]
    Missing,
    /// An entry is not `id:hex`.
    #[error("entry {0} of the secret is not of the form `id:hex`; ids are 1 to 32 of a-z, A-Z, 0-9, - and _")]
    Form(usize),
    /// A key is too short.
    #[error("key `{0}` of the secret is shorter than {MIN_KEY_BYTES} bytes")]
    Short(String),
    /// Two keys have one id.
    #[error("two keys of the secret have the id `{0}`")]
    Twice(String),
    /// The file cannot be read or written.
    #[error("the secret file {path} cannot be used: {why}")]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        #[source]
        why: io::Error,
    },
    /// The system gave no random bytes.
    #[error("the system gives no random bytes: {0}")]
    NoRandomness(getrandom::Error),
}

/// What to do when no secret is configured.
#[derive(Debug, Clone, Copy)]
pub enum Fallback<'a> {
    /// Keep one in this directory: made at the first start.
    KeepIn(&'a Path),
    /// Make one up that ends with the process.
    Ephemeral,
    /// Do not start.
    Refuse,
}

impl Secret {
    /// Reads `id:hex,…`.
    ///
    /// # Errors
    /// [`SecretError`] about the form; an empty text is [`SecretError::Missing`].
    pub fn parse(text: &str) -> Result<Self, SecretError> {
        let mut keys: Vec<Key> = Vec::new();
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        for (index, entry) in entries.enumerate() {
            let key = parse_key(entry).ok_or(SecretError::Form(index + 1))?;
            if key.bytes.len() < MIN_KEY_BYTES {
                return Err(SecretError::Short(key.id));
            }
            if keys.iter().any(|other| other.id == key.id) {
                return Err(SecretError::Twice(key.id));
            }
            keys.push(key);
        }
        if keys.is_empty() {
            Err(SecretError::Missing)
        } else {
            Ok(Self { keys })
        }
    }

    /// Takes the secret from `value`, else from `file`, else by `fallback`.
    ///
    /// # Errors
    /// [`SecretError`].
    pub fn load(
        value: Option<&Hidden>,
        file: Option<&Path>,
        fallback: Fallback<'_>,
    ) -> Result<Self, SecretError> {
        if let Some(value) = value {
            return Self::parse(value.expose());
        }
        if let Some(file) = file {
            return Self::read(file);
        }
        match fallback {
            Fallback::KeepIn(directory) => Self::read_or_create(&directory.join("secret")),
            Fallback::Ephemeral => Self::parse(&random_key()?),
            Fallback::Refuse => Err(SecretError::Missing),
        }
    }

    fn read(path: &Path) -> Result<Self, SecretError> {
        let text = std::fs::read_to_string(path).map_err(|why| file_error(path, why))?;
        Self::parse(text.trim())
    }

    fn read_or_create(path: &Path) -> Result<Self, SecretError> {
        match std::fs::exists(path) {
            Ok(true) => {}
            Ok(false) => create(path)?,
            Err(why) => return Err(file_error(path, why)),
        }
        Self::read(path)
    }

    /// The id of the key that signs now.
    pub fn signing_key_id(&self) -> &str {
        &self.keys[0].id
    }

    /// Signs `message` for `purpose` with the first key.
    pub fn sign(&self, purpose: &str, message: &[u8]) -> Vec<u8> {
        mac(&self.keys[0], purpose, message)
            .finalize()
            .into_bytes()
            .to_vec()
    }

    /// 32 bytes that follow from the key `key_id`, the purpose and the message, and tell nothing of the key; `None`
    /// without that key.
    pub fn derive(&self, key_id: &str, purpose: &str, message: &[u8]) -> Option<[u8; 32]> {
        let key = self.keys.iter().find(|key| key.id == key_id)?;
        Some(mac(key, purpose, message).finalize().into_bytes().into())
    }

    /// Whether `signature` is the key `key_id`'s for `message` and `purpose`; compared in constant time.
    pub fn verifies(&self, key_id: &str, purpose: &str, message: &[u8], signature: &[u8]) -> bool {
        self.keys
            .iter()
            .find(|key| key.id == key_id)
            .is_some_and(|key| mac(key, purpose, message).verify_slice(signature).is_ok())
    }
}

fn parse_key(entry: &str) -> Option<Key> {
    let (id, hex_text) = entry.split_once(':')?;
    let plain = (1..=32).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    let bytes = hex::decode(hex_text).ok()?;
    plain.then(|| Key {
        id: id.to_owned(),
        bytes,
    })
}

fn hmac_of(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of any length")
}

fn mac(key: &Key, purpose: &str, message: &[u8]) -> Hmac<Sha256> {
    let mut derive = hmac_of(&key.bytes);
    derive.update(b"turnstream ");
    derive.update(purpose.as_bytes());
    let mut mac = hmac_of(&derive.finalize().into_bytes());
    mac.update(message);
    mac
}

fn random_key() -> Result<String, SecretError> {
    let mut bytes = [0; MIN_KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(SecretError::NoRandomness)?;
    Ok(format!("k1:{}", hex::encode(bytes)))
}

/// Makes the file once: written aside and linked into place, so that neither a crash nor a second process leaves half
/// a key or replaces one.
fn create(path: &Path) -> Result<(), SecretError> {
    let mut suffix = [0; 8];
    getrandom::fill(&mut suffix).map_err(SecretError::NoRandomness)?;
    let aside = path.with_extension(hex::encode(suffix));
    let key = random_key()?;
    let done = write_private(&aside, &key).and_then(|()| match std::fs::hard_link(&aside, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    });
    let removed = std::fs::remove_file(&aside);
    done.and(removed).map_err(|why| file_error(path, why))
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}

fn file_error(path: &Path, why: io::Error) -> SecretError {
    SecretError::File {
        path: path.to_owned(),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn key(id: &str, byte: &str) -> String {
        format!("{id}:{}", byte.repeat(32))
    }

    #[test]
    fn the_first_key_signs_and_every_key_is_accepted() {
        let old = Secret::parse(&key("a", "11")).expect("one good key");
        let new = Secret::parse(&format!("{},{}", key("b", "22"), key("a", "11"))).expect("two good keys");
        assert_eq!(new.signing_key_id(), "b");
        let signature = old.sign("guest", b"x");
        assert!(new.verifies("a", "guest", b"x", &signature));
        assert!(!new.verifies("b", "guest", b"x", &signature));
    }

    #[test]
    fn a_signature_serves_one_purpose_and_one_message() {
        let secret = Secret::parse(&key("a", "11")).expect("one good key");
        let signature = secret.sign("guest", b"x");
        assert!(!secret.verifies("a", "invitation", b"x", &signature));
        assert!(!secret.verifies("a", "guest", b"y", &signature));
        assert!(!secret.verifies("a", "guest", b"x", &signature[1..]));
    }

    #[test]
    fn what_is_not_a_secret_is_refused_without_showing_it() {
        assert!(matches!(Secret::parse(""), Err(SecretError::Missing)));
        assert!(matches!(Secret::parse("hunter2"), Err(SecretError::Form(1))));
        assert!(matches!(Secret::parse("a:zz"), Err(SecretError::Form(1))));
        assert!(matches!(Secret::parse("a:abcd"), Err(SecretError::Short(_))));
        let twice = format!("{},{}", key("a", "11"), key("a", "22"));
        assert!(matches!(Secret::parse(&twice), Err(SecretError::Twice(_))));
        assert!(!format!("{:?}", Secret::parse(&key("a", "ab"))).contains("abab"));
        assert!(!format!("{:?}", Hidden::from("hunter2")).contains("hunter2"));
    }

    #[test]
    fn an_embedded_service_makes_its_secret_once_and_keeps_it_private() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let data = directory.path().join("data");
        let load = || Secret::load(None, None, Fallback::KeepIn(&data)).expect("it can be made");
        let (first, second) = (load(), load());
        assert!(second.verifies(first.signing_key_id(), "p", b"x", &first.sign("p", b"x")));
        let mode = std::fs::metadata(data.join("secret"))
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(
            std::fs::read_dir(&data).expect("readable").count(),
            1,
            "nothing is left aside"
        );
    }

    #[test]
    fn a_configured_server_without_a_secret_stops_the_start() {
        assert!(matches!(
            Secret::load(None, None, Fallback::Refuse),
            Err(SecretError::Missing)
        ));
    }
}
