//! One hit: substitute, damage, what it does to target and user, and the secondary effects.

use crate::boosts::Boosts;
use crate::data::{Category, Part, Target};
use crate::event::{Answer, Context};
use crate::ids::{ability, cond, event};
use crate::state::{Battle, Effect, P, SwitchFlag, side_of};

/// A result, by how much it says: of two, the one that says more is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Said {
    /// Nothing.
    #[default]
    Nothing,
    /// Not a failure.
    NotFail,
    /// A silent failure.
    Null,
    /// Done, or failed.
    Truth(bool),
    /// Damage.
    Number(i32),
}

impl Said {
    fn rank(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::NotFail => 1,
            Self::Null => 2,
            Self::Truth(_) => 3,
            Self::Number(_) => 4,
        }
    }

    fn truthy(self) -> bool {
        match self {
            Self::Truth(yes) => yes,
            Self::Number(n) => n != 0,
            _ => false,
        }
    }

    /// What two results come to.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            _ if self.rank() > other.rank() => self,
            _ if self.truthy() && !other.truthy() && other != Self::Number(0) => self,
            (Self::Number(a), Self::Number(b)) => Self::Number(a + b),
            _ => other,
        }
    }

    fn of(answer: Answer) -> Self {
        match answer {
            Answer::Pass | Answer::Done => Self::Nothing,
            Answer::Yes => Self::Truth(true),
            Answer::No => Self::Truth(false),
            Answer::Null => Self::Null,
            Answer::NotFail => Self::NotFail,
            Answer::Number => Self::Number(0),
        }
    }

    /// Whether the target stays among those that were hit.
    fn keeps(self) -> bool {
        self.truthy() || self == Self::Number(0)
    }
}

/// What came of one hit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hit {
    said: Said,
    /// whether the target itself was hit, and not its substitute
    pub target_left: bool,
}

impl Hit {
    const FAILED: Self = Self { said: Said::Truth(false), target_left: true };

    /// Whether nothing was hit at all.
    pub fn failed(&self) -> bool {
        self.said == Said::Truth(false)
    }

    /// The damage dealt.
    pub fn dealt(&self) -> i32 {
        if let Said::Number(n) = self.said { n } else { 0 }
    }

    /// Whether there was damage, be it 0.
    pub fn is_number(&self) -> bool {
        matches!(self.said, Said::Number(_))
    }
}

/// Who takes a hit: the Pokemon, its substitute, or nobody any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taker {
    Mon(P),
    Substitute,
    Nobody,
}

impl Battle {
    /// One hit of a move on a Pokemon.
    pub fn hit_once(&mut self, at: usize, p: P, target: P) -> Hit {
        if !self.move_on_try_hit(at, p, target).holds() {
            return Hit::FAILED;
        }
        let effect = Effect::flight(self.flights[at].id, at);
        let mut cx = Context::new(target, Some(p), effect);
        let answer = self.run_event(event::TRYPRIMARYHIT, &mut cx);
        let (taker, said) = match answer {
            // Only a substitute answers with a number.
            Answer::Number => (Taker::Substitute, Said::Truth(true)),
            Answer::No | Answer::Null | Answer::NotFail => (Taker::Nobody, Said::of(answer)),
            _ => (Taker::Mon(target), Said::Truth(true)),
        };
        self.land(at, p, target, taker, said)
    }

    /// A move aimed at a side or the field; true where it did something.
    pub fn hit_whole(&mut self, at: usize, p: P, target: P) -> bool {
        let hit = self.land(at, p, target, Taker::Mon(target), Said::Truth(true));
        !matches!(hit.said, Said::Truth(false) | Said::Null | Said::NotFail)
    }

    fn land(&mut self, at: usize, p: P, target: P, taker: Taker, said: Said) -> Hit {
        let (mut taker, mut said) = (taker, said);
        let effect = Effect::flight(self.flights[at].id, at);
        if taker == Taker::Mon(target) {
            self.active_target = target as u8 + 1;
            said = self.get_damage(at, p, target);
            if matches!(said, Said::Truth(false) | Said::Null) {
                (taker, said) = (Taker::Nobody, Said::Truth(false));
            }
        }
        match (taker, said) {
            (Taker::Mon(_), Said::Number(amount)) => {
                said = match self.damage(amount, target, Some(p), effect) {
                    Some(dealt) => Said::Number(dealt),
                    None => {
                        taker = Taker::Nobody;
                        Said::Truth(false)
                    }
                };
            }
            (Taker::Substitute, _) => said = Said::Number(0),
            _ => {}
        }
        said = self.main_effects(at, p, taker, said);
        if !said.keeps() {
            taker = Taker::Nobody;
        }
        let active_target = self.active_target;
        self.own_effects(at, p, taker);
        self.secondary_effects(at, p, target, taker);
        self.active_target = active_target;
        if self.t.moves[self.flights[at].id as usize].force_switch {
            said = self.force_out(at, p, taker, said);
            if !said.keeps() {
                taker = Taker::Nobody;
            }
        }
        if let (Taker::Mon(target), Said::Number(damage)) = (taker, said) {
            let mut cx = Context::new(target, Some(p), effect).with(damage);
            self.run_event_in_line(event::DAMAGINGHIT, &mut cx);
            if self.mons[p].hp > 0 {
                self.move_on_after_hit(at, p, target);
            }
        }
        Hit { said, target_left: matches!(taker, Taker::Mon(_)) }
    }

    /// What the move itself does to its target.
    fn main_effects(&mut self, at: usize, p: P, taker: Taker, said: Said) -> Said {
        let flight = self.flights[at];
        let entry = &self.t.moves[flight.id as usize];
        let mut result = said;
        let mut any = said;
        if taker != Taker::Nobody {
            let mut did = Said::Nothing;
            let mut gone_on = true;
            if let Taker::Mon(target) = taker {
                match self.part_effects(at, p, target) {
                    Ok(done) => did = done,
                    Err(()) => {
                        result = result.and(Said::Truth(false));
                        any = any.and(Said::Null);
                        gone_on = false;
                    }
                }
            }
            if gone_on {
                if entry.self_destruct == crate::data::SelfDestruct::IfHit
                    && result != Said::Truth(false)
                {
                    self.faint(p, Some(p), Effect::flight(flight.id, at));
                }
                if entry.self_switch && !self.flights[at].no_switch {
                    let can = self.can_switch(side_of(p)) > 0;
                    did = if can { Said::Truth(true) } else { did.and(Said::Truth(false)) };
                }
                if did == Said::Nothing {
                    did = Said::Truth(true);
                }
                let plain = if did == Said::Null { Said::Truth(false) } else { did };
                result = result.and(plain);
                any = any.and(did);
            }
        }
        let flight = self.flights[at];
        let nothing = !any.truthy() && any != Said::Number(0);
        let has_self = entry.has_self && !flight.no_self || flight.own_boosts.is_some();
        let self_destructs = entry.self_destruct != crate::data::SelfDestruct::Never;
        if !(nothing && !has_self && !self_destructs)
            && entry.self_switch
            && !flight.no_switch
            && self.mons[p].hp > 0
        {
            self.mons[p].switch_flag = SwitchFlag::Move(flight.id);
        }
        result
    }

    /// Boosts, healing, status and conditions of the move; an error where it failed on the way.
    fn part_effects(&mut self, at: usize, p: P, target: P) -> Result<Said, ()> {
        let flight = self.flights[at];
        let entry = &self.t.moves[flight.id as usize];
        let effect = Effect::flight(flight.id, at);
        let mut did = Said::Nothing;
        if entry.part.has_boosts && !flight.no_boosts && !self.mons[target].fainted() {
            let boosts = Boosts::of(entry.part.boosts);
            did = did.and(Said::of(self.boost(boosts, target, Some(p), effect)));
        }
        if entry.heal.1 > 0 && !self.mons[target].fainted() {
            let mon = &self.mons[target];
            if mon.hp >= mon.maxhp {
                return Err(());
            }
            let (n, d) = (i32::from(entry.heal.0), i32::from(entry.heal.1));
            let amount = (2 * mon.base_maxhp * n + d) / (2 * d);
            if self.heal(amount, target, Some(p), effect).is_none() {
                return Err(());
            }
            did = Said::Truth(true);
        }
        if entry.part.status != 0 {
            let answer = self.try_set_status(target, entry.part.status, p, effect);
            if !answer.holds() {
                return Err(());
            }
            did = did.and(Said::of(answer));
        }
        if entry.part.volatile != 0 && !flight.no_volatile {
            let answer = self.add_volatile(target, entry.part.volatile, Some(p), effect);
            did = did.and(Said::of(answer));
        }
        if entry.side != 0 {
            let answer = self.add_side_condition(side_of(target), entry.side, p);
            did = did.and(Said::of(answer));
        }
        if entry.slot != 0 {
            did = did.and(Said::of(self.begin_slot(entry.slot, p, target)));
        }
        if entry.weather != 0 {
            did = did.and(Said::of(self.set_weather(entry.weather, p, effect)));
        }
        if entry.terrain != 0 {
            did = did.and(Said::of(self.set_terrain(entry.terrain, p, effect)));
        }
        if entry.pseudo == cond::TRICKROOM {
            did = did.and(Said::of(self.add_trick_room()));
        }
        if did == Said::Truth(true) && entry.lays_something() {
            crate::fired::note(effect);
        }
        if entry.force_switch {
            did = did.and(Said::Truth(self.can_switch(side_of(target)) > 0));
        }
        match flight.target {
            Target::All => did = did.and(Said::of(self.move_on_hit_field(at, p))),
            Target::FoeSide | Target::AllySide => {}
            _ => {
                if !self.flights[at].no_call {
                    did = did.and(Said::of(self.move_on_hit(at, p, target)));
                }
                self.run_event(event::HIT, &mut Context::new(target, Some(p), effect));
            }
        }
        Ok(did)
    }

    /// Wishes and the like, kept for the slot.
    fn begin_slot(&mut self, id: u8, p: P, target: P) -> Answer {
        // A wish brings half of this.
        let data = self.mons[p].maxhp as i16;
        let answer = self.add_slot_condition(side_of(target), id, p, data);
        let turn = self.overflowed_turn() as u8;
        if let (Answer::Yes, Some(condition)) =
            (answer, self.sides[side_of(target)].slot.get_mut(id))
        {
            condition.layers = turn;
        }
        answer
    }

    /// What a move does to its user; each hit tells anew, boosts only once.
    fn own_effects(&mut self, at: usize, p: P, taker: Taker) {
        let flight = self.flights[at];
        let entry = &self.t.moves[flight.id as usize];
        if taker == Taker::Nobody || flight.self_dropped {
            return;
        }
        let mut own = entry.own;
        if let Some(boosts) = flight.own_boosts {
            own = Part { boosts, has_boosts: true, ..Part::default() };
        } else if !entry.has_self || flight.no_self {
            return;
        }
        if own.has_boosts {
            let roll = self.rng.below(100) as u16;
            let chance = own.chance * if flight.double_chance { 2 } else { 1 };
            if chance == 0 || roll < chance {
                self.self_part(at, p, &own);
            }
            if flight.hits.0 == 0 {
                self.flights[at].self_dropped = true;
            }
        } else {
            self.self_part(at, p, &own);
        }
    }

    fn self_part(&mut self, at: usize, p: P, part: &Part) {
        let effect = Effect::flight(self.flights[at].id, at);
        if part.has_boosts && !self.mons[p].fainted() {
            self.boost(Boosts::of(part.boosts), p, Some(p), effect);
        }
        if part.volatile != 0 {
            crate::fired::note(effect);
            self.add_volatile(p, part.volatile, Some(p), effect);
        }
        if part.call {
            self.move_own_call(at, p);
        }
    }

    fn secondary_effects(&mut self, at: usize, p: P, target: P, taker: Taker) {
        let flight = self.flights[at];
        let entry = &self.t.moves[flight.id as usize];
        if flight.no_secondaries || taker == Taker::Nobody {
            return;
        }
        let effect = Effect::flight(flight.id, at);
        // Shield Dust leaves only what concerns the user.
        let dusted = taker == Taker::Mon(target)
            && self.mons[target].ability == ability::SHIELDDUST
            && !self.ignoring_ability(target)
            && !self.suppressing_ability(target);
        if dusted && !entry.secondaries.is_empty() {
            crate::fired::note(Effect::ability(ability::SHIELDDUST));
        }
        for (i, secondary) in entry.secondaries.iter().enumerate() {
            if dusted && !secondary.has_self {
                continue;
            }
            let roll = self.rng.below(100) as u16;
            let part = &secondary.part;
            let chance = part.chance * if flight.double_chance { 2 } else { 1 };
            if part.chance != 0 && roll >= chance {
                continue;
            }
            let mut hit = taker;
            if let Taker::Mon(target) = taker
                && !self.secondary_part(at, p, target, part, i, effect)
            {
                hit = Taker::Nobody;
            }
            if secondary.has_self && hit != Taker::Nobody {
                self.self_part(at, p, &secondary.own);
            }
        }
    }

    /// A secondary effect on the target; false where it was all and failed.
    fn secondary_part(
        &mut self,
        at: usize,
        p: P,
        target: P,
        part: &Part,
        which: usize,
        effect: Effect,
    ) -> bool {
        if self.mons[target].hp == 0 && part.has_boosts {
            return true;
        }
        if part.has_boosts && !self.mons[target].fainted() {
            self.boost(Boosts::of(part.boosts), target, Some(p), effect);
        }
        if part.status != 0 {
            self.try_set_status(target, part.status, p, effect);
        }
        if part.volatile != 0 {
            self.add_volatile(target, part.volatile, Some(p), effect);
        }
        if part.call {
            self.move_secondary_call(at, p, target, which);
        }
        true
    }

    fn force_out(&mut self, at: usize, p: P, taker: Taker, said: Said) -> Said {
        let Taker::Mon(target) = taker else { return said };
        let able =
            self.mons[target].hp > 0 && self.mons[p].hp > 0 && self.can_switch(side_of(target)) > 0;
        if !able {
            return said;
        }
        let effect = Effect::flight(self.flights[at].id, at);
        match self.run_event(event::DRAGOUT, &mut Context::new(target, Some(p), effect)) {
            Answer::No if self.flights[at].category == Category::Status => Said::Truth(false),
            Answer::No | Answer::Null | Answer::NotFail => said,
            _ => {
                self.mons[target].set_force_switch(true);
                said
            }
        }
    }
}
