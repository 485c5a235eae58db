//! The state of a lane as a list of named fields, written down once per environment.

use crate::scalar::{Dtype, Scalar};

/// Name, element type and shape (per lane) of a piece of state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What the rules call it.
    pub name: &'static str,
    /// Element type.
    pub dtype: Dtype,
    /// Shape within one lane; empty for a single number.
    pub shape: Vec<usize>,
}

impl Field {
    /// Bytes that the field takes in a packed lane.
    pub fn size(&self) -> usize {
        self.dtype.size() * self.shape.iter().product::<usize>()
    }
}

/// Walks over the fields of one lane: lists them, packs them to bytes, or loads them.
///
/// One list serves all three, so that a field which is listed cannot be forgotten in a
/// snapshot. The list must be the whole state: what it leaves out has to be derivable.
///
/// ```
/// # let (mut x, mut board) = (0i32, [0u8; 9]);
/// # let list = |visit: &mut vecenv::Visit<'_>| {
/// visit.scalar("x", &mut x);
/// visit.array("board", &[3, 3], &mut board);
/// # };
/// ```
pub struct Visit<'a>(Mode<'a>);

enum Mode<'a> {
    Describe(&'a mut Vec<Field>),
    Save(&'a mut Vec<u8>),
    Load(&'a [u8]),
}

impl<'a> Visit<'a> {
    pub(crate) fn describe(fields: &'a mut Vec<Field>) -> Self {
        Self(Mode::Describe(fields))
    }

    pub(crate) fn save(packed: &'a mut Vec<u8>) -> Self {
        Self(Mode::Save(packed))
    }

    /// `packed` must have the length that the environment's fields add up to.
    pub(crate) fn load(packed: &'a [u8]) -> Self {
        Self(Mode::Load(packed))
    }

    /// Whether the values are read, to be kept.
    pub fn saves(&self) -> bool {
        matches!(self.0, Mode::Save(_))
    }

    /// Whether the values are replaced by those of a state that was kept.
    pub fn loads(&self) -> bool {
        matches!(self.0, Mode::Load(_))
    }

    /// A field that is one number.
    pub fn scalar<T: Scalar>(&mut self, name: &'static str, value: &mut T) {
        self.array(name, &[], std::slice::from_mut(value));
    }

    /// A field of fixed shape, in row-major order.
    ///
    /// # Panics
    /// If `values` does not hold as many elements as `shape` says.
    pub fn array<T: Scalar>(&mut self, name: &'static str, shape: &[usize], values: &mut [T]) {
        let elements: usize = shape.iter().product();
        assert_eq!(values.len(), elements, "field '{name}' against its shape");
        match &mut self.0 {
            Mode::Describe(fields) => {
                fields.push(Field { name, dtype: T::DTYPE, shape: shape.to_vec() });
            }
            Mode::Save(packed) => values.iter().for_each(|value| value.put(packed)),
            Mode::Load(packed) => {
                let size = T::DTYPE.size();
                let (here, rest) = packed.split_at(size * values.len());
                for (value, bytes) in values.iter_mut().zip(here.chunks_exact(size)) {
                    *value = T::take(bytes);
                }
                *packed = rest;
            }
        }
    }
}
