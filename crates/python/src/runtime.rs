//! The sources of the runtime, for packages that bring it along.

use pyo3::prelude::*;
use pyo3::types::PyDict;

// SOURCES: every file by its path below the workspace, as it was compiled.
include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Texts by path: the workspace's `Cargo.toml` and `Cargo.lock`, and the crates of the runtime.
#[pyfunction]
pub fn runtime_sources(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let sources = PyDict::new(py);
    for (path, text) in SOURCES {
        sources.set_item(path, text)?;
    }
    Ok(sources)
}
