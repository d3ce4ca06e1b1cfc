//! A collector of spans, as small as one can be.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// It takes what it is sent until it is dropped.
pub struct Collector {
    /// Where it listens.
    pub url: String,
    spans: Arc<Mutex<Vec<Recorded>>>,
    _serving: JoinSet<()>,
}

/// A span that came.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// What is done in it.
    pub name: String,
    /// Its trace, in hex digits.
    pub trace: String,
    /// Its id, in hex digits.
    pub id: String,
    /// The span that it is below, in hex digits; empty for the first one of a trace.
    pub parent: String,
    /// How long it took, in nanoseconds.
    pub took: u64,
    /// Whose it is.
    pub service: String,
}

impl Collector {
    /// Begins to listen.
    pub async fn start() -> Self {
        let spans: Arc<Mutex<Vec<Recorded>>> = Arc::default();
        let router = Router::new()
            .route("/v1/traces", post(take))
            .with_state(spans.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.expect("it listens") });
        Self {
            url,
            spans,
            _serving: serving,
        }
    }

    /// All spans so far.
    pub fn spans(&self) -> Vec<Recorded> {
        self.spans.lock().expect("nothing panics under it").clone()
    }
}

async fn take(
    State(spans): State<Arc<Mutex<Vec<Recorded>>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(), StatusCode> {
    assert_eq!(headers["content-type"], "application/x-protobuf");
    let request = ExportTraceServiceRequest::decode(body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let mut spans = spans.lock().expect("nothing panics under it");
    for resource in request.resource_spans {
        let attributes = resource.resource.iter().flat_map(|resource| &resource.attributes);
        let mut named = attributes.filter(|attribute| attribute.key == "service.name");
        let service = named.find_map(|attribute| match attribute.value.as_ref()?.value.as_ref()? {
            Value::StringValue(name) => Some(name.clone()),
            _ => None,
        });
        let service = service.unwrap_or_default();
        let came = resource.scope_spans.iter().flat_map(|scope| &scope.spans);
        spans.extend(came.map(|span| recorded(span, &service)));
    }
    Ok(())
}

fn recorded(span: &Span, service: &str) -> Recorded {
    let hex = |bytes: &[u8]| hex::encode(bytes);
    Recorded {
        name: span.name.clone(),
        trace: hex(&span.trace_id),
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        took: span.end_time_unix_nano - span.start_time_unix_nano,
        service: service.to_owned(),
    }
}
