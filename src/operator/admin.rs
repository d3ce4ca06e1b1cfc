//! Requests to the administration port.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;

/// How long to wait for a connection. The port is on this machine, or near it.
const CONNECT: Duration = Duration::from_secs(3);

/// How long an answer may take that is not a long work's.
const ANSWER: Duration = Duration::from_secs(15);

/// Why there is no answer to work with.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// Nobody listens, or what listens does not answer. It is not known how the service is.
    #[error("not reachable: {url}: {why}")]
    NotReachable {
        /// Where it was asked.
        url: String,
        /// What went wrong.
        why: String,
    },
    /// The service refused.
    #[error("{0}")]
    Refused(String),
}

/// A service's administration port.
#[derive(Debug, Clone)]
pub struct Admin {
    url: String,
    client: Client,
}

impl Admin {
    /// The port at `url`; nothing is asked yet.
    ///
    /// # Errors
    /// The HTTP client cannot be made.
    pub fn at(url: &str) -> anyhow::Result<Self> {
        // It asks this machine, whatever proxy leads elsewhere.
        let client = Client::builder().no_proxy().connect_timeout(CONNECT).build()?;
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
            client,
        })
    }

    /// Asks, and reads the whole answer.
    ///
    /// # Errors
    /// [`AdminError`].
    pub async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, AdminError> {
        let request = self.request(method, path, body).timeout(ANSWER);
        let answer = self.send(request).await?;
        answer.json().await.map_err(|error| self.not_reachable(&error))
    }

    /// Begins a long work; its answer comes line by line for as long as it takes.
    ///
    /// # Errors
    /// [`AdminError`].
    pub async fn begin(&self, path: &str, body: &Value) -> Result<Response, AdminError> {
        self.send(self.request(Method::POST, path, Some(body))).await
    }

    fn request(&self, method: Method, path: &str, body: Option<&Value>) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        match body {
            Some(body) => request.json(body),
            None => request,
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, AdminError> {
        let answer = request.send().await.map_err(|error| self.not_reachable(&error))?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let status = answer.status();
        let problem: Value = answer.json().await.unwrap_or_default();
        let said = problem["detail"].as_str().or(problem["title"].as_str());
        Err(AdminError::Refused(
            said.map_or_else(|| status.to_string(), str::to_owned),
        ))
    }

    /// What broke off, as an operator reads it.
    pub fn not_reachable(&self, error: &reqwest::Error) -> AdminError {
        // The innermost cause says most, and the outer ones repeat the address.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        AdminError::NotReachable {
            url: self.url.clone(),
            why: cause.to_string(),
        }
    }
}
