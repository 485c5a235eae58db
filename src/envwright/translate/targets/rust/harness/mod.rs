//! What the harness brings: the contract of a game, and a server that answers questions about it.
//!
//! These files are put back after every turn. A module needs only what is named here:
//!
//!     use crate::harness::{Action, Fields, Game, Options, Outcome, Rng, Space};

// While the environment is not written yet, nobody uses some of it.
#![allow(dead_code)]

mod action;
mod array;
mod base64;
mod checks;
mod contract;
mod fields;
mod functions;
mod json;
mod listing;
mod numpy_random;
mod options;
mod panics;
mod profile;
mod race;
mod rng;
mod server;
mod space;
mod tape;

pub use action::Action;
pub use array::{Array, Data, Element};
pub use checks::{golden_agrees, regression_agrees};
pub use contract::{Game, Outcome};
pub use fields::Fields;
#[allow(unused_imports)] // for games whose reference owns one
pub use numpy_random::{NumpyRandomState, PythonRandom};
pub use options::Options;
pub use rng::Rng;
pub use server::{serve, Asked};
pub use space::{Dtype, Space};
