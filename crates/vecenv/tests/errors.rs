//! A refused call changes nothing; a panic is an error, not the end.

mod common;

use common::{Buffers, CounterVec, counter, seeds};
use vecenv::counter::CounterRules;
use vecenv::{Env, Error, Lanes, MAX_LANES, Outcome, Rules, StepOut, VecEnv, Visit};

#[test]
fn impossible_sizes_are_refused() {
    let make = |lanes, threads| {
        CounterVec::new(CounterRules::new(4, 9).unwrap(), lanes, threads).err().unwrap()
    };
    assert_eq!(make(0, 1), Error::LaneCount(0));
    assert_eq!(make(MAX_LANES + 1, 1), Error::LaneCount(MAX_LANES + 1));
    assert_eq!(make(1, 0), Error::ThreadCount(0));
    assert_eq!(make(1, 100_000), Error::ThreadCount(100_000));
}

#[test]
fn nothing_works_before_a_reset() {
    let mut env = counter(2, 2);
    let mut buffers = Buffers::of(&env);
    assert_eq!(buffers.step(&mut env, &[1, 1]), Err(Error::NotReset));
    assert_eq!(env.step_raw(&[1, 1], buffers.out()), Err(Error::NotReset));
    assert_eq!(env.observe(&mut buffers.obs), Err(Error::NotReset));
    assert_eq!(env.load(0, &[0; 16]), Err(Error::NotReset));
    assert_eq!(env.state(), Err(Error::NotReset));
    assert_eq!(env.snapshot(), Err(Error::NotReset));
}

#[test]
fn wrong_lengths_and_actions_leave_state_and_buffers_unchanged() {
    for threads in [1, 2] {
        let mut env = counter(200, threads);
        let mut buffers = Buffers::of(&env);
        env.reset(&seeds(200), &mut buffers.obs).unwrap();
        let (snapshot, before) = (env.snapshot().unwrap(), buffers.clone());

        let mut actions = vec![1; 200];
        for wrong in [-1, 3, i32::MIN, i32::MAX] {
            actions[150] = wrong;
            let error = buffers.step(&mut env, &actions).unwrap_err();
            assert!(matches!(error, Error::Action { lane: 150, .. }), "{error}");
            assert_eq!(env.step_raw(&actions, buffers.out()).unwrap_err(), error);
        }
        actions[150] = 1;

        let named = |error: Error| match error {
            Error::Length { buffer, .. } => buffer,
            other => panic!("{other}"),
        };
        let Buffers { obs, reward, terminated, truncated, final_obs } = &mut buffers;
        let mut step = |a, o, r, e, t, f| {
            let out = StepOut {
                obs: &mut obs[..o],
                reward: &mut reward[..r],
                terminated: &mut terminated[..e],
                truncated: &mut truncated[..t],
            };
            named(env.step(&actions[..a], out, &mut final_obs[..f]).unwrap_err())
        };
        assert_eq!(step(199, 400, 200, 200, 200, 400), "actions");
        assert_eq!(step(200, 399, 200, 200, 200, 400), "obs");
        assert_eq!(step(200, 400, 0, 200, 200, 400), "reward");
        assert_eq!(step(200, 400, 200, 199, 200, 400), "terminated");
        assert_eq!(step(200, 400, 200, 200, 199, 400), "truncated");
        assert_eq!(step(200, 400, 200, 200, 200, 0), "final_obs");
        assert_eq!(named(env.reset(&seeds(199), &mut buffers.obs).unwrap_err()), "seeds");
        assert_eq!(named(env.reset(&seeds(200), &mut buffers.obs[1..]).unwrap_err()), "obs");
        assert_eq!(named(env.observe(&mut buffers.obs[1..]).unwrap_err()), "obs");

        assert_eq!(env.snapshot().unwrap(), snapshot);
        assert_eq!(buffers, before);
    }
}

/// Panics when told to.
#[derive(Clone)]
struct Fragile;

impl Rules for Fragile {
    type Obs = u8;
    type Action = i32;
    type Reward = f32;
    fn identity(&self) -> String {
        "fragile v1".into()
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

impl Env for Fragile {
    type Rules = Fragile;
    const GRAIN: usize = 1;
    fn new(_: &Fragile) -> Self {
        Fragile
    }
    fn reset(&mut self, _: &Fragile, _seed: u64) {}
    fn restart(&mut self, _: &Fragile) {}
    fn step(&mut self, _: &Fragile, action: &[i32]) -> Outcome {
        assert!(action[0] != 13, "thirteen");
        Outcome::default()
    }
    fn observe(&self, _: &Fragile, obs: &mut [u8]) {
        obs.fill(1);
    }
    fn fields(&mut self, _: &Fragile, _visit: &mut Visit<'_>) {}
}

#[test]
fn a_panic_becomes_an_error_and_a_reset_mends_it() {
    for threads in [1, 2] {
        let mut env = VecEnv::<Lanes<Fragile>>::new(Fragile, 8, threads).unwrap();
        let mut buffers = Buffers::of(&env);
        env.reset(&[0; 8], &mut buffers.obs).unwrap();
        let snapshot = env.snapshot().unwrap();
        let mut actions = [0; 8];
        actions[5] = 13;
        let error = buffers.step(&mut env, &actions).unwrap_err();
        assert_eq!(error, Error::Panicked("thirteen".into()));
        assert_eq!(buffers.step(&mut env, &[0; 8]), Err(Error::NotReset));
        env.restore(&snapshot).unwrap();
        assert_eq!(buffers.step(&mut env, &[0; 8]), Ok(()));
    }
}
