//! What every native environment does, whichever game it plays.

use crate::batch::locked;
use crate::buffers::{Argument, Buffers};
use numpy::{
    Element, PyArray1, PyArrayDescr, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyTuple};
use std::sync::{Mutex, MutexGuard};
use vecenv::{Action, Batch, Error, Field, Obs, Reward, Rules, Scalar, StepOut, VecEnv};

/// A `VecEnv` behind a lock, so that a second thread gets a sentence instead of a race, and
/// beside it what never changes.
pub struct Native<B: Batch> {
    /// The settings.
    pub rules: B::Rules,
    /// How many environments there are.
    pub lanes: usize,
    /// How many threads step them.
    pub threads: usize,
    fields: Vec<Field>,
    env: Mutex<VecEnv<B>>,
}

/// The buffers that a step fills, as Python passed them.
#[allow(missing_docs)] // those of `StepOut`
pub struct StepBuffers<'a, 'py> {
    pub obs: &'a Bound<'py, PyAny>,
    pub reward: &'a Bound<'py, PyAny>,
    pub terminated: &'a Bound<'py, PyAny>,
    pub truncated: &'a Bound<'py, PyAny>,
}

impl<B: Batch> Native<B>
where
    Obs<B>: Element,
    Action<B>: Element,
    Reward<B>: Element,
{
    /// A batch whose rules the constructor's arguments gave.
    pub fn new(
        py: Python<'_>,
        rules: Result<B::Rules, String>,
        num_envs: i64,
        threads: i64,
    ) -> PyResult<Self> {
        let rules = rules.map_err(PyValueError::new_err)?;
        // A negative count is as wrong as none.
        let [lanes, threads] = [num_envs, threads].map(|count| usize::try_from(count).unwrap_or(0));
        let env = py.detach(|| VecEnv::<B>::new(rules, lanes, threads)).map_err(exception)?;
        Ok(Self {
            rules: env.rules().clone(),
            lanes,
            threads,
            fields: env.fields().to_vec(),
            env: Mutex::new(env),
        })
    }

    fn env(&self) -> PyResult<MutexGuard<'_, VecEnv<B>>> {
        locked(&self.env, "this environment is")
    }

    /// Field name to dtype and shape within one environment.
    pub fn described<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let described = PyDict::new(py);
        for field in &self.fields {
            let shape = PyTuple::new(py, &field.shape)?;
            described.set_item(field.name, (field.dtype.name(), shape))?;
        }
        Ok(described)
    }

    /// NumPy's name of the observations' elements.
    pub fn obs_dtype(&self) -> &'static str {
        Obs::<B>::DTYPE.name()
    }

    /// NumPy's name of the actions' elements.
    pub fn action_dtype(&self) -> &'static str {
        Action::<B>::DTYPE.name()
    }

    /// NumPy's name of the rewards' elements.
    pub fn reward_dtype(&self) -> &'static str {
        Reward::<B>::DTYPE.name()
    }

    /// One number for each environment, or one for each of its players.
    fn per_player(&self) -> Vec<usize> {
        match self.rules.players() {
            1 => vec![],
            several => vec![several],
        }
    }

    /// Starts every environment from its seed.
    pub fn reset<'py>(&self, seeds: &Bound<'py, PyAny>, obs: &Bound<'py, PyAny>) -> PyResult<()> {
        let env = &mut *self.env()?;
        let mut buffers = Buffers::default();
        let py = seeds.py();
        let seeds = buffers.readable::<u64>(self.per_env("seeds", seeds, vec![]))?;
        let mut obs = buffers.writable(self.observations("obs", obs))?;
        let (seeds, obs) = (seeds.as_slice()?, obs.as_slice_mut()?);
        py.detach(|| env.reset(seeds, obs)).map_err(exception)
    }

    /// Starts the next episode of every environment, drawn from its own generator.
    pub fn restart(&self, obs: &Bound<'_, PyAny>) -> PyResult<()> {
        let env = &mut *self.env()?;
        let mut array = Buffers::default().writable(self.observations("obs", obs))?;
        let rows = array.as_slice_mut()?;
        obs.py().detach(move || env.restart(rows)).map_err(exception)
    }

    /// With `final_obs` an auto-reset step, without it a raw one.
    pub fn step<'py>(
        &self,
        actions: &Bound<'py, PyAny>,
        out: StepBuffers<'_, 'py>,
        final_obs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let env = &mut *self.env()?;
        let mut buffers = Buffers::default();
        let py = actions.py();
        let shape = self.rules.action_shape();
        let actions = buffers.readable(self.per_env("actions", actions, shape))?;
        let mut obs = buffers.writable(self.observations("obs", out.obs))?;
        let mut reward = buffers.writable(self.per_env("reward", out.reward, self.per_player()))?;
        let terminated = self.per_env("terminated", out.terminated, vec![]);
        let mut terminated = buffers.writable_flags(terminated)?;
        let truncated = self.per_env("truncated", out.truncated, vec![]);
        let mut truncated = buffers.writable_flags(truncated)?;
        let mut final_obs = final_obs
            .map(|value| buffers.writable(self.observations("final_obs", value)))
            .transpose()?;

        let actions = actions.as_slice()?;
        let out = StepOut {
            obs: obs.as_slice_mut()?,
            reward: reward.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
        };
        match &mut final_obs {
            Some(final_obs) => {
                let final_obs = final_obs.as_slice_mut()?;
                py.detach(|| env.step(actions, out, final_obs))
            }
            None => py.detach(|| env.step_raw(actions, out)),
        }
        .map_err(exception)
    }

    /// Writes the observations of the present states.
    pub fn observe(&self, obs: &Bound<'_, PyAny>) -> PyResult<()> {
        let env = &mut *self.env()?;
        let mut array = Buffers::default().writable(self.observations("obs", obs))?;
        let rows = array.as_slice_mut()?;
        obs.py().detach(move || env.observe(rows)).map_err(exception)
    }

    /// Which actions are legal now, if the game ever forbids some.
    pub fn legal<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<bool>>>> {
        let choices = self.rules.choices();
        if choices == 0 {
            return Ok(None);
        }
        let env = &mut *self.env()?;
        let mut legal = vec![false; self.lanes * self.rules.players() * choices];
        let rows = &mut legal[..];
        py.detach(move || env.legal(rows)).map_err(exception)?;
        let shape = [vec![self.lanes], self.per_player(), vec![choices]].concat();
        Ok(Some(PyArray1::from_vec(py, legal).reshape(shape)?))
    }

    /// The whole state: arrays by field name.
    pub fn state_fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let env = &mut *self.env()?;
        let columns = py.detach(|| env.state()).map_err(exception)?;
        let numpy = py.import(intern!(py, "numpy"))?;
        let fields = PyDict::new(py);
        for column in columns {
            let shape = [&[self.lanes], &column.field.shape[..]].concat();
            let memory = PyByteArray::new(py, &column.bytes);
            let array = numpy.call_method1(
                intern!(py, "ndarray"),
                (PyTuple::new(py, shape)?, column.field.dtype.name(), memory),
            )?;
            fields.set_item(column.field.name, array)?;
        }
        Ok(fields)
    }

    /// Puts one environment into a state.
    pub fn load(&self, index: i64, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let env = &mut *self.env()?;
        let lane = usize::try_from(index)
            .map_err(|_| exception(Error::Lane { lane: index, last: self.lanes - 1 }))?;
        check_names(&self.fields, fields)?;
        let mut packed = Vec::new();
        for field in &self.fields {
            let value = fields.get_item(field.name)?.expect("names are checked");
            packed.extend_from_slice(&field_bytes(field, &value, &field.shape)?);
        }
        env.load(lane, &packed).map_err(exception)
    }

    /// Puts every environment into a state.
    pub fn load_all(&self, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let env = &mut *self.env()?;
        check_names(&self.fields, fields)?;
        let mut columns = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let value = fields.get_item(field.name)?.expect("names are checked");
            let shape = [&[self.lanes], &field.shape[..]].concat();
            columns.push((field.size(), field_bytes(field, &value, &shape)?));
        }
        let mut packed = Vec::with_capacity(columns.iter().map(|(_, bytes)| bytes.len()).sum());
        for lane in 0..self.lanes {
            for (size, bytes) in &columns {
                packed.extend_from_slice(&bytes[lane * size..][..*size]);
            }
        }
        fields.py().detach(|| env.load_all(&packed)).map_err(exception)
    }

    /// Everything as bytes.
    pub fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let env = &mut *self.env()?;
        let bytes = py.detach(|| env.snapshot()).map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns to a snapshot.
    pub fn restore(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let env = &mut *self.env()?;
        py.detach(|| env.restore(snapshot)).map_err(exception)
    }

    /// An argument with one row per environment.
    fn per_env<'a, 'py>(
        &self,
        name: &'static str,
        value: &'a Bound<'py, PyAny>,
        row: Vec<usize>,
    ) -> Argument<'a, 'py> {
        Argument { name, value, shape: [vec![self.lanes], row].concat() }
    }

    fn observations<'a, 'py>(
        &self,
        name: &'static str,
        value: &'a Bound<'py, PyAny>,
    ) -> Argument<'a, 'py> {
        self.per_env(name, value, self.rules.obs_shape())
    }
}

/// What the caller got wrong is a `ValueError`; what went wrong here is a `RuntimeError`.
fn exception(error: Error) -> PyErr {
    match error {
        Error::Panicked(_) | Error::NotReset | Error::Forked | Error::Pool(_) => {
            PyRuntimeError::new_err(error.to_string())
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}

fn check_names(fields: &[Field], given: &Bound<'_, PyDict>) -> PyResult<()> {
    let needed: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let mut names = Vec::with_capacity(given.len());
    for name in given.keys() {
        names.push(name.str()?.to_string());
    }
    if needed.len() == names.len() && needed.iter().all(|name| names.iter().any(|n| n == name)) {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "the state has the fields {}; pass exactly {}",
        names.join(", "),
        needed.join(", ")
    )))
}

/// Bytes of a field; its dtype must be the field's own and its shape the given one.
fn field_bytes(field: &Field, value: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Vec<u8>> {
    let py = value.py();
    let array = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (value,))?;
    let array = array.cast::<PyUntypedArray>()?;
    let needed = PyArrayDescr::new(py, field.dtype.name())?;
    if !array.dtype().is_equiv_to(&needed) || array.shape() != shape {
        return Err(PyValueError::new_err(format!(
            "field '{}' is {}{:?}; pass {}{:?}",
            field.name,
            array.dtype(),
            array.shape(),
            field.dtype.name(),
            shape
        )));
    }
    array.call_method0(intern!(py, "tobytes"))?.extract()
}

/// Makes a Python class of a batch: its name, the Python module that it is in, the batch, and how
/// its rules come from the constructor's arguments (each with its default). Expects what
/// [`prelude`](crate::prelude) holds, and a dependency on pyo3.
#[macro_export]
macro_rules! native_env {
    (
        $(#[$doc:meta])*
        $class:ident in $module:literal plays $batch:ty,
        by ($($argument:ident: $type:ty = $default:expr),* $(,)?) => $rules:expr
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, module = $module)]
        struct $class(Native<$batch>);

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (num_envs, threads = 1 $(, $argument = $default)*))]
            #[allow(clippy::too_many_arguments)] // Python's have names
            fn new(
                py: Python<'_>,
                num_envs: i64,
                threads: i64,
                $($argument: $type),*
            ) -> PyResult<Self> {
                Ok(Self(Native::new(py, $rules, num_envs, threads)?))
            }

            #[getter]
            fn num_envs(&self) -> usize {
                self.0.lanes
            }

            #[getter]
            fn threads(&self) -> usize {
                self.0.threads
            }

            #[getter]
            fn players(&self) -> usize {
                self.0.rules.players()
            }

            #[getter]
            fn legal<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
                Ok(self.0.legal(py)?.map(Bound::into_any))
            }

            #[getter]
            fn identity(&self) -> String {
                self.0.rules.identity()
            }

            #[getter]
            fn obs_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                PyTuple::new(py, self.0.rules.obs_shape())
            }

            #[getter]
            fn obs_dtype(&self) -> &'static str {
                self.0.obs_dtype()
            }

            #[getter]
            fn action_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                PyTuple::new(py, self.0.rules.action_shape())
            }

            #[getter]
            fn action_dtype(&self) -> &'static str {
                self.0.action_dtype()
            }

            #[getter]
            fn reward_dtype(&self) -> &'static str {
                self.0.reward_dtype()
            }

            fn reset(&self, seeds: &Bound<'_, PyAny>, obs: &Bound<'_, PyAny>) -> PyResult<()> {
                self.0.reset(seeds, obs)
            }

            fn restart(&self, obs: &Bound<'_, PyAny>) -> PyResult<()> {
                self.0.restart(obs)
            }

            fn step<'py>(
                &self,
                actions: &Bound<'py, PyAny>,
                obs: &Bound<'py, PyAny>,
                reward: &Bound<'py, PyAny>,
                terminated: &Bound<'py, PyAny>,
                truncated: &Bound<'py, PyAny>,
                final_obs: &Bound<'py, PyAny>,
            ) -> PyResult<()> {
                let out = StepBuffers { obs, reward, terminated, truncated };
                self.0.step(actions, out, Some(final_obs))
            }

            fn step_raw<'py>(
                &self,
                actions: &Bound<'py, PyAny>,
                obs: &Bound<'py, PyAny>,
                reward: &Bound<'py, PyAny>,
                terminated: &Bound<'py, PyAny>,
                truncated: &Bound<'py, PyAny>,
            ) -> PyResult<()> {
                let out = StepBuffers { obs, reward, terminated, truncated };
                self.0.step(actions, out, None)
            }

            fn observe(&self, obs: &Bound<'_, PyAny>) -> PyResult<()> {
                self.0.observe(obs)
            }

            fn state_fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                self.0.state_fields(py)
            }

            fn load(&self, index: i64, fields: &Bound<'_, PyDict>) -> PyResult<()> {
                self.0.load(index, fields)
            }

            fn load_all(&self, fields: &Bound<'_, PyDict>) -> PyResult<()> {
                self.0.load_all(fields)
            }

            fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                self.0.snapshot(py)
            }

            fn restore(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
                self.0.restore(py, snapshot)
            }

            #[getter]
            fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                self.0.described(py)
            }

            fn __repr__(&self) -> String {
                let Native { lanes, threads, .. } = self.0;
                let identity = self.0.rules.identity();
                format!("<{identity}: {lanes} environments, {threads} threads>")
            }
        }
    };
}
