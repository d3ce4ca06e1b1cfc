//! Free loopback ports.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};

use anyhow::bail;

const LOWEST: u16 = 10_000;

/// A port on which nobody listens now. Another process may still be faster, so be ready to ask again.
///
/// It lies below the ports the kernel gives to outgoing connections. Among those, a client that keeps calling a
/// stopped server would sooner or later be given the server's own port, connect to itself, and keep the server
/// from coming back.
pub fn free() -> anyhow::Result<u16> {
    let highest = lowest_outgoing().unwrap_or(32_768).max(LOWEST + 2_000);
    for _ in 0..100 {
        let random = RandomState::new().build_hasher().finish();
        let port = LOWEST + (random % u64::from(highest - LOWEST)) as u16;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port between {LOWEST} and {highest}")
}

fn lowest_outgoing() -> Option<u16> {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    range.split_whitespace().next()?.parse().ok()
}
