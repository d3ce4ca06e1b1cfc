use std::time::Duration;

use super::*;
use serde_json::{Value, json};
use testkit::issuer::{AUDIENCE, TestIssuer, TestKey};

const NOW: i64 = 1_000_000;

async fn verify(issuer: &TestIssuer, token: &str) -> Result<PlayerSummary, AuthError> {
    oidc(issuer).verify(token, Millis(NOW * 1000)).await
}

fn oidc(issuer: &TestIssuer) -> Oidc {
    Oidc::new(Issuer {
        issuer: issuer.url().to_owned(),
        audience: AUDIENCE.to_owned(),
        jwks_url: issuer.jwks_url(),
    })
    .expect("an HTTP client")
}

fn claims(issuer: &TestIssuer, change: &Value) -> Value {
    let mut claims = json!({
        "iss": issuer.url(), "aud": ["account", AUDIENCE], "sub": "a-1", "exp": NOW + 60, "typ": "Bearer",
        "preferred_username": "ayse",
    });
    for (name, value) in change.as_object().expect("changes are an object") {
        claims[name] = value.clone();
    }
    claims
}

/// Time passes while nothing is on its way.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn tokens_of_the_issuer_are_believed_by_each_algorithm() {
    let issuer = TestIssuer::start().await.expect("it starts");
    for key in [TestKey::Rs256, TestKey::Ps256, TestKey::Es256] {
        let token = issuer.token_by(key, &claims(&issuer, &json!({})));
        let player = verify(&issuer, &token).await.expect("a good token");
        assert_eq!(
            (player.user_id.as_str(), player.name.as_deref()),
            ("kc:a-1", Some("ayse"))
        );
    }
}

#[tokio::test]
async fn an_azp_stands_in_for_the_audience_and_an_email_for_no_name() {
    let issuer = TestIssuer::start().await.expect("it starts");
    let change = json!({"aud": "account", "azp": AUDIENCE, "preferred_username": "a@example.org"});
    let player = verify(&issuer, &issuer.token(&claims(&issuer, &change)))
        .await
        .expect("a good token");
    assert_eq!(player.name, None);
}

#[tokio::test]
async fn what_is_not_for_us_now_is_refused() {
    let issuer = TestIssuer::start().await.expect("it starts");
    for change in [
        json!({"iss": "https://elsewhere.example"}),
        json!({"aud": "account"}),
        json!({"aud": null}),
        json!({"exp": NOW - 31}),
        json!({"exp": "soon"}),
        json!({"nbf": NOW + 31}),
        json!({"typ": "Refresh"}),
        json!({"typ": "ID"}),
        json!({"sub": ""}),
    ] {
        let token = issuer.token(&claims(&issuer, &change));
        assert_eq!(verify(&issuer, &token).await, Err(AuthError::Invalid), "{change}");
    }
}

#[tokio::test]
async fn a_forged_token_is_refused() {
    let issuer = TestIssuer::start().await.expect("it starts");
    let token = issuer.token(&claims(&issuer, &json!({})));
    let (signed, signature) = token.rsplit_once('.').expect("three parts");
    let (_, other) = issuer
        .token(&claims(&issuer, &json!({"sub": "b"})))
        .rsplit_once('.')
        .map(|(a, b)| (a.len(), b.to_owned()))
        .expect("three parts");
    for forged in [
        format!("{signed}.{other}"),
        format!("{signed}."),
        signed.to_owned(),
        signature.to_owned(),
        "a.b.c".to_owned(),
    ] {
        assert_eq!(
            verify(&issuer, &forged).await,
            Err(AuthError::Invalid),
            "{forged}"
        );
    }
    assert_eq!(
        verify(&issuer, &issuer.unsigned(&claims(&issuer, &json!({})))).await,
        Err(AuthError::Invalid)
    );
    // The public key's text as an HMAC secret: the algorithm is pinned.
    assert_eq!(
        verify(&issuer, &issuer.confused(&claims(&issuer, &json!({})))).await,
        Err(AuthError::Invalid)
    );
}

#[tokio::test]
async fn an_algorithm_that_was_not_agreed_on_is_refused_though_the_key_is_the_issuers() {
    let issuer = TestIssuer::start().await.expect("it starts");
    let token = issuer.token_by(TestKey::Rs512, &claims(&issuer, &json!({})));
    assert_eq!(verify(&issuer, &token).await, Err(AuthError::Invalid));
}

#[tokio::test]
async fn an_unknown_key_is_looked_for_once_a_minute() {
    let issuer = TestIssuer::start().await.expect("it starts");
    let oidc = oidc(&issuer);
    let unknown = issuer.token_by(TestKey::Unpublished, &claims(&issuer, &json!({})));
    for _ in 0..5 {
        assert_eq!(
            oidc.verify(&unknown, Millis(NOW * 1000)).await,
            Err(AuthError::Invalid)
        );
    }
    assert_eq!(issuer.fetches(), 1);
}

#[tokio::test]
async fn a_new_key_is_believed_a_minute_after_the_keys_were_fetched() {
    let issuer = TestIssuer::start().await.expect("it starts");
    let oidc = oidc(&issuer);
    let (now, claims) = (Millis(NOW * 1000), claims(&issuer, &json!({})));
    let old = issuer.token_by(TestKey::Rs256, &claims);
    assert!(oidc.verify(&old, now).await.is_ok());
    issuer
        .publish(&[TestKey::Rs256, TestKey::Unpublished])
        .expect("it has these keys");
    let new = issuer.token_by(TestKey::Unpublished, &claims);
    pass(Duration::from_secs(50)).await;
    assert_eq!(oidc.verify(&new, now).await, Err(AuthError::Invalid));
    assert_eq!(issuer.fetches(), 1);
    pass(Duration::from_secs(11)).await;
    assert!(oidc.verify(&new, now).await.is_ok());
    assert!(oidc.verify(&old, now).await.is_ok());
    assert_eq!(issuer.fetches(), 2);
}

#[tokio::test]
async fn a_key_that_was_withdrawn_is_believed_for_an_hour_at_most() {
    let issuer = TestIssuer::start().await.expect("it starts");
    let oidc = oidc(&issuer);
    let (now, claims) = (Millis(NOW * 1000), claims(&issuer, &json!({})));
    let withdrawn = issuer.token_by(TestKey::Rs256, &claims);
    assert!(oidc.verify(&withdrawn, now).await.is_ok());
    issuer.publish(&[TestKey::Es256]).expect("it has this key");
    pass(Duration::from_mins(59)).await;
    assert!(oidc.verify(&withdrawn, now).await.is_ok());
    assert_eq!(issuer.fetches(), 1, "a known key waits for no fetch");
    pass(Duration::from_mins(2)).await;
    assert_eq!(oidc.verify(&withdrawn, now).await, Err(AuthError::Invalid));
    assert_eq!(issuer.fetches(), 2);
}

#[tokio::test]
async fn stale_keys_outlast_an_outage_and_are_fetched_again_once_a_minute() {
    let issuer = TestIssuer::start().await.expect("it starts");
    let oidc = oidc(&issuer);
    let (now, token) = (Millis(NOW * 1000), issuer.token(&claims(&issuer, &json!({}))));
    assert!(oidc.verify(&token, now).await.is_ok());
    issuer.fail(true);
    pass(Duration::from_mins(61)).await;
    for _ in 0..3 {
        assert!(oidc.verify(&token, now).await.is_ok());
    }
    assert_eq!(issuer.fetches(), 2);
    issuer.fail(false);
    issuer.publish(&[TestKey::Es256]).expect("it has this key");
    pass(Duration::from_secs(61)).await;
    assert_eq!(oidc.verify(&token, now).await, Err(AuthError::Invalid));
    assert_eq!(issuer.fetches(), 3);
}

#[tokio::test]
async fn an_issuer_that_is_away_is_unavailable_and_then_again_believed() {
    let issuer = TestIssuer::start().await.expect("it starts");
    let oidc = oidc(&issuer);
    let token = issuer.token(&claims(&issuer, &json!({})));
    issuer.fail(true);
    assert_eq!(
        oidc.verify(&token, Millis(NOW * 1000)).await,
        Err(AuthError::Unavailable)
    );
    issuer.fail(false);
    pass(Duration::from_secs(2)).await;
    assert!(oidc.verify(&token, Millis(NOW * 1000)).await.is_ok());
    issuer.fail(true);
    assert!(
        oidc.verify(&token, Millis(NOW * 1000)).await.is_ok(),
        "known keys outlast an outage"
    );
}
