//! Two servers are away at once, or one of them and the service; they come back in either order.

use testkit::services::{Program, Server};

use super::{Hall, Service, World, all_play, converged, few_tables, lists_are_answered, until_pending};

/// A server of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Nats,
    Valkey,
    Postgres,
}

impl Which {
    async fn kill(self, world: &World) {
        match self {
            Self::Nats => world.nats.as_ref().expect("it has one").kill().await,
            Self::Valkey => world.valkey.as_ref().expect("it has one").kill().await,
            Self::Postgres => world.postgres.as_ref().expect("it has one").kill().await,
        }
        .expect("it runs");
    }

    async fn return_to(self, world: &World) {
        match self {
            Self::Nats => restart(world.nats.as_ref()).await,
            Self::Valkey => restart(world.valkey.as_ref()).await,
            Self::Postgres => restart(world.postgres.as_ref()).await,
        }
    }
}

async fn restart<P: Program>(server: Option<&Server<P>>) {
    let server = server.expect("it has one");
    server.restart().await.expect("it starts");
}

/// Both go; play goes on, a game ends; they return one after the other, and everything is as if they had not gone.
async fn go_and_return_in_either_order(pair: [Which; 2]) {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = few_tables(&service, 4).await;
    let durable = !pair.contains(&Which::Nats);
    for (round, returns) in [pair, [pair[1], pair[0]]].into_iter().enumerate() {
        for server in pair {
            server.kill(&world).await;
        }
        assert_eq!(all_play(&mut hall, 2).await, (durable, !durable), "{returns:?}");
        hall.tables[round].finish().await;
        hall.tables[round].check_record().await;
        lists_are_answered(&hall.tables[round]).await;
        for server in returns {
            server.return_to(&world).await;
            all_play(&mut hall, 1).await;
        }
        converged(&service).await;
        assert_eq!(all_play(&mut hall, 1).await, (true, false), "{returns:?}");
    }
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_nats_and_valkey_play_goes_on_whichever_returns_first() {
    go_and_return_in_either_order([Which::Nats, Which::Valkey]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_nats_and_postgres_play_goes_on_whichever_returns_first() {
    go_and_return_in_either_order([Which::Nats, Which::Postgres]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_valkey_and_postgres_play_goes_on_whichever_returns_first() {
    go_and_return_in_either_order([Which::Valkey, Which::Postgres]).await;
}

/// A server is away and the service is killed; what was answered is there again once both are back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_is_killed_while_a_server_is_away_loses_nothing_that_waits() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = few_tables(&service, 3).await;
    for server in [Which::Nats, Which::Valkey, Which::Postgres] {
        for service_first in [true, false] {
            converged(&service).await;
            server.kill(&world).await;
            all_play(&mut hall, 2).await;
            if server == Which::Nats {
                until_pending(&world, &hall.tables).await;
            }
            service.kill().await;
            both_return(&world, &service, server, service_first).await;
            come_back(&mut hall, &service).await;
        }
    }
    hall.finish().await;
    hall.check(&world, &service).await;
}

async fn both_return(world: &World, service: &Service, server: Which, service_first: bool) {
    if service_first {
        service.restart().await;
        server.return_to(world).await;
    } else {
        server.return_to(world).await;
        service.restart().await;
    }
}

async fn come_back(hall: &mut Hall, service: &Service) {
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
}
