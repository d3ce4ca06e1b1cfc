//! An issuer's tokens that the service must not believe, and an issuer that cannot be asked.

use serde_json::{Value, json};
use testkit::issuer::{AUDIENCE, TestIssuer, TestKey};

use super::{Socket, Table};
use crate::harness::{Player, http};

const FAR: i64 = 4_000_000_000;
const PAST: i64 = 1_700_000_000;

async fn table(issuer: &TestIssuer) -> Table {
    let flags = [
        format!("--oidc-issuer={}", issuer.url()),
        format!("--oidc-audience={AUDIENCE}"),
        format!("--oidc-jwks-url={}", issuer.jwks_url()),
        "--failed-logins-per-minute=1000000".to_owned(),
    ];
    Table::laid(&flags.each_ref().map(String::as_str), 3).await
}

async fn issuer() -> TestIssuer {
    TestIssuer::start().await.expect("an issuer on loopback")
}

async fn status(url: &str, token: &str) -> u16 {
    let answer = http()
        .get(format!("{url}/games/me"))
        .bearer_auth(token)
        .send()
        .await
        .expect("it answers");
    if answer.status() != 200 {
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
    }
    answer.status().as_u16()
}

/// Good claims, with some replaced; `null` takes one away.
fn claims(issuer: &TestIssuer, other: &Value) -> Value {
    let mut claims = json!({
        "iss": issuer.url(), "aud": AUDIENCE, "azp": "web", "sub": "abc", "exp": FAR, "typ": "Bearer",
        "preferred_username": "ada",
    });
    let fields = claims.as_object_mut().expect("it is an object");
    fields.extend(other.as_object().expect("it is an object").clone());
    fields.retain(|_, value| !value.is_null());
    claims
}

#[tokio::test]
async fn only_a_token_of_the_issuer_for_this_service_is_believed() {
    let issuer = issuer().await;
    let table = table(&issuer).await;
    let url = table.url();
    for key in [TestKey::Rs256, TestKey::Ps256, TestKey::Es256] {
        let token = issuer.token_by(key, &claims(&issuer, &json!({})));
        assert_eq!(status(&url, &token).await, 200, "{key:?}");
    }
    let good = claims(&issuer, &json!({}));
    let bad_claims = [
        json!({ "aud": "another" }),
        json!({ "aud": null }),
        json!({ "aud": ["account", "another"] }),
        json!({ "aud": 7 }),
        json!({ "iss": "http://127.0.0.1:1/realms/test" }),
        json!({ "iss": format!("{}/", issuer.url()) }),
        json!({ "iss": null }),
        json!({ "exp": PAST }),
        json!({ "exp": null }),
        json!({ "exp": "4000000000" }),
        json!({ "exp": -1 }),
        json!({ "exp": i64::MIN }),
        json!({ "nbf": FAR }),
        json!({ "typ": "ID" }),
        json!({ "typ": "Refresh" }),
        json!({ "sub": null }),
        json!({ "sub": "" }),
        json!({ "sub": "x".repeat(256) }),
        json!({ "sub": 7 }),
    ];
    let mut bad: Vec<String> = bad_claims
        .iter()
        .map(|other| issuer.token(&claims(&issuer, other)))
        .collect();
    bad.push(issuer.token_by(TestKey::Unpublished, &good));
    bad.push(issuer.unsigned(&good));
    bad.push(issuer.confused(&good));
    let token = issuer.token(&good);
    let (head, signature) = token.rsplit_once('.').expect("a token has three parts");
    bad.push(format!("{head}."));
    bad.push(format!("{head}.{}", signature.chars().rev().collect::<String>()));
    let other = issuer.token(&claims(&issuer, &json!({ "sub": "root" })));
    let (other_head, _) = other.rsplit_once('.').expect("a token has three parts");
    bad.push(format!("{other_head}.{signature}"));
    for token in &bad {
        assert_eq!(status(&url, token).await, 401, "{token}");
    }
    for token in bad.iter().step_by(4) {
        let mut socket = Socket::open_raw(&url, "").await.expect("anybody may open one");
        socket
            .send(json!({ "channel": "authenticate", "payload": { "token": token } }))
            .await;
        assert_eq!(
            socket.next("on_error").await["type"],
            "/problems/unauthenticated",
            "{token}"
        );
        assert_eq!(socket.closed().await, 4003, "{token}");
    }
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_name_is_never_an_email_and_hides_nothing() {
    let issuer = issuer().await;
    let table = table(&issuer).await;
    for (n, (username, shown)) in [
        ("ada@example.org", Value::Null),
        ("a\u{202e}d\u{0}a\n", json!("ada")),
        ("\u{200d}", Value::Null),
        ("x".repeat(300).as_str(), json!("x".repeat(32))),
    ]
    .into_iter()
    .enumerate()
    {
        let token = issuer.user(&format!("u{n}"), username, FAR);
        let player = Player::with_token(table.url(), &format!("kc:u{n}"), "", &token);
        let mut socket = Socket::open_raw(&table.url(), "")
            .await
            .expect("anybody may open one");
        socket
            .send(json!({ "channel": "authenticate", "payload": { "token": player.token } }))
            .await;
        let welcome = socket.next("on_welcome").await;
        assert_eq!(welcome["userId"], player.user_id.as_str());
        assert_eq!(welcome["name"], shown, "{username:?}");
    }
    table.must_be_untouched().await;
}

#[tokio::test]
async fn key_ids_that_nobody_published_do_not_make_the_service_ask_for_each() {
    let issuer = issuer().await;
    let table = table(&issuer).await;
    let good = claims(&issuer, &json!({}));
    assert_eq!(status(&table.url(), &issuer.token(&good)).await, 200);
    assert_eq!(issuer.fetches(), 1);
    let unknown = issuer.token_by(TestKey::Unpublished, &good);
    for _ in 0..100 {
        assert_eq!(status(&table.url(), &unknown).await, 401);
    }
    assert!(issuer.fetches() <= 2, "{}", issuer.fetches());
    assert_eq!(status(&table.url(), &issuer.token(&good)).await, 200);
    table.must_be_untouched().await;
}

#[tokio::test]
async fn while_the_issuer_cannot_be_asked_its_users_are_told_to_come_back() {
    let issuer = issuer().await;
    issuer.fail(true);
    let table = table(&issuer).await;
    let token = issuer.token(&claims(&issuer, &json!({})));
    let answer = http()
        .get(format!("{}/games/me", table.url()))
        .bearer_auth(&token);
    let answer = answer.send().await.expect("it answers");
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    let mut socket = Socket::open_raw(&table.url(), "")
        .await
        .expect("anybody may open one");
    socket
        .send(json!({ "channel": "authenticate", "payload": { "token": token } }))
        .await;
    assert_eq!(socket.next("on_error").await["type"], "/problems/unavailable");
    assert_eq!(socket.closed().await, 4000);
    issuer.fail(false);
    crate::harness::eventually("the keys are fetched", async || {
        (status(&table.url(), &token).await == 200).then_some(())
    })
    .await;
    table.must_be_untouched().await;
}
