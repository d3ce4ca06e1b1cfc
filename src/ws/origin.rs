//! Which pages may open a socket. Browsers send a page's origin and do not ask first, so the server must look.

use axum::http::{HeaderMap, Uri, header};

/// Whether a request's origin is none (no browser), the service's own, or one that is allowed.
pub(crate) fn may_open(headers: &HeaderMap, allowed: &[String]) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let Ok(origin) = origin.to_str() else { return false };
    allowed.iter().any(|allowed| allowed == origin) || is_own(origin, headers)
}

/// The host is the same; the scheme is not compared, since a proxy may speak TLS for the service.
fn is_own(origin: &str, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let uri = origin.parse::<Uri>().ok();
    let web = uri
        .as_ref()
        .is_some_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")));
    let authority = uri
        .as_ref()
        .and_then(|uri| uri.authority().map(ToString::to_string));
    web && host.is_some() && authority.as_deref() == host
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "play.example:8080".parse().expect("a header value"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().expect("a header value"));
        }
        may_open(&headers, &["https://friend.example".to_owned()])
    }

    #[test]
    fn own_pages_and_allowed_ones_and_no_pages_may() {
        assert!(may(None));
        assert!(may(Some("http://play.example:8080")));
        assert!(may(Some("https://play.example:8080")));
        assert!(may(Some("https://friend.example")));
    }

    #[test]
    fn nobody_else_may() {
        for origin in [
            "https://play.example",
            "http://play.example:8081",
            "http://friend.example",
            "https://friend.example.evil.example",
            "https://evil.example",
            "null",
            "",
        ] {
            assert!(!may(Some(origin)), "{origin}");
        }
    }
}
