//! Many at once, and one outcome each.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::log_check::Stores;
use crate::harness::{Invite, Player, Service, World};
use crate::kill::caught_up;

mod ending;

/// New guests, some at a time.
async fn guests(url: &str, count: usize) -> Vec<Player> {
    const AT_ONCE: usize = 50;
    let mut guests = Vec::new();
    while guests.len() < count {
        let some = (0..AT_ONCE.min(count - guests.len())).map(|_| Player::guest(url, "guest"));
        guests.extend(join_all(some).await);
    }
    guests
}

async fn a_thousand_invitations_are_followed_at_once(world: World) {
    const COUNT: usize = 1_000;
    let service = world.start().await;
    let (hosts, joiners) = (
        guests(&service.url(), COUNT).await,
        guests(&service.url(), COUNT).await,
    );
    let mut invites: Vec<Invite> = Vec::new();
    for some in hosts.chunks(50) {
        invites.extend(join_all(some.iter().map(Player::invite)).await);
    }
    let all = || joiners.iter().zip(&invites);
    let joined = join_all(all().map(|(joiner, invite)| joiner.join(invite, "join"))).await;
    let again = join_all(all().map(|(joiner, invite)| joiner.join(invite, "join"))).await;
    for (first, second) in joined.iter().zip(&again) {
        let first = first.as_ref().expect("everybody joins");
        let second = second.as_ref().expect("the same command has the same answer");
        assert_eq!(
            (&first["version"], &first["position"]),
            (&second["version"], &second["position"])
        );
    }
    assert_eq!(service.status().await["liveGames"], COUNT);
    caught_up(&service, &["live", "history"]).await;
    service.terminate().await;
    let stores = Stores::of(&world).await;
    let log = stores.checked_log().await;
    assert_eq!(log.games.len(), COUNT);
    for (host, (joiner, invite)) in hosts.iter().zip(all()) {
        let game = log.game(&invite.game);
        assert_eq!(game.names(), ["started"]);
        let players = &game.state.players;
        let seated = [&players.player1, &players.player2].map(|player| player.user_id.as_str());
        assert_eq!(seated, [&host.user_id, &joiner.user_id]);
    }
    stores.close().await;
}

async fn of_fifty_who_want_one_seat_one_gets_it(world: World) {
    let service = world.start().await;
    let (host, others) = (
        Player::guest(service.url(), "host").await,
        guests(&service.url(), 50).await,
    );
    let invite = host.invite().await;
    let answers = join_all(others.iter().map(|other| other.join(&invite, "join"))).await;
    let (seated, refused): (Vec<_>, Vec<_>) =
        others.iter().zip(answers).partition(|(_, answer)| answer.is_ok());
    assert_eq!(seated.len(), 1);
    for (_, answer) in refused {
        let problem = answer.expect_err("the seat is taken");
        assert_eq!((problem.status, problem.kind.as_str()), (409, "seat-taken"));
    }
    let (winner, _) = &seated[0];
    let game = host.game(&invite.game).await;
    assert_eq!(game["player2"]["userId"], winner.user_id.as_str());
    for other in &others {
        let (_, active) = other.get("/games/me/active").await;
        let expected = if other.user_id == winner.user_id {
            json!(invite.game)
        } else {
            Value::Null
        };
        assert_eq!(active["game"].get("id").unwrap_or(&Value::Null), &expected);
    }
    // Nobody who was refused is bound by it.
    let (one, two) = (&others[0], &others[1]);
    let free = [one, two]
        .into_iter()
        .find(|other| other.user_id != winner.user_id);
    let another = Player::guest(service.url(), "another").await.invite().await;
    free.expect("one of two")
        .join(&another, "join")
        .await
        .expect("they are free");
    no_game_twice(&world, service).await;
}

/// Ends the service and checks its log.
async fn no_game_twice(world: &World, service: Service) {
    caught_up(&service, &["live", "history"]).await;
    service.terminate().await;
    let stores = Stores::of(world).await;
    let log = stores.checked_log().await;
    stores.check_rows(&log).await;
    stores.close().await;
}

on_every_backend!(
    a_thousand_invitations_are_followed_at_once,
    of_fifty_who_want_one_seat_one_gets_it,
);
