//! What the environment does around the emulator, seen through a program of a few bytes.

use gameboy_env::{
    Condition, Game, GameRules, Number, Picture, Press, Reward, Seed, Settings, Test,
};
use vecenv::{Lanes, Rules, StepOut, VecEnv};

const RIGHT: u8 = 1;
const DOWN: u8 = 8;
const BUTTONS: u16 = 0xC001;
const SEED: u16 = 0xC010;

/// Copies the direction buttons to C001, again and again.
fn rom() -> Vec<u8> {
    let mut rom = vec![0; 0x8000];
    rom[0x100..0x104].copy_from_slice(&[0x00, 0xC3, 0x50, 0x01]);
    let program = [
        0x3E, 0x20, // LD A,20: directions
        0xE0, 0x00, // LDH (00),A
        0xF0, 0x00, // LDH A,(00)
        0x2F, // CPL
        0xE6, 0x0F, // AND 0F
        0xEA, 0x01, 0xC0, // LD (C001),A
        0x18, 0xF2, // JR to the beginning
    ];
    rom[0x150..0x150 + program.len()].copy_from_slice(&program);
    rom[0x14D] = rom[0x134..0x14D].iter().fold(0u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
    rom
}

fn number(address: u16, bytes: u8) -> Number {
    Number::new(address, bytes, "little").unwrap()
}

fn settings() -> Settings {
    Settings {
        actions: vec![RIGHT, DOWN, 0],
        frame_skip: 4,
        press: 4,
        picture: Picture::Small,
        max_steps: 3,
        script: vec![Press { buttons: 0, frames: 3 }],
        seed: Some(Seed { address: SEED, bytes: 2 }),
        noops: 0,
        after: Vec::new(),
        until: Vec::new(),
        patience: 10,
        reward: vec![Reward { number: number(BUTTONS, 1), scale: 0.5, change: false }],
        done: vec![Condition { number: number(BUTTONS, 1), test: Test::Equal, value: 8 }],
    }
}

struct Played {
    env: VecEnv<Lanes<Game>>,
    obs: Vec<u8>,
}

impl Played {
    fn new(settings: Settings) -> Self {
        let rules = GameRules::new(&rom(), None, None, settings).unwrap();
        let obs = vec![0; rules.obs_shape().iter().product()];
        Self { env: VecEnv::new(rules, 1, 1).unwrap(), obs }
    }

    fn reset(&mut self, seed: u64) -> &mut Self {
        self.env.reset(&[seed], &mut self.obs).unwrap();
        self
    }

    fn step(&mut self, action: i32) -> (f32, bool, bool) {
        let (mut reward, mut terminated, mut truncated) = ([0.0], [false], [false]);
        let out = StepOut {
            obs: &mut self.obs,
            reward: &mut reward,
            terminated: &mut terminated,
            truncated: &mut truncated,
        };
        self.env.step_raw(&[action], out).unwrap();
        (reward[0], terminated[0], truncated[0])
    }
}

#[test]
fn buttons_of_an_action_reach_the_program() {
    let mut played = Played::new(settings());
    played.reset(0);
    assert_eq!(played.step(0), (0.5 * f32::from(RIGHT), false, false));
    assert_eq!(played.step(2), (0.0, false, false));
}

#[test]
fn buttons_are_up_again_after_press_frames() {
    let mut played = Played::new(Settings { press: 2, ..settings() });
    assert_eq!(played.reset(0).step(0).0, 0.0);
}

#[test]
fn a_change_is_paid_once() {
    let reward = vec![Reward { number: number(BUTTONS, 1), scale: 2.0, change: true }];
    let mut played = Played::new(Settings { reward, ..settings() });
    played.reset(0);
    assert_eq!((played.step(0).0, played.step(0).0, played.step(2).0), (2.0, 0.0, -2.0));
}

#[test]
fn a_condition_ends_a_game_and_time_cuts_it() {
    let mut played = Played::new(settings());
    assert_eq!(played.reset(0).step(1), (4.0, true, false));
    played.reset(0);
    assert_eq!((played.step(2).2, played.step(2).2, played.step(2).2), (false, false, true));
    played.reset(0);
    played.step(2);
    played.step(2);
    assert_eq!(played.step(1), (4.0, true, false), "the end of a game is not called cut");
}

#[test]
fn a_seed_is_poked_and_is_never_zero() {
    let reward = vec![Reward { number: number(SEED, 2), scale: 1.0, change: false }];
    let mut played = Played::new(Settings { reward, ..settings() });
    let seeds: Vec<f32> = (0..8).map(|seed| played.reset(seed).step(2).0).collect();
    assert!(seeds.iter().all(|&seed| (1.0..=65535.0).contains(&seed)), "{seeds:?}");
    assert!(seeds.windows(2).any(|pair| pair[0] != pair[1]));
    assert_eq!(played.reset(3).step(2).0, seeds[3]);
}

#[test]
fn a_start_that_never_comes_is_refused() {
    let until = vec![Condition { number: number(0xC020, 1), test: Test::Equal, value: 1 }];
    let refused = GameRules::new(&rom(), None, None, Settings { until, ..settings() });
    assert!(refused.err().unwrap().contains("did not begin within 10 frames"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let said = |settings| GameRules::new(&rom(), None, None, settings).err().unwrap();
    assert!(said(Settings { actions: vec![], ..settings() }).contains("no actions"));
    assert!(said(Settings { press: 5, ..settings() }).contains("press 5"));
    assert!(said(Settings { max_steps: 0, ..settings() }).contains("max_steps is 0"));
    assert!(GameRules::new(&[0; 16], None, None, settings()).is_err());
    assert!(Number::new(0, 5, "little").is_err());
    assert!(Number::new(0, 1, "middle").is_err());
}

#[test]
fn a_snapshot_goes_on_where_it_was_taken() {
    let mut played = Played::new(Settings { max_steps: 100, ..settings() });
    played.reset(5);
    played.step(0);
    let kept = played.env.snapshot().unwrap();
    let first = (played.step(0), played.obs.clone());
    played.env.restore(&kept).unwrap();
    assert_eq!((played.step(0), played.obs.clone()), first);
    assert_eq!(played.env.state().unwrap().len(), 4);
}
