//! Damage, healing and fainting.

use crate::data::CondKind;
use crate::event::{Answer, Context, Event};
use crate::ids::{cond, event};
use crate::mon::Threat;
use crate::state::{Battle, Effect, EffectKind, Fainting, P, SwitchFlag, side_of};

impl Battle {
    /// Damage: `Some(dealt)`, or `None` where it is refused. Amounts are floored fractions; other
    /// than 0, they are 1 at least.
    pub fn damage(
        &mut self,
        amount: i32,
        target: P,
        source: Option<P>,
        effect: Effect,
    ) -> Option<i32> {
        let mon = &self.mons[target];
        if mon.hp == 0 {
            return Some(0);
        }
        if !mon.is_active() {
            return None;
        }
        let damage = if amount == 0 { 0 } else { amount.max(1) };
        if effect.kind == EffectKind::Condition
            && self.t.conditions[effect.id as usize].kind == CondKind::Weather
        {
            let threat = if effect.is_condition(cond::SANDSTORM) {
                Threat::Sandstorm
            } else {
                Threat::Other
            };
            if !self.open_to(target, threat) {
                return Some(0);
            }
        }
        let mut cx = Context::new(target, source, effect).with(damage);
        if self.refused(event::DAMAGE, &mut cx) {
            return None;
        }
        let damage = cx.number;
        let dealt = self.hurt(target, damage, source, effect);
        if let (EffectKind::Move, Some(source)) = (effect.kind, source) {
            let drain = self.t.moves[effect.id as usize].drain;
            if dealt > 0 && drain.1 > 0 && effect.id != 0 {
                let (n, d) = (i32::from(drain.0), i32::from(drain.1));
                let amount = (2 * dealt * n + d) / (2 * d);
                self.heal(amount, source, Some(target), Effect::DRAIN);
            }
        }
        Some(dealt)
    }

    fn refused(&mut self, what: Event, cx: &mut Context) -> bool {
        matches!(self.run_event(what, cx), Answer::No | Answer::Null)
    }

    /// Takes HP, and puts who has none left in line to faint.
    pub fn hurt(&mut self, p: P, amount: i32, source: Option<P>, effect: Effect) -> i32 {
        let mon = &mut self.mons[p];
        if mon.hp == 0 || amount <= 0 {
            return 0;
        }
        mon.hp -= amount;
        if mon.hp <= 0 {
            let dealt = amount + mon.hp;
            self.faint(p, source, effect);
            return dealt;
        }
        amount
    }

    /// Damage that nothing can prevent.
    pub fn direct_damage(&mut self, amount: i32, p: P, source: Option<P>, effect: Effect) -> i32 {
        if self.mons[p].hp == 0 || amount == 0 {
            return 0;
        }
        self.hurt(p, amount.max(1), source, effect)
    }

    /// Heals: `Some(healed)`, or `None` where it is refused. Amounts are floored, 1 at least where
    /// the fraction was not 0 (callers pass `fraction`).
    pub fn heal(
        &mut self,
        amount: i32,
        target: P,
        source: Option<P>,
        effect: Effect,
    ) -> Option<i32> {
        let mut cx = Context::new(target, source, effect).with(amount);
        if self.refused(event::TRYHEAL, &mut cx) {
            return None;
        }
        if cx.number == 0 {
            return Some(0);
        }
        let mon = &self.mons[target];
        if mon.hp == 0 || !mon.is_active() || mon.hp >= mon.maxhp {
            return None;
        }
        Some(self.mend(target, cx.number))
    }

    /// Gives HP without asking anyone.
    pub fn mend(&mut self, p: P, amount: i32) -> i32 {
        let mon = &mut self.mons[p];
        if mon.hp == 0 || amount <= 0 || mon.hp >= mon.maxhp {
            return 0;
        }
        let healed = amount.min(mon.maxhp - mon.hp);
        mon.hp += healed;
        healed
    }

    /// Sets HP to a value between 1 and the most.
    pub fn set_hp(&mut self, p: P, hp: i32) {
        let mon = &mut self.mons[p];
        if mon.hp != 0 {
            mon.hp = hp.max(1).min(mon.maxhp);
        }
    }

    /// Puts a Pokemon in line to faint.
    pub fn faint(&mut self, p: P, source: Option<P>, effect: Effect) {
        let mon = &mut self.mons[p];
        if mon.fainted() || mon.faint_queued() {
            return;
        }
        mon.hp = 0;
        mon.switch_flag = SwitchFlag::No;
        mon.set_faint_queued(true);
        let at = self.faint_len as usize;
        if at < self.faint_queue.len() {
            let source = source.map_or(0, |s| s as u8 + 1);
            self.faint_queue[at] = Fainting { target: p as u8, source, effect };
            self.faint_len += 1;
        }
    }

    /// Lets those in line faint; true where that ends the battle.
    pub fn faint_messages(&mut self, last_first: bool, mut check_win: bool) -> bool {
        if self.ended {
            return false;
        }
        let length = self.faint_len as usize;
        if length == 0 {
            return false;
        }
        if last_first {
            self.faint_queue[..length].rotate_right(1);
        }
        let mut last = Fainting::default();
        while self.faint_len > 0 {
            let before = self.faint_len;
            last = self.faint_queue[0];
            self.faint_queue.copy_within(1..before as usize, 0);
            self.faint_len -= 1;
            let p = last.target as usize;
            if self.mons[p].fainted() {
                continue;
            }
            self.fall(p, last);
            if self.faint_len >= before {
                check_win = true;
            }
        }
        if check_win && self.check_win(Some(last)) {
            return true;
        }
        let source = (last.source > 0).then(|| last.source as usize - 1);
        let mut cx = Context::new(last.target as usize, source, last.effect).with(length as i32);
        self.run_event(event::AFTERFAINT, &mut cx);
        false
    }

    fn fall(&mut self, p: P, by: Fainting) {
        let side = side_of(p);
        self.sides[side].left = self.sides[side].left.saturating_sub(1);
        if self.sides[side].total_fainted < 100 {
            self.sides[side].total_fainted += 1;
        }
        let source = (by.source > 0).then(|| by.source as usize - 1);
        self.run_event(event::FAINT, &mut Context::new(p, source, by.effect));
        self.end_ability(p);
        let mon = &mut self.mons[p];
        if mon.forme_regression() && !mon.transformed() {
            mon.base_species = mon.set_species;
            mon.base_ability = mon.set_ability;
        }
        self.clear_volatile(p, false);
        self.sides[side].fell[0] = true;
        let mon = &mut self.mons[p];
        mon.set_fainted(true);
        mon.set_illusion(false);
        mon.set_is_active(false);
        mon.set_is_started(false);
        mon.tera = 0;
        if mon.forme_regression() {
            self.update_max_hp(p);
            self.mons[p].set_forme_regression(false);
        }
    }

    /// Ends the battle where a side has none left.
    pub fn check_win(&mut self, last: Option<Fainting>) -> bool {
        let left = [self.sides[0].left, self.sides[1].left];
        match (left[0], left[1]) {
            (0, 0) => self.win(last.map(|last| side_of(last.target as usize))),
            (_, 0) => self.win(Some(0)),
            (0, _) => self.win(Some(1)),
            _ => return false,
        }
        true
    }

    /// Ends the battle for a side, or undecided.
    pub fn win(&mut self, side: Option<usize>) {
        if !self.ended {
            self.ended = true;
            self.winner = side.map_or(0, |side| side as u8 + 1);
            self.request = crate::state::Request::None;
        }
    }
}

/// A fraction of HP for healing: floored, but 1 at least.
pub fn fraction(of: i32, divisor: i32) -> i32 {
    (of / divisor).max(1)
}
