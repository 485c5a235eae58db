//! One lane: a machine, and what has been seen of its RAM.

use crate::rules::{GameRules, Picture, play};
use gameboy::Machine;
use vecenv::{Env, Outcome, SplitMix64, Visit};

/// One game being played.
pub struct Game {
    machine: Machine,
    random: SplitMix64,
    steps: u32,
    /// The numbers of the reward after the last step.
    values: Vec<i64>,
    /// Whether the episode began as the settings say.
    begun: bool,
    /// Why a loaded state cannot be played.
    refused: Option<String>,
}

impl Game {
    /// Whether an episode of a seed begins as the settings say.
    pub(crate) fn begins(rules: &GameRules, seed: u64) -> Result<(), String> {
        let mut game = Self::new(rules);
        game.reset(rules, seed);
        game.begun(rules)
    }

    fn read(&mut self, rules: &GameRules) {
        let terms = rules.settings.reward.iter();
        for (value, term) in self.values.iter_mut().zip(terms) {
            *value = term.number.read(&mut self.machine);
        }
    }
}

impl Env for Game {
    type Rules = GameRules;

    // A step takes some hundred microseconds.
    const GRAIN: usize = 1;
    const MAY_NOT_BEGIN: bool = true;

    fn new(rules: &GameRules) -> Self {
        Self {
            machine: (*rules.start).clone(),
            random: SplitMix64::default(),
            steps: 0,
            values: vec![0; rules.settings.reward.len()],
            begun: true,
            refused: None,
        }
    }

    fn reset(&mut self, rules: &GameRules, seed: u64) {
        self.random = SplitMix64::new(seed);
        self.restart(rules);
    }

    fn restart(&mut self, rules: &GameRules) {
        let settings = &*rules.settings;
        let Self { machine, random, .. } = self;
        machine.clone_from(&rules.start);
        if let Some(seed) = settings.seed {
            let value = 1 + random.below((1 << (8 * u64::from(seed.bytes))) - 1);
            for i in 0..u16::from(seed.bytes) {
                machine.poke(seed.address.wrapping_add(i), (value >> (8 * i)) as u8);
            }
        }
        if settings.noops > 0 {
            machine.tick(random.below(u64::from(settings.noops) + 1), false);
        }
        play(machine, &settings.after);
        let mut waited = 0;
        while waited < settings.patience && !settings.until.iter().all(|c| c.holds(machine)) {
            machine.tick_frame(false);
            waited += 1;
        }
        self.begun = settings.until.iter().all(|condition| condition.holds(machine));
        machine.tick_frame(true);
        self.steps = 0;
        self.read(rules);
    }

    fn step(&mut self, rules: &GameRules, action: &[i32]) -> Outcome {
        let settings = &*rules.settings;
        let machine = &mut self.machine;
        machine.hold(settings.actions[action[0] as usize]);
        let rest = settings.frame_skip - settings.press;
        machine.tick(u64::from(settings.press), rest == 0);
        if rest > 0 {
            machine.hold(0);
            machine.tick(u64::from(rest), true);
        }
        self.steps = self.steps.saturating_add(1);
        let mut reward = 0.0;
        for (value, term) in self.values.iter_mut().zip(&settings.reward) {
            let now = term.number.read(machine);
            reward += term.of(*value, now);
            *value = now;
        }
        // A machine that stands still will not go on: nothing can be played from there.
        let terminated =
            machine.fault().is_some() || settings.done.iter().any(|c| c.holds(machine));
        Outcome {
            reward: reward as f32,
            terminated,
            truncated: self.steps >= settings.max_steps && !terminated,
        }
    }

    fn observe(&self, rules: &GameRules, obs: &mut [u8]) {
        match rules.settings.picture {
            Picture::Gray => self.machine.screen_gray(obs),
            Picture::Index => self.machine.screen_index(obs),
            Picture::Rgb => self.machine.screen_rgb(obs),
            Picture::Small => self.machine.screen_small(obs),
        }
    }

    fn fields(&mut self, rules: &GameRules, visit: &mut Visit<'_>) {
        visit.scalar("steps", &mut self.steps);
        visit.scalar("random", &mut self.random.state);
        let terms = self.values.len();
        visit.array("values", &[terms], &mut self.values);
        let mut bytes = self.machine.snapshot();
        let before = bytes.clone();
        visit.array("machine", &[rules.snapshot_len], &mut bytes);
        self.refused = match bytes != before {
            true => self.machine.restore(&bytes).err().map(|error| error.to_string()),
            false => None,
        };
    }

    fn begun(&self, rules: &GameRules) -> Result<(), String> {
        let patience = rules.settings.patience;
        let why = || format!("the game did not begin within {patience} frames; change its start");
        if self.begun { Ok(()) } else { Err(why()) }
    }

    fn check(&self, _rules: &GameRules) -> Result<(), String> {
        self.refused.clone().map_or(Ok(()), Err)
    }
}
