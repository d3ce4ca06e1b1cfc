//! Events that only newer code can read: what is remembered of them until that code is back.
//!
//! A release that was rolled back meets events of the release after it. It neither folds nor stops at them: it passes them
//! over, and leaves their games alone. So that the newer release knows what was passed over, each first one of a game is a
//! dead letter; whoever can read it takes it up when it starts.

use commands::ports::{LogEntry, Unavailable};
use contract::event::DecodeError;
use contract::{Envelope, GameId, GameKey, Seq};

use crate::ports::{DeadLetter, DeadLetters};

/// What the reason of such a letter begins with.
const REASON: &str = "newer code wrote it: ";

/// So many letters are looked at; there are others for operators.
const MOST: usize = 100_000;

/// The letter of an event that was passed over.
pub(crate) fn letter(projector: &str, entry: &LogEntry, why: &str) -> DeadLetter {
    DeadLetter {
        projector: projector.to_owned(),
        game: entry.key.id,
        seq: entry.seq,
        reason: format!("{REASON}{why}"),
        bytes: entry.bytes.clone(),
    }
}

/// Whether only newer code can read it.
pub(crate) fn is_newer(bytes: &[u8]) -> bool {
    matches!(Envelope::from_bytes(bytes), Err(DecodeError::Newer(_)))
}

/// An event that was passed over once, and can be read now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Readable {
    /// Its game.
    pub(crate) key: GameKey,
    /// Where it is in the log.
    pub(crate) seq: Seq,
    /// The event.
    pub(crate) envelope: Envelope,
}

/// What a projector has passed over.
#[derive(Debug, Default)]
pub(crate) struct PassedOver {
    /// What can be read now.
    pub(crate) readable: Vec<Readable>,
    /// The games of the rest.
    pub(crate) unreadable: Vec<GameId>,
}

/// What `projector` has passed over.
///
/// # Errors
/// The dead letters are away.
pub(crate) async fn passed_over(
    letters: &dyn DeadLetters,
    projector: &str,
) -> Result<PassedOver, Unavailable> {
    let mut passed_over = PassedOver::default();
    if letters.count().await? == 0 {
        return Ok(passed_over);
    }
    for letter in letters.list(MOST).await? {
        if letter.projector == projector && letter.reason.starts_with(REASON) {
            match read(&letter) {
                Some(readable) => passed_over.readable.push(readable),
                None => passed_over.unreadable.push(letter.game),
            }
        }
    }
    Ok(passed_over)
}

fn read(letter: &DeadLetter) -> Option<Readable> {
    let envelope = Envelope::from_bytes(&letter.bytes).ok()?;
    (envelope.id.game == letter.game).then(|| Readable {
        key: envelope.key(),
        seq: letter.seq,
        envelope,
    })
}
