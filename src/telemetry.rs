//! How a process says what it does: lines on stderr, and spans to a collector if there is one.
//!
//! **Belongs here:** the subscriber of the program, what it must not show, where it goes. **Does not:** what is logged, and
//! which spans there are. It is the program's, not the service's: a process has one.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;

use anyhow::Context;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{EnvFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

use crate::config::{LogConfig, LogFormat, TracesConfig};

mod export;

/// The name of whoever makes the spans.
const TRACER: &str = "turnstream";

/// What was started.
#[must_use = "spans that wait are lost when it is dropped without `end`"]
pub struct Telemetry {
    spans: Option<SdkTracerProvider>,
}

/// Begins to log, and to send spans where the settings say so. Must be called within the runtime, once.
///
/// # Errors
/// The settings cannot be used.
pub fn start(logging: &LogConfig, traces: Option<&TracesConfig>) -> anyhow::Result<Telemetry> {
    let filter = EnvFilter::try_new(&logging.log).context("--log")?;
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match logging.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let spans = match traces.and_then(|traces| Some((traces.otlp_endpoint.as_ref()?, traces.trace_ratio))) {
        Some((collector, ratio)) => Some(export::to(collector, ratio).context("--otlp-endpoint")?),
        None => None,
    };
    match &spans {
        // One filter for all costs less than one for each layer.
        None => registry()
            .with(lines)
            .with(filter)
            .with(filter_fn(shows_no_secret))
            .init(),
        Some(spans) => registry()
            .with(lines.with_filter(filter))
            .with(recorded(spans))
            .with(filter_fn(shows_no_secret))
            .init(),
    }
    std::panic::set_hook(Box::new(tell));
    Ok(Telemetry { spans })
}

impl Telemetry {
    /// Sends the spans that wait, for as long as a collector may take. What it does not take by then is lost.
    pub async fn end(self) {
        let Some(spans) = self.spans else { return };
        let flushing = tokio::task::spawn_blocking(move || spans.shutdown_with_timeout(export::FLUSH));
        match flushing.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("some spans were not sent: {error}"),
            Err(error) => tracing::error!("the sending of spans failed inside: {error}"),
        }
    }
}

/// Records the spans of a command's way, and no others.
fn recorded<S>(spans: &SdkTracerProvider) -> impl Layer<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let is_of_a_command = |about: &Metadata<'_>| {
        let is_command = about.name() == "command" && about.target().starts_with("turnstream_commands");
        about.is_span() && (is_command || about.target() == commands::trace::TARGET)
    };
    let wanted =
        filter_fn(is_of_a_command).with_max_level_hint(LevelFilter::from_level(commands::trace::LEVEL));
    tracing_opentelemetry::layer()
        .with_tracer(spans.tracer(TRACER))
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(wanted)
}

/// Whatever is asked for: at this level the library writes out every frame, tokens and all.
fn shows_no_secret(about: &Metadata<'_>) -> bool {
    *about.level() != Level::TRACE || !about.target().starts_with("tungstenite")
}

/// In a line like every other one.
fn tell(panic: &PanicHookInfo<'_>) {
    let what = panic.payload_as_str().unwrap_or("for a reason that is no text");
    let at = panic.location().map(ToString::to_string);
    let backtrace = Backtrace::capture();
    let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    tracing::error!(at, backtrace, "something failed inside: {what}");
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("nothing panics under it").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_is_a_line_like_every_other_one() {
        let log = Log::default();
        let writer = log.clone();
        let lines = fmt().json().with_writer(move || writer.clone()).finish();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(tell));
        let panicked = tracing::subscriber::with_default(lines, || {
            std::panic::catch_unwind(|| panic!("the test\nsays so"))
        });
        std::panic::set_hook(before);
        assert!(panicked.is_err());
        let text = String::from_utf8(log.0.lock().expect("nothing panics under it").clone());
        let line: serde_json::Value =
            serde_json::from_str(&text.expect("it is text")).expect("it is one object");
        assert_eq!(line["level"], "ERROR");
        let fields = &line["fields"];
        assert_eq!(fields["message"], "something failed inside: the test\nsays so");
        assert!(
            fields["at"].as_str().is_some_and(|at| at.starts_with(file!())),
            "{line}"
        );
    }

    #[test]
    fn what_would_show_tokens_is_not_logged_whatever_is_asked_for() {
        tracing::subscriber::with_default(
            registry()
                .with(filter_fn(shows_no_secret))
                .with(LevelFilter::TRACE),
            || {
                assert!(tracing::enabled!(target: "tungstenite::protocol", Level::DEBUG));
                assert!(!tracing::enabled!(target: "tungstenite::protocol", Level::TRACE));
                assert!(tracing::enabled!(target: "turnstream", Level::TRACE));
            },
        );
    }
}
