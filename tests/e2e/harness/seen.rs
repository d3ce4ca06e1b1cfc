//! A game as somebody's frames tell it, held to be gapless.

use serde_json::Value;

use super::player::text;
use super::vectors::Vector;

/// What a client knows of one game.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The version it holds.
    pub version: u64,
    /// The position it holds.
    pub position: String,
    /// Every move, as `{playerId, moveIndex, boardSnapshot, gameSteps, at}`.
    pub moves: Vec<Value>,
    /// The payload of `on_game_ended`.
    pub ended: Option<Value>,
    /// The whole states it was given.
    pub wholes: usize,
    /// The versions that came one by one.
    pub versions: Vec<u64>,
}

impl Seen {
    /// Folds the frames of a game. Panics when a version is missing, twice or out of order, or when frames come before
    /// the state they belong to.
    pub fn of(game: &str, frames: &[Value]) -> Self {
        Self::after(None, game, frames)
    }

    /// The same for a client that held something before.
    pub fn after(held: Option<&Self>, game: &str, frames: &[Value]) -> Self {
        let mut seen = held.cloned();
        for frame in frames {
            let payload = &frame["payload"];
            match frame["channel"].as_str() {
                Some("on_game_start") if payload["id"] == game => {
                    seen = Some(Self::whole(seen.as_ref(), payload));
                }
                Some("resync") if payload["gameId"] == game && payload["game"]["status"] == "live" => {
                    seen = Some(Self::whole(seen.as_ref(), &payload["game"]));
                }
                Some("on_game_update" | "on_game_ended") if payload["gameId"] == game => {
                    let seen = seen
                        .as_mut()
                        .unwrap_or_else(|| panic!("nothing to apply it to: {frame}"));
                    seen.apply(frame);
                }
                _ => {}
            }
        }
        seen.unwrap_or_else(|| panic!("nothing of {game} in {frames:#?}"))
    }

    fn whole(before: Option<&Self>, live: &Value) -> Self {
        let (wholes, versions) = before.map_or((0, Vec::new()), |seen| (seen.wholes, seen.versions.clone()));
        Self {
            version: live["version"].as_u64().expect("a live game has a version"),
            position: text(&live["position"]),
            moves: live["history"]
                .as_array()
                .expect("a live game has a history")
                .clone(),
            ended: None,
            wholes: wholes + 1,
            versions,
        }
    }

    fn apply(&mut self, frame: &Value) {
        let payload = &frame["payload"];
        let version = payload["version"].as_u64().expect("an update has a version");
        assert_eq!(
            version,
            self.version + 1,
            "a gap or a repeat after {self:#?}: {frame}"
        );
        assert!(payload["durableVersion"].is_u64(), "every frame has it: {frame}");
        self.version = version;
        self.position = text(&payload["position"]);
        self.versions.push(version);
        if frame["channel"] == "on_game_ended" {
            self.ended = Some(payload.clone());
        } else if payload["change"]["type"] == "moved" {
            self.moves.push(payload["change"]["move"].clone());
        }
    }

    /// Panics unless the moves are the vector's first ones, with its boards and steps, by these players.
    pub fn agrees_with(&self, vector: &Vector, players: [&str; 2]) {
        vector.agrees_with(&self.moves, players);
    }
}
