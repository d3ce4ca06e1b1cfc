//! What the program writes for those who collect its lines.

use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::harness::operator::run;
use crate::harness::{Player, Service, Socket, World};
use crate::kill::{Table, short_vectors};

on_every_backend!(each_line_is_a_json_object_where_that_is_asked_for);

/// Each line, which must be an object with its time and its level, and with what is said, if it is ours.
fn lines(log: &str) -> Vec<Value> {
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        for field in ["timestamp", "level", "target"] {
            assert!(line[field].is_string(), "no {field} in {line}");
        }
        let ours = line["target"]
            .as_str()
            .is_some_and(|target| target.starts_with("turnstream"));
        let said = line["fields"]["message"].is_string();
        assert!(
            said || (!ours && line["fields"].is_object()),
            "nothing is said in {line}"
        );
        line
    };
    log.lines().map(read).collect()
}

/// Somebody plays, and somebody sends what cannot be read.
async fn something_happens(service: &Service) {
    let mut table = Table::sit(&service.url(), 0, short_vectors(1).remove(0)).await;
    table.take_sockets().await;
    table.finish().await;
    let eve = Player::guest(service.url(), "Eve").await;
    let mut socket = Socket::open(service.url(), Some(&eve)).await;
    socket.send(json!({ "channel": "\u{7}\n{" })).await;
    socket.next("on_error").await;
    socket.close().await;
}

async fn each_line_is_a_json_object_where_that_is_asked_for(world: World) {
    let flags = ["--log-format=json", "--log=debug"];
    let service = world.start_with(&flags).await;
    something_happens(&service).await;
    if let Some(valkey) = &world.valkey {
        valkey.restart().await.expect("it starts");
    }
    service.kill().await;
    service.restart().await;
    something_happens(&service).await;
    service.terminate().await;
    let lines = lines(&service.log());
    let said = |text: &str| {
        let mut messages = lines.iter().filter_map(|line| line["fields"]["message"].as_str());
        messages.any(|message| message.starts_with(text))
    };
    assert!(said("turnstream runs") && said("stopping"), "{lines:#?}");
}

#[tokio::test]
async fn the_reason_that_a_process_ends_for_is_its_last_line() {
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let taken = format!("--listen={}", taken.local_addr().expect("it is bound"));
    let admin = "--admin-listen=127.0.0.1:0";
    let said = run(&["serve", "--in-memory", &taken, admin, "--log-format=json"]).await;
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{said:?}");
    let lines = lines(&said.complaint);
    let last = lines.last().expect("it says why");
    assert_eq!(last["level"], "ERROR");
    let why = last["fields"]["message"].as_str().expect("a message");
    assert!(why.contains("cannot listen on"), "{why}");
    let said = run(&["serve", "--in-memory", &taken, admin]).await;
    assert!(
        said.complaint.contains("turnstream: cannot listen on"),
        "{said:?}"
    );
}
