//! The longest games: their `ended` carries every move.

use commands::ports::EventLog;
use contract::event::Ended;
use contract::{Chance, EndReason, Envelope, Event, Kind, Move, PlayedMove, Seat, State};
use projections::ports::{LogFilter, LogReader};
use rules::{Next, RuleEnd, mancala};
use testkit::fixtures::{self, Game, append_all, long_mancala, outgoing};
use turnstream_nats::LARGEST_EVENT;

use crate::common::{connect, start};

/// How wide the search for a long game is. One three hundred times as wide takes minutes and finds 957 moves.
const WIDTH: usize = 10;

/// Far more moves than any search has found.
const MANY: usize = 5_000;

/// What an `ended` may take for each move, in bytes: with this a hundred thousand moves fit.
const BYTES_PER_MOVE: usize = LARGEST_EVENT / 100_000;

/// The end of a game that was left after these moves.
fn ended_after(moves: &[mancala::Move]) -> Envelope {
    let (mut game, _) = Game::start(Kind::Mancala, fixtures::writer());
    let mut envelope = game.end(EndReason::Left);
    let played = (0..).zip(moves).map(|(beat, mv)| PlayedMove {
        seat: if beat % 2 == 0 {
            Seat::Player1
        } else {
            Seat::Player2
        },
        mv: (*mv).into(),
        dice: None,
        at: fixtures::STARTED_AT.plus(beat * fixtures::BEAT_MS),
        think_ms: Some(fixtures::BEAT_MS),
    });
    ended_of(&mut envelope).record.moves = played.collect();
    envelope
}

fn ended_of(envelope: &mut Envelope) -> &mut Ended {
    match &mut envelope.event {
        Event::Ended(ended) => ended,
        other => panic!("it is no {}", other.name()),
    }
}

#[test]
fn the_longest_game_that_is_found_ends_in_few_bytes() {
    let moves = long_mancala(WIDTH);
    assert_eq!(moves.len(), 539);
    let (mut game, _) = Game::start(Kind::Mancala, fixtures::writer());
    let played = moves.iter().map(|mv| game.play_move(mv)).count();
    assert_eq!(game.state().to_move(), None, "it is played to its end");
    let bytes = game.end(EndReason::Completed).to_bytes().len();
    println!("the `ended` of {played} moves has {bytes} bytes");
    assert!(
        bytes < played * BYTES_PER_MOVE,
        "{bytes} bytes for {played} moves"
    );
    let anchored = game.anchor().to_bytes().len();
    assert!(
        anchored < played * BYTES_PER_MOVE,
        "{anchored} bytes for {played} moves"
    );
}

/// Five thousand turns: with dice that let nobody move, every turn is a pass, and the rules end the game.
#[test]
fn a_game_of_dice_chess_has_five_thousand_turns_at_most() {
    let nobody_moves: Chance = serde_json::from_str("[3, 4, 5]").expect("three faces");
    let mut state = State::initial(Kind::DiceChess);
    let mut turns = 0;
    while let Next::Chance(seat) = state.next() {
        state = state.thrown(&nobody_moves).expect("it is due");
        let pass = state.legal_moves().swap_remove(0);
        state = state.advance(seat, &pass).expect("there is no other move");
        turns += 1;
    }
    assert_eq!(turns, MANY);
    assert_eq!(
        state.ending().map(|ending| ending.reason),
        Some(RuleEnd::DrawRule)
    );
}

#[tokio::test]
async fn the_longest_game_of_dice_chess_ends_in_the_log_with_every_die() {
    let server = start().await;
    let log = connect(&server).await;
    let dice: Chance = serde_json::from_str("[1, 1, 1]").expect("three faces");
    let turn: Move = serde_json::from_str(r#"["a7a8q", "h7h8q", "b7b8q"]"#).expect("three moves");
    let (mut game, _) = Game::start(Kind::DiceChess, fixtures::writer());
    let mut ended = game.end(EndReason::Left);
    let played = (0..MANY).map(|beat| PlayedMove {
        seat: Seat::BOTH[beat % 2],
        mv: turn.clone(),
        dice: Some(dice.clone()),
        at: fixtures::STARTED_AT.plus(beat as i64 * fixtures::BEAT_MS),
        think_ms: Some(7_200_000),
    });
    ended_of(&mut ended).record.moves = played.collect();
    let message = outgoing(&ended);
    let bytes = message.bytes.len();
    println!("the `ended` of {MANY} turns has {bytes} bytes");
    assert!(bytes < LARGEST_EVENT / 8, "{bytes} bytes");
    let written = append_all(&log, &[message]).await.remove(0);
    let read = log
        .find_ended(written.key.id)
        .await
        .unwrap()
        .expect("it is there");
    let mut again = Envelope::from_bytes(&read.bytes).unwrap();
    assert_eq!(ended_of(&mut again).record, ended_of(&mut ended).record);
}

#[tokio::test]
async fn a_game_of_thousands_of_moves_is_written_whole_and_read_back() {
    let server = start().await;
    let log = connect(&server).await;
    let moves: Vec<_> = (0..MANY)
        .map(|beat| mancala::Move(if beat % 2 == 0 { 5 } else { 12 }))
        .collect();
    let mut ended = ended_after(&moves);
    let message = outgoing(&ended);
    let bytes = message.bytes.len();
    println!("the `ended` of {MANY} moves has {bytes} bytes");
    assert!(bytes < MANY * BYTES_PER_MOVE, "{bytes} bytes for {MANY} moves");
    let written = append_all(&log, &[message]).await.remove(0);
    assert_eq!(written.bytes, ended.to_bytes());
    assert_eq!(
        log.find_ended(written.key.id).await.unwrap().as_ref(),
        Some(&written)
    );
    let mut cursor = log.open(0, LogFilter::Ended).await.unwrap();
    let read = cursor.next(1, 10_000).await.unwrap().remove(0);
    assert_eq!(read, written);
    let mut again = Envelope::from_bytes(&read.bytes).unwrap();
    assert_eq!(ended_of(&mut again).record.moves.len(), MANY);
    assert_eq!(ended_of(&mut again).record, ended_of(&mut ended).record);
}
