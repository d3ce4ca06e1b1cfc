//! The longest games: their `ended` carries every move.

use commands::decide::{Command, Context, Start, decide};
use commands::fold::{fold, refold};
use commands::ports::EventLog;
use contract::event::{Ended, Rolled};
use contract::player::BySeat;
use contract::{
    Chance, Durability, EndReason, Envelope, Event, EventId, GameState, Kind, Move, Origin, Outcome,
    PlayedMove, Seat, Spectators, TimeControl,
};
use projections::ports::{LogFilter, LogReader};
use rules::fair::ServerSeed;
use rules::{Next, mancala};
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

/// The event behind the newest one of `game`, which goes on with it.
fn next(game: &mut Option<GameState>, event: Event) -> Envelope {
    let (id, version) = game
        .as_ref()
        .map_or((fixtures::game_id(), 1), |game| (game.id, game.version + 1));
    let envelope = Envelope {
        id: EventId::new(id, version, fixtures::writer()),
        kind: Kind::DiceChess,
        previd: game.as_ref().map(|game| game.last_event),
        time: fixtures::STARTED_AT.plus(version as i64 * fixtures::BEAT_MS),
        traceparent: None,
        event,
    };
    *game = Some(fold(game.take(), &envelope).expect("it follows"));
    envelope
}

/// What the service decides by itself.
fn decided(game: Option<&GameState>, command: &Command) -> Vec<Event> {
    let context = Context {
        now: game.map_or(fixtures::STARTED_AT, |game| game.last_at),
        ran_ms: 0,
        writer: fixtures::writer(),
        spectators: Spectators::default(),
        seed: Some(ServerSeed::new([7; 32])),
    };
    decide(game, command, context).expect("it may be done")
}

fn throw(game: &GameState, seat: Seat, dice: &Chance) -> Event {
    Event::Rolled(Rolled {
        seat,
        index: game.state.chance_index(),
        dice: dice.clone(),
        command: None,
        state: game.state.thrown(dice).expect("it is due"),
        clocks: game.clocks,
        spectators: game.spectators,
    })
}

/// The longest legal game of dice chess: five thousand turns, with dice that let nobody move, and then the rules end it.
fn longest_dice_chess() -> Vec<Envelope> {
    let nobody_moves: Chance = serde_json::from_str("[3, 4, 5]").expect("three faces");
    let begin = Command::Start(Box::new(Start {
        kind: Kind::DiceChess,
        players: BySeat {
            player1: fixtures::guest("Ayşe"),
            player2: fixtures::guest("Bora"),
        },
        time_control: TimeControl::Unlimited,
        durability: Durability::BestEffort,
        origin: Origin::Queue,
        key_id: Some("k1".to_owned()),
        command: None,
    }));
    let mut game = None;
    let mut events: Vec<Envelope> = decided(None, &begin)
        .into_iter()
        .map(|event| next(&mut game, event))
        .collect();
    while let Some(Next::Chance(seat)) = game.as_ref().map(|game| game.state.next()) {
        let rolled = throw(game.as_ref().expect("it has begun"), seat, &nobody_moves);
        events.push(next(&mut game, rolled));
        let forced = decided(game.as_ref(), &Command::GoOn).swap_remove(0);
        assert!(matches!(&forced, Event::Moved(moved) if moved.forced));
        events.push(next(&mut game, forced));
    }
    let end = decided(game.as_ref(), &Command::GoOn).into_iter();
    events.extend(end.map(|event| next(&mut game, event)));
    events
}

#[tokio::test]
async fn a_game_of_dice_chess_of_the_longest_legal_length_ends_on_a_real_server() {
    let server = start().await;
    let log = connect(&server).await;
    let events = longest_dice_chess();
    // A throw and a pass for each turn, the beginning and the end.
    assert_eq!(events.len(), 2 * MANY + 2);
    let messages: Vec<_> = events.iter().map(outgoing).collect();
    append_all(&log, &messages).await;
    let read = log.read_game(events[0].key(), 0).await.unwrap();
    let read: Vec<Envelope> = read
        .iter()
        .map(|entry| Envelope::from_bytes(&entry.bytes).unwrap())
        .collect();
    assert_eq!(read, events);
    let game = refold(&read).unwrap().expect("it has begun");
    let ending = game.ending.as_ref().expect("it has ended");
    assert_eq!(
        (ending.reason, ending.result),
        (EndReason::DrawRule, Some(Outcome::Draw))
    );
    let ended = log.find_ended(game.id).await.unwrap().expect("it is there");
    let mut ended = Envelope::from_bytes(&ended.bytes).unwrap();
    assert_eq!(ended_of(&mut ended).record.moves, game.moves);
    assert_eq!(game.moves.len(), MANY);
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
