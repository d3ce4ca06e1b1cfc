//! The players' listener: who may connect, and for how long without saying anything.
//!
//! **Belongs here:** connections, before anything that comes over them is known. **Does not:** requests (`http`),
//! frames (`ws`).
//!
//! A connection is bounded in number (of its address, and in all) and in time (for a request's head, and for taking
//! what is sent); what is read of a head is bounded in size. Sockets and event streams have their own bounds above that.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

use crate::app::App;
use crate::limits::{LimitError, StreamPermit};
use crate::problem::Failure;

mod guarded;
pub mod open_files;

use guarded::Guarded;

/// The most bytes of a request's head.
const MAX_HEAD: usize = 64 * 1024;
/// How long nothing is accepted after the system had no room for another connection.
const PAUSE: Duration = Duration::from_millis(500);
/// How much longer than a socket's own bound a connection may take nothing: the socket should say why it ends.
const STALL_MARGIN: Duration = Duration::from_secs(10);

/// Serves players until `stop`, then until their connections have ended. At most `most` are open at a time.
///
/// # Errors
/// The listener cannot be used.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    most: u32,
    stop: CancellationToken,
) -> io::Result<()> {
    guarded::bound_buffers(&listener, app.limits.config().send_buffer_bytes)?;
    let router = app.clone().router();
    let tasks = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                after(&error).await;
                continue;
            }
        };
        match Place::take(&app, peer.ip(), most) {
            Ok(place) => {
                let stall = app.limits.config().write_stall_ms + STALL_MARGIN;
                let stream = Guarded::new(stream, stall, place, tasks.clone());
                tasks.spawn(talk(app.clone(), router.clone(), stream, peer, stop.clone()));
            }
            Err(error) => {
                app.metrics.refused_connections.inc();
                refuse(&stream, &error.into());
            }
        }
    }
    drop(listener);
    tasks.close();
    tasks.wait().await;
    Ok(())
}

/// A connection's place, until it has ended.
struct Place {
    app: Arc<App>,
    _permit: StreamPermit,
}

impl Place {
    fn take(app: &Arc<App>, peer: IpAddr, most: u32) -> Result<Self, LimitError> {
        let mut proxies = app.edge.trusted_proxies.iter();
        // A proxy's connections are many people's.
        let address = (!proxies.any(|network| network.contains(peer))).then_some(peer);
        let permit = app.limits.stream_from(address, most)?;
        app.metrics.connections.inc();
        Ok(Self {
            app: app.clone(),
            _permit: permit,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.app.metrics.connections.dec();
    }
}

/// Serves one connection to its end. A socket goes on after it.
async fn talk(app: Arc<App>, router: Router, stream: Guarded, peer: SocketAddr, stop: CancellationToken) {
    let answer = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let mut router = router.clone();
        async move {
            Ok::<_, Infallible>(
                router
                    .call(request.map(Body::new))
                    .await
                    .unwrap_or_else(|never| match never {}),
            )
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // From the connection's or the last answer's beginning to the head's end.
        .header_read_timeout(app.limits.config().idle_close_ms)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let done = tokio::select! {
        done = &mut connection => done,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = done {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Says why, as far as that can be said without waiting.
fn refuse(stream: &TcpStream, failure: &Failure) {
    let body =
        serde_json::to_string(&failure.problem).expect("a problem has string keys and finite numbers only");
    let answer = format!(
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/problem+json\r\nretry-after: 1\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    if let Err(error) = stream.try_write(answer.as_bytes()) {
        tracing::debug!(%error, "a connection too many was closed without a word");
    }
}

/// What the peer's end of a connection did before it was accepted is no reason to wait.
async fn after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if ![ConnectionAborted, ConnectionRefused, ConnectionReset].contains(&error.kind()) {
        tracing::warn!(%error, "no connection can be accepted");
        tokio::time::sleep(PAUSE).await;
    }
}
