//! Settings of a Game Boy game, from the plain tuples that Python passes.

use gameboy_env::{Condition, Number, Picture, Press, Reward, Seed, Settings, Test};

/// Address, bytes, encoding, test, value.
pub type ConditionTuple = (u16, u8, String, String, i64);
/// Address, bytes, encoding, scale, whether the change counts.
pub type RewardTuple = (u16, u8, String, f64, bool);

/// Settings that are being filled in.
pub struct Given(pub Settings);

/// What a step is; the rest follows.
pub fn settings(
    actions: Vec<u8>,
    frame_skip: u32,
    press: u32,
    observation: &str,
    max_steps: u32,
) -> Result<Given, String> {
    Ok(Given(Settings {
        actions,
        frame_skip,
        press,
        picture: Picture::named(observation)?,
        max_steps,
        script: Vec::new(),
        seed: None,
        noops: 0,
        after: Vec::new(),
        until: Vec::new(),
        patience: 0,
        reward: Vec::new(),
        done: Vec::new(),
    }))
}

impl Given {
    /// How an episode begins.
    pub fn begins(
        mut self,
        script: Vec<(u8, u32)>,
        seed: Option<(u16, u8)>,
        noops: u32,
        after: Vec<(u8, u32)>,
    ) -> Result<Self, String> {
        if let Some((_, bytes)) = seed
            && !(1..=Number::MOST_BYTES).contains(&bytes)
        {
            return Err(format!("a seed has {bytes} bytes; choose 1 to {}", Number::MOST_BYTES));
        }
        self.0.script = presses(script);
        self.0.seed = seed.map(|(address, bytes)| Seed { address, bytes });
        self.0.noops = noops;
        self.0.after = presses(after);
        Ok(self)
    }

    /// What is awaited before it is played.
    pub fn waits(mut self, until: Vec<ConditionTuple>, patience: u32) -> Result<Self, String> {
        self.0.until = conditions(until)?;
        self.0.patience = patience;
        Ok(self)
    }

    /// What is paid, and when it is over.
    pub fn pays(
        mut self,
        reward: Vec<RewardTuple>,
        done: Vec<ConditionTuple>,
    ) -> Result<Self, String> {
        let terms = reward.into_iter().map(|(address, bytes, encoding, scale, change)| {
            Ok(Reward { number: Number::new(address, bytes, &encoding)?, scale, change })
        });
        self.0.reward = terms.collect::<Result<_, String>>()?;
        self.0.done = conditions(done)?;
        Ok(self)
    }
}

fn presses(script: Vec<(u8, u32)>) -> Vec<Press> {
    script.into_iter().map(|(buttons, frames)| Press { buttons, frames }).collect()
}

fn conditions(given: Vec<ConditionTuple>) -> Result<Vec<Condition>, String> {
    let each = given.into_iter().map(|(address, bytes, encoding, test, value)| {
        let number = Number::new(address, bytes, &encoding)?;
        Ok(Condition { number, test: Test::named(&test)?, value })
    });
    each.collect()
}
