//! Forged snapshots and states of the smallest environment.

#[path = "common/forged.rs"]
mod forged;

use vecenv::VecEnv;
use vecenv::counter::{Counter, CounterRules};

#[test]
fn forged_bytes_are_refused_or_played() {
    let rules = CounterRules::new(4, 9).unwrap();
    let mut env = VecEnv::<vecenv::Lanes<Counter>>::new(rules, 3, 1).unwrap();
    env.reset(&[1, 2, 3], &mut [0.0; 6]).unwrap();
    forged::hold(&mut env, &[0, 1, 2], 256);
}
