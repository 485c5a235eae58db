//! Abilities as they begin and end, each turn, and as the sky changes.

use crate::boosts::Boosts;
use crate::event::{Answer, Context};
use crate::fired;
use crate::hp::fraction;
use crate::ids::{ability, cond, event, species};
use crate::mon::{boost, stat};
use crate::state::{Battle, Effect, Outcome, P, foe_of, side_of};

impl Battle {
    /// An ability begins: its holder comes in, or gets it.
    pub fn start_ability(&mut self, p: P) {
        if self.ignoring_ability(p) {
            return;
        }
        let id = self.mons[p].ability;
        let effect = Effect::ability(id);
        let foe = foe_of(p);
        match id {
            ability::INTIMIDATE => {
                if self.mons[foe].hp == 0 || self.has_vol(foe, cond::SUBSTITUTE) {
                    return;
                }
                self.boost(Boosts::one(boost::ATK, -1), foe, Some(p), effect);
            }
            ability::DRIZZLE => _ = self.set_weather(cond::RAINDANCE, p, effect),
            ability::DROUGHT | ability::ORICHALCUMPULSE => {
                self.set_weather(cond::SUNNYDAY, p, effect);
            }
            ability::SANDSTREAM => _ = self.set_weather(cond::SANDSTORM, p, effect),
            ability::SNOWWARNING => _ = self.set_weather(cond::SNOWSCAPE, p, effect),
            ability::ELECTRICSURGE | ability::HADRONENGINE => {
                self.set_terrain(cond::ELECTRICTERRAIN, p, effect);
            }
            ability::PSYCHICSURGE => _ = self.set_terrain(cond::PSYCHICTERRAIN, p, effect),
            ability::GRASSYSURGE => _ = self.set_terrain(cond::GRASSYTERRAIN, p, effect),
            ability::PROTOSYNTHESIS | ability::QUARKDRIVE => {
                let mut cx = Context::new(p, None, Effect::NONE);
                self.ability_sky(id, p, &mut cx);
                return;
            }
            ability::UNNERVE | ability::ASONEGLASTRIER | ability::ASONESPECTRIER => {
                self.mons[p].ability_data = 1;
            }
            ability::WINDRIDER => {
                if !self.sides[side_of(p)].conditions.has(cond::TAILWIND) {
                    return;
                }
                self.boost(Boosts::one(boost::ATK, 1), p, Some(p), effect);
            }
            ability::CLOUDNINE | ability::AIRLOCK => {
                self.mons[p].set_ability_ending(false);
                self.each_event(event::WEATHERCHANGE, effect);
            }
            ability::SLOWSTART => self.mons[p].ability_turns = 5,
            ability::TRUANT => self.start_truant(p),
            ability::TRACE => {
                self.mons[p].ability_data = 1;
                self.trace(p);
                return;
            }
            ability::SHIELDSDOWN => self.shift_shields(p),
            ability::ICEFACE => self.refreeze(p),
            ability::SUPREMEOVERLORD => {
                let fallen = self.sides[side_of(p)].total_fainted.min(5);
                self.mons[p].ability_data = u16::from(fallen);
                return;
            }
            ability::DAUNTLESSSHIELD if !self.mons[p].shield_boost() => {
                self.mons[p].set_shield_boost(true);
                self.boost(Boosts::one(boost::DEF, 1), p, Some(p), effect);
            }
            ability::INTREPIDSWORD if !self.mons[p].sword_boost() => {
                self.mons[p].set_sword_boost(true);
                self.boost(Boosts::one(boost::ATK, 1), p, Some(p), effect);
            }
            ability::DOWNLOAD => {
                if self.mons[foe].hp == 0 {
                    return;
                }
                let soft = self.plain_stat(foe, stat::DEF) < self.plain_stat(foe, stat::SPD);
                let raised = if soft { boost::ATK } else { boost::SPA };
                self.boost(Boosts::one(raised, 1), p, Some(p), effect);
            }
            ability::EMBODYASPECTTEAL => self.embody(p, species::OGERPONTEALTERA, boost::SPE),
            ability::EMBODYASPECTWELLSPRING => {
                self.embody(p, species::OGERPONWELLSPRINGTERA, boost::SPD);
            }
            ability::EMBODYASPECTHEARTHFLAME => {
                self.embody(p, species::OGERPONHEARTHFLAMETERA, boost::ATK);
            }
            ability::EMBODYASPECTCORNERSTONE => {
                self.embody(p, species::OGERPONCORNERSTONETERA, boost::DEF);
            }
            ability::FRISK | ability::PRESSURE | ability::MOLDBREAKER => {}
            _ => return,
        }
        fired::note(effect);
    }

    /// A terastallized Ogerpon's mask strengthens it each time it comes in.
    fn embody(&mut self, p: P, forme: u16, stat: usize) {
        let mon = &mut self.mons[p];
        if mon.base_species == forme && mon.tera != 0 && mon.ability_data == 0 {
            mon.ability_data = 1;
            let effect = Effect::ability(mon.ability);
            self.boost(Boosts::one(stat, 1), p, Some(p), effect);
        }
    }

    fn start_truant(&mut self, p: P) {
        self.remove_volatile(p, cond::TRUANT);
        let acted = self.mons[p].move_result != Outcome::Unknown || !self.will_move(p);
        if self.mons[p].active_turns > 0 && acted {
            self.add_volatile(p, cond::TRUANT, Some(p), Effect::ability(ability::TRUANT));
        }
    }

    fn trace(&mut self, p: P) {
        let foe = foe_of(p);
        if self.mons[p].ability_data == 0 || self.mons[foe].hp == 0 {
            return;
        }
        let theirs = self.mons[foe].ability;
        if self.t.abilities[theirs as usize].no_trace || theirs == 0 || self.mons[p].hp == 0 {
            return;
        }
        self.rng.below(1);
        if self.t.abilities[theirs as usize].cant_suppress {
            return;
        }
        fired::note(Effect::ability(ability::TRACE));
        self.replace_ability(p, theirs, false);
    }

    fn shift_shields(&mut self, p: P) {
        let mon = &self.mons[p];
        if self.kin(mon.base_species) != species::MINIOR || mon.transformed() || mon.hp == 0 {
            return;
        }
        let whole = mon.hp * 2 > mon.maxhp;
        let meteor = mon.species == species::MINIORMETEOR;
        let effect = Effect::ability(ability::SHIELDSDOWN);
        if whole && !meteor {
            self.change_forme(p, species::MINIORMETEOR, effect, false);
        } else if !whole && meteor {
            let to = mon.set_species;
            self.change_forme(p, to, effect, false);
        }
    }

    fn refreeze(&mut self, p: P) {
        if self.weather() == cond::SNOWSCAPE && self.mons[p].species == species::EISCUENOICE {
            self.mons[p].ability_data = 0;
            self.change_forme(p, species::EISCUE, Effect::ability(ability::ICEFACE), true);
        }
    }

    /// An ability ends: its holder goes, faints or loses it.
    pub fn end_ability(&mut self, p: P) {
        let id = self.mons[p].ability;
        match id {
            ability::PROTOSYNTHESIS => _ = self.vols(p).delete(cond::PROTOSYNTHESIS),
            ability::QUARKDRIVE => _ = self.vols(p).delete(cond::QUARKDRIVE),
            ability::FLASHFIRE => _ = self.remove_volatile(p, cond::FLASHFIRE),
            ability::UNBURDEN => _ = self.remove_volatile(p, cond::UNBURDEN),
            ability::UNNERVE | ability::ASONEGLASTRIER | ability::ASONESPECTRIER => {
                self.mons[p].ability_data = 0;
            }
            ability::CLOUDNINE | ability::AIRLOCK => {
                self.mons[p].set_ability_ending(true);
                self.each_event(event::WEATHERCHANGE, Effect::ability(id));
            }
            ability::ILLUSION if !self.mons[p].being_called_back() => {
                self.end_illusion(p);
            }
            _ => {}
        }
    }

    pub(super) fn end_illusion(&mut self, p: P) {
        self.mons[p].set_illusion(false);
    }

    pub(super) fn ability_residual(&mut self, id: u16, p: P) -> Answer {
        let effect = Effect::ability(id);
        match id {
            ability::HYDRATION if self.mons[p].status != 0 && self.rainy() => {
                self.cure_status(p);
            }
            ability::SHEDSKIN => {
                let mon = &self.mons[p];
                if mon.hp == 0 || mon.status == 0 || !self.rng.chance(33, 100) {
                    return Answer::Pass;
                }
                self.cure_status(p);
            }
            ability::SPEEDBOOST if self.mons[p].active_turns > 0 => {
                self.boost(Boosts::one(boost::SPE, 1), p, Some(p), effect);
            }
            ability::HARVEST => {
                let grows = self.sunny() || self.rng.chance(1, 2);
                let mon = &self.mons[p];
                let berry = self.t.items[mon.last_item as usize].berry;
                if !grows || mon.hp == 0 || mon.item != 0 || !berry {
                    return Answer::Pass;
                }
                let grown = mon.last_item;
                self.set_item(p, grown);
                self.mons[p].last_item = 0;
            }
            ability::BADDREAMS => {
                let foe = foe_of(p);
                let asleep =
                    self.mons[foe].status == cond::SLP || self.has_ability(foe, ability::COMATOSE);
                if self.mons[p].hp == 0 || self.mons[foe].hp == 0 || !asleep {
                    return Answer::Pass;
                }
                self.damage(fraction(self.mons[foe].base_maxhp, 8), foe, Some(p), effect);
            }
            ability::SLOWSTART if self.mons[p].active_turns > 0 => {
                let mon = &mut self.mons[p];
                mon.ability_turns = mon.ability_turns.saturating_sub(1);
            }
            ability::SHIELDSDOWN => self.shift_shields(p),
            ability::HUNGERSWITCH => {
                let mon = &self.mons[p];
                if self.kin(mon.species) != species::MORPEKO || mon.tera != 0 {
                    return Answer::Pass;
                }
                let full = mon.species == species::MORPEKO;
                let to = if full { species::MORPEKOHANGRY } else { species::MORPEKO };
                self.change_forme(p, to, effect, false);
            }
            ability::CUDCHEW => {
                let mon = &mut self.mons[p];
                if mon.ability_data == 0 || mon.hp == 0 {
                    return Answer::Pass;
                }
                mon.ability_turns = mon.ability_turns.saturating_sub(1);
                if mon.ability_turns > 0 {
                    return Answer::Pass;
                }
                let berry = mon.ability_data;
                self.eat_effect(berry, p);
                let mut cx = Context::new(p, None, Effect::NONE).about(berry);
                self.run_event(event::EATITEM, &mut cx);
                let mon = &mut self.mons[p];
                mon.set_ate_berry(true);
                (mon.ability_data, mon.ability_turns) = (0, 0);
            }
            _ => return Answer::Pass,
        }
        Answer::Done
    }

    pub(super) fn ability_switch_out(&mut self, id: u16, p: P) -> Answer {
        match id {
            ability::REGENERATOR => {
                let amount = self.mons[p].base_maxhp / 3;
                if self.mend(p, amount) == 0 {
                    return Answer::Pass;
                }
            }
            ability::NATURALCURE => {
                if !self.cure_status(p) {
                    return Answer::Pass;
                }
            }
            ability::ZEROTOHERO
                if self.kin(self.mons[p].base_species) == species::PALAFIN
                    && self.mons[p].species != species::PALAFINHERO =>
            {
                self.change_forme(p, species::PALAFINHERO, Effect::ability(id), true);
            }
            _ => return Answer::Pass,
        }
        Answer::Done
    }

    pub(super) fn ability_sky(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let (volatile, on) = match id {
            ability::PROTOSYNTHESIS => (cond::PROTOSYNTHESIS, self.weather() == cond::SUNNYDAY),
            ability::QUARKDRIVE => (cond::QUARKDRIVE, self.field.terrain == cond::ELECTRICTERRAIN),
            ability::ICEFACE => {
                let suppressing = cx.effect.kind == crate::state::EffectKind::Ability
                    && self.t.abilities[cx.effect.id as usize].weatherless;
                if !suppressing && self.mons[p].hp > 0 {
                    self.refreeze(p);
                }
                return Answer::Pass;
            }
            _ => return Answer::Pass,
        };
        if on {
            if self.add_volatile(p, volatile, Some(p), Effect::ability(id)) == Answer::Yes {
                return Answer::Done;
            }
        } else if self.vol(p, volatile).is_none_or(|v| v.extra == 0) {
            self.remove_volatile(p, volatile);
        }
        Answer::Pass
    }

    pub(super) fn ability_weather(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let effect = Effect::ability(id);
        let most = self.mons[p].base_maxhp;
        match id {
            ability::DRYSKIN if cx.effect.is_condition(cond::RAINDANCE) && self.rainy() => {
                self.heal(fraction(most, 8), p, None, effect);
            }
            ability::DRYSKIN if cx.effect.is_condition(cond::SUNNYDAY) && self.sunny() => {
                self.damage(fraction(most, 8), p, Some(p), effect);
            }
            ability::ICEBODY if cx.effect.is_condition(cond::SNOWSCAPE) => {
                self.heal(fraction(most, 16), p, None, effect);
            }
            _ => return Answer::Pass,
        }
        Answer::Done
    }

    pub(super) fn ability_update(&mut self, id: u16, p: P) -> Answer {
        let status = self.mons[p].status;
        let cures = match id {
            ability::INSOMNIA | ability::VITALSPIRIT => cond::SLP,
            ability::WATERVEIL | ability::WATERBUBBLE | ability::THERMALEXCHANGE => cond::BRN,
            ability::LIMBER => cond::PAR,
            _ => 0,
        };
        if cures != 0 {
            if status == cures && self.cure_status(p) {
                return Answer::Done;
            }
            return Answer::Pass;
        }
        let busted = self.mons[p].ability_data == 1;
        match id {
            ability::DISGUISE if busted && self.mons[p].species == species::MIMIKYU => {
                let effect = Effect::ability(id);
                self.change_forme(p, species::MIMIKYUBUSTED, effect, true);
                let by = Effect {
                    kind: crate::state::EffectKind::Species,
                    id: species::MIMIKYUBUSTED,
                    at: 0,
                };
                self.damage(fraction(self.mons[p].base_maxhp, 8), p, Some(p), by);
                Answer::Done
            }
            ability::ICEFACE if busted && self.mons[p].species == species::EISCUE => {
                self.change_forme(p, species::EISCUENOICE, Effect::ability(id), true);
                Answer::Done
            }
            ability::TRACE => {
                self.trace(p);
                Answer::Pass
            }
            ability::OBLIVIOUS => {
                let love = self.remove_volatile(p, cond::ATTRACT);
                let taunt = self.remove_volatile(p, cond::TAUNT);
                if love || taunt { Answer::Done } else { Answer::Pass }
            }
            ability::OWNTEMPO => {
                if self.remove_volatile(p, cond::CONFUSION) {
                    Answer::Done
                } else {
                    Answer::Pass
                }
            }
            _ => Answer::Pass,
        }
    }
}
