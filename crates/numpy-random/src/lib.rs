//! The generators of NumPy and Python, draw for draw: the same seed gives the same numbers.
//!
//! | in Python | here |
//! |---|---|
//! | `np.random.default_rng(seed)`, Gymnasium's `np_random` | [`Generator`] |
//! | `np.random.RandomState(seed)`, `np.random.seed(seed)` | [`NumpyRandomState`] |
//! | `random.Random(seed)`, `random.seed(seed)` | [`PythonRandom`] |
//!
//! Whole numbers, `random`, choices and shuffles are the same everywhere. Other laws use the
//! logarithms, exponentials and powers of the system, as NumPy does: they agree to the last bit
//! where both use the same library, and NumPy's compiler did not fuse multiplications and additions.
//!
//! The crate has no dependencies and no build script. Its files are also a module of every
//! translation to Rust, so paths within it are relative, and it compiles in edition 2021.

mod bits;
mod bounded;
mod choice;
mod continuous;
mod discrete;
mod generator;
mod mt19937;
mod pcg64;
mod python_random;
mod random_state;
mod seed_sequence;
mod ziggurat;
mod ziggurat_tables;

pub use bits::Bits;
pub use generator::Generator;
pub use mt19937::Mt19937;
pub use pcg64::Pcg64;
pub use python_random::PythonRandom;
pub use random_state::NumpyRandomState;
pub use seed_sequence::SeedSequence;
