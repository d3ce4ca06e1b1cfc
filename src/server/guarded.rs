//! A connection's stream that ends when its peer takes nothing for too long, and ends gently.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::net::sockopt::{set_socket_send_buffer_size, set_tcp_nodelay};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::time::{Sleep, sleep, timeout};
use tokio_util::task::TaskTracker;

use super::Place;

/// How long, and how much, a connection closed from here is read to its end. What is unread when a connection closes
/// makes the system throw away what was sent last: why it was closed.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: u64 = 32 * 1024 * 1024;

/// Bounds what the system keeps for each connection of a listener. By itself it would hold megabytes for each that reads
/// nothing, and a slow one would read what was true minutes ago in place of a `resync`.
pub(super) fn bound_buffers(listener: &TcpListener, bytes: usize) -> io::Result<()> {
    Ok(set_socket_send_buffer_size(listener, bytes)?)
}

/// The stream of one connection, with its place among all.
pub(super) struct Guarded {
    /// There until it is dropped.
    stream: Option<TcpStream>,
    /// Whether the peer closed it, or it is broken.
    over: bool,
    /// How long the peer may take nothing.
    patience: Duration,
    /// Runs while it takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    place: Option<Place>,
    tasks: TaskTracker,
}

impl Guarded {
    pub(super) fn new(stream: TcpStream, patience: Duration, place: Place, tasks: TaskTracker) -> Self {
        // Frames are small and must not wait for each other.
        if let Err(error) = set_tcp_nodelay(&stream, true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        Self {
            stream: Some(stream),
            over: false,
            patience,
            stalled: None,
            place: Some(place),
            tasks,
        }
    }

    fn stream(&mut self) -> Pin<&mut TcpStream> {
        Pin::new(
            self.stream
                .as_mut()
                .expect("it is taken out only when it is dropped"),
        )
    }

    /// `written`, or an error if nothing could be written for too long.
    fn in_time(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            self.over |= matches!(written, Poll::Ready(Err(_)));
            return written;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(stalled.as_mut().poll(cx));
        self.over = true;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(self.stream().poll_read(cx, buffer));
        self.over |= read.is_err() || (buffer.filled().len() == before && buffer.remaining() > 0);
        Poll::Ready(read)
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.stream().poll_write(cx, bytes);
        self.in_time(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.stream().poll_write_vectored(cx, parts);
        self.in_time(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let (Some(stream), place) = (self.stream.take(), self.place.take()) else {
            return;
        };
        if let (false, Ok(runtime)) = (self.over, Handle::try_current()) {
            self.tasks.spawn_on(linger(stream, place), &runtime);
        }
    }
}

/// Ends a connection from here: says so, and reads what its peer still sends until it has heard.
async fn linger(mut stream: TcpStream, _place: Option<Place>) {
    let rest = async {
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(LINGER_BYTES), &mut tokio::io::sink()).await
    };
    match timeout(LINGER, rest).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection broke while it was closed"),
        Err(_) => tracing::debug!("a connection was closed before its peer had"),
    }
}
