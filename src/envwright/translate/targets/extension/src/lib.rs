//! `translation._native`: the game as a Python class.

mod games;

use games::{GameRules, Games};
use pyo3::exceptions::PyValueError;
use translation::harness;
use vecenv_python::prelude::*;

type Game = translation::entry;

native_env! {
    /// Many games, stepped together; `options` is a JSON object.
    Batch in "translation._native" plays Games<Game>,
    by (options: String = "{}".into()) => GameRules::new("translation", &options)
}

/// The spaces of a game with these options, as JSON.
#[pyfunction]
fn spaces(options: &str) -> PyResult<String> {
    harness::described::<Game>(options).map_err(PyValueError::new_err)
}

/// The module that Python imports.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(spaces, module)?)?;
    module.add_class::<Batch>()
}
