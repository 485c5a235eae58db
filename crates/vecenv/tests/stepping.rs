//! What a step means: same-step reset, the raw step, and independence of threads.

mod common;

use common::{Buffers, actions, counter, seeds, trace};
use vecenv::{Error, SplitMix64, counter::CounterRules};

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for lanes in [1, 2, 63, 64, 65, 1000] {
        let alone = trace(&mut counter(lanes, 1), 60);
        for threads in [2, 3, 8] {
            assert_eq!(trace(&mut counter(lanes, threads), 60), alone, "{lanes} on {threads}");
        }
    }
}

#[test]
fn a_lane_does_not_depend_on_its_neighbours() {
    let (mut wide, mut narrow) = (counter(300, 2), counter(1, 1));
    let (mut in_wide, mut in_narrow) = (Buffers::of(&wide), Buffers::of(&narrow));
    wide.reset(&seeds(300), &mut in_wide.obs).unwrap();
    narrow.reset(&seeds(300)[2..3], &mut in_narrow.obs).unwrap();
    let mut random = SplitMix64::new(5);
    for _ in 0..50 {
        let drawn = actions(&mut random, 300);
        in_wide.step(&mut wide, &drawn).unwrap();
        in_narrow.step(&mut narrow, &drawn[2..3]).unwrap();
        assert_eq!(in_wide.obs[4..6], in_narrow.obs[..]);
        assert_eq!(in_wide.reward[2], in_narrow.reward[0]);
    }
}

#[test]
fn an_ended_episode_restarts_in_the_same_step_and_keeps_its_last_observation() {
    let mut env = counter(1, 1);
    let mut buffers = Buffers::of(&env);
    env.reset(&[3], &mut buffers.obs).unwrap();
    let mut starts = Vec::new();
    for _ in 0..200 {
        buffers.step(&mut env, &[2]).unwrap();
        assert_eq!(buffers.reward[0], if buffers.terminated[0] { 1.0 } else { 0.0 });
        if buffers.terminated[0] {
            assert_eq!(buffers.final_obs[0], 1.0);
            assert!(buffers.obs[0].abs() <= 0.5 && buffers.obs[1] == 0.0);
            starts.push((buffers.obs[0] * 4.0) as i32);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    assert_eq!(starts, [-2, -1, 0, 1, 2], "fresh starts, all of them");
}

#[test]
fn a_restart_draws_on_from_the_generator_of_each_lane() {
    let (mut one, mut two) = (counter(5, 1), counter(5, 2));
    let (mut in_one, mut in_two) = (Buffers::of(&one), Buffers::of(&two));
    assert_eq!(one.restart(&mut in_one.obs), Err(Error::NotReset));
    one.reset(&seeds(5), &mut in_one.obs).unwrap();
    two.reset(&seeds(5), &mut in_two.obs).unwrap();
    let first = in_one.obs.clone();
    one.restart(&mut in_one.obs).unwrap();
    two.restart(&mut in_two.obs).unwrap();
    assert_eq!(in_one.obs, in_two.obs);
    assert_ne!(in_one.obs, first);
}

#[test]
fn a_step_limit_truncates_without_terminating() {
    let mut env = counter(1, 1);
    let mut buffers = Buffers::of(&env);
    env.reset(&[3], &mut buffers.obs).unwrap();
    for step in 1..=18 {
        buffers.step(&mut env, &[1]).unwrap();
        assert!(!buffers.terminated[0]);
        assert_eq!(buffers.truncated[0], step % 9 == 0);
    }
    assert_eq!(buffers.final_obs[1], 1.0);
}

#[test]
fn final_observations_of_running_lanes_are_left_alone() {
    let mut env = counter(4, 1);
    let mut buffers = Buffers::of(&env);
    env.reset(&seeds(4), &mut buffers.obs).unwrap();
    buffers.final_obs.fill(-7.0);
    buffers.step(&mut env, &[1; 4]).unwrap();
    assert_eq!(buffers.final_obs, [-7.0; 8]);
}

#[test]
fn raw_steps_follow_the_rules_beyond_the_end() {
    let mut env = counter(1, 1);
    let mut buffers = Buffers::of(&env);
    env.reset(&[3], &mut buffers.obs).unwrap();
    for _ in 0..20 {
        env.step_raw(&[2], buffers.out()).unwrap();
    }
    assert!(buffers.terminated[0] && !buffers.truncated[0]);
    assert_eq!(buffers.obs[0], 1.0);
    env.step_raw(&[0], buffers.out()).unwrap();
    assert!(!buffers.terminated[0] && buffers.truncated[0]);
    assert_eq!(buffers.obs[0], 0.75);
}

#[test]
fn impossible_settings_are_refused() {
    assert!(CounterRules::new(1, 10).unwrap_err().contains("bound"));
    assert!(CounterRules::new(5, 0).unwrap_err().contains("max_steps"));
}
