//! A socket whose bytes a test has in its own hands.

use std::net::SocketAddr;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::harness::PATIENCE;

/// The address of a URL.
pub(super) fn address(url: &str) -> SocketAddr {
    let authority = url.strip_prefix("http://").expect("services here speak HTTP");
    authority.parse().expect("services here are on loopback")
}

/// A plain connection.
pub(super) async fn connect(url: &str) -> TcpStream {
    TcpStream::connect(address(url))
        .await
        .expect("the service listens")
}

/// A plain connection that the system keeps next to nothing for.
pub(super) async fn narrow(url: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    socket.connect(address(url)).await.expect("the service listens")
}

/// Sends bytes over a connection of their own; everything that comes back until it is closed.
pub(super) async fn say(url: &str, bytes: &[u8]) -> String {
    let mut stream = connect(url).await;
    // The service may close before all of it is sent.
    let _ = stream.write_all(bytes).await;
    hear(&mut stream).await
}

/// Everything that comes until a connection is closed.
pub(super) async fn hear(stream: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut heard)).await;
    // A reset after the answer is an end as well.
    let _ = read.unwrap_or_else(|_| panic!("not closed after {}", String::from_utf8_lossy(&heard)));
    String::from_utf8_lossy(&heard).into_owned()
}

/// A socket that reads only when it is told to.
pub(super) struct Raw(WebSocketStream<TcpStream>);

impl Raw {
    /// Opens a socket, and is welcomed as the bearer of a token.
    pub(super) async fn open(url: &str, token: &str) -> Self {
        let mut raw = Self::connect(url, connect(url).await).await;
        let authenticate = json!({ "channel": "authenticate", "payload": { "token": token } });
        raw.send(Message::text(authenticate.to_string())).await;
        let welcome = raw.next().await.expect("a good token is welcomed");
        assert_eq!(welcome["channel"], "on_welcome", "{welcome}");
        raw
    }

    /// Opens an anonymous one that the system keeps next to nothing for.
    pub(super) async fn narrow(url: &str) -> Self {
        Self::connect(url, narrow(url).await).await
    }

    async fn connect(url: &str, stream: TcpStream) -> Self {
        let url = format!("{}/ws", url.replacen("http", "ws", 1));
        let mut request = url.into_client_request().expect("a URL");
        let protocol = "turnstream.v1".parse().expect("a header value");
        request.headers_mut().insert("sec-websocket-protocol", protocol);
        Self(
            client_async(request, stream)
                .await
                .expect("the socket is opened")
                .0,
        )
    }

    pub(super) async fn send(&mut self, message: Message) {
        self.try_send(message).await.expect("the socket is open");
    }

    pub(super) async fn try_send(&mut self, message: Message) -> Result<(), Error> {
        self.0.send(message).await
    }

    /// Sends bytes that need be no frames.
    pub(super) async fn send_bytes(&mut self, bytes: &[u8]) {
        let stream = self.0.get_mut();
        stream.write_all(bytes).await.expect("the connection is open");
    }

    /// The next frame; or the close code, 1006 when there was none.
    pub(super) async fn next(&mut self) -> Result<Value, u16> {
        loop {
            let message = timeout(PATIENCE, self.0.next())
                .await
                .expect("something comes in time");
            match message {
                Some(Ok(Message::Text(text))) => {
                    return Ok(serde_json::from_str(&text).expect("frames are JSON"));
                }
                Some(Ok(Message::Close(Some(close)))) => return Err(close.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(1006),
            }
        }
    }

    /// Reads to the end: how many frames came, and the close code.
    pub(super) async fn drain(&mut self) -> (usize, u16) {
        let mut frames = 0;
        loop {
            match self.next().await {
                Ok(_) => frames += 1,
                Err(code) => return (frames, code),
            }
        }
    }
}
