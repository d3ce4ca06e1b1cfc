//! Clients as they are documented: they hold a position, ask again with the same id, come back with what they saw, and
//! check every frame that they get.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use commands::games::{ConnectionId, Encoded, Listener, PlayerCommand, Push};
use contract::frames::ServerFrame;
use contract::frames::server::{Change, GameEnded, GameUpdate, Resync};
use contract::view::{GameView, LiveGame};
use contract::{ClientId, GameId, Move, PlayerSummary, Position, UserId, Version};

use crate::promises::Promises;

/// Takes what is pushed; the client reads it when its turn comes.
#[derive(Default)]
pub struct Ear {
    pushed: Mutex<Vec<Push>>,
}

impl Listener for Ear {
    fn push(&self, push: Push) {
        self.pushed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(push);
    }
}

impl Ear {
    fn take(&self) -> Vec<Push> {
        std::mem::take(&mut self.pushed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An open socket.
pub struct Socket {
    /// To which process, as they are counted in the simulation.
    pub process: usize,
    pub id: ConnectionId,
    pub ear: Arc<Ear>,
}

/// A command as it was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    pub id: ClientId,
    pub game: GameId,
    pub what: What,
}

/// What was asked.
#[derive(Debug, Clone)]
pub enum What {
    Move {
        position: Position,
        mv: Move,
        offer_draw: bool,
    },
    Offer(bool),
    Answer(bool),
    Seed(String),
    Leave,
}

impl Sent {
    /// As the games take it.
    pub fn command(&self) -> PlayerCommand {
        let id = self.id.clone();
        match self.what.clone() {
            What::Move {
                position,
                mv,
                offer_draw,
            } => PlayerCommand::Move {
                id,
                position,
                mv,
                offer_draw,
            },
            What::Offer(offer) => PlayerCommand::OfferDraw { id, offer },
            What::Answer(accept) => PlayerCommand::AnswerDraw { id, accept },
            What::Seed(seed) => PlayerCommand::Seed { id, seed },
            What::Leave => PlayerCommand::Leave { id },
        }
    }

    /// Whether it makes an event when it is accepted. What is so already, or comes too late, is accepted and makes none, and
    /// then it is not remembered either.
    pub fn makes_an_event(&self) -> bool {
        !matches!(self.what, What::Offer(_) | What::Seed(_))
    }
}

/// What a client has seen of a game.
#[derive(Debug, Clone)]
pub struct View {
    pub position: Position,
    pub turn: Option<UserId>,
    pub over: bool,
    /// Whether it was seen on the socket that is open now, so that further frames follow.
    pub followed: bool,
}

/// A client.
pub struct Client {
    pub user: PlayerSummary,
    pub socket: Option<Socket>,
    pub views: BTreeMap<GameId, View>,
    pub last_sent: Option<Sent>,
    sent: u32,
}

impl Client {
    pub fn new(name: &str) -> Self {
        let user = PlayerSummary {
            user_id: UserId::new(format!("guest:{name}")),
            name: Some(name.to_owned()),
            is_guest: true,
        };
        Self {
            user,
            socket: None,
            views: BTreeMap::new(),
            last_sent: None,
            sent: 0,
        }
    }

    /// A new command id.
    pub fn next_id(&mut self) -> ClientId {
        self.sent += 1;
        format!("c{}", self.sent).parse().expect("it is short")
    }

    /// Its socket is gone.
    pub fn lose_socket(&mut self) {
        self.socket = None;
        for view in self.views.values_mut() {
            view.followed = false;
        }
    }

    /// The process of that socket does not hold the game.
    pub fn does_not_follow(&mut self, socket: (usize, ConnectionId), game: GameId) {
        let now = self.socket.as_ref().map(|now| (now.process, now.id));
        let same = now == Some(socket);
        if same && let Some(view) = self.views.get_mut(&game) {
            view.followed = false;
        }
    }

    /// Reads what came; whether the server closed the socket.
    ///
    /// # Errors
    /// What a client must never be told.
    pub fn read(&mut self, promises: &mut Promises) -> Result<bool, String> {
        let Some(socket) = &self.socket else {
            return Ok(false);
        };
        let mut closed = false;
        for push in socket.ear.take() {
            match push {
                // What comes behind a close is never sent.
                _ if closed => {}
                Push::Close(_) => closed = true,
                Push::Frame(frame) => self
                    .take(&frame, promises)
                    .map_err(|wrong| format!("{} was told {:?}: {wrong}", self.user.user_id, frame.frame))?,
            }
        }
        Ok(closed)
    }

    fn take(&mut self, frame: &Arc<Encoded>, promises: &mut Promises) -> Result<(), String> {
        match &frame.frame {
            ServerFrame::OnGameStart(live) => {
                self.whole(live, promises);
                Ok(())
            }
            ServerFrame::Resync(resync) => {
                self.resync(resync, promises);
                Ok(())
            }
            ServerFrame::OnGameUpdate(update) => self.update(update, promises),
            ServerFrame::OnGameEnded(ended) => self.ended(ended, promises),
            ServerFrame::OnDurable(durable) => {
                let view = self.views.get(&durable.game_id).filter(|view| view.followed);
                if let Some(view) = view
                    && durable.durable_version > view.position.version
                {
                    return Err(format!("it has seen {} only", view.position));
                }
                promises.durable_up_to(durable.game_id, durable.durable_version);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn view(&mut self, game: GameId) -> Result<&mut View, String> {
        self.views
            .get_mut(&game)
            .filter(|view| view.followed)
            .ok_or_else(|| "it has not seen the game whole".to_owned())
    }

    fn whole(&mut self, live: &LiveGame, promises: &mut Promises) {
        let (game, position) = (live.summary.id, live.position);
        promises.durable_up_to(game, live.durable_version);
        let view = View {
            position,
            turn: live.summary.turn_player_id.clone(),
            over: false,
            followed: true,
        };
        self.views.insert(game, view);
    }

    fn resync(&mut self, resync: &Resync, promises: &mut Promises) {
        match &resync.game {
            Some(GameView::Live(live)) => self.whole(live, promises),
            Some(GameView::Finished { .. }) => {
                if let Some(view) = self.views.get_mut(&resync.game_id) {
                    view.over = true;
                    view.turn = None;
                    // How it ended is all there is to know of it.
                    view.followed = false;
                }
            }
            None => {}
        }
    }

    fn update(&mut self, update: &GameUpdate, promises: &mut Promises) -> Result<(), String> {
        let at = update.at;
        let turn = match &update.change {
            Change::Moved { turn_player_id, .. } => Some(turn_player_id.clone()),
            Change::Rolled { player_id, .. } => Some(Some(player_id.clone())),
            _ => None,
        };
        self.step(at.game_id, at.position, at.durable_version, promises)?;
        let view = self.view(at.game_id)?;
        if let Some(turn) = turn {
            view.turn = turn;
        }
        Ok(())
    }

    fn ended(&mut self, ended: &GameEnded, promises: &mut Promises) -> Result<(), String> {
        let at = ended.at;
        self.step(at.game_id, at.position, at.durable_version, promises)?;
        let view = self.view(at.game_id)?;
        view.over = true;
        view.turn = None;
        Ok(())
    }

    /// The next version, and no other.
    fn step(
        &mut self,
        game: GameId,
        position: Position,
        durable: Version,
        promises: &mut Promises,
    ) -> Result<(), String> {
        let view = self.view(game)?;
        if view.over {
            return Err("it has seen the end of it".to_owned());
        }
        if position.version != view.position.version + 1 {
            return Err(format!("it has seen {}", view.position));
        }
        view.position = position;
        promises.durable_up_to(game, durable);
        Ok(())
    }
}
