//! A route and its description, in one place.

use std::sync::Arc;

use axum::routing::MethodRouter;
use contract::problem::ProblemType;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::app::App;

/// Makes the schema of a body or a parameter.
pub type BodySchema = fn(&mut SchemaGenerator) -> Schema;

/// The schema of `T`, made once with all others.
pub fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Everybody; credentials are not looked at.
    Anybody,
    /// Everybody; whoever shows a credential is answered as themselves.
    Optional,
    /// Whoever shows a credential.
    User,
}

/// What an answer's body is.
#[derive(Debug, Clone, Copy)]
pub enum Answer {
    /// JSON of this schema.
    Json(BodySchema),
    /// Something else, by its media type.
    Other(&'static str),
    /// No body.
    Empty,
}

/// A query parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
    /// What it may be.
    pub schema: BodySchema,
}

/// What the document says of a route.
#[derive(Debug, Clone)]
pub struct Operation {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// Its name.
    pub id: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Who may ask.
    pub caller: Caller,
    /// Query parameters.
    pub query: &'static [Parameter],
    /// The request's body.
    pub body: Option<BodySchema>,
    /// The status and body of success.
    pub success: (u16, Answer),
    /// How it may fail, apart from what every route shares.
    pub problems: &'static [ProblemType],
}

/// A route.
pub struct Route {
    /// What the document says of it.
    pub doc: Operation,
    /// What answers.
    pub handler: MethodRouter<Arc<App>>,
}

impl Operation {
    /// A `GET` that everybody may ask, answered with JSON of `T`.
    pub fn get<T: JsonSchema>(path: &'static str, id: &'static str, summary: &'static str) -> Self {
        Self {
            method: "GET",
            path,
            id,
            summary,
            caller: Caller::Anybody,
            query: &[],
            body: None,
            success: (200, Answer::Json(schema::<T>)),
            problems: &[],
        }
    }

    /// A `POST` of a `B` by a user, answered with JSON of `T`.
    pub fn post<B: JsonSchema, T: JsonSchema>(
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            method: "POST",
            caller: Caller::User,
            body: Some(schema::<B>),
            ..Self::get::<T>(path, id, summary)
        }
    }

    /// With this handler.
    pub fn handled_by(self, handler: MethodRouter<Arc<App>>) -> Route {
        Route { doc: self, handler }
    }
}
