//! Settings of the edge: where it is seen from, and every bound.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;

use super::{Network, PublicUrl};

/// How the service is seen from outside.
#[derive(Debug, Clone, Args)]
pub struct EdgeConfig {
    /// What links to the service begin with; taken from each request when absent.
    #[arg(long, env = "TURNSTREAM_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<PublicUrl>,

    /// An origin whose pages may use the service besides its own, exactly as browsers send it. May be given more than once.
    #[arg(
        long = "allowed-origin",
        env = "TURNSTREAM_ALLOWED_ORIGINS",
        value_delimiter = ',',
        value_name = "ORIGIN"
    )]
    pub allowed_origins: Vec<String>,

    /// A proxy, or a network of them, whose `X-Forwarded-For` is believed. May be given more than once.
    #[arg(
        long = "trusted-proxy",
        env = "TURNSTREAM_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_name = "NETWORK"
    )]
    pub trusted_proxies: Vec<Network>,

    /// A name under which operators reach their address, besides addresses and names without a dot. May be given more than
    /// once.
    #[arg(
        long = "admin-host",
        env = "TURNSTREAM_ADMIN_HOSTS",
        value_delimiter = ',',
        value_name = "NAME"
    )]
    pub admin_hosts: Vec<String>,

    /// Give every command a trace of its own that does not come with one (`traceparent`). It is in the command's events.
    #[arg(long, env = "TURNSTREAM_TRACE_COMMANDS")]
    pub trace_commands: bool,
}

/// Every bound of the edge.
#[derive(Debug, Clone, Args)]
pub struct LimitsConfig {
    /// The largest request body and frame, in bytes.
    #[arg(long, env = "TURNSTREAM_MAX_BODY_BYTES", default_value_t = 16 * 1024, value_name = "BYTES")]
    pub max_body_bytes: usize,

    /// How long a request may take, in milliseconds.
    #[arg(long, env = "TURNSTREAM_REQUEST_TIMEOUT_MS", default_value = "10000", value_name = "MS", value_parser = millis)]
    pub request_timeout_ms: Duration,

    /// Frames a second that a socket may send.
    #[arg(
        long,
        env = "TURNSTREAM_FRAMES_PER_SECOND",
        default_value = "20",
        value_name = "N"
    )]
    pub frames_per_second: NonZeroU32,

    /// How many frames at once.
    #[arg(long, env = "TURNSTREAM_FRAMES_BURST", default_value = "40", value_name = "N")]
    pub frames_burst: NonZeroU32,

    /// Sockets and event streams of one user.
    #[arg(
        long,
        env = "TURNSTREAM_SOCKETS_PER_USER",
        default_value_t = 10,
        value_name = "N"
    )]
    pub sockets_per_user: u32,

    /// Sockets and event streams of one address.
    #[arg(
        long,
        env = "TURNSTREAM_SOCKETS_PER_ADDRESS",
        default_value_t = 200,
        value_name = "N"
    )]
    pub sockets_per_address: u32,

    /// Connections of one address beside its sockets and event streams: requests, and whoever says nothing.
    #[arg(
        long,
        env = "TURNSTREAM_SPARE_CONNECTIONS_PER_ADDRESS",
        default_value_t = 200,
        value_name = "N"
    )]
    pub spare_connections_per_address: u32,

    /// Connections in all. Never more than the system's open files allow, a reserve for servers and files apart.
    #[arg(
        long,
        env = "TURNSTREAM_CONNECTIONS",
        default_value_t = 50_000,
        value_name = "N"
    )]
    pub connections: u32,

    /// Games that one socket may watch at a time.
    #[arg(
        long,
        env = "TURNSTREAM_WATCHES_PER_SOCKET",
        default_value_t = 100,
        value_name = "N"
    )]
    pub watches_per_socket: usize,

    /// Requests a second from one address.
    #[arg(
        long,
        env = "TURNSTREAM_REQUESTS_PER_SECOND",
        default_value = "100",
        value_name = "N"
    )]
    pub requests_per_second: NonZeroU32,

    /// How many requests at once.
    #[arg(
        long,
        env = "TURNSTREAM_REQUESTS_BURST",
        default_value = "400",
        value_name = "N"
    )]
    pub requests_burst: NonZeroU32,

    /// Credentials a minute from one address that may turn out not to be valid; then none is looked at for a while.
    #[arg(
        long,
        env = "TURNSTREAM_FAILED_LOGINS_PER_MINUTE",
        default_value = "60",
        value_name = "N"
    )]
    pub failed_logins_per_minute: NonZeroU32,

    /// New guests a minute from one address.
    #[arg(
        long,
        env = "TURNSTREAM_GUESTS_PER_MINUTE",
        default_value = "30",
        value_name = "N"
    )]
    pub guests_per_minute: NonZeroU32,

    /// A socket that says nothing for this long is closed, and so is a connection that does not send a whole request in
    /// it, in milliseconds.
    #[arg(long, env = "TURNSTREAM_IDLE_CLOSE_MS", default_value = "60000", value_name = "MS", value_parser = millis)]
    pub idle_close_ms: Duration,

    /// How often the server pings a socket, and writes a comment into an event stream, in milliseconds.
    #[arg(long, env = "TURNSTREAM_PING_EVERY_MS", default_value = "25000", value_name = "MS", value_parser = millis)]
    pub ping_every_ms: Duration,

    /// How long a socket may take to say who it is before it counts as anonymous, in milliseconds.
    #[arg(long, env = "TURNSTREAM_AUTHENTICATE_MS", default_value = "10000", value_name = "MS", value_parser = millis)]
    pub authenticate_ms: Duration,

    /// How many frames may wait for a slow reader before it gets a `resync` in their place.
    #[arg(long, env = "TURNSTREAM_SEND_QUEUE", default_value_t = 256, value_name = "N")]
    pub send_queue: usize,

    /// What the system may hold back for one connection that does not read, in bytes.
    #[arg(long, env = "TURNSTREAM_SEND_BUFFER_BYTES", default_value_t = 128 * 1024, value_name = "BYTES")]
    pub send_buffer_bytes: usize,

    /// A reader that takes nothing for this long is closed, in milliseconds.
    #[arg(long, env = "TURNSTREAM_WRITE_STALL_MS", default_value = "15000", value_name = "MS", value_parser = millis)]
    pub write_stall_ms: Duration,
}

fn millis(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(0) => Err("0 ms is no time at all".to_owned()),
        Ok(ms) => Ok(Duration::from_millis(ms)),
        Err(error) => Err(format!("not a number of milliseconds: {error}")),
    }
}
