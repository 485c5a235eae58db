//! The end of a turn: what hurts, heals and wears off, in its order.

use crate::data::CondKind;
use crate::event::{Handler, Handlers, Holder, MOST_HANDLERS, UNORDERED};
use crate::hp::fraction;
use crate::ids::{cond, event, hook, moves};
use crate::state::{Battle, Effect, EffectKind, P, foe_of, side_of};

/// Everything that ends or acts at the end of a turn.
type Line = Handlers<MOST_HANDLERS>;

impl Battle {
    /// Everything that happens at the end of a turn.
    pub fn residual(&mut self) {
        let mut handlers = Line::new();
        self.gather_lasting_field(&mut handlers);
        for side in 0..2 {
            let p = 6 * side;
            self.gather_lasting_side(&mut handlers, side);
            self.gather_residual(&mut handlers, p);
            self.gather_field(&mut handlers, hook::RESIDUAL, Holder::Mon(p));
        }
        self.sort_handlers(&mut handlers);
        for at in 0..handlers.count() {
            let handler = handlers.get(at);
            self.run_residual(&handler);
            if self.ended {
                return;
            }
        }
    }

    fn gather_lasting_field(&self, handlers: &mut Line) {
        let room = if self.field.trick_room > 0 { cond::TRICKROOM } else { 0 };
        for id in [room, self.field.weather, self.field.terrain] {
            let hooks = &self.t.conditions[id as usize].hooks;
            if hooks.has(hook::FIELDRESIDUAL) {
                self.gather_one(handlers, hook::FIELDRESIDUAL, id, Holder::Field);
            }
        }
    }

    fn gather_lasting_side(&self, handlers: &mut Line, side: usize) {
        for condition in self.sides[side].conditions.iter() {
            if condition.duration > 0 {
                self.gather_one(handlers, hook::SIDERESIDUAL, condition.id, Holder::Side(side));
            }
        }
    }

    /// What a Pokemon carries that acts or ends now. What only lasts has a place in line too.
    fn gather_residual(&self, handlers: &mut Line, p: P) {
        let side = &self.sides[p / 6];
        let mut rest = Line::new();
        self.gather_mon(&mut rest, p, hook::RESIDUAL);
        let list = rest.in_line();
        let find = |id: u8, slot: bool| {
            let effect = Effect::condition(id);
            list.iter().find(|h| h.effect == effect && h.slot == slot).copied()
        };
        let status = self.mons[p].status;
        if let Some(handler) = find(status, false).filter(|_| status != 0) {
            handlers.push(handler);
        }
        for volatile in side.volatiles.iter() {
            match find(volatile.id, false) {
                Some(handler) if !handler.empty || volatile.duration > 0 => handlers.push(handler),
                None if volatile.duration > 0 => {
                    self.gather_one(handlers, 255, volatile.id, Holder::Mon(p));
                }
                _ => {}
            }
        }
        for handler in list.iter() {
            if matches!(handler.effect.kind, EffectKind::Ability | EffectKind::Item) {
                handlers.push(*handler);
            }
        }
        for condition in side.slot.iter() {
            match find(condition.id, true) {
                Some(handler) => handlers.push(handler),
                None if condition.duration > 0 => {
                    let before = handlers.count();
                    self.gather_one(handlers, 255, condition.id, Holder::Mon(p));
                    let handler = &mut handlers.in_line()[before];
                    (handler.sub, handler.slot) = (3, true);
                }
                None => {}
            }
        }
    }

    fn gather_one(&self, handlers: &mut Line, hook: u8, id: u8, holder: Holder) {
        let hooks = &self.t.conditions[id as usize].hooks;
        let key = if hooks.has(hook) { hooks.key(hook) } else { Default::default() };
        let explicit = hooks.has(hook) && key.sub != 0;
        let plain = match holder {
            _ if explicit => key.sub,
            Holder::Side(_) => 4,
            _ if self.t.conditions[id as usize].kind == CondKind::Condition => 2,
            _ => key.sub,
        };
        handlers.push(Handler {
            order: if key.order == 0 { UNORDERED } else { key.order },
            priority: key.priority,
            speed: if let Holder::Mon(p) = holder { 2 * i32::from(self.mons[p].speed) } else { 0 },
            sub: plain,
            empty: key.empty,
            ..Handler::new(hook, Effect::condition(id), holder)
        });
    }

    fn run_residual(&mut self, handler: &Handler) {
        let id = handler.effect.id as u8;
        match handler.holder() {
            Holder::Field => {
                if self.field_wears_off(id) {
                    return;
                }
            }
            Holder::Side(side) => {
                let Some(condition) = self.sides[side].conditions.get_mut(id) else { return };
                condition.duration -= 1;
                if condition.duration == 0 {
                    self.sides[side].conditions.delete(id);
                    return;
                }
            }
            Holder::Mon(p) => {
                if self.mons[p].fainted() && !handler.slot {
                    return;
                }
                if !self.run_carried(handler, p) {
                    return;
                }
            }
        }
        self.faint_messages(false, true);
    }

    /// A turn of weather, terrain or a room; true where it ended or is gone.
    fn field_wears_off(&mut self, id: u8) -> bool {
        let field = &mut self.field;
        if id == cond::TRICKROOM {
            field.trick_room = field.trick_room.saturating_sub(1);
            return true;
        }
        if id == field.terrain {
            field.terrain_turns -= 1;
            if field.terrain_turns == 0 {
                self.clear_terrain();
                return true;
            }
            return false;
        }
        if id != field.weather {
            return true;
        }
        field.weather_turns -= 1;
        if field.weather_turns == 0 {
            self.clear_weather();
            return true;
        }
        // Sandstorm and snow do not even ask while they are kept from doing anything.
        let quiet = matches!(id, cond::SANDSTORM | cond::SNOWSCAPE) && self.weather() != id;
        if !quiet {
            self.each_event(event::WEATHER, Effect::condition(id));
        }
        false
    }

    /// What a Pokemon carries; false where nothing more is to be done.
    fn run_carried(&mut self, handler: &Handler, p: P) -> bool {
        let id = handler.effect.id as u8;
        match handler.effect.kind {
            EffectKind::Ability => {
                if self.mons[p].ability != handler.effect.id {
                    return false;
                }
                if !self.ignoring_ability(p) && self.ability_end_of_turn(handler.effect.id, p) {
                    crate::fired::note(handler.effect);
                }
                return true;
            }
            EffectKind::Item => {
                if self.mons[p].item != handler.effect.id {
                    return false;
                }
                if !self.ignoring_item(p) && self.item_end_of_turn(handler.effect.id, p) {
                    crate::fired::note(handler.effect);
                }
                return true;
            }
            _ => {}
        }
        if handler.slot {
            return self.run_slot(id, p);
        }
        match self.t.conditions[id as usize].kind {
            CondKind::Status => {
                if self.mons[p].status == id {
                    self.run_status(id, p);
                }
                true
            }
            CondKind::Terrain => {
                if self.field.terrain == id && self.on_terrain(p) {
                    let amount = fraction(self.mons[p].base_maxhp, 16);
                    self.heal(amount, p, Some(p), handler.effect);
                }
                true
            }
            _ => self.run_volatile(id, p),
        }
    }

    fn run_status(&mut self, id: u8, p: P) {
        let most = self.mons[p].base_maxhp;
        let amount = match id {
            cond::BRN => most / 16,
            cond::PSN => most / 8,
            cond::TOX => {
                let mon = &mut self.mons[p];
                mon.status_time = (mon.status_time + 1).min(15);
                (most / 16).max(1) * i32::from(mon.status_time)
            }
            _ => return,
        };
        self.damage(amount.max(1), p, None, Effect::condition(id));
    }

    fn run_slot(&mut self, id: u8, p: P) -> bool {
        let side = side_of(p);
        let Some(&condition) = self.sides[side].slot.get(id) else { return true };
        let turn = self.overflowed_turn();
        match id {
            cond::WISH if turn > i32::from(condition.layers) => {
                if !self.mons[p].fainted() {
                    let effect = Effect::condition(id);
                    crate::fired::note(Effect::flight(moves::WISH, 0));
                    self.heal(i32::from(condition.data / 2), p, Some(p), effect);
                }
                self.sides[side].slot.delete(id);
            }
            cond::FUTUREMOVE if turn >= i32::from(condition.data) => {
                self.foreseen_hit(condition.source, p);
                self.sides[side].slot.delete(id);
            }
            cond::REVIVALBLESSING => {
                if let Some(condition) = self.sides[side].slot.get_mut(id) {
                    condition.duration = condition.duration.saturating_sub(1);
                    if condition.duration == 0 {
                        self.sides[side].slot.delete(id);
                        return false;
                    }
                }
            }
            _ => {}
        }
        true
    }

    /// The attack that was foreseen two turns ago.
    fn foreseen_hit(&mut self, source: u8, target: P) {
        let p = self.place(source);
        if self.mons[target].fainted() || p == target {
            return;
        }
        self.remove_volatile(target, cond::PROTECT);
        let mut flight = self.fresh_flight(moves::FUTURESIGHT);
        flight.immunity_known = true;
        flight.ignore_immunity = false;
        flight.infiltrates = self.has_ability(p, crate::ids::ability::INFILTRATOR);
        let at = self.launch(flight);
        self.try_hit(at, p, target, true);
        if self.mons[p].is_active() && self.has_item(p, crate::ids::item::LIFEORB) {
            let amount = fraction(self.mons[p].base_maxhp, 10);
            self.damage(amount, p, Some(p), Effect::item(crate::ids::item::LIFEORB));
        }
        self.active_move = 0;
        if !self.ended {
            self.check_win(None);
        }
    }

    /// A turn of a volatile condition; false where it ended.
    fn run_volatile(&mut self, id: u8, p: P) -> bool {
        let Some(volatile) = self.vols(p).get_mut(id) else { return false };
        if volatile.duration > 0 {
            volatile.duration -= 1;
            if volatile.duration == 0 {
                self.remove_volatile(p, id);
                return false;
            }
        }
        let Some(&volatile) = self.vol(p, id) else { return false };
        let most = self.mons[p].base_maxhp;
        let effect = Effect::condition(id);
        match id {
            cond::PARTIALLYTRAPPED => {
                let source = self.source_place(volatile.source);
                let gone = source.is_some_and(|s| {
                    let mon = &self.mons[s];
                    !mon.is_active() || mon.hp <= 0 || mon.active_turns == 0
                });
                if gone {
                    self.vols(p).delete(id);
                } else {
                    self.damage(fraction(most, i32::from(volatile.extra)), p, source, effect);
                }
            }
            cond::LOCKEDMOVE => {
                if self.mons[p].status == cond::SLP {
                    self.vols(p).delete(id);
                } else if let Some(volatile) = self.vols(p).get_mut(id) {
                    volatile.extra = volatile.extra.saturating_sub(1);
                }
            }
            cond::CURSE => _ = self.damage(fraction(most, 4), p, None, effect),
            cond::ENCORE => {
                let kept = volatile.data as u16;
                let spent = self.moves(p).iter().find(|s| s.id == kept).is_none_or(|s| s.pp == 0);
                if spent {
                    self.remove_volatile(p, id);
                }
            }
            cond::LEECHSEED => {
                let target = foe_of(p);
                if self.mons[target].fainted() || self.mons[target].hp == 0 {
                    return true;
                }
                let dealt = self.damage(fraction(most, 8), p, Some(target), effect);
                if let Some(dealt) = dealt.filter(|&d| d > 0) {
                    crate::fired::note(Effect::flight(moves::LEECHSEED, 0));
                    self.heal(dealt, target, Some(p), effect);
                }
            }
            cond::SALTCURE => {
                use crate::ids::types;
                let weak = self.has_type(p, types::WATER) || self.has_type(p, types::STEEL);
                crate::fired::note(Effect::flight(moves::SALTCURE, 0));
                self.damage(fraction(most, if weak { 4 } else { 8 }), p, None, effect);
            }
            _ => {}
        }
        true
    }
}
