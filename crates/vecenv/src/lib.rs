//! Batch runtime: runs many lanes (independent environments) of one game over a thread pool.
//!
//! | you have | you implement | what hosts it |
//! |---|---|---|
//! | a game, one lane at a time | [`Env`] | [`VecEnv`]`<`[`Lanes`]`<Game>>` |
//! | a structure of arrays, SIMD over lanes | [`Batch`] | [`VecEnv`]`<Game>` |
//!
//! Both name their settings in a [`Rules`] value and list their state once, with
//! [`Visit`]; named state, loading of a lane and snapshots follow from that list.
//!
//! Promises: results do not depend on the number of threads, and a call that returns an
//! error (other than [`Error::Panicked`]) has changed neither state nor buffers.
#![deny(unsafe_code)]

mod batch;
pub mod counter;
mod error;
mod fields;
mod lanes;
mod memory;
mod pool;
mod random;
mod runtime;
mod scalar;
mod snapshot;

pub use batch::{Action, Batch, Obs, Reward, Rules, StepOut};
pub use error::Error;
pub use fields::{Field, Visit};
pub use lanes::{Env, Lanes, Outcome};
pub use memory::check_memory;
pub use pool::Pool;
pub use random::SplitMix64;
pub use runtime::{Column, MAX_LANES, MAX_THREADS, VecEnv};
pub use scalar::{Dtype, Scalar};
pub use snapshot::{Header, seal};
