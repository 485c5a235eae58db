"""What a good agent writes for the lamp in Rust, and what bad ones write."""

from tests.translate.answers import changed

HEAT = """//! Heat of the lamp.

use crate::harness::Fields;

/// Heat after a tick; it rises with the square of the level.
pub fn warm(heat: f64, level: i64) -> f64 {
    let level = level as f64;
    0.75 * heat + 0.0625 * level * level
}

pub fn golden_warm(inputs: &Fields) -> Fields {
    Fields::new().with("result", warm(inputs.float("heat"), inputs.int("level")))
}
"""

ENV = """//! The lamp as a game.

use crate::harness::{Action, Dtype, Fields, Game, Options, Outcome, Rng, Space};
use crate::heat::warm;

#[derive(Clone)]
pub struct Lamp {
    level: i64,
    heat: f64,
    time: i64,
    max_steps: i64,
}

impl Game for Lamp {
    fn new(options: &Options) -> Result<Self, String> {
        let max_steps = options.int("max_steps", 40)?;
        Ok(Lamp { level: 0, heat: 0.0, time: 0, max_steps })
    }

    fn action_space(&self) -> Space {
        Space::discrete(3)
    }

    fn observation_space(&self) -> Space {
        Space::uniform(0.0, 10.0, &[2], Dtype::F32)
    }

    fn start(&mut self, rng: &mut Rng) {
        self.level = rng.integer(0, 4);
        self.heat = rng.uniform();
        self.time = 0;
    }

    fn step(&mut self, action: Action) -> Outcome {
        self.level = (self.level + action.discrete() - 1).clamp(0, 9);
        self.heat = warm(self.heat, self.level);
        self.time += 1;
        let melted = self.heat > 6.0;
        Outcome {
            reward: if melted { -10.0 } else { self.level as f64 },
            terminated: melted,
            truncated: self.time >= self.max_steps,
        }
    }

    fn observe(&self, out: &mut [f64]) {
        out[0] = self.level as f64;
        out[1] = self.heat;
    }

    fn state(&self) -> Fields {
        Fields::new().with("level", self.level).with("heat", self.heat).with("time", self.time)
    }

    fn load(&mut self, state: &Fields) {
        self.level = state.int("level");
        self.heat = state.float("heat");
        self.time = state.int("time");
    }
}
"""

# --- the heat ----------------------------------------------------------------------------------

WRONG_HEAT = changed(HEAT, "0.0625 * level * level", "0.0625 * level")
BROKEN_HEAT = changed(HEAT, "let level = level as f64;", "let level = level as f64")
NAMELESS_HEAT = changed(HEAT, "pub fn golden_warm", "fn golden_warm")

# --- the lamp ----------------------------------------------------------------------------------

WRONG_END = changed(ENV, "self.heat > 6.0", "self.heat > 7.0")
WRONG_LIMIT = changed(ENV, "self.time >= self.max_steps", "self.time > self.max_steps")
MISTYPED = changed(ENV, "warm(self.heat, self.level)", "warm(self.level, self.heat)")
OUT_OF_BOUNDS = changed(
    ENV,
    "self.heat = warm(self.heat, self.level);",
    "let brightness = [0, 1, 2, 3, 4, 5, 6];\n"
    "        self.level = brightness[self.level as usize];\n"
    "        self.heat = warm(self.heat, self.level);",
)
UNSAFE = changed(ENV, "out[0] =", "unsafe {}\n        out[0] =")

# One program for everything odd that a game can do; the option says what. The lazy one computes
# a step only if somebody has looked at the state before: the levels do, a race does not.
MOODY = changed(
    ENV,
    "    max_steps: i64,",
    "    max_steps: i64,\n    mood: String,\n    seen: Cell<bool>,\n    steps: i64,",
)
MOODY = changed(MOODY, "use crate::harness", "use std::cell::Cell;\n\nuse crate::harness")
MOODY = changed(
    MOODY,
    "Ok(Lamp {",
    """let mood = options.text("mood", "")?;
        if mood == "picky" {
            return Err("no lamp for you".to_string());
        }
        Ok(Lamp { mood, seen: Cell::new(true), steps: 0,""",
)
MOODY = changed(
    MOODY,
    "        self.time = 0;\n",
    """        if self.mood != "forgetful" {
            self.time = 0;
        }
        self.seen.set(true);
""",
)
MOODY = changed(
    MOODY,
    "        self.level = (self.level",
    """        self.steps += 1;
        match self.mood.as_str() {
            "chatty" => println!("{{\\"reward\\": 1}}"),
            "endless" => while self.level > 2 {},
            "deadly" if self.level > 2 => std::process::exit(3),
            "lazy" if !self.seen.replace(false) => return Outcome::default(),
            "tired" if self.steps > 12 => self.heat = 0.0,
            "old" if self.steps > 200 => self.heat = 0.0,
            _ => {}
        }
        self.level = (self.level""",
)
MOODY = changed(
    MOODY, "        Fields::new()", "        self.seen.set(true);\n        Fields::new()"
)
MOODY = changed(
    MOODY,
    '        self.time = state.int("time");\n',
    '        self.time = state.int("time");\n        self.seen.set(true);\n',
)
ECHO = changed(
    HEAT,
    'Fields::new().with("result", warm(inputs.float("heat"), inputs.int("level")))',
    "inputs.clone()",
)

# Spaces beyond the lamp's: several numbers or floats as actions, an observation in two axes, a
# state of arrays.
CRANE = """
use crate::harness::{Action, Array, Data, Dtype, Fields, Game, Options, Outcome, Rng, Space};

#[derive(Clone)]
pub struct Lamp {
    floats: bool,
    cargo: [[f32; 2]; 2],
    open: Vec<bool>,
}

impl Game for Lamp {
    fn new(options: &Options) -> Result<Self, String> {
        let floats = options.flag("floats", false)?;
        Ok(Lamp { floats, cargo: [[0.0; 2]; 2], open: vec![false; 3] })
    }

    fn action_space(&self) -> Space {
        match self.floats {
            true => Space::bounds(&[-1.0, 0.0], &[1.0, 0.5], Dtype::F32),
            false => Space::MultiDiscrete(vec![2, 3]),
        }
    }

    fn observation_space(&self) -> Space {
        Space::uniform(f64::NEG_INFINITY, f64::INFINITY, &[2, 2], Dtype::F64)
    }

    fn start(&mut self, rng: &mut Rng) {
        self.cargo = [[0.1; 2]; 2];
        self.open = (0..3).map(|_| rng.chance(0.5)).collect();
    }

    fn step(&mut self, action: Action) -> Outcome {
        let (row, more) = match action {
            Action::Continuous(&[side, height]) => (usize::from(side > 0.0), height as f32),
            Action::Several(&[row, more]) => (row as usize, more as f32),
            other => panic!("{other:?}"),
        };
        self.cargo[row][0] += more;
        self.open[0] = !self.open[0];
        Outcome { reward: f64::from(self.cargo[row][0]), ..Outcome::default() }
    }

    fn observe(&self, out: &mut [f64]) {
        for (out, x) in out.iter_mut().zip(self.cargo.concat()) {
            *out = f64::from(x);
        }
    }

    fn state(&self) -> Fields {
        let empty = Array::new(vec![0], Data::Ints(vec![]));
        Fields::new()
            .with("cargo", self.cargo)
            .with("open", self.open.clone())
            .with("empty", empty)
    }

    fn load(&mut self, state: &Fields) {
        let cargo = state.floats("cargo");
        self.cargo = [0, 2].map(|i| [cargo[i] as f32, cargo[i + 1] as f32]);
        self.open = state.flags("open");
    }
}
"""

SRC = "src/fast_lamp"


def turn(**files):
    """Files of a turn: heat=…, env=…; own=… is a test of the agent's."""
    own = {"tests/own/main.rs": files.pop("own")} if "own" in files else {}
    return {f"{SRC}/{name}.rs": text for name, text in files.items()} | own
