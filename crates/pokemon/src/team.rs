//! A battle from two teams and a seed.

use crate::data::names;
use crate::rng::Rng;
use crate::state::{Battle, Mon, MoveSlot};
use crate::support::lacking;

/// A Pokemon as it is brought; all by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Set {
    pub species: u16,
    pub ability: u16,
    pub item: u16,
    pub moves: [u16; 4],
    pub level: u8,
    /// 1 male, 2 female, 3 none
    pub gender: u8,
    pub nature: u8,
    pub tera: u8,
    pub evs: [u8; 6],
    pub ivs: [u8; 6],
}

/// Why a team cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplayable {
    /// It has none, or more than six.
    Size(usize),
    /// A field of a set (by its name) has a number that stands for nothing.
    Number(&'static str, usize),
    /// A species has something that is not played: of what kind, and its name.
    Unsupported(&'static str, &'static str, &'static str),
}

impl std::fmt::Display for Unplayable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(size) => write!(f, "a team has {size} Pokemon; bring one to six"),
            Self::Number(field, value) => {
                write!(f, "there is no {field} with number {value}; take numbers from the tables")
            }
            Self::Unsupported(species, kind, name) => {
                write!(f, "{species} has the {kind} {name}, which is not played; give it another")
            }
        }
    }
}

impl Set {
    /// Whether everything that it has is played; otherwise the first that is not. Its numbers must
    /// be those of the tables, as a battle finds.
    pub fn supported(&self) -> Result<(), Unplayable> {
        let Some((kind, name)) = lacking(self) else { return Ok(()) };
        let species = names("species").unwrap_or_default()[self.species as usize - 1];
        Err(Unplayable::Unsupported(species, kind, name))
    }
}

impl Battle {
    /// A battle up to its first request. What a set has and is not played does nothing: see
    /// [`Set::supported`].
    pub fn new(seed: [u16; 4], teams: [&[Set]; 2]) -> Result<Self, Unplayable> {
        let mut battle = Self { rng: Rng::new(seed), ..Self::default() };
        for (side, team) in teams.iter().enumerate() {
            if team.is_empty() || team.len() > 6 {
                return Err(Unplayable::Size(team.len()));
            }
            battle.sides[side].size = team.len() as u8;
            battle.sides[side].left = team.len() as u8;
            for slot in 0..6 {
                battle.mons[6 * side + slot].ident = (6 * side + slot) as u8;
            }
            for (slot, set) in team.iter().enumerate() {
                battle.check(set)?;
                battle.bring(6 * side + slot, set);
            }
            for slot in team.len()..6 {
                battle.mons[6 * side + slot].set_fainted(true);
            }
        }
        battle.start();
        Ok(battle)
    }

    fn check(&self, set: &Set) -> Result<(), Unplayable> {
        let t = self.t;
        let within = |field, value: u16, count: usize, least: u16| {
            if value >= least && (value as usize) < count {
                Ok(())
            } else {
                Err(Unplayable::Number(field, value as usize))
            }
        };
        within("species", set.species, t.species.len(), 1)?;
        within("ability", set.ability, t.abilities.len(), 0)?;
        within("item", set.item, t.items.len(), 0)?;
        within("nature", u16::from(set.nature), t.natures.len(), 0)?;
        within("type", u16::from(set.tera), 20, 1)?;
        within("gender", u16::from(set.gender), 4, 1)?;
        within("level", u16::from(set.level), 101, 1)?;
        within("move", set.moves[0], t.moves.len(), 1)?;
        for id in set.moves {
            within("move", id, t.moves.len(), 0)?;
        }
        for iv in set.ivs {
            within("individual value", u16::from(iv), 32, 0)?;
        }
        Ok(())
    }

    fn bring(&mut self, p: usize, set: &Set) {
        let mut slots = [MoveSlot::default(); 4];
        for (slot, &id) in slots.iter_mut().zip(&set.moves) {
            let entry = &self.t.moves[id as usize];
            if id != 0 {
                let more = if entry.no_pp_boosts { 5 } else { 8 };
                let pp = (u16::from(entry.pp) * more / 5) as u8;
                *slot = MoveSlot { id, pp, max_pp: pp, disabled: false };
            }
        }
        self.mons[p] = Mon {
            ident: p as u8,
            species: set.species,
            base_species: set.species,
            set_species: set.species,
            set_ability: set.ability,
            level: set.level,
            gender: set.gender,
            nature: set.nature,
            growth: std::array::from_fn(|stat| set.ivs[stat] + set.evs[stat] / 4),
            slots,
            ability: set.ability,
            base_ability: set.ability,
            item: set.item,
            tera_type: set.tera,
            ..Mon::default()
        };
        self.mons[p].set_can_tera(true);
        self.clear_volatile(p, true);
        self.mons[p].hp = self.mons[p].maxhp;
    }
}
