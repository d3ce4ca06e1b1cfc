//! Signed tokens: `<purpose>.<key id>.<payload>.<signature>`, payload and signature in URL-safe base64.
//!
//! What a token means is its user's affair (`guest`, `invitation`); here is only that nobody else could have made it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::secret::Secret;

/// The longest token that is looked at.
const MAX_LENGTH: usize = 4096;

/// A token of `purpose` with `payload` in it.
pub fn seal<T: Serialize>(secret: &Secret, purpose: &str, payload: &T) -> String {
    let json = serde_json::to_vec(payload).expect("payloads have string keys and finite numbers only");
    let message = format!("{purpose}.{}.{}", secret.signing_key_id(), BASE64.encode(json));
    let signature = secret.sign(purpose, message.as_bytes());
    format!("{message}.{}", BASE64.encode(signature))
}

/// The payload of a token of `purpose` and the id of the key that signed it; `None` if it is not one of ours.
pub fn open<T: DeserializeOwned>(secret: &Secret, purpose: &str, token: &str) -> Option<(T, String)> {
    if token.len() > MAX_LENGTH {
        return None;
    }
    let (message, signature) = token.rsplit_once('.')?;
    let mut parts = message.split('.');
    let (of, key_id, payload) = (parts.next()?, parts.next()?, parts.next()?);
    if of != purpose || parts.next().is_some() {
        return None;
    }
    let signature = BASE64.decode(signature).ok()?;
    if !secret.verifies(key_id, purpose, message.as_bytes(), &signature) {
        return None;
    }
    let payload = serde_json::from_slice(&BASE64.decode(payload).ok()?).ok()?;
    Some((payload, key_id.to_owned()))
}

/// Whether a token says of itself that it is of `purpose`.
pub fn claims_to_be(purpose: &str, token: &str) -> bool {
    token
        .strip_prefix(purpose)
        .is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Secret {
        Secret::parse(&format!("k:{}", "5a".repeat(32))).expect("one good key")
    }

    #[test]
    fn a_token_opens_for_its_purpose_only() {
        let token = seal(&secret(), "guest", &"somebody");
        assert_eq!(
            open::<String>(&secret(), "guest", &token),
            Some(("somebody".into(), "k".into()))
        );
        assert_eq!(open::<String>(&secret(), "invitation", &token), None);
        assert!(claims_to_be("guest", &token) && !claims_to_be("gue", &token));
    }

    #[test]
    fn a_token_with_any_character_changed_does_not_open() {
        let token = seal(&secret(), "guest", &"somebody");
        for at in 0..token.len() {
            let mut forged = token.clone().into_bytes();
            // The last character of unpadded base64 has spare bits, which decoding refuses; so any change is one.
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).expect("ASCII");
            assert_eq!(open::<String>(&secret(), "guest", &forged), None, "{forged}");
        }
    }

    #[test]
    fn what_is_no_token_does_not_open() {
        for text in [
            "",
            ".",
            "guest",
            "guest.k.",
            "guest.k..",
            "guest.k.e30.",
            "a.b.c.d.e",
            &"x".repeat(5000),
        ] {
            assert_eq!(open::<String>(&secret(), "guest", text), None);
        }
    }
}
