//! Which trace a request or a frame belongs to: the one that it says, or one of its own. Where spans are recorded it is a
//! span of that trace.

use std::num::{NonZeroU64, NonZeroU128};

use axum::http::{HeaderMap, HeaderName};
use commands::trace::{LEVEL, TARGET};
use contract::TraceParent;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use tracing::{Instrument, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The header that says it.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace that a request says it belongs to. What is none is passed over.
pub fn carried(headers: &HeaderMap) -> Option<TraceParent> {
    headers.get(TRACEPARENT)?.to_str().ok()?.parse().ok()
}

/// The span of a frame on this channel, for whoever records it.
pub fn frame(channel: &'static str) -> Span {
    tracing::span!(target: TARGET, LEVEL, "frame", channel, otel.kind = "server")
}

/// The span of a request for this route, for whoever records it.
pub fn request(method: &str, route: &str) -> Span {
    tracing::span!(target: TARGET, LEVEL, "request", method, route, otel.kind = "server")
}

/// Does `work` in `span`, below the trace that was carried in, and in that trace. Where nobody records spans the trace has
/// one that is only a number: if one was carried in, or if every command gets one.
pub async fn within<T>(
    span: Span,
    carried: Option<TraceParent>,
    always: bool,
    work: impl Future<Output = T>,
) -> T {
    let own = match recorded(&span, carried) {
        // One of a trace that began here, and that nobody keeps, is of no use in an event.
        Some(own) => Some(own).filter(|own| is_kept(*own) || carried.is_some() || always),
        None => span_of(carried, always),
    };
    commands::trace::within(own, work.instrument(span)).await
}

/// The span as others can refer to it; `None` if nobody records spans.
fn recorded(span: &Span, carried: Option<TraceParent>) -> Option<TraceParent> {
    if span.is_disabled() {
        return None;
    }
    if let Some(carried) = carried {
        let parent = opentelemetry::Context::new().with_remote_span_context(SpanContext::new(
            TraceId::from_bytes(carried.trace().get().to_be_bytes()),
            SpanId::from_bytes(carried.span().get().to_be_bytes()),
            TraceFlags::new(carried.flags()),
            true,
            TraceState::default(),
        ));
        // It fails where nobody records spans: then there is none below.
        span.set_parent(parent).ok()?;
    }
    let context = span.context();
    let own = context.span().span_context().clone();
    Some(TraceParent::new(
        NonZeroU128::new(u128::from_be_bytes(own.trace_id().to_bytes()))?,
        NonZeroU64::new(u64::from_be_bytes(own.span_id().to_bytes()))?,
        own.trace_flags().to_u8(),
    ))
}

fn is_kept(own: TraceParent) -> bool {
    TraceFlags::new(own.flags()).is_sampled()
}

/// A span of the trace that was carried in, or of a new one if every command gets one.
fn span_of(carried: Option<TraceParent>, always: bool) -> Option<TraceParent> {
    if carried.is_none() && !always {
        return None;
    }
    let mut random = [0; 24];
    // Without chance there is no trace; the command is done all the same.
    getrandom::fill(&mut random)
        .inspect_err(|error| tracing::error!("the operating system gives no random bytes: {error}"))
        .ok()?;
    let (trace, span) = random.split_at(16);
    let span = NonZeroU64::new(u64::from_be_bytes(span.try_into().ok()?))?;
    if let Some(parent) = carried {
        return Some(parent.child(span));
    }
    let trace = NonZeroU128::new(u128::from_be_bytes(trace.try_into().ok()?))?;
    Some(TraceParent::begin(trace, span))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

    #[test]
    fn a_command_that_says_its_trace_gets_a_span_of_it() {
        let mut headers = HeaderMap::new();
        headers.insert(TRACEPARENT, TEXT.parse().expect("a header's value"));
        for always in [false, true] {
            let span = span_of(carried(&headers), always)
                .expect("it is traced")
                .to_string();
            assert_eq!(span[..36], TEXT[..36], "the trace is the same");
            assert_ne!(span[36..52], TEXT[36..52], "the span is its own");
            assert_eq!(span[52..], TEXT[52..], "nobody records it");
        }
    }

    #[test]
    fn a_command_that_says_none_gets_one_only_if_all_do() {
        let mut headers = HeaderMap::new();
        assert_eq!(carried(&headers), None);
        headers.insert(TRACEPARENT, "00-1-2-01".parse().expect("a header's value"));
        assert_eq!(carried(&headers), None);
        assert_eq!(span_of(None, false), None);
        let [one, other] = [span_of(None, true), span_of(None, true)];
        assert!(one.is_some() && one != other);
    }
}
