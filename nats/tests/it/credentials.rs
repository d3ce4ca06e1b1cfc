//! Who we are, in every form that a server may ask for.

use std::fs;

use crate::common::{PATIENCE, settings_file, start};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use commands::ports::EventLog;
use nkeys::KeyPair;
use serde_json::{Value, json};
use testkit::fixtures::{append_all, messages};
use testkit::services::Nats;
use tokio::time::timeout;
use turnstream_nats::{Credentials, NatsConfig, NatsLog};

/// Starts the server anew without its own accounts, and with `instead`.
async fn with(server: &Nats, instead: &str) {
    let file = settings_file(server);
    let settings = fs::read_to_string(&file).unwrap();
    let (before, _) = settings
        .split_once("\naccounts {")
        .expect("the file has accounts");
    fs::write(&file, format!("{before}\n{instead}\n")).unwrap();
    server.restart().await.unwrap();
}

async fn connected(server: &Nats, credentials: Credentials) -> NatsLog {
    let config = NatsConfig {
        credentials: Some(credentials),
        ..NatsConfig::new(server.address())
    };
    NatsLog::connect(&config).await.unwrap()
}

async fn is_let_in(log: &NatsLog) {
    let mut link = log.link();
    timeout(PATIENCE, link.wait_for(|link| link.is_up()))
        .await
        .expect("we are let in")
        .unwrap();
    append_all(log, &messages(2)).await;
}

#[tokio::test]
async fn a_token_lets_us_in_and_another_does_not() {
    let server = start().await;
    with(&server, "authorization { token: secret }").await;
    is_let_in(&connected(&server, Credentials::Token("secret".to_owned())).await).await;
    let stranger = connected(&server, Credentials::Token("other".to_owned())).await;
    assert!(stranger.info().await.is_err());
}

/// A claim with the signature of who makes it, in the server's own sort of JWT.
fn signed(by: &KeyPair, subject: &KeyPair, name: &str, what: &Value) -> String {
    let base64 = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let header = base64(br#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let claim = json!({
        "jti": name, "iat": 1_790_000_000, "iss": by.public_key(), "sub": subject.public_key(), "name": name,
        "nats": what,
    });
    let claim = base64(claim.to_string().as_bytes());
    let signature = by.sign(format!("{header}.{claim}").as_bytes()).unwrap();
    format!("{header}.{claim}.{}", base64(&signature))
}

fn account(operator: &KeyPair, own: &KeyPair, name: &str) -> String {
    let unbounded = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let no_store = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
    });
    let limits = if name == "system" { no_store } else { unbounded };
    signed(
        operator,
        own,
        name,
        &json!({ "type": "account", "version": 2, "limits": limits }),
    )
}

#[tokio::test]
async fn a_file_with_a_jwt_lets_us_in_and_another_operators_does_not() {
    let (operator, other) = (KeyPair::new_operator(), KeyPair::new_operator());
    let (system, own, user) = (
        KeyPair::new_account(),
        KeyPair::new_account(),
        KeyPair::new_user(),
    );
    let server = start().await;
    let operators = json!({ "type": "operator", "version": 2, "system_account": system.public_key() });
    let settings = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload {{\n{}: {}\n{}: {}\n}}",
        signed(&operator, &operator, "operator", &operators),
        system.public_key(),
        system.public_key(),
        account(&operator, &system, "system"),
        own.public_key(),
        account(&operator, &own, "own"),
    );
    with(&server, &settings).await;
    let directory = server.store_dir();
    let file = |by: &KeyPair, name: &str| {
        let claim = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1, "pub": {}, "sub": {} });
        let jwt = signed(by, &user, "turnstream", &claim);
        let path = directory.with_file_name(name);
        let seed = user.seed().unwrap();
        fs::write(
            &path,
            format!(
                "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n\
                 -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
            ),
        )
        .unwrap();
        path
    };
    is_let_in(&connected(&server, Credentials::File(file(&own, "own.creds"))).await).await;
    let stranger = connected(&server, Credentials::File(file(&other, "other.creds"))).await;
    assert!(stranger.info().await.is_err());
}
