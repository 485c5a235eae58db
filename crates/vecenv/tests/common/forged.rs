//! Bytes that no `snapshot()` wrote, and what an environment does with them: an error, or a state
//! that can be played. More cases: `PROPTEST_CASES=100000 cargo test forged`.
#![allow(dead_code)]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::RefCell;
use vecenv::{Action, Batch, Error, Field, Obs, Reward, Rules, StepOut, VecEnv, seal};

const CHECKSUM: usize = 8;
const STEPS: usize = 3;

/// Tries the same cases in every run, so many unless `PROPTEST_CASES` says otherwise.
pub fn runner(cases: u32) -> TestRunner {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(cases);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// How bytes come about.
#[derive(Clone, Debug)]
pub enum Forgery {
    Random(Vec<u8>),
    Changed(Vec<(Index, u8)>),
    Cut(Index),
    /// Changed, with the checksum that belongs to it.
    Resealed(Vec<(Index, u8)>),
}

pub fn forgeries() -> impl Strategy<Value = Forgery> {
    let changes = || vec((any::<Index>(), any::<u8>()), 1..9);
    prop_oneof![
        vec(any::<u8>(), 0..4096).prop_map(Forgery::Random),
        any::<Index>().prop_map(Forgery::Cut),
        changes().prop_map(Forgery::Changed),
        changes().prop_map(Forgery::Resealed),
    ]
}

impl Forgery {
    /// The bytes, made of what was written.
    pub fn of(&self, written: &[u8]) -> Vec<u8> {
        match self {
            Self::Random(bytes) => bytes.clone(),
            Self::Cut(at) => written[..at.index(written.len())].to_vec(),
            Self::Changed(changes) => changed(written, changes),
            Self::Resealed(changes) => seal(changed(&written[..written.len() - CHECKSUM], changes)),
        }
    }
}

fn changed(written: &[u8], changes: &[(Index, u8)]) -> Vec<u8> {
    let mut bytes = written.to_vec();
    changes.iter().for_each(|(at, value)| bytes[at.index(written.len())] = *value);
    bytes
}

/// Gives forged snapshots and states to an environment that was reset.
pub fn hold<B: Batch>(env: &mut VecEnv<B>, actions: &[Action<B>], cases: u32) {
    let written = env.snapshot().expect("a snapshot");
    let lane: usize = env.fields().iter().map(Field::size).sum();
    let given = (forgeries(), vec(any::<u8>(), lane), 0..env.lanes());
    let env = RefCell::new(env);
    let result = runner(cases).run(&given, |(forgery, state, index)| {
        let env = &mut **env.borrow_mut();
        let restored = env.restore(&forgery.of(&written));
        goes_on(env, restored, actions)?;
        env.restore(&written).expect("its own snapshot");
        let loaded = env.load(index, &state);
        goes_on(env, loaded, actions)
    });
    result.unwrap();
}

/// What was accepted is played; a panic would be an error of its own kind.
fn goes_on<B: Batch>(
    env: &mut VecEnv<B>,
    accepted: Result<(), Error>,
    actions: &[Action<B>],
) -> Result<(), TestCaseError> {
    let bug = |error: Error| TestCaseError::fail(error.to_string());
    match accepted {
        Err(error @ Error::Panicked(_)) => return Err(bug(error)),
        Err(_) => return Ok(()),
        Ok(()) => {}
    }
    let lanes = env.lanes();
    let seen = lanes * env.rules().obs_shape().iter().product::<usize>();
    let (mut obs, mut last) = (vec![Obs::<B>::default(); seen], vec![Obs::<B>::default(); seen]);
    let mut reward = vec![Reward::<B>::default(); lanes * env.rules().players()];
    let mut ends = [vec![false; lanes], vec![false; lanes]];
    env.observe(&mut obs).map_err(bug)?;
    for _ in 0..STEPS {
        let [terminated, truncated] = &mut ends;
        let out = StepOut { obs: &mut obs, reward: &mut reward, terminated, truncated };
        match env.step(actions, out, &mut last) {
            Err(error @ Error::Panicked(_)) => return Err(bug(error)),
            Err(_) => return Ok(()),
            Ok(()) => {}
        }
    }
    Ok(())
}
