//! Forged snapshots and states.

#[path = "../../../vecenv/tests/common/forged.rs"]
mod shared;

use crate::common::{MOTORS, SEEN, rules};
use planar::HalfCheetah;
use vecenv::VecEnv;

#[test]
fn forged_bytes_are_refused_or_played() {
    let mut env = VecEnv::<HalfCheetah<f64>>::new(rules(), 2, 1).unwrap();
    env.reset(&[1, 2], &mut [0.0; 2 * SEEN]).unwrap();
    shared::hold(&mut env, &[0.5; 2 * MOTORS], 64);
}
