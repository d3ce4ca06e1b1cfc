//! The server's seeds of games, made from the service's keys: none is kept anywhere.

use std::sync::Arc;

use commands::ports::ServerSeeds;
use contract::GameId;
use rules::fair::ServerSeed;

use super::secret::Secret;

/// What seeds are derived for.
const PURPOSE: &str = "dice";

/// Seeds from keys.
pub struct DiceSeeds(pub Arc<Secret>);

impl ServerSeeds for DiceSeeds {
    fn key_id(&self) -> String {
        self.0.signing_key_id().to_owned()
    }

    fn seed(&self, key_id: &str, game: GameId) -> Option<ServerSeed> {
        self.0
            .derive(key_id, PURPOSE, game.0.as_bytes())
            .map(ServerSeed::new)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn seeds(keys: &str) -> DiceSeeds {
        DiceSeeds(Arc::new(Secret::parse(keys).expect("good keys")))
    }

    #[test]
    fn a_game_has_the_same_seed_as_long_as_its_key_is_configured() {
        let (a, b) = (format!("a:{}", "11".repeat(32)), format!("b:{}", "22".repeat(32)));
        let game = |n| GameId(Uuid::from_u128(n));
        let before = seeds(&a);
        assert_eq!(before.key_id(), "a");
        let seed = before.seed("a", game(1)).expect("the key is there");
        let after = seeds(&format!("{b},{a}"));
        assert_eq!(after.key_id(), "b");
        assert!(after.seed("a", game(1)) == Some(seed));
        assert!(after.seed("b", game(1)) != Some(seed));
        assert!(before.seed("a", game(2)) != Some(seed));
        assert!(seeds(&b).seed("a", game(1)).is_none());
    }
}
