//! Milliseconds as Postgres has them: `timestamptz`, which the people who query it can read.

use contract::Millis;
use sqlx::types::time::OffsetDateTime;

use crate::failure::Failure;

const NANOS: i128 = 1_000_000;

/// The time for a column; a year past 9999 has no place in one.
pub fn stored(column: &'static str, at: Millis) -> Result<OffsetDateTime, Failure> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at.0) * NANOS)
        .map_err(|error| Failure::value(column, &error))
}

/// The time to compare with a column: one that has no place in it is compared as the nearest that has.
pub fn compared(at: Millis) -> OffsetDateTime {
    const MIN: i64 = -62_135_596_800_000;
    const MAX: i64 = 253_402_300_799_999;
    let nanos = i128::from(at.0.clamp(MIN, MAX)) * NANOS;
    OffsetDateTime::from_unix_timestamp_nanos(nanos).expect("years 1 to 9999 have a place")
}

/// The time in a column.
pub fn read(at: OffsetDateTime) -> Millis {
    // Years up to 9999 are far from the ends of 64 bits.
    Millis((at.unix_timestamp_nanos().div_euclid(NANOS)) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_survives_the_database() {
        for at in [
            0,
            1,
            -1,
            1_760_000_000_123,
            253_402_300_799_999,
            -62_135_596_800_000,
        ] {
            let at = Millis(at);
            assert_eq!(read(stored("ended_at", at).unwrap()), at);
            assert_eq!(read(compared(at)), at);
        }
    }

    #[test]
    fn a_time_without_a_place_is_the_datas_fault() {
        for at in [i64::MIN, i64::MAX] {
            assert!(matches!(
                stored("ended_at", Millis(at)),
                Err(Failure::Value { .. })
            ));
            compared(Millis(at));
        }
    }
}
