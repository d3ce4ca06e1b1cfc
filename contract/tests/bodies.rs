//! What clients send: unknown members are refused where the schema says so.

use serde_json::json;
use turnstream_contract::TimeControl;
use turnstream_contract::api::NewInvitation;

#[test]
fn a_time_control_is_read_as_it_is_written() {
    let unlimited = json!({"type": "unlimited"});
    assert_eq!(serde_json::to_value(TimeControl::Unlimited).unwrap(), unlimited);
    assert_eq!(
        serde_json::from_value::<TimeControl>(unlimited).unwrap(),
        TimeControl::Unlimited
    );
}

#[test]
fn a_time_control_with_an_unknown_member_is_refused() {
    let unknown = json!({"kind": "mancala", "timeControl": {"type": "unlimited", "seconds": 10}});
    let refused = serde_json::from_value::<NewInvitation>(unknown)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("seconds"), "{refused}");
}
