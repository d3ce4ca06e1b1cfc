//! The frames that tell of an event: one for everybody, but for what is private to a seat.

use std::sync::Arc;

use contract::frames::ServerFrame;
use contract::frames::server::{At, Change, GameEnded, GameUpdate};
use contract::view::MoveRecord;
use contract::{Envelope, Event, Play, Players, Seat, Version};
use rules::Played;

use crate::games::Encoded;
use crate::view::{finished_summary, inline_choices};

/// One event as everybody gets it, each frame encoded once.
#[derive(Debug, Clone)]
pub struct Frames {
    everybody: Arc<Encoded>,
    /// In its place for the player of one seat.
    own: Option<(Seat, Arc<Encoded>)>,
}

impl Frames {
    /// What whoever sits in `seat` gets, or a spectator.
    pub fn of(&self, seat: Option<Seat>) -> &Arc<Encoded> {
        match &self.own {
            Some((whose, own)) if seat == Some(*whose) => own,
            _ => &self.everybody,
        }
    }
}

/// The frames of an event, if it has any: an `anchored` tells nothing new.
pub fn frames_of(envelope: &Envelope, players: &Players, durable_version: Version) -> Option<Frames> {
    let position = envelope.id.position();
    let at = At {
        game_id: envelope.id.game,
        version: envelope.version(),
        position,
        durable_version,
    };
    let update = |change| ServerFrame::OnGameUpdate(GameUpdate { at, change });
    let mut own = None;
    let frame = match &envelope.event {
        Event::Anchored(_) => return None,
        Event::Started(_) => update(Change::Started { at: envelope.time }),
        Event::Resumed(resumed) => update(Change::Resumed {
            at: envelope.time,
            downtime_ms: resumed.downtime_ms,
            clocks: resumed.clocks,
        }),
        Event::Moved(moved) => {
            let id = |seat| players.of(seat).user_id.clone();
            let played = Played {
                state: moved.state.clone(),
                steps: moved.steps.clone(),
            };
            update(Change::Moved {
                mv: Box::new(MoveRecord {
                    player_id: id(moved.seat),
                    play: Play::of(&moved.mv, &played),
                    think_ms: moved.think_ms,
                    at: envelope.time,
                }),
                forced: moved.forced,
                draw_offered_by: moved.state.pending_draw().map(id),
                legal_moves: inline_choices(&moved.state),
                turn_player_id: moved.next_seat.map(id),
                clocks: moved.clocks,
            })
        }
        Event::Rolled(rolled) => update(Change::Rolled {
            player_id: players.of(rolled.seat).user_id.clone(),
            index: rolled.index,
            dice: rolled.dice.clone(),
            board: rolled.state.board(),
            legal_moves: inline_choices(&rolled.state),
            clocks: rolled.clocks,
        }),
        Event::Seeded(seeded) => update(Change::Seeded {
            player_id: players.of(seeded.seat).user_id.clone(),
            seed: seeded.seed.clone(),
        }),
        Event::DrawArmed(armed) => {
            let seen = update(Change::DrawArmed { armed: armed.armed });
            own = Some((armed.seat, Encoded::at(seen, envelope.id.game, position)));
            update(Change::Hidden)
        }
        Event::DrawAnswered(answered) => update(Change::DrawAnswered {
            player_id: players.of(answered.seat).user_id.clone(),
            accepted: answered.accepted,
            clocks: answered.clocks,
        }),
        Event::Ended(ended) => ServerFrame::OnGameEnded(Box::new(GameEnded {
            at,
            result: ended.result,
            end_reason: ended.reason,
            left_user_id: ended.left_user_id.clone(),
            board: ended.record.final_state.board(),
            fairness: ended.record.fairness.clone(),
            game: finished_summary(&ended.record),
        })),
    };
    Some(Frames {
        everybody: Encoded::at(frame, envelope.id.game, position),
        own,
    })
}
