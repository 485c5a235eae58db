//! Round after round, every lane is stepped exactly once, whoever steps it.

mod common;

use common::Buffers;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use vecenv::{Env, Error, Lanes, Outcome, Rules, SplitMix64, VecEnv, Visit};

const STEP: i32 = 0;
const PANIC: i32 = 1;

/// Steps by threads that are not the calling one.
static HELPED: AtomicUsize = AtomicUsize::new(0);

/// Shows how often it was stepped; panics when told to.
struct Tally(i32);

#[derive(Clone)]
struct TallyRules;

impl Rules for TallyRules {
    type Obs = i32;
    type Action = i32;
    type Reward = f32;
    fn identity(&self) -> String {
        "tally v1".into()
    }
    fn obs_shape(&self) -> Vec<usize> {
        vec![1]
    }
    fn allows(&self, _action: &[i32]) -> bool {
        true
    }
    fn allowed(&self) -> String {
        "any number".into()
    }
}

impl Env for Tally {
    type Rules = TallyRules;
    const GRAIN: usize = 1;
    fn new(_: &TallyRules) -> Self {
        Self(0)
    }
    fn reset(&mut self, _: &TallyRules, _seed: u64) {
        self.0 = 0;
    }
    fn restart(&mut self, _: &TallyRules) {}
    fn step(&mut self, _: &TallyRules, action: &[i32]) -> Outcome {
        // Not a macro: nothing is to be printed a thousand times.
        if action[0] == PANIC {
            std::panic::resume_unwind(Box::new("told to"));
        }
        self.0 += 1;
        if self.0 % 16 == 0 {
            std::thread::yield_now(); // so that helpers come, also where there is one core
        }
        let helper = std::thread::current().name().is_some_and(|n| n.starts_with("envwright-"));
        HELPED.fetch_add(usize::from(helper), Ordering::Relaxed);
        Outcome::default()
    }
    fn observe(&self, _: &TallyRules, obs: &mut [i32]) {
        obs[0] = self.0;
    }
    fn fields(&mut self, _: &TallyRules, visit: &mut Visit<'_>) {
        visit.scalar("count", &mut self.0);
    }
    fn check(&self, _: &TallyRules) -> Result<(), String> {
        if self.0 < 0 {
            std::panic::resume_unwind(Box::new("below nothing"));
        }
        Ok(())
    }
}

type TallyVec = VecEnv<Lanes<Tally>>;

fn tally(lanes: usize, threads: usize) -> (TallyVec, Buffers<i32>) {
    let mut env = TallyVec::new(TallyRules, lanes, threads).unwrap();
    let mut buffers = Buffers::of(&env);
    env.reset(&vec![0; lanes], &mut buffers.obs).unwrap();
    (env, buffers)
}

/// More threads than cores, fewer or more lanes than threads; now and then a pause that is long
/// enough for helpers to fall asleep, or about as long as they look out.
#[test]
fn every_lane_is_stepped_once_in_every_round() {
    let mut random = SplitMix64::new(1);
    for (lanes, threads) in [(2, 2), (3, 9), (64, 2), (100, 5)] {
        let (mut env, mut buffers) = tally(lanes, threads);
        for round in 1..=1_500 {
            buffers.step(&mut env, &vec![STEP; lanes]).unwrap();
            assert_eq!(buffers.obs, vec![round; lanes], "{lanes} lanes, {threads} threads");
            if random.below(50) == 0 {
                std::thread::sleep(Duration::from_micros(random.below(200)));
            }
        }
    }
    assert!(HELPED.load(Ordering::Relaxed) > 0, "one thread did all of it");
}

/// A panic of any thread's ends the round with an error, and no thread is lost by it.
#[test]
fn rounds_go_on_after_panics_on_any_thread() {
    let mut random = SplitMix64::new(2);
    let (mut env, mut buffers) = tally(40, 3);
    let start = env.snapshot().unwrap();
    for _ in 0..300 {
        // From one lane, which some thread has, to nearly all, so that every thread panics.
        let odds = 1 + random.below(40);
        let mut actions: Vec<i32> =
            (0..40).map(|_| if random.below(odds) == 0 { PANIC } else { STEP }).collect();
        actions[random.below(40) as usize] = PANIC;
        let error = buffers.step(&mut env, &actions).unwrap_err();
        assert_eq!(error, Error::Panicked("told to".into()));
        env.restore(&start).unwrap();
        for round in 1..=3 {
            buffers.step(&mut env, &[STEP; 40]).unwrap();
            assert_eq!(buffers.obs, [round; 40]);
        }
    }
}

/// The states that were there are played on.
#[test]
fn a_panic_while_states_are_loaded_is_an_error_too() {
    let (mut env, mut buffers) = tally(4, 2);
    let mut packed: Vec<u8> = [5_i32, 6, 7, 8].iter().flat_map(|n| n.to_le_bytes()).collect();
    env.load_all(&packed).unwrap();
    packed[12..].copy_from_slice(&(-1_i32).to_le_bytes());
    assert_eq!(env.load_all(&packed), Err(Error::Panicked("below nothing".into())));
    buffers.step(&mut env, &[STEP; 4]).unwrap();
    assert_eq!(buffers.obs, [6, 7, 8, 9]);
}

/// While helpers look out, while they sleep, and before they were ever needed.
#[test]
fn an_environment_can_be_dropped_at_any_time() {
    for pause in [0, 0, 30, 60, 2_000] {
        for _ in 0..20 {
            let (mut env, mut buffers) = tally(16, 4);
            buffers.step(&mut env, &[STEP; 16]).unwrap();
            std::thread::sleep(Duration::from_micros(pause));
            drop(env);
            drop(TallyVec::new(TallyRules, 16, 4).unwrap());
        }
    }
}
