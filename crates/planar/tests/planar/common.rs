//! The robot, and steps without ceremony.

use planar::lanes::Element;
use planar::robot::Robot;
use planar::{CheetahRules, HalfCheetah, Settings};
use vecenv::{Batch, SplitMix64, StepOut, VecEnv};

/// What Gymnasium's file says, as `envwright.zoo.planar.extract` reads it.
pub const CHEETAH: &str = include_str!("../../../../src/envwright/zoo/halfcheetah/model.json");

pub const SIZE: usize = 9;
pub const SEEN: usize = 17;
pub const MOTORS: usize = 6;

pub fn robot() -> Robot {
    Robot::from_json(CHEETAH).unwrap()
}

pub fn rules<T: Element>() -> CheetahRules<T> {
    CheetahRules::new(CHEETAH, Settings::default()).unwrap()
}

/// From -1 to 1.
pub fn noise(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

pub fn actions(random: &mut SplitMix64, lanes: usize) -> Vec<f32> {
    (0..lanes * MOTORS).map(|_| 1.2 * noise(random) as f32).collect()
}

/// What a step wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Written<T> {
    pub obs: Vec<T>,
    pub reward: Vec<f32>,
    pub terminated: Vec<bool>,
    pub truncated: Vec<bool>,
}

impl<T: Element> Written<T> {
    pub fn new(lanes: usize) -> Self {
        Self {
            obs: vec![T::from_f64(0.0); lanes * SEEN],
            reward: vec![0.0; lanes],
            terminated: vec![true; lanes],
            truncated: vec![true; lanes],
        }
    }

    pub fn out(&mut self) -> StepOut<'_, T> {
        StepOut {
            obs: &mut self.obs,
            reward: &mut self.reward,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
        }
    }
}

pub fn step<T: Element>(batch: &mut HalfCheetah<T>, actions: &[f32]) -> Written<T> {
    let mut written = Written::new(actions.len() / MOTORS);
    batch.step_raw(actions, &mut written.out());
    written
}

/// Everything that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub position: [f64; SIZE],
    pub velocity: [f64; SIZE],
    pub acceleration: [f64; SIZE],
}

impl State {
    pub fn still() -> Self {
        Self { position: [0.0; SIZE], velocity: [0.0; SIZE], acceleration: [0.0; SIZE] }
    }
}

/// One step of one environment in float64, from a state to a state, and its reward.
pub fn step_from(state: &State, action: [f32; MOTORS], settings: Settings) -> (State, f32) {
    step_robot(CHEETAH, state, action, settings)
}

/// The same with another robot.
pub fn step_robot(
    json: &str,
    state: &State,
    action: [f32; MOTORS],
    settings: Settings,
) -> (State, f32) {
    let rules = CheetahRules::<f64>::new(json, settings).unwrap();
    let mut env = VecEnv::<HalfCheetah<f64>>::new(rules, 1, 1).unwrap();
    let numbers = [state.position, state.velocity, state.acceleration].concat();
    let mut packed: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    packed.extend([0; 4 + 8]); // time, random
    env.load_all(&packed).unwrap();
    let mut written = Written::new(1);
    env.step_raw(&action, written.out()).unwrap();
    let columns = env.state().unwrap();
    let read = |i: usize| {
        let (numbers, _) = columns[i].bytes.as_chunks::<8>();
        std::array::from_fn(|k| f64::from_le_bytes(numbers[k]))
    };
    let after = State { position: read(0), velocity: read(1), acceleration: read(2) };
    (after, written.reward[0])
}
