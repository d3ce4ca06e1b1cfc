//! A person forgotten.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use commands::ports::{LogEntry, Unavailable};
use contract::player::BySeat;
use contract::{EndReason, Envelope, GameKey, Kind, PlayerSummary, Seq, UserId, WriterId};
use projections::operations::erase::{Erased, Request, erase};
use projections::operations::{OperationParts, Stopped, Work, rebuild, verify};
use projections::ports::{DeadLetter, DeadLetters, HistoryStore, LiveStore, LogEraser, Page};
use testkit::fixtures::{Game, guest};
use tokio_util::sync::CancellationToken;

use super::world::{WRITER, World};

const PROJECTOR: WriterId = WriterId(0xa);
const TOKEN: WriterId = WriterId(0xb);

fn work() -> Work {
    Work::new(CancellationToken::new())
}

fn forget(user: &UserId) -> Request {
    Request {
        user: user.clone(),
        dry_run: false,
    }
}

/// Names of nobody, one after the other.
fn names() -> impl Fn() -> UserId + Send + Sync {
    let next = AtomicU64::new(1);
    move || UserId::new(format!("erased:{}", next.fetch_add(1, Ordering::SeqCst)))
}

async fn erased(world: &World, parts: &OperationParts, request: &Request) -> Result<Erased, Stopped> {
    let (names, work) = (names(), work());
    world.turning(erase(parts, request, &names, &work)).await
}

/// A finished game between these two, `first` of whom left.
async fn played(world: &mut World, first: &PlayerSummary, second: &PlayerSummary) -> Game {
    let players = BySeat {
        player1: first.clone(),
        player2: second.clone(),
    };
    let (mut game, started) = Game::start_between(Kind::Mancala, WRITER, players);
    world.append(&started).await;
    world.play(&mut game, 4).await;
    let ended = game.end(EndReason::Left);
    world.append(&ended).await;
    game
}

async fn project(world: &World) {
    let end = world.end().await;
    let history = world.history(PROJECTOR, world.stores.history(), None);
    world
        .turning(async { history.until(|s| s.checkpoint == Some(end)).await })
        .await;
    history.stop().await;
    world.following(PROJECTOR).await.stop().await;
}

fn mentions(entries: &[LogEntry], user: &UserId) -> bool {
    entries
        .iter()
        .any(|entry| String::from_utf8_lossy(&entry.bytes).contains(user.as_str()))
}

async fn games_of(world: &World, user: &UserId) -> usize {
    let page = Page {
        limit: 100,
        before: None,
    };
    world.stores.history().recent(user, page).await.unwrap().len()
}

async fn differences(world: &World) -> verify::Verified {
    let parts = world.parts(TOKEN);
    let work = work();
    let request = verify::Request::default();
    world
        .turning(verify::verify(&parts, &request, &work))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_forgotten_person_is_nowhere_and_their_opponents_keep_their_games() {
    let mut world = World::open().await;
    let (ada, ben, cem) = (guest("Ada"), guest("Ben"), guest("Cem"));
    let with_ben = played(&mut world, &ada, &ben).await;
    let with_cem = played(&mut world, &cem, &ada).await;
    let without = played(&mut world, &ben, &cem).await;
    project(&world).await;
    let letter = DeadLetter {
        projector: "history".to_owned(),
        game: with_ben.state().id,
        seq: 1,
        reason: "for a test".to_owned(),
        bytes: world.messages().await[0].bytes.clone(),
    };
    world.stores.dead_letters().put(&letter).await.unwrap();

    let parts = world.parts(TOKEN);
    let done = erased(&world, &parts, &forget(&ada.user_id)).await.unwrap();
    assert_eq!((done.games, done.messages, done.dead_letters), (2, 12, 1));
    let messages = world.messages().await;
    assert!(!mentions(&messages, &ada.user_id));
    assert!(
        !messages
            .iter()
            .any(|entry| String::from_utf8_lossy(&entry.bytes).contains("Ada"))
    );
    assert_eq!(games_of(&world, &ada.user_id).await, 0);
    assert_eq!(games_of(&world, &ben.user_id).await, 2);
    assert_eq!(world.stores.dead_letters().count().await.unwrap(), 0);
    assert!(world.snapshot(&with_ben).await.is_none(), "no tombstone is left");

    let history = world.stores.history();
    let row = history.game(with_ben.state().id).await.unwrap().unwrap();
    let nobody = &row.players.player1;
    assert!(nobody.user_id.as_str().starts_with("erased:"), "{nobody:?}");
    assert_eq!(
        (&nobody.name, &row.left_user_id),
        (&None, &Some(nobody.user_id.clone()))
    );
    assert_eq!(
        (row.players.player2, row.moves),
        (ben, with_ben.state().moves.clone())
    );
    let other = history.game(with_cem.state().id).await.unwrap().unwrap();
    assert_ne!(
        other.players.player2.user_id, nobody.user_id,
        "games cannot be told to be of one"
    );
    let untouched = history.game(without.state().id).await.unwrap().unwrap();
    assert_eq!(untouched.players, without.state().players);
}

#[tokio::test]
async fn after_an_erasure_nothing_differs_and_a_rebuild_brings_nothing_back() {
    let mut world = World::open().await;
    let (ada, ben) = (guest("Ada"), guest("Ben"));
    played(&mut world, &ada, &ben).await;
    world.game(2).await;
    project(&world).await;
    let parts = world.parts(TOKEN);
    erased(&world, &parts, &forget(&ada.user_id)).await.unwrap();
    project(&world).await;
    let found = differences(&world).await;
    assert_eq!((found.different, found.games, found.live), (0, 2, 1), "{found:?}");
    let request = rebuild::Request::default();
    let work = work();
    let rebuilt = world
        .turning(rebuild::history(&parts, &request, &work))
        .await
        .unwrap();
    assert_eq!((rebuilt.merged.same, rebuilt.merged.replaced), (1, 0));
    let rebuilt = world
        .turning(rebuild::live(&parts, &request, &work))
        .await
        .unwrap();
    assert_eq!((rebuilt.games, rebuilt.not_foldable), (1, 0));
    assert_eq!(games_of(&world, &ada.user_id).await, 0);
}

/// The history has come to the log's end, and has written nothing, as of a store that refuses everything.
async fn refuse_rows(world: &World) {
    let history = world.stores.history();
    assert!(history.acquire(PROJECTOR).await.unwrap());
    let end = world.checkpoint_at(world.end().await).await;
    history.reset_checkpoint(PROJECTOR, &end).await.unwrap();
    history.release(PROJECTOR).await.unwrap();
}

#[tokio::test]
async fn a_game_whose_row_was_refused_is_found_in_the_log() {
    let mut world = World::open().await;
    let (ada, ben) = (guest("Ada"), guest("Ben"));
    let game = played(&mut world, &ada, &ben).await;
    refuse_rows(&world).await;
    let end = world.messages().await.pop().unwrap();
    let letter = DeadLetter {
        projector: "history".to_owned(),
        game: game.state().id,
        seq: end.seq,
        reason: "for a test".to_owned(),
        bytes: end.bytes,
    };
    world.stores.dead_letters().put(&letter).await.unwrap();

    let parts = world.parts(TOKEN);
    let done = erased(&world, &parts, &forget(&ada.user_id)).await.unwrap();
    assert_eq!((done.games, done.messages, done.dead_letters), (1, 6, 1));
    assert!(!mentions(&world.messages().await, &ada.user_id));
    let request = rebuild::Request::default();
    let work = work();
    let rebuilt = world
        .turning(rebuild::history(&parts, &request, &work))
        .await
        .unwrap();
    assert_eq!(rebuilt.merged.added, 1);
    assert_eq!(games_of(&world, &ada.user_id).await, 0);
    assert_eq!(games_of(&world, &ben.user_id).await, 1);
}

#[tokio::test]
async fn a_game_that_cannot_be_rewritten_is_refused_when_all_others_are_done() {
    let mut world = World::open().await;
    let (ada, ben) = (guest("Ada"), guest("Ben"));
    let players = BySeat {
        player1: ada.clone(),
        player2: ben.clone(),
    };
    // Its beginning and its moves are lost, so that nothing can be made from it.
    let (mut broken, _) = Game::start_between(Kind::Mancala, WRITER, players);
    let _lost = broken.play();
    let end = broken.end(EndReason::Left);
    let seq = world.append(&end).await;
    played(&mut world, &ada, &ben).await;
    refuse_rows(&world).await;
    let letter = DeadLetter {
        projector: "history".to_owned(),
        game: broken.state().id,
        seq,
        reason: "for a test".to_owned(),
        bytes: world.messages().await[0].bytes.clone(),
    };
    world.stores.dead_letters().put(&letter).await.unwrap();

    let refused = erased(&world, &world.parts(TOKEN), &forget(&ada.user_id)).await;
    let Err(Stopped::Refused(why)) = refused else {
        panic!("{refused:?}")
    };
    assert!(why.contains(&broken.state().id.to_string()), "{why}");
    let left = world.messages().await;
    assert!(mentions(&left[..1], &ada.user_id), "it is as it was");
    assert!(!mentions(&left[1..], &ada.user_id), "the other one is done");
    assert_eq!(
        world.stores.dead_letters().count().await.unwrap(),
        1,
        "a hint stays"
    );
}

/// Works as often as it is told to, and then is away.
struct FewErasures {
    real: Arc<dyn LogEraser>,
    left: AtomicU64,
}

#[async_trait]
impl LogEraser for FewErasures {
    async fn erase_below(&self, key: GameKey, below: Seq) -> Result<u64, Unavailable> {
        if self.left.load(Ordering::SeqCst) == 0 {
            return Err(Unavailable::new("log", "pulled"));
        }
        self.left.fetch_sub(1, Ordering::SeqCst);
        self.real.erase_below(key, below).await
    }
}

#[tokio::test]
async fn an_interrupted_erasure_is_finished_by_asking_for_it_again() {
    let mut world = World::open().await;
    let (ada, ben) = (guest("Ada"), guest("Ben"));
    for _ in 0..3 {
        played(&mut world, &ada, &ben).await;
    }
    project(&world).await;
    let whole = world.parts(TOKEN);
    for left in [0, 1] {
        let parts = OperationParts {
            eraser: Arc::new(FewErasures {
                real: whole.eraser.clone(),
                left: AtomicU64::new(left),
            }),
            ..whole.clone()
        };
        let interrupted = erased(&world, &parts, &forget(&ada.user_id)).await;
        assert!(
            matches!(interrupted, Err(Stopped::Unavailable(_))),
            "{interrupted:?}"
        );
        assert!(
            games_of(&world, &ada.user_id).await > 0,
            "what is left is found by its rows"
        );
        project(&world).await;
    }
    erased(&world, &whole, &forget(&ada.user_id)).await.unwrap();
    project(&world).await;
    let messages = world.messages().await;
    assert!(!mentions(&messages, &ada.user_id));
    assert_eq!(messages.len(), 6, "a whole state and an end for each game");
    assert_eq!(games_of(&world, &ada.user_id).await, 0);
    let found = differences(&world).await;
    assert_eq!((found.games, found.different), (3, 0), "{found:?}");
}

#[tokio::test]
async fn a_person_who_is_playing_is_not_forgotten_before_the_game_is_over() {
    let mut world = World::open().await;
    let game = world.game(2).await;
    project(&world).await;
    let user = &game.state().players.player2.user_id;
    let before = world.messages().await;
    let parts = world.parts(TOKEN);
    let refused = erased(&world, &parts, &forget(user)).await;
    assert!(matches!(refused, Err(Stopped::Refused(_))), "{refused:?}");
    assert_eq!(world.messages().await, before);
}

#[tokio::test]
async fn a_dry_run_counts_and_an_unknown_person_has_nothing() {
    let mut world = World::open().await;
    let (ada, ben) = (guest("Ada"), guest("Ben"));
    played(&mut world, &ada, &ben).await;
    project(&world).await;
    let before = world.messages().await;
    let parts = world.parts(TOKEN);
    let dry = Request {
        dry_run: true,
        ..forget(&ada.user_id)
    };
    let would = erased(&world, &parts, &dry).await.unwrap();
    assert_eq!((would.games, would.messages, would.dry_run), (1, 0, true));
    let nobody = erased(&world, &parts, &forget(&UserId::new("guest:nobody")))
        .await
        .unwrap();
    assert_eq!(nobody.games, 0);
    assert_eq!(world.messages().await, before);
}

#[tokio::test]
async fn what_takes_the_place_of_a_game_is_a_whole_state_and_its_end() {
    let mut world = World::open().await;
    let (ada, ben) = (guest("Ada"), guest("Ben"));
    let game = played(&mut world, &ada, &ben).await;
    project(&world).await;
    let parts = world.parts(TOKEN);
    erased(&world, &parts, &forget(&ada.user_id)).await.unwrap();
    let messages = world.messages().await;
    let events: Vec<Envelope> = messages
        .iter()
        .map(|entry| Envelope::from_bytes(&entry.bytes).unwrap())
        .collect();
    let names: Vec<_> = events.iter().map(|envelope| envelope.event.name()).collect();
    assert_eq!(names, ["anchored", "ended"]);
    assert_eq!(
        events[1].id,
        game.state().last_event,
        "the end has the id that it had"
    );
    assert_eq!(events[0].place(), events[1].previd.unwrap());
    assert!(world.stores.live().get(game.state().id).await.unwrap().is_none());
}
