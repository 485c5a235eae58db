//! Puffer Pong: one paddle against a scripted one, to 21 points.
//!
//! | module | what it holds |
//! |---|---|
//! | [`rules`] | settings, actions, what is seen |
//! | [`game`] | one game, sub-frame by sub-frame, in the reference's order: the rules to read |
//! | [`block`] | the same for 64 games at once, without points: the rules to run |
//! | [`batch`] | both behind `vecenv`: a block first, then games with a point one by one |
//! | [`serves`] | chance: which way the coming serves go |
//!
//! Version 1 is PufferLib 3.0.0's game bit for bit, quirks included; each is named where it is.
#![deny(unsafe_code)]

pub mod batch;
pub mod block;
pub mod game;
pub mod rules;
pub mod serves;

pub use batch::Pong;
pub use rules::{Action, ContinuousPong, DiscretePong, PongRules};
