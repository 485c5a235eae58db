//! Makes a Python class of a batch of environments.
//!
//! An environment is one [`native_env!`]: a class name, the batch that plays it, and how its rules
//! are made from the constructor's arguments. Everything else is shared: buffers that NumPy owns,
//! threads, the released GIL, named state, snapshots.

pub mod batch;
pub mod buffers;
mod native;

pub use native::{Native, StepBuffers};

/// The names that `native_env!` expects to find.
pub mod prelude {
    pub use crate::{Native, StepBuffers, native_env};
    pub use pyo3::prelude::*;
    pub use pyo3::types::{PyBytes, PyDict, PyTuple};
    pub use vecenv::Rules;
}
