//! Buffers of a caller, and walks through an environment.
#![allow(dead_code)]

use vecenv::counter::{Counter, CounterRules};
use vecenv::{Action, Batch, Error, Lanes, Obs, Rules, SplitMix64, StepOut, VecEnv};

pub type CounterVec = VecEnv<Lanes<Counter>>;

pub fn counter(lanes: usize, threads: usize) -> CounterVec {
    CounterVec::new(CounterRules::new(4, 9).unwrap(), lanes, threads).unwrap()
}

/// Random actions 0, 1, 2.
pub fn actions(random: &mut SplitMix64, lanes: usize) -> Vec<i32> {
    (0..lanes).map(|_| random.below(3) as i32).collect()
}

pub fn seeds(lanes: usize) -> Vec<u64> {
    (0..lanes as u64).map(|lane| 1000 + lane).collect()
}

#[derive(Clone, Debug, PartialEq)]
pub struct Buffers<O> {
    pub obs: Vec<O>,
    pub reward: Vec<f32>,
    pub terminated: Vec<bool>,
    pub truncated: Vec<bool>,
    pub final_obs: Vec<O>,
}

impl<O: vecenv::Scalar> Buffers<O> {
    pub fn of<B: Batch>(env: &VecEnv<B>) -> Self
    where
        B::Rules: Rules<Obs = O>,
    {
        let lanes = env.lanes();
        let elements = lanes * env.rules().obs_shape().iter().product::<usize>();
        Self {
            obs: vec![O::default(); elements],
            reward: vec![0.0; lanes],
            terminated: vec![false; lanes],
            truncated: vec![false; lanes],
            final_obs: vec![O::default(); elements],
        }
    }

    pub fn out(&mut self) -> StepOut<'_, O> {
        StepOut {
            obs: &mut self.obs,
            reward: &mut self.reward,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
        }
    }

    pub fn step<B: Batch>(
        &mut self,
        env: &mut VecEnv<B>,
        actions: &[Action<B>],
    ) -> Result<(), Error>
    where
        B::Rules: Rules<Obs = O, Reward = f32>,
    {
        let Self { obs, reward, terminated, truncated, final_obs } = self;
        env.step(actions, StepOut { obs, reward, terminated, truncated }, final_obs)
    }
}

/// Everything that a caller sees of `steps` random steps from the usual seeds.
pub fn trace<B: Batch>(env: &mut VecEnv<B>, steps: usize) -> Vec<Buffers<Obs<B>>>
where
    B::Rules: Rules<Action = i32, Reward = f32>,
{
    let mut random = SplitMix64::new(99);
    let mut buffers = Buffers::of(env);
    env.reset(&seeds(env.lanes()), &mut buffers.obs).unwrap();
    let mut trace = vec![buffers.clone()];
    for _ in 0..steps {
        let actions = actions(&mut random, env.lanes());
        buffers.step(env, &actions).unwrap();
        trace.push(buffers.clone());
    }
    trace
}
