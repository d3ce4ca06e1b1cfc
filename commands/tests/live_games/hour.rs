//! An hour without the log: nothing that was accepted is dropped, and what waits for it stays within bounds.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use commands::fold::fold;
use commands::games::{Games, Listener, PlayerCommand, Push};
use commands::live::Adopted;
use commands::ports::{EventLog, PendingGame, PendingStore};
use commands::publish::queue::{Acked, COLLAPSE_ABOVE, anchored};
use contract::{Durability, Envelope, EventId, GameId, GameState, Kind, Move, PlayerSummary};
use futures::{StreamExt, stream};
use testkit::fixtures::{Game, guest, long_mancala, outgoing};
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::service::{STEP_MS, Service, client, invitation, key};

const HOUR_MS: u64 = 3_600_000;

/// Live games when the log goes away.
const GAMES: usize = 10_000;
/// Of those, games in which much happens: their queues collapse.
const BUSY: usize = 15;
/// Games that begin while it is away.
const BEGUN: usize = 15;

/// Moves in each busy game; in every other there is one.
const BUSY_MOVES: usize = 200;

/// So much is asked of the log at once.
const AT_ONCE: usize = 500;

/// How long all queues may take to drain, on a busy machine.
const DRAINED_WITHIN: Duration = Duration::from_mins(2);

/// A socket that nobody looks at: its player is there.
struct Deaf;

impl Listener for Deaf {
    fn push(&self, _: Push) {}
}

/// A game, and the moves that are still to be played in it.
struct Table {
    game: GameId,
    players: [PlayerSummary; 2],
    moves: VecDeque<Move>,
}

impl Table {
    fn new(game: GameId, players: [PlayerSummary; 2], moves: &[Move]) -> Self {
        Self {
            game,
            players,
            moves: moves.iter().cloned().collect(),
        }
    }

    /// Whoever is to move plays the next move.
    async fn play(&mut self, service: &Service) {
        let mv = self.moves.pop_front().expect("a move is left");
        let live = service.live(self.game);
        let to_move = live.summary.turn_player_id;
        let player = self
            .players
            .iter()
            .find(|player| Some(&player.user_id) == to_move.as_ref());
        let command = PlayerCommand::Move {
            id: client(&format!("m{}", live.version)),
            position: live.position,
            mv,
            offer_draw: false,
        };
        let player = player.expect("somebody is to move");
        let accepted = service.games.command(self.game, player, command).await.unwrap();
        assert!(!accepted.durable, "the log is away");
    }
}

/// Games that the log has, held by the service; their players are there.
async fn hold_games(service: &Service, count: usize) -> Vec<Table> {
    let begun: Vec<Envelope> = (0..count)
        .map(|_| Game::start(Kind::Mancala, service.writer).1)
        .collect();
    let log = service.embedded.log();
    let adopted: Vec<GameState> = stream::iter(begun)
        .map(|started| {
            let log = log.clone();
            async move {
                let seq = log.append(&outgoing(&started), 0).await.unwrap();
                (fold(None, &started).unwrap(), seq)
            }
        })
        .buffered(AT_ONCE)
        .map(|(game, seq)| {
            let place = game.last_event;
            let adopted = Adopted {
                game: game.clone(),
                acked: Some(Acked { place, seq }),
                waiting: Vec::new(),
                last: None,
            };
            assert!(service.games.adopt(adopted));
            game
        })
        .collect()
        .await;
    adopted
        .into_iter()
        .map(|game| {
            let players = [game.players.player1, game.players.player2];
            for player in &players {
                service.games.connect(Some(player), Arc::new(Deaf));
            }
            Table::new(game.id, players, &[])
        })
        .collect()
}

/// A game that the log has never heard of.
async fn begin_game(service: &Service, moves: &[Move]) -> Table {
    let players = [guest("host"), guest("guest")];
    for player in &players {
        service.games.connect(Some(player), Arc::new(Deaf));
    }
    let invitation = invitation(&players[0], Durability::BestEffort);
    let joined = service.games.join(invitation, &players[1], None).await.unwrap();
    assert!(!joined.durable);
    Table::new(joined.game, players, moves)
}

/// The whole state of a game as an `anchored` carries it, in bytes.
fn anchor_len(service: &Service, game: &GameState) -> usize {
    anchored(game, service.writer, 1, None).to_bytes().len()
}

/// Waits until what waits for each game is copied up to its last event; how many bytes of one game at most.
async fn copies(service: &Service, held: &[Arc<GameState>]) -> usize {
    loop {
        let lists = service.embedded.pending().load().await.unwrap();
        let copied: HashMap<GameId, EventId> = lists
            .iter()
            .filter_map(|list| Some((list.key.id, list.items.last()?.place)))
            .collect();
        if held
            .iter()
            .all(|game| copied.get(&game.id) == Some(&game.last_event))
        {
            assert_eq!(lists.len(), held.len());
            let bytes = |list: &PendingGame| list.items.iter().map(|item| item.bytes.len()).sum();
            return lists.iter().map(bytes).max().unwrap_or(0);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Folds what the log has of a game event by event: only an `anchored` may close a hole.
async fn folded(service: &Service, game: GameId) -> GameState {
    let entries = service.embedded.log().read_game(key(game), 0).await.unwrap();
    let mut folded = None;
    for (index, entry) in entries.iter().enumerate() {
        assert_eq!(
            index == 0,
            entry.name == "started",
            "it begins with its `started`"
        );
        let envelope = Envelope::from_bytes(&entry.bytes).unwrap();
        folded = Some(fold(folded, &envelope).unwrap());
    }
    folded.expect("the log has it")
}

#[tokio::test]
async fn ten_thousand_games_wait_an_hour_for_the_log_within_bounds_and_then_it_has_them_all() {
    let service = Service::start().await;
    let mut tables = hold_games(&service, GAMES).await;
    let long = long_mancala(1);
    for (index, table) in tables.iter_mut().enumerate() {
        let count = if index < BUSY { BUSY_MOVES } else { 1 };
        table.moves = long[..count].iter().cloned().collect();
    }
    service.log.set(Gate::Down);
    service.settle().await;
    let begun = stream::iter(0..BEGUN).map(|_| begin_game(&service, &long[..BUSY_MOVES]));
    tables.extend(begun.buffered(BEGUN).collect::<Vec<_>>().await);

    let (mut busy, mut quiet): (Vec<_>, Vec<_>) = tables.into_iter().partition(|table| table.moves.len() > 1);

    // In every step some games go on, so that the moves are spread over the hour.
    let steps = (HOUR_MS / STEP_MS) as usize;
    let (mut rounds, mut moved) = (0, 0);
    let mut highest = 0;
    for step in 1..=steps {
        service.pass(STEP_MS).await;
        while rounds * steps < step * BUSY_MOVES {
            for table in &mut busy {
                table.play(&service).await;
                highest = highest.max(service.games.waiting_bytes(table.game));
            }
            rounds += 1;
        }
        while moved * steps < step * quiet.len() {
            quiet[moved].play(&service).await;
            moved += 1;
        }
    }

    let held = service.games.held();
    assert_eq!(held.len(), GAMES + BEGUN, "no game was ended or dropped");
    let largest = held.iter().map(|game| anchor_len(&service, game)).max().unwrap();
    let bound = COLLAPSE_ABOVE + largest;
    assert!(highest > COLLAPSE_ABOVE / 2, "queues grew");
    assert!(highest <= bound, "{highest} of {bound} bytes wait for one game");
    let copied = copies(&service, &held).await;
    assert!(
        copied <= bound,
        "{copied} of {bound} bytes are copied for one game"
    );

    service.log.set(Gate::Open);
    let drained = async {
        while service.games.load().waiting_events > 0 {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::time::timeout(DRAINED_WITHIN, drained)
        .await
        .expect("all queues drain");
    for game in service.games.held() {
        assert_eq!(folded(&service, game.id).await, *game);
    }
    let emptied = async {
        while !service.embedded.pending().load().await.unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::time::timeout(DRAINED_WITHIN, emptied)
        .await
        .expect("no copy is left");
}
