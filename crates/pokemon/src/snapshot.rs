//! A battle at a request as bytes, and back.

use crate::rng::Rng;
use crate::state::{
    Action, Battle, Choice, Field, Mon, MoveSlot, Outcome, Queue, Request, Side, SideCondition,
    SideConditions, SwitchFlag, Volatile, Volatiles,
};

/// A value with a fixed number of bytes.
trait Packed: Sized {
    fn pack(&self, out: &mut Vec<u8>);
    fn unpack(&mut self, input: &mut &[u8]) -> Option<()>;
}

macro_rules! pack_numbers {
    ($($number:ty),*) => {$(
        impl Packed for $number {
            fn pack(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn unpack(&mut self, input: &mut &[u8]) -> Option<()> {
                let (bytes, rest) = input.split_first_chunk()?;
                *self = <$number>::from_le_bytes(*bytes);
                *input = rest;
                Some(())
            }
        }
    )*};
}

pack_numbers!(u8, u16, u32, u64, u128, i8, i16, i32);

impl Packed for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn unpack(&mut self, input: &mut &[u8]) -> Option<()> {
        let mut byte = 0u8;
        byte.unpack(input)?;
        *self = byte != 0;
        Some(())
    }
}

impl<T: Packed, const N: usize> Packed for [T; N] {
    fn pack(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.pack(out));
    }

    fn unpack(&mut self, input: &mut &[u8]) -> Option<()> {
        self.iter_mut().try_for_each(|value| value.unpack(input))
    }
}

macro_rules! pack_fields {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl Packed for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                $(self.$field.pack(out);)*
            }

            fn unpack(&mut self, input: &mut &[u8]) -> Option<()> {
                $(self.$field.unpack(input)?;)*
                Some(())
            }
        }
    )*};
}

macro_rules! pack_names {
    ($($name:ident { $($variant:ident = $number:literal),* $(,)? })*) => {$(
        impl Packed for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                out.push(match self { $(Self::$variant => $number,)* });
            }

            fn unpack(&mut self, input: &mut &[u8]) -> Option<()> {
                let mut byte = 0u8;
                byte.unpack(input)?;
                *self = match byte { $($number => Self::$variant,)* _ => return None };
                Some(())
            }
        }
    )*};
}

pack_names! {
    Outcome { Unknown = 0, Done = 1, Failed = 2, Nothing = 3 }
    Request { None = 0, Move = 1, Switch = 2 }
    Choice {
        Residual = 0, Start = 1, InstaSwitch = 2, BeforeTurn = 3, BeforeTurnMove = 4,
        RevivalBlessing = 5, RunSwitch = 6, Switch = 7, Terastallize = 8, PriorityCharge = 9,
        Move = 10,
    }
}

impl Packed for SwitchFlag {
    fn pack(&self, out: &mut Vec<u8>) {
        let number: u16 = match self {
            Self::No => 0,
            Self::Fainted => u16::MAX,
            Self::Move(id) => *id,
        };
        number.pack(out);
    }

    fn unpack(&mut self, input: &mut &[u8]) -> Option<()> {
        let mut number = 0u16;
        number.unpack(input)?;
        *self = match number {
            0 => Self::No,
            u16::MAX => Self::Fainted,
            id => Self::Move(id),
        };
        Some(())
    }
}

impl Packed for Rng {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(&mut self, input: &mut &[u8]) -> Option<()> {
        self.0.unpack(input)
    }
}

pack_fields! {
    MoveSlot { id, pp, max_pp, disabled }
    Mon {
        marks, ident, species, base_species, set_species, set_ability, level, gender, nature, growth,
        hp, maxhp, base_maxhp, stored, slots, ability, base_ability, item, last_item,
        status, status_time, status_order, types, added_type, tera_type, tera,
        boosts, weight, speed, active_turns, move_actions,
        times_attacked, last_move, move_result, last_result, switch_flag, stellar,
        hurt_by, last_attack_damage, ability_order, ability_data,
        ability_turns, item_order, }
    Volatile { id, duration, data, extra, source }
    Volatiles { list, len, mask, hooks }
    SideCondition { id, duration, layers, source, data, order }
    SideConditions { list, len, hooks }
    Side { size, left, total_fainted, fell, conditions, slot, volatiles, copied }
    Field { weather, weather_turns, terrain, terrain_turns, trick_room }
    Action {
        choice, order, priority, fractional, speed, mon, target, id, move_priority, prankster,
        shed_tail,
    }
    Queue { list, len }
    Battle {
        rng, mons, sides, field, queue, turn, mid_turn, request, ended, winner, effect_order,
        last_successful,
    }
}

impl Battle {
    /// Appends the battle as bytes. Between requests nothing else is kept.
    pub fn save(&self, out: &mut Vec<u8>) {
        self.pack(out);
    }

    /// Reads a battle from the front of bytes that [`Battle::save`] wrote; none where they are
    /// too few or cannot have been.
    pub fn load(input: &mut &[u8]) -> Option<Self> {
        let mut battle = Self::default();
        battle.unpack(input)?;
        let lists = battle.sides.iter().all(|side| {
            (side.volatiles.len as usize) <= side.volatiles.list.len()
                && (side.conditions.len as usize) <= side.conditions.list.len()
                && (side.slot.len as usize) <= side.slot.list.len()
                && side.size <= 6
        });
        let known = battle.mons.iter().all(|mon| {
            (mon.species as usize) < battle.t.species.len()
                && (mon.ability as usize) < battle.t.abilities.len()
                && (mon.item as usize) < battle.t.items.len()
        });
        let queued = (battle.queue.len as usize) <= battle.queue.list.len();
        (lists && known && queued).then_some(battle)
    }
}
