//! The generators of NumPy and Python, draw for draw: the same seed gives the same numbers.
//!
//! Logarithms, exponentials and powers are the system's, as NumPy's are, so that both agree to the
//! last bit where both use the same library for mathematics. Whole numbers, uniform numbers and
//! shuffles do not depend on it.
//!
//! The crate has no dependencies and no build script. Its files are also a module of every
//! translation to Rust, so paths within it are relative and it compiles in edition 2021.

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
pub use random_state::RandomState;
pub use seed_sequence::SeedSequence;
