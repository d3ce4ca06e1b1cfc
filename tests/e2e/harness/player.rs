//! A player over REST.

use reqwest::Method;
use serde_json::{Value, json};

use super::{http, vectors};

/// Somebody with a bearer token.
#[derive(Debug, Clone)]
pub struct Player {
    /// The public id.
    pub user_id: String,
    /// The bearer token.
    pub token: String,
    /// The name.
    pub name: String,
    /// Where they play.
    pub url: String,
}

/// An invitation.
#[derive(Debug, Clone)]
pub struct Invite {
    /// The id of the game to come.
    pub game: String,
    /// The link's token.
    pub token: String,
}

/// A request that was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The HTTP status; 0 when there was no answer at all.
    pub status: u16,
    /// The problem's type without `/problems/`.
    pub kind: String,
    /// The whole document.
    pub body: Value,
}

impl Problem {
    fn no_answer(error: &reqwest::Error) -> Self {
        Self {
            status: 0,
            kind: "no-answer".to_owned(),
            body: json!(format!("{error:?}")),
        }
    }
}

impl Player {
    /// A new guest.
    pub async fn guest(url: impl Into<String>, name: &str) -> Self {
        let url = url.into();
        let answer = http()
            .post(format!("{url}/guests"))
            .json(&json!({ "name": name }))
            .send()
            .await;
        let answer = answer.expect("the service answers");
        let (status, body) = (answer.status(), answer.json::<Value>().await);
        let body = body.expect("answers are JSON");
        assert_eq!(status, 201, "{body}");
        Self {
            user_id: text(&body["userId"]),
            token: text(&body["token"]),
            name: name.to_owned(),
            url,
        }
    }

    /// Somebody with a token from elsewhere.
    pub fn with_token(url: impl Into<String>, user_id: &str, name: &str, token: &str) -> Self {
        Self {
            user_id: user_id.to_owned(),
            token: token.to_owned(),
            name: name.to_owned(),
            url: url.into(),
        }
    }

    /// The same player at another service.
    #[must_use]
    pub fn at(&self, url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            ..self.clone()
        }
    }

    /// Invites somebody to a game in which this player begins.
    pub async fn invite(&self) -> Invite {
        let link = self.invite_to(&json!({ "kind": "mancala" })).await;
        link.expect("the invitation is made")
    }

    /// Invites somebody to a game on these terms.
    pub async fn invite_to(&self, terms: &Value) -> Result<Invite, Problem> {
        let link = self.post("/games", terms).await?;
        let url = text(&link["joinUrl"]);
        let (_, token) = url.split_once("?token=").expect("a link has a token");
        Ok(Invite {
            game: text(&link["id"]),
            token: token.to_owned(),
        })
    }

    /// Follows an invitation.
    pub async fn join(&self, invite: &Invite, id: &str) -> Result<Value, Problem> {
        let path = format!("/games/{}/join", invite.game);
        self.post(&path, &json!({ "token": invite.token, "id": id }))
            .await
    }

    /// Plays a move.
    pub async fn play(&self, game: &str, id: &str, position: &str, mv: u8) -> Result<Value, Problem> {
        let body = json!({ "id": id, "position": position, "move": mv });
        self.post(&format!("/games/{game}/moves"), &body).await
    }

    /// Leaves a game, which loses it.
    pub async fn leave(&self, game: &str, id: &str) -> Result<Value, Problem> {
        self.post(&format!("/games/{game}/leave"), &json!({ "id": id }))
            .await
    }

    /// A game as this player sees it, which must be there.
    pub async fn game(&self, game: &str) -> Value {
        let (status, body) = self.get(&format!("/game/{game}")).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// A ticket for a socket.
    pub async fn ticket(&self) -> String {
        let answer = self.post("/ws-ticket", &json!({})).await;
        text(&answer.expect("a ticket")["ticket"])
    }

    /// Any `GET`.
    pub async fn get(&self, path: &str) -> (u16, Value) {
        match self.request(Method::GET, path, None).await {
            Ok(answer) => answer,
            Err(problem) => (problem.status, problem.body),
        }
    }

    /// Any `POST`.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Problem> {
        let (status, answer) = self.request(Method::POST, path, Some(body)).await?;
        if status < 300 {
            return Ok(answer);
        }
        let kind = answer["type"].as_str().unwrap_or_default();
        Err(Problem {
            status,
            kind: kind.trim_start_matches("/problems/").to_owned(),
            body: answer,
        })
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), Problem> {
        let mut request = http()
            .request(method, format!("{}{path}", self.url))
            .bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(body);
        }
        let unanswered = |error| Problem::no_answer(&error);
        let answer = request.send().await.map_err(unanswered)?;
        let status = answer.status().as_u16();
        let body = answer.text().await.map_err(unanswered)?;
        Ok((status, serde_json::from_str(&body).unwrap_or(Value::String(body))))
    }
}

/// Anybody's `GET`, without a token.
pub async fn get(url: &str) -> (u16, Value) {
    let answer = http().get(url).send().await.expect("the service answers");
    let status = answer.status().as_u16();
    let body = answer.text().await.expect("a body");
    (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

/// Plays the first `count` moves of a vector's game over REST, command ids `<prefix><n>`; the last answer.
pub async fn play_vector(
    players: [&Player; 2],
    game: &str,
    vector: &vectors::Vector,
    count: usize,
    prefix: &str,
) -> Value {
    let mut answer = players[0].game(game).await;
    for (n, moved) in vector.moves.iter().take(count).enumerate() {
        let position = text(&answer["position"]);
        let id = format!("{prefix}{n}");
        let played = players[moved.seat - 1]
            .play(game, &id, &position, moved.index)
            .await;
        answer = played.unwrap_or_else(|problem| panic!("move {n} of {game}: {problem:?}"));
    }
    answer
}

/// The text of a JSON string.
pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("not a string: {value}"))
        .to_owned()
}
