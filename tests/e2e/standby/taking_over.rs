//! The first service goes, in each way in which a process can; the second one goes on with its games.

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::starting::the_active_one;
use super::{finish, is_standby, move_to, start_standby, tables, takeovers, until_standby};
use crate::harness::player::get;
use crate::harness::{Problem, Socket, World, eventually};
use crate::kill::Table;

const GAMES: usize = 8;

/// The code of a socket that shall come back.
const RECONNECT: u16 = 4000;

/// A spectator at the standby, which shows them the game as it is.
async fn spectator(url: &str, table: &Table) -> Socket {
    let mut socket = Socket::open(url, None).await;
    socket.watch(&table.game, None).await;
    socket.next("resync").await;
    socket
}

/// They are given the whole game when it comes, and see every version from then on.
async fn saw_the_rest(mut spectator: Socket, table: &Table) {
    let seen = spectator.whole_game(&table.game).await;
    assert_eq!(seen.wholes, 2, "{seen:#?}");
    seen.agrees_with(&table.vector, table.user_ids());
    assert_eq!(seen.moves.len(), table.vector.moves.len());
}

/// Reads games again and again until it is dropped. Every read must be answered.
fn read_all_the_time(url: &str, tables: &[Table]) -> JoinSet<()> {
    let games: Vec<_> = tables
        .iter()
        .map(|table| format!("{url}/game/{}", table.game))
        .collect();
    let mut reading = JoinSet::new();
    reading.spawn(async move {
        for url in games.iter().cycle() {
            let (status, body) = get(url).await;
            assert_eq!(status, 200, "{url}: {body}");
        }
    });
    reading
}

async fn when_the_first_is_killed_the_standby_goes_on(world: World) {
    let first = world.start().await;
    let mut tables = tables(&first, GAMES).await;
    let standby = start_standby(&world, &[]).await;
    let spectator = spectator(&standby.url(), &tables[0]).await;
    let mut reading = read_all_the_time(&standby.url(), &tables);
    first.kill().await;
    standby.ready().await;
    move_to(&mut tables, &standby).await;
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), GAMES, "each game was taken over once");
    saw_the_rest(spectator, &tables[0]).await;
    if let Some(failed) = reading.try_join_next() {
        failed.expect("every read is answered");
    }
}

async fn of_two_standbys_one_takes_over(world: World) {
    let first = world.start().await;
    let mut tables = tables(&first, GAMES).await;
    let standbys = [start_standby(&world, &[]).await, start_standby(&world, &[]).await];
    first.kill().await;
    let next = the_active_one(&standbys).await;
    move_to(&mut tables, &standbys[next]).await;
    standbys[next].terminate().await;
    let last = &standbys[1 - next];
    last.ready().await;
    move_to(&mut tables, last).await;
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), 2 * GAMES, "each game was taken over twice");
}

/// Plays until the service says that it goes, or is gone.
async fn play_until_refused(table: &mut Table) {
    while !table.is_over() {
        if let Err(problem) = table.play_next().await {
            assert!([0, 503].contains(&problem.status), "{problem:?}");
            return;
        }
    }
}

async fn when_the_first_says_goodbye_the_standby_goes_on(world: World) {
    let first = world.start().await;
    let mut tables = tables(&first, GAMES).await;
    tables[0].take_sockets().await;
    let standby = start_standby(&world, &[]).await;
    let play = join_all(tables.iter_mut().skip(1).map(play_until_refused));
    tokio::join!(first.terminate(), play);
    assert_eq!(tables[0].close_codes().await, [RECONNECT; 2]);
    standby.ready().await;
    let lost = move_to(&mut tables, &standby).await;
    assert_eq!(lost, 0, "one that says goodbye has written everything");
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), GAMES, "each game was taken over once");
}

/// Sends a move to a process that hangs; what comes of it is known when it does not hang any more.
fn decide_while_frozen(table: &Table) -> JoinSet<Result<Value, Problem>> {
    let moved = &table.vector.moves[table.played()];
    let (player, index) = (table.players[moved.seat - 1].clone(), moved.index);
    let (game, position) = (table.game.clone(), table.position.clone());
    let mut deciding = JoinSet::new();
    deciding.spawn(async move { player.play(&game, "while frozen", &position, index).await });
    deciding
}

async fn a_frozen_process_is_taken_over_and_forks_nothing_when_it_thaws(world: World) {
    let first = world.start().await;
    let mut tables = tables(&first, GAMES).await;
    let mut watching = Socket::open(first.url(), None).await;
    watching.watch(&tables[1].game, None).await;
    watching.next("on_game_start").await;
    tables[0].take_sockets().await;
    let standby = start_standby(&world, &[]).await;

    first.freeze();
    let decided: Vec<_> = tables[2..].iter().map(decide_while_frozen).collect();
    standby.ready().await;
    let mut moved: Vec<_> = tables.split_off(1);
    for table in &mut moved {
        table.players = table.players.clone().map(|player| player.at(standby.url()));
        table.come_back().await;
        let there = table.played();
        table.play_to(there + 1).await;
    }

    first.thaw();
    assert_eq!(tables[0].close_codes().await, [RECONNECT; 2]);
    assert_eq!(watching.closed().await, RECONNECT);
    let resync = watching.next("resync").await;
    assert_eq!(resync["game"]["position"], moved[0].position.as_str(), "{resync}");
    for mut deciding in decided {
        let answer = deciding.join_next().await.expect("it was asked");
        let answer = answer.expect("it does not panic");
        // It may have been accepted by a process that did not know yet: then nobody was promised anything.
        assert_ne!(
            answer.map(|accepted| accepted["durable"].clone()),
            Ok(json!(true))
        );
    }
    until_standby(&first).await;
    assert_eq!(first.status().await["liveGames"], 0);
    let late = moved[0].players[0].at(first.url());
    let refused = late
        .leave(&moved[0].game, "late")
        .await
        .expect_err("it is held elsewhere");
    assert_eq!((refused.status, refused.kind.as_str()), (409, "game-elsewhere"));

    move_to(&mut tables, &standby).await;
    tables.append(&mut moved);
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), GAMES, "each game was taken over once");
    assert!(is_standby(&first.url()).await, "and it stays a standby");
}

async fn a_game_goes_from_one_to_the_other_and_back(world: World) {
    let first = world.start().await;
    let mut tables = tables(&first, 2).await;
    let second = start_standby(&world, &[]).await;
    first.freeze();
    second.ready().await;
    move_to(&mut tables, &second).await;
    for table in &mut tables {
        table.play_to(5).await;
    }
    first.thaw();
    until_standby(&first).await;
    second.freeze();
    first.ready().await;
    move_to(&mut tables, &first).await;
    for table in &mut tables {
        table.play_to(7).await;
    }
    second.thaw();
    until_standby(&second).await;
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), 4, "each game was taken over twice");
}

async fn a_publish_to_a_server_that_hangs_counts_once_after_all_was_restarted(world: World) {
    let nats = world.nats.as_ref().expect("it has one NATS server");
    let first = world.start().await;
    let mut tables = tables(&first, 3).await;
    nats.freeze().expect("it runs");
    for table in &mut tables {
        let promise = table.play_next().await.expect("play goes on");
        assert!(!promise.durable, "{promise:?}");
    }
    first.kill().await;
    nats.thaw().expect("it is there");
    first.restart().await;
    for table in &mut tables {
        // The same command has the same answer: it was written by the dead process, or copied aside by it.
        let found = table.come_back().await;
        assert_eq!(found.lost, 0, "what the store of waiting events had is not lost");
    }
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), 3);
}

async fn what_a_process_wrote_last_to_a_server_that_hangs_is_the_standby_s(world: World) {
    let nats = world.nats.as_ref().expect("it has one NATS server");
    let first = world.start().await;
    let mut tables = tables(&first, 3).await;
    let standby = start_standby(&world, &[]).await;
    nats.freeze().expect("it runs");
    for table in &mut tables {
        table.play_next().await.expect("play goes on");
    }
    first.kill().await;
    nats.thaw().expect("it is there");
    standby.ready().await;
    move_to(&mut tables, &standby).await;
    let waits_no_more = async || (standby.status().await["pendingPublishes"] == 0).then_some(());
    eventually("the log has everything", waits_no_more).await;
    finish(&world, &mut tables).await;
}

on_one_node_and_on_three!(
    when_the_first_is_killed_the_standby_goes_on,
    when_the_first_says_goodbye_the_standby_goes_on,
    of_two_standbys_one_takes_over,
    a_frozen_process_is_taken_over_and_forks_nothing_when_it_thaws,
    a_game_goes_from_one_to_the_other_and_back,
);

mod a_server_that_hangs {
    use crate::harness::World;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn and_the_same_service_again() {
        let world = World::servers().await;
        Box::pin(super::a_publish_to_a_server_that_hangs_counts_once_after_all_was_restarted(world)).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn and_a_standby() {
        let world = World::servers().await;
        Box::pin(super::what_a_process_wrote_last_to_a_server_that_hangs_is_the_standby_s(world)).await;
    }
}
