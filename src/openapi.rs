//! The description of the HTTP interface, `OpenAPI` 3.1, made from the routes themselves and the bodies' own types.

use contract::problem::{Problem, ProblemType};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::http::route::{Answer, Caller, Operation, schema};
use crate::http::routes;

/// The document.
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes() {
        let path = paths.entry(route.doc.path).or_insert_with(|| json!({}));
        path[route.doc.method.to_lowercase()] = operation(&route.doc, &mut generator);
    }
    let problem = generator.subschema_for::<Problem>();
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "turnstream",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Live turn-based board games. Every error is a problem document; 429 and 503 carry \
                `Retry-After`. A guest's answer may carry a younger token in `x-renewed-token`.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {
                "type": "http",
                "scheme": "bearer",
                "description": "A guest's token from `POST /guests`, or an account's access token.",
            }},
            "responses": {"Problem": {
                "description": "A problem.",
                "content": {"application/problem+json": {"schema": problem}},
            }},
            "schemas": schemas,
        },
    })
}

fn operation(doc: &Operation, generator: &mut SchemaGenerator) -> Value {
    let mut value = json!({
        "operationId": doc.id,
        "summary": doc.summary,
        "parameters": parameters(doc, generator),
        "responses": responses(doc, generator),
    });
    match doc.caller {
        Caller::Anybody => {}
        Caller::Optional => value["security"] = json!([{}, {"bearer": []}]),
        Caller::User => value["security"] = json!([{"bearer": []}]),
    }
    if let Some(body) = doc.body {
        let schema = body(generator);
        let required = needs_members(&schema, generator);
        let content = json!({"application/json": {"schema": schema}});
        value["requestBody"] = json!({"required": required, "content": content});
    }
    value
}

/// Whether a body must say something: an absent one is taken for `{}`.
fn needs_members(schema: &Schema, generator: &SchemaGenerator) -> bool {
    let name = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next());
    let found = name.and_then(|name| generator.definitions().get(name));
    found
        .unwrap_or(schema.as_value())
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|members| !members.is_empty())
}

fn parameters(doc: &Operation, generator: &mut SchemaGenerator) -> Vec<Value> {
    let mut parameters = Vec::new();
    if doc.path.contains("{id}") {
        let id = schema::<contract::GameId>(generator);
        parameters.push(
            json!({"name": "id", "in": "path", "required": true, "description": "The game.", "schema": id}),
        );
    }
    if doc.path.contains("{name}") {
        let name = schema::<String>(generator);
        parameters.push(
            json!({"name": "name", "in": "path", "required": true, "description": "Its last segment.", "schema": name}),
        );
    }
    parameters.extend(doc.query.iter().map(|parameter| {
        json!({
            "name": parameter.name, "in": "query", "description": parameter.help,
            "schema": (parameter.schema)(generator),
        })
    }));
    parameters
}

fn responses(doc: &Operation, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let (status, answer) = doc.success;
    let mut success = json!({"description": doc.summary});
    match answer {
        Answer::Json(schema) => {
            success["content"] = json!({"application/json": {"schema": schema(generator)}});
        }
        Answer::Other(media) => success["content"] = json!({media: {}}),
        Answer::Empty => {}
    }
    responses.insert(status.to_string(), success);
    let mut problems = doc.problems.to_vec();
    if doc.caller != Caller::Anybody {
        problems.push(ProblemType::Unauthenticated);
    }
    if doc.body.is_some() {
        problems.extend([ProblemType::BadRequest, ProblemType::TooLarge]);
    }
    for status in problems.iter().map(|problem| problem.status()) {
        let uris: Vec<&str> = problems
            .iter()
            .filter(|p| p.status() == status)
            .map(|p| p.uri())
            .collect();
        let response = json!({
            "description": uris.join(", "),
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        });
        responses.insert(status.to_string(), response);
    }
    responses.insert(
        "default".to_owned(),
        json!({"$ref": "#/components/responses/Problem"}),
    );
    Value::Object(responses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        for document in [document(), crate::asyncapi::document()] {
            let text = document.to_string();
            for reference in text
                .split("\"$ref\":\"#")
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
            {
                assert!(document.pointer(reference).is_some(), "{reference}");
            }
        }
    }

    #[test]
    fn only_a_body_with_a_member_that_must_be_there_is_required() {
        let document = document();
        let required = |path: &str| document["paths"][path]["post"]["requestBody"]["required"].clone();
        assert_eq!(required("/guests"), false, "the name is optional");
        assert_eq!(required("/games"), true);
    }

    #[test]
    fn what_a_query_may_ask_for_is_bounded() {
        let document = document();
        for path in ["/games/me", "/games/popular"] {
            let limit = &document["paths"][path]["get"]["parameters"][0];
            assert_eq!(limit["name"], "limit");
            let bounds = json!({"type": "integer", "minimum": 1, "maximum": 20});
            assert_eq!(limit["schema"], bounds);
        }
    }

    #[test]
    fn no_operation_has_anothers_name() {
        let mut ids: Vec<&str> = routes().iter().map(|route| route.doc.id).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
