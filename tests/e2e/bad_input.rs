//! What a stranger may send, and what becomes of it: the documented error, a connection that lives where it can, a game
//! that is as it was, others who notice nothing, and a log without an error.

use serde_json::{Value, json};

use super::harness::player::{get, play_vector};
use super::harness::{Player, Service, Socket, World, vectors};

mod commands;
mod connections;
mod credentials;
mod flood;
mod frames;
mod http;
mod keycloak;
mod limits;
mod raw;
mod secrets;
mod slow;

/// The frames that tell of a game's progress.
const PROGRESS: [&str; 4] = ["on_game_start", "on_game_update", "on_game_ended", "resync"];

/// A game in progress that two play and one watches.
struct Table {
    service: Service,
    ann: Player,
    ben: Player,
    game: String,
    /// Moves that were played.
    played: usize,
    /// Ben's socket.
    opposite: Socket,
    /// An anonymous one.
    spectator: Socket,
    before: Value,
    _world: World,
}

impl Table {
    /// Seats two guests, and plays some moves of a vector's game.
    async fn laid(flags: &[&str], played: usize) -> Self {
        let world = World::embedded().await;
        let service = world.start_with(flags).await;
        Self::at(world, service, played).await
    }

    async fn at(world: World, service: Service, played: usize) -> Self {
        let ann = Player::guest(service.url(), "Ann").await;
        let ben = Player::guest(service.url(), "Ben").await;
        let invite = ann.invite().await;
        ben.join(&invite, "join").await.expect("the seat is free");
        let game = invite.game;
        let mut opposite = Socket::open(service.url(), Some(&ben)).await;
        opposite.watch(&game, None).await;
        let mut spectator = Socket::open(service.url(), None).await;
        spectator.watch(&game, None).await;
        spectator.game_start().await;
        play_vector([&ann, &ben], &game, &vectors::game(0), played, "first").await;
        let mut table = Self {
            service,
            ann,
            ben,
            game,
            played,
            opposite,
            spectator,
            before: Value::Null,
            _world: world,
        };
        table.before = table.snapshot().await;
        table
    }

    fn url(&self) -> String {
        self.service.url()
    }

    /// The game as anybody sees it, but for who happens to be looking.
    async fn snapshot(&self) -> Value {
        let (status, mut game) = get(&format!("{}/game/{}", self.url(), self.game)).await;
        assert_eq!(status, 200, "{game}");
        let fields = game.as_object_mut().expect("a game is an object");
        // Nor is it the game's whether the log has it yet.
        for other in ["spectatorCount", "connections", "durableVersion"] {
            fields.remove(other);
        }
        game
    }

    /// The position after the moves that were played.
    fn position(&self) -> &str {
        self.before["position"].as_str().expect("a live game has one")
    }

    /// The player to move, and the one who is not.
    fn to_move(&self) -> (&Player, &Player) {
        if self.before["turnPlayerId"] == self.ann.user_id.as_str() {
            (&self.ann, &self.ben)
        } else {
            (&self.ben, &self.ann)
        }
    }

    /// The move that the vector's game goes on with.
    fn next_move(&self) -> u8 {
        vectors::game(0).moves[self.played].index
    }

    /// A `game_move` of this game, with some fields replaced.
    fn game_move(&self, id: &str, other: &Value) -> Value {
        let mut payload =
            json!({ "gameId": self.game, "id": id, "position": self.position(), "move": self.next_move() });
        let fields = payload.as_object_mut().expect("it is an object");
        fields.extend(other.as_object().expect("it is an object").clone());
        json!({ "channel": "game_move", "payload": payload })
    }

    /// Panics unless the game is as it was, nobody at it heard of anything, the next move is taken, and the service
    /// called nothing of all this an error.
    async fn must_be_untouched(mut self) {
        assert_eq!(self.snapshot().await, self.before);
        for socket in [&mut self.opposite, &mut self.spectator] {
            socket.ping().await;
            let seen = socket.seen(&self.game);
            assert_eq!(seen.version, self.before["version"].as_u64().expect("a version"));
            assert_eq!(seen.wholes, 1, "nobody was shown the game anew");
            let progress = socket.everything();
            let progress = progress
                .iter()
                .filter(|frame| PROGRESS.iter().any(|channel| frame["channel"] == *channel));
            assert_eq!(progress.count(), 1 + self.played);
            assert_eq!(socket.close_code(), None);
        }
        let (mover, _) = self.to_move();
        let played = mover
            .play(&self.game, "afterwards", self.position(), self.next_move())
            .await;
        played.expect("the game goes on");
        is_calm(&self.service);
    }
}

/// Panics if the service has called anything an error, or a part of it has failed.
fn is_calm(service: &Service) {
    let log = service.log();
    let mut lines = log.lines();
    let bad = lines.find(|line| line.contains("ERROR") || line.contains("panicked"));
    assert_eq!(bad, None, "{log}");
}

/// One of the service's figures, without labels.
async fn figure(service: &Service, name: &str) -> i64 {
    let (_, text) = get(&format!("{}/metrics", service.admin_url())).await;
    let text = text.as_str().expect("metrics are text").to_owned();
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {text}"))
        .parse()
        .expect("a figure is a number")
}
