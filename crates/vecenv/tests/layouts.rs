//! The two kinds of environment the runtime is made for: a structure of arrays that steps
//! many lanes in one loop, and a heavy game with pixels, one lane at a time.

mod common;

use common::{Buffers, counter, trace};
use vecenv::counter::CounterRules;
use vecenv::{Batch, Env, Lanes, Outcome, Rules, SplitMix64, StepOut, VecEnv, Visit};

const BOUND: i32 = 4;
const MAX_STEPS: u32 = 9;

/// The counter again, laid out as a structure of arrays.
struct Columns {
    position: Vec<i32>,
    steps: Vec<u32>,
    random: Vec<SplitMix64>,
}

impl Batch for Columns {
    type Rules = CounterRules;
    const GRAIN: usize = 16;

    fn new(_rules: &CounterRules, lanes: usize) -> Self {
        Self {
            position: vec![0; lanes],
            steps: vec![0; lanes],
            random: vec![SplitMix64::default(); lanes],
        }
    }

    fn reset(&mut self, lane: usize, seed: u64) {
        self.random[lane] = SplitMix64::new(seed);
        self.restart(lane);
    }

    fn restart(&mut self, lane: usize) {
        self.position[lane] = self.random[lane].below(5) as i32 - 2;
        self.steps[lane] = 0;
    }

    fn step_raw(&mut self, actions: &[i32], out: &mut StepOut<'_, f32>) {
        for (position, action) in self.position.iter_mut().zip(actions) {
            *position = (*position + action - 1).clamp(-BOUND, BOUND);
        }
        self.steps.iter_mut().for_each(|steps| *steps += 1);
        for lane in 0..out.lanes() {
            out.terminated[lane] = self.position[lane].abs() == BOUND;
            out.truncated[lane] = self.steps[lane] >= MAX_STEPS && !out.terminated[lane];
            out.reward[lane] =
                if out.terminated[lane] { self.position[lane].signum() as f32 } else { 0.0 };
            self.observe(lane, out.obs_row(lane));
        }
    }

    fn observe(&self, lane: usize, obs: &mut [f32]) {
        obs[0] = self.position[lane] as f32 / BOUND as f32;
        obs[1] = self.steps[lane] as f32 / MAX_STEPS as f32;
    }

    fn fields(&mut self, lane: usize, visit: &mut Visit<'_>) {
        visit.scalar("position", &mut self.position[lane]);
        visit.scalar("steps", &mut self.steps[lane]);
        visit.scalar("random", &mut self.random[lane].state);
    }
}

#[test]
fn a_structure_of_arrays_equals_separate_lanes() {
    for threads in [1, 2] {
        let rules = CounterRules::new(BOUND, MAX_STEPS).unwrap();
        let mut columns = VecEnv::<Columns>::new(rules, 200, threads).unwrap();
        let mut lanes = counter(200, 1);
        assert_eq!(trace(&mut columns, 50), trace(&mut lanes, 50));
        lanes.restore(&columns.snapshot().unwrap()).expect("layouts share their snapshots");
    }
}

/// A screen of 8x8 pixels in which two button presses (an action of two numbers) move a dot.
#[derive(Clone)]
struct Console;

struct Screen {
    memory: Box<[u8; 64]>,
    x: u8,
    y: u8,
}

impl Rules for Console {
    type Obs = u8;
    type Action = i32;
    fn identity(&self) -> String {
        "console v1".into()
    }
    fn obs_shape(&self) -> Vec<usize> {
        vec![8, 8]
    }
    fn action_shape(&self) -> Vec<usize> {
        vec![2]
    }
    fn allows(&self, action: &[i32]) -> bool {
        action.iter().all(|&press| (0..2).contains(&press))
    }
    fn allowed(&self) -> String {
        "two numbers, each 0 or 1".into()
    }
}

impl Env for Screen {
    type Rules = Console;
    const GRAIN: usize = 1;
    fn new(_: &Console) -> Self {
        Self { memory: Box::new([0; 64]), x: 0, y: 0 }
    }
    fn reset(&mut self, rules: &Console, seed: u64) {
        self.restart(rules);
        self.x = (seed % 8) as u8;
    }
    fn restart(&mut self, _: &Console) {
        self.memory.fill(0);
        (self.x, self.y) = (0, 0);
    }
    fn step(&mut self, _: &Console, action: &[i32]) -> Outcome {
        self.x = (self.x + action[0] as u8) % 8;
        self.y += action[1] as u8;
        let terminated = self.y >= 8;
        self.y %= 8;
        self.memory[(self.y * 8 + self.x) as usize] = 255;
        Outcome { reward: action[0] as f32, terminated, truncated: false }
    }
    fn observe(&self, _: &Console, obs: &mut [u8]) {
        obs.copy_from_slice(&self.memory[..]);
    }
    fn fields(&mut self, _: &Console, visit: &mut Visit<'_>) {
        visit.array("memory", &[8, 8], &mut self.memory[..]);
        visit.scalar("x", &mut self.x);
        visit.scalar("y", &mut self.y);
    }
}

#[test]
fn a_heavy_lane_with_pixels_and_several_action_numbers_is_hosted() {
    let mut env = VecEnv::<Lanes<Screen>>::new(Console, 5, 2).unwrap();
    let mut buffers = Buffers::of(&env);
    env.reset(&[0, 1, 2, 3, 4], &mut buffers.obs).unwrap();
    buffers.step(&mut env, &[0, 0, 1, 0, 0, 1, 1, 1, 0, 0]).unwrap();
    let lit: Vec<usize> = (0..320).filter(|&i| buffers.obs[i] == 255).collect();
    assert_eq!(lit, [0, 64 + 2, 128 + 8 + 2, 192 + 8 + 4, 256 + 4]);
    assert_eq!(buffers.reward, [0.0, 1.0, 0.0, 1.0, 0.0]);

    let error = buffers.step(&mut env, &[0, 0, 0, 2, 0, 0, 0, 0, 0, 0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the action of environment 1 is [0, 2]; an action is two numbers, each 0 or 1"
    );
    let memory = &env.state().unwrap()[0];
    assert_eq!((memory.field.name, memory.bytes.len()), ("memory", 320));
}
