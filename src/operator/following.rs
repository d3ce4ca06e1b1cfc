//! A long work of the service, followed line by line.

use futures::StreamExt;
use serde_json::Value;

use super::admin::{Admin, AdminError};
use crate::operations::lines::Line;
use crate::progress::Shown;

/// A line may be as long as the list of differences that it brings.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// Has a work done and shows how far it is, on the standard error; what came of it.
///
/// # Errors
/// [`AdminError`]: refused, stopped, or the service went away meanwhile.
pub(super) async fn follow(admin: &Admin, path: &str, body: &Value) -> Result<Value, AdminError> {
    let answer = admin.begin(path, body).await?;
    let mut shown = Shown::new();
    let mut chunks = answer.bytes_stream();
    let mut waiting: Vec<u8> = Vec::new();
    while let Some(chunk) = chunks.next().await {
        waiting.extend_from_slice(&chunk.map_err(|error| admin.not_reachable(&error))?);
        if waiting.len() > LONGEST_LINE {
            break;
        }
        while let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = waiting.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(Line::Progress { phase, done, total }) => shown.show(&phase, done, total),
                Ok(Line::Done(done)) => {
                    shown.end();
                    return Ok(done);
                }
                Ok(Line::Stopped(stopped)) => {
                    shown.end();
                    return Err(AdminError::Refused(stopped.to_string()));
                }
                Err(error) => return Err(AdminError::Refused(format!("the answer cannot be read: {error}"))),
            }
        }
    }
    shown.end();
    Err(AdminError::Refused(
        "the service went away before the work was done; what it left behind, the next one throws away"
            .to_owned(),
    ))
}
