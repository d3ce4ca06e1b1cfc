//! Somebody who watches a game, loses the connection, and comes back with the position they hold.

use serde_json::Value;

use crate::harness::log_check::Log;
use crate::harness::{Events, Seen, Socket};

/// How they watch.
enum Line {
    Socket(Socket),
    Events(Events),
}

/// One who watches.
pub struct Watcher {
    game: String,
    over_events: bool,
    line: Option<Line>,
    held: Option<Seen>,
    /// Each position that they came back with, and whether they were given the whole state in place of what they missed.
    returns: Vec<(String, bool)>,
    /// Whether they were told that the game is over, by a frame of its end or by its record.
    over: bool,
}

impl Watcher {
    /// Opens a socket, or an event stream, and gets the whole game.
    pub async fn open(url: &str, game: &str, over_events: bool) -> Self {
        let mut watcher = Self {
            game: game.to_owned(),
            over_events,
            line: None,
            held: None,
            returns: Vec::new(),
            over: false,
        };
        watcher.connect(url).await;
        watcher
    }

    async fn connect(&mut self, url: &str) {
        let since = self.held.as_ref().map(|held| held.position.clone());
        let line = if self.over_events {
            let mut events = Events::open(url, &self.game, since.as_deref(), None).await;
            if since.is_none() {
                events.next().await;
            }
            Line::Events(events)
        } else {
            let mut socket = Socket::open(url, None).await;
            socket.watch(&self.game, since.as_deref()).await;
            if since.is_none() {
                socket.next("on_game_start").await;
            }
            Line::Socket(socket)
        };
        self.line = Some(line);
    }

    /// The service was killed: reads what came before that.
    pub async fn was_cut_off(&mut self) {
        let frames = match self.line.take() {
            None => return,
            Some(Line::Socket(mut socket)) => {
                socket.closed().await;
                socket.everything()
            }
            Some(Line::Events(events)) => drained(events).await,
        };
        self.take(&frames);
    }

    /// Comes back with the position held, unless the game is over.
    pub async fn come_back(&mut self, url: &str) {
        if !self.over {
            self.connect(url).await;
        }
    }

    /// Reads to the game's end.
    pub async fn see_the_end(&mut self) {
        let game = self.game.clone();
        let frames = match self.line.take() {
            None => return,
            Some(Line::Socket(mut socket)) => {
                let end = |frames: &[Value]| frames.iter().any(|frame| is_end(frame, &game)).then_some(());
                socket.until("end of the game", end).await;
                socket.everything()
            }
            Some(Line::Events(events)) => drained(events).await,
        };
        self.take(&frames);
        assert!(self.over, "they saw the end of {game}");
    }

    /// Folds frames over what is held: gapless, or the whole state.
    fn take(&mut self, frames: &[Value]) {
        let before = self.held.take();
        let held = Seen::after(before.as_ref(), &self.game, frames);
        let record = frames.iter().any(|frame| is_record(frame, &self.game));
        if let Some(before) = before {
            let whole = record || held.wholes > before.wholes;
            self.returns.push((before.position, whole));
        }
        self.over |= record || held.ended.is_some();
        self.held = Some(held);
    }

    /// Panics unless they got exactly what they missed at each return: the whole state only where the log does not know
    /// the position that they came back with, or where the game was over and forgotten meanwhile.
    pub fn check(&self, log: &Log) {
        let game = log.game(&self.game);
        let held = self.held.as_ref().expect("they saw the game");
        let saw_the_end = held.ended.is_some();
        for (n, (position, whole)) in self.returns.iter().enumerate() {
            let last_and_record = n + 1 == self.returns.len() && !saw_the_end;
            assert!(
                *whole != game.has(position) || last_and_record,
                "they came back to {} with {position}, got the whole state: {whole}, of the chain {:?}",
                self.game,
                game.state.chain
            );
        }
    }
}

fn is_record(frame: &Value, game: &str) -> bool {
    frame["channel"] == "resync"
        && frame["payload"]["gameId"] == game
        && frame["payload"]["game"]["status"] == "finished"
}

fn is_end(frame: &Value, game: &str) -> bool {
    is_record(frame, game) || (frame["channel"] == "on_game_ended" && frame["payload"]["gameId"] == game)
}

async fn drained(mut events: Events) -> Vec<Value> {
    events.drain().await;
    events.everything().to_vec()
}
