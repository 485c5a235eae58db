//! Everything a caller can do wrong, each as one sentence that says what to do.

use crate::runtime::{MAX_LANES, MAX_THREADS};

/// Why a call was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Error {
    #[error("{0} environments were asked for; choose from 1 to {MAX_LANES}")]
    LaneCount(usize),
    #[error("{0} threads were asked for; choose from 1 to {MAX_THREADS}")]
    ThreadCount(usize),
    #[error(
        "{lanes} environments take about {needed} MB and {free} MB are free; choose at most {most}"
    )]
    Memory { lanes: usize, needed: u64, free: u64, most: u64 },
    #[error("environment {lane} did not begin: {why}")]
    Begin { lane: usize, why: String },
    #[error("the thread pool did not start ({0}); ask for fewer threads")]
    Pool(String),
    #[error("{buffer} has {actual} elements and needs {expected}; allocate it anew")]
    Length { buffer: &'static str, expected: usize, actual: usize },
    #[error("the action of environment {lane} is {action}; an action is {allowed}")]
    Action { lane: usize, action: String, allowed: String },
    #[error("there is no state yet; call reset or restore first")]
    NotReset,
    #[error("there is no environment {lane}; indices go from 0 to {last}")]
    Lane { lane: i64, last: usize },
    #[error("the state for environment {lane} cannot be played: {why}")]
    State { lane: usize, why: String },
    #[error("these bytes are no snapshot; pass what snapshot() returned")]
    NotASnapshot,
    #[error("the snapshot has format {0} and this version reads format {ours}; take it anew", ours = crate::snapshot::FORMAT)]
    SnapshotFormat(u16),
    #[error("the snapshot is damaged or cut short; take it anew")]
    SnapshotDamaged,
    #[error("the snapshot is of '{theirs}' and this is '{ours}'; restore it where it was taken")]
    SnapshotForeign { theirs: String, ours: String },
    #[error("the snapshot is of another version of this environment; take it anew")]
    SnapshotFields,
    #[error(
        "the snapshot holds {theirs} environments and this one has {ours}; make one with {theirs}"
    )]
    SnapshotLanes { theirs: u64, ours: usize },
    #[error(
        "this environment's threads belong to another process; make the environment after the fork"
    )]
    Forked,
    #[error("the environment stopped on a bug ({0}) and its state is lost; call reset or restore")]
    Panicked(String),
}
