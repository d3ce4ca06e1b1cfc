//! Settings of traces.

use std::str::FromStr;

use axum::http::Uri;
use clap::Args;

use super::ServerUrl;

/// Where spans go.
#[derive(Debug, Clone, Args)]
pub struct TracesConfig {
    /// A collector that spans are sent to (OTLP, `http/protobuf`): `/v1/traces` is added to its path. None are made when
    /// absent. Headers for it are taken from `OTEL_EXPORTER_OTLP_HEADERS`.
    #[arg(
        long,
        env = "OTEL_EXPORTER_OTLP_ENDPOINT",
        hide_env_values = true,
        value_name = "URL",
        value_parser = collector
    )]
    pub otlp_endpoint: Option<ServerUrl>,

    /// The share of traces that are recorded, from 0 to 1, of those that begin here. One that came with its command
    /// (`traceparent`) says itself whether it is.
    #[arg(
        long,
        env = "TURNSTREAM_TRACE_RATIO",
        default_value_t = 1.0,
        value_name = "RATIO",
        value_parser = ratio
    )]
    pub trace_ratio: f64,
}

fn collector(text: &str) -> Result<ServerUrl, String> {
    let uri: Uri = text.parse().map_err(|_| "not a URL".to_owned())?;
    match (uri.scheme_str(), uri.query()) {
        (Some("http" | "https"), None) => Ok(ServerUrl::from_str(text)?),
        _ => Err("not an http:// or https:// URL".to_owned()),
    }
}

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(ratio) if (0.0..=1.0).contains(&ratio) => Ok(ratio),
        _ => Err("not a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_spans_can_be_sent_to_is_a_collector() {
        assert!(collector("http://127.0.0.1:4318").is_ok());
        assert!(collector("https://user:secret@collector.example/otlp").is_ok());
        for other in ["", "127.0.0.1:4318", "grpc://collector", "http://collector/?x=1"] {
            assert!(collector(other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_share_is_between_none_and_all() {
        assert_eq!(
            (ratio("0"), ratio("0.25"), ratio("1")),
            (Ok(0.0), Ok(0.25), Ok(1.0))
        );
        for other in ["", "-0.1", "1.1", "NaN", "half"] {
            assert!(ratio(other).is_err(), "{other}");
        }
    }
}
