//! The steps of a hit: protection, immunity, accuracy, and the hits themselves.

use crate::data::{Category, Target, flag, natural};
use crate::event::{Answer, Context};
use crate::ids::{ability, cond, event, item, moves, types};
use crate::mon::boost;
use crate::state::{Battle, Effect, EffectKind, Outcome, P};

/// Accuracy of what cannot miss, above any that can.
pub const SURE: i32 = 10_000;
/// How many hits of 2 to 5 each of twenty chances gives.
const HITS: [u8; 20] = [2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5];

impl Battle {
    /// Tries to hit a Pokemon; true where the move did something.
    pub fn try_hit(&mut self, at: usize, p: P, target: P, inactive: bool) -> bool {
        if inactive {
            self.active_move = at as u8 + 1;
            self.active_mon = p as u8 + 1;
            self.active_target = target as u8 + 1;
        }
        let prepared = if inactive { Answer::Yes } else { self.prepare_hit(at, p, target) };
        if !prepared.holds() {
            return prepared == Answer::NotFail;
        }
        match self.hit_steps(at, p, target) {
            Answer::Yes => {
                self.flights[at].hit_target = Some(target as u8);
                true
            }
            Answer::NotFail => {
                self.mons[p].move_result = Outcome::Nothing;
                false
            }
            _ => false,
        }
    }

    /// Yes where the target was hit; no failure where it only was protected.
    fn hit_steps(&mut self, at: usize, p: P, target: P) -> Answer {
        let effect = Effect::flight(self.flights[at].id, at);
        if self.misses_its_reach(at, p, target) {
            return Answer::No;
        }
        let answer =
            self.run_event_in_line(event::TRYHIT, &mut Context::new(target, Some(p), effect));
        match answer {
            Answer::NotFail => return Answer::NotFail,
            Answer::No | Answer::Null => return Answer::No,
            _ => {}
        }
        let flight = &mut self.flights[at];
        if !flight.immunity_known {
            flight.immunity_known = true;
            flight.ignore_immunity = flight.category == Category::Status;
        }
        if !self.touched_by(target, at) || !self.passes_immunity(at, p, target) {
            return Answer::No;
        }
        if !self.hits_by_accuracy(at, p, target) {
            return Answer::No;
        }
        if self.t.moves[self.flights[at].id as usize].breaks_protect
            && self.remove_volatile(target, cond::PROTECT)
        {
            self.vols(target).delete(cond::STALL);
        }
        Answer::of(self.hit_loop(at, p, target))
    }

    /// Whether the target is where the move does not reach.
    fn misses_its_reach(&self, at: usize, p: P, target: P) -> bool {
        let id = self.flights[at].id;
        let deep =
            self.has_vol(target, cond::DIG) && !matches!(id, moves::EARTHQUAKE | moves::MAGNITUDE);
        let high = self.has_vol(target, cond::FLY)
            && !matches!(
                id,
                moves::GUST
                    | moves::TWISTER
                    | moves::SKYUPPERCUT
                    | moves::THUNDER
                    | moves::HURRICANE
                    | moves::SMACKDOWN
                    | moves::THOUSANDARROWS
            );
        let sure = [p, target].iter().any(|&mon| self.has_ability(mon, ability::NOGUARD))
            || id == moves::TOXIC && self.has_type(p, types::POISON);
        (deep || high) && !sure
    }

    fn passes_immunity(&mut self, at: usize, p: P, target: P) -> bool {
        let flight = self.flights[at];
        if flight.flags & flag::POWDER != 0
            && target != p
            && !self.naturally_open(target, natural::POWDER)
        {
            return false;
        }
        if !self.move_on_try_immunity(at, p, target) {
            return false;
        }
        let sly = flight.prankster && self.has_ability(p, ability::PRANKSTER);
        !sly || Self::allied(p, target) || self.naturally_open(target, natural::PRANKSTER)
    }

    fn hits_by_accuracy(&mut self, at: usize, p: P, target: P) -> bool {
        self.active_target = target as u8 + 1;
        let flight = self.flights[at];
        let effect = Effect::flight(flight.id, at);
        let mut accuracy = SURE;
        if flight.accuracy > 0 {
            let given = i32::from(flight.accuracy);
            let mut cx = Context::new(target, Some(p), effect).with(given);
            self.run_event(event::MODIFYACCURACY, &mut cx);
            accuracy = cx.number;
            let own = self.mons[p].boosts;
            let mut stage = self.seen_boosts(p, own)[boost::ACCURACY].clamp(-6, 6);
            if !flight.ignore_evasion {
                let theirs = self.mons[target].boosts;
                stage = (stage - self.seen_boosts(target, theirs)[boost::EVASION]).clamp(-6, 6);
            }
            let stage = i32::from(stage);
            accuracy =
                if stage >= 0 { accuracy * (3 + stage) / 3 } else { accuracy * 3 / (3 - stage) };
        }
        let poisoner = flight.id == moves::TOXIC && self.has_type(p, types::POISON);
        let own = flight.target == Target::Own && flight.category == Category::Status;
        if poisoner || own {
            return true;
        }
        let mut cx = Context::new(target, Some(p), effect).with(accuracy);
        self.run_event(event::ACCURACY, &mut cx);
        cx.number >= SURE || self.rng.chance(cx.number as u32, 100)
    }

    /// Later hits of moves that may miss each time; accuracy is a fraction here.
    fn hits_again(&mut self, at: usize, p: P, target: P) -> bool {
        const STAGES: [f64; 7] = [1.0, 4.0 / 3.0, 5.0 / 3.0, 2.0, 7.0 / 3.0, 8.0 / 3.0, 3.0];
        let flight = self.flights[at];
        let effect = Effect::flight(flight.id, at);
        let mut accuracy = f64::from(flight.accuracy);
        if flight.accuracy > 0 {
            let own = self.mons[p].boosts;
            let stage = self.seen_boosts(p, own)[boost::ACCURACY].clamp(-6, 6);
            let factor = STAGES[stage.unsigned_abs() as usize];
            if stage > 0 {
                accuracy *= factor;
            } else {
                accuracy /= factor;
            }
            if !flight.ignore_evasion {
                let theirs = self.mons[target].boosts;
                let stage = self.seen_boosts(target, theirs)[boost::EVASION].clamp(-6, 6);
                let factor = STAGES[stage.unsigned_abs() as usize];
                if stage > 0 {
                    accuracy /= factor;
                } else if stage < 0 {
                    accuracy *= factor;
                }
            }
            // A fraction is not modified: modifiers are applied to whole numbers only.
            let whole = accuracy.fract() == 0.0;
            let mut cx = Context::new(target, Some(p), effect).with(accuracy as i32);
            self.run_event(event::MODIFYACCURACY, &mut cx);
            if whole {
                accuracy = f64::from(cx.number);
            }
        } else {
            accuracy = f64::from(SURE);
        }
        let mut cx = Context::new(target, Some(p), effect).with(accuracy as i32);
        self.run_event(event::ACCURACY, &mut cx);
        if cx.number >= SURE {
            return true;
        }
        f64::from(self.rng.below(100)) < accuracy
    }

    fn count_hits(&mut self, at: usize, p: P) -> u8 {
        let (least, most) = self.flights[at].hits;
        let mut hits = match (least, most) {
            (0, _) => 1,
            (2, 5) => {
                let hits = HITS[self.rng.below(20) as usize];
                if hits < 4 && self.has_item(p, item::LOADEDDICE) {
                    crate::fired::note(Effect::item(item::LOADEDDICE));
                    5 - self.rng.below(2) as u8
                } else {
                    hits
                }
            }
            (least, most) if least == most => least,
            (least, most) => self.rng.range(u32::from(least), u32::from(most) + 1) as u8,
        };
        if hits == 10 && self.has_item(p, item::LOADEDDICE) {
            crate::fired::note(Effect::item(item::LOADEDDICE));
            hits -= self.rng.below(7) as u8;
        }
        hits
    }

    /// The hits of a move, and what follows them; true where the target was hit.
    fn hit_loop(&mut self, at: usize, p: P, target: P) -> bool {
        self.flights[at].total_damage = 0;
        let hits = self.count_hits(at, p);
        let flight = self.flights[at];
        let entry = &self.t.moves[flight.id as usize];
        let effect = Effect::flight(flight.id, at);
        let usable_asleep = entry.sleep_usable
            || flight.source.kind == EffectKind::Move
                && self.t.moves[flight.source.id as usize].sleep_usable;
        let mut last = super::hit_effects::Hit::default();
        let mut landed = false;
        let mut hit = 1;
        while hit <= hits {
            if hit > 1 && self.mons[p].status == cond::SLP && !usable_asleep
                || self.mons[target].hp == 0
            {
                break;
            }
            self.flights[at].hit = hit;
            if self.flights[at].multiaccuracy && hit > 1 && !self.hits_again(at, p, target) {
                // A miss counts as an attack on the Pokemon, even if the hit before it went to a
                // substitute.
                last.target_left = true;
                break;
            }
            last = self.hit_once(at, p, target);
            if last.failed() {
                break;
            }
            landed = true;
            self.flights[at].total_damage += last.dealt();
            self.each_event(event::UPDATE, Effect::NONE);
            hit += 1;
            if self.mons[p].hp == 0 {
                break;
            }
        }
        if hit == 1 {
            return false;
        }
        let dead = self.mons[p].hp == 0;
        self.faint_messages(false, dead);
        let total = self.flights[at].total_damage;
        if entry.recoil.1 > 0 && total > 0 {
            let amount = recoil(total, entry.recoil);
            self.damage(amount, p, Some(p), Effect::RECOIL);
        }
        if entry.struggle_recoil {
            let amount = ((self.mons[p].base_maxhp * 2 + 4) / 8).max(1);
            self.direct_damage(amount, p, Some(p), Effect::RECOIL);
        }
        if last.target_left && target != p {
            self.note_attack(p, target, &last, hit - 1);
        }
        if !landed {
            return false;
        }
        self.each_event(event::UPDATE, Effect::NONE);
        let forced = self.flights[at].sheer && self.has_ability(p, ability::SHEERFORCE);
        if !forced && last.target_left {
            let mut cx = Context::new(target, Some(p), effect);
            self.run_event(event::AFTERMOVESECONDARY, &mut cx);
        }
        // The last hit may have missed its mark though others landed.
        !last.failed() || landed
    }

    fn note_attack(&mut self, p: P, target: P, last: &super::hit_effects::Hit, hits: u8) {
        let by = self.mons[p].ident % 6;
        let mon = &mut self.mons[target];
        mon.set_attacked(true);
        mon.last_attack_damage = last.dealt() as i16;
        if last.dealt() > 0 {
            mon.hurt_by |= 1 << by;
        }
        if last.is_number() {
            mon.times_attacked += u16::from(hits);
        }
    }
}

/// Recoil of damage dealt: rounded, 1 at least.
pub fn recoil(dealt: i32, (n, d): (u8, u8)) -> i32 {
    let (n, d) = (i32::from(n), i32::from(d));
    ((2 * dealt * n + d) / (2 * d)).max(1)
}
