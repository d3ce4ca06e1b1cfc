//! A season under way.

use std::sync::Arc;

use contract::Millis;
use serde_json::{Value, json};
use testkit::clock::FakeClock;
use testkit::issuer::{AUDIENCE, TestIssuer};
use testkit::services::{Nats, Postgres, Valkey};

use super::people::{ADDRESS, Secrets, Somebody, guest};
use crate::harness::inside::Inside;
use crate::harness::player::text;
use crate::harness::{Socket, World};

const HEX: &str = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00";

/// A game, and who plays it: first and second.
pub struct Seated {
    pub game: String,
    pub players: [Somebody; 2],
}

/// A season under way.
pub struct Season<'world> {
    pub world: &'world World,
    pub clock: Arc<FakeClock>,
    pub secrets: Secrets,
    issuer: TestIssuer,
    service: Option<Inside>,
    people: usize,
    /// Games that go on over what comes next.
    pub going_on: Vec<Seated>,
}

impl<'world> Season<'world> {
    pub async fn begin(world: &'world World) -> Self {
        let mut secrets = Secrets::default();
        secrets.add("the service's key", HEX);
        secrets.add("an address", ADDRESS);
        secrets.add("an address", "127.0.0.1");
        secrets.add("the password of NATS", &Nats::credentials().1);
        secrets.add("the password of Valkey", Valkey::password());
        secrets.add("the password of Postgres", Postgres::password());
        let mut season = Self {
            world,
            clock: FakeClock::at(Millis(1_790_000_000_000)),
            secrets,
            issuer: TestIssuer::start().await.expect("an issuer on loopback"),
            service: None,
            people: 0,
            going_on: Vec::new(),
        };
        season.start().await;
        season
    }

    async fn start(&mut self) {
        let flags = [
            format!("--secret=k1:{HEX}"),
            format!("--oidc-issuer={}", self.issuer.url()),
            format!("--oidc-audience={AUDIENCE}"),
            format!("--oidc-jwks-url={}", self.issuer.jwks_url()),
            "--legacy-userkey-auth=true".to_owned(),
            "--trusted-proxy=127.0.0.1".to_owned(),
        ];
        let flags = flags.each_ref().map(String::as_str);
        let service = self.world.start_inside_with(self.clock.clone(), &flags).await;
        self.service = Some(service);
    }

    pub fn url(&self) -> String {
        self.service.as_ref().expect("it runs").url()
    }

    pub async fn status(&self) -> Value {
        self.service.as_ref().expect("it runs").status().await
    }

    /// The service is started again while games are under way.
    pub async fn start_again(&mut self) {
        self.service.take().expect("it runs").stop().await;
        self.start().await;
        let url = self.url();
        for seated in &mut self.going_on {
            seated.players = seated.players.each_ref().map(|player| player.at(&url));
        }
    }

    /// Ends it; what must not be in the stream.
    pub async fn end(mut self) -> Secrets {
        self.service.take().expect("it runs").stop().await;
        assert!(self.secrets.len() > 60, "{} secrets", self.secrets.len());
        self.secrets
    }

    /// Somebody new: a guest, a user of the issuer, or one with the key of an old client, in turn.
    pub async fn somebody(&mut self) -> Somebody {
        self.people += 1;
        let (url, number) = (self.url(), self.people);
        match number % 3 {
            0 => {
                let key = format!("old-key-of-number-{number}");
                self.secrets.add("a key of an old client", &key);
                Somebody::with_key(&url, &key)
            }
            1 => {
                let claims = json!({
                    "iss": self.issuer.url(), "aud": AUDIENCE, "sub": format!("user-{number}"),
                    "preferred_username": format!("player{number}"), "email": format!("player{number}@mail.example"),
                    "exp": 4_000_000_000_i64,
                });
                let token = self.issuer.token(&claims);
                self.secrets.add_token("an account's token", &token);
                self.secrets.add("an e-mail", "mail.example");
                Somebody::with_token(&url, &token)
            }
            _ => guest(&url, &format!("guest {number}"), &mut self.secrets).await,
        }
    }

    /// Two new people in a game on these terms, by an invitation.
    pub async fn invited(&mut self, terms: &Value) -> Seated {
        let players = [self.somebody().await, self.somebody().await];
        let link = players[0].post("/games", terms).await;
        let url = text(&link["joinUrl"]);
        let (_, token) = url.split_once("?token=").expect("a link has a token");
        self.secrets.add_token("an invitation", token);
        let game = text(&link["id"]);
        let join = json!({ "token": token, "id": "join" });
        players[1].post(&format!("/games/{game}/join"), &join).await;
        Seated { game, players }
    }

    /// The same out of the queue, over sockets that tickets open.
    pub async fn paired(&mut self, kind: &str) -> (Seated, [Socket; 2]) {
        let url = self.url();
        let mut players = Vec::new();
        let mut sockets = Vec::new();
        while players.len() < 2 {
            let player = self.somebody().await;
            let query = if player.query.is_empty() {
                let ticket = text(&player.post("/ws-ticket", &json!({})).await["ticket"]);
                self.secrets.add("a ticket", &ticket);
                format!("?ticket={ticket}")
            } else {
                player.query.clone()
            };
            let mut socket = Socket::open_raw(&url, &query).await.expect("it opens");
            socket.next("on_welcome").await;
            let seek = json!({ "channel": "new_game", "payload": { "kind": kind } });
            socket.send(seek).await;
            if players.is_empty() {
                socket.next("on_waiting").await;
            }
            players.push(player);
            sockets.push(socket);
        }
        let start = sockets[0].game_start().await;
        let players: [Somebody; 2] = players.try_into().expect("two");
        let seated = Seated {
            game: text(&start["id"]),
            players,
        };
        (seated, sockets.try_into().map_err(drop).expect("two"))
    }
}
