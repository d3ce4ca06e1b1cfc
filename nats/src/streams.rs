//! The streams: data files, applied on every connection.

use async_nats::Client;
use async_nats::jetstream::ErrorCode;
use serde_json::{Map, Value};

use crate::api::{self, ApiError, StreamInfo};
use crate::config::NatsConfig;

const DEFINITIONS: [&str; 2] = [
    include_str!("../streams/GAMES.json"),
    include_str!("../streams/DEAD.json"),
];

/// Nanoseconds in a millisecond: the server's unit of time.
const NANOS: u64 = 1_000_000;

/// A stream as it has to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    name: String,
    config: Map<String, Value>,
}

/// The streams, with what the configuration decides.
pub fn definitions(config: &NatsConfig) -> Vec<Definition> {
    DEFINITIONS
        .into_iter()
        .map(|file| {
            let mut definition: Map<String, Value> =
                serde_json::from_str(file).expect("a test reads the files compiled in");
            definition.insert("num_replicas".to_owned(), config.replicas.into());
            definition.insert(
                "max_age".to_owned(),
                config.max_age_ms.saturating_mul(NANOS).into(),
            );
            let name = definition["name"]
                .as_str()
                .expect("a test reads the files compiled in")
                .to_owned();
            Definition {
                name,
                config: definition,
            }
        })
        .collect()
}

/// Creates a stream, or changes it to its definition. One that is as it has to be is left alone: on a cluster a change
/// needs more nodes than publishing does.
pub async fn apply(client: &Client, definition: &Definition) -> Result<(), ApiError> {
    let Definition { name, config } = definition;
    let what = match api::stream_info(client, name).await {
        Ok(info) if has_all(&info.config, config) => return Ok(()),
        Ok(_) => format!("STREAM.UPDATE.{name}"),
        Err(error) if error.is(ErrorCode::STREAM_NOT_FOUND) => format!("STREAM.CREATE.{name}"),
        Err(error) => return Err(error),
    };
    let info: StreamInfo = api::ask(client, &what, config, 5 * api::DEADLINE).await?;
    tracing::info!(stream = name, created = info.created, "stream definition applied");
    Ok(())
}

/// Whether the server's description says what ours does; it also names what we leave to its defaults.
fn has_all(described: &Value, wanted: &Map<String, Value>) -> bool {
    wanted
        .iter()
        .all(|(field, value)| described.get(field).unwrap_or(&Value::Null) == value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subjects;
    use async_nats::jetstream::stream::Config;

    #[test]
    fn both_files_define_the_streams_that_the_code_names() {
        let names: Vec<_> = definitions(&NatsConfig::new(""))
            .into_iter()
            .map(|d| d.name)
            .collect();
        assert_eq!(names, [subjects::GAMES_STREAM, subjects::DEAD_STREAM]);
    }

    #[test]
    fn every_field_is_one_that_the_server_knows() {
        for definition in definitions(&NatsConfig::new("")) {
            let known: Config = serde_json::from_value(definition.config.clone().into()).unwrap();
            let known = serde_json::to_value(known).unwrap();
            for field in definition.config.keys() {
                assert!(
                    known.get(field).is_some() || definition.config[field] == 0,
                    "{field}"
                );
            }
        }
    }

    #[test]
    fn the_configuration_decides_replicas_and_age() {
        let config = NatsConfig {
            replicas: 3,
            max_age_ms: 5,
            ..NatsConfig::new("")
        };
        for definition in definitions(&config) {
            assert_eq!(definition.config["num_replicas"], 3);
            assert_eq!(definition.config["max_age"], 5_000_000);
        }
    }

    #[test]
    fn an_event_is_in_the_stream_that_holds_its_subjects() {
        let games = &definitions(&NatsConfig::new(""))[0].config;
        assert_eq!(games["subjects"], serde_json::json!([subjects::all_named("*")]));
        let dead = &definitions(&NatsConfig::new(""))[1].config;
        assert_eq!(dead["subjects"], serde_json::json!([subjects::DEAD_LETTERS]));
    }

    #[tokio::test]
    async fn a_stream_just_made_is_as_it_has_to_be() {
        let server = testkit::services::Nats::start().await.unwrap();
        let (user, password) = testkit::services::Nats::credentials();
        let options = async_nats::ConnectOptions::with_user_and_password(user, password);
        let client = options.connect(server.address()).await.unwrap();
        for definition in definitions(&NatsConfig::new(server.url())) {
            apply(&client, &definition).await.unwrap();
            let info = api::stream_info(&client, &definition.name).await.unwrap();
            assert!(has_all(&info.config, &definition.config), "{}", info.config);
        }
    }
}
