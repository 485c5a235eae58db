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
    type Reward = f32;
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

// --- two players, exact rewards, forbidden actions ----------------------------------------------

/// Nim for two who take in turn: the last stone pays. `2` waits, and is for who is not on turn.
#[derive(Clone)]
struct NimRules;

struct Nim {
    stones: Vec<i8>,
    turns: Vec<u8>,
}

impl Rules for NimRules {
    type Obs = i8;
    type Action = i8;
    type Reward = f64;
    fn identity(&self) -> String {
        "nim v1".into()
    }
    fn obs_shape(&self) -> Vec<usize> {
        vec![2, 1]
    }
    fn action_shape(&self) -> Vec<usize> {
        vec![2]
    }
    fn players(&self) -> usize {
        2
    }
    fn choices(&self) -> usize {
        3
    }
    fn allows(&self, action: &[i8]) -> bool {
        action.iter().all(|one| (0..3).contains(one))
    }
    fn allowed(&self) -> String {
        "0 (take one), 1 (take two) or 2 (wait)".into()
    }
    fn shown(&self, action: &[i8]) -> String {
        format!("{} and {}", action[0], action[1])
    }
}

impl Batch for Nim {
    type Rules = NimRules;
    fn new(_: &NimRules, lanes: usize) -> Self {
        Self { stones: vec![0; lanes], turns: vec![0; lanes] }
    }
    fn reset(&mut self, lane: usize, seed: u64) {
        (self.stones[lane], self.turns[lane]) = (3 + seed as i8, 0);
    }
    fn restart(&mut self, lane: usize) {
        self.reset(lane, 0);
    }
    fn step_raw(&mut self, actions: &[i8], out: &mut StepOut<'_, i8, f64>) {
        for lane in 0..self.stones.len() {
            let mover = usize::from(self.turns[lane]);
            self.stones[lane] -= actions[2 * lane + mover] + 1;
            self.turns[lane] ^= 1;
            out.terminated[lane] = self.stones[lane] <= 0;
            out.truncated[lane] = false;
            let paid = if out.terminated[lane] { 0.1 } else { 0.0 };
            out.reward[2 * lane + mover] = paid;
            out.reward[2 * lane + 1 - mover] = -paid;
            self.observe(lane, out.obs_row(lane));
        }
    }
    fn observe(&self, lane: usize, obs: &mut [i8]) {
        obs.fill(self.stones[lane]);
    }
    fn legal(&self, lane: usize, legal: &mut [bool]) {
        for (player, legal) in legal.chunks_exact_mut(3).enumerate() {
            let moves = player == usize::from(self.turns[lane]);
            legal.copy_from_slice(&[moves, moves && self.stones[lane] > 1, !moves]);
        }
    }
    fn fields(&mut self, lane: usize, visit: &mut Visit<'_>) {
        visit.scalar("stones", &mut self.stones[lane]);
        visit.scalar("turn", &mut self.turns[lane]);
    }
}

#[test]
fn two_players_have_rewards_of_their_own_and_legal_actions() {
    for threads in [1, 3] {
        let mut env = VecEnv::<Nim>::new(NimRules, 40, threads).unwrap();
        let (mut obs, mut final_obs) = ([0; 80], [0; 80]);
        let (mut reward, mut ends) = ([9.0f64; 80], [[false; 40]; 2]);
        let seeds: Vec<u64> = (0..40).map(|lane| lane % 2).collect();
        env.reset(&seeds, &mut obs).unwrap();
        let mut legal = [false; 240];
        env.legal(&mut legal).unwrap();
        assert_eq!(legal[..6], [true, true, false, false, false, true]);
        let actions = [[1, 2], [2, 1]]; // the first takes two, then the second
        for action in actions {
            let [terminated, truncated] = &mut ends;
            let out = StepOut { obs: &mut obs, reward: &mut reward, terminated, truncated };
            env.step(&action.repeat(40), out, &mut final_obs).unwrap();
        }
        assert_eq!(reward[..4], [-0.1, 0.1, -0.1, 0.1]);
        assert_eq!(ends[0], [true; 40]);
        assert_eq!((final_obs[0], final_obs[2], obs[0]), (-1, 0, 3));
    }
}

#[test]
fn rewards_for_too_few_players_are_refused() {
    let mut env = VecEnv::<Nim>::new(NimRules, 2, 1).unwrap();
    let (mut obs, mut reward) = ([0; 4], [0.0; 2]);
    env.reset(&[0, 0], &mut obs).unwrap();
    let (mut terminated, mut truncated) = ([false; 2], [false; 2]);
    let mut step = |reward: &mut [f64], action: i8| {
        let (terminated, truncated) = (&mut terminated[..], &mut truncated[..]);
        let out = StepOut { obs: &mut obs, reward, terminated, truncated };
        env.step_raw(&[action; 4], out).unwrap_err().to_string()
    };
    assert_eq!(step(&mut reward, 0), "reward has 2 elements and needs 4; allocate it anew");
    let said = "the action of environment 0 is 3 and 3; an action is 0 (take one), 1 (take two) or \
                2 (wait)";
    assert_eq!(step(&mut [0.0; 4], 3), said);
}
