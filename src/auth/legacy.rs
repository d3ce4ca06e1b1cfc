//! Legacy user keys, only with `LEGACY_USERKEY_AUTH=true`: an old client's only credential is a key that it made itself.
//!
//! The key is a secret of its owner. Everybody sees the public id made from it; its owner alone gets answers in which
//! that public id is replaced by the key, since an old client recognises itself by it.

use contract::{PlayerSummary, UserId};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::secret::Hidden;

/// A key, never shown to anybody but its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserKey(Hidden);

impl UserKey {
    /// Takes a key of 8 to 128 printable characters. A short one would be guessed.
    pub fn new(key: &str) -> Option<Self> {
        let good = (8..=128).contains(&key.chars().count()) && !key.chars().any(char::is_control);
        good.then(|| Self(key.into()))
    }

    /// The public id of its owner: `legacy:` and the first 20 hex digits of the key's SHA-256.
    pub fn public_id(&self) -> UserId {
        let digest = hex::encode(Sha256::digest(self.0.expose().as_bytes()));
        UserId::new(format!("legacy:{}", &digest[..20]))
    }

    /// Its owner, as others see them.
    pub fn player(&self) -> PlayerSummary {
        PlayerSummary {
            user_id: self.public_id(),
            name: None,
            is_guest: false,
        }
    }

    /// `answer` in JSON, with the owner's own public id replaced by the key. Only ever for its owner.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn own_encoding<T: Serialize>(&self, answer: &T) -> serde_json::Result<Value> {
        let mut value = serde_json::to_value(answer)?;
        replace(&mut value, self.public_id().as_str(), self.0.expose());
        Ok(value)
    }
}

/// What dice were made of: there a public id is a text like any other, and with another one the dice would be others.
const MADE_DICE: [&str; 2] = ["clientSeeds", "seed"];

fn replace(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text == from => to.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, from, to)),
        Value::Object(fields) => fields
            .iter_mut()
            .filter(|(name, _)| !MADE_DICE.contains(&name.as_str()))
            .for_each(|(_, field)| replace(field, from, to)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_public_id_is_the_beginning_of_the_hash() {
        let key = UserKey::new("user-key-1").expect("ten characters");
        let id = key.public_id();
        assert_eq!(id.as_str().len(), "legacy:".len() + 20);
        assert!(!id.as_str().contains("user-key"));
        assert!(!format!("{key:?}").contains("user-key"));
    }

    #[test]
    fn a_legacy_player_sees_their_own_key_and_nobody_elses() {
        let (mine, other) = (
            UserKey::new("my-own-key").expect("good"),
            UserKey::new("other-key").expect("good"),
        );
        let game = json!({
            "player1": {"userId": mine.public_id()}, "player2": {"userId": other.public_id()},
            "history": [{"playerId": mine.public_id()}, {"playerId": other.public_id()}],
            "fairness": {"clientSeeds": {"player1": mine.public_id()}},
        });
        assert_eq!(
            mine.own_encoding(&game).expect("it is JSON"),
            json!({
                "player1": {"userId": "my-own-key"}, "player2": {"userId": other.public_id()},
                "history": [{"playerId": "my-own-key"}, {"playerId": other.public_id()}],
                "fairness": {"clientSeeds": {"player1": mine.public_id()}},
            })
        );
    }

    #[test]
    fn a_key_that_would_be_guessed_is_none() {
        assert_eq!(UserKey::new("1234567"), None);
        assert_eq!(UserKey::new(&"x".repeat(129)), None);
        assert_eq!(UserKey::new("12345678\n"), None);
    }
}
