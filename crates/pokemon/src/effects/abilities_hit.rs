//! Abilities that answer a hit, a status, a lost item or a fall.

use crate::boosts::Boosts;
use crate::data::{Category, flag};
use crate::event::{Answer, Context};
use crate::hp::fraction;
use crate::ids::{ability, cond, hook, item, moves, species, types};
use crate::items::Taken;
use crate::mon::{Threat, boost};
use crate::state::{Battle, Effect, EffectKind, P, SwitchFlag, side_of};

impl Battle {
    /// Whether a move in flight makes contact.
    pub fn makes_contact(&self, flight: usize, attacker: P) -> bool {
        self.flights[flight].flags & flag::CONTACT != 0
            && !self.has_item(attacker, item::PROTECTIVEPADS)
    }

    pub(super) fn ability_damaging_hit(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let Some(source) = cx.source else { return Answer::Pass };
        let flight = self.flights[cx.flight];
        let effect = Effect::ability(id);
        let contact = self.makes_contact(cx.flight, source);
        let own = |stat: usize, by: i8| Some(Boosts::one(stat, by));
        let raised = match id {
            ability::JUSTIFIED if flight.kind == types::DARK => own(boost::ATK, 1),
            ability::STAMINA => own(boost::DEF, 1),
            ability::RATTLED if matches!(flight.kind, types::DARK | types::BUG | types::GHOST) => {
                own(boost::SPE, 1)
            }
            ability::THERMALEXCHANGE if flight.kind == types::FIRE => own(boost::ATK, 1),
            ability::WATERCOMPACTION if flight.kind == types::WATER => own(boost::DEF, 2),
            _ => None,
        };
        if let Some(boosts) = raised {
            self.boost(boosts, p, Some(source), effect);
            return Answer::Done;
        }
        match id {
            ability::WEAKARMOR if flight.category == Category::Physical => {
                let boosts = Boosts::one(boost::DEF, -1).and(boost::SPE, 2);
                self.boost(boosts, p, Some(p), effect);
            }
            ability::FLAMEBODY if contact => return self.touch(p, source, cond::BRN, effect),
            ability::STATIC if contact => return self.touch(p, source, cond::PAR, effect),
            ability::EFFECTSPORE if contact => return self.effect_spore(p, source),
            ability::CUTECHARM if contact => {
                if !self.rng.chance(3, 10) {
                    return Answer::Pass;
                }
                self.add_volatile(source, cond::ATTRACT, Some(p), effect);
            }
            ability::CURSEDBODY => {
                if self.has_vol(source, cond::DISABLE)
                    || flight.flags & flag::FUTUREMOVE != 0
                    || flight.id == moves::STRUGGLE
                    || !self.rng.chance(3, 10)
                {
                    return Answer::Pass;
                }
                self.add_volatile(source, cond::DISABLE, Some(p), effect);
            }
            ability::AFTERMATH if contact && self.mons[p].hp == 0 => {
                self.damage(fraction(self.mons[source].base_maxhp, 4), source, Some(p), effect);
            }
            ability::ROUGHSKIN if contact => {
                self.damage(fraction(self.mons[source].base_maxhp, 8), source, Some(p), effect);
            }
            ability::GOOEY | ability::TANGLINGHAIR if contact => {
                self.boost(Boosts::one(boost::SPE, -1), source, Some(p), effect);
            }
            ability::ELECTROMORPHOSIS => {
                self.add_volatile(p, cond::CHARGE, Some(source), effect);
            }
            ability::GULPMISSILE => return self.spit(p, source, cx),
            ability::ILLUSION if self.mons[p].illusion() => self.end_illusion(p),
            ability::SEEDSOWER => {
                if self.set_terrain(cond::GRASSYTERRAIN, p, effect) != Answer::Yes {
                    return Answer::Pass;
                }
            }
            ability::TOXICDEBRIS if flight.category == Category::Physical => {
                let side = side_of(source);
                let laid = self.sides[side].conditions.get(cond::TOXICSPIKES);
                if laid.is_some_and(|spikes| spikes.layers >= 2) {
                    return Answer::Pass;
                }
                self.add_side_condition(side, cond::TOXICSPIKES, p);
            }
            _ => return Answer::Pass,
        }
        Answer::Done
    }

    fn touch(&mut self, p: P, source: P, status: u8, effect: Effect) -> Answer {
        if !self.rng.chance(3, 10) {
            return Answer::Pass;
        }
        self.try_set_status(source, status, p, effect);
        Answer::Done
    }

    fn effect_spore(&mut self, p: P, source: P) -> Answer {
        if !self.open_to(source, Threat::Powder) {
            return Answer::Pass;
        }
        let status = match self.rng.below(100) {
            0..11 => cond::SLP,
            11..21 => cond::PAR,
            21..30 => cond::PSN,
            _ => return Answer::Pass,
        };
        self.try_set_status(source, status, p, Effect::ability(ability::EFFECTSPORE));
        Answer::Done
    }

    fn spit(&mut self, p: P, source: P, cx: &Context) -> Answer {
        if self.mons[source].hp == 0 || !self.mons[source].is_active() || self.out_of_reach(p) {
            return Answer::Pass;
        }
        let effect = Effect::ability(ability::GULPMISSILE);
        let gulping = match self.mons[p].species {
            species::CRAMORANTGULPING => true,
            species::CRAMORANTGORGING => false,
            _ => return Answer::Pass,
        };
        self.damage(fraction(self.mons[source].base_maxhp, 4), source, Some(p), effect);
        if gulping {
            self.boost(Boosts::one(boost::DEF, -1), source, Some(p), effect);
        } else {
            self.try_set_status(source, cond::PAR, p, cx.effect);
        }
        self.change_forme(p, species::CRAMORANT, cx.effect, false);
        Answer::Done
    }

    pub(super) fn ability_source_damaging_hit(
        &mut self,
        id: u16,
        p: P,
        cx: &mut Context,
    ) -> Answer {
        let target = cx.target;
        let status = match id {
            ability::TOXICCHAIN => cond::TOX,
            ability::POISONTOUCH => cond::PSN,
            _ => return Answer::Pass,
        };
        if self.has_ability(target, ability::SHIELDDUST) {
            return Answer::Pass;
        }
        // The simulator asks whether the target's pads, not the user's, spare the contact.
        if id == ability::POISONTOUCH && !self.makes_contact(cx.flight, target)
            || !self.rng.chance(3, 10)
        {
            return Answer::Pass;
        }
        self.try_set_status(target, status, p, Effect::ability(id));
        Answer::Done
    }

    pub(super) fn ability_after_secondary(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let Some(source) = cx.source else { return Answer::Pass };
        let flight = self.flights[cx.flight];
        match id {
            ability::BERSERK | ability::ANGERSHELL => {
                self.mons[p].ability_data = 1;
                let mon = &self.mons[p];
                if source == p || mon.hp == 0 || flight.total_damage == 0 || !mon.attacked() {
                    return Answer::Pass;
                }
                let multi = flight.hits.0 > 0;
                let damage =
                    if multi { flight.total_damage } else { i32::from(mon.last_attack_damage) };
                if !(mon.hp * 2 <= mon.maxhp && (mon.hp + damage) * 2 > mon.maxhp) {
                    return Answer::Pass;
                }
                let boosts = if id == ability::BERSERK {
                    Boosts::one(boost::SPA, 1)
                } else {
                    Boosts::of([1, -1, 1, -1, 1, 0, 0])
                };
                self.boost(boosts, p, Some(p), Effect::ability(id));
                Answer::Done
            }
            ability::PICKPOCKET if source != p && flight.flags & flag::CONTACT != 0 => {
                let mon = &self.mons[p];
                if mon.item != 0
                    || mon.switch_flag != SwitchFlag::No
                    || mon.force_switch()
                    || self.mons[source].switch_flag == SwitchFlag::Fainted
                {
                    return Answer::Pass;
                }
                self.steal(p, source)
            }
            _ => Answer::Pass,
        }
    }

    fn steal(&mut self, thief: P, victim: P) -> Answer {
        let Taken::Item(taken) = self.take_item(victim, thief) else { return Answer::Pass };
        if !self.set_item(thief, taken) {
            self.mons[victim].item = taken;
        }
        Answer::Done
    }

    pub(super) fn magician(&mut self, p: P, cx: &Context) -> Answer {
        let flight = self.flights[cx.flight];
        let Some(target) = flight.hit_target.map(usize::from) else { return Answer::Pass };
        let mon = &self.mons[p];
        if mon.switch_flag == SwitchFlag::Fainted
            || mon.item != 0
            || flight.category == Category::Status
            || target == p
        {
            return Answer::Pass;
        }
        self.steal(p, target)
    }

    pub(super) fn ability_after_status(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let Some(source) = cx.source else { return Answer::Pass };
        let status = cx.id as u8;
        match id {
            ability::SYNCHRONIZE => {
                if source == p
                    || cx.effect.is_condition(cond::TOXICSPIKES)
                    || matches!(status, cond::SLP | cond::FRZ)
                {
                    return Answer::Pass;
                }
                self.try_set_status(source, status, p, Effect::ability(id));
                Answer::Done
            }
            ability::POISONPUPPETEER => {
                let fits = source == p
                    && self.mons[p].base_species == species::PECHARUNT
                    && cx.target != p
                    && cx.effect.kind == EffectKind::Move
                    && matches!(status, cond::PSN | cond::TOX);
                if !fits {
                    return Answer::Pass;
                }
                self.add_volatile(cx.target, cond::CONFUSION, Some(p), Effect::ability(id));
                Answer::Done
            }
            _ => Answer::Pass,
        }
    }

    pub(super) fn ability_loses_item(
        &mut self,
        hook_id: u8,
        id: u16,
        p: P,
        cx: &mut Context,
    ) -> Answer {
        match id {
            ability::UNBURDEN => {
                self.add_volatile(p, cond::UNBURDEN, Some(p), Effect::ability(id));
                Answer::Done
            }
            ability::STICKYHOLD if hook_id == hook::TAKEITEM => {
                let mon = &self.mons[p];
                let knocked = self.active_move > 0
                    && self.flights[self.active_move as usize - 1].id == moves::KNOCKOFF;
                let foreign = cx.source.is_some_and(|s| s != p);
                if mon.hp > 0 && (foreign || knocked) { Answer::No } else { Answer::Pass }
            }
            _ => Answer::Pass,
        }
    }

    pub(super) fn ability_eats(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        match id {
            ability::CHEEKPOUCH => {
                let amount = fraction(self.mons[p].base_maxhp, 3);
                self.heal(amount, p, cx.source, Effect::ability(id));
                Answer::Done
            }
            ability::CUDCHEW => {
                let bitten = cx.effect.is_move(moves::BUGBITE) || cx.effect.is_move(moves::PLUCK);
                if !self.t.items[cx.id as usize].berry || bitten {
                    return Answer::Pass;
                }
                let late = self.queue.peek().is_none();
                let mon = &mut self.mons[p];
                mon.ability_data = cx.id;
                mon.ability_turns = if late { 1 } else { 2 };
                Answer::Done
            }
            _ => Answer::Pass,
        }
    }

    pub(super) fn ability_tries_to_eat(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        if !matches!(id, ability::BERSERK | ability::ANGERSHELL) || cx.id != item::SITRUSBERRY {
            return Answer::Pass;
        }
        match self.mons[p].ability_data {
            2 => Answer::No,
            _ => Answer::Pass,
        }
    }

    pub(super) fn ability_after_faint(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        if cx.effect.kind != EffectKind::Move {
            return Answer::Pass;
        }
        let by = cx.number as i8;
        let (boosts, name) = match id {
            ability::MOXIE => (Boosts::one(boost::ATK, by), id),
            ability::CHILLINGNEIGH | ability::ASONEGLASTRIER => {
                (Boosts::one(boost::ATK, by), ability::CHILLINGNEIGH)
            }
            ability::GRIMNEIGH | ability::ASONESPECTRIER => {
                (Boosts::one(boost::SPA, by), ability::GRIMNEIGH)
            }
            ability::BATTLEBOND => {
                let mon = &self.mons[p];
                let ready = !mon.bond_triggered()
                    && mon.species == species::GRENINJABOND
                    && mon.hp > 0
                    && !mon.transformed()
                    && self.sides[1 - side_of(p)].left > 0;
                if !ready {
                    return Answer::Pass;
                }
                self.mons[p].set_bond_triggered(true);
                (Boosts::of([1, 0, 1, 0, 1, 0, 0]), id)
            }
            _ => return Answer::Pass,
        };
        self.boost(boosts, p, Some(p), Effect::ability(name));
        Answer::Done
    }
}
