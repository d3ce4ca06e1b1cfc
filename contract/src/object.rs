//! What strangers send is a JSON object, with the names of its fields.

use serde::Deserialize;

/// Reads what somebody sent. serde takes an array for a structure as well, field by field: nobody was promised that, and
/// whoever relied on it would be broken by the next field.
///
/// # Errors
/// What is wrong with it, for a person.
pub fn read_object<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, String> {
    match json.trim_ascii_start().as_bytes().first() {
        Some(b'[') => Err("an array where an object belongs".to_owned()),
        _ => serde_json::from_str(json).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Named {
        name: String,
    }

    #[test]
    fn fields_have_names() {
        let ada = Named {
            name: "Ada".to_owned(),
        };
        assert_eq!(read_object(r#" {"name": "Ada"}"#), Ok(ada));
        assert!(read_object::<Named>(r#" ["Ada"]"#).is_err());
        assert!(read_object::<Named>("").is_err());
    }
}
