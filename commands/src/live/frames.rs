//! The frame that tells of an event.

use std::sync::Arc;

use contract::frames::ServerFrame;
use contract::frames::server::{At, Change, GameEnded, GameUpdate};
use contract::view::MoveRecord;
use contract::{Envelope, Event, Play, Players, Version};
use rules::Played;

use crate::games::Encoded;
use crate::view::finished_summary;

/// The frame of an event, if it has one: an `anchored` tells nothing new.
pub fn frame_of(envelope: &Envelope, players: &Players, durable_version: Version) -> Option<Arc<Encoded>> {
    let position = envelope.id.position();
    let at = At {
        game_id: envelope.id.game,
        version: envelope.version(),
        position,
        durable_version,
    };
    let update = |change| ServerFrame::OnGameUpdate(GameUpdate { at, change });
    let frame = match &envelope.event {
        Event::Anchored(_) => return None,
        Event::Started(_) => update(Change::Started { at: envelope.time }),
        Event::Resumed(resumed) => update(Change::Resumed {
            at: envelope.time,
            downtime_ms: resumed.downtime_ms,
            clocks: resumed.clocks,
        }),
        Event::Moved(moved) => {
            let played = Played {
                state: moved.state.clone(),
                steps: moved.steps.clone(),
            };
            update(Change::Moved {
                mv: Box::new(MoveRecord {
                    player_id: players.of(moved.seat).user_id.clone(),
                    play: Play::of(&moved.mv, &played),
                    at: envelope.time,
                }),
                turn_player_id: moved.next_seat.map(|seat| players.of(seat).user_id.clone()),
                clocks: moved.clocks,
            })
        }
        Event::Ended(ended) => ServerFrame::OnGameEnded(Box::new(GameEnded {
            at,
            result: ended.result,
            end_reason: ended.reason,
            left_user_id: ended.left_user_id.clone(),
            board: ended.record.final_state.board(),
            game: finished_summary(&ended.record),
        })),
    };
    Some(Encoded::at(frame, envelope.id.game, position))
}
