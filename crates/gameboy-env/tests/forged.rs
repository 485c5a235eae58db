//! Forged snapshots and states, of the environment and of the emulator in it.

#[path = "../../vecenv/tests/common/forged.rs"]
mod forged;

use gameboy::{Machine, Rom};
use gameboy_env::{Game, GameRules, Picture, Settings};
use proptest::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use vecenv::{Lanes, Rules, VecEnv};

/// Counts, halts and jumps back.
fn rom() -> Vec<u8> {
    let mut rom = vec![0; 0x8000];
    rom[0x100..0x104].copy_from_slice(&[0x00, 0xC3, 0x50, 0x01]);
    let program = [0x3E, 0xC0, 0xE0, 0x46, 0xE0, 0x14, 0xFB, 0x76, 0x00, 0x04, 0x18, 0xF4];
    rom[0x150..0x150 + program.len()].copy_from_slice(&program);
    rom[0x14D] = rom[0x134..0x14D].iter().fold(0u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
    rom
}

#[test]
fn forged_bytes_are_refused_or_played() {
    let settings = Settings {
        actions: vec![0, 1],
        frame_skip: 1,
        press: 1,
        picture: Picture::Small,
        max_steps: 3,
        script: Vec::new(),
        seed: None,
        noops: 0,
        after: Vec::new(),
        until: Vec::new(),
        patience: 10,
        reward: Vec::new(),
        done: Vec::new(),
    };
    let rules = GameRules::new(&rom(), None, None, settings).unwrap();
    let seen: usize = rules.obs_shape().iter().product();
    let mut env = VecEnv::<Lanes<Game>>::new(rules, 1, 1).unwrap();
    env.reset(&[1], &mut vec![0; seen]).unwrap();
    forged::hold(&mut env, &[1], 24);
}

#[test]
fn an_emulator_refuses_forged_states_or_runs_on() {
    let rom = Arc::new(Rom::new(&rom()).expect("a header"));
    let mut machine = Machine::new(rom, Some(false), None).expect("a start");
    machine.tick(3, true);
    let (snapshot, state) = (machine.snapshot(), machine.save_state());
    let machine = RefCell::new(machine);
    let result = forged::runner(24).run(&forged::forgeries(), |forgery| {
        let machine = &mut *machine.borrow_mut();
        for accepted in
            [machine.restore(&forgery.of(&snapshot)), machine.load_state(&forgery.of(&state))]
        {
            if accepted.is_ok() {
                machine.tick(1, true);
                machine.snapshot();
            }
        }
        prop_assert!(machine.restore(&snapshot).is_ok());
        Ok(())
    });
    result.unwrap();
}
