//! What moves do when they hit, beyond what their tables say.

use crate::boosts::Boosts;
use crate::data::flag;
use crate::event::{Answer, Context, modify};
use crate::fired;
use crate::ids::{ability, cond, event, moves, species, types};
use crate::items::Taken;
use crate::mon::{UNKNOWN_TYPE, boost, stat};
use crate::state::{Battle, Effect, P, foe_of, side_of};

impl Battle {
    /// A move's own effect on its target.
    pub fn move_on_hit(&mut self, at: usize, p: P, target: P) -> Answer {
        let id = self.flights[at].id;
        let effect = Effect::flight(id, at);
        let answer = match id {
            moves::SUBSTITUTE => {
                self.direct_damage(self.mons[target].maxhp / 4, target, Some(p), effect);
                Answer::Pass
            }
            moves::SHEDTAIL => {
                let half = (self.mons[target].maxhp + 1) / 2;
                self.direct_damage(half, target, Some(p), effect);
                Answer::Pass
            }
            moves::SYNTHESIS | moves::MOONLIGHT | moves::MORNINGSUN | moves::SHOREUP => {
                self.heal_by_weather(id, target, p, effect)
            }
            moves::PROTECT => {
                self.add_volatile(target, cond::STALL, Some(p), effect);
                Answer::Pass
            }
            moves::STRENGTHSAP => self.strength_sap(target, p, effect),
            moves::TRICK | moves::SWITCHEROO => self.swap_items(target, p),
            moves::PARTINGSHOT => {
                let boosts = Boosts::one(boost::ATK, -1).and(boost::SPA, -1);
                let lowered = self.boost(boosts, target, Some(p), effect) == Answer::Yes;
                if !lowered && !self.has_ability(target, ability::MIRRORARMOR) {
                    self.flights[at].no_switch = true;
                }
                Answer::Pass
            }
            moves::REST => self.rest(target, p, effect),
            moves::PAINSPLIT => {
                let (theirs, own) = (self.mons[target].hp, self.mons[p].hp);
                let average = ((theirs + own) / 2).max(1);
                self.set_hp(target, average);
                self.set_hp(p, average);
                Answer::Pass
            }
            moves::DEFOG => self.defog(at, target, p, effect),
            moves::BUGBITE => self.bug_bite(target, p, effect),
            moves::SLEEPTALK => self.sleep_talk(at, p),
            moves::TRANSFORM => self.transform_into(p, target),
            moves::CURSE => {
                self.direct_damage(self.mons[p].maxhp / 2, p, Some(p), effect);
                Answer::Pass
            }
            moves::TIDYUP => self.tidy_up(p, effect),
            moves::BELLYDRUM => {
                let mon = &self.mons[target];
                if mon.hp * 2 <= mon.maxhp || mon.boosts[0] >= 6 || mon.maxhp == 1 {
                    return Answer::No;
                }
                self.direct_damage(mon.maxhp / 2, target, Some(p), effect);
                self.boost(Boosts::one(boost::ATK, 12), target, Some(p), effect);
                Answer::Pass
            }
            moves::HEALBELL => self.heal_bell(target, p),
            moves::CLEARSMOG => {
                self.mons[target].boosts = [0; 7];
                Answer::Pass
            }
            moves::TAKEHEART => {
                let boosts = Boosts::one(boost::SPA, 1).and(boost::SPD, 1);
                let raised = self.boost(boosts, target, Some(p), effect) == Answer::Yes;
                Answer::of(self.cure_status(target) || raised)
            }
            moves::CLANGOROUSSOUL => {
                let amount = self.mons[target].maxhp * 33 / 100;
                self.direct_damage(amount, target, Some(p), effect);
                Answer::Pass
            }
            moves::FILLETAWAY => {
                self.direct_damage(self.mons[target].maxhp / 2, target, Some(p), effect);
                Answer::Pass
            }
            _ => return Answer::Pass,
        };
        fired::note(effect);
        said(answer)
    }

    fn heal_by_weather(&mut self, id: u16, target: P, p: P, effect: Effect) -> Answer {
        // 0.667 and 0.25 in 4096ths, as the simulator truncates them.
        let factor = match (id, self.weather()) {
            (moves::SHOREUP, cond::SANDSTORM) => 2732,
            (moves::SHOREUP, _) | (_, 0) => 2048,
            (_, cond::SUNNYDAY) => 2732,
            _ => 1024,
        };
        let amount = modify(self.mons[target].maxhp, factor);
        match self.heal(amount, target, Some(p), effect) {
            Some(healed) if healed > 0 => Answer::Yes,
            _ => Answer::NotFail,
        }
    }

    fn strength_sap(&mut self, target: P, p: P, effect: Effect) -> Answer {
        if self.mons[target].boosts[boost::ATK] == -6 {
            return Answer::No;
        }
        let attack = self.plain_stat(target, stat::ATK);
        let lowered = self.boost(Boosts::one(boost::ATK, -1), target, Some(p), effect);
        let healed = self.heal(attack, p, Some(target), effect);
        Answer::of(healed.is_some_and(|h| h > 0) || lowered == Answer::Yes)
    }

    fn rest(&mut self, target: P, p: P, effect: Effect) -> Answer {
        let answer = self.set_status(target, cond::SLP, p, effect);
        if !answer.holds() {
            return answer;
        }
        self.mons[target].status_time = 3;
        let most = self.mons[target].maxhp;
        self.heal(most, target, Some(p), effect);
        Answer::Pass
    }

    fn defog(&mut self, at: usize, target: P, p: P, effect: Effect) -> Answer {
        let mut did = false;
        if !self.has_vol(target, cond::SUBSTITUTE) || self.flights[at].infiltrates {
            let lowered = self.boost(Boosts::one(boost::EVASION, -1), target, Some(p), effect);
            did = lowered == Answer::Yes;
        }
        self.clear_screens(target);
        did |= self.clear_hazards(side_of(target));
        did |= self.clear_hazards(side_of(p));
        self.clear_terrain();
        Answer::of(did)
    }

    fn bug_bite(&mut self, target: P, p: P, effect: Effect) -> Answer {
        let held = self.mons[target].item;
        if self.mons[p].hp == 0 || !self.t.items[held as usize].berry {
            return Answer::Pass;
        }
        if let Taken::Item(berry) = self.take_item(target, p) {
            self.eat_effect(berry, p);
            let mut cx = Context::new(p, Some(p), effect).about(berry);
            self.run_event(event::EATITEM, &mut cx);
            self.mons[p].set_ate_berry(true);
        }
        Answer::Pass
    }

    fn sleep_talk(&mut self, at: usize, p: P) -> Answer {
        let mut list = [0; 4];
        let mut count = 0;
        for slot in self.moves(p) {
            let flags = self.t.moves[slot.id as usize].flags;
            if slot.id != 0 && flags & (flag::NOSLEEPTALK | flag::CHARGE) == 0 {
                list[count] = slot.id;
                count += 1;
            }
        }
        if count == 0 {
            return Answer::No;
        }
        let called = list[self.rng.below(count as u32) as usize];
        let flight = self.fresh_flight(called);
        let next = self.launch(flight);
        let target = self.target_of(p, next);
        self.use_move(next, p, target, Effect::flight(self.flights[at].id, at));
        Answer::Pass
    }

    fn tidy_up(&mut self, p: P, effect: Effect) -> Answer {
        let mut did = false;
        for active in [0, 6] {
            if !self.mons[active].fainted() {
                did |= self.remove_volatile(active, cond::SUBSTITUTE);
            }
        }
        did |= self.clear_hazards(side_of(p));
        did |= self.clear_hazards(side_of(foe_of(p)));
        let boosts = Boosts::one(boost::ATK, 1).and(boost::SPE, 1);
        let raised = self.boost(boosts, p, Some(p), effect) == Answer::Yes;
        Answer::of(raised || did)
    }

    fn heal_bell(&mut self, target: P, p: P) -> Answer {
        let first = 6 * side_of(target);
        let mut did = false;
        for ally in first..first + self.sides[side_of(target)].size as usize {
            let deaf = [ability::SOUNDPROOF, ability::GOODASGOLD];
            if ally != p
                && !self.suppressing_ability(ally)
                && deaf.iter().any(|&id| self.has_ability(ally, id))
            {
                continue;
            }
            did |= self.cure_status(ally);
        }
        Answer::of(did)
    }

    /// A move's effect on the whole field.
    pub fn move_on_hit_field(&mut self, at: usize, _p: P) -> Answer {
        let id = self.flights[at].id;
        let answer = match id {
            moves::HAZE => {
                for p in [0, 6] {
                    if !self.mons[p].fainted() {
                        self.mons[p].boosts = [0; 7];
                    }
                }
                Answer::Pass
            }
            moves::COURTCHANGE => match self.swap_sides() {
                Answer::Yes => Answer::Pass,
                other => other,
            },
            _ => return Answer::Pass,
        };
        fired::note(Effect::flight(id, at));
        said(answer)
    }

    /// After the hit and what it set off, on a target that was hurt.
    pub fn move_on_after_hit(&mut self, at: usize, p: P, target: P) {
        let flight = self.flights[at];
        let effect = Effect::flight(flight.id, at);
        match flight.id {
            moves::KNOCKOFF => {
                if !matches!(self.take_item(target, target), Taken::Item(_)) {
                    return;
                }
            }
            moves::ICESPINNER => _ = self.clear_terrain(),
            moves::RAPIDSPIN | moves::MORTALSPIN | moves::CEASELESSEDGE | moves::STONEAXE => {
                if flight.sheer {
                    return;
                }
                self.spin_or_scatter(flight.id, p);
            }
            _ => return,
        }
        fired::note(effect);
    }

    fn spin_or_scatter(&mut self, id: u16, p: P) {
        let foe = side_of(foe_of(p));
        match id {
            moves::CEASELESSEDGE => _ = self.add_side_condition(foe, cond::SPIKES, p),
            moves::STONEAXE => _ = self.add_side_condition(foe, cond::STEALTHROCK, p),
            _ => {
                self.remove_volatile(p, cond::LEECHSEED);
                self.clear_hazards(side_of(p));
                self.remove_volatile(p, cond::PARTIALLYTRAPPED);
            }
        }
    }

    /// After the hit on a substitute.
    pub fn move_on_after_sub(&mut self, at: usize, p: P, _target: P) {
        let flight = self.flights[at];
        if self.mons[p].hp == 0 {
            return;
        }
        match flight.id {
            moves::ICESPINNER => _ = self.clear_terrain(),
            moves::RAPIDSPIN | moves::MORTALSPIN | moves::CEASELESSEDGE | moves::STONEAXE
                if !flight.sheer =>
            {
                self.spin_or_scatter(flight.id, p);
            }
            _ => return,
        }
        fired::note(Effect::flight(flight.id, at));
    }

    /// What a move calls for its user.
    pub fn move_own_call(&mut self, at: usize, p: P) {
        match self.flights[at].id {
            moves::DOUBLESHOCK => {
                let before = self.types_of(p, true, false);
                let mut after = [0; 2];
                for (slot, &kind) in after.iter_mut().zip(before.as_slice()) {
                    *slot = if kind == types::ELECTRIC { UNKNOWN_TYPE } else { kind };
                }
                self.set_types(p, after);
                fired::note(Effect::flight(moves::DOUBLESHOCK, at));
            }
            moves::SHEDTAIL => self.mons[p].set_skip_before_switch_out(true),
            _ => {}
        }
    }

    /// What a secondary effect calls for the target.
    pub fn move_secondary_call(&mut self, at: usize, p: P, target: P, _which: usize) {
        let id = self.flights[at].id;
        let effect = Effect::flight(id, at);
        match id {
            moves::ALLURINGVOICE | moves::BURNINGJEALOUSY => {
                if !self.mons[target].stats_raised() {
                    return;
                }
                if id == moves::ALLURINGVOICE {
                    self.add_volatile(target, cond::CONFUSION, Some(p), effect);
                } else {
                    self.try_set_status(target, cond::BRN, p, effect);
                }
            }
            moves::DIRECLAW => {
                let status = [cond::PSN, cond::PAR, cond::SLP][self.rng.below(3) as usize];
                self.try_set_status(target, status, p, effect);
            }
            moves::TRIATTACK => {
                let status = [cond::BRN, cond::PAR, cond::FRZ][self.rng.below(3) as usize];
                self.try_set_status(target, status, p, effect);
            }
            moves::SPIRITSHACKLE => {
                if self.mons[p].is_active() {
                    self.trap(target, p, effect);
                }
            }
            moves::THROATCHOP => {
                self.add_volatile(target, cond::THROATCHOP, Some(p), effect);
            }
            _ => return,
        }
        fired::note(effect);
    }

    /// Those who jump and miss fall hard.
    pub fn move_fails(&mut self, at: usize, p: P) {
        let id = self.flights[at].id;
        if matches!(id, moves::HIGHJUMPKICK | moves::SUPERCELLSLAM) {
            fired::note(Effect::flight(id, at));
            let amount = self.mons[p].base_maxhp / 2;
            self.damage(amount, p, Some(p), Effect::NONE);
        }
    }

    /// Meloetta changes its forme with its song.
    pub fn relic_song(&mut self, p: P) {
        let mon = &self.mons[p];
        if self.kin(mon.base_species) != species::MELOETTA || mon.transformed() {
            return;
        }
        let sings = mon.species == species::MELOETTA;
        let to = if sings { species::MELOETTAPIROUETTE } else { species::MELOETTA };
        fired::note(Effect::flight(moves::RELICSONG, 0));
        self.change_forme(p, to, Effect::flight(moves::RELICSONG, 0), false);
    }
}

/// A call that has nothing to say has been made all the same, which counts as done.
fn said(answer: Answer) -> Answer {
    if answer == Answer::Pass { Answer::Yes } else { answer }
}
