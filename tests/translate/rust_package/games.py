"""The lamp in Rust with options for what else a game can be: one extension module to build."""

from tests.translate.rust_answers import ENV, changed

# `dice`: a step draws. `parts`: an observation with names. `players=2`: both turn the same lamp,
# are paid by their own seat, and may not turn it beyond its ends. `actions`: of another kind.
GAME = changed(
    ENV,
    "    max_steps: i64,\n}",
    "    max_steps: i64,\n    dice: bool,\n    parts: bool,\n    players: usize,\n"
    "    actions: String,\n}",
)
GAME = changed(
    GAME,
    "Ok(Lamp { level: 0, heat: 0.0, time: 0, max_steps })",
    """let (dice, parts) = (options.flag("dice", false)?, options.flag("parts", false)?);
        let players = options.int("players", 1)? as usize;
        let actions = options.text("actions", "")?;
        Ok(Lamp { level: 0, heat: 0.0, time: 0, max_steps, dice, parts, players, actions })""",
)
GAME = changed(
    GAME,
    "        Space::uniform(0.0, 10.0, &[2], Dtype::F32)\n    }",
    """        if self.parts {
            return Space::Dict(vec![
                ("heat", Space::uniform(0.0, 10.0, &[1], Dtype::F64)),
                ("level", Space::discrete(10)),
                ("picture", Space::uniform(0.0, 255.0, &[2, 2], Dtype::U8)),
            ]);
        }
        Space::uniform(0.0, 10.0, &[2], Dtype::F32)
    }

    fn players(&self) -> usize {
        self.players
    }

    fn choices(&self) -> usize {
        if self.players > 1 { 3 } else { 0 }
    }

    fn legal(&self, _player: usize, legal: &mut [bool]) {
        legal[0] = self.level > 0;
        legal[2] = self.level < 9;
    }

    fn step_together(
        &mut self,
        actions: &[Action],
        rewards: &mut [f64],
        rng: &mut Rng,
    ) -> Outcome {
        let turns = actions.iter().map(|action| action.discrete() - 1).sum::<i64>();
        let outcome = self.random_step(Action::Discrete(1 + turns), rng);
        for (seat, reward) in rewards.iter_mut().enumerate() {
            *reward = outcome.reward * seat as f64;
        }
        outcome
    }

    fn observe_as(&self, player: usize, out: &mut [f64]) {
        self.observe(out);
        if player > 0 {
            out[0] = 9.0 - out[0];
        }
    }

    fn random_step(&mut self, action: Action, rng: &mut Rng) -> Outcome {
        if self.dice {
            self.heat += 0.5 * rng.between(0.0, 0.1);
            self.level = (self.level + rng.integer(-1, 2)).clamp(0, 9);
        }
        self.step(action)
    }""",
)
GAME = changed(
    GAME,
    "        out[0] = self.level as f64;\n        out[1] = self.heat;",
    """        if self.parts {
            (out[0], out[1]) = (self.heat, self.level as f64);
            out[2..].fill(28.0 * self.level as f64);
            return;
        }
        out[0] = self.level as f64;
        out[1] = self.heat;""",
)
GAME = changed(
    GAME,
    "        Space::discrete(3)",
    """        match self.actions.as_str() {
            "box" => Space::bounds(&[-1.0, 0.0], &[1.0, 1.0], Dtype::F32),
            "several" => Space::MultiDiscrete(vec![3, 2]),
            _ => Space::discrete(3),
        }""",
)
GAME = changed(
    GAME,
    "action.discrete() - 1).clamp(0, 9)",
    """match action {
                Action::Discrete(number) => number - 1,
                Action::Several(numbers) => (numbers[0] - 1) * (1 + numbers[1]),
                Action::Continuous(elements) => elements[0].round() as i64,
            })
            .clamp(0, 9)""",
)
