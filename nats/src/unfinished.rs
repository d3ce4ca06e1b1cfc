//! Which games have not ended, from the names of the stream's subjects alone.

use std::collections::HashMap;
use std::time::Duration;

use commands::ports::Unavailable;
use contract::GameKey;
use serde_json::json;

use crate::api::{self, StreamInfo};
use crate::shared::Shared;
use crate::subjects::{self, GAMES_STREAM};

/// A page has up to 100,000 subjects, which the server sorts first.
const PAGE_DEADLINE: Duration = Duration::from_secs(10);

/// The games that have a message and no `ended` one, in the order of their ids.
pub async fn unfinished(shared: &Shared) -> Result<Vec<GameKey>, Unavailable> {
    let mut ended = HashMap::new();
    let mut seen = 0;
    loop {
        let page = page(shared, seen).await?;
        let subjects = page.state.subjects.unwrap_or_default();
        seen += subjects.len();
        for subject in subjects.keys() {
            // A kind that only newer code knows is that code's to play.
            if let Some((key, name)) = subjects::parse_event(subject) {
                *ended.entry(key).or_insert(false) |= name == "ended";
            }
        }
        if subjects.is_empty() || seen >= page.total {
            break;
        }
    }
    let mut unfinished: Vec<GameKey> = ended
        .into_iter()
        .filter(|(_, ended)| !ended)
        .map(|(key, _)| key)
        .collect();
    unfinished.sort_unstable();
    Ok(unfinished)
}

async fn page(shared: &Shared, offset: usize) -> Result<StreamInfo, Unavailable> {
    let question = json!({ "subjects_filter": subjects::all_named("*"), "offset": offset });
    let what = format!("STREAM.INFO.{GAMES_STREAM}");
    Ok(api::ask(shared.ready()?, &what, &question, PAGE_DEADLINE).await?)
}
