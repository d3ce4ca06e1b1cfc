use super::*;
use async_trait::async_trait;
use contract::Millis;
use std::sync::Mutex;

/// A log that can be away, replaced, and rolled back.
#[derive(Default)]
struct Log(Mutex<State>);

#[derive(Default, Clone)]
struct State {
    identity: &'static str,
    entries: Vec<RawEntry>,
    connection: u64,
    away: bool,
}

fn entry(seq: Seq, text: &'static str) -> RawEntry {
    RawEntry {
        seq,
        kind: "mancala".to_owned(),
        game: "g".to_owned(),
        name: "moved".to_owned(),
        bytes: text.into(),
    }
}

impl Log {
    fn of(entries: Vec<RawEntry>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            identity: "one",
            entries,
            ..State::default()
        })))
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().expect("nobody panics"));
    }

    fn state(&self) -> Result<State, Unavailable> {
        let state = self.0.lock().expect("nobody panics").clone();
        if state.away {
            Err(Unavailable::new("log", "away"))
        } else {
            Ok(state)
        }
    }
}

#[async_trait]
impl LogPages for Log {
    async fn info(&self) -> Result<LogInfo, Unavailable> {
        let state = self.state()?;
        Ok(LogInfo {
            identity: LogIdentity(state.identity.to_owned()),
            first: 1,
            last: state.entries.last().map_or(0, |entry| entry.seq),
        })
    }

    async fn page(&self, from: Seq, _: &Wanted, max: usize) -> Result<Vec<RawEntry>, Unavailable> {
        let entries = self.state()?.entries.into_iter();
        Ok(entries.filter(|entry| entry.seq >= from).take(max).collect())
    }

    async fn at(&self, _: Millis) -> Result<Seq, Unavailable> {
        Ok(1)
    }

    fn connection(&self) -> u64 {
        self.0.lock().expect("nobody panics").connection
    }
}

async fn reading(log: &Arc<Log>) -> Reading {
    let info = log.info().await.expect("it is there");
    Reading::of(log.clone(), &info, Wanted::default(), 1)
}

async fn seqs(reading: &mut Reading) -> Vec<Seq> {
    let page = reading.page().await.expect("it is there");
    page.iter().map(|entry| entry.seq).collect()
}

#[tokio::test]
async fn over_an_outage_nothing_is_left_out_and_nothing_comes_twice() {
    let log = Log::of(vec![entry(1, "a"), entry(2, "b")]);
    let mut reading = reading(&log).await;
    assert_eq!(seqs(&mut reading).await, [1, 2]);
    log.change(|log| log.away = true);
    assert!(matches!(reading.page().await, Err(Failed::Away(_))));
    log.change(|log| {
        log.away = false;
        log.connection += 1;
        log.entries.push(entry(4, "d"));
    });
    assert_eq!(seqs(&mut reading).await, [4]);
    assert!(seqs(&mut reading).await.is_empty());
}

#[tokio::test]
async fn another_log_is_not_read_on_from_the_place_in_the_first() {
    let log = Log::of(vec![entry(1, "a")]);
    let mut reading = reading(&log).await;
    seqs(&mut reading).await;
    log.change(|log| {
        log.identity = "two";
        log.connection += 1;
        log.entries = vec![entry(1, "x"), entry(2, "y")];
    });
    let gone = reading.page().await.expect_err("it is another one");
    assert!(matches!(gone, Failed::Gone(Gone::AnotherLog)), "{gone}");
}

#[tokio::test]
async fn a_log_that_lost_what_was_read_is_noticed_though_it_grew_again() {
    for regrown in [
        vec![entry(1, "a")],
        vec![entry(1, "a"), entry(2, "other"), entry(3, "more")],
    ] {
        let log = Log::of(vec![entry(1, "a"), entry(2, "b")]);
        let mut reading = reading(&log).await;
        seqs(&mut reading).await;
        log.change(|log| {
            log.connection += 1;
            log.entries = regrown;
        });
        let gone = reading.page().await.expect_err("it lost something");
        assert!(matches!(gone, Failed::Gone(Gone::LostTail { read: 2 })), "{gone}");
    }
}

#[tokio::test]
async fn what_was_deleted_since_it_was_read_is_no_contradiction() {
    let log = Log::of(vec![entry(1, "a"), entry(2, "b"), entry(3, "c")]);
    let mut reading = reading(&log).await;
    seqs(&mut reading).await;
    log.change(|log| {
        log.connection += 1;
        log.entries = vec![entry(1, "a"), entry(4, "d")];
    });
    assert_eq!(seqs(&mut reading).await, [4]);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_is_told_once_why() {
    let log = Log::of(Vec::new());
    let mut reading = reading(&log).await;
    log.change(|log| log.away = true);
    let mut told = Vec::new();
    let back = async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        log.change(|log| {
            log.away = false;
            log.entries.push(entry(1, "a"));
        });
    };
    let (more, ()) = tokio::join!(reading.more(|error| told.push(error.to_string())), back);
    assert_eq!(more.expect("it is the same log").len(), 1);
    assert_eq!(told, ["log is not available: away"]);
}
