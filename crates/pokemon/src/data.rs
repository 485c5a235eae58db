//! What the tables of the game hold.

pub use crate::tables::{TABLES, names};

/// Sort key of a handler among those of an event, without its holder's speed.
#[derive(Clone, Copy, Debug, Default)]
pub struct HookKey {
    /// Low first; 0 means none and comes last.
    pub order: u8,
    /// High first.
    pub priority: i8,
    /// Low first.
    pub sub: u8,
    /// Whether the hook only has a place, for the end of a duration, and calls nothing.
    pub empty: bool,
}

/// Which hooks an effect has, and where each is sorted.
#[derive(Clone, Debug, Default)]
pub struct Hooks {
    /// A bit per hook.
    pub mask: u128,
    pub(crate) keys: Vec<HookKey>,
}

impl Hooks {
    /// The sort key of a hook that the mask holds.
    #[inline]
    pub fn key(&self, hook: u8) -> HookKey {
        let below = self.mask & ((1u128 << hook) - 1);
        self.keys[below.count_ones() as usize]
    }

    /// Whether this effect has the hook.
    #[inline]
    pub fn has(&self, hook: u8) -> bool {
        hook < 128 && self.mask >> hook & 1 == 1
    }
}

/// A species or forme.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Species {
    pub stats: [u16; 6],
    pub types: [u8; 2],
    pub weight: u16,
    pub abilities: [u16; 4],
    pub nfe: bool,
    pub num: i16,
    pub max_hp: u16,
    pub base: u16,
    pub battle_only: u16,
    pub paradox: bool,
    /// 0 either, 1 male, 2 female, 3 none
    pub gender: u8,
}

/// What one part of a move does to whom it concerns.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Part {
    /// Per cent; 0 where none is given, which means always.
    pub chance: u16,
    pub boosts: [i8; 7],
    pub has_boosts: bool,
    pub status: u8,
    pub volatile: u8,
    pub call: bool,
}

/// A secondary effect: on the target, and on the user.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Secondary {
    pub part: Part,
    pub has_self: bool,
    pub own: Part,
}

/// Physical, special or status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Category {
    #[default]
    Physical,
    Special,
    Status,
}

/// Whom a move is aimed at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Target {
    #[default]
    Normal,
    Own,
    All,
    AllAdjacent,
    AllAdjacentFoes,
    AllySide,
    AllyTeam,
    FoeSide,
    AdjacentAlly,
    AdjacentAllyOrSelf,
    AdjacentFoe,
    Allies,
    Any,
    RandomNormal,
    Scripted,
}

macro_rules! flags {
    ($($name:ident = $bit:expr),* $(,)?) => {
        /// Flags of moves as bits.
        #[allow(missing_docs)]
        pub mod flag {
            $(pub const $name: u32 = 1 << $bit;)*
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];
            pub(crate) fn named(name: &str) -> u32 {
                $(if name.eq_ignore_ascii_case(stringify!($name)) { return $name; })*
                0
            }
        }
    };
}

flags! {
    BITE = 0, BULLET = 1, BYPASSSUB = 2, CANTUSETWICE = 3, CHARGE = 4, CONTACT = 5, DANCE = 6,
    DEFROST = 7, FAILENCORE = 8, FUTUREMOVE = 9, GRAVITY = 10, HEAL = 11, MUSTPRESSURE = 12,
    NOSLEEPTALK = 13, POWDER = 14, PROTECT = 15, PULSE = 16, PUNCH = 17, REFLECTABLE = 18,
    SLICING = 19, SOUND = 20, WIND = 21, PLEDGECOMBO = 22,
}

/// What becomes of the user as a move is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SelfDestruct {
    #[default]
    Never,
    Always,
    IfHit,
}

/// A move as the package has it.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Move {
    pub kind: u8,
    pub category: Category,
    pub power: u16,
    /// 0: never misses
    pub accuracy: u8,
    pub pp: u8,
    pub priority: i8,
    pub target: Target,
    pub flags: u32,
    pub crit: u8,
    pub will_crit: bool,
    pub hits: (u8, u8),
    pub multiaccuracy: bool,
    pub drain: (u8, u8),
    pub recoil: (u8, u8),
    pub heal: (u8, u8),
    /// -1: the user's level
    pub damage: i16,
    pub ohko: bool,
    pub self_destruct: SelfDestruct,
    pub self_switch: bool,
    pub shed_tail: bool,
    pub force_switch: bool,
    pub breaks_protect: bool,
    pub thaws: bool,
    pub crash: bool,
    pub mind_blown: bool,
    pub struggle_recoil: bool,
    pub steals: bool,
    pub tracks: bool,
    pub sleep_usable: bool,
    pub calls: bool,
    pub ignore_ability: bool,
    pub ignore_defensive: bool,
    pub ignore_evasion: bool,
    pub ignore_immunity: bool,
    pub obeys_immunity: bool,
    /// a bit per type
    pub ignore_immunity_to: u32,
    /// 0: by category; else a stat
    pub offense: u8,
    pub foe_offense: bool,
    pub defense: u8,
    /// whether Sheer Force helps it though it keeps what else it does
    pub sheer: bool,
    pub no_pp_boosts: bool,
    pub non_ghost: bool,
    pub power_call: bool,
    /// whether it is more than data
    pub rules: bool,
    pub side: u8,
    pub slot: u8,
    pub weather: u8,
    pub terrain: u8,
    pub pseudo: u8,
    pub after: [i8; 7],
    pub has_after: bool,
    pub part: Part,
    pub has_self: bool,
    pub own: Part,
    pub secondaries: Vec<Secondary>,
}

impl Move {
    /// Whether the move leaves a condition behind: on its target, a side, a slot or the field.
    pub fn lays_something(&self) -> bool {
        let laid = [self.part.volatile, self.side, self.slot, self.weather, self.terrain];
        laid.iter().any(|&id| id != 0) || self.pseudo != 0
    }
}

/// Flags of an ability.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Ability {
    pub breakable: bool,
    pub cant_suppress: bool,
    pub no_trace: bool,
    pub no_transform: bool,
    pub weatherless: bool,
    pub hooks: Hooks,
}

/// An item.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Item {
    pub berry: bool,
    pub choice: bool,
    pub klutzproof: bool,
    pub plate: u8,
    pub boosts: [i8; 7],
    pub has_boosts: bool,
    pub hooks: Hooks,
}

/// How a condition counts among effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CondKind {
    #[default]
    Condition,
    Status,
    Weather,
    Terrain,
    Rule,
}

/// A status, volatile, side, slot or field condition.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Condition {
    pub kind: CondKind,
    pub duration: u8,
    pub no_copy: bool,
    pub hooks: Hooks,
}

/// All tables; every list has an empty entry 0.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Tables {
    pub species: Vec<Species>,
    pub moves: Vec<Move>,
    pub abilities: Vec<Ability>,
    pub items: Vec<Item>,
    pub conditions: Vec<Condition>,
    /// (raised, lowered) as stats; (0, 0) for neutral ones
    pub natures: Vec<(u8, u8)>,
    /// `[attack][defence]`: 1 double, -1 half
    pub exponent: [[i8; 21]; 21],
    /// `[attack][defence]`
    pub immune: [[bool; 21]; 21],
    /// per type the statuses and the like that do not touch it
    pub unaffected: [u16; 21],
    /// the hooks of abilities, items and conditions once more, close together
    pub masks: [Vec<u128>; 3],
}

/// What a type may be immune to besides types.
#[allow(missing_docs)]
pub mod natural {
    pub const PAR: u16 = 1;
    pub const BRN: u16 = 2;
    pub const FRZ: u16 = 4;
    pub const PSN: u16 = 8;
    pub const SANDSTORM: u16 = 16;
    pub const POWDER: u16 = 32;
    pub const PRANKSTER: u16 = 64;
    pub const TRAPPED: u16 = 128;

    pub(crate) fn named(name: &str) -> u16 {
        match name {
            "par" => PAR,
            "brn" => BRN,
            "frz" => FRZ,
            "psn" => PSN,
            "sandstorm" => SANDSTORM,
            "powder" => POWDER,
            "prankster" => PRANKSTER,
            "trapped" => TRAPPED,
            _ => 0,
        }
    }
}
