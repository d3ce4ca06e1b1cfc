//! Spans on their way to a collector, beside everything else: a bounded queue, a thread of its own, and no second try. A
//! collector that is away costs spans and nothing more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::KeyValue;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, RetryPolicy, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider, SpanData, SpanExporter,
};
use tokio::runtime::Handle;

use crate::config::ServerUrl;

/// How long a collector may take to answer.
const ANSWER: Duration = Duration::from_secs(2);

/// How long it is waited for at the end.
pub(super) const FLUSH: Duration = Duration::from_secs(3);

/// How many spans wait at most; further ones are lost. A move makes four.
const QUEUE: usize = 8192;

/// How many are sent at once.
const BATCH: usize = 512;

/// How long they wait for each other.
const GATHER: Duration = Duration::from_secs(1);

/// Makes spans that go to `collector`: of the traces that begin here, this share.
///
/// # Errors
/// The URL cannot be used.
pub(super) fn to(collector: &ServerUrl, ratio: f64) -> anyhow::Result<SdkTracerProvider> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_http()
        .with_http_client(Client::new()?)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}/v1/traces", collector.expose().trim_end_matches('/')))
        .with_timeout(ANSWER)
        .with_retry_policy(RetryPolicy::disabled())
        .build()?;
    let queue = BatchConfigBuilder::default()
        .with_max_queue_size(QUEUE)
        .with_max_export_batch_size(BATCH)
        .with_scheduled_delay(GATHER)
        .build();
    let processor = BatchSpanProcessor::builder(Told::new(exporter))
        .with_batch_config(queue)
        .build();
    let resource = Resource::builder()
        .with_service_name("turnstream")
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    Ok(SdkTracerProvider::builder()
        .with_span_processor(processor)
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(ratio))))
        .with_resource(resource)
        .build())
}

/// The program's HTTP client for the exporter's thread, which is outside of the runtime that the client needs.
#[derive(Debug)]
struct Client {
    client: reqwest::Client,
    runtime: Handle,
}

impl Client {
    fn new() -> anyhow::Result<Self> {
        let client = reqwest::Client::builder().timeout(ANSWER).build()?;
        Ok(Self {
            client,
            runtime: Handle::current(),
        })
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = reqwest::Request::try_from(request)?;
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move {
            let answer = client.execute(request).await?;
            let status = answer.status();
            Ok::<_, reqwest::Error>((status, answer.bytes().await?))
        });
        let (status, body) = sent.await??;
        Ok(Response::builder().status(status).body(body)?)
    }
}

/// Tells of a collector that is away, and that it is back: once each.
#[derive(Debug)]
struct Told<E> {
    exporter: E,
    is_away: AtomicBool,
}

impl<E> Told<E> {
    fn new(exporter: E) -> Self {
        Self {
            exporter,
            is_away: AtomicBool::new(false),
        }
    }
}

impl<E: SpanExporter> SpanExporter for Told<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let sent = self.exporter.export(batch).await;
        let was_away = self.is_away.swap(sent.is_err(), Ordering::Relaxed);
        match &sent {
            Err(error) if !was_away => {
                tracing::warn!("spans are lost, as the collector does not take them: {error}");
            }
            Ok(()) if was_away => tracing::info!("the collector takes spans again"),
            _ => {}
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
