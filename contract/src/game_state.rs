//! The whole public state of a game at a version: what an `anchored` event carries and a snapshot keeps.
//!
//! It holds no presence, no secret and no address, so that it may be published.

use rules::{Kind, Seat, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chain::Chain;
use crate::command::CommandHash;
use crate::fairness::{Fairness, Reveal};
use crate::ids::{EventId, GameId, GameKey, Millis, Position, UserId, Version};
use crate::player::{BySeat, Players, Spectators};
use crate::record::{EndReason, FinishedGame, PlayedMove};
use crate::terms::{Clocks, Durability, Origin, Running, TimeControl};
use rules::Outcome;

/// How many of a seat's accepted commands are remembered.
pub const REMEMBERED_COMMANDS: usize = 16;

/// A command that was accepted, by its hash, and the version it made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenCommand {
    /// Which command.
    pub hash: CommandHash,
    /// The version of the (last) event it caused.
    pub version: Version,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ending {
    /// Who won; `None` when nobody did and it was no draw either.
    pub result: Option<Outcome>,
    /// Why.
    pub reason: EndReason,
    /// Who left, when the reason is `left`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_user_id: Option<UserId>,
    /// When.
    pub at: Millis,
    /// What its throws can be checked with; absent in games without chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveal: Option<Reveal>,
}

/// A game at a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameState {
    /// The game.
    pub id: GameId,
    /// Its kind.
    pub kind: Kind,
    /// The count of its events.
    pub version: Version,
    /// The id of the event that made this version.
    pub last_event: EventId,
    /// Who wrote which version.
    pub chain: Chain,
    /// The version of the last `started`, `moved` or `rolled`: a move decided before it is stale.
    pub turn_version: Version,
    /// The name of its rules.
    pub rules: String,
    /// Their version.
    pub rules_version: u32,
    /// Who plays.
    pub players: Players,
    /// How long a player may think.
    pub time_control: TimeControl,
    /// When moves are shown.
    pub durability: Durability,
    /// How the players came together.
    pub origin: Origin,
    /// Whether it counts for a rating.
    pub rated: bool,
    /// Which of the service's keys its secrets are derived from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// When it started.
    pub started_at: Millis,
    /// The time of its last event; in the state before an end, that of the end.
    pub last_at: Millis,
    /// The state of the board.
    pub state: State,
    /// What makes its chance checkable, without what would predict it; absent in games without chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// The clocks, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// All moves with their times.
    pub moves: Vec<PlayedMove>,
    /// Who watched, as of the last event.
    pub spectators: Spectators,
    /// The last accepted commands of each seat, oldest first.
    pub commands: BySeat<Vec<SeenCommand>>,
    /// How it ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
}

impl GameState {
    /// Game and kind.
    pub fn key(&self) -> GameKey {
        GameKey {
            kind: self.kind,
            id: self.id,
        }
    }

    /// What a client that has seen this state holds.
    pub fn position(&self) -> Position {
        self.last_event.position()
    }

    /// Whether it has started and not ended.
    pub fn is_live(&self) -> bool {
        self.ending.is_none()
    }

    /// Who is to move, while it is live.
    pub fn to_move(&self) -> Option<Seat> {
        if self.is_live() {
            self.state.to_move()
        } else {
            None
        }
    }

    /// When something was last played: the time of the last move, or of the start. To take a game over is no play.
    pub fn last_played_at(&self) -> Millis {
        self.moves.last().map_or(self.started_at, |played| played.at)
    }

    /// The version that `seat`'s command `hash` made, if it was accepted and is still remembered.
    pub fn version_of(&self, seat: Seat, hash: CommandHash) -> Option<Version> {
        self.commands
            .of(seat)
            .iter()
            .rev()
            .find(|seen| seen.hash == hash)
            .map(|seen| seen.version)
    }

    /// The state before the `ended` event, if that is its last one, as of the moment of the end.
    ///
    /// What `ended` did is undone; the time until then has passed, and when the event before it came nobody knows any more. So the
    /// clock that it stopped runs from then on, with what was left of it, and `last_at` stays: an end that is decided anew from
    /// here (a fallen flag, say) comes out the same, and nobody gets time back for which they were waited for.
    pub fn before_end(&self) -> Option<Self> {
        self.ending.as_ref()?;
        let version = self.version.checked_sub(1)?;
        let writer = self.chain.writer_of(version)?;
        let mut before = self.clone();
        before.ending = None;
        before.version = version;
        before.last_event = EventId::new(self.id, version, writer);
        before.chain.truncate(version);
        if let Some(clocks) = &mut before.clocks {
            let next = self.state.next();
            let awaited = next.seat().filter(|_| next.is_a_players());
            let since = self.last_at;
            clocks.running = awaited.map(|seat| Running { seat, since });
        }
        for seat in Seat::BOTH {
            for seen in before.commands.of_mut(seat) {
                seen.version = seen.version.min(version);
            }
        }
        Some(before)
    }

    /// The record of a game that ends like this.
    pub fn finished(&self, ending: &Ending, spectators: Spectators) -> FinishedGame {
        FinishedGame {
            id: self.id,
            kind: self.kind,
            rules: self.rules.clone(),
            rules_version: self.rules_version,
            players: self.players.clone(),
            time_control: self.time_control,
            durability: self.durability,
            origin: self.origin,
            rated: self.rated,
            result: ending.result,
            end_reason: ending.reason,
            left_user_id: ending.left_user_id.clone(),
            started_at: self.started_at,
            ended_at: ending.at,
            moves: self.moves.clone(),
            final_state: self.state.clone(),
            fairness: ending.reveal.clone(),
            spectators: self.spectators.max(spectators),
        }
    }
}
