//! Every subject in use. Nothing else builds or takes apart a subject.

use contract::{GameId, GameKey, WriterId};
use projections::ports::Wanted;

/// The stream of all events, and the prefix of its subjects.
pub const GAMES_STREAM: &str = "GAMES";
/// The stream of dead letters.
pub const DEAD_STREAM: &str = "DEAD";

/// All dead letters.
pub const DEAD_LETTERS: &str = "dead.*.*";
/// All heartbeats.
pub const HEARTBEATS: &str = "service.*";
/// All counts of spectators.
pub const SPECTATORS: &str = "presence.*";

/// One event's subject: `games.<kind>.<game_id>.<event>`.
pub fn event(key: GameKey, name: &str) -> String {
    format!("games.{}.{}.{name}", key.kind, key.id)
}

/// Every event of one game.
///
/// The only place that builds this filter: the server guards an expectation by the filter's text, and two spellings of
/// the same set would let two writers through on a cluster.
pub fn game(key: GameKey) -> String {
    event(key, "*")
}

/// The `ended` of a game whose kind is not known.
pub fn ended(id: GameId) -> String {
    format!("games.*.{id}.ended")
}

/// The events of this name of all games; `"*"` for all events.
pub fn all_named(name: &str) -> String {
    format!("games.*.*.{name}")
}

/// The events that are wanted.
pub fn wanted(wanted: &Wanted) -> String {
    let any = || "*".to_owned();
    let kind = wanted.kind.clone().unwrap_or_else(any);
    let game = wanted.game.map_or_else(any, |game| game.to_string());
    let name = wanted.name.clone().unwrap_or_else(any);
    format!("games.{kind}.{game}.{name}")
}

/// What [`event`] made of; `None` for what no version of this code knows.
pub fn parse_event(subject: &str) -> Option<(GameKey, &str)> {
    let mut tokens = subject.split('.');
    if tokens.next() != Some("games") {
        return None;
    }
    let kind = tokens.next()?.parse().ok()?;
    let id = tokens.next()?.parse().ok()?;
    let name = tokens.next().filter(|name| !name.is_empty())?;
    tokens.next().is_none().then_some((GameKey { kind, id }, name))
}

/// One dead letter's subject; `None` if the projector's name would make it another's.
pub fn dead_letter(projector: &str, game: GameId) -> Option<String> {
    is_token(projector).then(|| format!("dead.{projector}.{game}"))
}

/// All dead letters of a projector; `None` if it has no such name.
pub fn dead_letters_of(projector: &str) -> Option<String> {
    is_token(projector).then(|| format!("dead.{projector}.*"))
}

fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

/// What [`dead_letter`] was made of.
pub fn parse_dead_letter(subject: &str) -> Option<(&str, GameId)> {
    let (projector, game) = subject.strip_prefix("dead.")?.split_once('.')?;
    Some((projector, game.parse().ok()?))
}

/// Where a process says that it lives.
pub fn heartbeat(writer: WriterId) -> String {
    format!("service.{writer}")
}

/// Where the process that holds a game says how many watch it.
pub fn spectators(game: GameId) -> String {
    format!("presence.{game}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Kind;

    fn key() -> GameKey {
        GameKey {
            kind: Kind::Mancala,
            id: "0194f000-0000-7000-8000-000000000001"
                .parse()
                .expect("it is a game id"),
        }
    }

    #[test]
    fn an_event_is_found_in_its_subject() {
        let subject = event(key(), "moved");
        assert_eq!(
            subject,
            "games.mancala.0194f000-0000-7000-8000-000000000001.moved"
        );
        assert_eq!(parse_event(&subject), Some((key(), "moved")));
    }

    #[test]
    fn a_games_filter_is_its_subject_with_any_name() {
        assert_eq!(
            game(key()),
            "games.mancala.0194f000-0000-7000-8000-000000000001.*"
        );
    }

    #[test]
    fn what_is_no_event_is_not_read_as_one() {
        for subject in [
            "",
            "games",
            "games.mancala",
            "games.mancala.0194f000-0000-7000-8000-000000000001",
            "games.mancala.0194f000-0000-7000-8000-000000000001.",
            "games.mancala.0194f000-0000-7000-8000-000000000001.moved.twice",
            "games.mancala.0194F000-0000-7000-8000-000000000001.moved",
            "games.chess5d.0194f000-0000-7000-8000-000000000001.moved",
            "other.mancala.0194f000-0000-7000-8000-000000000001.moved",
        ] {
            assert_eq!(parse_event(subject), None, "{subject}");
        }
    }

    #[test]
    fn a_dead_letter_is_found_in_its_subject() {
        let subject = dead_letter("history", key().id).expect("it is a plain name");
        assert_eq!(parse_dead_letter(&subject), Some(("history", key().id)));
        for name in ["", "a.b", "*", ">", "a b", "ş"] {
            assert_eq!(dead_letter(name, key().id), None, "{name}");
        }
    }
}
