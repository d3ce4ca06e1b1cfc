//! Commands on games that ended and were forgotten.

use commands::games::{CommandError, Games, NotNow, PlayerCommand, Rejection};
use commands::live::Limits;
use testkit::fixtures::game_id;
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::service::{Service, client};

fn leave(id: &str) -> PlayerCommand {
    PlayerCommand::Leave { id: client(id) }
}

fn reason<T>(answer: Result<T, CommandError>) -> Rejection {
    match answer {
        Err(CommandError::Rejected { reason, .. }) => reason,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was accepted"),
    }
}

#[tokio::test]
async fn the_command_that_ended_a_forgotten_game_has_the_same_answer() {
    let forgetful = Limits {
        max_finished: 0,
        ..Limits::default()
    };
    let service = Service::with(forgetful).await;
    let (game, first, second) = service.pair("ann", "bob").await;
    let stranger = service.connect("cem");
    let left = service.leave(game, &second.user).await.unwrap();
    service.pass(10_000).await;
    assert!(service.games.just_finished(game).is_none(), "it is forgotten");

    assert_eq!(service.leave(game, &second.user).await.unwrap(), left);
    let other = service.games.command(game, &second.user, leave("other")).await;
    assert_eq!(reason(other), Rejection::GameOver);
    let opponent = service.leave(game, &first.user).await;
    assert_eq!(reason(opponent), Rejection::GameOver);
    let foreign = service.leave(game, &stranger.user).await;
    assert_eq!(reason(foreign), Rejection::NotYourGame);
    let unknown = service.leave(game_id(), &second.user).await;
    assert_eq!(reason(unknown), Rejection::NoSuchGame);
}

#[tokio::test]
async fn while_the_log_is_away_nobody_says_that_there_is_no_such_game() {
    let service = Service::start().await;
    let person = service.connect("ann");
    service.log.set(Gate::Down);
    let unknown = service.leave(game_id(), &person.user).await;
    assert!(
        matches!(
            unknown,
            Err(CommandError::Unavailable {
                reason: NotNow::LogAway,
                ..
            })
        ),
        "{unknown:?}"
    );
}
