"""The lamp in Rust with options for what else a game can be: one extension module to build."""

from tests.translate.rust_answers import ENV, changed

# `dice`: a step draws. `laws`: it draws once with every method of `Rng`. `parts`: an observation
# with names. `players=2`: both turn the same lamp, are paid by their own seat, and may not turn it
# beyond its ends. `actions`: of another kind.
GAME = changed(
    ENV,
    "    max_steps: i64,\n}",
    "    max_steps: i64,\n    dice: bool,\n    laws: bool,\n    parts: bool,\n    players: usize,\n"
    "    actions: String,\n}",
)
GAME = changed(
    GAME,
    "Ok(Lamp { level: 0, heat: 0.0, time: 0, max_steps })",
    """let (dice, parts) = (options.flag("dice", false)?, options.flag("parts", false)?);
        let laws = options.flag("laws", false)?;
        let players = options.int("players", 1)? as usize;
        let actions = options.text("actions", "")?;
        let (level, heat, time) = (0, 0.0, 0);
        Ok(Lamp { level, heat, time, max_steps, dice, laws, parts, players, actions })""",
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
        if self.laws {
            let mut drawn = vec![rng.uniform(), rng.between(-1.0, 2.0), rng.normal()];
            drawn.extend([rng.gauss(1.0, 0.5), rng.lognormal(0.1, 0.2), rng.exponential(0.3)]);
            drawn.extend([rng.gamma(2.5, 0.1), rng.beta(0.5, 2.0), rng.triangular(0.0, 0.5, 1.0)]);
            drawn.extend(rng.dirichlet(&[0.5, 1.0, 3.0]));
            let mut whole = vec![rng.integer(-3, 9), rng.choice(&[2, 3, 5])];
            whole.extend([rng.weighted(&[0.2, 0.0, 0.8]) as i64, rng.poisson(12.5)]);
            whole.extend([rng.binomial(10, 0.3), rng.geometric(0.1)]);
            whole.extend(rng.multinomial(9, &[0.2, 0.3, 0.5]));
            whole.extend(rng.sample(9, 3));
            whole.extend(rng.weighted_sample(&[0.5, 0.25, 0.25], 2));
            whole.extend(rng.permutation(4));
            drawn.extend(whole.iter().map(|number| *number as f64));
            let weighted = drawn.iter().enumerate().map(|(place, x)| (place + 1) as f64 * x);
            self.heat = weighted.fold(0.0, |sum, x| sum + x);
        }
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
