//! What must never be seen: secrets in the log, in frames, in figures; private ids in the event stream.

use serde_json::{Value, json};
use sqlx::Row as _;
use testkit::issuer::{AUDIENCE, TestIssuer};

use super::{Service, Socket, World, get, is_calm};
use crate::harness::json::visit;
use crate::harness::player::{play_vector, text};
use crate::harness::{Events, Invite, Player, eventually, http, vectors};

const HEX: &str = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00";
const ANN: &str = "anns-own-user-key";
const BEN: &str = "bens-own-user-key";

/// All that must not be seen, with what it is.
struct Secrets(Vec<(&'static str, String)>);

impl Secrets {
    /// A token is found by its signature as well.
    fn add(&mut self, what: &'static str, secret: &str) {
        let tail = secret.rsplit('.').next().expect("there is always one");
        assert!(tail.len() > 12, "{what} is long enough to be found");
        self.0.push((what, tail.to_owned()));
    }

    fn are_not_in(&self, place: &str, text: &str) {
        for (what, secret) in &self.0 {
            let found = text.lines().find(|line| line.contains(secret.as_str()));
            assert_eq!(found, None, "{what} is in {place}");
        }
    }
}

/// Every message of the log, and every other text and blob of the embedded file.
async fn file(world: &World) -> (Vec<Value>, String) {
    let directory = world.data_dir();
    let mut entries = std::fs::read_dir(&directory).expect("it is there");
    let path = entries
        .find_map(|entry| {
            let path = entry.expect("it can be read").path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            extension
                .is_some_and(|extension| ["db", "sqlite", "sqlite3"].contains(&extension))
                .then_some(path)
        })
        .expect("there is one file");
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}?mode=ro", path.display()))
        .await
        .expect("it opens");
    let tables = sqlx::query("SELECT name FROM sqlite_master WHERE type = 'table'")
        .fetch_all(&pool)
        .await;
    let mut everything = String::new();
    let mut messages = Vec::new();
    for table in tables.expect("it has tables") {
        let table: String = table.get(0);
        let columns = sqlx::query(sqlx::AssertSqlSafe(format!(
            "SELECT name FROM pragma_table_info('{table}')"
        )));
        for column in columns.fetch_all(&pool).await.expect("it has columns") {
            let column: String = column.get(0);
            let query = format!("SELECT CAST(\"{column}\" AS BLOB) FROM \"{table}\"");
            let rows = sqlx::query(sqlx::AssertSqlSafe(query)).fetch_all(&pool).await;
            for row in rows.expect("it can be read") {
                let bytes: Option<Vec<u8>> = row.get(0);
                let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
                if table == "log" && column == "bytes" {
                    messages.push(serde_json::from_str(&text).expect("a message is JSON"));
                }
                everything += &text;
                everything.push('\n');
            }
        }
    }
    (messages, everything)
}

/// All that operators and strangers can read of a service.
async fn all_pages(service: &Service, game: &str) -> String {
    let mut all = String::new();
    for url in [
        format!("{}/metrics", service.admin_url()),
        format!("{}/status", service.admin_url()),
        format!("{}/healthz", service.url()),
        format!("{}/readyz", service.url()),
        format!("{}/", service.url()),
        format!("{}/game/{game}", service.url()),
        format!("{}/games/popular", service.url()),
        format!("{}/games/{game}/moves", service.url()),
        format!("{}/join/{game}?token=x", service.url()),
    ] {
        let (_, text) = get(&url).await;
        all += &text.to_string();
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_in_the_log_in_frames_in_figures_or_in_the_events() {
    let issuer = TestIssuer::start().await.expect("an issuer on loopback");
    let world = World::embedded().await;
    let flags = [
        format!("--secret=k1:{HEX}"),
        format!("--oidc-issuer={}", issuer.url()),
        format!("--oidc-audience={AUDIENCE}"),
        format!("--oidc-jwks-url={}", issuer.jwks_url()),
        "--log=trace".to_owned(),
        "--trusted-proxy=127.0.0.1".to_owned(),
    ];
    let service = world.start_with(&flags.each_ref().map(String::as_str)).await;
    let url = service.url();
    let mut secrets = Secrets(Vec::new());
    secrets.add("the secret", HEX);

    let ann = Player::guest(&url, "Ann").await;
    let token = issuer.user("0f0f0f0f-user", "ben", 4_000_000_000);
    let ben = Player::with_token(&url, "kc:0f0f0f0f-user", "ben", &token);
    secrets.add("a guest's token", &ann.token);
    secrets.add("an account's token", &ben.token);
    let invite = ann.invite().await;
    secrets.add("an invitation", &invite.token);
    let page = http().get(format!("{url}/join/{}?token={}", invite.game, invite.token));
    page.header("x-forwarded-for", "203.0.113.77")
        .send()
        .await
        .expect("it answers");
    ben.join(&invite, "join").await.expect("the seat is free");
    let game = &invite.game;
    let used = ann.ticket().await;
    let unused = ben.ticket().await;
    secrets.add("a ticket", &used);
    secrets.add("a ticket that waits", &unused);
    let mut anns = Socket::open_raw(&url, &format!("?ticket={used}"))
        .await
        .expect("it opens");
    anns.next("on_welcome").await;
    anns.watch(game, None).await;
    let mut bens = Socket::open(&url, Some(&ben)).await;
    bens.watch(game, None).await;
    let mut spectator = Socket::open(&url, None).await;
    spectator.watch(game, None).await;
    let mut events = Events::open(&url, game, None, None).await;
    // A forger's are as good as good ones to whoever reads the log.
    for bad in [
        format!("{}x", ann.token),
        format!("{}x", ben.token),
        "guest.k1.e30.forged-signature".to_owned(),
    ] {
        let forger = Player::with_token(&url, "", "", &bad);
        assert_eq!(forger.get("/games/me").await.0, 401);
        let mut socket = Socket::open_raw(&url, &format!("?ticket={bad}"))
            .await
            .expect("it is told inside");
        assert_eq!(socket.closed().await, 4003);
    }
    secrets.add("a forged token", "guest.k1.e30.forged-signature");
    let seed = json!({ "channel": "client_seed", "payload": { "gameId": game, "id": "s", "seed": "my-dice-seed-12345" } });
    bens.send(seed).await;
    secrets.add("a seed", "my-dice-seed-12345");
    bens.send(json!({ "channel": "authenticate", "payload": { "token": ben.token } }))
        .await;
    let vector = vectors::game(2);
    play_vector([&ann, &ben], game, &vector, vector.moves.len(), "m").await;
    events.drain().await;
    for socket in [&mut anns, &mut bens, &mut spectator] {
        socket.whole_game(game).await;
        socket.ping().await;
    }
    eventually("the game is in the history", async || {
        let (_, mine) = ann.get("/games/me").await;
        (mine["games"][0]["id"] == game.as_str()).then_some(())
    })
    .await;

    for (place, frames) in [
        ("the frames of a player", anns.everything()),
        ("the frames of the other player", bens.everything()),
        ("the frames of a spectator", spectator.everything()),
        ("the event stream", events.everything().to_vec()),
    ] {
        secrets.are_not_in(place, &json!(frames).to_string());
    }
    secrets.are_not_in("what is served", &all_pages(&service, game).await);
    service.terminate().await;
    is_calm(&service);
    let log = service.log();
    assert!(log.contains("DEBUG"), "there is something to look at");
    secrets.are_not_in("the log", &log);
    let (messages, everything) = file(&world).await;
    assert_eq!(messages.len(), vector.moves.len() + 2);
    secrets.are_not_in("the file", &everything);
    for private in ["203.0.113.77", "127.0.0.1"] {
        assert!(
            !json!(messages).to_string().contains(private),
            "an address is in the events"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_servers_password_is_not_seen_while_the_server_is_away() {
    const PASSWORD: &str = "hunter2-hunter2";
    let world = World::embedded().await;
    let at = |scheme: &str| format!("{scheme}://user:{PASSWORD}@127.0.0.1:1");
    let flags = [
        format!("--secret=k1:{HEX}"),
        format!("--nats-url={}", at("nats")),
        format!("--valkey-url={}", at("redis")),
        format!("--database-url={}/turnstream", at("postgres")),
        "--log=trace".to_owned(),
    ];
    let service = world.start_unready(&flags.each_ref().map(String::as_str)).await;
    let mut secrets = Secrets(Vec::new());
    secrets.add("a server's password", PASSWORD);
    let (status, problem) = get(&format!("{}/readyz", service.url())).await;
    assert_eq!(status, 503);
    secrets.are_not_in("what is told of it", &problem.to_string());
    let game = "01890000-0000-7000-8000-000000000000";
    secrets.are_not_in("what is served", &all_pages(&service, game).await);
    service.terminate().await;
    secrets.are_not_in("the log", &service.log());
}

#[tokio::test]
async fn a_setting_that_is_not_right_is_told_without_its_secret() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = format!("--data-dir={}", directory.path().display());
    for setting in [
        "--secret=k1:hunter2-hunter2",
        "--secret=hunter2-hunter2",
        "--nats-url=nats://user:hunter2-hunter2@bad host:x",
        "--valkey-url=hunter2-hunter2://user:hunter2-hunter2@host",
        "--database-url=mysql://user:hunter2-hunter2@host/x",
        "--database-url=postgres://user:hunter2-hunter2@host:port/x",
    ] {
        let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_turnstream"));
        program.args([
            "--listen=127.0.0.1:0",
            "--admin-listen=127.0.0.1:0",
            &data,
            setting,
        ]);
        if !setting.starts_with("--secret") {
            program.arg(format!("--secret=k1:{HEX}"));
        }
        let output = program.kill_on_drop(true).env_clear().output();
        let output = tokio::time::timeout(crate::harness::PATIENCE, output).await;
        let output = output
            .unwrap_or_else(|_| panic!("it starts with {setting}"))
            .expect("it can be run");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && !told.is_empty(), "{setting}: {told}");
        assert!(!told.contains("hunter2"), "{setting}: {told}");
        assert!(!told.contains("panicked"), "{setting}: {told}");
    }
}

/// A legacy player's request.
async fn legacy(url: &str, key: &str, path: &str, body: Option<&Value>) -> Value {
    let request = match body {
        None => http().get(format!("{url}{path}")),
        Some(body) => http().post(format!("{url}{path}")).json(body),
    };
    let answer = request
        .header("x-user-key", key)
        .send()
        .await
        .expect("it answers");
    let (status, body) = (answer.status(), answer.json::<Value>().await.expect("JSON"));
    assert!(status.is_success(), "{status} {body}");
    body
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_legacy_player_sees_their_own_key_and_the_event_stream_none() {
    let world = World::embedded().await;
    let flags = [
        &*format!("--secret=k1:{HEX}"),
        "--legacy-userkey-auth=true",
        "--log=trace",
    ];
    let service = world.start_with(&flags).await;
    let url = service.url();
    let mut secrets = Secrets(Vec::new());
    secrets.add("the secret", HEX);
    secrets.add("Ann's key", ANN);
    secrets.add("Ben's key", BEN);

    let link = legacy(&url, ANN, "/games", Some(&json!({ "kind": "mancala" }))).await;
    let join_url = text(&link["joinUrl"]);
    let token = join_url
        .split_once("?token=")
        .expect("a link has a token")
        .1
        .to_owned();
    secrets.add("the invitation", &token);
    let invite = Invite {
        game: text(&link["id"]),
        token,
    };
    let game = &invite.game;
    let mut anns = Socket::open_raw(&url, &format!("?userKey={ANN}"))
        .await
        .expect("it opens");
    assert_eq!(anns.next("on_welcome").await["userId"], ANN);
    let join = json!({ "token": invite.token, "id": "join" });
    legacy(&url, BEN, &format!("/games/{game}/join"), Some(&join)).await;
    let started = anns.game_start().await;
    assert_eq!(started["player1"]["userId"], ANN);
    let bens_id = text(&started["player2"]["userId"]);
    assert!(bens_id.starts_with("legacy:") && bens_id.len() == 27, "{bens_id}");
    let mut bens = Socket::open_raw(&url, &format!("?userKey={BEN}"))
        .await
        .expect("it opens");
    bens.next("on_welcome").await;
    bens.watch(game, None).await;
    assert_eq!(bens.game_start().await["player2"]["userId"], BEN);
    let mut spectator = Socket::open(&url, None).await;
    spectator.watch(game, None).await;
    spectator.send(json!({ "channel": "subscribe_live_games" })).await;
    let mut events = Events::open(&url, game, None, None).await;

    let vector = vectors::game(3);
    let mut position = text(&started["position"]);
    for (n, moved) in vector.moves.iter().enumerate() {
        let key = [ANN, BEN][moved.seat - 1];
        let body = json!({ "id": format!("m{n}"), "position": position, "move": moved.index });
        let played = legacy(&url, key, &format!("/games/{game}/moves"), Some(&body)).await;
        position = text(&played["position"]);
    }
    events.drain().await;
    for socket in [&mut anns, &mut bens, &mut spectator] {
        socket.whole_game(game).await;
        socket.ping().await;
    }
    for (own, other, frames) in [(ANN, BEN, anns.everything()), (BEN, ANN, bens.everything())] {
        let all = json!(frames).to_string();
        assert!(all.contains(own) && !all.contains(other), "own key only");
        assert!(
            frames
                .iter()
                .all(|frame| frame["payload"]["userId"] != bens_id.as_str())
        );
    }
    let seen = legacy(&url, ANN, &format!("/game/{game}"), None)
        .await
        .to_string();
    assert!(seen.contains(ANN) && !seen.contains(BEN), "{seen}");
    secrets.are_not_in(
        "the frames of a spectator",
        &json!(spectator.everything()).to_string(),
    );
    secrets.are_not_in(
        "the event stream over HTTP",
        &json!(events.everything()).to_string(),
    );
    secrets.are_not_in("what is served", &all_pages(&service, game).await);
    let mine = eventually("the game is in the history", async || {
        let mine = legacy(&url, ANN, "/games/me", None).await;
        (mine["games"][0]["id"] == game.as_str()).then_some(mine)
    })
    .await;
    assert_eq!(mine["games"][0]["player1"]["userId"], ANN);
    assert_eq!(mine["games"][0]["player2"]["userId"], bens_id.as_str());

    service.terminate().await;
    is_calm(&service);
    secrets.are_not_in("the log", &service.log());
    let (messages, everything) = file(&world).await;
    secrets.are_not_in("the file", &everything);
    assert_eq!(messages.len(), vector.moves.len() + 2);
    for message in &messages {
        has_only_what_is_public(message);
    }
}

/// Every field of a message of the event stream has a name that is known to be public, and every user a public id.
fn has_only_what_is_public(message: &Value) {
    const HEAD: [&str; 11] = [
        "specversion",
        "id",
        "source",
        "type",
        "subject",
        "time",
        "datacontenttype",
        "dataschema",
        "gamekind",
        "gameversion",
        "previd",
    ];
    let fields = message.as_object().expect("a message is an object");
    let mut unknown = fields
        .keys()
        .filter(|field| *field != "data" && !HEAD.contains(&field.as_str()));
    assert_eq!(unknown.next(), None, "{message}");
    visit(message, &mut |name, value| {
        let lower = name.to_lowercase();
        for private in [
            "token", "secret", "seed", "address", "email", "ticket", "userkey", "password", "ip",
        ] {
            assert_ne!(lower, private, "{message}");
        }
        if lower.ends_with("userid") || lower == "playerid" {
            let id = value.as_str().unwrap_or_else(|| panic!("{name} in {message}"));
            assert!(
                ["kc:", "guest:", "legacy:"]
                    .iter()
                    .any(|kind| id.starts_with(kind)),
                "{id}"
            );
        }
    });
}
