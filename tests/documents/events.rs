//! `docs/EVENTS.md`.

use contract::event::data_schemas;
use contract::{Envelope, Event};
use serde_json::Value;

use crate::markdown::{Section, read, sections};

fn example(section: &Section) -> (Value, Envelope) {
    let [example] = section.code("json")[..] else {
        panic!("{} has not one example", section.heading);
    };
    let envelope = Envelope::from_bytes(example.as_bytes())
        .unwrap_or_else(|error| panic!("the example of {}: {error}", section.heading));
    (
        serde_json::from_str(example).expect("an envelope is JSON"),
        envelope,
    )
}

fn with_examples(text: &str) -> Vec<Section<'_>> {
    sections(text, 2)
        .into_iter()
        .filter(|section| section.name().is_some())
        .collect()
}

#[test]
fn every_event_has_an_example_that_the_service_reads_and_would_write() {
    let text = read("docs/EVENTS.md");
    let sections = with_examples(&text);
    for section in &sections {
        let (value, envelope) = example(section);
        assert_eq!(section.name(), Some(envelope.event.name()));
        let written: Value = serde_json::from_slice(&envelope.to_bytes()).expect("it is JSON");
        assert_eq!(written, value, "{}", section.heading);
    }
    let mut documented: Vec<&str> = sections.iter().filter_map(Section::name).collect();
    let mut all: Vec<&str> = data_schemas().iter().map(|schema| schema.event).collect();
    documented.sort_unstable();
    all.sort_unstable();
    assert_eq!(documented, all);
}

#[test]
fn the_schema_that_an_event_names_is_published() {
    let text = read("docs/EVENTS.md");
    for section in with_examples(&text) {
        let (value, _) = example(&section);
        let uri = value["dataschema"]
            .as_str()
            .expect("every event names its schema");
        let file = uri.rsplit('/').next().expect("a URI has a last segment");
        let schema: Value =
            serde_json::from_str(&read(&format!("docs/schemas/{file}"))).expect("a schema is JSON");
        assert_eq!(schema["$id"], uri);
        let properties = schema["properties"].as_object().expect("data is an object");
        for field in value["data"].as_object().expect("data is an object").keys() {
            assert!(properties.contains_key(field), "{file} does not know {field}");
        }
        for field in schema["required"].as_array().expect("something is required") {
            let field = field.as_str().expect("a name");
            assert!(!value["data"][field].is_null() || field == "nextSeat" || field == "result");
        }
    }
}

#[test]
fn the_example_of_an_anchored_event_is_the_fold_of_the_game_up_to_there() {
    let text = read("docs/EVENTS.md");
    let sections = with_examples(&text);
    let of = |name: &str| {
        let section = sections.iter().find(|section| section.name() == Some(name));
        example(section.expect("it is there")).1
    };
    let (started, moved, anchored, ended) = (of("started"), of("moved"), of("anchored"), of("ended"));
    let Event::Anchored(state) = &anchored.event else {
        panic!("it is anchored")
    };
    let game = commands::fold::fold(None, &started).expect("it begins the game");
    let game = commands::fold::fold(Some(game), &moved).expect("it is the first move");
    assert_eq!(game.moves[..], state.game.moves[..1]);
    let game = commands::fold::fold(Some(game), &anchored).expect("it closes the hole");
    let game = commands::fold::fold(Some(game), &ended).expect("it follows what the anchored stands for");
    assert!(!game.is_live());
    assert_eq!(game.version, ended.version());
}
