//! `turnstream verify-dice`, as any player may run it.

use std::process::Output;

use serde_json::{Value, json};

/// What `turnstream verify-dice` says.
pub async fn verify(game: &str, url: &str, further: &[&str]) -> (bool, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = tokio::process::Command::new(env!("CARGO_BIN_EXE_turnstream"))
        .args(["verify-dice", game, "--url", url])
        .args(further)
        .output()
        .await
        .expect("the program runs");
    let said = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    (status.success(), said)
}

/// The same record with the first turn's dice changed.
pub async fn said_of_a_forged_record(record: &Value, url: &str) -> String {
    let mut forged = record.clone();
    let dice = &mut forged["moves"][0]["dice"][0];
    *dice = json!(dice.as_u64().expect("a face") % 6 + 1);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("record.json");
    std::fs::write(&file, forged.to_string()).expect("it can be written");
    let (is_true, said) = verify(file.to_str().expect("it is text"), url, &[]).await;
    assert!(!is_true);
    said
}
