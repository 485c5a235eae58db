//! Abilities and items that modify stats, accuracy, damage and priority.

use crate::data::{Category, flag};
use crate::event::{Answer, Context};
use crate::hits::SURE;
use crate::ids::{ability, cond, hook, item, species, types};
use crate::state::{Battle, P};

const HALF: i32 = 2048;
const THREE_QUARTERS: i32 = 3072;
const HALF_MORE: i32 = 6144;
const DOUBLE: i32 = 8192;

impl Battle {
    /// Abilities of the attacker that raise or lower its attack or special attack.
    pub(super) fn ability_attack(
        &mut self,
        id: u16,
        p: P,
        special: bool,
        cx: &mut Context,
    ) -> Answer {
        let mon = &self.mons[p];
        let kind = self.flights[cx.flight].kind;
        let pinch = |own: u8| kind == own && mon.hp * 3 <= mon.maxhp;
        let modifier = match id {
            ability::TORRENT if pinch(types::WATER) => HALF_MORE,
            ability::BLAZE if pinch(types::FIRE) => HALF_MORE,
            ability::OVERGROW if pinch(types::GRASS) => HALF_MORE,
            ability::SWARM if pinch(types::BUG) => HALF_MORE,
            ability::STAKEOUT if cx.source.is_some_and(|s| self.mons[s].active_turns == 0) => {
                DOUBLE
            }
            ability::DRAGONSMAW if kind == types::DRAGON => HALF_MORE,
            ability::ROCKYPAYLOAD if kind == types::ROCK => HALF_MORE,
            ability::TRANSISTOR if kind == types::ELECTRIC => 5325,
            ability::WATERBUBBLE if kind == types::WATER => DOUBLE,
            ability::GUTS if mon.status != 0 && !special => HALF_MORE,
            ability::HUGEPOWER | ability::PUREPOWER if !special => DOUBLE,
            ability::SLOWSTART if !special && mon.ability_turns > 0 => HALF,
            ability::ORICHALCUMPULSE if !special && self.sunny() => 5461,
            ability::HADRONENGINE if special && self.field.terrain == cond::ELECTRICTERRAIN => 5461,
            ability::HUSTLE if !special => {
                let number = crate::event::modify(cx.number, HALF_MORE);
                return cx.answer(number);
            }
            _ => return Answer::Pass,
        };
        cx.chain(modifier)
    }

    /// Abilities of the defender that weaken attacks of some types.
    pub(super) fn ability_source_attack(&mut self, id: u16, cx: &mut Context) -> Answer {
        let kind = self.flights[cx.flight].kind;
        let weak = match id {
            ability::THICKFAT => kind == types::ICE || kind == types::FIRE,
            ability::HEATPROOF | ability::WATERBUBBLE => kind == types::FIRE,
            ability::PURIFYINGSALT => kind == types::GHOST,
            _ => false,
        };
        if weak { cx.chain(HALF) } else { Answer::Pass }
    }

    /// The four ruinous abilities: `which` is attack, defence, special attack, special defence.
    pub(super) fn ruin(&mut self, id: u16, p: P, which: usize, cx: &mut Context) -> Answer {
        let ours = [
            ability::TABLETSOFRUIN,
            ability::SWORDOFRUIN,
            ability::VESSELOFRUIN,
            ability::BEADSOFRUIN,
        ];
        if id != ours[which] || self.has_ability(cx.target, id) {
            return Answer::Pass;
        }
        let holder = self.flights[cx.flight].ruined[which];
        let vacant = match which {
            0 | 2 => holder == 0,
            _ => holder == 0 || !self.has_ability(holder as usize - 1, id),
        };
        if vacant {
            self.flights[cx.flight].ruined[which] = p as u8 + 1;
        }
        if self.flights[cx.flight].ruined[which] as usize != p + 1 {
            return Answer::Pass;
        }
        cx.chain(THREE_QUARTERS)
    }

    /// Abilities that modify speed.
    pub(super) fn ability_speed(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let mon = &self.mons[p];
        let modifier = match id {
            ability::CHLOROPHYLL if self.sunny() => DOUBLE,
            ability::SWIFTSWIM if self.rainy() => DOUBLE,
            ability::SANDRUSH if self.weather() == cond::SANDSTORM => DOUBLE,
            ability::SLUSHRUSH if self.weather() == cond::SNOWSCAPE => DOUBLE,
            ability::SURGESURFER if self.field.terrain == cond::ELECTRICTERRAIN => DOUBLE,
            ability::QUICKFEET if mon.status != 0 => HALF_MORE,
            ability::SLOWSTART if mon.ability_turns > 0 => HALF,
            _ => return Answer::Pass,
        };
        cx.chain(modifier)
    }

    /// Abilities that change the damage of a hit: the attacker's, then the defender's.
    pub(super) fn ability_damage(&mut self, id: u16, cx: &mut Context) -> Answer {
        let flight = &self.flights[cx.flight];
        let modifier = match id {
            ability::TINTEDLENS if flight.type_mod < 0 => DOUBLE,
            ability::SNIPER if flight.crit => HALF_MORE,
            _ => return Answer::Pass,
        };
        cx.chain(modifier)
    }

    /// Abilities of the defender that change the damage of a hit.
    pub(super) fn ability_source_damage(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let flight = &self.flights[cx.flight];
        let whole = self.mons[p].hp >= self.mons[p].maxhp;
        let modifier = match id {
            ability::MULTISCALE | ability::SHADOWSHIELD if whole => HALF,
            ability::SOLIDROCK | ability::FILTER | ability::PRISMARMOR if flight.type_mod > 0 => {
                THREE_QUARTERS
            }
            ability::ICESCALES if flight.category == Category::Special => HALF,
            ability::PUNKROCK if flight.flags & flag::SOUND != 0 => HALF,
            ability::FLUFFY => {
                let fire = if flight.kind == types::FIRE { 2 } else { 1 };
                let touch = if flight.flags & flag::CONTACT != 0 { 2 } else { 1 };
                4096 * fire / touch
            }
            _ => return Answer::Pass,
        };
        cx.chain(modifier)
    }

    /// Abilities that change the number of an event in other ways.
    pub(super) fn ability_number(
        &mut self,
        hook_id: u8,
        id: u16,
        p: P,
        cx: &mut Context,
    ) -> Answer {
        let flight = self.flights[cx.flight];
        match (hook_id, id) {
            (hook::MODIFYDEF, ability::FURCOAT) => cx.chain(DOUBLE),
            (hook::MODIFYWEIGHT, ability::LIGHTMETAL) => cx.answer(cx.number / 2),
            (hook::MODIFYWEIGHT, ability::HEAVYMETAL) => cx.answer(cx.number * 2),
            (hook::SOURCEMODIFYACCURACY, ability::COMPOUNDEYES) => cx.chain(5325),
            (hook::SOURCEMODIFYACCURACY, ability::HUSTLE)
                if flight.category == Category::Physical =>
            {
                cx.chain(3277)
            }
            (hook::ANYACCURACY, ability::NOGUARD) if cx.target == p || cx.source == Some(p) => {
                cx.answer(SURE)
            }
            (hook::MODIFYSTAB, ability::ADAPTABILITY) if self.has_type(p, flight.kind) => {
                cx.answer(if cx.number == DOUBLE { 9216 } else { DOUBLE })
            }
            (hook::MODIFYPRIORITY, ability::PRANKSTER) if flight.category == Category::Status => {
                self.flights[cx.flight].prankster = true;
                cx.answer(cx.number + 1)
            }
            (hook::MODIFYPRIORITY, ability::TRIAGE) if flight.flags & flag::HEAL != 0 => {
                cx.answer(cx.number + 3)
            }
            (hook::MODIFYPRIORITY, ability::GALEWINGS)
                if flight.kind == types::FLYING && self.mons[p].hp == self.mons[p].maxhp =>
            {
                cx.answer(cx.number + 1)
            }
            (hook::FRACTIONALPRIORITY, ability::MYCELIUMMIGHT)
                if flight.category == Category::Status =>
            {
                cx.answer(-1)
            }
            _ => Answer::Pass,
        }
    }

    /// Items that change the number of an event.
    pub(super) fn item_number(&mut self, hook_id: u8, id: u16, p: P, cx: &mut Context) -> Answer {
        let mon = &self.mons[p];
        let pikachu = self.kin(mon.base_species) == species::PIKACHU;
        let nfe = self.t.species[mon.base_species as usize].nfe;
        let modifier = match (hook_id, id) {
            (hook::MODIFYATK, item::CHOICEBAND) | (hook::MODIFYSPA, item::CHOICESPECS) => HALF_MORE,
            (hook::MODIFYATK | hook::MODIFYSPA, item::LIGHTBALL) if pikachu => DOUBLE,
            (hook::MODIFYDEF | hook::MODIFYSPD, item::EVIOLITE) if nfe => HALF_MORE,
            (hook::MODIFYSPD, item::ASSAULTVEST) => HALF_MORE,
            (hook::MODIFYSPE, item::CHOICESCARF) => HALF_MORE,
            (hook::SOURCEMODIFYACCURACY, item::WIDELENS) => 4505,
            (hook::MODIFYDAMAGE, item::LIFEORB) => 5324,
            (hook::MODIFYDAMAGE, item::EXPERTBELT) if self.flights[cx.flight].type_mod > 0 => 4915,
            (hook::MODIFYCRITRATIO, item::SCOPELENS) => return cx.answer(cx.number + 1),
            _ => return Answer::Pass,
        };
        cx.chain(modifier)
    }
}
