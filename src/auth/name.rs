//! Names that others see: chosen by a guest, or an account's user name. Never an e-mail address.

/// The most characters of a name.
pub const MAX_CHARS: usize = 32;

/// The name a guest chose, tidied; `Ok(None)` for an empty one.
///
/// # Errors
/// What is wrong with it, for the guest.
pub fn chosen(name: &str) -> Result<Option<String>, &'static str> {
    let name = name.trim();
    if name.is_empty() {
        return Ok(None);
    }
    if name.chars().count() > MAX_CHARS {
        return Err("a name has at most 32 characters");
    }
    if name.chars().any(char::is_control) {
        return Err("a name has no control characters");
    }
    if looks_like_email(name) {
        return Err("a name is not an e-mail address");
    }
    Ok(Some(name.to_owned()))
}

/// The name of an account, cut to length; `None` if it should not be shown.
pub fn of_account(username: &str) -> Option<String> {
    let name: String = username
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_CHARS)
        .collect();
    (!name.is_empty() && !looks_like_email(username)).then_some(name)
}

fn looks_like_email(name: &str) -> bool {
    name.contains('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_name_is_trimmed_and_bounded() {
        assert_eq!(chosen("  Ayşe "), Ok(Some("Ayşe".into())));
        assert_eq!(chosen("   "), Ok(None));
        assert!(chosen(&"ş".repeat(32)).is_ok());
        assert!(chosen(&"ş".repeat(33)).is_err());
        assert!(chosen("a\nb").is_err());
    }

    #[test]
    fn an_email_address_is_never_a_name() {
        assert!(chosen("a@example.org").is_err());
        assert_eq!(of_account("a@example.org"), None);
        assert_eq!(of_account(&format!("{}@example.org", "a".repeat(40))), None);
        assert_eq!(of_account("ayse"), Some("ayse".into()));
    }
}
