//! Who may be answered on the operators' address: whoever named it as operators do.
//!
//! It has no credentials, since only operators reach it. But a page that an operator has open reaches what their browser
//! reaches: under the page's own name, once its author has that name point to this address ("DNS rebinding"), or by
//! asking it from elsewhere. The first shows in `Host`, the second in `Origin`.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::problem::ProblemType;

use crate::problem::Failure;
use crate::ws::origin::may_open;

/// Names by which operators may reach it besides addresses and names without a dot.
pub type Hosts = Arc<[String]>;

/// The middleware.
pub async fn addressed(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST);
    let named = host.is_none_or(|host| host.to_str().is_ok_and(|host| is_operators(host, &hosts)));
    if named && may_open(request.headers(), &[]) {
        next.run(request).await
    } else {
        let detail = "operators use an address, a name without a dot, or one given by --admin-host";
        Failure::new(ProblemType::OriginNotAllowed)
            .with_detail(detail)
            .into_response()
    }
}

/// Whether no stranger can own this name: an address, a name of this machine or network, or one that was allowed.
fn is_operators(host: &str, allowed: &[String]) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let name = authority.host();
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    !name.is_empty()
        && (bare.parse::<IpAddr>().is_ok()
            || !name.contains('.')
            || allowed.iter().any(|other| other == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_stranger_could_own_is_not_operators() {
        let allowed = ["ops.example".to_owned()];
        for host in [
            "127.0.0.1:9090",
            "10.1.2.3",
            "[::1]:9090",
            "localhost:9090",
            "turnstream",
            "ops.example:9090",
        ] {
            assert!(is_operators(host, &allowed), "{host}");
        }
        for host in [
            "evil.example:9090",
            "127.0.0.1.evil.example",
            "ops.example.evil.example",
            "",
            ":9090",
            "a b",
        ] {
            assert!(!is_operators(host, &allowed), "{host:?}");
        }
    }
}
