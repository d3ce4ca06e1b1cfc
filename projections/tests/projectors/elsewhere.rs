//! The preview of a standby: games that another process holds.

use std::sync::Arc;

use commands::games::Role;
use commands::observer::Observer;
use contract::{EndReason, GameId, WriterId};
use projections::preview::Preview;
use projections::preview::elsewhere::Elsewhere;
use projections::preview::telling::Teller;
use testkit::fixtures::Game;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::world::World;

const ONE: WriterId = WriterId(0xa);

/// A process that follows what others hold while it is a standby.
struct Follower {
    preview: Arc<Preview>,
    role: watch::Sender<Role>,
    cancel: CancellationToken,
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Follower {
    fn start(world: &World) -> Self {
        let follower = Self {
            preview: Preview::new(),
            role: watch::Sender::new(Role::Standby),
            cancel: CancellationToken::new(),
        };
        let elsewhere = Elsewhere {
            preview: follower.preview.clone(),
            live: world.stores.live(),
            log: world.stores.log(),
            reader: world.stores.reader(),
            counts: world.stores.spectator_counts(),
            clock: world.clock.clone(),
        };
        world.spawn(elsewhere.run(follower.role.subscribe(), follower.cancel.clone()));
        follower
    }

    /// Games in the preview with their versions, sorted.
    fn games(&self) -> Vec<(GameId, u64)> {
        let top = self.preview.top(100);
        let version = |id| self.preview.game(id).map(|(game, _)| game.version);
        let mut games: Vec<_> = top
            .iter()
            .filter_map(|game| Some((game.id, version(game.id)?)))
            .collect();
        games.sort_unstable();
        games
    }

    async fn until(&self, world: &World, games: &[&Game]) {
        let mut wanted: Vec<_> = games
            .iter()
            .map(|game| (game.state().id, game.state().version))
            .collect();
        wanted.sort_unstable();
        world.turn_until(async || self.games() == wanted).await;
    }
}

#[tokio::test]
async fn a_standby_shows_the_games_of_the_snapshots_and_follows_the_log_from_there() {
    let mut world = World::open().await;
    let projector = world.following(ONE).await;
    let (mut first, second) = (world.game(2).await, world.game(1).await);
    world.finished_game(1).await;
    world.until_caught_up(&projector).await;
    projector.stop().await;
    let late = world.game(3).await;
    let follower = Follower::start(&world);
    follower.until(&world, &[&first, &second, &late]).await;
    let player = &first.state().players.player1.user_id;
    assert_eq!(
        follower.preview.game_of(player).map(|game| game.id),
        Some(first.state().id)
    );
    world.play(&mut first, 2).await;
    let newer = world.game(0).await;
    follower.until(&world, &[&first, &second, &late, &newer]).await;
    let ended = first.end(EndReason::Left);
    world.append(&ended).await;
    follower.until(&world, &[&second, &late, &newer]).await;
}

#[tokio::test]
async fn a_process_that_becomes_active_keeps_only_the_games_that_it_holds() {
    let mut world = World::open().await;
    let (held, other) = (world.game(2).await, world.game(1).await);
    let follower = Follower::start(&world);
    follower.until(&world, &[&held, &other]).await;
    follower.preview.committed(&Arc::new(held.state().clone()), &[]);
    follower.role.send_replace(Role::Active);
    follower.until(&world, &[&held]).await;
    follower.preview.gone(held.state().id);
    follower.role.send_replace(Role::Standby);
    follower.until(&world, &[&held, &other]).await;
}

#[tokio::test]
async fn a_game_with_a_hole_is_read_again_and_one_beyond_reading_is_not_shown() {
    let mut world = World::open().await;
    let (game, mut holed) = (world.game(1).await, world.game(1).await);
    let follower = Follower::start(&world);
    follower.until(&world, &[&game, &holed]).await;
    holed.play();
    let after_the_hole = holed.play();
    world.append(&after_the_hole).await;
    let anchored = holed.anchor();
    world.append(&anchored).await;
    follower.until(&world, &[&game, &holed]).await;
}

/// A process that holds `game` and tells how many watch it.
fn holder(world: &World, game: &Game, cancel: &CancellationToken) -> (Arc<Preview>, Arc<Teller>) {
    let preview = Preview::new();
    preview.committed(&Arc::new(game.state().clone()), &[]);
    let teller = Teller::new(preview.clone(), world.stores.spectator_counts());
    let (telling, clock, cancel) = (teller.clone(), world.clock.clone(), cancel.clone());
    world.spawn(async move { telling.run(clock.as_ref(), cancel).await });
    (preview, teller)
}

fn watched_by(holder: &(Arc<Preview>, Arc<Teller>), game: &Game, spectators: u32) {
    for observer in [&*holder.0 as &dyn Observer, &*holder.1] {
        observer.spectators(game.state().id, spectators);
    }
}

#[tokio::test]
async fn a_standby_shows_how_many_watch_a_game_elsewhere_until_nobody_tells_of_it_any_more() {
    let mut world = World::open().await;
    let game = world.game(2).await;
    let follower = Follower::start(&world);
    follower.until(&world, &[&game]).await;
    let gone = CancellationToken::new();
    let holder = holder(&world, &game, &gone);
    let shown = || follower.preview.spectators_of(game.state().id);
    watched_by(&holder, &game, 3);
    world.turn_until(async || shown() == 3).await;
    watched_by(&holder, &game, 2);
    world.turn_until(async || shown() == 2).await;
    let late = Follower::start(&world);
    world
        .turn_until(async || late.preview.spectators_of(game.state().id) == 2)
        .await;
    gone.cancel();
    world.turn_until(async || shown() == 0).await;
}
