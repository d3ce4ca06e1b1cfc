//! A WebSocket with small buffers and a deadline on every wait.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, bail};
use futures::{SinkExt, StreamExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// A move that takes longer is lost.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What is read at once.
const BUFFER: usize = 4096;
/// One address has not enough ports for run after run; loopback has many addresses.
const PORTS_OF_AN_ADDRESS: u64 = 4_000;
const ADDRESSES: u64 = 60_000;
/// The receive buffer of one who never reads, in bytes.
const DEAF_BUFFER: u32 = 2048;

/// An open socket.
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
}

/// Which socket of a run it is, for an address of its own.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub u64);

impl Number {
    fn source(self) -> SocketAddr {
        let n = (self.0 / PORTS_OF_AN_ADDRESS) % ADDRESSES;
        let [.., high, low] = (n as u32 + 2).to_be_bytes();
        SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, high, low)), 0)
    }
}

impl Socket {
    /// Opens `path` at `to`.
    ///
    /// # Errors
    /// It is refused, or not answered in time.
    pub async fn open(
        to: SocketAddr,
        path: &str,
        protocol: Option<&'static str>,
        number: Number,
    ) -> anyhow::Result<Self> {
        let tcp = TcpSocket::new_v4()?;
        Self::over(tcp, to, path, protocol, number).await
    }

    /// The same with the least room for what nobody reads.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_deaf(
        to: SocketAddr,
        path: &str,
        protocol: Option<&'static str>,
        number: Number,
    ) -> anyhow::Result<Self> {
        let tcp = TcpSocket::new_v4()?;
        tcp.set_recv_buffer_size(DEAF_BUFFER)?;
        Self::over(tcp, to, path, protocol, number).await
    }

    async fn over(
        tcp: TcpSocket,
        to: SocketAddr,
        path: &str,
        protocol: Option<&'static str>,
        number: Number,
    ) -> anyhow::Result<Self> {
        tcp.bind(number.source())?;
        let opened = timeout(PATIENCE, async {
            let tcp = tcp.connect(to).await?;
            tcp.set_nodelay(true)?;
            let mut request = format!("ws://{to}{path}").into_client_request()?;
            if let Some(protocol) = protocol {
                request
                    .headers_mut()
                    .insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(protocol));
            }
            let config = WebSocketConfig::default()
                .read_buffer_size(BUFFER)
                .write_buffer_size(0);
            anyhow::Ok(client_async_with_config(request, tcp, Some(config)).await?.0)
        });
        let stream = opened.await.context("a socket does not open")??;
        Ok(Self { stream })
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The socket is closed.
    pub async fn send(&mut self, message: Message) -> anyhow::Result<()> {
        Ok(self.stream.send(message).await?)
    }

    /// The next message with content. Cancelling it loses nothing.
    ///
    /// # Errors
    /// The socket is closed.
    pub async fn next(&mut self) -> anyhow::Result<Message> {
        loop {
            match self.stream.next().await {
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => return Ok(message),
                Some(Ok(Message::Close(why))) => bail!("the server closed the socket: {why:?}"),
                // Pings are answered by the library.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => bail!("the socket ended"),
            }
        }
    }

    /// The next text.
    ///
    /// # Errors
    /// The socket is closed, or what comes is no text.
    pub async fn text(&mut self) -> anyhow::Result<Utf8Bytes> {
        match self.next().await? {
            Message::Text(text) => Ok(text),
            other => bail!("expected a text, not {other:?}"),
        }
    }
}
