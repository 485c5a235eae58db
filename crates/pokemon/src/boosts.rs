//! Stages of stats.

use crate::event::{Answer, Context};
use crate::ids::event;
use crate::state::{Battle, Effect, P, side_of};

/// Stages for some stats: a value each, and which are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Boosts {
    pub by: [i8; 7],
    pub given: u8,
}

impl Boosts {
    /// A stage for one stat.
    pub fn one(stat: usize, by: i8) -> Self {
        Self::default().and(stat, by)
    }

    /// And one for another.
    pub fn and(mut self, stat: usize, by: i8) -> Self {
        self.by[stat] = by;
        self.given |= 1 << stat;
        self
    }

    /// Those that are not 0.
    pub fn of(by: [i8; 7]) -> Self {
        let given = (0..7).filter(|&i| by[i] != 0).fold(0, |all, i| all | 1 << i);
        Self { by, given }
    }
}

impl Battle {
    /// Changes stages. Yes where one changed, a silent failure where none did.
    pub fn boost(
        &mut self,
        boosts: Boosts,
        target: P,
        source: Option<P>,
        effect: Effect,
    ) -> Answer {
        if self.mons[target].hp == 0 {
            return Answer::Number;
        }
        if !self.mons[target].is_active() || self.sides[1 - side_of(target)].left == 0 {
            return Answer::No;
        }
        let mut cx = Context::new(target, source, effect);
        (cx.boosts, cx.given) = (boosts.by, boosts.given);
        self.run_event(event::CHANGEBOOST, &mut cx);
        cx.given &= Boosts::of(cx.boosts).given;
        for stat in 0..7 {
            let now = self.mons[target].boosts[stat];
            cx.boosts[stat] = (now + cx.boosts[stat]).clamp(-6, 6) - now;
        }
        self.run_event(event::TRYBOOST, &mut cx);
        let mut changed = false;
        for stat in 0..7 {
            if cx.given >> stat & 1 == 0 {
                continue;
            }
            let now = self.mons[target].boosts[stat];
            let by = (now + cx.boosts[stat]).clamp(-6, 6) - now;
            if by == 0 {
                continue;
            }
            self.mons[target].boosts[stat] += by;
            changed = true;
            let mut each = Context::new(target, source, effect);
            (each.boosts[stat], each.given) = (cx.boosts[stat], 1 << stat);
            self.run_event(event::AFTEREACHBOOST, &mut each);
        }
        let mut after = Context::new(target, source, effect);
        (after.boosts, after.given) = (cx.boosts, cx.given);
        self.run_event(event::AFTERBOOST, &mut after);
        if !changed {
            return Answer::Null;
        }
        let given = |stat: &usize| cx.given >> stat & 1 == 1;
        if (0..7).filter(given).any(|stat| cx.boosts[stat] > 0) {
            self.mons[target].set_stats_raised(true);
        }
        if (0..7).filter(given).any(|stat| cx.boosts[stat] < 0) {
            self.mons[target].set_stats_lowered(true);
        }
        Answer::Yes
    }

    /// The sum of stages above 0.
    pub fn positive_boosts(&self, p: P) -> i32 {
        self.mons[p].boosts.iter().map(|&b| i32::from(b.max(0))).sum()
    }
}
