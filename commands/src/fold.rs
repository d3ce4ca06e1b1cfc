//! From events to a game: the one `apply`, used by the aggregate, the projectors and the restore.

use contract::event::{Anchored, Ended, Moved, Resumed, Rolled, Seeded, Started};
use contract::game_state::{REMEMBERED_COMMANDS, SeenCommand};
use contract::player::BySeat;
use contract::{
    Chain, CommandHash, Envelope, Event, EventId, Fairness, GameState, Kind, Millis, PlayedMove, Seat,
    Version, WriterId,
};

/// Why an event does not continue a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// Its version is at or below the game's: already applied, or of another chain.
    #[error("version {found} is not above {have}")]
    Old {
        /// The game's version.
        have: Version,
        /// The event's.
        found: Version,
    },
    /// Events between the game's version and this one are missing: refold the game from its own subjects.
    #[error("version {found} does not follow {have}")]
    Hole {
        /// The game's version; 0 when there is no game yet.
        have: Version,
        /// The event's.
        found: Version,
    },
    /// Its `previd` is not the game's last event: another chain.
    #[error("{id} does not follow {after}")]
    OtherChain {
        /// The event.
        id: EventId,
        /// The game's last event.
        after: EventId,
    },
}

/// The game after `envelope`.
///
/// # Errors
/// [`FoldError`].
pub fn fold(mut game: Option<GameState>, envelope: &Envelope) -> Result<GameState, FoldError> {
    fold_onto(&mut game, envelope)?;
    Ok(game.expect("an event that was folded left a game"))
}

/// Takes the game on by `envelope`, in place: a long game is copied for none of its events.
///
/// # Errors
/// [`FoldError`]; the game is then as it was.
pub fn fold_onto(game: &mut Option<GameState>, envelope: &Envelope) -> Result<(), FoldError> {
    match (game, &envelope.event) {
        (game, Event::Anchored(anchored)) => anchor(game, anchored),
        (game @ None, Event::Started(started)) => {
            *game = Some(start(envelope.kind, envelope.id, envelope.time, started));
            Ok(())
        }
        (None, _) => Err(FoldError::Hole {
            have: 0,
            found: envelope.version(),
        }),
        (Some(game), event) => {
            must_follow(game, envelope)?;
            apply(game, event, envelope.time, envelope.id.writer);
            Ok(())
        }
    }
}

fn must_follow(game: &GameState, envelope: &Envelope) -> Result<(), FoldError> {
    let (have, found) = (game.version, envelope.version());
    if found <= have {
        return Err(FoldError::Old { have, found });
    }
    if found > have + 1 {
        return Err(FoldError::Hole { have, found });
    }
    if envelope.previd != Some(game.last_event) {
        return Err(FoldError::OtherChain {
            id: envelope.id,
            after: game.last_event,
        });
    }
    Ok(())
}

/// An `anchored` replaces whatever is older; one that stands for what is already there changes nothing.
fn anchor(game: &mut Option<GameState>, anchored: &Anchored) -> Result<(), FoldError> {
    if let Some(known) = game
        && known.version >= anchored.stands_for.version
    {
        return Err(FoldError::Old {
            have: known.version,
            found: anchored.stands_for.version,
        });
    }
    *game = Some((*anchored.game).clone());
    Ok(())
}

/// Makes the game that `started` describes.
pub(crate) fn start(kind: Kind, id: EventId, at: Millis, started: &Started) -> GameState {
    let mut commands: BySeat<Vec<SeenCommand>> = BySeat::default();
    if let Some(hash) = started.command {
        // The joiner sits where the inviter does not; both seats' hashes differ, so the one that matches is remembered.
        for seat in Seat::BOTH {
            commands.of_mut(seat).push(SeenCommand {
                hash,
                version: id.version,
            });
        }
    }
    GameState {
        id: id.game,
        kind,
        version: id.version,
        last_event: id,
        chain: Chain::from_version(id.version, id.writer),
        turn_version: id.version,
        rules: started.rules.clone(),
        rules_version: started.rules_version,
        players: started.players.clone(),
        time_control: started.time_control,
        durability: started.durability,
        origin: started.origin,
        rated: started.rated,
        key_id: started.key_id.clone(),
        fairness: started.commit.clone().map(Fairness::new),
        started_at: at,
        last_at: at,
        state: started.state.clone(),
        clocks: started.clocks,
        moves: Vec::new(),
        spectators: started.spectators,
        commands,
        ending: None,
    }
}

/// Applies an event that follows the game; its version is the next one. `started` and `anchored` replace the game and
/// are not applied to one.
pub(crate) fn apply(game: &mut GameState, event: &Event, at: Millis, writer: WriterId) {
    let version = game.version + 1;
    match event {
        Event::Started(_) | Event::Anchored(_) => return,
        Event::Moved(moved) => apply_moved(game, moved, at, version),
        Event::Rolled(rolled) => apply_rolled(game, rolled, version),
        Event::Seeded(seeded) => apply_seeded(game, seeded),
        Event::DrawArmed(armed) => game.state = armed.state.clone(),
        Event::DrawAnswered(answered) => {
            game.state = answered.state.clone();
            game.clocks = answered.clocks;
        }
        Event::Resumed(resumed) => apply_resumed(game, resumed),
        Event::Ended(ended) => apply_ended(game, ended),
    }
    if let Some(by) = event.command() {
        remember(game, by.seat, by.hash, version);
    }
    game.version = version;
    game.chain.extend(version, writer);
    game.last_event = EventId::new(game.id, version, writer);
    game.last_at = at;
    game.spectators = game.spectators.max(event.spectators());
}

fn apply_moved(game: &mut GameState, moved: &Moved, at: Millis, version: Version) {
    let before = std::mem::replace(&mut game.state, moved.state.clone());
    game.clocks = moved.clocks;
    game.moves.push(PlayedMove {
        seat: moved.seat,
        mv: moved.mv.clone(),
        dice: before.chance(),
        at,
        think_ms: moved.think_ms,
    });
    game.turn_version = version;
}

fn apply_rolled(game: &mut GameState, rolled: &Rolled, version: Version) {
    game.state = rolled.state.clone();
    game.clocks = rolled.clocks;
    game.turn_version = version;
}

fn apply_seeded(game: &mut GameState, seeded: &Seeded) {
    if let Some(fairness) = &mut game.fairness {
        *fairness.client_seeds.of_mut(seeded.seat) = Some(seeded.seed.clone());
    }
}

fn apply_resumed(game: &mut GameState, resumed: &Resumed) {
    game.clocks = resumed.clocks;
}

fn apply_ended(game: &mut GameState, ended: &Ended) {
    game.ending = Some(ended.ending());
    game.clocks = ended.clocks;
}

/// Keeps the last accepted commands of a seat. A command that causes several events is remembered with the later version.
fn remember(game: &mut GameState, seat: Seat, hash: CommandHash, version: Version) {
    let seen = game.commands.of_mut(seat);
    seen.retain(|s| s.hash != hash);
    if seen.len() == REMEMBERED_COMMANDS {
        seen.remove(0);
    }
    seen.push(SeenCommand { hash, version });
}

/// Folds a game's own messages from the beginning. An `anchored` closes whatever hole is before it.
///
/// # Errors
/// The first [`FoldError`] that is neither a repetition nor healed by a later `anchored`.
pub fn refold<'a>(envelopes: impl IntoIterator<Item = &'a Envelope>) -> Result<Option<GameState>, FoldError> {
    let mut game = None;
    let mut broken = None;
    for envelope in envelopes {
        match fold_onto(&mut game, envelope) {
            Ok(()) => {
                if matches!(envelope.event, Event::Anchored(_)) {
                    broken = None;
                }
            }
            Err(FoldError::Old { .. }) => {}
            Err(error) => broken = broken.or(Some(error)),
        }
    }
    broken.map_or(Ok(game), Err)
}
