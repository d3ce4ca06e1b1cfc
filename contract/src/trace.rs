//! Which distributed trace something belongs to: W3C's `traceparent`, and nothing beside it.

use std::num::{NonZeroU64, NonZeroU128};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{ParseIdError, as_text};
use crate::spelling::Spelling;

/// A place in a trace, in the form of W3C's *Trace Context*: `00-<trace>-<span>-<flags>`. It is made by chance, says nothing
/// of anybody, and has one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    trace: NonZeroU128,
    span: NonZeroU64,
    flags: u8,
}

/// The flag of a trace that somebody records.
const SAMPLED: u8 = 1;

impl TraceParent {
    /// The first span of a trace that is recorded.
    pub fn begin(trace: NonZeroU128, span: NonZeroU64) -> Self {
        Self {
            trace,
            span,
            flags: SAMPLED,
        }
    }

    /// A span of a trace, with the flags that say whether it is recorded.
    pub fn new(trace: NonZeroU128, span: NonZeroU64, flags: u8) -> Self {
        Self { trace, span, flags }
    }

    /// The trace.
    pub fn trace(self) -> NonZeroU128 {
        self.trace
    }

    /// The span.
    pub fn span(self) -> NonZeroU64 {
        self.span
    }

    /// The flags.
    pub fn flags(self) -> u8 {
        self.flags
    }

    /// Another span of the same trace.
    #[must_use]
    pub fn child(self, span: NonZeroU64) -> Self {
        Self { span, ..self }
    }

    fn spell(self) -> Spelling {
        let mut spelling = Spelling::new();
        spelling.text("00-").hex(self.trace.get().to_be_bytes());
        spelling.text("-").hex16(self.span.get());
        spelling.text("-").hex([self.flags]);
        spelling
    }
}

impl FromStr for TraceParent {
    type Err = ParseIdError;

    /// A later version of the form is read as far as this one goes, as the recommendation asks.
    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        parse(text).ok_or(ParseIdError {
            expected: "traceparent",
        })
    }
}

fn parse(text: &str) -> Option<TraceParent> {
    let mut parts = text.split('-');
    let version = hex(parts.next()?, 2)?;
    let trace = hex(parts.next()?, 32)?;
    let span = hex(parts.next()?, 16)?;
    let flags = hex(parts.next()?, 2)?;
    let has_more = parts.next().is_some();
    if version == 0xff || (version == 0 && has_more) {
        return None;
    }
    Some(TraceParent {
        trace: NonZeroU128::new(trace)?,
        span: NonZeroU64::new(u64::try_from(span).ok()?)?,
        flags: u8::try_from(flags).ok()?,
    })
}

/// Lower-case hex digits, exactly so many.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let plain = text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    plain.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

as_text! {
    TraceParent: "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$",
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    proptest! {
        #[test]
        fn it_survives_its_text(trace: NonZeroU128, span: NonZeroU64, flags: u8) {
            let parent = TraceParent::new(trace, span, flags);
            prop_assert_eq!(parent.to_string().parse(), Ok(parent));
            prop_assert_eq!((parent.trace(), parent.span(), parent.flags()), (trace, span, flags));
        }

        #[test]
        fn parsing_never_panics(text: String) {
            let _ = text.parse::<TraceParent>();
        }
    }

    #[test]
    fn the_recommendations_example_is_read() {
        let parent: TraceParent = TEXT.parse().expect("it is one");
        assert_eq!(parent.to_string(), TEXT);
        let later = format!("{}-what-is-not-known-yet", TEXT.replacen("00", "01", 1));
        assert_eq!(later.parse(), Ok(parent));
    }

    #[test]
    fn a_child_stays_in_its_trace() {
        let parent: TraceParent = TEXT.parse().expect("it is one");
        let child = parent.child(NonZeroU64::MIN);
        assert_eq!(
            child.to_string(),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000001-01"
        );
    }

    #[test]
    fn what_is_none_is_none() {
        for other in [
            "",
            "00",
            "00-1-2-01",
            &TEXT.to_uppercase(),
            &TEXT.replacen("00", "ff", 1),
            &format!("{TEXT}-more"),
            &TEXT.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &TEXT.replace("00f067aa0ba902b7", &"0".repeat(16)),
        ] {
            assert!(other.parse::<TraceParent>().is_err(), "{other}");
        }
    }
}
