//! `envwright._native`: the Rust environments as Python classes.
//!
//! An environment is one `native_env!` below; see `vecenv_python`.

mod game_settings;
mod gameboy;
mod pokemon;
mod runtime;

use game_settings::{ConditionTuple, RewardTuple, settings};
use gameboy_env::{Game, GameRules};

use planar::{CheetahRules, HalfCheetah, Settings};
use pong::{Pong, PongRules};
use vecenv::Lanes;
use vecenv::counter::{Counter, CounterRules};
use vecenv_python::prelude::*;

native_env! {
    /// A walk on a line: the smallest native environment, for tests and as an example.
    CounterVecEnv in "envwright._native" plays Lanes<Counter>,
    by (bound: i32 = 10, max_steps: u32 = 200) => CounterRules::new(bound, max_steps)
}

native_env! {
    /// Puffer Pong; 0 stays, 1 goes up, 2 goes down.
    PongVecEnv in "envwright._native" plays Pong<i32>, by (frame_skip: i64 = 1) => PongRules::new(frame_skip)
}

native_env! {
    /// Puffer Pong; a direction from -1 to 1.
    ContinuousPongVecEnv in "envwright._native" plays Pong<f32>, by (frame_skip: i64 = 1) => PongRules::new(frame_skip)
}

/// The two widths of numbers differ in nothing else.
macro_rules! half_cheetah {
    ($(#[$doc:meta])* $class:ident of $number:ty) => {
        native_env! {
            $(#[$doc])*
            $class in "envwright._native" plays HalfCheetah<$number>,
            by (
                robot: String = String::new(),
                forward_reward_weight: f64 = 1.0,
                ctrl_cost_weight: f64 = 0.1,
                reset_noise_scale: f64 = 0.1,
                exclude_current_positions_from_observation: bool = true,
                frame_skip: i64 = 5,
                max_steps: i64 = 1000,
            ) => CheetahRules::new(
                &robot,
                Settings {
                    forward_reward_weight,
                    ctrl_cost_weight,
                    reset_noise_scale,
                    exclude_current_positions_from_observation,
                    frame_skip,
                    max_steps,
                },
            )
        }
    };
}

half_cheetah! {
    /// HalfCheetah in float32: to run.
    HalfCheetahVecEnv of f32
}

half_cheetah! {
    /// HalfCheetah in float64: to verify.
    HalfCheetahF64VecEnv of f64
}

native_env! {
    /// A game of the Game Boy; what it pays and when it ends is read off its RAM.
    GameBoyVecEnv in "envwright._native" plays Lanes<Game>,
    by (
        rom: Vec<u8> = Vec::new(),
        cgb: Option<bool> = None,
        boot: Option<Vec<u8>> = None,
        actions: Vec<u8> = Vec::new(),
        frame_skip: u32 = 24,
        press: u32 = 24,
        observation: String = "gray".into(),
        max_steps: u32 = 1000,
        script: Vec<(u8, u32)> = Vec::new(),
        seed: Option<(u16, u8)> = None,
        noops: u32 = 0,
        after: Vec<(u8, u32)> = Vec::new(),
        until: Vec<ConditionTuple> = Vec::new(),
        patience: u32 = 600,
        reward: Vec<RewardTuple> = Vec::new(),
        done: Vec<ConditionTuple> = Vec::new(),
    ) => settings(actions, frame_skip, press, &observation, max_steps)
        .and_then(|given| given.begins(script, seed, noops, after))
        .and_then(|given| given.waits(until, patience))
        .and_then(|given| given.pays(reward, done))
        .and_then(|given| GameRules::new(&rom, cgb, boot.as_deref(), given.0))
}

/// The module that Python imports.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(runtime::runtime_sources, module)?)?;
    module.add_class::<CounterVecEnv>()?;
    module.add_class::<PongVecEnv>()?;
    module.add_class::<ContinuousPongVecEnv>()?;
    module.add_class::<HalfCheetahVecEnv>()?;
    module.add_class::<HalfCheetahF64VecEnv>()?;
    module.add_class::<gameboy::GameBoys>()?;
    module.add_class::<pokemon::PokemonBattles>()?;
    module.add_class::<GameBoyVecEnv>()
}
