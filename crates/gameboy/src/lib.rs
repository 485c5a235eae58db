//! A Game Boy and Game Boy Color that equals PyBoy 2.8.1 frame by frame.
//!
//! | module | what it holds |
//! |---|---|
//! | [`machine`] | one emulator as a whole: what others embed |
//! | `core`, `bus`, `ports` | all state, the memory map, and what is more than memory |
//! | `schedule` | time in slices, cut where PyBoy cuts it |
//! | `cpu`, `execute`, `opcodes`, `wait` | registers and arithmetic; running; the instruction set; loops that wait |
//! | `lcd`, `modes`, `mode3` | registers; modes over time |
//! | `picture`, `colors`, `screen` | drawing; palettes; forms of the screen |
//! | `timer`, `serial`, `joypad`, `dma`, `sound` | the other components |
//! | `rom`, `cartridge`, `clock` | header; bank controllers; MBC3's clock |
//! | `boot`, `state`, `stream` | the start; PyBoy's states and our snapshots |
//!
//! PyBoy's quirks are kept and named where they are. What differs on purpose: an illegal opcode
//! and a frame that does not end are a [`Fault`] instead of a hang, MBC3's clock counts emulated
//! time, and no logo is left in video RAM unless a boot ROM is passed.
#![forbid(unsafe_code)]

mod boot;
mod bus;
mod cartridge;
mod clock;
mod colors;
mod core;
mod cpu;
mod dma;
mod error;
mod execute;
mod joypad;
mod lcd;
pub mod machine;
mod mode3;
mod modes;
mod opcodes;
mod picture;
mod ports;
mod rom;
mod schedule;
mod screen;
mod serial;
mod sound;
mod state;
mod stream;
mod timer;
mod wait;

pub use cpu::Registers;
pub use error::{Error, Fault};
pub use joypad::button;
pub use machine::{Area, Machine};
pub use rom::{Mbc, Rom};

/// Columns of the screen.
pub const WIDTH: usize = 160;
/// Rows of the screen.
pub const HEIGHT: usize = 144;
