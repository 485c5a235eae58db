//! What is fixed for the life of an environment: the cartridge, the settings, the start.

use crate::game::Game;
use crate::ram::{Condition, Reward};
use gameboy::{HEIGHT, Machine, Rom, WIDTH};
use std::sync::Arc;
use vecenv::Rules;

/// What an agent sees of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// One byte a pixel, 0 black to 255 white.
    Gray,
    /// One byte a pixel, the shade 0 (lightest) to 3.
    Index,
    /// Red, green, blue.
    Rgb,
    /// Every second pixel of every second row, in gray.
    Small,
}

impl Picture {
    /// By its name in a game's file.
    pub fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "gray" => Self::Gray,
            "index" => Self::Index,
            "rgb" => Self::Rgb,
            "small" => Self::Small,
            _ => {
                return Err(format!(
                    "there is no observation '{name}'; use gray, index, rgb or small"
                ));
            }
        })
    }

    /// Height, width, channels.
    pub fn shape(self) -> [usize; 3] {
        match self {
            Self::Gray | Self::Index => [HEIGHT, WIDTH, 1],
            Self::Rgb => [HEIGHT, WIDTH, 3],
            Self::Small => [HEIGHT / 2, WIDTH / 2, 1],
        }
    }
}

/// Buttons, and for how many frames they are down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Press {
    pub buttons: u8,
    pub frames: u32,
}

/// Where a game reads its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Seed {
    pub address: u16,
    pub bytes: u8,
}

/// A game as an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Buttons of each action.
    pub actions: Vec<u8>,
    /// Frames of a step.
    pub frame_skip: u32,
    /// Frames of a step in which the buttons are down.
    pub press: u32,
    /// What is seen.
    pub picture: Picture,
    /// Steps after which an episode is cut.
    pub max_steps: u32,
    /// Played once; every episode begins from there.
    pub script: Vec<Press>,
    /// Then a number is poked there,
    pub seed: Option<Seed>,
    /// up to so many frames are waited,
    pub noops: u32,
    /// this is played,
    pub after: Vec<Press>,
    /// and all of this awaited,
    pub until: Vec<Condition>,
    /// for at most so many frames.
    pub patience: u32,
    /// Terms of the reward.
    pub reward: Vec<Reward>,
    /// A game is over when one of these holds.
    pub done: Vec<Condition>,
}

/// A cartridge with its settings, and the machine at the place where episodes begin.
#[derive(Clone)]
pub struct GameRules {
    pub(crate) settings: Arc<Settings>,
    pub(crate) start: Arc<Machine>,
    /// Bytes of a snapshot: the same for all machines of a cartridge.
    pub(crate) snapshot_len: usize,
    title: String,
    fingerprint: u64,
}

impl GameRules {
    /// Checks the ROM and the settings, and plays the script. With `boot` that boot ROM is run.
    pub fn new(
        rom: &[u8],
        cgb: Option<bool>,
        boot: Option<&[u8]>,
        settings: Settings,
    ) -> Result<Self, String> {
        if settings.actions.is_empty() {
            return Err("there are no actions; name at least one".into());
        }
        if settings.frame_skip == 0 || settings.press > settings.frame_skip {
            return Err(format!(
                "frame_skip is {} and press {}; a step has at least one frame and presses within it",
                settings.frame_skip, settings.press
            ));
        }
        if settings.max_steps == 0 {
            return Err("max_steps is 0; choose at least 1".into());
        }
        let fingerprint = fnv1a(rom) ^ boot.map_or(0, fnv1a);
        let rom = Rom::new(rom).map_err(|error| error.to_string())?;
        let title = rom.title();
        let mut machine =
            Machine::new(Arc::new(rom), cgb, boot).map_err(|error| error.to_string())?;
        play(&mut machine, &settings.script);
        // Drawn, as in the reference: there it resets what a saved state leaves out.
        machine.tick_frame(true);
        if let Some(fault) = machine.fault() {
            return Err(format!("the game stopped before it began: {fault}"));
        }
        let snapshot_len = machine.snapshot().len();
        let start = Arc::new(machine);
        let rules = Self { settings: Arc::new(settings), start, snapshot_len, title, fingerprint };
        Game::begins(&rules, 0)?;
        Ok(rules)
    }
}

impl Rules for GameRules {
    type Obs = u8;
    type Action = i32;
    type Reward = f32;

    fn identity(&self) -> String {
        let cgb = if self.start.cgb() { "CGB" } else { "DMG" };
        let Self { title, fingerprint, settings, .. } = self;
        format!("gameboy v1, {title} ({fingerprint:016x}, {cgb}), {settings:?}")
    }

    fn lane_bytes(&self) -> usize {
        self.start.bytes() + size_of::<Game>()
    }

    fn obs_shape(&self) -> Vec<usize> {
        self.settings.picture.shape().to_vec()
    }

    fn allows(&self, action: &[i32]) -> bool {
        usize::try_from(action[0]).is_ok_and(|action| action < self.settings.actions.len())
    }

    fn allowed(&self) -> String {
        format!("a number from 0 to {}", self.settings.actions.len() - 1)
    }
}

/// Plays a script, of which nothing is drawn; no button stays down.
pub(crate) fn play(machine: &mut Machine, script: &[Press]) {
    for press in script {
        machine.hold(press.buttons);
        machine.tick(u64::from(press.frames), false);
    }
    machine.hold(0);
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
