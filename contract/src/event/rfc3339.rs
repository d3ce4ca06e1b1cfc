//! RFC 3339 times in UTC with milliseconds, the one form that events use.
//!
//! Civil-date arithmetic after Howard Hinnant's "chrono-compatible low-level date algorithms" (public facts).

use crate::ids::Millis;
use crate::spelling::Spelling;

const DAY_MS: i64 = 86_400_000;

/// `2026-11-30T12:34:56.789Z`.
pub(super) fn format(time: Millis) -> Spelling {
    let days = time.0.div_euclid(DAY_MS);
    let ms = time.0.rem_euclid(DAY_MS);
    let (year, month, day) = civil(days);
    let (h, m, s, milli) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
    let mut text = Spelling::new();
    // Events were all made after 1970: there is no year before the first.
    text.decimal(year.max(0) as u64, 4);
    for (separator, number, width) in [
        ("-", month, 2),
        ("-", day, 2),
        ("T", h, 2),
        (":", m, 2),
        (":", s, 2),
        (".", milli, 3),
    ] {
        text.text(separator).decimal(number as u64, width);
    }
    text.text("Z");
    text
}

/// Reads what [`format`] writes, and any other number of fraction digits, in UTC.
pub(super) fn parse(text: &str) -> Option<Millis> {
    let bytes = text.as_bytes();
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if !text.is_ascii() || bytes.len() < 20 || separators.iter().any(|(at, c)| bytes[*at] != *c) {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<i64> {
        let part = &text[from..to];
        if part.bytes().all(|b| b.is_ascii_digit()) {
            part.parse().ok()
        } else {
            None
        }
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (h, m, s) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let fraction = text[19..].strip_suffix('Z')?;
    let milli = match fraction.strip_prefix('.') {
        None if fraction.is_empty() => 0,
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{digits:0<3}")[..3].parse::<i64>().ok()?
        }
        _ => return None,
    };
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || h > 23 || m > 59 || s > 60 {
        return None;
    }
    Some(Millis(
        days(year, month, day) * DAY_MS + h * 3_600_000 + m * 60_000 + s * 1000 + milli,
    ))
}

fn days(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_times_are_written_as_known() {
        assert_eq!(format(Millis(0)).as_ref(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            format(Millis(1_709_164_800_123)).as_ref(),
            "2024-02-29T00:00:00.123Z"
        );
    }

    proptest! {
        #[test]
        fn a_time_survives_its_text(ms in 0i64..253_402_300_799_999) {
            prop_assert_eq!(parse(format(Millis(ms)).as_ref()), Some(Millis(ms)));
        }

        #[test]
        fn parsing_never_panics(text: String) {
            let _ = parse(&text);
        }
    }
}
