//! A way to a server that a test can break, while others reach the server by ways of their own.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// What becomes of what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passage {
    /// It gets through.
    Open,
    /// It gets through, so much later.
    Slow(Duration),
    /// It waits, as in a network that lost its route: connections stay, and nobody is told.
    Stopped,
    /// What goes in a lost direction is lost, and nobody is told. A connection that lost something ends as soon as its
    /// direction is open again: no server understands what comes after a gap.
    Lost(Lost),
    /// Connections end, and new ones end at once.
    Cut,
}

/// Which direction is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// What clients send.
    Requests,
    /// What servers send.
    Answers,
    /// All of it: each end believes that the other one is there.
    Everything,
}

/// Which way a part of a connection goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToServer,
    ToClient,
}

impl Lost {
    fn loses(self, direction: Direction) -> bool {
        match self {
            Self::Requests => direction == Direction::ToServer,
            Self::Answers => direction == Direction::ToClient,
            Self::Everything => true,
        }
    }
}

/// A TCP proxy on a loopback port. Dropping it ends its connections.
pub struct Proxy {
    address: SocketAddr,
    passage: watch::Sender<Passage>,
    _accepting: JoinSet<()>,
}

impl Proxy {
    /// Opens a way to the server at `target`, `host:port`.
    ///
    /// # Errors
    /// There is no port to listen on.
    pub async fn to(target: impl Into<String>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (passage, open) = watch::channel(Passage::Open);
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, target.into(), open));
        Ok(Self {
            address,
            passage,
            _accepting: accepting,
        })
    }

    /// Opens a way to the server of a URL, such as `nats://127.0.0.1:4222`.
    ///
    /// # Errors
    /// There is no port to listen on, or the URL has no authority.
    pub async fn to_url(url: &str) -> io::Result<Self> {
        Self::to(target_of(url).ok_or(io::ErrorKind::InvalidInput)?).await
    }

    /// A server's URL, by this way.
    pub fn url(&self, url: &str) -> String {
        match target_of(url) {
            Some(target) => url.replacen(target, &self.address.to_string(), 1),
            None => url.to_owned(),
        }
    }

    /// Ends all connections, and every new one at once.
    pub fn cut(&self) {
        self.passage.send_replace(Passage::Cut);
    }

    /// Lets nothing through, and says so to nobody.
    pub fn stop(&self) {
        self.passage.send_replace(Passage::Stopped);
    }

    /// Lets everything through, `by` later in each direction.
    pub fn delay(&self, by: Duration) {
        self.passage.send_replace(Passage::Slow(by));
    }

    /// Loses what goes in that direction, and says so to nobody. Connections stay and new ones are made.
    pub fn lose(&self, what: Lost) {
        self.passage.send_replace(Passage::Lost(what));
    }

    /// Lets everything through again; what was stopped on its way arrives.
    pub fn restore(&self) {
        self.passage.send_replace(Passage::Open);
    }
}

/// The `host:port` of a URL.
fn target_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    let target = authority.rsplit('@').next()?;
    (!target.is_empty()).then_some(target)
}

/// Connections end with the task: it owns theirs.
async fn accept(listener: TcpListener, target: String, passage: watch::Receiver<Passage>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A client that is gone already needs nothing.
                let Ok((client, _)) = accepted else { continue };
                connections.spawn(carry(client, target.clone(), passage.clone()));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Carries one connection until either end closes it or it is cut.
async fn carry(client: TcpStream, target: String, passage: watch::Receiver<Passage>) {
    if *passage.borrow() == Passage::Cut {
        return;
    }
    let Ok(server) = TcpStream::connect(target).await else {
        return;
    };
    // Small packets are the rule in tests.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut until_cut = passage.clone();
    tokio::select! {
        _ = until_cut.wait_for(|passage| *passage == Passage::Cut) => {}
        _ = pump(from_client, to_server, Direction::ToServer, passage.clone()) => {}
        _ = pump(from_server, to_client, Direction::ToClient, passage) => {}
    }
}

async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    direction: Direction,
    mut passage: watch::Receiver<Passage>,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    let mut has_lost = false;
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read?,
            () = is_open_again(passage.clone(), direction), if has_lost => return Ok(()),
        };
        let moving = passage.wait_for(|passage| *passage != Passage::Stopped).await;
        let now = moving.map(|passage| *passage);
        match now {
            Err(_) => return Ok(()),
            Ok(Passage::Lost(lost)) if lost.loses(direction) => {
                has_lost = true;
                if read == 0 {
                    // That the other end is gone is not told either.
                    is_open_again(passage.clone(), direction).await;
                    return Ok(());
                }
                continue;
            }
            Ok(Passage::Slow(by)) => tokio::time::sleep(by).await,
            Ok(_) => {}
        }
        if read == 0 || has_lost {
            return Ok(());
        }
        to.write_all(&buffer[..read]).await?;
    }
}

/// Returns as soon as the direction is not lost any more.
async fn is_open_again(mut passage: watch::Receiver<Passage>, direction: Direction) {
    let lost = |passage: &Passage| matches!(passage, Passage::Lost(lost) if lost.loses(direction));
    // A proxy that is gone has no directions.
    let _ = passage.wait_for(|passage| !lost(passage)).await;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// A server that answers whatever it is sent with the same.
    async fn echo() -> (String, JoinSet<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("it is bound").to_string();
        let mut server = JoinSet::new();
        server.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(async move {
                    let (mut from, mut to) = stream.into_split();
                    // The client's end is the end.
                    let _ = tokio::io::copy(&mut from, &mut to).await;
                });
            }
        });
        (address, server)
    }

    async fn ask(stream: &mut TcpStream) -> io::Result<u8> {
        stream.write_all(&[7]).await?;
        timeout(PATIENCE, stream.read_u8()).await?
    }

    #[tokio::test]
    async fn what_is_cut_ends_and_what_is_restored_gets_through() {
        let (address, _server) = echo().await;
        let proxy = Proxy::to(address).await.expect("a port");
        let mut stream = TcpStream::connect(proxy.address).await.expect("it listens");
        assert_eq!(ask(&mut stream).await.expect("it is open"), 7);
        proxy.cut();
        assert!(ask(&mut stream).await.is_err());
        let mut another = TcpStream::connect(proxy.address).await.expect("it listens");
        assert!(ask(&mut another).await.is_err());
        proxy.restore();
        let mut third = TcpStream::connect(proxy.address).await.expect("it listens");
        assert_eq!(ask(&mut third).await.expect("it is open"), 7);
    }

    #[tokio::test]
    async fn what_is_stopped_arrives_later() {
        let (address, _server) = echo().await;
        let proxy = Proxy::to(address).await.expect("a port");
        let mut stream = TcpStream::connect(proxy.address).await.expect("it listens");
        assert_eq!(ask(&mut stream).await.expect("it is open"), 7);
        proxy.stop();
        stream.write_all(&[8]).await.expect("nobody is told");
        let early = timeout(Duration::from_millis(50), stream.read_u8()).await;
        assert!(early.is_err(), "{early:?}");
        proxy.restore();
        let late = timeout(PATIENCE, stream.read_u8()).await;
        assert_eq!(late.expect("in time").expect("it is open"), 8);
    }

    #[tokio::test]
    async fn what_is_delayed_arrives_and_not_before() {
        let (address, _server) = echo().await;
        let proxy = Proxy::to(address).await.expect("a port");
        let mut stream = TcpStream::connect(proxy.address).await.expect("it listens");
        proxy.delay(Duration::from_millis(60));
        let sent = tokio::time::Instant::now();
        assert_eq!(ask(&mut stream).await.expect("it is open"), 7);
        assert!(
            sent.elapsed() >= Duration::from_millis(120),
            "once in each direction"
        );
    }

    #[tokio::test]
    async fn what_is_lost_never_arrives_and_its_connection_ends_when_the_way_is_open_again() {
        for lost in [Lost::Requests, Lost::Answers, Lost::Everything] {
            let (address, _server) = echo().await;
            let proxy = Proxy::to(address).await.expect("a port");
            let mut stream = TcpStream::connect(proxy.address).await.expect("it listens");
            assert_eq!(ask(&mut stream).await.expect("it is open"), 7);
            proxy.lose(lost);
            stream.write_all(&[8]).await.expect("nobody is told");
            let answer = timeout(Duration::from_millis(50), stream.read_u8()).await;
            assert!(answer.is_err(), "{lost:?}: {answer:?}");
            proxy.restore();
            let ended = timeout(PATIENCE, stream.read_u8()).await.expect("in time");
            assert!(ended.is_err(), "{lost:?}: {ended:?}");
            let mut another = TcpStream::connect(proxy.address).await.expect("it listens");
            assert_eq!(ask(&mut another).await.expect("it is open"), 7);
        }
    }

    #[tokio::test]
    async fn a_url_leads_through_it_whatever_else_it_says() {
        let proxy = Proxy::to_url("nats://a:b@127.0.0.1:4222").await.expect("a port");
        let through = proxy.url("postgres://user:word@127.0.0.1:5433/games?a=b");
        let expected = format!("postgres://user:word@{}/games?a=b", proxy.address);
        assert_eq!(through, expected);
    }
}
