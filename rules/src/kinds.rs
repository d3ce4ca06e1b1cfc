//! Every kind of game under one set of types.
//!
//! The one `kinds!` list below is the only place that names all games. It makes [`Kind`], [`State`],
//! [`Move`], [`Steps`], [`Board`], [`Play`], [`Played`], [`Chance`] and [`Choices`], whose functions hand on to
//! the game's [`Rules`](crate::Rules). No rule of any game belongs here.
//!
//! In JSON only a state says its kind (`{"kind": "mancala", …}`), as it is stored alone. The others stand
//! beside the kind of their game and carry no tag, so the JSON of one game's moves must never be that of
//! another's.

use thiserror::Error;

/// The text names no kind of game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no kind of game")]
pub struct UnknownKind(pub String);

/// More choices than this are not sent along with a position, but only when asked for.
pub const MOST_INLINE_CHOICES: usize = 1_000;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $game:ty),+ $(,)?) => {
        /// A kind of game. Its name in JSON and in text is in lower case.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(rename_all = "lowercase")]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        /// A position of a game of any kind: who is to move, and all that decides the rest of the game. Its
        /// `Deserialize` refuses what is no position of its game.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind", rename_all = "lowercase")]
        pub enum State {
            $($(#[$doc])* $kind(<$game as $crate::Rules>::State),)+
        }

        /// A move in a game of any kind, legal or not.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(untagged, expecting = "expected a move of a known game")]
        pub enum Move {
            $($(#[$doc])* $kind(<$game as $crate::Rules>::Move),)+
        }

        /// What one move did, in the order in which a client shows it.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(untagged, expecting = "expected the steps of a move in a known game")]
        pub enum Steps {
            $($(#[$doc])* $kind(<$game as $crate::Rules>::Steps),)+
        }

        /// A position as clients draw it.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(untagged, expecting = "expected a board of a known game")]
        pub enum Board {
            $($(#[$doc])* $kind(<$game as $crate::Rules>::Board),)+
        }

        /// A move with its effects, as it stands in a game's history. An object, made to be flattened into
        /// one that adds who moved and when.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(untagged, expecting = "expected a move of a known game with its effects")]
        pub enum Play {
            $($(#[$doc])* $kind(<$game as $crate::Rules>::Play),)+
        }

        /// What chance has decided at once.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(untagged, expecting = "expected a throw of a known game")]
        pub enum Chance {
            $($(#[$doc])* $kind(<$game as $crate::Rules>::Chance),)+
        }

        /// What the player to move may choose from.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(untagged, expecting = "expected the choices of a move in a known game")]
        pub enum Choices {
            $($(#[$doc])* $kind(<$game as $crate::Rules>::Choices),)+
        }

        /// What [`State::play`] returns: the next position, and what the move did.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Played {
            pub state: State,
            pub steps: Steps,
        }

        impl Kind {
            /// Every kind of game.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),+];

            /// The name used in JSON, in SQL and in text.
            pub const fn as_str(self) -> &'static str {
                match self { $(Kind::$kind => <$game as $crate::Rules>::NAME,)+ }
            }

            /// Which set of rules this kind is played by, as analysts know it (`mangala`).
            pub const fn rules(self) -> &'static str {
                match self { $(Kind::$kind => <$game as $crate::Rules>::RULES,)+ }
            }

            /// The version of those rules: moves recorded under one version mean the same for ever.
            pub const fn rules_version(self) -> u32 {
                match self { $(Kind::$kind => <$game as $crate::Rules>::VERSION,)+ }
            }

            /// Whether chance decides anything in it, so that its games have seeds.
            pub const fn is_fair(self) -> bool {
                match self { $(Kind::$kind => <$game as $crate::Rules>::FAIR,)+ }
            }

            /// What it is called when a player leaves a game, which loses it.
            pub const fn leaving(self) -> $crate::Leaving {
                match self { $(Kind::$kind => <$game as $crate::Rules>::LEAVING,)+ }
            }

            /// Throw number `index`, from 0, of a game with these seeds; `None` in games without chance.
            pub fn throw(
                self,
                seed: &$crate::fair::ServerSeed,
                clients: $crate::fair::ClientSeeds<'_>,
                index: u64,
            ) -> Option<Chance> {
                match self {
                    $(Kind::$kind => {
                        <$game as $crate::Rules>::throw(seed, clients, index).map(Chance::$kind)
                    })+
                }
            }

            /// Initial time and increment of a game whose players agreed on no clock, in seconds.
            pub const fn usual_clock_s(self) -> Option<(u32, u32)> {
                match self { $(Kind::$kind => <$game as $crate::Rules>::USUAL_CLOCK_S,)+ }
            }

            /// How long a turn may take in a game without a clock, in seconds.
            pub const fn longest_turn_s(self) -> Option<u32> {
                match self { $(Kind::$kind => <$game as $crate::Rules>::LONGEST_TURN_S,)+ }
            }

            /// How long a player may be away before that counts as leaving, in seconds.
            pub const fn longest_absence_s(self) -> Option<u32> {
                match self { $(Kind::$kind => <$game as $crate::Rules>::LONGEST_ABSENCE_S,)+ }
            }
        }

        impl std::fmt::Display for Kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for Kind {
            type Err = $crate::kinds::UnknownKind;

            fn from_str(text: &str) -> Result<Kind, Self::Err> {
                Kind::ALL
                    .iter()
                    .copied()
                    .find(|kind| kind.as_str() == text)
                    .ok_or_else(|| $crate::kinds::UnknownKind(text.to_owned()))
            }
        }

        impl State {
            /// The position that every game of this kind starts from.
            pub fn initial(kind: Kind) -> State {
                match kind { $(Kind::$kind => State::$kind(<$game as $crate::Rules>::initial()),)+ }
            }

            /// The kind of game that this is a position of.
            pub fn kind(&self) -> Kind {
                match self { $(State::$kind(_) => Kind::$kind,)+ }
            }

            /// Whose turn it is; `None` once the game is over by its rules.
            pub fn to_move(&self) -> Option<$crate::Seat> {
                match self { $(State::$kind(state) => <$game as $crate::Rules>::to_move(state),)+ }
            }

            /// What the game waits for.
            pub fn next(&self) -> $crate::Next<Move> {
                match self {
                    $(State::$kind(state) => <$game as $crate::Rules>::next(state).map(Move::$kind),)+
                }
            }

            /// How the game has ended by its rules, once it has.
            pub fn ending(&self) -> Option<$crate::Ending> {
                match self { $(State::$kind(state) => <$game as $crate::Rules>::ending(state),)+ }
            }

            /// The position after `mv` by `seat`, with what the move did.
            pub fn play(&self, seat: $crate::Seat, mv: &Move) -> Result<Played, $crate::IllegalMove> {
                match self {
                    $(State::$kind(state) => {
                        let (state, steps) = <$game as $crate::Rules>::play(state, seat, mv.of_kind()?)?;
                        Ok(Played { state: State::$kind(state), steps: Steps::$kind(steps) })
                    })+
                }
            }

            /// The position after `mv` by `seat`: as [`play`](State::play), faster, without the steps.
            pub fn advance(&self, seat: $crate::Seat, mv: &Move) -> Result<State, $crate::IllegalMove> {
                match self {
                    $(State::$kind(state) => {
                        <$game as $crate::Rules>::advance(state, seat, mv.of_kind()?).map(State::$kind)
                    })+
                }
            }

            /// The result, once the game is over by its rules; `None` as long as somebody is to move.
            pub fn outcome(&self) -> Option<$crate::Outcome> {
                match self { $(State::$kind(state) => <$game as $crate::Rules>::outcome(state),)+ }
            }

            /// The position as clients draw it.
            pub fn board(&self) -> Board {
                match self {
                    $(State::$kind(state) => Board::$kind(<$game as $crate::Rules>::board(state)),)+
                }
            }

            /// Every move that [`play`](State::play) accepts from the seat to move: none once the game is
            /// over.
            pub fn legal_moves(&self) -> Vec<Move> {
                match self {
                    $(State::$kind(state) => {
                        <$game as $crate::Rules>::legal_moves(state).into_iter().map(Move::$kind).collect()
                    })+
                }
            }

            /// The same as clients get it; `None` if there are more than `limit`.
            pub fn choices(&self, limit: usize) -> Option<Choices> {
                match self {
                    $(State::$kind(state) => {
                        <$game as $crate::Rules>::choices(state, limit).map(Choices::$kind)
                    })+
                }
            }

            /// The position once chance has decided.
            pub fn thrown(&self, chance: &Chance) -> Result<State, $crate::IllegalMove> {
                match self {
                    $(State::$kind(state) => {
                        <$game as $crate::Rules>::thrown(state, chance.of_kind()?).map(State::$kind)
                    })+
                }
            }

            /// What chance has decided for the move that is to be made, if it has.
            pub fn chance(&self) -> Option<Chance> {
                match self {
                    $(State::$kind(state) => <$game as $crate::Rules>::chance(state).map(Chance::$kind),)+
                }
            }

            /// How many throws were used up by moves: the number of the current or next one, from 0.
            pub fn chance_index(&self) -> u64 {
                match self { $(State::$kind(state) => <$game as $crate::Rules>::chance_index(state),)+ }
            }

            /// The position once `seat` has armed or disarmed its offer of a draw; equal to this one if it was
            /// so before.
            pub fn arm_draw(&self, seat: $crate::Seat, armed: bool) -> Result<State, $crate::DrawRefusal> {
                match self {
                    $(State::$kind(state) => {
                        <$game as $crate::Rules>::arm_draw(state, seat, armed).map(State::$kind)
                    })+
                }
            }

            /// Whether `seat` has armed an offer of a draw. That is for its own eyes.
            pub fn is_draw_armed(&self, seat: $crate::Seat) -> bool {
                match self { $(State::$kind(state) => <$game as $crate::Rules>::is_draw_armed(state, seat),)+ }
            }

            /// The position once `seat` has answered the offer of a draw that was made to it.
            pub fn answer_draw(&self, seat: $crate::Seat, accept: bool) -> Result<State, $crate::DrawRefusal> {
                match self {
                    $(State::$kind(state) => {
                        <$game as $crate::Rules>::answer_draw(state, seat, accept).map(State::$kind)
                    })+
                }
            }

            /// Whose offer of a draw waits for an answer.
            pub fn pending_draw(&self) -> Option<$crate::Seat> {
                match self { $(State::$kind(state) => <$game as $crate::Rules>::pending_draw(state),)+ }
            }
        }

        impl Choices {
            /// What there is to choose in a game of this kind when there is nothing.
            pub fn none(kind: Kind) -> Choices {
                match kind {
                    $(Kind::$kind => Choices::$kind(<$game as $crate::Rules>::Choices::default()),)+
                }
            }
        }

        impl Chance {
            fn of_kind<C: 'static>(&self) -> Result<&C, $crate::IllegalMove> {
                let chance: &dyn std::any::Any = match self { $(Chance::$kind(chance) => chance,)+ };
                chance.downcast_ref().ok_or($crate::IllegalMove::OtherKind)
            }
        }

        impl std::fmt::Display for Chance {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $(Chance::$kind(chance) => std::fmt::Display::fmt(chance, f),)+ }
            }
        }

        impl Move {
            /// The kind of game that this is a move of.
            pub fn kind(&self) -> Kind {
                match self { $(Move::$kind(_) => Kind::$kind,)+ }
            }

            /// The move as game `M` knows it. By type and not by a match, which with one kind in the list
            /// would have an arm that can never be reached.
            fn of_kind<M: 'static>(&self) -> Result<&M, $crate::IllegalMove> {
                let mv: &dyn std::any::Any = match self { $(Move::$kind(mv) => mv,)+ };
                mv.downcast_ref().ok_or($crate::IllegalMove::OtherKind)
            }
        }

        impl Steps {
            fn of_kind<S: 'static>(&self) -> Option<&S> {
                let steps: &dyn std::any::Any = match self { $(Steps::$kind(steps) => steps,)+ };
                steps.downcast_ref()
            }
        }

        impl Play {
            /// The entry for a game's history of `mv`, which led to `played`.
            ///
            /// # Panics
            ///
            /// If the two are of different kinds: then `played` is no result of `mv`.
            pub fn of(mv: &Move, played: &Played) -> Play {
                const ONE_KIND: &str = "a move, its steps and the position after it are of one kind";
                match &played.state {
                    $(State::$kind(after) => Play::$kind(<$game as $crate::Rules>::record(
                        mv.of_kind().expect(ONE_KIND),
                        after,
                        played.steps.of_kind().expect(ONE_KIND),
                    )),)+
                }
            }
        }

        impl Play {
            /// What chance had decided for the move, if anything.
            pub fn chance(&self) -> Option<Chance> {
                match self {
                    $(Play::$kind(play) => <$game as $crate::Rules>::chance_of(play).map(Chance::$kind),)+
                }
            }
        }

        $(
            impl From<<$game as $crate::Rules>::Move> for Move {
                fn from(mv: <$game as $crate::Rules>::Move) -> Move {
                    Move::$kind(mv)
                }
            }

            impl From<<$game as $crate::Rules>::State> for State {
                fn from(state: <$game as $crate::Rules>::State) -> State {
                    State::$kind(state)
                }
            }
        )+
    };
}

kinds! {
    /// Turkish mangala.
    Mancala => crate::mancala::Mancala,
    /// Chess with three dice and a capturable king.
    DiceChess => crate::dicechess::DiceChess,
}

#[cfg(test)]
mod tests;
