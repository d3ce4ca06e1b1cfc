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
    if name.chars().any(is_unseen) {
        return Err("a name has no control or invisible characters");
    }
    if !name.chars().any(is_seen) {
        return Err("a name has something to see");
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
        .filter(|c| !is_unseen(*c))
        .take(MAX_CHARS)
        .collect();
    (name.chars().any(is_seen) && !looks_like_email(username)).then_some(name)
}

/// What shows nothing itself but changes what is around it, or passes for nothing: controls, line ends, the marks that
/// turn the direction of text (a name could rearrange the page that it is shown on), blanks that are none.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Not one of the joiners and variation marks that only live between or after others.
fn is_seen(c: char) -> bool {
    !matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}') && !c.is_whitespace()
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
    fn a_name_cannot_hide_or_rearrange_anything() {
        for bad in [
            "a\u{202e}b",
            "a\u{2066}b",
            "\u{200f}a",
            "a\u{200b}b",
            "a\u{2028}b",
            "a\u{0}b",
            "a\u{1b}[31m",
            "\u{3164}",
            "\u{200d}",
            "\u{200c} \u{fe0f}",
            "\u{e0041}a",
            "\u{feff}a",
        ] {
            assert!(chosen(bad).is_err(), "{bad:?}");
        }
        for good in ["می\u{200c}خواهم", "👩\u{200d}🚀", "❤\u{fe0f}", "Ş İ", "🏴"] {
            assert_eq!(chosen(good), Ok(Some(good.to_owned())), "{good:?}");
        }
        assert_eq!(of_account("a\u{202e}b\u{7}"), Some("ab".into()));
        assert_eq!(of_account("\u{202e}\u{200d}"), None);
    }

    #[test]
    fn an_email_address_is_never_a_name() {
        assert!(chosen("a@example.org").is_err());
        assert_eq!(of_account("a@example.org"), None);
        assert_eq!(of_account(&format!("{}@example.org", "a".repeat(40))), None);
        assert_eq!(of_account("ayse"), Some("ayse".into()));
    }
}
