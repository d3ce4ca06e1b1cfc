//! The description of the WebSocket, `AsyncAPI` 3.0, made from the frames' own types.

use contract::frames::{ClientFrame, SUBPROTOCOL, ServerFrame};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The document.
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let client = messages::<ClientFrame>(&mut generator);
    let server = messages::<ServerFrame>(&mut generator);
    let schemas = generator.take_definitions(true);
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "turnstream",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Frames are JSON text, `{\"channel\": …, \"payload\": …}`. Close codes: 4000 connect again, \
                4001 a newer socket took the seat, 4002 too slow, 4003 no valid credential, 4004 too many frames, 1009 a \
                frame was too large.",
        },
        "channels": {
            "socket": {
                "address": "/ws",
                "description": format!("The subprotocol `{SUBPROTOCOL}`."),
                "messages": references("/components/messages", client.keys().chain(server.keys())),
                "bindings": {"ws": {"query": {"type": "object", "properties": {"ticket": {
                    "type": "string", "description": "A ticket from `POST /ws-ticket`.",
                }}}}},
            },
        },
        "operations": {
            "receive": operation("receive", "What a client sends.", &client),
            "send": operation("send", "What the server sends.", &server),
        },
        "components": {
            "messages": client.clone().into_iter().chain(server.clone()).collect::<Map<_, _>>(),
            "schemas": schemas,
        },
    })
}

fn operation(action: &str, summary: &str, messages: &Map<String, Value>) -> Value {
    let messages: Vec<Value> = messages
        .keys()
        .map(|name| json!({"$ref": format!("#/channels/socket/messages/{name}")}))
        .collect();
    json!({
        "action": action,
        "summary": summary,
        "channel": {"$ref": "#/channels/socket"},
        "messages": messages,
    })
}

fn references<'a>(path: &str, names: impl Iterator<Item = &'a String>) -> Map<String, Value> {
    names
        .map(|name| (name.clone(), json!({"$ref": format!("#{path}/{name}")})))
        .collect()
}

/// One message for each channel of a frame enum, by the channel's name.
fn messages<T: JsonSchema>(generator: &mut schemars::SchemaGenerator) -> Map<String, Value> {
    let schema = T::json_schema(generator).to_value();
    let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
    variants
        .into_iter()
        .filter_map(|variant| {
            let channel = variant["properties"]["channel"]["const"].as_str()?.to_owned();
            let summary = variant["description"].as_str().unwrap_or_default().to_owned();
            let message = json!({"name": channel, "summary": summary, "contentType": "application/json", "payload": variant});
            Some((channel, message))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_channel_is_described() {
        let document = document();
        let messages = document["components"]["messages"].as_object().expect("an object");
        for channel in [
            "authenticate",
            "game_move",
            "ping",
            "on_welcome",
            "on_move_rejected",
            "resync",
            "pong",
        ] {
            assert!(messages.contains_key(channel), "{channel}");
        }
        assert_eq!(messages.len(), 13 + 15);
    }
}
