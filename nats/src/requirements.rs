//! What a server must be able to do.

/// The oldest server that knows what the fence needs; older ones silently ignore it.
pub const OLDEST_SERVER: (u32, u32) = (2, 12);

/// The smallest `max_payload` that the largest event fits into, in bytes.
pub const SMALLEST_MAX_PAYLOAD: usize = 8 * 1024 * 1024;

/// A server that cannot hold the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It would let two processes extend the same game.
    #[error(
        "this NATS server is version {version}, but {}.{} or newer is needed: older ones ignore what keeps two services from \
         writing to the same game; install a newer server",
        OLDEST_SERVER.0, OLDEST_SERVER.1
    )]
    TooOld {
        /// What it says it is.
        version: String,
    },
    /// It keeps nothing.
    #[error(
        "this NATS server runs without JetStream: start it with `jetstream {{ }}` in its configuration, or with -js"
    )]
    NoJetStream,
    /// The largest event does not fit.
    #[error(
        "this NATS server's max_payload is {max_payload} bytes, but {SMALLEST_MAX_PAYLOAD} (8MB) are needed: \
         set `max_payload: 8MB` in its configuration"
    )]
    SmallMaxPayload {
        /// What it allows.
        max_payload: usize,
    },
}

/// Whether a server of this version, with these abilities, can hold the log.
pub fn check(version: &str, jetstream: bool, max_payload: usize) -> Result<(), Unfit> {
    if major_and_minor(version).is_none_or(|version| version < OLDEST_SERVER) {
        return Err(Unfit::TooOld {
            version: version.to_owned(),
        });
    }
    if !jetstream {
        return Err(Unfit::NoJetStream);
    }
    if max_payload < SMALLEST_MAX_PAYLOAD {
        return Err(Unfit::SmallMaxPayload { max_payload });
    }
    Ok(())
}

fn major_and_minor(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENOUGH: usize = SMALLEST_MAX_PAYLOAD;

    #[test]
    fn a_server_that_ignores_the_fence_is_refused_by_its_version() {
        for version in ["2.9.10", "2.11.99", "2.10.27", "1.20.0", "2", "dev", ""] {
            let refusal = check(version, true, ENOUGH).expect_err(version);
            assert_eq!(
                refusal,
                Unfit::TooOld {
                    version: version.to_owned()
                }
            );
        }
        let message = check("2.9.10", true, ENOUGH).expect_err("it is old").to_string();
        assert!(
            message.contains("2.9.10") && message.contains("2.12"),
            "{message}"
        );
    }

    #[test]
    fn a_server_new_enough_is_taken() {
        for version in ["2.12.0", "2.12.0-RC.1", "2.15.1", "3.0.0", "10.1.0"] {
            assert_eq!(check(version, true, ENOUGH), Ok(()), "{version}");
        }
    }

    #[test]
    fn a_server_without_jetstream_or_with_a_small_payload_is_refused() {
        assert_eq!(check("2.15.1", false, ENOUGH), Err(Unfit::NoJetStream));
        let default = 1024 * 1024;
        assert_eq!(
            check("2.15.1", true, default),
            Err(Unfit::SmallMaxPayload { max_payload: default })
        );
    }
}
