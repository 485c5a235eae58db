//! What batches share: a lock with a sentence, counts from Python, work on threads.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, TryLockError};
use vecenv::Pool;

/// A batch for this call; a second thread gets a sentence that names `what` instead of a race.
pub fn locked<'a, T>(batch: &'a Mutex<T>, what: &str) -> PyResult<MutexGuard<'a, T>> {
    match batch.try_lock() {
        Ok(batch) => Ok(batch),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(format!(
            "{what} in use by another thread; give each thread its own"
        ))),
    }
}

/// A count from Python: a negative one is as wrong as one too high.
pub fn within(name: &str, value: i64, most: usize) -> PyResult<usize> {
    match usize::try_from(value) {
        Ok(value) if (1..=most).contains(&value) => Ok(value),
        _ => Err(PyValueError::new_err(format!("{name} is {value}; choose from 1 to {most}"))),
    }
}

/// The threads of a batch.
pub fn pool(threads: usize) -> PyResult<Pool> {
    Pool::new(threads).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Does `work` on every task. A panic is a bug here, and becomes an exception there, with `bug`.
pub fn each<T: Send>(
    pool: &mut Pool,
    tasks: Vec<T>,
    bug: &'static str,
    work: impl Fn(&mut T) + Send + Sync,
) -> PyResult<()> {
    pool.check_process().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let run = || pool.run(tasks, work);
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| PyRuntimeError::new_err(bug))
}
