//! The web client: its rules, its types, and itself in real browsers against the real service in embedded mode.
//!
//! The tests are JavaScript, in `web/tests`; here each file of them is one test. `./test servers` installs what they
//! need. What they are about is told apart by their names: `*.browser.mjs` start a browser.

use std::path::Path;
use std::process::Command;

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/web");

/// Runs `node` in `web/`, and shows what it said if it fails.
fn node(arguments: &[&str]) {
    assert!(
        Path::new(WEB).join("node_modules").exists(),
        "the client's tools are missing: ./test servers"
    );
    let output = Command::new("node")
        .args(arguments)
        .current_dir(WEB)
        .env("TURNSTREAM_BINARY", env!("CARGO_BIN_EXE_turnstream"))
        .output()
        .expect("node starts");
    assert!(
        output.status.success(),
        "node {arguments:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn tests(file: &str) {
    tests_named(file, ".");
}

/// The tests of a file whose names match: those of one file may be too long for one test. What a test stands in has a
/// name without a space, and must not match.
fn tests_named(file: &str, pattern: &str) {
    let pattern = format!("--test-name-pattern={pattern}");
    node(&[
        "--test",
        &pattern,
        "--test-reporter=spec",
        &format!("tests/{file}"),
    ]);
}

#[test]
fn the_client_plays_by_the_rules_of_the_service() {
    tests("mancala.test.mjs");
    tests("dicechess.test.mjs");
}

#[test]
fn the_client_counts_down_by_the_clock_of_the_service() {
    tests("clock.test.mjs");
}

#[test]
fn the_client_says_the_same_in_every_language() {
    tests("texts.test.mjs");
}

#[test]
fn what_is_vendored_is_whole_and_untouched() {
    tests("vendor.test.mjs");
}

#[test]
fn the_client_s_types_hold() {
    node(&["node_modules/typescript/bin/tsc", "--project", "."]);
}

#[test]
fn the_types_are_those_of_the_described_interfaces() {
    node(&["tools/types.mjs", "--check"]);
}

#[test]
fn people_play_and_watch_and_come_back() {
    tests_named("game.browser.mjs", "^(two people|the service)");
}

#[test]
fn people_look_back_and_go_away_and_leave() {
    tests_named("game.browser.mjs", "^(?!.*(two people|the service)).* ");
}

#[test]
fn games_outlive_the_network() {
    tests("network.browser.mjs");
}

#[test]
fn whoever_looks_for_an_opponent_may_stop_at_any_time() {
    tests("seeking.browser.mjs");
}

#[test]
fn games_are_told_of_away_from_their_boards() {
    tests_named("home.browser.mjs", "^a (game|list)");
}

#[test]
fn lists_of_games_are_whole_and_fit() {
    tests_named("home.browser.mjs", "^(?!.*(a (game|list))).* ");
}

#[test]
fn people_find_each_other() {
    tests_named("table.browser.mjs", "^(strangers|an invitation|a game in two)");
}

#[test]
fn people_use_the_board_as_they_can() {
    tests_named(
        "table.browser.mjs",
        "^(?!.*(strangers|an invitation|a game in two)).* ",
    );
}

#[test]
fn a_turn_of_dice_chess_is_made_on_its_board() {
    tests("chess-board.browser.mjs");
}

#[test]
fn people_play_against_the_clock() {
    tests("clocks.browser.mjs");
}

#[test]
fn people_play_dice_chess_to_its_end() {
    tests_named("dicechess.browser.mjs", "^two people");
}

#[test]
fn people_have_second_thoughts_at_dice_chess() {
    tests_named("dicechess.browser.mjs", "^(?!.*(two people)).* ");
}

#[test]
fn a_finished_game_is_gone_through() {
    tests_named("replay.browser.mjs", "^(it begins|at four|buttons|keys|what has)");
}

#[test]
fn a_finished_game_is_looked_at_again() {
    tests_named(
        "replay.browser.mjs",
        "^(?!.*(it begins|at four|buttons|keys|what has)).* ",
    );
}

#[test]
fn a_finished_game_of_dice_chess_is_looked_at_again() {
    tests_named("dicechess-replay.browser.mjs", "^it ");
}

#[test]
fn a_finished_game_of_dice_chess_is_checked() {
    tests_named("dicechess-replay.browser.mjs", "^(?!it |.* it ).* ");
}

#[test]
fn every_page_is_open_to_everybody_by_day() {
    tests_named("pages.browser.mjs", "any page, light$");
}

#[test]
fn dice_chess_is_open_to_everybody_by_day() {
    tests_named("pages.browser.mjs", "is played, light$");
}

#[test]
fn every_page_is_open_to_everybody_by_night() {
    tests_named("pages.browser.mjs", "any page, dark$");
}

#[test]
fn dice_chess_is_open_to_everybody_by_night() {
    tests_named("pages.browser.mjs", "is played, dark$");
}

#[test]
fn every_page_is_small() {
    tests_named("loading.browser.mjs", "small");
}

#[test]
fn every_page_is_strict_and_found() {
    tests_named("loading.browser.mjs", "^(?!.*(small)).* ");
}

#[test]
fn accounts_sign_in() {
    tests("sign-in.browser.mjs");
}
