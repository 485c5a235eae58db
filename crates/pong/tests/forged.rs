//! Forged snapshots and states.

#[path = "../../vecenv/tests/common/forged.rs"]
mod forged;

use pong::game::OBS;
use pong::{Pong, PongRules};
use vecenv::VecEnv;

#[test]
fn forged_bytes_are_refused_or_played() {
    let rules = PongRules::<i32>::new(8).unwrap();
    let mut env = VecEnv::<Pong<i32>>::new(rules, 3, 1).unwrap();
    env.reset(&[1, 2, 3], &mut [0.0; 3 * OBS]).unwrap();
    forged::hold(&mut env, &[0, 1, 2], 256);
}
