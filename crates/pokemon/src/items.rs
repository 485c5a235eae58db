//! Using, eating, taking and giving items.

use crate::boosts::Boosts;
use crate::event::{Answer, Context};
use crate::fired;
use crate::hp::fraction;
use crate::ids::{ability, cond, event, item, species};
use crate::state::{Battle, Effect, P};

/// What came of taking an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// There was none.
    Nothing,
    /// It cannot be taken.
    Refused,
    /// This one.
    Item(u16),
}

impl Battle {
    /// Eats the item that is held, if it is still the one expected.
    pub fn eat_item(&mut self, p: P, expected: u16) -> bool {
        let mon = &self.mons[p];
        if mon.item == 0 || mon.hp == 0 || !mon.is_active() || mon.item != expected {
            return false;
        }
        let held = mon.item;
        let mut cx = Context::new(p, None, Effect::NONE).about(held);
        if !self.run_event(event::TRYEATITEM, &mut cx).holds() {
            return false;
        }
        fired::note(Effect::item(held));
        self.eat_effect(held, p);
        let mut cx = Context::new(p, Some(p), Effect::item(held)).about(held);
        self.run_event(event::EATITEM, &mut cx);
        self.mons[p].set_ate_berry(true);
        self.spend_item(p);
        true
    }

    /// What a berry does to who eats it.
    pub fn eat_effect(&mut self, berry: u16, p: P) {
        match berry {
            item::CHESTOBERRY if self.mons[p].status == cond::SLP => {
                self.cure_status(p);
            }
            item::LUMBERRY => {
                self.cure_status(p);
                self.remove_volatile(p, cond::CONFUSION);
            }
            item::SITRUSBERRY => {
                let amount = fraction(self.mons[p].base_maxhp, 4);
                self.heal(amount, p, Some(p), Effect::item(berry));
            }
            item::LEPPABERRY => {
                let slots = self.moves_mut(p);
                let empty = slots.iter().position(|slot| slot.id != 0 && slot.pp == 0);
                let short = slots.iter().position(|slot| slot.id != 0 && slot.pp < slot.max_pp);
                if let Some(at) = empty.or(short) {
                    slots[at].pp = (slots[at].pp + 10).min(slots[at].max_pp);
                }
            }
            _ => {}
        }
    }

    /// Uses up the item that is held, if it is still the one expected.
    pub fn use_item(&mut self, p: P, expected: u16) -> bool {
        let mon = &self.mons[p];
        if mon.hp == 0 || !mon.is_active() || mon.item == 0 || mon.item != expected {
            return false;
        }
        let held = mon.item;
        fired::note(Effect::item(held));
        let entry = &self.t.items[held as usize];
        if entry.has_boosts {
            let boosts = Boosts::of(entry.boosts);
            self.boost(boosts, p, Some(p), Effect::item(held));
        }
        if held == item::WHITEHERB {
            for boost in &mut self.mons[p].boosts {
                *boost = (*boost).max(0);
            }
        }
        self.spend_item(p);
        true
    }

    fn spend_item(&mut self, p: P) {
        let held = self.mons[p].item;
        self.mons[p].last_item = held;
        self.mons[p].set_used_item_this_turn(true);
        self.lose_item(p);
        let mut cx = Context::new(p, None, Effect::NONE).about(held);
        self.run_event(event::AFTERUSEITEM, &mut cx);
    }

    /// The item is gone, and its state with it.
    pub fn lose_item(&mut self, p: P) {
        let mon = &mut self.mons[p];
        mon.item = 0;
        mon.item_order = 0;
        mon.set_item_started(false);
    }

    /// Whether an item itself lets go of its holder.
    pub fn item_lets_go(&self, held: u16, holder: P, source: P) -> bool {
        let base = |p: P| self.mons[p].base_species;
        let num = |p: P| self.t.species[base(p) as usize].num;
        let either = |n: i16| num(holder) != n && num(source) != n;
        match held {
            item::BOOSTERENERGY => !self.t.species[base(holder) as usize].paradox,
            item::GRISEOUSCORE => either(487),
            item::ADAMANTCRYSTAL => either(483),
            item::LUSTROUSGLOBE => either(484),
            item::RUSTEDSHIELD => either(889),
            item::RUSTEDSWORD => either(888),
            item::HEARTHFLAMEMASK | item::CORNERSTONEMASK | item::WELLSPRINGMASK => {
                self.kin(base(holder)) != species::OGERPON
            }
            _ if self.t.items[held as usize].plate != 0 => either(493),
            _ => true,
        }
    }

    /// Takes the item away.
    pub fn take_item(&mut self, p: P, source: P) -> Taken {
        let held = self.mons[p].item;
        if held == 0 {
            return Taken::Nothing;
        }
        let mut cx = Context::new(p, Some(source), Effect::NONE).about(held);
        if !self.run_event(event::TAKEITEM, &mut cx).holds() {
            return Taken::Refused;
        }
        self.lose_item(p);
        Taken::Item(held)
    }

    /// Gives an item.
    pub fn set_item(&mut self, p: P, to: u16) -> bool {
        if self.mons[p].hp == 0 || !self.mons[p].is_active() {
            return false;
        }
        let order = self.next_order();
        let mon = &mut self.mons[p];
        mon.item = to;
        mon.item_order = order;
        mon.set_item_started(false);
        if to != 0 {
            self.start_item(p);
        }
        true
    }

    /// Trick and Switcheroo.
    pub fn swap_items(&mut self, target: P, source: P) -> Answer {
        let theirs = self.take_item(target, source);
        let mine = self.take_item(source, source);
        let id = |taken: Taken| if let Taken::Item(id) = taken { id } else { 0 };
        let refused = theirs == Taken::Refused || mine == Taken::Refused;
        let (yours, own) = (id(theirs), id(mine));
        let stays = own != 0 && !self.item_lets_go(own, target, source)
            || yours != 0 && !self.item_lets_go(yours, source, target);
        if refused || yours == 0 && own == 0 || stays {
            if yours != 0 {
                self.mons[target].item = yours;
            }
            if own != 0 {
                self.mons[source].item = own;
            }
            return Answer::No;
        }
        if own != 0 {
            self.set_item(target, own);
        }
        if yours != 0 {
            self.set_item(source, yours);
        }
        Answer::Pass
    }

    /// An item begins: when given, and when its holder comes in.
    pub fn start_item(&mut self, p: P) {
        let held = self.mons[p].item;
        match held {
            item::WHITEHERB => self.white_herb(p),
            item::BOOSTERENERGY => {
                self.mons[p].set_item_started(true);
                self.booster_energy(p);
            }
            _ if self.t.items[held as usize].choice => {
                self.remove_volatile(p, cond::CHOICELOCK);
            }
            _ => {}
        }
    }

    /// Restores lowered stats once.
    pub fn white_herb(&mut self, p: P) {
        if self.mons[p].boosts.iter().any(|&boost| boost < 0) {
            self.use_item(p, item::WHITEHERB);
        }
    }

    /// Wakes Protosynthesis or Quark Drive without sun or terrain.
    pub fn booster_energy(&mut self, p: P) {
        let mon = &self.mons[p];
        if !mon.item_started() || mon.transformed() {
            return;
        }
        let effect = Effect::item(item::BOOSTERENERGY);
        if self.has_ability(p, ability::PROTOSYNTHESIS)
            && self.weather() != cond::SUNNYDAY
            && self.use_item(p, item::BOOSTERENERGY)
        {
            self.add_volatile(p, cond::PROTOSYNTHESIS, Some(p), effect);
        }
        if self.has_ability(p, ability::QUARKDRIVE)
            && self.field.terrain != cond::ELECTRICTERRAIN
            && self.use_item(p, item::BOOSTERENERGY)
        {
            self.add_volatile(p, cond::QUARKDRIVE, Some(p), effect);
        }
    }
}
