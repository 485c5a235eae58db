//! What a Pokemon is at a moment: types, stats, groundedness, immunities.

use crate::data::natural;
use crate::event::{Answer, Context};
use crate::ids::{ability, cond, event, item, species, types};
use crate::state::{Battle, Effect, P, side_of};

/// The type that a Pokemon keeps where a type was burnt away.
pub const UNKNOWN_TYPE: u8 = 20;

/// Stats by their number.
#[allow(missing_docs)]
pub mod stat {
    pub const ATK: usize = 1;
    pub const DEF: usize = 2;
    pub const SPA: usize = 3;
    pub const SPD: usize = 4;
    pub const SPE: usize = 5;
}

/// Boosts by their number.
#[allow(missing_docs)]
pub mod boost {
    pub const ATK: usize = 0;
    pub const DEF: usize = 1;
    pub const SPA: usize = 2;
    pub const SPD: usize = 3;
    pub const SPE: usize = 4;
    pub const ACCURACY: usize = 5;
    pub const EVASION: usize = 6;
}

/// The types of a Pokemon; at most two and one added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types {
    list: [u8; 3],
    len: usize,
}

impl Types {
    fn push(&mut self, kind: u8) {
        self.list[self.len] = kind;
        self.len += 1;
    }

    /// Those there are.
    pub fn as_slice(&self) -> &[u8] {
        &self.list[..self.len]
    }

    /// Whether one is among them.
    pub fn has(&self, kind: u8) -> bool {
        self.as_slice().contains(&kind)
    }
}

impl Battle {
    /// Whether a Pokemon's ability does nothing now.
    #[inline]
    pub fn ignoring_ability(&self, p: P) -> bool {
        let mon = &self.mons[p];
        !mon.is_active() || mon.transformed() && self.t.abilities[mon.ability as usize].no_transform
    }

    /// Whether a Pokemon's item does nothing now.
    #[inline]
    pub fn ignoring_item(&self, p: P) -> bool {
        let mon = &self.mons[p];
        !mon.is_active()
            || mon.ability == ability::KLUTZ && !self.t.items[mon.item as usize].klutzproof
    }

    /// Whether an ability is there and works.
    #[inline]
    pub fn has_ability(&self, p: P, id: u16) -> bool {
        self.mons[p].ability == id && !self.ignoring_ability(p)
    }

    /// Whether an item is there and works.
    #[inline]
    pub fn has_item(&self, p: P, id: u16) -> bool {
        self.mons[p].item == id && !self.ignoring_item(p)
    }

    /// Whether someone keeps the weather from doing anything.
    pub fn suppressing_weather(&self) -> bool {
        [0, 6].iter().any(|&p| {
            let mon = &self.mons[p];
            self.t.abilities[mon.ability as usize].weatherless
                && !mon.fainted()
                && !self.ignoring_ability(p)
                && !mon.ability_ending()
        })
    }

    /// The weather as far as it does anything.
    #[inline]
    pub fn weather(&self) -> u8 {
        if self.field.weather != 0 && self.suppressing_weather() { 0 } else { self.field.weather }
    }

    /// Whether the sun shines.
    pub fn sunny(&self) -> bool {
        self.weather() == cond::SUNNYDAY
    }

    /// Whether it rains.
    pub fn rainy(&self) -> bool {
        self.weather() == cond::RAINDANCE
    }

    /// The types of a Pokemon; without an added one, and as before terastallization, on demand.
    pub fn types_of(&self, p: P, no_added: bool, before_tera: bool) -> Types {
        let mon = &self.mons[p];
        let mut types = Types::default();
        if !before_tera && mon.tera != 0 && mon.tera != types::STELLAR {
            types.push(mon.tera);
            return types;
        }
        let arceus = mon.is_active()
            && mon.ability == ability::MULTITYPE
            && !mon.transformed()
            && self.kin(mon.base_species) == species::ARCEUS;
        if arceus {
            let plate = self.t.items[mon.item as usize].plate;
            types.push(if plate == 0 { types::NORMAL } else { plate });
        } else {
            let roosting = mon.is_active() && self.has_vol(p, cond::ROOST);
            for kind in mon.types {
                if kind != 0 && !(roosting && kind == types::FLYING) {
                    types.push(kind);
                }
            }
        }
        if types.len == 0 {
            types.push(types::NORMAL);
        }
        if !no_added && mon.added_type != 0 {
            types.push(mon.added_type);
        }
        types
    }

    /// Whether a Pokemon is of a type now.
    pub fn has_type(&self, p: P, kind: u8) -> bool {
        self.types_of(p, false, false).has(kind)
    }

    /// Whether a Pokemon touches the ground; with its types' flight denied, on demand.
    pub fn grounded(&self, p: P, no_flight: bool) -> bool {
        if !no_flight && self.has_type(p, types::FLYING) {
            return false;
        }
        if self.has_ability(p, ability::LEVITATE) && !self.suppressing_ability(p) {
            return false;
        }
        !self.has_vol(p, cond::MAGNETRISE) && !self.has_item(p, item::AIRBALLOON)
    }

    /// Whether a move of a type (0 for none) can touch a Pokemon.
    pub fn touched_by_type(&self, kind: u8, p: P) -> bool {
        match kind {
            0 | UNKNOWN_TYPE => true,
            types::GROUND => self.grounded(p, false),
            _ => {
                let types = self.types_of(p, false, false);
                !types.as_slice().iter().any(|&own| self.t.immune[kind as usize][own as usize])
            }
        }
    }

    /// Whether a move in flight can touch a Pokemon.
    pub fn touched_by(&self, p: P, flight: usize) -> bool {
        let f = &self.flights[flight];
        f.ignore_immunity
            || f.kind != 0 && f.ignore_immunity_to >> f.kind & 1 == 1
            || self.touched_by_type(f.kind, p)
    }

    /// Whether a Pokemon's types leave it open to something.
    pub fn naturally_open(&self, p: P, to: u16) -> bool {
        let types = self.types_of(p, false, false);
        !types.as_slice().iter().any(|&own| self.t.unaffected[own as usize] & to != 0)
    }

    /// Whether a Pokemon is open to a condition, or to sandstorm, powder and the like.
    pub fn open_to(&mut self, p: P, what: Threat) -> bool {
        if self.mons[p].fainted() || !self.naturally_open(p, what.natural()) {
            return false;
        }
        let mut cx = Context::new(p, None, Effect::NONE).about(what as u16);
        self.run_event(event::IMMUNITY, &mut cx).holds()
    }

    fn boosted(value: i32, boost: i32) -> i32 {
        let boost = boost.clamp(-6, 6);
        if boost >= 0 { value * (2 + boost) / 2 } else { value * 2 / (2 - boost) }
    }

    /// The boosts of a Pokemon as others' abilities let them count.
    pub fn seen_boosts(&mut self, p: P, boosts: [i8; 7]) -> [i8; 7] {
        let mut cx = Context::new(p, None, Effect::NONE);
        cx.boosts = boosts;
        self.run_event(event::MODIFYBOOST, &mut cx);
        cx.boosts
    }

    /// A stat as damage counts it: stored, with one given boost, seen from a user of it.
    pub fn calculate_stat(&mut self, p: P, stat: usize, boost: i8, user: P) -> i32 {
        let mut boosts = [0; 7];
        boosts[stat - 1] = boost;
        let seen = self.seen_boosts(user, boosts)[stat - 1];
        Self::boosted(i32::from(self.mons[p].stored[stat]), i32::from(seen))
    }

    /// A stat without what modifies it, with boosts.
    pub fn plain_stat(&self, p: P, stat: usize) -> i32 {
        let mon = &self.mons[p];
        let stored = i32::from(mon.stored[stat]);
        Self::boosted(stored, i32::from(mon.boosts[stat - 1])).min(cap(stat))
    }

    /// Speed with everything that modifies it.
    pub fn full_speed(&mut self, p: P) -> i32 {
        let mon = &self.mons[p];
        let (stored, boosts) = (i32::from(mon.stored[stat::SPE]), mon.boosts);
        let boost = self.seen_boosts(p, boosts)[boost::SPE];
        let speed = Self::boosted(stored, i32::from(boost));
        let mut cx = Context::new(p, None, Effect::NONE).with(speed);
        self.run_event(event::MODIFYSPE, &mut cx);
        cx.number.min(10000)
    }

    /// Speed as it orders actions.
    pub fn action_speed(&mut self, p: P) -> i32 {
        let speed = self.full_speed(p);
        let speed = if self.field.trick_room > 0 { 10000 - speed } else { speed };
        speed & 0x1FFF
    }

    /// Notes the speed of a Pokemon.
    pub fn update_speed(&mut self, p: P) {
        self.mons[p].speed = self.action_speed(p) as u16;
    }

    /// Notes the speed of the active Pokemon.
    pub fn update_speeds(&mut self) {
        for p in [0, 6] {
            if !self.mons[p].fainted() {
                self.update_speed(p);
            }
        }
    }

    /// The highest stat by plain values, the first of equals.
    pub fn best_stat(&self, p: P) -> usize {
        let mut best = (stat::ATK, 0);
        for stat in stat::ATK..=stat::SPE {
            let value = self.plain_stat(p, stat);
            if value > best.1 {
                best = (stat, value);
            }
        }
        best.0
    }

    /// Weight in hectograms.
    pub fn weight_of(&mut self, p: P) -> i32 {
        let mut cx = Context::new(p, None, Effect::NONE).with(i32::from(self.mons[p].weight));
        self.run_event(event::MODIFYWEIGHT, &mut cx);
        cx.number.max(1)
    }

    /// How a type of attack goes with a Pokemon's types: the sum of exponents of two.
    pub fn effectiveness(&mut self, p: P, flight: usize) -> i32 {
        let f = self.flights[flight];
        let mut total = 0;
        if self.mons[p].tera != 0 && f.kind == types::STELLAR {
            total = 1;
        } else {
            let types = self.types_of(p, false, false);
            for &own in types.as_slice() {
                let mut exponent = i32::from(self.t.exponent[f.kind as usize][own as usize]);
                if f.id == crate::ids::moves::FREEZEDRY && own == types::WATER {
                    exponent = 1;
                    crate::fired::note(Effect::flight(f.id, flight));
                }
                let effect = Effect::flight(f.id, flight);
                let mut cx = Context::new(p, None, effect).with(exponent).about(u16::from(own));
                if self.run_event(event::EFFECTIVENESS, &mut cx) == Answer::Number {
                    exponent = cx.number;
                }
                total += exponent;
            }
        }
        self.tera_shell(p, flight, total)
    }

    /// Terapagos's shell makes the first blow, and all hits of it, not very effective.
    fn tera_shell(&mut self, p: P, flight: usize, total: i32) -> i32 {
        let f = self.flights[flight];
        let mon = &self.mons[p];
        if mon.species != species::TERAPAGOSTERASTAL
            || !self.has_ability(p, ability::TERASHELL)
            || self.suppressing_ability(p)
        {
            return total;
        }
        if f.hit == 1 {
            self.mons[p].ability_data = 0;
        }
        let mon = &self.mons[p];
        if mon.ability_data != 0 {
            return -1;
        }
        let status = f.category == crate::data::Category::Status;
        if status
            || f.id == crate::ids::moves::STRUGGLE
            || !self.touched_by(p, flight)
            || total < 0
            || mon.hp < mon.maxhp
        {
            return total;
        }
        self.mons[p].ability_data = 1;
        -1
    }

    /// Whether a Pokemon is underground or high up.
    pub fn out_of_reach(&self, p: P) -> bool {
        self.has_vol(p, cond::DIG) || self.has_vol(p, cond::FLY)
    }

    /// How many of a side could be switched in.
    pub fn can_switch(&self, side: usize) -> usize {
        if self.sides[side].left == 0 {
            return 0;
        }
        let first = 6 * side;
        let size = self.sides[side].size as usize;
        (first + 1..first + size).filter(|&p| !self.mons[p].fainted()).count()
    }

    /// Whether two Pokemon are on one side.
    pub fn allied(a: P, b: P) -> bool {
        side_of(a) == side_of(b)
    }

    /// Whether a move is among a Pokemon's.
    pub fn has_move(&self, p: P, id: u16) -> bool {
        self.moves(p).iter().any(|slot| slot.id == id)
    }
}

fn cap(of: usize) -> i32 {
    if of == stat::SPE { 10000 } else { i32::MAX }
}

/// What a Pokemon may be immune to besides moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(u16)]
pub enum Threat {
    Par = 1,
    Brn,
    Frz,
    Psn,
    Slp,
    Sandstorm,
    Powder,
    Trapped,
    Attract,
    Other,
}

impl Threat {
    fn natural(self) -> u16 {
        match self {
            Self::Par => natural::PAR,
            Self::Brn => natural::BRN,
            Self::Frz => natural::FRZ,
            Self::Psn => natural::PSN,
            Self::Sandstorm => natural::SANDSTORM,
            Self::Powder => natural::POWDER,
            Self::Trapped => natural::TRAPPED,
            _ => 0,
        }
    }
}
