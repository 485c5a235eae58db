//! Many at once: the same as one at a time, on every kind of register.

use crate::common::{CHEETAH, SEEN, actions, rules, step};
use planar::lanes::Element;
use planar::{CheetahRules, HalfCheetah, Registers, Settings};
use vecenv::{Batch, Rules, SplitMix64};

fn present() -> impl Iterator<Item = Registers> {
    Registers::ALL.into_iter().filter(|kind| kind.present())
}

fn batch<T: Element>(lanes: usize, registers: Registers) -> HalfCheetah<T> {
    let mut batch = HalfCheetah::new(&rules(), lanes);
    batch.use_registers(registers);
    (0..lanes).for_each(|lane| batch.reset(lane, lane as u64));
    batch
}

fn lanes_do_not_depend_on_neighbours<T: Element>(registers: Registers) {
    let lanes = 19;
    let mut together = batch::<T>(lanes, registers);
    let mut alone: Vec<HalfCheetah<T>> = (0..lanes)
        .map(|lane| {
            let mut single = batch(1, registers);
            single.reset(0, lane as u64);
            single
        })
        .collect();
    let mut random = SplitMix64::new(5);
    for time in 0..30 {
        let actions = actions(&mut random, lanes);
        let written = step(&mut together, &actions);
        for (lane, (single, action)) in alone.iter_mut().zip(actions.chunks(6)).enumerate() {
            let one = step(single, action);
            assert_eq!(one.obs, written.obs[lane * SEEN..][..SEEN], "lane {lane} at {time}");
            assert_eq!(one.reward[0], written.reward[lane]);
        }
    }
}

#[test]
fn odd_sizes_are_single_lanes_bit_for_bit() {
    for registers in present() {
        lanes_do_not_depend_on_neighbours::<f32>(registers);
        lanes_do_not_depend_on_neighbours::<f64>(registers);
    }
}

fn largest_difference<T: Element>(registers: Registers, steps: usize) -> f64 {
    let (mut one, mut other) = (batch::<T>(48, registers), batch::<T>(48, Registers::Plain));
    let (mut random, mut worst) = (SplitMix64::new(6), 0.0f64);
    for _ in 0..steps {
        let actions = actions(&mut random, 48);
        let (a, b) = (step(&mut one, &actions), step(&mut other, &actions));
        for (a, b) in a.obs.iter().zip(&b.obs) {
            worst = worst.max((a.to_f64() - b.to_f64()).abs());
        }
    }
    worst
}

#[test]
fn all_registers_come_to_nearly_the_same() {
    for registers in present() {
        // Roundings grow by a factor of some tens for each step on the ground.
        let single = largest_difference::<f32>(registers, 2);
        assert!(single < 2e-3, "{registers:?}: {single} in float32");
        let double = largest_difference::<f64>(registers, 10);
        assert!(double < 1e-7, "{registers:?}: {double} in float64");
    }
}

#[test]
fn episodes_are_cut_and_never_end() {
    let settings = Settings { max_steps: 3, ..Settings::default() };
    let rules = CheetahRules::<f32>::new(CHEETAH, settings).unwrap();
    let mut batch = HalfCheetah::new(&rules, 2);
    (0..2).for_each(|lane| batch.reset(lane, 1));
    for time in 1..5 {
        let written = step(&mut batch, &[0.0; 12]);
        assert_eq!(written.truncated, [time >= 3; 2]);
        assert_eq!(written.terminated, [false; 2]);
    }
    batch.restart(0);
    assert_eq!(step(&mut batch, &[0.0; 12]).truncated, [false, true]);
}

#[test]
fn starts_are_noise_of_the_right_size_and_differ() {
    let lanes = 4000;
    let mut batch = HalfCheetah::<f64>::new(&rules(), lanes);
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for lane in 0..lanes {
        batch.reset(lane, lane as u64);
        let mut obs = [0.0; SEEN];
        batch.observe(lane, &mut obs);
        positions.extend_from_slice(&obs[..8]);
        velocities.extend_from_slice(&obs[8..]);
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let power = |x: &[f64], n: i32| x.iter().map(|x| x.powi(n)).sum::<f64>() / x.len() as f64;
    assert!(positions.iter().all(|q| q.abs() < 0.1));
    assert!(mean(&positions).abs() < 0.002 && mean(&velocities).abs() < 0.003);
    assert!((power(&positions, 2) / (0.01 / 3.0) - 1.0).abs() < 0.03); // uniform
    assert!((power(&velocities, 2) / 0.01 - 1.0).abs() < 0.03);
    assert!((power(&velocities, 4) / 0.0003 - 1.0).abs() < 0.1); // normal
}

#[test]
fn x_is_seen_on_request() {
    let settings =
        Settings { exclude_current_positions_from_observation: false, ..Settings::default() };
    let rules = CheetahRules::<f64>::new(CHEETAH, settings).unwrap();
    assert_eq!(rules.obs_shape(), [18]);
    let (mut all, mut most) =
        (HalfCheetah::new(&rules, 1), HalfCheetah::new(&crate::common::rules(), 1));
    all.reset(0, 9);
    most.reset(0, 9);
    let (mut long, mut short) = ([0.0; 18], [0.0; 17]);
    all.observe(0, &mut long);
    most.observe(0, &mut short);
    assert_eq!(long[1..], short);
}
