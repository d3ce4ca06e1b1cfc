//! Looking through JSON whose shape does not matter.

use serde_json::Value;

/// Looks at every field, however deep it is.
pub fn visit(value: &Value, look: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                look(name, value);
                visit(value, look);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| visit(item, look)),
        _ => {}
    }
}
