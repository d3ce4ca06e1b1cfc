//! The JSON Schema of each event's data: what its `dataschema` names, published in `docs/schemas/`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use super::{Anchored, DrawAnswered, DrawArmed, Ended, Moved, Resumed, Rolled, Seeded, Started, cloud};

/// The schema of one event's data.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSchema {
    /// The event's name, such as `moved`.
    pub event: &'static str,
    /// The file that the last segment of `dataschema` names.
    pub file: String,
    /// The schema. Its `$id` is the `dataschema`.
    pub schema: Schema,
}

/// The schemas of all events.
pub fn data_schemas() -> Vec<DataSchema> {
    vec![
        of::<Started>("started"),
        of::<Moved>("moved"),
        of::<Rolled>("rolled"),
        of::<Seeded>("seeded"),
        of::<DrawArmed>("draw_armed"),
        of::<DrawAnswered>("draw_answered"),
        of::<Resumed>("resumed"),
        of::<Anchored>("anchored"),
        of::<Ended>("ended"),
    ]
}

fn of<T: JsonSchema>(event: &'static str) -> DataSchema {
    let uri = cloud::schema_uri(event).as_ref().to_owned();
    let mut schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    schema.insert("$id".to_owned(), uri.clone().into());
    let file = uri.rsplit('/').next().unwrap_or_default().to_owned();
    DataSchema { event, file, schema }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;

    #[test]
    fn every_event_has_a_schema() {
        let events = schemars::schema_for!(Event).to_value();
        let mut names: Vec<&str> = events["oneOf"]
            .as_array()
            .expect("an enum is one of its variants")
            .iter()
            .filter_map(|variant| variant["properties"]["type"]["const"].as_str())
            .collect();
        names.sort_unstable();
        let mut described: Vec<&str> = data_schemas().iter().map(|schema| schema.event).collect();
        described.sort_unstable();
        assert_eq!(described, names);
    }
}
