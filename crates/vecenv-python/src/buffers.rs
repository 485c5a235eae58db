//! NumPy arrays of the caller as Rust slices, without a copy, and only if that is sound.

use numpy::{
    BorrowError, Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyReadwriteArrayDyn, PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The buffers of one call: each is checked, and none may share memory with another.
#[derive(Default)]
pub struct Buffers(Vec<Span>);

struct Span {
    name: &'static str,
    start: usize,
    end: usize,
}

/// An argument that ought to be an array.
pub struct Argument<'a, 'py> {
    /// What the caller calls it.
    pub name: &'static str,
    /// What was passed.
    pub value: &'a Bound<'py, PyAny>,
    /// The shape that it ought to have.
    pub shape: Vec<usize>,
}

impl Buffers {
    /// Claims an array for reading.
    pub fn readable<'py, T: Element>(
        &mut self,
        argument: Argument<'_, 'py>,
    ) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
        let array = self.claim(&argument)?;
        array.try_readonly().map_err(|error| argument.refuse_borrow(&error))
    }

    /// Claims an array for writing.
    pub fn writable<'py, T: Element>(
        &mut self,
        argument: Argument<'_, 'py>,
    ) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
        let array = self.claim(&argument)?;
        array.try_readwrite().map_err(|error| argument.refuse_borrow(&error))
    }

    /// Claims an array of flags for writing. The caller's memory may hold bytes that are no
    /// `bool` of Rust's (`np.empty`): those become `true`, which is what NumPy takes them for.
    pub fn writable_flags<'py>(
        &mut self,
        argument: Argument<'_, 'py>,
    ) -> PyResult<PyReadwriteArrayDyn<'py, bool>> {
        let flags = self.writable::<bool>(argument)?;
        let first = flags.data().cast::<u8>();
        for at in 0..flags.len() {
            // SAFETY: `flags` is contiguous, writeable and borrowed exclusively, and as a `u8`
            // a byte may be read and written whatever its value.
            unsafe {
                let byte = first.add(at);
                byte.write(u8::from(byte.read() != 0));
            }
        }
        Ok(flags)
    }

    /// Borrowing alone does not see shared memory where the owners differ (two
    /// `np.frombuffer` of one object), so addresses are compared.
    fn claim<'py, T: Element>(
        &mut self,
        argument: &Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
        let array = argument.array::<T>()?;
        let start = array.data().addr();
        let end = start + array.len() * size_of::<T>();
        if let Some(other) = self.0.iter().find(|other| start < other.end && other.start < end) {
            let name = other.name;
            return Err(argument
                .refuse(&format!("shares memory with {name}; give each buffer its own array")));
        }
        self.0.push(Span { name: argument.name, start, end });
        Ok(array)
    }
}

impl<'py> Argument<'_, 'py> {
    fn array<T: Element>(&self) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
        let needed = dtype::<T>(self.value.py());
        let Ok(array) = self.value.cast::<PyUntypedArray>() else {
            let given = self.value.get_type().name()?;
            return Err(self.refuse(&format!("is of type {given}; pass a NumPy array of {needed}")));
        };
        if !array.dtype().is_equiv_to(&needed) {
            let given = array.dtype();
            return Err(self.refuse(&format!("has dtype {given}; pass an array of {needed}")));
        }
        if array.shape() != self.shape {
            let (given, needed) = (shown(array.shape()), shown(&self.shape));
            return Err(self.refuse(&format!("has shape {given}; pass an array of shape {needed}")));
        }
        let array = array.cast::<PyArrayDyn<T>>()?;
        if !array.is_c_contiguous() || !array.is_aligned() {
            return Err(self.refuse("is not contiguous in memory; pass a C-contiguous array"));
        }
        Ok(array.clone())
    }

    fn refuse_borrow(&self, error: &BorrowError) -> PyErr {
        match error {
            BorrowError::NotWriteable => self.refuse("is read-only; pass a writeable array"),
            _ => self.refuse("is in use by another call; give each environment its own arrays"),
        }
    }

    fn refuse(&self, why: &str) -> PyErr {
        PyValueError::new_err(format!("{} {why}", self.name))
    }
}

/// A shape the way Python prints it.
fn shown(shape: &[usize]) -> String {
    match shape {
        [single] => format!("({single},)"),
        several => {
            let sizes: Vec<String> = several.iter().map(usize::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    }
}
