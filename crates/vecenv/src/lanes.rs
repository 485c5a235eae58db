//! Hosts a game that works on one lane at a time.

use crate::batch::{Action, Batch, Obs, Reward, Rules, StepOut};
use crate::fields::Visit;

/// What a step leads to, besides the next state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome<R = f32> {
    /// Reward of the step.
    pub reward: R,
    /// The game is over.
    pub terminated: bool,
    /// A time limit cut the episode.
    pub truncated: bool,
}

/// One lane of a game of one player. Each method means what its namesake in [`Batch`] means.
#[allow(missing_docs)]
pub trait Env: Send + Sized {
    type Rules: Rules;

    /// How many lanes repay the cost of a task: many for a tiny game, 1 for an emulator.
    const GRAIN: usize = 64;
    const MAY_NOT_BEGIN: bool = false;

    fn new(rules: &Self::Rules) -> Self;
    fn reset(&mut self, rules: &Self::Rules, seed: u64);
    fn restart(&mut self, rules: &Self::Rules);
    fn step(
        &mut self,
        rules: &Self::Rules,
        action: &[<Self::Rules as Rules>::Action],
    ) -> Outcome<<Self::Rules as Rules>::Reward>;
    fn observe(&self, rules: &Self::Rules, obs: &mut [<Self::Rules as Rules>::Obs]);
    fn legal(&self, _rules: &Self::Rules, legal: &mut [bool]) {
        legal.fill(true);
    }
    fn fields(&mut self, rules: &Self::Rules, visit: &mut Visit<'_>);
    fn check(&self, _rules: &Self::Rules) -> Result<(), String> {
        Ok(())
    }
    fn begun(&self, _rules: &Self::Rules) -> Result<(), String> {
        Ok(())
    }
}

/// A [`Batch`] of separate [`Env`] lanes, one after the other.
pub struct Lanes<E: Env> {
    rules: E::Rules,
    lanes: Vec<E>,
}

impl<E: Env> Batch for Lanes<E> {
    type Rules = E::Rules;
    const GRAIN: usize = E::GRAIN;
    const MAY_NOT_BEGIN: bool = E::MAY_NOT_BEGIN;

    fn new(rules: &E::Rules, lanes: usize) -> Self {
        let lanes = (0..lanes).map(|_| E::new(rules)).collect();
        Self { rules: rules.clone(), lanes }
    }

    fn reset(&mut self, lane: usize, seed: u64) {
        self.lanes[lane].reset(&self.rules, seed);
    }

    fn restart(&mut self, lane: usize) {
        self.lanes[lane].restart(&self.rules);
    }

    fn step_raw(
        &mut self,
        actions: &[Action<Self>],
        out: &mut StepOut<'_, Obs<Self>, Reward<Self>>,
    ) {
        let action_len = actions.len() / self.lanes.len();
        let lanes = self.lanes.iter_mut().zip(actions.chunks_exact(action_len));
        for (lane, (env, action)) in lanes.enumerate() {
            let outcome = env.step(&self.rules, action);
            out.reward[lane] = outcome.reward;
            out.terminated[lane] = outcome.terminated;
            out.truncated[lane] = outcome.truncated;
            env.observe(&self.rules, out.obs_row(lane));
        }
    }

    fn observe(&self, lane: usize, obs: &mut [Obs<Self>]) {
        self.lanes[lane].observe(&self.rules, obs);
    }

    fn legal(&self, lane: usize, legal: &mut [bool]) {
        self.lanes[lane].legal(&self.rules, legal);
    }

    fn fields(&mut self, lane: usize, visit: &mut Visit<'_>) {
        self.lanes[lane].fields(&self.rules, visit);
    }

    fn check(&self, lane: usize) -> Result<(), String> {
        self.lanes[lane].check(&self.rules)
    }

    fn begun(&self, lane: usize) -> Result<(), String> {
        self.lanes[lane].begun(&self.rules)
    }
}
