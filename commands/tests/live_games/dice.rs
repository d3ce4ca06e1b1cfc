//! Dice chess in memory: the wait for seeds, who sees what, and what nobody may see before the end.

use commands::games::{Accepted, CommandError, Games, PlayerCommand, Rejection, Sought, Watching};
use contract::frames::ServerFrame;
use contract::frames::server::{Change, GameUpdate};
use contract::view::InlineChoices;
use contract::{Choices, GameId, Kind, Move, PlayerSummary, TimeControl, UserId};
use testkit::seeds::seed_of;
use turnstream_commands as commands;

use crate::ears::Ear;
use crate::service::{Person, Service, client};

/// Two users in a game of dice chess, before its first throw.
pub async fn pair(service: &Service) -> (GameId, Person, Person) {
    let (ann, ben) = (service.connect("ann"), service.connect("ben"));
    let control = TimeControl::usual(Kind::DiceChess);
    let seek = async |user| service.games.seek(user, Kind::DiceChess, control).await.unwrap();
    assert_eq!(seek(&ann.user).await, Sought::Waiting);
    let Sought::Paired(game) = seek(&ben.user).await else {
        panic!("the first one waits");
    };
    (game, ann, ben)
}

pub async fn give_seed(
    service: &Service,
    game: GameId,
    user: &PlayerSummary,
) -> Result<Accepted, CommandError> {
    let command = PlayerCommand::Seed {
        id: client("seed"),
        seed: format!("{} shakes the dice", user.user_id),
    };
    service.games.command(game, user, command).await
}

/// The same with its first dice thrown: both players gave their seeds.
pub async fn pair_with_dice(service: &Service) -> (GameId, Person, Person) {
    let (game, ann, ben) = pair(service).await;
    give_seed(service, game, &ann.user).await.unwrap();
    give_seed(service, game, &ben.user).await.unwrap();
    assert!(service.live(game).dice.is_some());
    (game, ann, ben)
}

/// Some legal turn of whoever is to move.
fn legal_turn(service: &Service, game: GameId) -> Option<Move> {
    match service.games.legal_moves(game)?.all() {
        Choices::DiceChess(turns) => turns.iter().next().map(Move::DiceChess),
        other @ Choices::Mancala(_) => panic!("{other:?} is no tree"),
    }
}

async fn play_some(
    service: &Service,
    game: GameId,
    user: &PlayerSummary,
    id: &str,
    offer_draw: bool,
) -> Result<Accepted, CommandError> {
    let view = service.live(game);
    let command = PlayerCommand::Move {
        id: client(id),
        position: view.position,
        mv: legal_turn(service, game).expect("a turn is to be chosen"),
        offer_draw,
    };
    service.games.command(game, user, command).await
}

fn changes(ear: &Ear) -> Vec<Change> {
    let change = |frame: &ServerFrame| match frame {
        ServerFrame::OnGameUpdate(GameUpdate { change, .. }) => Some(change.clone()),
        _ => None,
    };
    ear.frames()
        .iter()
        .filter_map(|frame| change(&frame.frame))
        .collect()
}

fn throws(ear: &Ear) -> usize {
    changes(ear)
        .iter()
        .filter(|change| matches!(change, Change::Rolled { .. }))
        .count()
}

#[tokio::test]
async fn the_first_dice_come_with_the_second_seed() {
    let service = Service::start().await;
    let (game, ann, ben) = pair(&service).await;
    let view = service.live(game);
    assert_eq!((view.dice, view.legal_moves), (None, None));
    assert!(
        view.seeds_until
            .is_some_and(|until| until.since(service.now()) == 5_000)
    );
    assert_eq!(view.fairness.unwrap().commit, seed_of(game).commit());
    give_seed(&service, game, &ben.user).await.unwrap();
    assert_eq!(throws(&ann.ear), 0);
    let accepted = give_seed(&service, game, &ann.user).await.unwrap();
    assert!(throws(&ann.ear) > 0 && throws(&ben.ear) > 0);
    let view = service.live(game);
    assert_eq!((view.version, view.seeds_until), (accepted.version, None));
    // Sent again: the same answer, and nothing happens.
    let again = give_seed(&service, game, &ann.user).await.unwrap();
    assert_eq!(again.version, accepted.version);
}

#[tokio::test]
async fn the_first_dice_come_after_five_seconds_by_themselves() {
    let service = Service::start().await;
    let (game, ann, _ben) = pair(&service).await;
    service.pass(4_500).await;
    assert_eq!(service.live(game).dice, None);
    service.pass(1_000).await;
    ann.ear
        .until(|frame| match frame {
            ServerFrame::OnGameUpdate(update) => matches!(update.change, Change::Rolled { .. }).then_some(()),
            _ => None,
        })
        .await;
    assert!(service.live(game).dice.is_some());
}

#[tokio::test]
async fn a_standing_offer_is_shown_to_its_seat_and_hidden_from_everybody_else() {
    let service = Service::start().await;
    let (game, ann, ben) = pair_with_dice(&service).await;
    let fan = service.connect("fan");
    let watching = service.games.watch(fan.connection, game, None).await.unwrap();
    assert_eq!(watching, Watching::Here);
    let before = service.live(game).position;
    for person in [&ann, &ben, &fan] {
        person.ear.clear();
    }
    let arm = PlayerCommand::OfferDraw {
        id: client("arm"),
        offer: true,
    };
    let armed = service.games.command(game, &ben.user, arm).await.unwrap();
    assert_eq!(changes(&ben.ear), [Change::DrawArmed { armed: true }]);
    for person in [&ann, &fan] {
        assert_eq!(changes(&person.ear), [Change::Hidden]);
        assert_eq!(person.ear.versions(game), [armed.version]);
    }
    // Who comes back gets the same as who was there.
    for (person, expected) in [
        (&ben, Change::DrawArmed { armed: true }),
        (&ann, Change::Hidden),
        (&fan, Change::Hidden),
    ] {
        let ear = Ear::stream();
        let back = service.games.connect(Some(&person.user), ear.clone());
        service.games.watch(back, game, Some(before)).await.unwrap();
        assert_eq!(changes(&ear), [expected]);
    }
    let sees = |user: Option<&UserId>| service.games.live(game, user).unwrap().draw_armed;
    assert!(sees(Some(&ben.user.user_id)));
    assert!(!sees(Some(&ann.user.user_id)) && !sees(None));
    // It makes no move stale.
    let view = service.live(game);
    let command = PlayerCommand::Move {
        id: client("m1"),
        position: before,
        mv: legal_turn(&service, game).expect("a turn is to be chosen"),
        offer_draw: false,
    };
    let mover = view.summary.turn_player_id.clone().unwrap();
    let mover = if mover == ann.user.user_id { &ann } else { &ben };
    service.games.command(game, &mover.user, command).await.unwrap();
}

#[tokio::test]
async fn an_accepted_offer_ends_the_game_and_reveals_what_its_dice_were_made_of() {
    let service = Service::start().await;
    let (game, ann, ben) = pair_with_dice(&service).await;
    let mover = service.live(game).summary.turn_player_id.unwrap();
    let (mover, other) = if mover == ann.user.user_id {
        (&ann, &ben)
    } else {
        (&ben, &ann)
    };
    play_some(&service, game, &mover.user, "m1", true).await.unwrap();
    let view = service.live(game);
    assert_eq!(view.draw_offered_by, Some(mover.user.user_id.clone()));
    assert_eq!((view.dice, view.legal_moves), (None, None));
    let accept = PlayerCommand::AnswerDraw {
        id: client("yes"),
        accept: true,
    };
    service.games.command(game, &other.user, accept).await.unwrap();
    let revealed = mover
        .ear
        .until(|frame| match frame {
            ServerFrame::OnGameEnded(ended) => ended.fairness.clone(),
            _ => None,
        })
        .await;
    assert_eq!(revealed.seed, seed_of(game).reveal());
    assert_eq!(revealed.commit, seed_of(game).commit());
}

#[tokio::test]
async fn no_frame_and_no_event_tells_the_seed_before_the_end() {
    let service = Service::start().await;
    let (game, ann, ben) = pair_with_dice(&service).await;
    let secret = seed_of(game).reveal();
    for n in 0..40 {
        let view = service.live(game);
        let Some(mover) = view.summary.turn_player_id.clone() else {
            break;
        };
        let user = if mover == ann.user.user_id {
            &ann.user
        } else {
            &ben.user
        };
        if legal_turn(&service, game).is_none() {
            break;
        }
        play_some(&service, game, user, &format!("m{n}"), false)
            .await
            .unwrap();
        if service.games.live(game, None).is_none() {
            break;
        }
    }
    let told = |ear: &Ear| {
        let live = |frame: &&std::sync::Arc<commands::games::Encoded>| {
            !matches!(frame.frame, ServerFrame::OnGameEnded(_))
        };
        let frames = ear.frames();
        frames
            .iter()
            .filter(live)
            .any(|frame| String::from_utf8_lossy(frame.text()).contains(&secret))
    };
    assert!(!told(&ann.ear) && !told(&ben.ear));
    for envelope in service.logged(game).await {
        let ended = envelope.event.name() == "ended";
        let text = String::from_utf8_lossy(&envelope.to_bytes()).into_owned();
        assert_eq!(text.contains(&secret), ended, "{text}");
    }
}

#[tokio::test]
async fn mancala_has_neither_seeds_nor_draw_offers_with_a_move() {
    let service = Service::start().await;
    let (game, ann, _) = service.pair("ann", "ben").await;
    let refused = give_seed(&service, game, &ann.user).await.unwrap_err();
    assert!(matches!(
        refused,
        CommandError::Rejected {
            reason: Rejection::NoSeeds,
            ..
        }
    ));
    let view = service.live(game);
    assert!(view.fairness.is_none() && view.dice.is_none() && view.seeds_until.is_none());
    assert!(matches!(
        view.legal_moves,
        Some(InlineChoices::Listed(Choices::Mancala(pits))) if pits.len() == 6
    ));
    service.pass(6_000).await;
    assert_eq!(service.logged_names(game).await, ["started"]);
}
