//! Bounds of an address and of a user.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{Socket, Table, World, get, is_calm};
use crate::harness::player::text;
use crate::harness::{Events, Player, Service, http};

/// A refusal for being too many: its kind.
async fn too_many(request: RequestBuilder) -> String {
    let answer = request.send().await.expect("it answers");
    assert_eq!(answer.status(), 429);
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    let retry = answer.headers()["retry-after"]
        .to_str()
        .expect("a number")
        .to_owned();
    assert!(retry.parse::<u32>().expect("a number of seconds") >= 1, "{retry}");
    let problem: Value = answer.json().await.expect("JSON");
    text(&problem["type"]).trim_start_matches("/problems/").to_owned()
}

async fn service(flags: &[&str]) -> (World, Service) {
    let world = World::embedded().await;
    let service = world.start_with(flags).await;
    (world, service)
}

#[tokio::test]
async fn guests_of_an_address_are_limited_and_only_a_trusted_proxy_speaks_for_others() {
    let post = |url: &str, forwarded: &str| {
        http()
            .post(format!("{url}/guests"))
            .header("x-forwarded-for", forwarded)
            .body("{}")
    };
    let (_world, plain) = service(&["--guests-per-minute=3"]).await;
    for n in 0..3 {
        let made = post(&plain.url(), &format!("192.0.2.{n}"))
            .send()
            .await
            .expect("it answers");
        assert_eq!(made.status(), 201);
    }
    assert_eq!(
        too_many(post(&plain.url(), "192.0.2.9")).await,
        "rate-limited",
        "a header is only a claim"
    );

    let (_world, proxied) = service(&["--guests-per-minute=2", "--trusted-proxy=127.0.0.1"]).await;
    let url = proxied.url();
    for address in ["192.0.2.1", "192.0.2.2", "2001:db8::1"] {
        for _ in 0..2 {
            assert_eq!(
                post(&url, address).send().await.expect("it answers").status(),
                201,
                "{address}"
            );
        }
        assert_eq!(too_many(post(&url, address)).await, "rate-limited");
        // What the client itself put in front makes it nobody else, nor does a neighbour of its own network.
        assert_eq!(
            too_many(post(&url, &format!("198.51.100.1, {address}"))).await,
            "rate-limited"
        );
    }
    assert_eq!(too_many(post(&url, "2001:db8::ffff")).await, "rate-limited");
    is_calm(&plain);
    is_calm(&proxied);
}

#[tokio::test]
async fn requests_of_an_address_are_limited() {
    let flags = [
        "--requests-per-second=1",
        "--requests-burst=20",
        "--trusted-proxy=127.0.0.1",
    ];
    let world = World::embedded().await;
    let service = world.start_unready(&flags).await;
    let ask = |address: &str| {
        http()
            .get(format!("{}/games/popular", service.url()))
            .header("x-forwarded-for", address)
    };
    let mut refused = 0;
    for _ in 0..40 {
        let status = ask("192.0.2.1")
            .send()
            .await
            .expect("it answers")
            .status()
            .as_u16();
        assert!([200, 429].contains(&status), "{status}");
        refused += u32::from(status == 429);
    }
    assert!((5..=20).contains(&refused), "{refused} of 40");
    assert_eq!(too_many(ask("192.0.2.1")).await, "rate-limited");
    assert_eq!(ask("192.0.2.2").send().await.expect("it answers").status(), 200);
    is_calm(&service);
}

#[tokio::test]
async fn sockets_and_event_streams_are_limited_by_user_and_by_address() {
    let table = Table::laid(&["--sockets-per-user=3", "--sockets-per-address=8"], 3).await;
    let (url, game) = (table.url(), table.game.clone());
    let eve = Player::guest(&url, "Eve").await;
    // Two are the table's own.
    let one = Socket::open(&url, Some(&eve)).await;
    let two = Events::open(&url, &game, None, Some(&eve)).await;
    let _three = Socket::open(&url, Some(&eve)).await;
    assert_eq!(
        Events::try_open(&url, &game, None, Some(&eve)).await.err(),
        Some(429)
    );
    let ticket = eve.ticket().await;
    let refused = Socket::open_raw(&url, &format!("?ticket={ticket}")).await;
    assert_eq!(refused.err(), Some(429));
    let mut told = Socket::open_raw(&url, "")
        .await
        .expect("nobody knows yet who it is");
    told.send(json!({ "channel": "authenticate", "payload": { "token": eve.token } }))
        .await;
    assert_eq!(told.next("on_error").await["type"], "/problems/too-many-sockets");
    assert_eq!(told.closed().await, 4004);
    // Others are not concerned.
    let ann = Socket::open(&url, Some(&table.ann)).await;
    one.close().await;
    crate::harness::eventually("its place is free again", async || {
        Events::try_open(&url, &game, None, Some(&eve)).await.ok()
    })
    .await;
    drop(two);

    let mut anonymous = vec![];
    loop {
        match Socket::open_raw(&url, "").await {
            Ok(socket) => anonymous.push(socket),
            Err(status) => break assert_eq!(status, 429),
        }
        assert!(anonymous.len() <= 8, "an address has a bound");
    }
    let events = http().get(format!("{url}/games/{game}/events"));
    assert_eq!(too_many(events).await, "too-many-sockets");
    let (status, _) = get(&format!("{url}/games/popular")).await;
    assert_eq!(status, 200, "requests are not concerned");
    drop((anonymous, ann));
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_socket_watches_so_many_games_and_no_more() {
    let table = Table::laid(&["--watches-per-socket=2"], 3).await;
    let url = table.url();
    let mut games = Vec::new();
    for n in 0..3 {
        let (a, b) = (Player::guest(&url, "A").await, Player::guest(&url, "B").await);
        let invite = a.invite().await;
        b.join(&invite, &format!("j{n}")).await.expect("the seat is free");
        games.push(invite.game);
    }
    let mut socket = Socket::open(&url, None).await;
    for game in &games[..2] {
        socket.watch(game, None).await;
        assert_eq!(socket.game_start().await["id"], game.as_str());
    }
    socket.watch(&games[2], None).await;
    let error = socket.next("on_error").await;
    assert_eq!(
        (text(&error["type"]), text(&error["gameId"])),
        ("/problems/rate-limited".to_owned(), games[2].clone())
    );
    socket.watch(&games[0], None).await;
    assert_eq!(
        socket.game_start().await["id"],
        games[0].as_str(),
        "one of them may be asked for again"
    );
    socket
        .send(json!({ "channel": "unwatch_game", "payload": { "gameId": games[0] } }))
        .await;
    socket.watch(&games[2], None).await;
    assert_eq!(socket.game_start().await["id"], games[2].as_str());
    table.must_be_untouched().await;
}
