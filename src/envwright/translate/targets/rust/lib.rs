//! The translation: its modules in dependency order, below what the harness brings.

#![forbid(unsafe_code)]

// Standard output carries the answers of the server: what a module prints goes to stderr.
#[allow(unused_macros)]
macro_rules! print {
    ($($text:tt)*) => { ::std::eprint!($($text)*) };
}
#[allow(unused_macros)]
macro_rules! println {
    ($($text:tt)*) => { ::std::eprintln!($($text)*) };
}

pub mod harness;

// modules
