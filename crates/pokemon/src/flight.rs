//! Moves while they are being used, and what else causes something.

use crate::data::{Category, Target};

/// What kind of effect causes something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EffectKind {
    #[default]
    None,
    Move,
    Ability,
    Item,
    Condition,
    Recoil,
    Drain,
    Species,
}

/// An effect that causes something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Effect {
    pub kind: EffectKind,
    pub id: u16,
    /// which of the moves in flight
    pub at: u8,
}

impl Effect {
    /// No effect.
    pub const NONE: Self = Self { kind: EffectKind::None, id: 0, at: 0 };
    /// What is left of a blow for who dealt it.
    pub const RECOIL: Self = Self { kind: EffectKind::Recoil, id: 0, at: 0 };
    /// Life taken.
    pub const DRAIN: Self = Self { kind: EffectKind::Drain, id: 0, at: 0 };

    /// An ability.
    pub const fn ability(id: u16) -> Self {
        Self { kind: EffectKind::Ability, id, at: 0 }
    }

    /// An item.
    pub const fn item(id: u16) -> Self {
        Self { kind: EffectKind::Item, id, at: 0 }
    }

    /// A condition.
    pub const fn condition(id: u8) -> Self {
        Self { kind: EffectKind::Condition, id: id as u16, at: 0 }
    }

    /// A move in flight.
    pub const fn flight(id: u16, at: usize) -> Self {
        Self { kind: EffectKind::Move, id, at: at as u8 }
    }

    /// Whether it is this condition.
    pub fn is_condition(self, id: u8) -> bool {
        self.kind == EffectKind::Condition && self.id == u16::from(id)
    }

    /// Whether it is this move.
    pub fn is_move(self, id: u16) -> bool {
        self.kind == EffectKind::Move && self.id == id
    }

    /// Whether it is this ability.
    pub fn is_ability(self, id: u16) -> bool {
        self.kind == EffectKind::Ability && self.id == id
    }
}

/// A move while it is being used: what abilities, items and itself may change of it.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Flight {
    pub id: u16,
    pub kind: u8,
    pub category: Category,
    pub target: Target,
    pub power: i32,
    /// 0: never misses
    pub accuracy: u8,
    pub priority: i8,
    pub flags: u32,
    pub hits: (u8, u8),
    pub multiaccuracy: bool,
    pub ignore_ability: bool,
    pub ignore_evasion: bool,
    pub immunity_known: bool,
    pub ignore_immunity: bool,
    pub ignore_immunity_to: u32,
    pub infiltrates: bool,
    pub sheer: bool,
    pub bounced: bool,
    pub prankster: bool,
    pub external: bool,
    pub self_dropped: bool,
    pub no_secondaries: bool,
    pub double_chance: bool,
    pub no_self: bool,
    pub own_boosts: Option<[i8; 7]>,
    pub no_boosts: bool,
    pub no_volatile: bool,
    pub no_call: bool,
    pub no_switch: bool,
    pub total_damage: i32,
    pub hit: u8,
    pub crit: bool,
    pub type_mod: i8,
    pub type_changer: u16,
    pub stellar: bool,
    pub source: Effect,
    pub allies: [u8; 6],
    pub next_ally: u8,
    /// holders (plus one) of the ruinous abilities that act: attack, defence and their special ones
    pub ruined: [u8; 4],
    pub hit_target: Option<u8>,
}

/// Most moves in flight within an action.
pub const MAX_FLIGHTS: usize = 6;
