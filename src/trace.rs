//! Which trace a request or a frame belongs to: the one that it says, or one of its own.

use std::num::{NonZeroU64, NonZeroU128};

use axum::http::{HeaderMap, HeaderName};
use contract::TraceParent;

/// The header that says it.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace that a request says it belongs to. What is none is passed over.
pub fn carried(headers: &HeaderMap) -> Option<TraceParent> {
    headers.get(TRACEPARENT)?.to_str().ok()?.parse().ok()
}

/// A span of the trace that was carried in, or of a new one if every command gets one.
pub fn span_of(carried: Option<TraceParent>, always: bool) -> Option<TraceParent> {
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
