use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode};
use tower::ServiceExt;

use super::*;
use crate::app::tests_support::{Told, app, app_with};

async fn ask(told: &Told, path: &str, headers: &[(HeaderName, &str)]) -> Response<Body> {
    let mut request = Request::get(path).header("host", "play.example");
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let request = request.body(Body::empty()).expect("a good request");
    let router = told.app.clone().router();
    router.oneshot(request).await.expect("a router does not fail")
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().expect("plain text"))
}

#[tokio::test]
async fn every_file_is_served_with_its_type_and_its_tag() {
    let told = app();
    for file in FILES.iter().filter(|file| file.path != "index.html") {
        let response = ask(&told, &format!("/web/{}", file.path), &[]).await;
        assert_eq!(response.status(), StatusCode::OK, "{}", file.path);
        assert_eq!(header(&response, "content-type"), file.kind);
        assert_eq!(header(&response, "etag"), file.tag);
        assert_eq!(header(&response, "x-content-type-options"), "nosniff");
        assert!(header(&response, "content-encoding").is_empty());
        let body = to_bytes(response.into_body(), usize::MAX).await.expect("it ends");
        assert_eq!(body, file.bytes, "{}", file.path);
    }
}

#[tokio::test]
async fn who_takes_gzip_gets_it_under_a_tag_of_its_own() {
    let told = app();
    let path = "/web/app/main.js";
    let response = ask(&told, path, &[(header::ACCEPT_ENCODING, "br, gzip;q=0.8")]).await;
    assert_eq!(header(&response, "content-encoding"), "gzip");
    assert!(header(&response, "vary").contains("accept-encoding"));
    assert!(header(&response, "etag").ends_with("-gzip\""));
    for refusal in ["gzip;q=0", "br", "identity"] {
        let response = ask(&told, path, &[(header::ACCEPT_ENCODING, refusal)]).await;
        assert_eq!(header(&response, "content-encoding"), "", "{refusal}");
    }
}

#[tokio::test]
async fn whoever_has_a_file_is_not_sent_it_again() {
    let told = app();
    let tag = header(&ask(&told, "/", &[]).await, "etag").to_owned();
    for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
        let response = ask(&told, "/", &[(header::IF_NONE_MATCH, &known)]).await;
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{known}");
        assert_eq!(header(&response, "etag"), tag);
    }
    // The compressed bytes are other bytes.
    let response = ask(
        &told,
        "/",
        &[(header::IF_NONE_MATCH, &tag), (header::ACCEPT_ENCODING, "gzip")],
    )
    .await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn every_page_is_the_client_under_a_strict_policy() {
    let told = app();
    let id = crate::app::tests_support::held();
    let slashed = PAGES.iter().skip(1).map(|path| format!("{path}/"));
    for path in PAGES.map(str::to_owned).into_iter().chain(slashed) {
        let response = ask(&told, &path.replace("{id}", &id.to_string()), &[]).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(header(&response, "content-type"), "text/html; charset=utf-8");
        let policy = header(&response, "content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self' 'sha256-"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("connect-src 'self';"), "{policy}");
    }
}

#[tokio::test]
async fn what_is_no_file_is_not_found() {
    let told = app();
    for path in [
        "/web/",
        "/web/app",
        "/web/app/none.js",
        "/web/package.json",
        "/web/../Cargo.toml",
        "/web/%2e%2e/Cargo.toml",
        "/web/vendor/refresh.sh",
    ] {
        assert_eq!(
            ask(&told, path, &[]).await.status(),
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_browser_that_looks_for_a_page_that_is_not_there_gets_one_that_says_so() {
    let told = app();
    let html = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
    let page = ask(&told, "/nowhere", &[(header::ACCEPT, html)]).await;
    assert_eq!(page.status(), StatusCode::NOT_FOUND);
    assert_eq!(header(&page, "content-type"), "text/html; charset=utf-8");
    assert!(header(&page, "content-security-policy").starts_with("default-src 'none'; script-src 'self'"));
    for accepted in ["*/*", "application/json", "application/problem+json, text/plain"] {
        let problem = ask(&told, "/nowhere", &[(header::ACCEPT, accepted)]).await;
        assert_eq!(problem.status(), StatusCode::NOT_FOUND);
        assert_eq!(
            header(&problem, "content-type"),
            "application/problem+json",
            "{accepted}"
        );
    }
}

#[tokio::test]
async fn a_game_s_address_in_the_interface_still_answers_json() {
    let told = app();
    let id = crate::app::tests_support::held();
    let response = ask(&told, &format!("/game/{id}"), &[(header::ACCEPT, "text/html")]).await;
    assert_eq!(header(&response, "content-type"), "application/json");
}

#[tokio::test]
async fn the_client_is_told_where_to_sign_in_and_may_ask_there() {
    let nobody = ask(&app(), "/config.json", &[]).await;
    let body = to_bytes(nobody.into_body(), usize::MAX).await.expect("it ends");
    let config: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(config["signIn"], serde_json::Value::Null);
    assert_eq!(config["served"][0]["port"], "event log");

    let told = app_with(|config| {
        config.identity.oidc_issuer = Some("https://id.example:8443/realms/turnstream".to_owned());
        config.identity.oidc_audience = Some("turnstream".to_owned());
        config.identity.oidc_client_id = Some("turnstream-web".to_owned());
    });
    let answer = ask(&told, "/config.json", &[]).await;
    let body = to_bytes(answer.into_body(), usize::MAX).await.expect("it ends");
    let config: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(
        config["signIn"],
        serde_json::json!({"issuer": "https://id.example:8443/realms/turnstream", "clientId": "turnstream-web"})
    );
    let page = ask(&told, "/", &[]).await;
    let policy = header(&page, "content-security-policy");
    assert!(
        policy.contains("connect-src 'self' https://id.example:8443;"),
        "{policy}"
    );
}
