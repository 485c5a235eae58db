//! A batch of cheetahs: a structure of arrays, block by block.

use crate::cheetah::CheetahRules;
use crate::engine::{Motion, advance};
use crate::lanes::{Element, Job, Lanes, MOST_LANES, Mask, Registers};
use crate::robot::{MOST_COORDINATES, MOST_LINKS};
use crate::solver::Problem;
use vecenv::{Batch, Rules, SplitMix64, StepOut, Visit};

/// One number of each lane of a block.
type Row<T> = [T; MOST_LANES];

/// What is kept of a block of lanes between steps. Numbers are as the outside sees them.
#[derive(Clone)]
#[repr(align(64))]
struct Block<T> {
    position: [Row<T>; MOST_COORDINATES],
    velocity: [Row<T>; MOST_COORDINATES],
    acceleration: [Row<T>; MOST_COORDINATES],
    time: Row<i32>,
    random: Row<SplitMix64>,
}

impl<T: Element> Block<T> {
    fn new() -> Self {
        let zeros = [[T::from_f64(0.0); MOST_LANES]; MOST_COORDINATES];
        Self {
            position: zeros,
            velocity: zeros,
            acceleration: zeros,
            time: [0; MOST_LANES],
            random: [SplitMix64::default(); MOST_LANES],
        }
    }

    fn begin(&mut self, rules: &CheetahRules<T>, lane: usize) {
        let (position, velocity) = rules.begin(&mut self.random[lane]);
        for i in 0..position.len() {
            self.position[i][lane] = position[i];
            self.velocity[i][lane] = velocity[i];
            self.acceleration[i][lane] = T::from_f64(0.0);
        }
        self.time[lane] = 0;
    }

    fn observe(&self, rules: &CheetahRules<T>, lane: usize, obs: &mut [T]) {
        let (hidden, size) = (rules.hidden(), rules.model.size());
        let seen = self.position[hidden..size].iter().chain(&self.velocity[..size]);
        for (obs, row) in obs.iter_mut().zip(seen) {
            *obs = row[lane];
        }
    }
}

/// Many cheetahs. `T` is `f32` to run, `f64` to verify.
pub struct HalfCheetah<T> {
    rules: CheetahRules<T>,
    blocks: Vec<Block<T>>,
    registers: Registers,
}

impl<T: Element> HalfCheetah<T> {
    /// Runs on registers of another kind than the widest.
    ///
    /// # Panics
    /// On the next step, if this processor has none of them.
    pub fn use_registers(&mut self, registers: Registers) {
        self.registers = registers;
    }

    fn put(&mut self, field: impl Fn(&mut Block<T>) -> &mut [Row<T>], lane: usize, values: &[T]) {
        let rows = field(&mut self.blocks[lane / MOST_LANES]);
        for (row, value) in rows.iter_mut().zip(values) {
            row[lane % MOST_LANES] = *value;
        }
    }
}

impl<T: Element> Batch for HalfCheetah<T> {
    type Rules = CheetahRules<T>;
    /// Two blocks are some microseconds of work.
    const GRAIN: usize = 2 * MOST_LANES;

    fn new(rules: &CheetahRules<T>, lanes: usize) -> Self {
        let blocks = vec![Block::new(); lanes.div_ceil(MOST_LANES)];
        Self { rules: rules.clone(), blocks, registers: Registers::best() }
    }

    fn reset(&mut self, lane: usize, seed: u64) {
        let (block, lane) = (&mut self.blocks[lane / MOST_LANES], lane % MOST_LANES);
        block.random[lane] = SplitMix64::new(seed);
        block.begin(&self.rules, lane);
    }

    fn restart(&mut self, lane: usize) {
        self.blocks[lane / MOST_LANES].begin(&self.rules, lane % MOST_LANES);
    }

    fn step_raw(&mut self, actions: &[f32], out: &mut StepOut<'_, T>) {
        let Self { rules, blocks, registers } = self;
        T::with(*registers, Step { rules, blocks, actions, out });
    }

    fn observe(&self, lane: usize, obs: &mut [T]) {
        self.blocks[lane / MOST_LANES].observe(&self.rules, lane % MOST_LANES, obs);
    }

    fn fields(&mut self, lane: usize, visit: &mut Visit<'_>) {
        let (size, within) = (self.rules.model.size(), lane % MOST_LANES);
        let block = &self.blocks[lane / MOST_LANES];
        let mut get = |name: &'static str, rows: &[Row<T>]| {
            let mut values: Vec<T> = rows[..size].iter().map(|row| row[within]).collect();
            visit.array(name, &[size], &mut values);
            values
        };
        let position = get("position", &block.position);
        let velocity = get("velocity", &block.velocity);
        let acceleration = get("acceleration", &block.acceleration);
        self.put(|block| &mut block.position, lane, &position);
        self.put(|block| &mut block.velocity, lane, &velocity);
        self.put(|block| &mut block.acceleration, lane, &acceleration);
        let block = &mut self.blocks[lane / MOST_LANES];
        visit.scalar("time", &mut block.time[within]);
        let state = block.random[within].state;
        let mut words = [state as u32, (state >> 32) as u32];
        visit.array("random", &[2], &mut words);
        block.random[within].state = u64::from(words[0]) | u64::from(words[1]) << 32;
    }
}

/// A step of all blocks.
struct Step<'a, 'b, T> {
    rules: &'a CheetahRules<T>,
    blocks: &'a mut [Block<T>],
    actions: &'a [f32],
    out: &'a mut StepOut<'b, T>,
}

impl<T: Element> Job<T> for Step<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let Self { rules, blocks, actions, out } = self;
        let mut problem = Problem::<V>::new();
        let (motors, seen) = (rules.model.motors.len(), rules.obs_shape()[0]);
        let parts = (blocks.iter_mut())
            .zip(actions.chunks(MOST_LANES * motors))
            .zip(out.obs.chunks_mut(MOST_LANES * seen))
            .zip(out.reward.chunks_mut(MOST_LANES))
            .zip(out.truncated.chunks_mut(MOST_LANES));
        for ((((block, actions), obs), reward), truncated) in parts {
            let rewards = step_block::<V>(rules, &mut problem, block, actions);
            for (lane, obs) in obs.chunks_exact_mut(seen).enumerate() {
                block.time[lane] = block.time[lane].saturating_add(1);
                truncated[lane] = block.time[lane] >= rules.max_steps;
                reward[lane] = rewards[lane].to_f64() as f32;
                block.observe(rules, lane, obs);
            }
        }
        out.terminated.fill(false);
    }
}

/// Moves a block; there may be fewer actions than it has lanes. Returns rewards.
#[inline(always)]
fn step_block<V: Lanes>(
    rules: &CheetahRules<V::Element>,
    problem: &mut Problem<V>,
    block: &mut Block<V::Element>,
    actions: &[f32],
) -> Row<V::Element> {
    let settings = &rules.settings;
    let mut rewards = [V::Element::from_f64(0.0); MOST_LANES];
    for part in (0..actions.len() / rules.model.motors.len()).step_by(V::WIDTH) {
        let (forces, squares) = controls::<V>(rules, actions, part);
        let mut motion = load::<V>(rules, block, part);
        advance(&rules.model, problem, &mut motion, &forces, rules.substeps);
        save(rules, block, part, &motion);
        // What was travelled and not the difference of two places, which float32 rounds far away.
        let forward = V::of(settings.forward_reward_weight / rules.duration) * motion.travelled;
        forward.store(&mut rewards[part..]);
        for (reward, squares) in rewards[part..].iter_mut().zip(squares).take(V::WIDTH) {
            let cost = settings.ctrl_cost_weight as f32 * squares;
            *reward = *reward - V::Element::from_f64(cost.into());
        }
    }
    rewards
}

/// Forces of the motors, by link, and sums of squares of the actions.
#[inline(always)]
fn controls<V: Lanes>(
    rules: &CheetahRules<V::Element>,
    actions: &[f32],
    part: usize,
) -> ([V; MOST_LINKS], Row<f32>) {
    let motors = &rules.model.motors;
    let (mut forces, mut squares) = ([V::zero(); MOST_LINKS], [0.0; MOST_LANES]);
    let mut wrong = V::Mask::never();
    for (i, motor) in motors.iter().enumerate() {
        let mut row = [V::Element::from_f64(0.0); MOST_LANES];
        let lanes = actions.chunks_exact(motors.len()).skip(part).take(V::WIDTH);
        for (lane, action) in lanes.enumerate() {
            row[lane] = V::Element::from_f64(action[i].into());
            squares[lane] += action[i] * action[i];
        }
        let control = V::load(&row);
        // Infinite ones are cut to the range like others; only what is no number is wrong.
        wrong = wrong | !control.is_number();
        let cut = control.max(V::splat(motor.low)).min(V::splat(motor.high));
        forces[motor.link] = V::splat(motor.gear) * cut;
    }
    // MuJoCo then takes all controls for 0.
    if wrong.any() {
        forces = forces.map(|force| V::zero().or(wrong, force));
    }
    (forces, squares)
}

/// A part of a block, with coordinates as the calculations want them.
#[inline(always)]
fn load<V: Lanes>(
    rules: &CheetahRules<V::Element>,
    block: &Block<V::Element>,
    part: usize,
) -> Motion<V> {
    let mut motion = Motion::zero();
    for i in 0..rules.model.size() {
        let sign = sign::<V>(rules, i);
        motion.position[i] = sign * V::load(&block.position[i][part..]);
        motion.velocity[i] = sign * V::load(&block.velocity[i][part..]);
        motion.acceleration[i] = sign * V::load(&block.acceleration[i][part..]);
    }
    motion
}

#[inline(always)]
fn save<V: Lanes>(
    rules: &CheetahRules<V::Element>,
    block: &mut Block<V::Element>,
    part: usize,
    motion: &Motion<V>,
) {
    for i in 0..rules.model.size() {
        let sign = sign::<V>(rules, i);
        (sign * motion.position[i]).store(&mut block.position[i][part..]);
        (sign * motion.velocity[i]).store(&mut block.velocity[i][part..]);
        (sign * motion.acceleration[i]).store(&mut block.acceleration[i][part..]);
    }
}

#[inline(always)]
fn sign<V: Lanes>(rules: &CheetahRules<V::Element>, coordinate: usize) -> V {
    match coordinate {
        0 | 1 => V::one(),
        _ => V::splat(rules.model.links[coordinate - 2].sign),
    }
}
