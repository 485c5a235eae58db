//! Formes, transformation, and what a Pokemon is reset to.

use crate::event::Answer;
use crate::ids::{ability, cond, species, types};
use crate::mon::stat;
use crate::state::{Battle, Effect, EffectKind, MoveSlot, Outcome, P, SwitchFlag, side_of};

impl Battle {
    /// A stat of a species with a Pokemon's level, values and nature.
    fn stat_of(&self, p: P, of: u16, which: usize) -> i32 {
        let (mon, kind) = (&self.mons[p], &self.t.species[of as usize]);
        let base = i32::from(kind.stats[which]);
        let growth = i32::from(mon.growth[which]);
        let level = i32::from(mon.level);
        if which == 0 {
            if kind.max_hp > 0 {
                return i32::from(kind.max_hp);
            }
            return (2 * base + growth + 100) * level / 100 + 10;
        }
        let value = (2 * base + growth) * level / 100 + 5;
        let (plus, minus) = self.t.natures[mon.nature as usize];
        if plus == minus {
            value
        } else if plus as usize == which {
            value * 110 / 100
        } else if minus as usize == which {
            value * 90 / 100
        } else {
            value
        }
    }

    /// Makes a Pokemon a species: types, weight and stats.
    pub fn set_species(&mut self, p: P, to: u16) {
        let kind = &self.t.species[to as usize];
        let mut stats = [0; 6];
        for (which, value) in stats.iter_mut().enumerate() {
            *value = self.stat_of(p, to, which);
        }
        let mon = &mut self.mons[p];
        mon.species = to;
        mon.types = kind.types;
        mon.added_type = 0;
        mon.weight = kind.weight;
        if mon.maxhp == 0 {
            (mon.hp, mon.maxhp, mon.base_maxhp) = (stats[0], stats[0], stats[0]);
        }
        mon.stored = stats.map(|value| value as u16);
        mon.speed = mon.stored[stat::SPE];
    }

    /// HP after a lasting change of species.
    pub fn update_max_hp(&mut self, p: P) {
        let kind = &self.t.species[self.mons[p].species as usize];
        let mon = &self.mons[p];
        // The forme's fixed HP does not count here.
        let base = i32::from(kind.stats[0]);
        let sum = 2 * base + i32::from(mon.growth[0]) + 100;
        let most = sum * i32::from(mon.level) / 100 + 10;
        let mon = &mut self.mons[p];
        if most == mon.base_maxhp {
            return;
        }
        mon.base_maxhp = most;
        mon.hp = if mon.hp <= 0 { 0 } else { (most - (mon.maxhp - mon.hp)).max(1) };
        mon.maxhp = most;
    }

    /// Changes the forme; a lasting one brings its ability.
    pub fn change_forme(&mut self, p: P, to: u16, by: Effect, lasting: bool) {
        self.set_species(p, to);
        if !lasting {
            return;
        }
        self.mons[p].base_species = to;
        self.update_max_hp(p);
        if by.kind == EffectKind::None {
            self.mons[p].set_forme_regression(true);
        }
        if by.is_ability(ability::DISGUISE) || by.is_ability(ability::ICEFACE) {
            return;
        }
        let first = self.t.species[to as usize].abilities[0];
        let fixed = self.t.abilities[self.mons[p].ability as usize].cant_suppress;
        if by.kind != EffectKind::None || !fixed {
            self.replace_ability(p, first, false);
        }
        self.mons[p].base_ability = first;
    }

    /// Gives an ability without asking anyone, and begins it.
    pub fn replace_ability(&mut self, p: P, to: u16, transforming: bool) {
        if self.mons[p].hp == 0 {
            return;
        }
        let old = self.mons[p].ability;
        self.end_ability(p);
        let order = if self.mons[p].is_active() { self.next_order() } else { 0 };
        let mon = &mut self.mons[p];
        mon.ability = to;
        mon.ability_order = order;
        mon.set_ability_ending(false);
        (mon.ability_data, mon.ability_turns) = (0, 0);
        if to != 0 && (!transforming || old != to) {
            self.start_ability(p);
        }
    }

    /// Takes on another's looks, stats and moves.
    pub fn transform_into(&mut self, p: P, other: P) -> Answer {
        let (own, theirs) = (self.mons[p], self.mons[other]);
        let special = [species::OGERPON, species::TERAPAGOS].contains(&self.kin(theirs.species));
        if theirs.fainted()
            || own.illusion()
            || theirs.illusion()
            || self.has_vol(other, cond::SUBSTITUTE)
            || theirs.transformed()
            || own.transformed()
            || special && (own.tera != 0 || theirs.tera != 0)
            || own.tera == types::STELLAR
        {
            return Answer::No;
        }
        self.set_species(p, theirs.species);
        let seen = self.types_of(other, true, true);
        let mut copied = [MoveSlot::default(); 4];
        for (slot, from) in copied.iter_mut().zip(self.moves(other)) {
            if from.id != 0 {
                let pp = self.t.moves[from.id as usize].pp.min(5);
                *slot = MoveSlot { id: from.id, pp, max_pp: pp, disabled: false };
            }
        }
        self.sides[side_of(p)].copied = copied;
        let roosting = self.has_vol(other, cond::ROOST);
        let mon = &mut self.mons[p];
        mon.set_transformed(true);
        mon.weight = theirs.weight;
        mon.types = [0; 2];
        // Roost's missing wings are not copied.
        let list = if roosting { &theirs.types[..] } else { seen.as_slice() };
        for (slot, kind) in mon.types.iter_mut().zip(list) {
            *slot = *kind;
        }
        mon.added_type = theirs.added_type;
        mon.stored[1..].copy_from_slice(&theirs.stored[1..]);
        mon.times_attacked = theirs.times_attacked;
        mon.boosts = theirs.boosts;
        self.replace_ability(p, theirs.ability, true);
        if special && self.mons[p].can_tera() {
            self.mons[p].set_can_tera(false);
            self.mons[p].set_tera_withheld(true);
        }
        Answer::Yes
    }

    /// Resets what lasts only while a Pokemon is in.
    pub fn clear_volatile(&mut self, p: P, switch_flags: bool) {
        self.drop_volatiles(p);
        let mon = &mut self.mons[p];
        mon.boosts = [0; 7];
        mon.set_transformed(false);
        mon.ability = mon.base_ability;
        if mon.tera_withheld() {
            mon.set_tera_withheld(false);
            mon.set_can_tera(true);
        }
        if switch_flags {
            mon.switch_flag = SwitchFlag::No;
            mon.set_force_switch(false);
        }
        mon.last_move = 0;
        mon.move_result = Outcome::Unknown;
        mon.last_result = Outcome::Unknown;
        mon.hurt_by = 0;
        mon.set_attacked(false);
        mon.last_attack_damage = 0;
        mon.set_newly_switched(true);
        mon.set_being_called_back(false);
        mon.set_item_started(false);
        let base = mon.base_species;
        self.set_species(p, base);
    }
}
