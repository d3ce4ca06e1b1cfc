//! Dice chess against values computed elsewhere, and what holds in any game.
//!
//! The vectors are facts from the tests and documents of other implementations (`dicechess.json`) and values
//! that a third one computes and agrees on with them (`dicechess-derived.json`). They are complete but for
//! the JSON of another server's commands.

mod any_game;
mod any_text;
mod fair_dice;
mod odds;
mod played_game;
mod positions;
mod turn_properties;
mod turns;
mod vectors;
