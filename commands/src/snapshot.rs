//! What is kept of a game so that it can be resumed, and of an ended one until its row is written.

use bytes::Bytes;
use contract::{Envelope, GameState, Seq, Version};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::ports::LogIdentity;

/// The shape's number. Older ones are read for ever, newer ones are parked.
///
/// **To change** the shape: count on, give the old form an arm in `read` that makes it the new one, and add golden
/// documents of the new number to `tests/golden`.
pub const SCHEMA: u32 = 1;

/// Most snapshots are no longer than that; what is longer grows.
const USUAL_BYTES: usize = 4_096;

/// The number of the oldest shape there was.
const OLDEST: u32 = 1;

/// A live game as of an event of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// The game.
    pub game: GameState,
    /// The sequence of its last event in the log.
    pub seq: Seq,
    /// Which log.
    pub log: LogIdentity,
}

/// An ended game, until history has it.
#[derive(Debug, Clone)]
pub struct Tombstone {
    /// The `ended` event's document, to the byte.
    pub ended: Bytes,
    /// The game after it.
    pub game: GameState,
    /// Its sequence.
    pub seq: Seq,
    /// Which log.
    pub log: LogIdentity,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TombstoneForm<'a> {
    schema: u32,
    #[serde(borrow)]
    ended: &'a RawValue,
    game: GameState,
    seq: Seq,
    log: LogIdentity,
}

/// A snapshot that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// Written by newer code: parked, untouched.
    #[error("snapshot schema {0} is newer than {SCHEMA}")]
    Newer(u32),
    /// Not readable: refold the game.
    #[error("not a snapshot: {0}")]
    Corrupt(String),
}

/// Reads a form, and only if that fails looks whether newer code wrote it: what is read at a restore is read once.
fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8], schema_of: impl Fn(&T) -> u32) -> Result<T, SnapshotError> {
    #[derive(Deserialize)]
    struct OnlySchema {
        schema: u32,
    }
    let whole = serde_json::from_slice(bytes);
    let schema = match &whole {
        Ok(form) => schema_of(form),
        Err(_) => {
            serde_json::from_slice::<OnlySchema>(bytes)
                .map_err(corrupt)?
                .schema
        }
    };
    match schema {
        OLDEST..=SCHEMA => whole.map_err(corrupt),
        ..OLDEST => Err(SnapshotError::Corrupt(format!(
            "nothing ever had schema {schema}"
        ))),
        _ => Err(SnapshotError::Newer(schema)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used as the argument of map_err")]
fn corrupt(error: serde_json::Error) -> SnapshotError {
    SnapshotError::Corrupt(error.to_string())
}

impl Snapshot {
    /// A snapshot of `game`, whose last event has sequence `seq` in `log`.
    pub fn new(game: GameState, seq: Seq, log: LogIdentity) -> Self {
        Self {
            schema: SCHEMA,
            game,
            seq,
            log,
        }
    }

    /// The version of its content.
    pub fn version(&self) -> Version {
        self.game.version
    }

    /// What a store keeps.
    pub fn encode(&self) -> Bytes {
        contract::json::to_vec(self, USUAL_BYTES)
            .expect("a snapshot has string keys and finite numbers only")
            .into()
    }

    /// Reads what a store kept.
    ///
    /// # Errors
    /// [`SnapshotError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, SnapshotError> {
        read(bytes, |snapshot: &Self| snapshot.schema)
    }
}

impl Tombstone {
    /// What a store keeps.
    ///
    /// # Errors
    /// [`SnapshotError::Corrupt`] when `ended` is not a JSON document.
    pub fn encode(&self) -> Result<Bytes, SnapshotError> {
        let form = TombstoneForm {
            schema: SCHEMA,
            ended: serde_json::from_slice(&self.ended).map_err(corrupt)?,
            game: self.game.clone(),
            seq: self.seq,
            log: self.log.clone(),
        };
        Ok(contract::json::to_vec(&form, USUAL_BYTES)
            .map_err(corrupt)?
            .into())
    }

    /// Reads what a store kept.
    ///
    /// # Errors
    /// [`SnapshotError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let form = read(bytes, |form: &TombstoneForm| form.schema)?;
        Ok(Self {
            ended: Bytes::copy_from_slice(form.ended.get().as_bytes()),
            game: form.game,
            seq: form.seq,
            log: form.log,
        })
    }

    /// The `ended` event.
    ///
    /// # Errors
    /// [`SnapshotError::Corrupt`].
    pub fn envelope(&self) -> Result<Envelope, SnapshotError> {
        Envelope::from_bytes(&self.ended).map_err(|e| SnapshotError::Corrupt(e.to_string()))
    }
}
