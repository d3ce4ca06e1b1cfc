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
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(2)).await;
    tokio::time::resume();
    assert!(oidc.verify(&token, Millis(NOW * 1000)).await.is_ok());
    issuer.fail(true);
    assert!(
        oidc.verify(&token, Millis(NOW * 1000)).await.is_ok(),
        "known keys outlast an outage"
    );
}
