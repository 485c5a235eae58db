//! What a move asks before it hits, and what it makes of itself.

use crate::boosts::Boosts;
use crate::data::{Category, Target};
use crate::event::{Answer, Context};
use crate::fired;
use crate::ids::{ability, cond, event, moves, species, types};
use crate::mon::{boost, stat};
use crate::state::{Battle, Effect, P, SideCondition, foe_of, side_of};

impl Battle {
    /// Whether the move can be tried at all.
    pub fn move_on_try(&mut self, at: usize, p: P, target: P) -> Answer {
        let id = self.flights[at].id;
        let effect = Effect::flight(id, at);
        let mon = &self.mons[p];
        let holds = match id {
            moves::SUCKERPUNCH | moves::THUNDERCLAP => {
                self.attack_to_come(target) && !self.has_vol(target, cond::MUSTRECHARGE)
            }
            moves::FAKEOUT | moves::FIRSTIMPRESSION => mon.move_actions <= 1,
            moves::AURORAVEIL => self.weather() == cond::SNOWSCAPE,
            moves::REST => return self.try_rest(p),
            moves::FUTURESIGHT => return self.foresee(at, p, target),
            moves::SLEEPTALK => mon.status == cond::SLP || self.has_ability(p, ability::COMATOSE),
            moves::POLTERGEIST => self.mons[target].item != 0,
            moves::TELEPORT => self.can_switch(side_of(p)) > 0,
            moves::MIRRORCOAT => self.vol(p, cond::MIRRORCOAT).is_some_and(|v| v.extra == 1),
            moves::HYPERSPACEFURY => {
                if mon.species != species::HOOPAUNBOUND {
                    return Answer::Null;
                }
                true
            }
            moves::AURAWHEEL => {
                if self.kin(mon.species) != species::MORPEKO {
                    return Answer::Null;
                }
                true
            }
            moves::CLANGOROUSSOUL => mon.hp * 100 > mon.maxhp * 33 && mon.maxhp != 1,
            moves::FILLETAWAY => mon.hp * 2 > mon.maxhp && mon.maxhp != 1,
            moves::NORETREAT => {
                if self.has_vol(p, cond::TRAPPED) {
                    self.flights[at].no_volatile = true;
                }
                !self.has_vol(p, cond::NORETREAT)
            }
            _ => return Answer::Yes,
        };
        fired::note(effect);
        Answer::of(holds)
    }

    fn try_rest(&mut self, p: P) -> Answer {
        let mon = &self.mons[p];
        fired::note(Effect::flight(moves::REST, 0));
        if mon.status == cond::SLP || self.has_ability(p, ability::COMATOSE) {
            return Answer::No;
        }
        let awake = [ability::INSOMNIA, ability::VITALSPIRIT];
        if mon.hp == mon.maxhp || awake.iter().any(|&id| self.has_ability(p, id)) {
            return Answer::Null;
        }
        Answer::Yes
    }

    fn foresee(&mut self, at: usize, p: P, target: P) -> Answer {
        let side = side_of(target);
        if self.sides[side].slot.has(cond::FUTUREMOVE) {
            return Answer::No;
        }
        fired::note(Effect::flight(self.flights[at].id, at));
        let order = self.next_order();
        let source = self.mons[p].ident;
        let data = self.turn as i16 - 1 + 2;
        let condition =
            SideCondition { id: cond::FUTUREMOVE, duration: 0, layers: 0, source, data, order };
        self.sides[side].slot.push(condition);
        Answer::NotFail
    }

    /// The move's own last word before it is prepared.
    pub fn move_on_prepare_hit(&mut self, at: usize, p: P) -> Answer {
        match self.flights[at].id {
            moves::PROTECT => {
                if !self.will_act() {
                    return Answer::No;
                }
                self.run_event(event::STALLMOVE, &mut Context::new(p, None, Effect::NONE))
            }
            moves::DESTINYBOND => Answer::of(!self.remove_volatile(p, cond::DESTINYBOND)),
            _ => Answer::Yes,
        }
    }

    /// Whether the move gets under way: beams are charged first.
    pub fn move_on_try_move(&mut self, at: usize, p: P, target: P) -> Answer {
        let id = self.flights[at].id;
        let effect = Effect::flight(id, at);
        if id == moves::DOUBLESHOCK && !self.has_type(p, types::ELECTRIC) {
            return Answer::Null;
        }
        let charge = crate::volatiles::charge_of(id);
        if charge == 0 {
            return Answer::Yes;
        }
        fired::note(effect);
        if self.remove_volatile(p, charge) {
            return Answer::Yes;
        }
        if id == moves::METEORBEAM {
            self.boost(Boosts::one(boost::SPA, 1), p, Some(p), effect);
        } else if id == moves::SOLARBEAM && self.sunny() {
            return Answer::Yes;
        }
        let mut cx = Context::new(p, Some(target), effect);
        if !self.run_event(event::CHARGEMOVE, &mut cx).holds() {
            return Answer::Yes;
        }
        self.add_volatile(p, cond::TWOTURNMOVE, Some(target), effect);
        Answer::Null
    }

    /// What a move asks or does right before each hit.
    pub fn move_on_try_hit(&mut self, at: usize, p: P, target: P) -> Answer {
        let flight = self.flights[at];
        let effect = Effect::flight(flight.id, at);
        let mon = self.mons[target];
        let answer = match flight.id {
            moves::SUBSTITUTE => {
                let poor = mon.hp * 4 <= mon.maxhp || mon.maxhp == 1;
                not_fail_if(self.has_vol(target, cond::SUBSTITUTE) || poor)
            }
            moves::SHEDTAIL => {
                let poor = mon.hp <= (mon.maxhp + 1) / 2;
                let alone = self.can_switch(side_of(p)) == 0;
                not_fail_if(alone || self.has_vol(target, cond::SUBSTITUTE) || poor)
            }
            moves::HEALINGWISH => not_fail_if(self.can_switch(side_of(p)) == 0),
            moves::REVIVALBLESSING => {
                let first = 6 * side_of(p);
                let size = self.sides[side_of(p)].size as usize;
                Answer::of(self.mons[first..first + size].iter().any(|ally| ally.fainted()))
            }
            moves::CURSE => self.curse(at, p, target),
            moves::BRICKBREAK | moves::PSYCHICFANGS | moves::RAGINGBULL => {
                self.clear_screens(target);
                Answer::Yes
            }
            moves::DISABLE => Answer::of(mon.last_move != 0 && mon.last_move != moves::STRUGGLE),
            moves::YAWN => {
                Answer::of(mon.status == 0 && self.open_to(target, crate::mon::Threat::Slp))
            }
            moves::CLANGOROUSSOUL | moves::FILLETAWAY => {
                let boosts = Boosts::of(self.t.moves[flight.id as usize].part.boosts);
                if self.boost(boosts, target, Some(p), effect) != Answer::Yes {
                    return Answer::Null;
                }
                self.flights[at].no_boosts = true;
                Answer::Yes
            }
            _ => return Answer::Yes,
        };
        fired::note(effect);
        answer
    }

    fn curse(&mut self, at: usize, p: P, target: P) -> Answer {
        if self.has_type(p, types::GHOST) {
            return Answer::of(!self.has_vol(target, cond::CURSE));
        }
        let flight = &mut self.flights[at];
        flight.no_volatile = true;
        flight.no_call = true;
        flight.own_boosts = Some([1, 1, 0, 0, -1, 0, 0]);
        Answer::Yes
    }

    /// Whether a move's own rule lets it touch the target.
    pub fn move_on_try_immunity(&mut self, at: usize, p: P, target: P) -> bool {
        match self.flights[at].id {
            moves::LEECHSEED => !self.has_type(target, types::GRASS),
            moves::TRICK | moves::SWITCHEROO => !self.has_ability(target, ability::STICKYHOLD),
            moves::ENDEAVOR => self.mons[p].hp < self.mons[target].hp,
            _ => true,
        }
    }

    /// Moves whose type depends.
    pub fn move_on_modify_type(&mut self, at: usize, p: P) {
        let mon = &self.mons[p];
        let id = self.flights[at].id;
        let kind = match id {
            moves::TERABLAST if mon.tera != 0 => mon.tera_type,
            moves::WEATHERBALL => match self.weather() {
                cond::SUNNYDAY => types::FIRE,
                cond::RAINDANCE => types::WATER,
                cond::SANDSTORM => types::ROCK,
                cond::SNOWSCAPE => types::ICE,
                _ => return,
            },
            moves::RAGINGBULL => match mon.species {
                species::TAUROSPALDEACOMBAT => types::FIGHTING,
                species::TAUROSPALDEABLAZE => types::FIRE,
                species::TAUROSPALDEAAQUA => types::WATER,
                _ => return,
            },
            moves::JUDGMENT if !self.ignoring_item(p) => {
                match self.t.items[mon.item as usize].plate {
                    0 => return,
                    plate => plate,
                }
            }
            moves::REVELATIONDANCE => {
                let types = self.types_of(p, false, false);
                let list = types.as_slice();
                let unknown = list[0] == crate::mon::UNKNOWN_TYPE;
                match list.get(1) {
                    Some(&second) if unknown => second,
                    _ if unknown => 0,
                    _ => list[0],
                }
            }
            moves::AURAWHEEL => {
                if mon.species == species::MORPEKOHANGRY {
                    types::DARK
                } else {
                    types::ELECTRIC
                }
            }
            moves::IVYCUDGEL => match mon.species {
                species::OGERPONWELLSPRING | species::OGERPONWELLSPRINGTERA => types::WATER,
                species::OGERPONHEARTHFLAME | species::OGERPONHEARTHFLAMETERA => types::FIRE,
                species::OGERPONCORNERSTONE | species::OGERPONCORNERSTONETERA => types::ROCK,
                _ => return,
            },
            moves::TERASTARSTORM if mon.species == species::TERAPAGOSSTELLAR => {
                let strong = self.plain_stat(p, stat::ATK) > self.plain_stat(p, stat::SPA);
                if mon.tera != 0 && strong {
                    self.flights[at].category = Category::Physical;
                }
                types::STELLAR
            }
            _ => return,
        };
        self.flights[at].kind = kind;
        fired::note(Effect::flight(id, at));
    }

    /// Moves that change otherwise as they are used.
    pub fn move_on_modify_move(&mut self, at: usize, p: P, target: Option<P>) {
        let id = self.flights[at].id;
        let weather = self.weather();
        let stronger = self.plain_stat(p, stat::ATK) > self.plain_stat(p, stat::SPA);
        let mon = self.mons[p];
        let flight = &mut self.flights[at];
        match id {
            moves::STRUGGLE => flight.kind = 0,
            moves::HURRICANE | moves::THUNDER if target.is_some() => match weather {
                cond::RAINDANCE => flight.accuracy = 0,
                cond::SUNNYDAY => flight.accuracy = 50,
                _ => {}
            },
            moves::BLEAKWINDSTORM if target.is_some() && weather == cond::RAINDANCE => {
                flight.accuracy = 0;
            }
            moves::BLIZZARD if weather == cond::SNOWSCAPE => flight.accuracy = 0,
            moves::WEATHERBALL if weather != 0 => flight.power *= 2,
            moves::TERABLAST if mon.tera != 0 => {
                if stronger {
                    flight.category = Category::Physical;
                }
                if mon.tera == types::STELLAR {
                    flight.own_boosts = Some([-1, 0, -1, 0, 0, 0, 0]);
                }
            }
            moves::PHOTONGEYSER if stronger => flight.category = Category::Physical,
            moves::CURSE => {
                if !self.has_type(p, types::GHOST) {
                    self.flights[at].target = Target::Own;
                }
            }
            moves::EXPANDINGFORCE => {
                if self.field.terrain == cond::PSYCHICTERRAIN && self.grounded(p, false) {
                    self.flights[at].target = Target::AllAdjacentFoes;
                }
            }
            moves::TERASTARSTORM if mon.species == species::TERAPAGOSSTELLAR => {
                flight.target = Target::AllAdjacentFoes;
            }
            moves::BEATUP => self.call_allies(at, p),
            moves::SHELLSIDEARM => self.choose_arm(at, p, target.unwrap_or(foe_of(p))),
            _ => return,
        }
        fired::note(Effect::flight(id, at));
    }

    fn call_allies(&mut self, at: usize, p: P) {
        let first = 6 * side_of(p);
        let size = self.sides[side_of(p)].size as usize;
        let mut count = 0;
        for ally in first..first + size {
            let mon = &self.mons[ally];
            if ally == p || !mon.fainted() && mon.status == 0 {
                self.flights[at].allies[count] = ally as u8;
                count += 1;
            }
        }
        self.flights[at].hits = (count as u8, count as u8);
    }

    /// Shell Side Arm strikes where it hurts more.
    fn choose_arm(&mut self, at: usize, p: P, target: P) {
        let level = i32::from(self.mons[p].level);
        let strength =
            |attack: i32, defense: i32| (2 * level / 5 + 2) * 90 * attack / defense.max(1) / 50;
        let physical = strength(self.plain_stat(p, stat::ATK), self.plain_stat(target, stat::DEF));
        let special = strength(self.plain_stat(p, stat::SPA), self.plain_stat(target, stat::SPD));
        if physical > special || physical == special && self.rng.chance(1, 2) {
            let flight = &mut self.flights[at];
            flight.category = Category::Physical;
            flight.flags |= crate::data::flag::CONTACT;
        }
    }
}

fn not_fail_if(stopped: bool) -> Answer {
    if stopped { Answer::NotFail } else { Answer::Yes }
}
