//! What a battle consists of. All of it is plain data of fixed size.

use crate::data::{TABLES, Tables};
pub use crate::flight::{Effect, EffectKind, Flight, MAX_FLIGHTS};
use crate::rng::Rng;

/// Place of a Pokemon: six times its side plus its slot; slot 0 is the active one.
pub type P = usize;

/// Names a Pokemon by side and by its place in the team as it was brought.
pub type Ident = u8;
/// No Pokemon.
pub const NOBODY: Ident = 255;

/// One of the four moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct MoveSlot {
    pub id: u16,
    pub pp: u8,
    pub max_pp: u8,
    pub disabled: bool,
}

/// What became of a move; the simulator keeps four apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Outcome {
    #[default]
    Unknown,
    Done,
    Failed,
    Nothing,
}

/// Why a Pokemon is to be switched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SwitchFlag {
    #[default]
    No,
    Fainted,
    Move(u16),
}

/// A Pokemon.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Mon {
    /// bits: see [`crate::marks`]
    pub(crate) marks: u32,
    pub ident: Ident,
    pub species: u16,
    pub base_species: u16,
    pub set_species: u16,
    pub set_ability: u16,
    pub level: u8,
    /// 1 male, 2 female, 3 none
    pub gender: u8,
    pub nature: u8,
    /// of six stats the individual value and a quarter of the effort
    pub growth: [u8; 6],
    pub hp: i32,
    pub maxhp: i32,
    pub base_maxhp: i32,
    /// hp to speed; hp is unused
    pub stored: [u16; 6],
    pub slots: [MoveSlot; 4],
    pub ability: u16,
    pub base_ability: u16,
    pub item: u16,
    pub last_item: u16,
    pub status: u8,
    /// turns of sleep left, or the stage of bad poison
    pub status_time: u8,
    pub status_order: u16,
    pub types: [u8; 2],
    pub added_type: u8,
    pub tera_type: u8,
    /// 0 while not terastallized
    pub tera: u8,
    pub boosts: [i8; 7],
    pub weight: u16,
    pub speed: u16,
    pub active_turns: u16,
    pub move_actions: u16,
    pub times_attacked: u16,
    pub last_move: u16,
    pub move_result: Outcome,
    pub last_result: Outcome,
    pub switch_flag: SwitchFlag,
    /// bits of types whose Stellar boost is spent
    pub stellar: u32,
    /// bits of foes (by place in the team as brought) that did damage this turn
    pub hurt_by: u8,
    pub last_attack_damage: i16,
    pub ability_order: u16,
    /// what the ability keeps count of while its holder is in
    pub ability_data: u16,
    pub ability_turns: u8,
    pub item_order: u16,
}

/// A condition of an active Pokemon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Volatile {
    pub id: u8,
    /// 0: none
    pub duration: u8,
    /// a move, HP, turns or a counter, whatever the condition keeps
    pub data: i16,
    pub extra: u8,
    pub source: Ident,
}

/// Most volatile conditions at a time.
pub const MAX_VOLATILES: usize = 20;

/// The volatile conditions of an active Pokemon, oldest first.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Volatiles {
    pub list: [Volatile; MAX_VOLATILES],
    pub len: u8,
    /// a bit per condition
    pub mask: u128,
    /// the hooks that any of them has
    pub hooks: u128,
}

/// The hooks of a condition.
fn hooks_of(id: u8) -> u128 {
    TABLES.masks[2][id as usize]
}

impl Volatiles {
    /// Those that are there.
    pub fn iter(&self) -> impl Iterator<Item = &Volatile> {
        self.list[..self.len as usize].iter()
    }

    /// Whether a condition is there.
    #[inline]
    pub fn has(&self, id: u8) -> bool {
        self.mask >> id & 1 == 1
    }

    /// A condition that is there.
    pub fn get(&self, id: u8) -> Option<&Volatile> {
        if self.has(id) { self.iter().find(|v| v.id == id) } else { None }
    }

    /// A condition that is there, to change.
    pub fn get_mut(&mut self, id: u8) -> Option<&mut Volatile> {
        if !self.has(id) {
            return None;
        }
        self.list[..self.len as usize].iter_mut().find(|v| v.id == id)
    }

    /// Adds one at the end.
    pub fn push(&mut self, volatile: Volatile) {
        if (self.len as usize) < MAX_VOLATILES {
            self.list[self.len as usize] = volatile;
            self.len += 1;
            self.mask |= 1 << volatile.id;
            self.hooks |= hooks_of(volatile.id);
        }
    }

    /// Takes one out without its end being told.
    pub fn delete(&mut self, id: u8) -> Option<Volatile> {
        if !self.has(id) {
            return None;
        }
        let at = self.iter().position(|v| v.id == id)?;
        let gone = self.list[at];
        self.list.copy_within(at + 1..self.len as usize, at);
        self.len -= 1;
        self.mask &= !(1 << id);
        self.hooks = self.iter().fold(0, |all, v| all | hooks_of(v.id));
        Some(gone)
    }
}

/// A condition of a side, or of its active slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SideCondition {
    pub id: u8,
    pub duration: u8,
    pub layers: u8,
    pub source: Ident,
    pub data: i16,
    pub order: u16,
}

/// Most conditions of a side (and of its slot) at a time.
pub const MAX_SIDE: usize = 8;

/// A list of conditions, oldest first.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct SideConditions {
    pub list: [SideCondition; MAX_SIDE],
    pub len: u8,
    /// the hooks that any of them has: two halves, which need no room to be aligned
    pub(crate) hooks: [u64; 2],
}

impl SideConditions {
    /// The hooks that any of them has.
    #[inline]
    pub fn hooks(&self) -> u128 {
        u128::from(self.hooks[1]) << 64 | u128::from(self.hooks[0])
    }

    fn set_hooks(&mut self, hooks: u128) {
        self.hooks = [hooks as u64, (hooks >> 64) as u64];
    }

    /// Those that are there.
    pub fn iter(&self) -> impl Iterator<Item = &SideCondition> {
        self.list[..self.len as usize].iter()
    }

    /// Whether a condition is there.
    pub fn has(&self, id: u8) -> bool {
        self.iter().any(|c| c.id == id)
    }

    /// A condition that is there.
    pub fn get(&self, id: u8) -> Option<&SideCondition> {
        self.iter().find(|c| c.id == id)
    }

    /// A condition that is there, to change.
    pub fn get_mut(&mut self, id: u8) -> Option<&mut SideCondition> {
        self.list[..self.len as usize].iter_mut().find(|c| c.id == id)
    }

    /// Adds one at the end.
    pub fn push(&mut self, condition: SideCondition) {
        if (self.len as usize) < MAX_SIDE {
            self.list[self.len as usize] = condition;
            self.len += 1;
            self.set_hooks(self.hooks() | hooks_of(condition.id));
        }
    }

    /// Takes one out without its end being told.
    pub fn delete(&mut self, id: u8) -> Option<SideCondition> {
        let at = self.iter().position(|c| c.id == id)?;
        let gone = self.list[at];
        self.list.copy_within(at + 1..self.len as usize, at);
        self.len -= 1;
        self.set_hooks(self.iter().fold(0, |all, c| all | hooks_of(c.id)));
        Some(gone)
    }
}

/// A player's side.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Side {
    pub size: u8,
    pub left: u8,
    pub total_fainted: u8,
    /// whether one fell this turn, and the turn before
    pub fell: [bool; 2],
    pub conditions: SideConditions,
    pub slot: SideConditions,
    pub volatiles: Volatiles,
    /// the moves of an active Pokemon that is transformed
    pub copied: [MoveSlot; 4],
}

/// What both sides share.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Field {
    pub weather: u8,
    pub weather_turns: u8,
    pub terrain: u8,
    pub terrain_turns: u8,
    pub trick_room: u8,
}

/// What an action in the queue does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Choice {
    #[default]
    Residual,
    Start,
    InstaSwitch,
    BeforeTurn,
    BeforeTurnMove,
    RevivalBlessing,
    RunSwitch,
    Switch,
    Terastallize,
    PriorityCharge,
    Move,
}

/// An action in the queue.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Action {
    pub choice: Choice,
    pub order: u16,
    /// tenfold, with the fractional part
    pub priority: i16,
    pub fractional: i16,
    pub speed: u16,
    pub mon: Ident,
    pub target: Ident,
    pub id: u16,
    pub move_priority: i8,
    pub prankster: bool,
    /// whether a switch takes a substitute along
    pub shed_tail: bool,
}

/// Most actions in the queue.
pub const MAX_QUEUE: usize = 16;

/// The queue of actions.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Queue {
    pub list: [Action; MAX_QUEUE],
    pub len: u8,
}

/// A Pokemon about to faint.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Fainting {
    pub target: u8,
    /// place plus one; 0 for none
    pub source: u8,
    pub effect: Effect,
}

/// What the battle waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Request {
    #[default]
    None,
    Move,
    Switch,
}

/// A battle.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Battle {
    pub t: &'static Tables,
    pub rng: Rng,
    pub mons: [Mon; 12],
    pub sides: [Side; 2],
    pub field: Field,
    pub queue: Queue,
    pub turn: u16,
    pub mid_turn: bool,
    pub request: Request,
    pub ended: bool,
    /// 0 none, 1 and 2 the sides
    pub winner: u8,
    pub effect_order: u16,
    pub last_successful: u16,
    pub faint_queue: [Fainting; 4],
    pub faint_len: u8,
    // while an action runs
    pub flights: [Flight; MAX_FLIGHTS],
    pub flight_len: u8,
    /// the move in use, as its place in `flights` plus one
    pub active_move: u8,
    /// places plus one
    pub active_mon: u8,
    pub active_target: u8,
    /// which active is first by speed when Pokemon come in
    pub first_in: u8,
}

impl Default for Battle {
    fn default() -> Self {
        Self {
            t: &TABLES,
            rng: Rng::default(),
            mons: [Mon::default(); 12],
            sides: [Side::default(); 2],
            field: Field::default(),
            queue: Queue::default(),
            turn: 0,
            mid_turn: false,
            request: Request::None,
            ended: false,
            winner: 0,
            effect_order: 1,
            last_successful: 0,
            faint_queue: [Fainting::default(); 4],
            faint_len: 0,
            flights: [Flight::default(); MAX_FLIGHTS],
            flight_len: 0,
            active_move: 0,
            active_mon: 0,
            active_target: 0,
            first_in: 0,
        }
    }
}

/// The side of a Pokemon.
#[inline]
pub fn side_of(p: P) -> usize {
    p / 6
}

/// The active Pokemon of the other side.
#[inline]
pub fn foe_of(p: P) -> P {
    6 * (1 - p / 6)
}

impl Battle {
    /// Where the Pokemon stands now.
    pub fn place(&self, ident: Ident) -> P {
        let first = ident as usize / 6 * 6;
        (first..first + 6).find(|&p| self.mons[p].ident == ident).unwrap_or(first)
    }

    /// The volatile conditions of an active Pokemon.
    #[inline]
    pub fn vols(&mut self, p: P) -> &mut Volatiles {
        &mut self.sides[side_of(p)].volatiles
    }

    /// Whether an active Pokemon has a condition.
    #[inline]
    pub fn has_vol(&self, p: P, id: u8) -> bool {
        p.is_multiple_of(6) && self.sides[p / 6].volatiles.has(id)
    }

    /// A condition of an active Pokemon.
    pub fn vol(&self, p: P, id: u8) -> Option<&Volatile> {
        if p.is_multiple_of(6) { self.sides[p / 6].volatiles.get(id) } else { None }
    }

    /// The moves of a Pokemon as they are now.
    #[inline]
    pub fn moves(&self, p: P) -> &[MoveSlot; 4] {
        let mon = &self.mons[p];
        if mon.transformed() { &self.sides[side_of(p)].copied } else { &mon.slots }
    }

    /// The moves of a Pokemon as they are now, to change.
    #[inline]
    pub fn moves_mut(&mut self, p: P) -> &mut [MoveSlot; 4] {
        let mon = &mut self.mons[p];
        if mon.transformed() { &mut self.sides[side_of(p)].copied } else { &mut mon.slots }
    }

    /// The next number in the order in which effects began. A battle ends after 1,000 turns, and
    /// none of them begins 65 effects.
    pub fn next_order(&mut self) -> u16 {
        let next = self.effect_order;
        self.effect_order = next.saturating_add(1);
        next
    }

    /// The species of a Pokemon, of which formes are kinds.
    pub fn kin(&self, species: u16) -> u16 {
        self.t.species[species as usize].base
    }
}
