//! Game Boy games as environments: buttons in, pictures and what RAM says out.
//!
//! What an action presses, what is seen, what is paid for and when a game is over is not code
//! but [`Settings`], so that one environment serves every game.
#![forbid(unsafe_code)]

mod game;
mod ram;
mod rules;

pub use game::Game;
pub use ram::{Condition, Encoding, Number, Reward, Test};
pub use rules::{GameRules, Picture, Press, Seed, Settings};
