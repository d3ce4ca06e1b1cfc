//! The library.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use async_trait::async_trait;
use commands::games::{
    Accepted, CommandError, ConnectionId, Games, Invitation, Listener, NotNow, PlayerCommand, Role, Sought,
    Watching,
};
use commands::observer::Observer;
use commands::view::{Unlisted, finished_summary};
use contract::api::PopularGames;
use contract::player::BySeat;
use contract::view::{FinishedGameSummary, GameView, LiveGame, LiveGameSummary};
use contract::{
    ClientId, EndReason, Event, FinishedGame, GameId, Kind, Millis, PlayerSummary, Position, TimeControl,
    UserId, WriterId,
};
use projections::library::Library;
use projections::ports::{HistoryStore, SnapshotStatus};
use projections::preview::Preview;
use testkit::fixtures::guest;
use tokio::time::Instant;

use super::faulty::FaultyHistory;
use super::world::World;

const ONE: WriterId = WriterId(0xa);

/// A process that holds no live games, and perhaps one that has just ended.
struct Standby(Option<FinishedGame>);

#[async_trait]
impl Games for Standby {
    fn role(&self) -> Role {
        Role::Standby
    }
    fn now(&self) -> Millis {
        Millis(0)
    }
    fn connect(&self, _: Option<&PlayerSummary>, _: Arc<dyn Listener>) -> ConnectionId {
        ConnectionId(0)
    }
    fn disconnect(&self, _: ConnectionId) {}
    async fn command(
        &self,
        _: GameId,
        _: &PlayerSummary,
        _: PlayerCommand,
    ) -> Result<Accepted, CommandError> {
        Err(CommandError::Elsewhere)
    }
    async fn join(
        &self,
        _: Invitation,
        _: &PlayerSummary,
        _: Option<ClientId>,
    ) -> Result<Accepted, CommandError> {
        Err(CommandError::not_now(NotNow::Standby))
    }
    async fn seek(&self, _: &PlayerSummary, _: Kind, _: TimeControl) -> Result<Sought, CommandError> {
        Err(CommandError::not_now(NotNow::Standby))
    }
    fn cancel_seek(&self, _: &UserId) {}
    async fn watch(&self, _: ConnectionId, _: GameId, _: Option<Position>) -> Result<Watching, CommandError> {
        Ok(Watching::NotHere)
    }
    fn unwatch(&self, _: ConnectionId, _: GameId) {}
    fn live(&self, _: GameId, _: Option<&UserId>) -> Option<LiveGame> {
        None
    }
    fn just_finished(&self, id: GameId) -> Option<FinishedGame> {
        self.0.clone().filter(|game| game.id == id)
    }
    fn just_finished_games(&self, of: Option<&UserId>) -> Vec<FinishedGameSummary> {
        let held = self.0.iter();
        held.filter(|game| of.is_none_or(|user| game.players.seat_of(user).is_some()))
            .map(finished_summary)
            .collect()
    }
    fn legal_moves(&self, _: GameId) -> Option<Unlisted> {
        None
    }
    fn active_game(&self, _: &UserId) -> Option<LiveGameSummary> {
        None
    }
}

fn library(world: &World, history: Arc<dyn HistoryStore>) -> Library {
    Library {
        games: Arc::new(Standby(None)),
        preview: Preview::new(),
        live: world.stores.live(),
        history,
        log: world.stores.log(),
        cache: world.stores.cache(),
    }
}

async fn finished(library: &Library, id: GameId) -> usize {
    match library.game(id, None).await.unwrap() {
        Some(GameView::Finished { record, .. }) => record.moves.len(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_live_game_is_read_from_its_snapshot_without_connections() {
    let mut world = World::open().await;
    let projector = world.following(ONE).await;
    let game = world.game(2).await;
    world.until_caught_up(&projector).await;
    let library = library(&world, world.stores.history());
    let state = game.state();
    let viewer = &state.players.player2.user_id;
    let Some(GameView::Live(live)) = library.game(state.id, Some(viewer)).await.unwrap() else {
        panic!("it is live");
    };
    assert_eq!(
        (live.version, live.durable_version, live.history.len()),
        (3, 3, 2)
    );
    assert_eq!(
        (live.connections, live.you),
        (None, Some(contract::Seat::Player2))
    );
}

#[tokio::test]
async fn a_finished_game_is_read_from_whichever_place_has_it() {
    let mut world = World::open().await;
    let game = world.finished_game(3).await;
    let id = game.state().id;
    let faulty = FaultyHistory::over(world.stores.history());
    let library = library(&world, faulty.clone());
    faulty.away.store(true, SeqCst);
    assert_eq!(finished(&library, id).await, 3, "from the log");
    let projector = world.live(ONE);
    world.until_caught_up(&projector).await;
    assert_eq!(finished(&library, id).await, 3, "from the tombstone");
    faulty.away.store(false, SeqCst);
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    assert_eq!(finished(&library, id).await, 3, "from the row");
}

#[tokio::test]
async fn a_finished_game_is_not_live_again_where_its_snapshot_is_behind() {
    let mut world = World::open().await;
    let projector = world.following(ONE).await;
    let mut game = world.game(2).await;
    world.until_caught_up(&projector).await;
    projector.stop().await;
    let ended = game.end(EndReason::Left);
    world.append(&ended).await;
    let id = game.state().id;
    let faulty = FaultyHistory::over(world.stores.history());
    let mut library = library(&world, faulty.clone());
    let Event::Ended(ended) = ended.event else {
        panic!("it ends the game")
    };
    library.games = Arc::new(Standby(Some(*ended.record)));
    assert_eq!(finished(&library, id).await, 2);
    assert_eq!(library.legal_moves(id).await.unwrap(), None, "held here");

    library.games = Arc::new(Standby(None));
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    let snapshot = world.snapshot(&game).await.expect("nobody has swept it");
    assert_eq!(snapshot.status, SnapshotStatus::Live);
    assert_eq!(finished(&library, id).await, 2);
    assert_eq!(library.legal_moves(id).await.unwrap(), None);
    faulty.away.store(true, SeqCst);
    let known = library.game(id, None).await.unwrap();
    assert!(
        matches!(known, Some(GameView::Live(_))),
        "the best that is known: {known:?}"
    );
}

#[tokio::test]
async fn there_is_no_such_game_only_if_every_place_says_so() {
    let world = World::open().await;
    let faulty = FaultyHistory::over(world.stores.history());
    let library = library(&world, faulty.clone());
    let id = testkit::fixtures::game_id();
    assert_eq!(library.game(id, None).await.unwrap(), None);
    faulty.away.store(true, SeqCst);
    assert!(library.game(id, None).await.is_err());
}

#[tokio::test]
async fn recent_games_come_from_the_cache_sliced_and_are_empty_in_an_outage() {
    let mut world = World::open().await;
    let game = world.finished_game(1).await;
    let user = game.state().players.player1.user_id.clone();
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    let faulty = FaultyHistory::over(world.stores.history());
    let library = library(&world, faulty.clone());
    assert_eq!(library.recent(&user, 20, None).await.len(), 1);
    faulty.away.store(true, SeqCst);
    assert_eq!(library.recent(&user, 20, None).await.len(), 1, "cached");
    assert_eq!(library.recent(&user, 0, None).await.len(), 0, "sliced");
    assert_eq!(
        library.recent(&user, 21, None).await.len(),
        0,
        "more than is cached"
    );
}

#[tokio::test]
async fn a_game_that_has_just_ended_is_in_the_lists_before_its_row_is_there() {
    let mut world = World::open().await;
    let earlier = world.finished_game(1).await;
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    history.stop().await;
    let mut ended = world.game(2).await;
    let end = ended.end(EndReason::Left);
    world.append(&end).await;
    let Event::Ended(last) = end.event else {
        panic!("it ends the game")
    };
    let (id, before) = (ended.state().id, earlier.state().id);
    let mut library = library(&world, world.stores.history());
    library.games = Arc::new(Standby(Some(*last.record)));
    let ids = |games: Vec<FinishedGameSummary>| games.iter().map(|game| game.id).collect::<Vec<_>>();
    let user = ended.state().players.player1.user_id.clone();

    let recent = library.recent(&user, 1, None).await;
    let next = recent.last().map(|game| (game.ended_at, game.id));
    assert_eq!(ids(recent), [id]);
    assert!(!ids(library.recent(&user, 20, next).await).contains(&id), "once");
    let PopularGames::Finished(popular) = library.popular(5).await else {
        panic!("nobody plays")
    };
    let mut popular = ids(popular);
    popular.sort_unstable();
    let mut both = [before, id];
    both.sort_unstable();
    assert_eq!(popular, both);

    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    let all = ids(library.recent(&user, 21, None).await);
    assert_eq!(
        all.iter().filter(|known| **known == id).count(),
        1,
        "and once with its row"
    );
}

#[tokio::test]
async fn a_further_page_is_no_slice_of_the_cached_list_nor_cached_as_one() {
    let mut world = World::open().await;
    let players = BySeat {
        player1: guest("Ayşe"),
        player2: guest("Bora"),
    };
    let mut games = Vec::new();
    for moves in [3, 2, 1] {
        games.push(world.finished_game_of(players.clone(), moves).await);
    }
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    let library = library(&world, world.stores.history());
    let user = &players.player1.user_id;
    let newest = games[0].state();
    let page = async |before| {
        let page = library.recent(user, 20, before).await;
        page.iter().map(|game| game.id).collect::<Vec<_>>()
    };
    let all: Vec<_> = games.iter().map(|game| game.state().id).collect();
    let after_newest = Some((newest.last_at, newest.id));
    assert_eq!(page(after_newest).await, all[1..], "nothing is cached");
    assert_eq!(page(None).await, all, "no further page is the cached list");
    assert_eq!(page(after_newest).await, all[1..], "the first page is cached");
}

#[tokio::test]
async fn lists_are_empty_after_a_second_where_the_store_does_not_answer() {
    let world = World::open().await;
    let faulty = FaultyHistory::over(world.stores.history());
    faulty.hangs.store(true, SeqCst);
    let library = library(&world, faulty);
    let user = guest("Ayşe").user_id;
    // From here on nothing works in threads of its own, which paused time would not wait for.
    tokio::time::pause();
    for limit in [20, 21] {
        let began = Instant::now();
        assert!(library.recent(&user, limit, None).await.is_empty());
        assert_is_a_second(began.elapsed());
        let began = Instant::now();
        let popular = library.popular(limit).await;
        assert!(matches!(popular, PopularGames::Finished(games) if games.is_empty()));
        assert_is_a_second(began.elapsed());
    }
}

/// But for the timer's rounding.
fn assert_is_a_second(elapsed: Duration) {
    assert!(
        (1_000..=1_010).contains(&elapsed.as_millis()),
        "it took {elapsed:?}"
    );
}

#[tokio::test]
async fn popular_games_are_live_ones_or_else_finished_ones() {
    let mut world = World::open().await;
    let finished = world.finished_game(1).await;
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    let library = library(&world, world.stores.history());
    let PopularGames::Finished(games) = library.popular(5).await else {
        panic!("nobody plays")
    };
    assert_eq!(
        games.iter().map(|game| game.id).collect::<Vec<_>>(),
        [finished.state().id]
    );
    let live = world.game(1).await;
    library.preview.committed(&Arc::new(live.state().clone()), &[]);
    let PopularGames::Live(games) = library.popular(5).await else {
        panic!("somebody plays")
    };
    assert_eq!(
        games.iter().map(|game| game.id).collect::<Vec<_>>(),
        [live.state().id]
    );
    let player = &live.state().players.player1.user_id;
    assert_eq!(library.active(player).map(|game| game.id), Some(live.state().id));
}
