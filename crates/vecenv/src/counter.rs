//! Counter: a walk on a line, the smallest environment that uses every part of the runtime.
//!
//! The walker starts near the middle and steps left, stays, or steps right. The game is over
//! at either end (reward +1 on the right, -1 on the left); a step limit truncates it.

use crate::{Env, Outcome, Rules, SplitMix64, Visit};

/// Settings of the walk.
#[derive(Clone, Debug)]
pub struct CounterRules {
    bound: i32,
    max_steps: u32,
}

impl CounterRules {
    /// A line from `-bound` to `bound`, and at most `max_steps` steps.
    pub fn new(bound: i32, max_steps: u32) -> Result<Self, String> {
        if !(2..=1_000_000).contains(&bound) {
            return Err(format!("bound is {bound}; choose one from 2 to 1000000"));
        }
        if max_steps == 0 {
            return Err("max_steps is 0; choose at least 1".into());
        }
        Ok(Self { bound, max_steps })
    }

    /// Starts lie within this distance of the middle, strictly inside the line.
    fn start_reach(&self) -> i32 {
        self.bound / 2
    }
}

impl Rules for CounterRules {
    type Obs = f32;
    type Action = i32;
    type Reward = f32;

    fn identity(&self) -> String {
        format!("counter v1, bound {}, max_steps {}", self.bound, self.max_steps)
    }

    fn obs_shape(&self) -> Vec<usize> {
        vec![2]
    }

    fn allows(&self, action: &[i32]) -> bool {
        (0..=2).contains(&action[0])
    }

    fn allowed(&self) -> String {
        "0 (left), 1 (stay) or 2 (right)".into()
    }
}

/// One walker.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    position: i32,
    steps: u32,
    random: SplitMix64,
}

impl Env for Counter {
    type Rules = CounterRules;

    fn new(_rules: &CounterRules) -> Self {
        Self::default()
    }

    fn reset(&mut self, rules: &CounterRules, seed: u64) {
        self.random = SplitMix64::new(seed);
        self.restart(rules);
    }

    fn restart(&mut self, rules: &CounterRules) {
        let reach = rules.start_reach();
        let starts = 2 * reach as u64 + 1;
        self.position = self.random.below(starts) as i32 - reach;
        self.steps = 0;
    }

    fn step(&mut self, rules: &CounterRules, action: &[i32]) -> Outcome {
        let direction = action[0] - 1;
        self.position = (self.position + direction).clamp(-rules.bound, rules.bound);
        self.steps = self.steps.saturating_add(1);
        let terminated = self.position.abs() == rules.bound;
        Outcome {
            reward: if terminated { self.position.signum() as f32 } else { 0.0 },
            terminated,
            truncated: self.steps >= rules.max_steps && !terminated,
        }
    }

    /// Position and time, both as a share of their limit.
    fn observe(&self, rules: &CounterRules, obs: &mut [f32]) {
        obs[0] = self.position as f32 / rules.bound as f32;
        obs[1] = self.steps as f32 / rules.max_steps as f32;
    }

    fn fields(&mut self, _rules: &CounterRules, visit: &mut Visit<'_>) {
        visit.scalar("position", &mut self.position);
        visit.scalar("steps", &mut self.steps);
        visit.scalar("random", &mut self.random.state);
    }

    fn check(&self, rules: &CounterRules) -> Result<(), String> {
        let CounterRules { bound, .. } = *rules;
        if (-bound..=bound).contains(&self.position) {
            Ok(())
        } else {
            Err(format!("position is {}; it lies from {} to {bound}", self.position, -bound))
        }
    }
}
