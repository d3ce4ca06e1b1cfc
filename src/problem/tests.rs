use super::*;
use contract::GameId;
use uuid::Uuid;

fn answered(failure: Failure) -> (u16, Option<String>, String) {
    let response = failure.into_response();
    let header = |name: &str| {
        response
            .headers()
            .get(name)
            .map(|v| v.to_str().expect("ASCII").to_owned())
    };
    (
        response.status().as_u16(),
        header("retry-after"),
        header("content-type").expect("always"),
    )
}

/// Every rejection there is; the match below does not compile when one is missing.
fn rejections() -> Vec<Rejection> {
    use Rejection as R;
    let all = vec![
        R::NoSuchGame,
        R::NotYourGame,
        R::NotYourTurn,
        R::Stale,
        R::GameOver,
        R::TimeIsUp,
        R::TimeIsLeft,
        R::Illegal(rules::IllegalMove::OtherKind),
        R::ActiveGame(GameId(Uuid::from_u128(1))),
        R::HostBusy,
        R::SeatTaken,
        R::OwnInvitation,
        R::Draw(rules::DrawRefusal::NoDrawOffers),
        R::Draw(rules::DrawRefusal::GameOver),
        R::Draw(rules::DrawRefusal::NotYourTurn),
        R::Draw(rules::DrawRefusal::NothingPending),
        R::NoSeeds,
        R::BadSeed,
        R::TooManyWatched,
    ];
    for rejection in &all {
        match rejection {
            R::NoSuchGame
            | R::NotYourGame
            | R::NotYourTurn
            | R::Stale
            | R::GameOver
            | R::TimeIsUp
            | R::TimeIsLeft
            | R::Illegal(_)
            | R::ActiveGame(_)
            | R::HostBusy
            | R::SeatTaken
            | R::OwnInvitation
            | R::Draw(_)
            | R::NoSeeds
            | R::BadSeed
            | R::TooManyWatched => {}
        }
    }
    all
}

#[test]
fn a_rejection_is_the_players_and_says_why() {
    for rejection in rejections() {
        let failure = Failure::from(CommandError::from(rejection.clone()));
        assert!((400..500).contains(&failure.problem.status), "{rejection:?}");
        assert_eq!(failure.problem.problem, rejection.problem());
        assert_eq!(failure.detail(), rejection.to_string());
        let later = (failure.problem.status == 429).then_some(SOON_MS);
        assert_eq!(failure.retry_after_ms, later, "{rejection:?}");
    }
}

#[test]
fn a_game_in_progress_is_named() {
    let game = GameId(Uuid::from_u128(1));
    assert_eq!(
        Failure::from(Rejection::ActiveGame(game)).problem.game_id,
        Some(game)
    );
}

#[test]
fn not_now_says_when_and_whether_the_outcome_is_known() {
    for (reason, status) in [
        (NotNow::Standby, 503),
        (NotNow::Restoring, 503),
        (NotNow::Leaving, 503),
        (NotNow::LogAway, 503),
        (NotNow::Full, 503),
        (NotNow::Internal, 500),
    ] {
        let unknown = CommandError::Unavailable {
            reason,
            retry_after_ms: 1500,
            outcome_unknown: true,
        };
        let failure = Failure::from(unknown);
        assert!(failure.outcome_unknown());
        assert_eq!(
            answered(failure),
            (status, Some("2".into()), "application/problem+json".into())
        );
        assert!(!Failure::from(CommandError::not_now(reason)).outcome_unknown());
    }
}

#[test]
fn every_problem_type_can_be_answered_as_its_status() {
    for problem in ProblemType::ALL {
        let (status, retry_after, _) = answered(Failure::new(*problem));
        assert_eq!(status, problem.status());
        assert_eq!(retry_after.is_some(), matches!(status, 429 | 503), "{problem:?}");
    }
}

#[test]
fn an_outage_is_told_without_its_detail() {
    let failure = Failure::from(Unavailable::new(
        "postgres",
        "password authentication failed for user x",
    ));
    assert_eq!(failure.problem.detail, None);
}

#[test]
fn a_forged_link_is_a_game_that_does_not_exist() {
    assert_eq!(
        Failure::from(InvitationError::Forged).problem.problem,
        ProblemType::NotFound
    );
    assert_eq!(Failure::from(InvitationError::Expired).problem.status, 410);
}
