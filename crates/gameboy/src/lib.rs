//! A Game Boy and Game Boy Color that equals PyBoy 2.8.1 frame by frame.
#![forbid(unsafe_code)]

mod error;
mod machine;
mod rom;

pub use error::{Error, Fault};
pub use machine::{Area, Machine, Registers};
pub use rom::{Mbc, Rom};

/// Columns of the screen.
pub const WIDTH: usize = 160;
/// Rows of the screen.
pub const HEIGHT: usize = 144;
