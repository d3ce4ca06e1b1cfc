//! One question to a server, to see whether it answers.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Sends `question` to a local port; the beginning of the answer.
pub(super) async fn ask(port: u16, question: &[u8]) -> io::Result<Vec<u8>> {
    timeout(Duration::from_secs(1), async {
        let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        socket.write_all(question).await?;
        let mut answer = vec![0; 512];
        let length = socket.read(&mut answer).await?;
        answer.truncate(length);
        Ok(answer)
    })
    .await
    .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
