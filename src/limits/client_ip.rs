//! Which address a request comes from: the peer's, or what a trusted proxy says of it.

use std::net::IpAddr;

use axum::http::HeaderMap;

use crate::config::Network;

/// The client's address. Reads `X-Forwarded-For` from its end, as long as who wrote the entry is trusted: entries
/// before that are the client's own invention.
pub fn client_ip(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let is_trusted = |address| trusted.iter().any(|network| network.contains(address));
    let mut address = peer.to_canonical();
    // Whatever bytes it holds, a value keeps its place: without it, an earlier one would be read as the proxy's.
    let values: Vec<_> = headers
        .get_all("x-forwarded-for")
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    for entry in values.iter().rev().flat_map(|value| value.rsplit(',')) {
        if !is_trusted(address) {
            break;
        }
        match parse(entry.trim()) {
            Some(next) => address = next,
            None => break,
        }
    }
    address
}

/// Some proxies add the port.
fn parse(entry: &str) -> Option<IpAddr> {
    let address = entry.parse::<IpAddr>().ok();
    let with_port = || {
        entry
            .parse::<std::net::SocketAddr>()
            .ok()
            .map(|socket| socket.ip())
    };
    address.or_else(with_port).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn seen(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header value");
            headers.append("x-forwarded-for", value);
        }
        let trusted: Vec<Network> = trusted.iter().map(|n| n.parse().expect("a network")).collect();
        client_ip(peer.parse().expect("an address"), &headers, &trusted).to_string()
    }

    #[test]
    fn without_a_trusted_proxy_a_header_is_only_a_claim() {
        assert_eq!(seen("192.0.2.1", &["198.51.100.7"], &[]), "192.0.2.1");
        assert_eq!(seen("192.0.2.1", &["198.51.100.7"], &["10.0.0.0/8"]), "192.0.2.1");
    }

    #[test]
    fn a_trusted_proxy_is_believed_about_its_own_peer_only() {
        assert_eq!(
            seen("10.0.0.1", &["198.51.100.7"], &["10.0.0.0/8"]),
            "198.51.100.7"
        );
        assert_eq!(
            seen("10.0.0.1", &["1.1.1.1, 198.51.100.7"], &["10.0.0.0/8"]),
            "198.51.100.7"
        );
        assert_eq!(
            seen("10.0.0.1", &["198.51.100.7, 10.0.0.2"], &["10.0.0.0/8"]),
            "198.51.100.7"
        );
        assert_eq!(
            seen("10.0.0.1", &["1.1.1.1", "198.51.100.7:4711"], &["10.0.0.0/8"]),
            "198.51.100.7"
        );
    }

    #[test]
    fn nonsense_ends_the_walk() {
        assert_eq!(seen("10.0.0.1", &["1.1.1.1", "ş"], &["10.0.0.0/8"]), "10.0.0.1");
        assert_eq!(
            seen("10.0.0.1", &["1.1.1.1", "ş, 198.51.100.7"], &["10.0.0.0/8"]),
            "198.51.100.7"
        );
        assert_eq!(
            seen("10.0.0.1", &["198.51.100.7, unknown"], &["10.0.0.0/8"]),
            "10.0.0.1"
        );
        assert_eq!(seen("10.0.0.1", &[], &["10.0.0.0/8"]), "10.0.0.1");
    }
}
