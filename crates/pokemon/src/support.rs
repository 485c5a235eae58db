//! Which abilities, items and moves with rules of their own are played.

/// One per line, `kind id`, in the order in which they were taken up.
const SUPPORTED: &str = include_str!("../data/supported.txt");

/// Atoms such as `a:intimidate`, `i:leftovers` and `m:knockoff`.
pub fn supported() -> Vec<&'static str> {
    SUPPORTED.lines().collect()
}
