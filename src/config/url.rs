//! URLs in settings.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;

/// A server's URL, which may hold a password: printing it for debugging shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl(String);

impl ServerUrl {
    /// The URL itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for ServerUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            Err("an empty URL; leave the setting out instead")
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

/// What links to the service begin with: scheme, host, perhaps a path; no `/` at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// The URL's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PublicUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let uri: Uri = text.parse().map_err(|_| "not a URL")?;
        let web = matches!(uri.scheme_str(), Some("http" | "https"));
        if web && uri.host().is_some() && uri.query().is_none() {
            Ok(Self(text.trim_end_matches('/').to_owned()))
        } else {
            Err("not an http:// or https:// URL")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_a_web_address_without_a_slash_at_the_end() {
        let url = "https://play.example/x/"
            .parse::<PublicUrl>()
            .expect("a good one");
        assert_eq!(url.as_str(), "https://play.example/x");
        for bad in ["", "play.example", "ftp://play.example", "https://a/?b"] {
            assert!(bad.parse::<PublicUrl>().is_err(), "{bad}");
        }
    }
}
