//! What modifies the power of a move: abilities, items, and moves themselves.

use crate::data::{Category, flag};
use crate::event::{Answer, Context, modify};
use crate::fired;
use crate::ids::{ability, cond, hook, item, moves, species, types};
use crate::state::{Battle, Effect, Outcome, P, foe_of};

/// Of Supreme Overlord, by how many have fallen.
const OVERLORD: [i32; 6] = [4096, 4506, 4915, 5325, 5734, 6144];

impl Battle {
    /// Abilities that modify power.
    pub(super) fn ability_power(&mut self, hook_id: u8, id: u16, p: P, cx: &mut Context) -> Answer {
        let flight = self.flights[cx.flight];
        let entry = &self.t.moves[flight.id as usize];
        let flagged = |bit: u32| flight.flags & bit != 0;
        let mon = &self.mons[p];
        let modifier = match id {
            ability::TECHNICIAN if modify(cx.number, cx.modifier) <= 60 => 6144,
            ability::SHEERFORCE if flight.sheer || entry.sheer => 5325,
            ability::IRONFIST if flagged(flag::PUNCH) => 4915,
            ability::RECKLESS if entry.recoil.1 > 0 || entry.crash => 4915,
            ability::SHARPNESS if flagged(flag::SLICING) => 6144,
            ability::STRONGJAW if flagged(flag::BITE) => 6144,
            ability::MEGALAUNCHER if flagged(flag::PULSE) => 6144,
            ability::PIXILATE | ability::GALVANIZE if flight.type_changer == id => 4915,
            ability::TOUGHCLAWS if flagged(flag::CONTACT) => 5325,
            ability::PUNKROCK if flagged(flag::SOUND) => 5325,
            ability::TOXICBOOST
                if matches!(mon.status, cond::PSN | cond::TOX)
                    && flight.category == Category::Physical =>
            {
                6144
            }
            ability::SUPREMEOVERLORD if mon.ability_data > 0 => OVERLORD[mon.ability_data as usize],
            ability::ANALYTIC if !self.will_move(foe_of(p)) => 5325,
            ability::SANDFORCE
                if self.weather() == cond::SANDSTORM
                    && matches!(flight.kind, types::ROCK | types::GROUND | types::STEEL) =>
            {
                5325
            }
            ability::STEELYSPIRIT if flight.kind == types::STEEL => 6144,
            ability::DRYSKIN if hook_id == hook::SOURCEBASEPOWER && flight.kind == types::FIRE => {
                5120
            }
            _ => return Answer::Pass,
        };
        cx.chain(modifier)
    }

    /// Items that modify power.
    pub(super) fn item_power(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let kind = self.flights[cx.flight].kind;
        let base = self.mons[p].base_species;
        let num = self.t.species[base as usize].num;
        let strong = match id {
            item::SILKSCARF => kind == types::NORMAL,
            item::SILVERPOWDER => kind == types::BUG,
            item::MAGNET => kind == types::ELECTRIC,
            item::SOULDEW => {
                (num == 380 || num == 381) && matches!(kind, types::PSYCHIC | types::DRAGON)
            }
            item::GRISEOUSCORE => num == 487 && matches!(kind, types::GHOST | types::DRAGON),
            item::ADAMANTCRYSTAL => num == 483 && matches!(kind, types::STEEL | types::DRAGON),
            item::LUSTROUSGLOBE | item::LUSTROUSORB => {
                num == 484 && matches!(kind, types::WATER | types::DRAGON)
            }
            item::HEARTHFLAMEMASK => {
                matches!(base, species::OGERPONHEARTHFLAME | species::OGERPONHEARTHFLAMETERA)
            }
            item::CORNERSTONEMASK => {
                matches!(base, species::OGERPONCORNERSTONE | species::OGERPONCORNERSTONETERA)
            }
            item::WELLSPRINGMASK => {
                matches!(base, species::OGERPONWELLSPRING | species::OGERPONWELLSPRINGTERA)
            }
            _ => {
                let plate = self.t.items[id as usize].plate;
                plate != 0 && plate == kind
            }
        };
        if strong { cx.chain(4915) } else { Answer::Pass }
    }

    /// Whether a move has a say in its own power among the others.
    pub fn has_on_base_power(&self, id: u16) -> bool {
        matches!(
            id,
            moves::KNOCKOFF
                | moves::SOLARBEAM
                | moves::FACADE
                | moves::LASHOUT
                | moves::FUSIONFLARE
                | moves::FUSIONBOLT
                | moves::GRAVAPPLE
                | moves::EXPANDINGFORCE
                | moves::PSYBLADE
                | moves::COLLISIONCOURSE
                | moves::ELECTRODRIFT
                | moves::FICKLEBEAM
        )
    }

    /// A move's own say in its power.
    pub(super) fn move_on_base_power(&mut self, cx: &mut Context) -> Answer {
        let (p, target) = (cx.target, cx.source.unwrap_or(foe_of(cx.target)));
        let id = self.flights[cx.flight].id;
        let modifier = match id {
            moves::KNOCKOFF => {
                let held = self.mons[target].item;
                if held == 0 || !self.item_lets_go(held, target, target) {
                    return Answer::Pass;
                }
                6144
            }
            moves::SOLARBEAM
                if matches!(
                    self.weather(),
                    cond::RAINDANCE | cond::SANDSTORM | cond::SNOWSCAPE
                ) =>
            {
                2048
            }
            moves::FACADE if !matches!(self.mons[p].status, 0 | cond::SLP) => 8192,
            moves::LASHOUT if self.mons[p].stats_lowered() => 8192,
            moves::FUSIONFLARE if self.last_successful == moves::FUSIONBOLT => 8192,
            moves::FUSIONBOLT if self.last_successful == moves::FUSIONFLARE => 8192,
            moves::EXPANDINGFORCE
                if self.field.terrain == cond::PSYCHICTERRAIN && self.grounded(p, false) =>
            {
                6144
            }
            moves::PSYBLADE if self.field.terrain == cond::ELECTRICTERRAIN => 6144,
            moves::COLLISIONCOURSE | moves::ELECTRODRIFT
                if self.effectiveness(target, cx.flight) > 0 =>
            {
                5461
            }
            moves::FICKLEBEAM if self.rng.chance(3, 10) => 8192,
            _ => return Answer::Pass,
        };
        cx.chain(modifier)
    }

    /// The power of a move before others modify it; 0 for status moves.
    pub fn move_power(&mut self, at: usize, p: P, target: P) -> i32 {
        let flight = self.flights[at];
        let power = flight.power;
        if !self.t.moves[flight.id as usize].power_call {
            return power;
        }
        fired::note(Effect::flight(flight.id, at));
        let (own, other) = (self.mons[p], self.mons[target]);
        let doubled = |yes: bool| if yes { 2 * power } else { power };
        match flight.id {
            moves::ACROBATICS => doubled(own.item == 0),
            moves::AVALANCHE => doubled(own.hurt_by >> (other.ident % 6) & 1 == 1),
            moves::BEATUP => self.beat_up_power(at),
            moves::DRAGONENERGY | moves::ERUPTION | moves::WATERSPOUT => power * own.hp / own.maxhp,
            moves::GRASSKNOT | moves::LOWKICK => match self.weight_of(target) {
                2000.. => 120,
                1000.. => 100,
                500.. => 80,
                250.. => 60,
                100.. => 40,
                _ => 20,
            },
            moves::HEATCRASH | moves::HEAVYSLAM => {
                let theirs = self.weight_of(target);
                match self.weight_of(p) / theirs {
                    5.. => 120,
                    4 => 100,
                    3 => 80,
                    2 => 60,
                    _ => 40,
                }
            }
            moves::GYROBALL => {
                let (theirs, own) = (self.full_speed(target), self.full_speed(p));
                if own == 0 { 1 } else { (25 * theirs / own + 1).min(150) }
            }
            moves::HEX => doubled(other.status != 0 || self.has_ability(target, ability::COMATOSE)),
            moves::PAYBACK => doubled(!(other.newly_switched() || self.will_move(target))),
            moves::POWERTRIP | moves::STOREDPOWER => power + 20 * self.positive_boosts(p),
            moves::RAGEFIST => (50 + 50 * i32::from(own.times_attacked)).min(350),
            moves::STOMPINGTANTRUM | moves::TEMPERFLARE => {
                doubled(own.last_result == Outcome::Failed)
            }
            moves::TERABLAST if own.tera == types::STELLAR => 100,
            moves::TRIPLEAXEL => 20 * i32::from(flight.hit),
            _ => power,
        }
    }

    fn beat_up_power(&mut self, at: usize) -> i32 {
        let flight = &mut self.flights[at];
        let ally = flight.allies[(flight.next_ally as usize).min(5)];
        flight.next_ally += 1;
        // Teams name the heroes without their crowns, which rosters have put on already.
        let species = match self.mons[ally as usize].set_species {
            species::ZACIANCROWNED => species::ZACIAN,
            species::ZAMAZENTACROWNED => species::ZAMAZENTA,
            other => other,
        };
        5 + i32::from(self.t.species[species as usize].stats[1]) / 10
    }
}
