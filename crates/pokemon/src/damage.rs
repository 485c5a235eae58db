//! The damage of a hit.

use crate::data::Category;
use crate::event::{Answer, Context, modify};
use crate::hit_effects::Said;
use crate::ids::{ability, cond, event, moves, species, types};
use crate::mon::stat;
use crate::state::{Battle, Effect, P};

/// One in how many hits is critical, by ratio.
const CRIT_CHANCE: [u32; 5] = [0, 24, 8, 2, 1];

impl Battle {
    /// Damage that a hit would do: none said for status moves, false for the immune.
    pub fn get_damage(&mut self, at: usize, p: P, target: P) -> Said {
        if !self.touched_by(target, at) {
            return Said::Truth(false);
        }
        let flight = self.flights[at];
        let entry = &self.t.moves[flight.id as usize];
        let effect = Effect::flight(flight.id, at);
        if let Some(fixed) = self.fixed_damage(at, p, target) {
            return Said::Number(fixed);
        }
        let power = self.move_power(at, p, target);
        if power == 0 {
            return Said::Nothing;
        }
        let power = power.max(1);
        let mut cx = Context::new(p, Some(target), effect).with(i32::from(entry.crit));
        self.run_event(event::MODIFYCRITRATIO, &mut cx);
        let ratio = cx.number.clamp(0, 4) as usize;
        let mut crit = entry.will_crit || ratio > 0 && self.rng.chance(1, CRIT_CHANCE[ratio]);
        if crit {
            let mut cx = Context::new(target, None, effect);
            crit = self.run_event(event::CRITICALHIT, &mut cx).holds();
        }
        self.flights[at].crit = crit;
        let own = self.has_on_base_power(flight.id);
        let mut cx = Context::new(p, Some(target), effect).with(power);
        let answer = self.run_event_with_move(event::BASEPOWER, &mut cx, own);
        if matches!(answer, Answer::No | Answer::Null) || cx.number == 0 {
            return Said::Number(0);
        }
        let power = self.tera_power(at, p, cx.number.max(1));
        let (attack, defense) = self.attack_and_defense(at, p, target, crit);
        let level = i64::from(self.mons[p].level);
        let base = (2 * level / 5 + 2) * i64::from(power) * i64::from(attack)
            / i64::from(defense.max(1))
            / 50;
        Said::Number(self.modify_damage(base as i32, at, p, target))
    }

    fn fixed_damage(&mut self, at: usize, p: P, target: P) -> Option<i32> {
        let id = self.flights[at].id;
        let (own, theirs) = (self.mons[p].hp, self.mons[target].hp);
        let amount = match id {
            moves::SUPERFANG | moves::RUINATION => (theirs / 2).max(1),
            moves::ENDEAVOR => theirs - own,
            moves::MIRRORCOAT => match self.vol(p, cond::MIRRORCOAT) {
                Some(volatile) => i32::from(volatile.data).max(1),
                None => 0,
            },
            _ => {
                return match self.t.moves[id as usize].damage {
                    0 => None,
                    -1 => Some(i32::from(self.mons[p].level)),
                    fixed => Some(i32::from(fixed)),
                };
            }
        };
        crate::fired::note(Effect::flight(id, at));
        Some(amount)
    }

    /// Weak moves of the type one has terastallized into count as 60.
    fn tera_power(&self, at: usize, p: P, power: i32) -> i32 {
        let flight = &self.flights[at];
        let entry = &self.t.moves[flight.id as usize];
        let mon = &self.mons[p];
        if mon.tera == 0 || power >= 60 || entry.priority > 0 || entry.hits.0 > 0 {
            return power;
        }
        let fits = if mon.tera == types::STELLAR {
            mon.stellar >> flight.kind & 1 == 0
        } else {
            self.has_type(p, flight.kind)
        };
        let varies = entry.power_call && (flight.power == 0 || flight.power == 150);
        if fits && !varies { 60 } else { power }
    }

    fn attack_and_defense(&mut self, at: usize, p: P, target: P, crit: bool) -> (i32, i32) {
        let flight = self.flights[at];
        let entry = &self.t.moves[flight.id as usize];
        let effect = Effect::flight(flight.id, at);
        let physical = flight.category == Category::Physical;
        let attacker = if entry.foe_offense { target } else { p };
        let by_category = if physical { stat::ATK } else { stat::SPA };
        let offense = if entry.offense > 0 { entry.offense as usize } else { by_category };
        let defense = match (entry.defense, physical) {
            (0, true) => stat::DEF,
            (0, false) => stat::SPD,
            (given, _) => given as usize,
        };
        let mut up = self.mons[attacker].boosts[offense - 1];
        let mut down = self.mons[target].boosts[defense - 1];
        if crit && up < 0 {
            up = 0;
        }
        if entry.ignore_defensive || crit && down > 0 {
            down = 0;
        }
        let attack = self.calculate_stat(attacker, offense, up, p);
        let guard = self.calculate_stat(target, defense, down, target);
        let attack_event = if physical { event::MODIFYATK } else { event::MODIFYSPA };
        let mut cx = Context::new(p, Some(target), effect).with(attack);
        self.run_event(attack_event, &mut cx);
        let attack = cx.number;
        let guard_event = if defense == stat::DEF { event::MODIFYDEF } else { event::MODIFYSPD };
        let mut cx = Context::new(target, Some(p), effect).with(guard);
        self.run_event(guard_event, &mut cx);
        (attack, cx.number)
    }

    fn modify_damage(&mut self, base: i32, at: usize, p: P, target: P) -> i32 {
        let flight = self.flights[at];
        let effect = Effect::flight(flight.id, at);
        let mut cx = Context::new(p, Some(target), effect).with(base + 2);
        self.run_event_first(event::WEATHERMODIFYDAMAGE, &mut cx);
        let mut damage = cx.number;
        if flight.crit {
            damage = damage * 3 / 2;
        }
        damage = damage * (100 - self.rng.below(16) as i32) / 100;
        if flight.kind != 0 {
            let stab = self.same_type_bonus(at, p, target);
            damage = modify(damage, stab);
        }
        let type_mod = self.effectiveness(target, at).clamp(-6, 6);
        self.flights[at].type_mod = type_mod as i8;
        if type_mod > 0 {
            damage <<= type_mod;
        } else {
            damage >>= -type_mod;
        }
        if self.mons[p].status == cond::BRN
            && flight.category == Category::Physical
            && !self.has_ability(p, ability::GUTS)
            && flight.id != moves::FACADE
        {
            damage = modify(damage, 2048);
        }
        let mut cx = Context::new(p, Some(target), effect).with(damage);
        self.run_event(event::MODIFYDAMAGE, &mut cx);
        if cx.number == 0 { 1 } else { cx.number & 0xFFFF }
    }

    /// The bonus for moves of one's own type, in 4096ths.
    fn same_type_bonus(&mut self, at: usize, p: P, target: P) -> i32 {
        let kind = self.flights[at].kind;
        let before = self.types_of(p, false, true);
        let same = self.has_type(p, kind) || before.has(kind);
        let mut bonus = if same { 6144 } else { 4096 };
        let mon = &mut self.mons[p];
        if mon.tera == types::STELLAR {
            if mon.stellar >> kind & 1 == 0 || self.flights[at].stellar {
                bonus = if same { 8192 } else { 4915 };
                self.flights[at].stellar = true;
                if mon.species != species::TERAPAGOSSTELLAR {
                    mon.stellar |= 1 << kind;
                }
            }
            return bonus;
        }
        if mon.tera == kind && before.has(kind) {
            bonus = 8192;
        }
        let effect = Effect::flight(self.flights[at].id, at);
        let mut cx = Context::new(p, Some(target), effect).with(bonus);
        self.run_event(event::MODIFYSTAB, &mut cx);
        cx.number
    }

    /// What a confused Pokemon does to itself.
    pub fn confusion_damage(&mut self, p: P) -> i32 {
        let boosts = self.mons[p].boosts;
        let attack = self.calculate_stat(p, stat::ATK, boosts[0], p);
        let defense = self.calculate_stat(p, stat::DEF, boosts[1], p);
        let level = i32::from(self.mons[p].level);
        let base = (2 * level / 5 + 2) * 40 * attack / defense.max(1) / 50 + 2;
        let damage = (base & 0xFFFF) * (100 - self.rng.below(16) as i32) / 100;
        damage.max(1)
    }
}
