use super::*;
use crate::config::tests_support::limits;

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

#[test]
fn a_place_is_given_back_when_its_connection_closes() {
    let limits = Limits::new(LimitsConfig {
        sockets_per_address: 2,
        ..limits()
    });
    let here = address("192.0.2.1");
    let first = limits.connection_from(here).expect("the first of two");
    let _second = limits.connection_from(here).expect("the second of two");
    assert_eq!(
        limits.connection_from(here).err(),
        Some(LimitError::TooManySockets)
    );
    assert!(limits.connection_from(address("192.0.2.2")).is_ok());
    drop(first);
    assert!(limits.connection_from(here).is_ok());
}

#[test]
fn an_ipv6_network_counts_as_one_address_and_a_mapped_address_as_itself() {
    let limits = Limits::new(LimitsConfig {
        sockets_per_address: 1,
        ..limits()
    });
    let _one = limits.connection_from(address("2001:db8::1")).expect("the first");
    assert!(limits.connection_from(address("2001:db8::2")).is_err());
    assert!(limits.connection_from(address("2001:db8:0:1::2")).is_ok());
    let _two = limits.connection_from(address("192.0.2.1")).expect("the first");
    assert!(limits.connection_from(address("::ffff:192.0.2.1")).is_err());
}

#[test]
fn users_are_counted_apart_from_addresses() {
    let limits = Limits::new(LimitsConfig {
        sockets_per_user: 1,
        ..limits()
    });
    let (a, b) = (UserId::new("guest:a"), UserId::new("guest:b"));
    let _one = limits.connection_of(&a).expect("the first");
    assert!(limits.connection_of(&a).is_err());
    assert!(limits.connection_of(&b).is_ok());
}

#[test]
fn guests_are_limited_by_address_and_told_when_to_come_back() {
    let two = std::num::NonZeroU32::new(2).expect("not zero");
    let limits = Limits::new(LimitsConfig {
        guests_per_minute: two,
        ..limits()
    });
    let here = address("192.0.2.1");
    assert!(limits.guest_from(here).is_ok() && limits.guest_from(here).is_ok());
    let Err(LimitError::RateLimited { retry_after_ms }) = limits.guest_from(here) else {
        panic!("the third in a minute");
    };
    assert!((1..=30_000).contains(&retry_after_ms), "{retry_after_ms}");
    assert!(limits.guest_from(address("192.0.2.2")).is_ok());
}
