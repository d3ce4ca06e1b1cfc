//! Tokens, tickets and keys that are not, or not any more, what they should be.

use serde_json::{Value, json};
use turnstream::auth::guest;
use turnstream::auth::invitation::{self, Terms};
use turnstream::auth::secret::Secret;
use uuid::Uuid;

use super::{Socket, Table, World, figure, is_calm};
use crate::harness::player::text;
use crate::harness::{Invite, Player, http};

/// The service's keys, known to these tests.
const KEYS: &str = "a:1111111111111111111111111111111111111111111111111111111111111111";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn keys(text: &str) -> Secret {
    Secret::parse(text).expect("good keys")
}

fn now() -> contract::Millis {
    use commands::ports::Clock;
    turnstream::system_clock::SystemClock::default().now()
}

/// A guest's token made by `secret`, so many days ago.
fn guest_token(secret: &str, days_ago: i64) -> String {
    let then = now().plus(-days_ago * DAY_MS);
    guest::issue(&keys(secret), Uuid::from_u128(7), Some("Old".to_owned()), then).1
}

/// What is no credential of a service with [`KEYS`].
fn bad_tokens(good: &str) -> Vec<String> {
    let others = KEYS.replace('1', "2");
    let renamed = others.replacen("a:", "b:", 1);
    let parts: Vec<&str> = good.split('.').collect();
    let mut bad = vec![
        guest_token(KEYS, 90),
        guest_token(KEYS, 4000),
        guest_token(&others, 0),
        guest_token(&renamed, 0),
        format!("{}.{}.{}.", parts[0], parts[1], parts[2]),
        format!("{}.{}.{}", parts[0], parts[1], parts[2]),
        format!("{}..{}.{}", parts[0], parts[2], parts[3]),
        format!("{}.{}.e30.{}", parts[0], parts[1], parts[3]),
        format!("invitation.{}.{}.{}", parts[1], parts[2], parts[3]),
        format!("{good}="),
        format!("{good}.{good}"),
        good[..good.len() - 1].to_owned(),
        "guest".to_owned(),
        "guest.".to_owned(),
        "ticket.AAAA".to_owned(),
        "null".to_owned(),
        "x".repeat(10_000),
        // An unsigned and an HMAC-signed JWT, though there is no issuer.
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.".to_owned(),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.AAAA".to_owned(),
    ];
    let mut flipped = good.to_owned().into_bytes();
    let last = flipped.last_mut().expect("it is long");
    *last = if *last == b'A' { b'Q' } else { b'A' };
    bad.push(String::from_utf8(flipped).expect("it stays ASCII"));
    bad
}

/// An answer to `GET /games/me` with an `Authorization` header: status and document.
async fn ask(url: &str, authorization: &str) -> (u16, Value) {
    let request = http()
        .get(format!("{url}/games/me"))
        .header("authorization", authorization);
    let answer = request.send().await.expect("the service answers");
    let status = answer.status().as_u16();
    if status == 401 {
        assert_eq!(answer.headers()["www-authenticate"], "Bearer");
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
    }
    (status, answer.json().await.expect("answers are JSON"))
}

#[tokio::test]
async fn a_token_that_is_forged_garbled_or_expired_lets_nobody_in() {
    let keyed = format!("--secret={KEYS}");
    let flags = [keyed.as_str(), "--failed-logins-per-minute=1000000"];
    let table = Table::laid(&flags, 3).await;
    let url = table.url();
    let bad = bad_tokens(&table.ann.token);
    for token in &bad {
        let (status, problem) = ask(&url, &format!("Bearer {token}")).await;
        assert_eq!(
            (status, text(&problem["type"])),
            (401, "/problems/unauthenticated".to_owned()),
            "{token}"
        );
        let forger = Player::with_token(&url, "", "", token);
        let refused = forger.leave(&table.game, "bye").await.expect_err("it is nobody");
        assert_eq!(refused.status, 401, "{token}");
    }
    for odd in [
        "",
        "Bearer",
        "Bearer ",
        "Basic YTpi",
        "Token x",
        &format!("Bearer{}", table.ann.token),
    ] {
        assert_eq!(ask(&url, odd).await.0, 401, "{odd:?}");
    }
    for token in &bad {
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
        assert!(
            socket
                .everything()
                .iter()
                .all(|frame| frame["channel"] != "on_welcome")
        );
    }
    let old = guest_token(KEYS, 89);
    let renewed = http()
        .get(format!("{url}/games/me"))
        .bearer_auth(&old)
        .send()
        .await
        .expect("it answers");
    assert_eq!(renewed.status(), 200);
    let renewed = renewed.headers()["x-renewed-token"]
        .to_str()
        .expect("a token is ASCII")
        .to_owned();
    assert_eq!(ask(&url, &format!("bearer {renewed}")).await.0, 200);
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_ticket_opens_one_socket_and_nothing_else() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    let ticket = table.ann.ticket().await;
    assert_eq!(
        ask(&url, &format!("Bearer {ticket}")).await.0,
        401,
        "a ticket is no token"
    );
    let mut first = Socket::open_raw(&url, &format!("?ticket={ticket}"))
        .await
        .expect("it opens");
    assert_eq!(
        first.next("on_welcome").await["userId"],
        table.ann.user_id.as_str()
    );
    for query in [
        ticket.as_str(),
        "ticket.AAAA",
        "",
        "x",
        table.ann.token.as_str(),
        "%00%ff",
    ] {
        let mut again = Socket::open_raw(&url, &format!("?ticket={query}"))
            .await
            .expect("it is told inside");
        assert_eq!(
            again.next("on_error").await["type"],
            "/problems/unauthenticated",
            "{query}"
        );
        assert_eq!(again.closed().await, 4003, "{query}");
    }
    let mut again = Socket::open_raw(&url, "").await.expect("anybody may open one");
    again
        .send(json!({ "channel": "authenticate", "payload": { "token": ticket } }))
        .await;
    assert_eq!(again.closed().await, 4003, "the first frame cannot use it either");
    first.ping().await;
    let (a, b) = (
        table.ann.ticket().await,
        format!("?ticket={}", table.ann.ticket().await),
    );
    let (one, two) = tokio::join!(Socket::open_raw(&url, &b), Socket::open_raw(&url, &b));
    let (mut one, mut two) = (one.expect("it opens"), two.expect("it opens"));
    let welcomed = |frames: &[Value]| frames.first().map(|frame| frame["channel"] == "on_welcome");
    let both = [
        one.until("first frame", welcomed).await,
        two.until("first frame", welcomed).await,
    ];
    assert_eq!(
        both.iter().filter(|welcomed| **welcomed).count(),
        1,
        "at the same moment as well"
    );
    let mut other = Socket::open_raw(&url, &format!("?ticket={a}"))
        .await
        .expect("it opens");
    other.next("on_welcome").await;
    // Somebody who never uses theirs loses the oldest.
    let mut tickets = Vec::new();
    for _ in 0..11 {
        tickets.push(table.ben.ticket().await);
    }
    let mut oldest = Socket::open_raw(&url, &format!("?ticket={}", tickets[0]))
        .await
        .expect("it opens");
    assert_eq!(oldest.closed().await, 4003);
    let mut newest = Socket::open_raw(&url, &format!("?ticket={}", tickets[10]))
        .await
        .expect("it opens");
    newest.next("on_welcome").await;
    table.must_be_untouched().await;
}

#[tokio::test]
async fn an_expired_invitation_is_told_from_a_forged_one() {
    let keyed = format!("--secret={KEYS}");
    let table = Table::laid(&[&keyed], 3).await;
    let url = table.url();
    let eve = Player::guest(&url, "Eve").await;
    let invite = eve.invite().await;
    let terms = Terms {
        game: invite.game.parse().expect("a game's id"),
        kind: contract::Kind::Mancala,
        time_control: contract::TimeControl::Unlimited,
        durability: contract::Durability::BestEffort,
        host: contract::PlayerSummary {
            user_id: contract::UserId::new(eve.user_id.as_str()),
            name: None,
            is_guest: true,
        },
        seat: contract::Seat::Player1,
        expires: now(),
    };
    let dan = Player::guest(&url, "Dan").await;
    let join = async |token: String| {
        let invite = Invite {
            token,
            ..invite.clone()
        };
        let refused = dan.join(&invite, "j").await.expect_err("it is refused");
        (refused.status, refused.kind)
    };
    let expired = join(invitation::issue(&keys(KEYS), &terms)).await;
    assert_eq!(expired, (410, "invitation-expired".to_owned()));
    let later = Terms {
        expires: now().plus(DAY_MS),
        ..terms
    };
    let forged = join(invitation::issue(&keys(&KEYS.replace('1', "3")), &later)).await;
    assert_eq!(forged, (404, "not-found".to_owned()));
    table.must_be_untouched().await;
}

#[tokio::test]
async fn an_address_with_too_many_bad_credentials_is_not_listened_to_for_a_while() {
    let world = World::embedded().await;
    let flags = ["--failed-logins-per-minute=5", "--trusted-proxy=127.0.0.0/8"];
    let table = Table::at(World::embedded().await, world.start_with(&flags).await, 3).await;
    let url = table.url();
    let from = async |address: &str, token: &str| {
        let request = http().get(format!("{url}/games/me")).bearer_auth(token);
        let answer = request
            .header("x-forwarded-for", address)
            .send()
            .await
            .expect("it answers");
        let retry = answer.headers().get("retry-after").cloned();
        (
            answer.status().as_u16(),
            retry.map(|retry| retry.to_str().expect("a number").to_owned()),
        )
    };
    for _ in 0..5 {
        assert_eq!(from("192.0.2.1", "guest.k.e30.AAAA").await, (401, None));
    }
    let (status, retry) = from("192.0.2.1", "guest.k.e30.AAAA").await;
    assert_eq!(status, 429);
    let seconds: u64 = retry.expect("it says when").parse().expect("a number");
    assert!((1..=12).contains(&seconds), "{seconds}");
    // Not even a good one is looked at; without any it is as ever; elsewhere nobody notices.
    assert_eq!(from("192.0.2.1", &table.ann.token).await.0, 429);
    let lists = http()
        .get(format!("{url}/games/popular"))
        .header("x-forwarded-for", "192.0.2.1");
    assert_eq!(lists.send().await.expect("it answers").status(), 200);
    assert_eq!(from("192.0.2.2", &table.ann.token).await, (200, None));
    // Sockets count, and are told, as well.
    for _ in 0..5 {
        let mut socket = Socket::open_raw(&url, "?ticket=x")
            .await
            .expect("it is told inside");
        assert_eq!(socket.closed().await, 4003);
    }
    let mut socket = Socket::open_raw(&url, "").await.expect("anybody may open one");
    socket
        .send(json!({ "channel": "authenticate", "payload": { "token": "x" } }))
        .await;
    assert_eq!(socket.next("on_error").await["type"], "/problems/rate-limited");
    assert_eq!(socket.closed().await, 4004);
    assert_eq!(figure(&table.service, "turnstream_failed_logins_total").await, 10);
    is_calm(&table.service);
}

#[tokio::test]
async fn a_legacy_key_is_nobody_unless_keys_are_switched_on() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    for request in [
        http().get(format!("{url}/games/me?userKey=a-long-user-key")),
        http()
            .get(format!("{url}/games/me"))
            .header("x-user-key", "a-long-user-key"),
    ] {
        assert_eq!(request.send().await.expect("it answers").status(), 401);
    }
    let mut socket = Socket::open_raw(&url, "?userKey=a-long-user-key")
        .await
        .expect("it is told inside");
    assert_eq!(socket.next("on_error").await["type"], "/problems/unauthenticated");
    assert_eq!(socket.closed().await, 4003);
    table.must_be_untouched().await;
}
