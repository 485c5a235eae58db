//! Named state, loading, snapshots.

mod common;

use common::{Buffers, actions, counter, seeds};
use vecenv::counter::CounterRules;
use vecenv::{Error, SplitMix64};

fn packed(position: i32, steps: u32, random: u64) -> Vec<u8> {
    [&position.to_le_bytes()[..], &steps.to_le_bytes(), &random.to_le_bytes()].concat()
}

#[test]
fn state_has_one_column_per_field() {
    let mut env = counter(3, 1);
    env.reset(&[1, 2, 3], &mut [0.0; 6]).unwrap();
    let state = env.state().unwrap();
    let described: Vec<_> =
        state.iter().map(|c| (c.field.name, c.field.dtype.name(), c.bytes.len())).collect();
    assert_eq!(
        described,
        [("position", "int32", 12), ("steps", "uint32", 12), ("random", "uint64", 24)]
    );
}

#[test]
fn a_loaded_lane_is_observed_and_stepped_from_there() {
    let mut env = counter(3, 1);
    let mut buffers = Buffers::of(&env);
    env.reset(&[1, 2, 3], &mut buffers.obs).unwrap();
    let neighbours = buffers.obs.clone();
    env.load(1, &packed(3, 2, 77)).unwrap();
    env.observe(&mut buffers.obs).unwrap();
    assert_eq!(buffers.obs[2..4], [0.75, 2.0 / 9.0]);
    assert_eq!(buffers.obs[..2], neighbours[..2]);
    assert_eq!(buffers.obs[4..], neighbours[4..]);
    env.step_raw(&[1, 2, 1], buffers.out()).unwrap();
    assert!(buffers.terminated[1]);
}

#[test]
fn a_state_that_cannot_be_played_is_refused_and_changes_nothing() {
    let mut env = counter(2, 1);
    env.reset(&[1, 2], &mut [0.0; 4]).unwrap();
    let before = env.snapshot().unwrap();
    let error = env.load(1, &packed(5, 0, 0)).unwrap_err();
    assert!(matches!(error, Error::State { lane: 1, .. }), "{error}");
    assert!(matches!(env.load(2, &packed(0, 0, 0)).unwrap_err(), Error::Lane { lane: 2, last: 1 }));
    assert!(matches!(env.load(0, &[0; 3]).unwrap_err(), Error::Length { buffer: "state", .. }));
    assert_eq!(env.snapshot().unwrap(), before);
}

#[test]
fn all_lanes_are_loaded_at_once_or_none() {
    let (lanes, threads) = (70, 2);
    let mut env = counter(lanes, threads);
    let mut buffers = Buffers::of(&env);
    let states: Vec<Vec<u8>> =
        (0..lanes).map(|lane| packed(lane as i32 % 9 - 4, lane as u32, 7)).collect();
    env.load_all(&states.concat()).unwrap(); // no reset is needed: every lane has a state now
    env.observe(&mut buffers.obs).unwrap();
    let shown: Vec<f32> = (0..lanes).map(|lane| (lane as i32 % 9 - 4) as f32 / 4.0).collect();
    assert_eq!(buffers.obs.iter().step_by(2).copied().collect::<Vec<_>>(), shown);
    let before = env.snapshot().unwrap();
    let broken = [&states[..69].concat()[..], &packed(5, 0, 0)].concat();
    assert!(matches!(env.load_all(&broken).unwrap_err(), Error::State { lane: 69, .. }));
    let short = env.load_all(&states[0]).unwrap_err();
    assert!(matches!(short, Error::Length { buffer: "state", .. }));
    assert_eq!(env.snapshot().unwrap(), before);
}

#[test]
fn a_snapshot_continues_to_the_same_end_on_other_threads() {
    let (lanes, mut random) = (70, SplitMix64::new(1));
    let mut env = counter(lanes, 1);
    let mut buffers = Buffers::of(&env);
    env.reset(&seeds(lanes), &mut buffers.obs).unwrap();
    for round in 0..20 {
        let snapshot = env.snapshot().unwrap();
        let mut twin = counter(lanes, 1 + round % 3);
        twin.restore(&snapshot).unwrap();
        let mut twins = buffers.clone();
        twin.observe(&mut twins.obs).unwrap();
        assert_eq!(twins.obs, buffers.obs);
        for _ in 0..7 {
            let drawn = actions(&mut random, lanes);
            buffers.step(&mut env, &drawn).unwrap();
            twins.step(&mut twin, &drawn).unwrap();
            assert_eq!(twins, buffers);
        }
        assert_eq!(twin.snapshot().unwrap(), env.snapshot().unwrap());
    }
}

#[test]
fn every_changed_or_missing_byte_is_noticed() {
    let mut env = counter(2, 1);
    env.reset(&[1, 2], &mut [0.0; 4]).unwrap();
    let snapshot = env.snapshot().unwrap();
    for at in 0..snapshot.len() {
        let mut damaged = snapshot.clone();
        damaged[at] ^= 0x41;
        assert!(env.restore(&damaged).is_err(), "byte {at} changed");
        assert!(env.restore(&snapshot[..at]).is_err(), "cut at {at}");
    }
    assert_eq!(env.restore(b"").unwrap_err(), Error::NotASnapshot);
    assert_eq!(env.restore(&[&snapshot[..], b"x"].concat()).unwrap_err(), Error::SnapshotDamaged);
    assert_eq!(env.snapshot().unwrap(), snapshot);
}

#[test]
fn foreign_snapshots_are_named_as_such() {
    let mut env = counter(2, 1);
    env.reset(&[1, 2], &mut [0.0; 4]).unwrap();
    let snapshot = env.snapshot().unwrap();

    let error = counter(3, 1).restore(&snapshot).unwrap_err();
    assert_eq!(error, Error::SnapshotLanes { theirs: 2, ours: 3 });

    let rules = CounterRules::new(4, 10).unwrap();
    let error = common::CounterVec::new(rules, 2, 1).unwrap().restore(&snapshot).unwrap_err();
    assert!(
        error.to_string().contains("max_steps 9") && error.to_string().contains("max_steps 10")
    );

    let mut newer = snapshot.clone();
    newer[6] = 2;
    assert_eq!(env.restore(&newer).unwrap_err(), Error::SnapshotFormat(2));
}
