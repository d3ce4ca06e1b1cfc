use super::*;

fn read(text: &str) -> Result<TimeControl, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn refused(text: &str) -> String {
    read(text).expect_err(text)
}

#[test]
fn every_time_control_reads_as_it_is_written() {
    let written = [
        (TimeControl::Unlimited, r#"{"type":"unlimited"}"#),
        (
            TimeControl::SuddenDeath { initial_s: 10 },
            r#"{"type":"suddenDeath","initialS":10}"#,
        ),
        (
            TimeControl::Fischer {
                initial_s: 10_800,
                increment_s: 180,
            },
            r#"{"type":"fischer","initialS":10800,"incrementS":180}"#,
        ),
        (
            TimeControl::PerMove { seconds: 30 },
            r#"{"type":"perMove","seconds":30}"#,
        ),
    ];
    for (control, text) in written {
        assert_eq!(serde_json::to_string(&control).expect("it has a form"), text);
        assert_eq!(read(text), Ok(control));
    }
}

#[test]
fn what_is_usual_is_within_the_bounds() {
    for kind in Kind::ALL {
        let usual = TimeControl::usual(*kind);
        let text = serde_json::to_string(&usual).expect("it has a form");
        assert_eq!(read(&text), Ok(usual), "{kind}");
    }
}

#[test]
fn a_time_out_of_bounds_is_refused_and_the_message_says_the_bounds() {
    for seconds in [0, 9, 10_801, u32::MAX] {
        for text in [
            format!(r#"{{"type":"suddenDeath","initialS":{seconds}}}"#),
            format!(r#"{{"type":"fischer","initialS":{seconds},"incrementS":0}}"#),
            format!(r#"{{"type":"perMove","seconds":{seconds}}}"#),
        ] {
            let said = refused(&text);
            assert!(
                said.contains(&format!("a time is 10 to 10800 seconds, not {seconds}")),
                "{said}"
            );
        }
    }
    let said = refused(r#"{"type":"fischer","initialS":60,"incrementS":181}"#);
    assert!(
        said.contains("an increment is 0 to 180 seconds, not 181"),
        "{said}"
    );
}

#[test]
fn what_is_no_time_control_is_refused() {
    for text in [
        r#"{"type":"fischer","initialS":60}"#,
        r#"{"type":"suddenDeath","initialS":60,"incrementS":1}"#,
        r#"{"type":"suddenDeath","initialS":-60}"#,
        r#"{"type":"suddenDeath","initialS":60.5}"#,
        r#"{"type":"suddenDeath","initialS":"60"}"#,
        r#"{"type":"hourglass","seconds":60}"#,
        r#"{"seconds":60}"#,
        "60",
    ] {
        refused(text);
    }
}
