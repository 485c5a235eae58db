//! Coming in and going out.

use crate::event::{Answer, Context, Handler, Handlers, Holder, MOST_HANDLERS};
use crate::ids::{ability, cond, event, hook};
use crate::state::{Battle, Choice, Effect, EffectKind, P, Volatile, side_of};

impl Battle {
    /// Sends in the Pokemon of a place. False where it stays where it is.
    pub fn switch_in(&mut self, incoming: P, shed_tail: bool, drag: bool) -> bool {
        if self.mons[incoming].is_active() {
            return false;
        }
        let slot = 6 * side_of(incoming);
        let mut kept: Option<Volatile> = None;
        if self.mons[slot].hp > 0 && slot != incoming {
            self.mons[slot].set_being_called_back(true);
            if !self.mons[slot].skip_before_switch_out() && !drag {
                self.each_event(event::UPDATE, Effect::NONE);
            }
            self.mons[slot].set_skip_before_switch_out(false);
            if !self
                .run_event(event::SWITCHOUT, &mut Context::new(slot, None, Effect::NONE))
                .holds()
            {
                return false;
            }
            if self.mons[slot].hp == 0 {
                return false;
            }
            self.end_ability(slot);
            let ident = self.mons[slot].ident;
            self.queue.cancel(ident);
            if shed_tail {
                kept = self.vol(slot, cond::SUBSTITUTE).copied();
            }
            self.clear_volatile(slot, true);
        }
        self.trade_places(slot, incoming);
        if let Some(volatile) = kept {
            self.clear_volatile(slot, true);
            self.vols(slot).push(volatile);
        }
        self.arrive(slot);
        if drag {
            self.run_switch(slot);
        } else {
            self.insert_run_switch(slot);
        }
        true
    }

    fn trade_places(&mut self, slot: P, incoming: P) {
        if slot == incoming {
            return;
        }
        let old = &mut self.mons[slot];
        old.set_is_active(false);
        old.set_is_started(false);
        old.set_used_item_this_turn(false);
        old.set_stats_raised(false);
        old.set_stats_lowered(false);
        if old.fainted() {
            (old.status, old.status_time) = (0, 0);
        }
        self.mons.swap(slot, incoming);
    }

    fn arrive(&mut self, slot: P) {
        let (first, second) = (self.next_order(), self.next_order());
        let mon = &mut self.mons[slot];
        mon.set_is_active(true);
        mon.active_turns = 0;
        mon.move_actions = 0;
        mon.ability_order = first;
        mon.set_ability_ending(false);
        (mon.ability_data, mon.ability_turns) = (0, 0);
        mon.item_order = if mon.item != 0 { second } else { 0 };
        mon.set_item_started(false);
        self.run_event(event::BEFORESWITCHIN, &mut Context::new(slot, None, Effect::NONE));
    }

    /// Drags in someone at random.
    pub fn drag_in(&mut self, side: usize) {
        let slot = 6 * side;
        let count = self.can_switch(side);
        if count == 0 {
            return;
        }
        let chosen = self.rng.below(count as u32) as usize;
        let size = self.sides[side].size as usize;
        let incoming = (slot + 1..slot + size).filter(|&p| !self.mons[p].fainted()).nth(chosen);
        let Some(incoming) = incoming else { return };
        if self.mons[slot].hp == 0 {
            return;
        }
        let mut cx = Context::new(slot, None, Effect::NONE);
        if self.run_event(event::DRAGOUT, &mut cx).holds() {
            self.switch_in(incoming, false, true);
        }
    }

    /// What happens as Pokemon come in: this one, and those next in line.
    pub fn run_switch(&mut self, p: P) {
        let mut coming = [false; 2];
        coming[side_of(p)] = true;
        while let Some(next) = self.queue.peek() {
            if next.choice != Choice::RunSwitch {
                break;
            }
            coming[next.mon as usize / 6] = true;
            self.queue.shift();
        }
        let (a, b) = (self.mons[0].speed, self.mons[6].speed);
        let mut order = if a >= b { [0u8, 1] } else { [1, 0] };
        if a == b {
            self.rng.shuffle(&mut order);
        }
        self.first_in = order[0];
        self.switch_in_event(coming);
        for (side, &comes) in coming.iter().enumerate() {
            if comes && self.mons[6 * side].hp > 0 {
                self.mons[6 * side].set_is_started(true);
            }
        }
    }

    fn switch_in_event(&mut self, coming: [bool; 2]) {
        let mut handlers = Handlers::<MOST_HANDLERS>::new();
        for (side, &comes) in coming.iter().enumerate() {
            let p = 6 * side;
            self.gather_mon(&mut handlers, p, hook::ANYSWITCHIN);
            if comes {
                self.gather_mon(&mut handlers, p, hook::SWITCHIN);
                self.gather_side(&mut handlers, side, hook::SWITCHIN, Holder::Mon(p));
                self.gather_field(&mut handlers, hook::SWITCHIN, Holder::Mon(p));
            }
        }
        let first = self.first_in;
        for handler in handlers.in_line() {
            handler.age = self.age(handler);
            if let Holder::Mon(p) = handler.holder() {
                handler.speed -= i32::from(side_of(p) as u8 != first);
            }
        }
        self.sort_handlers(&mut handlers);
        for at in 0..handlers.count() {
            let handler = handlers.get(at);
            let Holder::Mon(p) = handler.holder() else { continue };
            if self.mons[p].fainted() && !handler.slot || self.age(&handler) != handler.age {
                continue;
            }
            self.switched_in(&handler, p);
            self.faint_messages(false, true);
            if self.ended {
                return;
            }
        }
    }

    /// When the effect of a handler began; 0 where it is no more.
    fn age(&self, handler: &Handler) -> u16 {
        let Holder::Mon(p) = handler.holder() else { return 0 };
        let (mon, id) = (&self.mons[p], handler.effect.id);
        match handler.effect.kind {
            EffectKind::Ability if mon.ability == id => mon.ability_order,
            EffectKind::Item if mon.item == id => mon.item_order,
            EffectKind::Condition if handler.slot => {
                self.sides[side_of(p)].slot.get(id as u8).map_or(0, |c| c.order)
            }
            EffectKind::Condition if u16::from(mon.status) == id => mon.status_order,
            EffectKind::Condition => {
                self.sides[side_of(p)].conditions.get(id as u8).map_or(0, |c| c.order)
            }
            _ => 0,
        }
    }

    fn switched_in(&mut self, handler: &Handler, p: P) {
        let id = handler.effect.id;
        match handler.effect.kind {
            EffectKind::Ability => {
                let breakable = self.t.abilities[id as usize].breakable;
                let broken = breakable && self.suppressing_ability(p);
                if !broken && !self.ignoring_ability(p) {
                    self.ability_comes_in(p);
                }
            }
            EffectKind::Item => {
                if !self.ignoring_item(p) {
                    self.start_item(p);
                }
            }
            _ => self.condition_comes_in(id as u8, p),
        }
    }

    /// Abilities as their holder comes in: the same as when they begin, but for these.
    fn ability_comes_in(&mut self, p: P) {
        match self.mons[p].ability {
            ability::TERASHIFT => self.tera_shift(p),
            ability::IMPOSTER => {
                let foe = crate::state::foe_of(p);
                if self.transform_into(p, foe) == Answer::Yes {
                    crate::fired::note(Effect::ability(ability::IMPOSTER));
                }
            }
            ability::ZEROTOHERO => {}
            _ => self.start_ability(p),
        }
    }
}
