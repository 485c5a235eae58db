//! `translation._native`: the game as a Python class.

mod games;

use games::{GameRules, Games};
use pyo3::exceptions::PyValueError;
use std::sync::Mutex;
use translation::harness;
use vecenv_python::batch::locked;
use vecenv_python::prelude::*;

type Game = translation::entry;

native_env! {
    /// Many games, stepped together; `options` is a JSON object. An ended game restarts in the same
    /// step, or with the next one if `later`.
    Batch in "translation._native" plays Games<Game>,
    by (options: String = "{}".into(), later: bool = false) =>
        GameRules::new("translation", &options, later)
}

/// One game that answers the questions of verification, each a line of JSON.
#[pyclass(frozen, module = "translation._native")]
struct Asked(Mutex<harness::Asked>);

#[pymethods]
impl Asked {
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        let asked = harness::Asked::new(options).map_err(PyValueError::new_err)?;
        Ok(Self(Mutex::new(asked)))
    }

    fn ask(&self, question: &str) -> PyResult<String> {
        Ok(locked(&self.0, "this game is")?.ask(question))
    }
}

/// The module that Python imports.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Asked>()?;
    module.add_class::<Batch>()
}
