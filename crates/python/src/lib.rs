//! `envwright._native`: the Rust environments as Python classes.
//!
//! An environment is one `native_env!` below: a class name, the batch that plays it, and how
//! its rules are made from the constructor's arguments. Everything else is shared.

mod buffers;
#[macro_use]
mod native;

use native::prelude::*;
use vecenv::Lanes;
use vecenv::counter::{Counter, CounterRules};

native_env! {
    /// A walk on a line: the smallest native environment, for tests and as an example.
    CounterVecEnv plays Lanes<Counter>,
    by (bound: i32 = 10, max_steps: u32 = 200) => CounterRules::new(bound, max_steps)
}

/// The module that Python imports.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<CounterVecEnv>()
}
