//! Conditions that end when a Pokemon leaves.

use crate::data::flag;
use crate::event::{Answer, Context};
use crate::ids::{ability, cond, event, item, moves, types};
use crate::mon::Threat;
use crate::state::{Battle, Effect, EffectKind, Outcome, P, Volatile, foe_of};

impl Battle {
    /// Gives a condition.
    pub fn add_volatile(&mut self, p: P, id: u8, source: Option<P>, effect: Effect) -> Answer {
        if self.mons[p].hp == 0 || !p.is_multiple_of(6) {
            return Answer::No;
        }
        let source = source.unwrap_or(p);
        if self.has_vol(p, id) {
            return self.restart_volatile(p, id, source, effect);
        }
        let threat = match id {
            cond::TRAPPED => Threat::Trapped,
            cond::ATTRACT => Threat::Attract,
            _ => Threat::Other,
        };
        if !self.open_to(p, threat) {
            return Answer::No;
        }
        let mut cx = Context::new(p, Some(source), effect).about(u16::from(id));
        let answer = self.run_event(event::TRYADDVOLATILE, &mut cx);
        if !answer.holds() {
            return answer;
        }
        let duration = match id {
            cond::PARTIALLYTRAPPED => self.rng.range(5, 7) as u8,
            cond::HEALBLOCK if effect.is_move(moves::PSYCHICNOISE) => 2,
            _ => self.t.conditions[id as usize].duration,
        };
        let source_ident = self.mons[source].ident;
        self.vols(p).push(Volatile { id, duration, data: 0, extra: 0, source: source_ident });
        let started = self.start_volatile(p, id, source, effect);
        if !started.holds() {
            self.vols(p).delete(id);
            return started;
        }
        Answer::Yes
    }

    fn restart_volatile(&mut self, p: P, id: u8, source: P, effect: Effect) -> Answer {
        let Some(volatile) = self.vols(p).get_mut(id) else { return Answer::No };
        match id {
            cond::LOCKEDMOVE => {
                if volatile.extra >= 2 {
                    volatile.duration = 2;
                }
            }
            cond::STALL => {
                if volatile.data < 729 {
                    volatile.data *= 3;
                }
                volatile.duration = 2;
            }
            cond::CHARGE => {}
            cond::HEALBLOCK => {
                if !effect.is_move(moves::PSYCHICNOISE)
                    && self.mons[source].move_result != Outcome::Done
                {
                    self.mons[source].move_result = Outcome::Failed;
                }
            }
            _ => return Answer::No,
        }
        Answer::Yes
    }

    fn set_data(&mut self, p: P, id: u8, data: i32) {
        if let Some(volatile) = self.vols(p).get_mut(id) {
            volatile.data = data as i16; // a move, HP, turns
        }
    }

    fn set_extra(&mut self, p: P, id: u8, extra: u8) {
        if let Some(volatile) = self.vols(p).get_mut(id) {
            volatile.extra = extra;
        }
    }

    fn start_volatile(&mut self, p: P, id: u8, source: P, effect: Effect) -> Answer {
        match id {
            cond::CONFUSION => {
                let least = if effect.is_move(moves::AXEKICK) { 3 } else { 2 };
                let time = self.rng.range(least, 6) as i32;
                self.set_data(p, id, time);
            }
            cond::PARTIALLYTRAPPED => {
                let band = self.has_item(source, item::BINDINGBAND);
                self.set_extra(p, id, if band { 6 } else { 8 });
            }
            cond::LOCKEDMOVE => {
                let turns = self.rng.range(2, 4) as u8;
                self.set_extra(p, id, turns);
                self.set_data(p, id, i32::from(effect.id));
            }
            cond::TWOTURNMOVE => {
                self.set_data(p, id, i32::from(effect.id));
                let inner = charge_of(effect.id);
                self.add_volatile(p, inner, Some(source), effect);
                let mut cx = Context::new(p, Some(source), effect);
                self.run_event(event::PREPAREHIT, &mut cx);
            }
            cond::CHOICELOCK => {
                let Some(flight) = (self.active_move as usize).checked_sub(1) else {
                    return Answer::No;
                };
                let f = &self.flights[flight];
                if f.bounced {
                    return Answer::No;
                }
                let id_of_move = i32::from(f.id);
                self.set_data(p, id, id_of_move);
            }
            cond::STALL => self.set_data(p, id, 3),
            cond::SUBSTITUTE => {
                let hp = self.mons[p].maxhp / 4;
                self.set_data(p, id, hp);
                self.vols(p).delete(cond::PARTIALLYTRAPPED);
            }
            cond::ENCORE => return self.start_encore(p),
            cond::DISABLE => return self.start_disable(p),
            cond::TAUNT => {
                if self.mons[p].active_turns > 0
                    && !self.will_move(p)
                    && let Some(volatile) = self.vols(p).get_mut(id)
                {
                    volatile.duration += 1;
                }
            }
            cond::ROOST if self.mons[p].tera != 0 => {
                return Answer::No;
            }
            cond::PROTOSYNTHESIS | cond::QUARKDRIVE => {
                let booster = effect.kind == EffectKind::Item && effect.id == item::BOOSTERENERGY;
                let best = self.best_stat(p) as i32;
                self.set_extra(p, id, u8::from(booster));
                self.set_data(p, id, best);
            }
            cond::ATTRACT => {
                let (own, other) = (self.mons[p].gender, self.mons[source].gender);
                if !matches!((own, other), (1, 2) | (2, 1)) {
                    return Answer::No;
                }
            }
            cond::HEALBLOCK => self.mons[source].move_result = Outcome::Done,
            _ => {}
        }
        Answer::Yes
    }

    fn start_encore(&mut self, p: P) -> Answer {
        let last = self.mons[p].last_move;
        let slot = self.moves(p).iter().find(|slot| slot.id == last && last != 0);
        let fails = self.t.moves[last as usize].flags & flag::FAILENCORE != 0;
        if last == 0 || fails || slot.is_none_or(|slot| slot.pp == 0) {
            return Answer::No;
        }
        let late = !self.will_move(p);
        if let Some(volatile) = self.vols(p).get_mut(cond::ENCORE) {
            volatile.data = last as i16;
            volatile.duration += u8::from(late);
        }
        Answer::Yes
    }

    fn start_disable(&mut self, p: P) -> Answer {
        let using = self.active_mon as usize == p + 1
            && self.active_move > 0
            && !self.flights[self.active_move as usize - 1].external;
        let sooner = self.will_move(p) || using;
        let last = self.mons[p].last_move;
        let spent = self.moves(p).iter().any(|slot| slot.id == last && slot.pp == 0);
        if last == 0 || spent {
            return Answer::No;
        }
        if let Some(volatile) = self.vols(p).get_mut(cond::DISABLE) {
            volatile.data = last as i16;
            volatile.duration -= u8::from(sooner);
        }
        Answer::Yes
    }

    /// Takes a condition away, with what its end brings; false where it was not there.
    pub fn remove_volatile(&mut self, p: P, id: u8) -> bool {
        if self.mons[p].hp == 0 || !self.has_vol(p, id) {
            return false;
        }
        let Some(&volatile) = self.vol(p, id) else { return false };
        match id {
            cond::LOCKEDMOVE if volatile.extra <= 1 => {
                self.add_volatile(p, cond::CONFUSION, None, Effect::condition(id));
            }
            cond::TWOTURNMOVE => {
                self.remove_volatile(p, charge_of(volatile.data as u16));
            }
            cond::YAWN => {
                let source = self.place(volatile.source);
                self.try_set_status(p, cond::SLP, source, Effect::condition(cond::YAWN));
            }
            _ => {}
        }
        self.vols(p).delete(id);
        self.unlink(p, id);
        true
    }

    /// A trapper and whom it traps lose their bond together.
    fn unlink(&mut self, p: P, id: u8) {
        let other = foe_of(p);
        let partner = match id {
            cond::TRAPPED => cond::TRAPPER,
            cond::TRAPPER => cond::TRAPPED,
            _ => return,
        };
        let ident = self.mons[p].ident;
        if self.vol(other, partner).is_some_and(|v| v.source == ident) && self.mons[other].hp > 0 {
            self.vols(other).delete(partner);
        }
    }

    /// Spirit Shackle and the like: the target cannot leave while the user stays.
    pub fn trap(&mut self, p: P, source: P, effect: Effect) {
        if self.mons[source].hp == 0 {
            return;
        }
        if self.add_volatile(p, cond::TRAPPED, Some(source), effect) == Answer::Yes {
            self.add_volatile(source, cond::TRAPPER, Some(p), effect);
        }
    }

    /// Forgets the conditions of a Pokemon that leaves or faints.
    pub fn drop_volatiles(&mut self, p: P) {
        if !p.is_multiple_of(6) {
            return;
        }
        for id in [cond::TRAPPED, cond::TRAPPER] {
            if self.vols(p).delete(id).is_some() {
                self.unlink(p, id);
            }
        }
        let volatiles = self.vols(p);
        volatiles.len = 0;
        (volatiles.mask, volatiles.hooks) = (0, 0);
    }

    /// What a Pokemon cannot help using, where there is such a move; 0 is to recharge.
    pub fn locked_move(&self, p: P) -> Option<u16> {
        // Handlers stand by priority and speed, equal here, in the order they were gathered.
        for volatile in self.sides[p / 6].volatiles.iter() {
            match volatile.id {
                cond::LOCKEDMOVE | cond::TWOTURNMOVE => return Some(volatile.data as u16),
                cond::MUSTRECHARGE => return Some(0),
                _ => {}
            }
        }
        None
    }

    /// Whether the fire that Flash Fire takes burns on.
    pub fn kindled(&self, p: P, kind: u8) -> bool {
        kind == types::FIRE && self.has_ability(p, ability::FLASHFIRE)
    }
}

/// The condition of a Pokemon while a move is charged; 0 for other moves.
pub fn charge_of(id: u16) -> u8 {
    match id {
        moves::SOLARBEAM => cond::SOLARBEAM,
        moves::METEORBEAM => cond::METEORBEAM,
        moves::DIG => cond::DIG,
        moves::FLY => cond::FLY,
        _ => 0,
    }
}
