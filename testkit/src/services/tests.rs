//! Each server is started, used, broken and restarted.

use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::*;

/// The output of a client program; an error if it fails or takes more than two seconds.
async fn client(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program).args(arguments).kill_on_drop(true).output();
    let output = timeout(Duration::from_secs(2), output).await??;
    anyhow::ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// A process that has ended may stay listed until whoever adopted it looks.
fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

async fn sql(url: &str, statement: &str) -> anyhow::Result<String> {
    client(
        "psql",
        &[
            "--no-psqlrc",
            "--tuples-only",
            "--no-align",
            "--command",
            statement,
            url,
        ],
    )
    .await
}

async fn valkey(server: &Valkey, command: &[&str]) -> anyhow::Result<String> {
    let url = server.url();
    client("valkey-cli", &[&["-u", &url], command].concat()).await
}

/// One connection that speaks NATS by hand: enough for a request and its answer.
async fn nats(server: &Nats, subject: &str, body: &str) -> anyhow::Result<String> {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let url = server.url();
    let (credentials, address) = url
        .trim_start_matches("nats://")
        .split_once('@')
        .expect("its URL has a password");
    let (user, password) = credentials.split_once(':').expect("its URL has a password");
    let greeting = serde_json::json!({ "verbose": false, "user": user, "pass": password });
    let exchange = async {
        let mut socket = BufReader::new(tokio::net::TcpStream::connect(address).await?);
        let request = format!(
            "CONNECT {greeting}\r\nSUB answer 1\r\nPUB {subject} answer {}\r\n{body}\r\n",
            body.len()
        );
        socket.write_all(request.as_bytes()).await?;
        let mut lines = socket.lines();
        while let Some(line) = lines.next_line().await? {
            if line.starts_with("MSG ") {
                return Ok(lines.next_line().await?.unwrap_or_default());
            }
        }
        anyhow::bail!("no answer")
    };
    timeout(Duration::from_secs(2), exchange).await?
}

/// Asks until the answer has that field: a cluster without a leader gives none.
async fn nats_until(server: &Nats, subject: &str, body: &str, field: &str) -> anyhow::Result<String> {
    let asking = async {
        loop {
            match nats(server, subject, body).await {
                Ok(answer) if answer.contains(&format!("{field:?}:")) => return answer,
                other => eprintln!("no answer yet: {other:?}"),
            }
        }
    };
    Ok(timeout(Duration::from_secs(30), asking).await?)
}

async fn games_stream(server: &Nats) -> anyhow::Result<String> {
    nats(
        server,
        "$JS.API.STREAM.CREATE.GAMES",
        include_str!("../../../nats/streams/GAMES.json"),
    )
    .await
}

#[tokio::test]
async fn nats_keeps_its_log_over_a_stop_and_a_kill() -> anyhow::Result<()> {
    let server = Nats::start().await?;
    let created = games_stream(&server).await?;
    assert!(!created.contains("error"), "{created}");
    nats(&server, "games.mancala.a.started", "{}").await?;
    server.restart().await?;
    nats(&server, "games.mancala.a.moved", "{}").await?;
    let killed = server.pid();
    server.kill().await?;
    assert_eq!(server.pid(), None);
    server.restart().await?;
    assert_ne!(server.pid(), killed);
    let acknowledged = nats(&server, "games.mancala.a.moved", "{}").await?;
    assert!(acknowledged.contains(r#""seq":3"#), "{acknowledged}");
    Ok(())
}

#[tokio::test]
async fn both_streams_are_created_as_their_files_say() -> anyhow::Result<()> {
    let server = Nats::start().await?;
    let dead = include_str!("../../../nats/streams/DEAD.json");
    let answers = [
        games_stream(&server).await?,
        nats(&server, "$JS.API.STREAM.CREATE.DEAD", dead).await?,
    ];
    for (answer, file) in answers
        .iter()
        .zip([include_str!("../../../nats/streams/GAMES.json"), dead])
    {
        let answer: serde_json::Value = serde_json::from_str(answer)?;
        let wanted: serde_json::Map<String, serde_json::Value> = serde_json::from_str(file)?;
        for (field, value) in wanted {
            assert_eq!(answer["config"][&field], value, "{field}: {answer}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_frozen_nats_answers_nothing_until_it_thaws() -> anyhow::Result<()> {
    let server = Nats::start().await?;
    server.freeze()?;
    assert!(games_stream(&server).await.is_err());
    server.thaw()?;
    games_stream(&server).await?;
    Ok(())
}

#[tokio::test]
async fn a_cluster_replicates_and_survives_the_loss_of_a_node() -> anyhow::Result<()> {
    let cluster = NatsCluster::start(3).await?;
    let definition = include_str!("../../../nats/streams/GAMES.json")
        .replace(r#""num_replicas": 1"#, r#""num_replicas": 3"#);
    let [first, second, third] = cluster.nodes() else {
        panic!("three nodes")
    };
    let created = nats_until(first, "$JS.API.STREAM.CREATE.GAMES", &definition, "num_replicas").await?;
    assert!(created.contains(r#""num_replicas":3"#), "{created}");
    third.kill().await?;
    cluster.settle().await?;
    nats_until(second, "games.mancala.a.started", "{}", "seq").await?;
    third.restart().await?;
    cluster.settle().await
}

#[tokio::test]
async fn valkey_keeps_its_keys_over_a_restart_and_loses_them_in_an_empty_one() -> anyhow::Result<()> {
    let server = Valkey::start().await?;
    let url = server.url();
    valkey(&server, &["SET", "game", "7"]).await?;
    server.restart().await?;
    assert_eq!(valkey(&server, &["GET", "game"]).await?, "7");
    server.kill().await?;
    server.restart().await?;
    assert_eq!(valkey(&server, &["GET", "game"]).await?, "7");
    server.restart_empty().await?;
    assert_eq!(valkey(&server, &["GET", "game"]).await?, "");
    assert_eq!(server.url(), url);
    assert!(
        valkey(&server, &["CONFIG", "GET", "maxmemory-policy"])
            .await?
            .contains("noeviction")
    );
    Ok(())
}

#[tokio::test]
async fn a_frozen_valkey_answers_nothing_until_it_thaws() -> anyhow::Result<()> {
    let server = Valkey::start().await?;
    server.freeze()?;
    assert!(valkey(&server, &["PING"]).await.is_err());
    server.thaw()?;
    assert_eq!(valkey(&server, &["PING"]).await?, "PONG");
    server.freeze()?;
    server.stop().await
}

#[tokio::test]
async fn postgres_keeps_its_rows_over_a_restart_and_a_kill() -> anyhow::Result<()> {
    let server = Postgres::start().await?;
    let url = server.fresh_database().await?;
    sql(&url, "CREATE TABLE games (id int); INSERT INTO games VALUES (7)").await?;
    server.restart().await?;
    assert_eq!(sql(&url, "SELECT id FROM games").await?, "7");
    server.kill().await?;
    assert!(sql(&url, "SELECT 1").await.is_err());
    server.restart().await?;
    assert_eq!(sql(&url, "SELECT id FROM games").await?, "7");
    Ok(())
}

#[tokio::test]
async fn a_frozen_postgres_hangs_its_open_connections_too() -> anyhow::Result<()> {
    let server = Postgres::start().await?;
    let url = server.url();
    let freeze = async {
        let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
        while sql(&url, sleeping).await? != "1" {}
        server.freeze()
    };
    let (answer, frozen) = tokio::join!(sql(&url, "SELECT pg_sleep(0.5)"), freeze);
    frozen?;
    assert!(answer.is_err());
    server.thaw()?;
    assert_eq!(sql(&url, "SELECT 1").await?, "1");
    Ok(())
}

#[tokio::test]
async fn databases_of_one_server_are_separate() -> anyhow::Result<()> {
    let server = Postgres::start().await?;
    let (one, other) = (server.fresh_database().await?, server.fresh_database().await?);
    sql(&one, "CREATE TABLE games (id int)").await?;
    assert!(sql(&other, "SELECT * FROM games").await.is_err());
    Ok(())
}

#[tokio::test]
async fn two_of_each_run_side_by_side() -> anyhow::Result<()> {
    let nats = tokio::try_join!(Nats::start(), Nats::start())?;
    let valkey = tokio::try_join!(Valkey::start(), Valkey::start())?;
    let postgres = tokio::try_join!(Postgres::start(), Postgres::start())?;
    assert_ne!(nats.0.url(), nats.1.url());
    assert_ne!(valkey.0.url(), valkey.1.url());
    assert_ne!(postgres.0.url(), postgres.1.url());
    Ok(())
}

#[tokio::test]
async fn nothing_is_left_when_a_server_is_dropped() -> anyhow::Result<()> {
    let server = Postgres::start().await?;
    let (pid, store) = (server.pid().expect("it runs"), server.store_dir());
    drop(server);
    assert!(!runs(&pid.to_string()));
    assert!(!store.parent().expect("it has a directory").exists());
    Ok(())
}

/// Says to the test below that it is the process to be killed.
const VICTIM: &str = "TURNSTREAM_TEST_VICTIM";

async fn wait_to_be_killed() -> anyhow::Result<()> {
    let server = Postgres::start().await?;
    let pid = server.pid().expect("it runs");
    println!("server {pid} {}", server.store_dir().display());
    std::future::pending().await
}

#[tokio::test]
async fn no_server_outlives_a_killed_test_process() -> anyhow::Result<()> {
    use tokio::io::{AsyncBufReadExt, BufReader};
    if std::env::var_os(VICTIM).is_some() {
        return wait_to_be_killed().await;
    }
    let this = "services::tests::no_server_outlives_a_killed_test_process";
    let mut process = Command::new(std::env::current_exe()?)
        .args(["--exact", this, "--nocapture"])
        .env(VICTIM, "1")
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
    let (pid, store) = loop {
        let line = lines.next_line().await?.expect("it says which server it started");
        // The test runner prints the test's name on the same line.
        if let Some((_, said)) = line.split_once("server ") {
            let (pid, store) = said.split_once(' ').expect("a pid and a directory");
            break (pid.to_owned(), std::path::PathBuf::from(store));
        }
    };
    assert!(store.exists());
    process.kill().await?;
    let gone = async {
        while runs(&pid) || store.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(5), gone).await?;
    Ok(())
}
