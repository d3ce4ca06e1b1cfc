//! Commands on games that are not held any more: whoever ended one and never heard so gets the same answer from the log.

use contract::event::CommandBy;
use contract::{CommandHash, Envelope, Event, GameId, PlayerSummary};

use super::Shared;
use crate::games::{Accepted, CommandError, NotNow, PlayerCommand, Rejection};
use crate::ports::Unavailable;

impl Shared {
    /// The answer to a command on a game that is not in memory: after a restart, or long after the game's end.
    pub(super) async fn answer_from_log(
        &self,
        id: GameId,
        user: &PlayerSummary,
        command: &PlayerCommand,
    ) -> Result<Accepted, CommandError> {
        // While the log is away nobody can say that there is no such game.
        let end = self
            .end_of(id)
            .await
            .map_err(|_| CommandError::not_now(NotNow::LogAway))?;
        let Some(Envelope {
            id: last,
            event: Event::Ended(ended),
            ..
        }) = end
        else {
            return Err(Rejection::NoSuchGame.into());
        };
        let players = &ended.record.players;
        let seat = players.seat_of(&user.user_id).ok_or(Rejection::NotYourGame)?;
        let hash = CommandHash::of(seat, command.id());
        if ended.command != Some(CommandBy { seat, hash }) {
            return Err(Rejection::GameOver.into());
        }
        Ok(Accepted {
            game: id,
            version: last.version,
            position: last.position(),
            durable: true,
            durable_version: last.version,
        })
    }

    async fn end_of(&self, id: GameId) -> Result<Option<Envelope>, Unavailable> {
        let entry = self.log.find_ended(id).await?;
        // What newer code wrote is that code's to answer for.
        Ok(entry.and_then(|entry| Envelope::from_bytes(&entry.bytes).ok()))
    }
}
