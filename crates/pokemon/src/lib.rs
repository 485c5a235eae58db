//! Pokemon battles of generation 9, one against one, seed for seed as the simulator plays them.
//!
//! A [`Battle`] is plain data of fixed size: a copy is a snapshot. [`Battle::new`] plays up to the
//! first request, [`Battle::mask`] says what a side may do, [`Battle::step`] takes both sides'
//! choices and plays on to the next request.
#![forbid(unsafe_code)]

pub mod boosts;
pub mod columns;
mod damage;
pub mod data;
mod effects;
pub mod event;
mod field;
pub mod fields;
pub mod fired;
pub mod flight;
mod forms;
pub mod handlers;
mod hit_effects;
mod hits;
mod hp;
mod items;
mod marks;
mod mon;
mod moves;
mod queue;
mod requests;
mod residual;
pub mod rng;
mod snapshot;
pub mod state;
mod status;
mod support;
mod switching;
mod tables;
mod team;
pub mod trace;
mod turn;
pub mod view;
mod volatiles;

/// Numbers of everything that has an id.
#[allow(dead_code)]
pub mod ids {
    include!(concat!(env!("OUT_DIR"), "/ids.rs"));
}

pub use requests::{ACTIONS, Asked, Illegal, WAIT};
pub use state::Battle;
pub use support::{played, supported};
pub use team::{Set, Unplayable};
