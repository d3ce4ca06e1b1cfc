//! Who plays in a season: guests, users of an issuer, and those with keys of old clients. All of them come from an address
//! that a proxy tells of.

use serde_json::{Value, json};

use crate::harness::http;
use crate::harness::player::text;

/// Where everybody says that they come from.
pub const ADDRESS: &str = "203.0.113.77";

/// All that must not be seen, with what it is.
#[derive(Default)]
pub struct Secrets(Vec<(String, String)>);

impl Secrets {
    pub fn add(&mut self, what: &str, secret: &str) {
        assert!(secret.len() > 6, "{what} is long enough to be found");
        self.0.push((what.to_owned(), secret.to_owned()));
    }

    /// A token is found by its signature as well.
    pub fn add_token(&mut self, what: &str, token: &str) {
        self.add(what, token);
        let signature = token.rsplit('.').next().expect("there is always one");
        self.add(what, signature);
    }

    pub fn are_not_in(&self, place: &str, text: &str) {
        for (what, secret) in &self.0 {
            assert!(!text.contains(secret.as_str()), "{what} is in {place}: {text}");
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// Somebody who can prove who they are.
#[derive(Debug, Clone)]
pub struct Somebody {
    url: String,
    header: (&'static str, String),
    /// What a socket is opened with.
    pub query: String,
}

impl Somebody {
    pub fn with_token(url: &str, token: &str) -> Self {
        Self {
            url: url.to_owned(),
            header: ("authorization", format!("Bearer {token}")),
            query: String::new(),
        }
    }

    pub fn with_key(url: &str, key: &str) -> Self {
        Self {
            url: url.to_owned(),
            header: ("x-user-key", key.to_owned()),
            query: format!("?userKey={key}"),
        }
    }

    /// The same at a service that was started again.
    pub fn at(&self, url: &str) -> Self {
        Self {
            url: url.to_owned(),
            ..self.clone()
        }
    }

    pub async fn post(&self, path: &str, body: &Value) -> Value {
        let (name, value) = &self.header;
        let answer = http()
            .post(format!("{}{path}", self.url))
            .header(*name, value)
            .header("x-forwarded-for", ADDRESS)
            .header(
                "traceparent",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            )
            .json(body)
            .send()
            .await
            .expect("the service answers");
        let status = answer.status();
        let said: Value = answer.json().await.expect("answers are JSON");
        assert!(status.is_success(), "{path} {body}: {status} {said}");
        said
    }

    pub async fn get(&self, path: &str) -> Value {
        let (name, value) = &self.header;
        let answer = http()
            .get(format!("{}{path}", self.url))
            .header(*name, value)
            .header("x-forwarded-for", ADDRESS)
            .send()
            .await
            .expect("the service answers");
        answer.json().await.expect("answers are JSON")
    }
}

/// A new guest.
pub async fn guest(url: &str, name: &str, secrets: &mut Secrets) -> Somebody {
    let answer = http()
        .post(format!("{url}/guests"))
        .header("x-forwarded-for", ADDRESS)
        .json(&json!({ "name": name }))
        .send()
        .await
        .expect("the service answers");
    let body: Value = answer.json().await.expect("answers are JSON");
    let token = text(&body["token"]);
    secrets.add_token("a guest's token", &token);
    Somebody::with_token(url, &token)
}
