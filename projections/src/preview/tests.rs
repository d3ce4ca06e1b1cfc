use super::*;
use commands::games::Push;
use contract::{Kind, Millis, WriterId};
use testkit::clock::FakeClock;
use testkit::fixtures::Game;
use tokio::sync::mpsc;

struct Heard(mpsc::UnboundedSender<Vec<(GameId, u32, u32)>>);

impl Listener for Heard {
    fn push(&self, push: Push) {
        let Push::Frame(frame) = push else {
            panic!("nothing closes a preview")
        };
        let ServerFrame::OnLiveGames(shown) = &frame.frame else {
            panic!("only live games are pushed")
        };
        let games = shown
            .games
            .iter()
            .map(|g| (g.id, g.spectator_count, g.move_count))
            .collect();
        // A test that stopped listening does not care.
        let _ = self.0.send(games);
    }
}

type Frames = mpsc::UnboundedReceiver<Vec<(GameId, u32, u32)>>;

fn listener() -> (Arc<Heard>, Frames) {
    let (sender, frames) = mpsc::unbounded_channel();
    (Arc::new(Heard(sender)), frames)
}

fn subscribe(preview: &Preview, connection: u64, user: Option<&UserId>) -> Frames {
    let (listener, frames) = listener();
    preview.subscribe(ConnectionId(connection), user.cloned(), listener);
    frames
}

fn game() -> Game {
    Game::start(Kind::Mancala, WriterId(1)).0
}

fn commit(preview: &Preview, game: &Game) {
    preview.committed(&Arc::new(game.state().clone()), &[]);
}

struct Running {
    preview: Arc<Preview>,
    clock: Arc<FakeClock>,
    cancel: CancellationToken,
    tasks: tokio_util::task::TaskTracker,
}

fn running() -> Running {
    let running = Running {
        preview: Preview::new(),
        clock: FakeClock::at(Millis(0)),
        cancel: CancellationToken::new(),
        tasks: tokio_util::task::TaskTracker::new(),
    };
    let (preview, clock, cancel) = (
        running.preview.clone(),
        running.clock.clone(),
        running.cancel.clone(),
    );
    running
        .tasks
        .spawn(async move { preview.run(clock.as_ref(), cancel).await });
    running
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

#[tokio::test]
async fn a_subscriber_gets_the_most_watched_games_at_once() {
    let preview = Preview::new();
    let game = game();
    commit(&preview, &game);
    preview.spectators(game.state().id, 3);
    let mut frames = subscribe(&preview, 1, None);
    assert_eq!(frames.try_recv(), Ok(vec![(game.state().id, 3, 0)]));
}

#[tokio::test]
async fn a_subscriber_gets_an_empty_list_when_nobody_plays() {
    let mut frames = subscribe(&Preview::new(), 1, None);
    assert_eq!(frames.try_recv(), Ok(vec![]));
}

#[tokio::test]
async fn a_burst_makes_one_frame_now_and_one_with_its_last_change_a_second_later() {
    let running = running();
    let mut game = game();
    let id = game.state().id;
    let mut frames = subscribe(&running.preview, 1, None);
    assert_eq!(frames.recv().await, Some(vec![]));
    commit(&running.preview, &game);
    assert_eq!(frames.recv().await, Some(vec![(id, 0, 0)]));
    for _ in 0..3 {
        game.play();
        commit(&running.preview, &game);
    }
    running.clock.until_sleeping(1).await;
    running.clock.advance(999);
    tokio::task::yield_now().await;
    assert!(frames.try_recv().is_err());
    running.clock.advance(1);
    assert_eq!(frames.recv().await, Some(vec![(id, 0, 3)]));
}

#[tokio::test]
async fn a_game_that_ends_or_goes_away_is_taken_from_the_list() {
    let running = running();
    let (mut ends, goes) = (game(), game());
    commit(&running.preview, &ends);
    commit(&running.preview, &goes);
    let mut frames = subscribe(&running.preview, 1, None);
    assert_eq!(frames.recv().await.map(|games| games.len()), Some(2));
    ends.end(contract::EndReason::Inactive);
    commit(&running.preview, &ends);
    assert_eq!(frames.recv().await, Some(vec![(goes.state().id, 0, 0)]));
    running.preview.gone(goes.state().id);
    running.clock.until_sleeping(1).await;
    running.clock.advance(1_000);
    assert_eq!(frames.recv().await, Some(vec![]));
}

#[tokio::test]
async fn a_frame_that_a_new_subscriber_has_is_not_pushed_to_it_again() {
    let running = running();
    let mut first = subscribe(&running.preview, 1, None);
    assert_eq!(first.recv().await, Some(vec![]));
    let game = game();
    commit(&running.preview, &game);
    let mut second = subscribe(&running.preview, 2, None);
    let shown = vec![(game.state().id, 0, 0)];
    assert_eq!(second.try_recv(), Ok(shown.clone()));
    assert_eq!(first.recv().await, Some(shown));
    assert!(second.try_recv().is_err());
}

#[tokio::test]
async fn a_user_counts_once_over_connections_and_an_unsubscribed_one_hears_nothing() {
    let running = running();
    let user = game().state().players.player1.user_id.clone();
    let mut frames = subscribe(&running.preview, 1, Some(&user));
    let _second = subscribe(&running.preview, 2, Some(&user));
    let _anonymous = subscribe(&running.preview, 3, None);
    let mut witness = subscribe(&running.preview, 4, None);
    assert_eq!(
        (
            running.preview.subscriptions_of(&user),
            running.preview.subscribed()
        ),
        (2, 3)
    );
    running.preview.unsubscribe(ConnectionId(1));
    assert_eq!(
        (
            running.preview.subscriptions_of(&user),
            running.preview.subscribed()
        ),
        (1, 3)
    );
    assert_eq!(
        (frames.recv().await, witness.recv().await),
        (Some(vec![]), Some(vec![]))
    );
    commit(&running.preview, &game());
    assert_eq!(witness.recv().await.map(|games| games.len()), Some(1));
    assert_eq!(frames.recv().await, None);
}
