//! The state of a battle as named numbers, for comparison and for people who look inside.

use crate::ids::{ability, cond};
use crate::mon::UNKNOWN_TYPE;
use crate::state::{Battle, MAX_SIDE, MAX_VOLATILES, P, SideConditions};

/// Name and shape of a field.
pub type Field = (&'static str, &'static [usize]);

/// All fields, in the order in which [`Battle::numbers`] gives them.
pub const FIELDS: [Field; 46] = [
    ("rng", &[4]),
    ("turn", &[]),
    ("request", &[2]),
    ("mask", &[2]),
    ("uid", &[2, 6]),
    ("species", &[2, 6]),
    ("level", &[2, 6]),
    ("gender", &[2, 6]),
    ("hp", &[2, 6]),
    ("maxhp", &[2, 6]),
    ("fainted", &[2, 6]),
    ("status", &[2, 6]),
    ("status_turns", &[2, 6]),
    ("moves", &[2, 6, 4]),
    ("pp", &[2, 6, 4]),
    ("item", &[2, 6]),
    ("last_item", &[2, 6]),
    ("base_ability", &[2, 6]),
    ("stats", &[2, 6, 5]),
    ("terastallized", &[2, 6]),
    ("tera", &[2, 6]),
    ("times_hit", &[2, 6]),
    ("stellar", &[2, 6]),
    ("ability", &[2]),
    ("types", &[2, 3]),
    ("boosts", &[2, 7]),
    ("volatiles", &[2, MAX_VOLATILES, 4]),
    ("ability_count", &[2]),
    ("last_move", &[2]),
    ("active_turns", &[2]),
    ("move_actions", &[2]),
    ("speed", &[2]),
    ("trapped", &[2]),
    ("disabled", &[2]),
    ("illusion", &[2]),
    ("conditions", &[2, MAX_SIDE, 3]),
    ("slot_conditions", &[2, MAX_SIDE, 4]),
    ("left", &[2]),
    ("fallen", &[2]),
    ("fell_last_turn", &[2]),
    ("weather", &[]),
    ("weather_turns", &[]),
    ("terrain", &[]),
    ("terrain_turns", &[]),
    ("trick_room", &[]),
    ("winner", &[]),
];

/// How many numbers all fields have together.
pub fn width() -> usize {
    FIELDS.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum()
}

impl Battle {
    /// The state as numbers, field after field. What an active Pokemon has is 0 where it fell;
    /// conditions are those of [`crate::data::names`], oldest first.
    pub fn numbers(&self, out: &mut Vec<i32>) {
        out.extend(self.rng.words().map(i32::from));
        out.push(i32::from(self.turn));
        out.extend([0, 1].map(|side| self.asked(side) as i32));
        out.extend([0, 1].map(|side| i32::from(self.mask(side))));
        self.party_numbers(out);
        self.active_numbers(out);
        for side in &self.sides {
            side_numbers(&side.conditions, out, |c| {
                vec![i32::from(c.id), i32::from(c.layers.max(1)), i32::from(c.duration)]
            });
        }
        for side in &self.sides {
            side_numbers(&side.slot, out, |c| {
                vec![i32::from(c.id), i32::from(c.duration), i32::from(c.data), i32::from(c.layers)]
            });
        }
        out.extend(self.sides.map(|side| i32::from(side.left)));
        out.extend(self.sides.map(|side| i32::from(side.total_fainted)));
        out.extend(self.sides.map(|side| i32::from(side.fell[1])));
        let field = &self.field;
        out.extend([field.weather, field.weather_turns, field.terrain].map(i32::from));
        out.extend([field.terrain_turns, field.trick_room].map(i32::from));
        out.push(match (self.ended, self.winner) {
            (false, _) => 0,
            (true, 0) => 3,
            (true, side) => i32::from(side),
        });
    }

    fn party_numbers(&self, out: &mut Vec<i32>) {
        let there = |p: P| p % 6 < self.sides[p / 6].size as usize;
        let mut each = |read: &dyn Fn(P) -> i32| {
            out.extend((0..12).map(|p| if there(p) { read(p) } else { 0 }));
        };
        let mon = |p: P| &self.mons[p];
        each(&|p| i32::from(mon(p).ident % 6));
        each(&|p| i32::from(mon(p).species));
        each(&|p| i32::from(mon(p).level));
        each(&|p| i32::from(mon(p).gender));
        each(&|p| mon(p).hp);
        each(&|p| mon(p).maxhp);
        each(&|p| i32::from(mon(p).fainted()));
        each(&|p| status_number(mon(p).status));
        each(&|p| match mon(p).status {
            cond::SLP | cond::TOX => i32::from(mon(p).status_time),
            _ => 0,
        });
        for part in 0..2 {
            for p in 0..12 {
                for slot in self.moves(p) {
                    let value = if part == 0 { i32::from(slot.id) } else { i32::from(slot.pp) };
                    out.push(if there(p) { value } else { 0 });
                }
            }
        }
        let mut each = |read: &dyn Fn(P) -> i32| {
            out.extend((0..12).map(|p| if there(p) { read(p) } else { 0 }));
        };
        each(&|p| i32::from(mon(p).item));
        each(&|p| i32::from(mon(p).last_item));
        each(&|p| i32::from(mon(p).base_ability));
        for p in 0..12 {
            let stats = self.mons[p].stored;
            out.extend(stats[1..].iter().map(|&stat| if there(p) { i32::from(stat) } else { 0 }));
        }
        let mut each = |read: &dyn Fn(P) -> i32| {
            out.extend((0..12).map(|p| if there(p) { read(p) } else { 0 }));
        };
        each(&|p| i32::from(mon(p).tera));
        each(&|p| i32::from(mon(p).tera_type));
        each(&|p| i32::from(mon(p).times_attacked));
        each(&|p| mon(p).stellar.count_ones() as i32);
    }

    fn active_numbers(&self, out: &mut Vec<i32>) {
        let stands = |p: P| self.mons[p].is_active() && !self.mons[p].fainted();
        let mon = |p: P| &self.mons[p];
        let mut both = |read: &dyn Fn(P) -> i32| {
            out.extend([0, 6].map(|p| if stands(p) { read(p) } else { 0 }));
        };
        both(&|p| i32::from(mon(p).ability));
        let known = |kind: u8| if kind == UNKNOWN_TYPE { 0 } else { i32::from(kind) };
        for p in [0, 6] {
            let [first, second] = mon(p).types;
            let kinds = [first, second, mon(p).added_type];
            out.extend(kinds.map(|kind| if stands(p) { known(kind) } else { 0 }));
        }
        for p in [0, 6] {
            out.extend(mon(p).boosts.map(|b| if stands(p) { i32::from(b) } else { 0 }));
        }
        for side in &self.sides {
            for at in 0..MAX_VOLATILES {
                let v = side.volatiles.list[at];
                let there = at < side.volatiles.len as usize;
                let row =
                    [i32::from(v.id), i32::from(v.duration), i32::from(v.data), i32::from(v.extra)];
                out.extend(row.map(|value| if there { value } else { 0 }));
            }
        }
        let mut both = |read: &dyn Fn(P) -> i32| {
            out.extend([0, 6].map(|p| if stands(p) { read(p) } else { 0 }));
        };
        both(&|p| match mon(p).ability {
            ability::SUPREMEOVERLORD => i32::from(mon(p).ability_data),
            _ => i32::from(mon(p).ability_turns),
        });
        both(&|p| i32::from(mon(p).last_move));
        both(&|p| i32::from(mon(p).active_turns));
        both(&|p| i32::from(mon(p).move_actions));
        both(&|p| i32::from(mon(p).speed));
        both(&|p| i32::from(mon(p).trapped()));
        both(&|p| {
            let slots = self.moves(p).iter().enumerate();
            slots.map(|(i, slot)| i32::from(slot.disabled) << i).sum()
        });
        both(&|p| i32::from(mon(p).illusion()));
    }
}

fn side_numbers(
    list: &SideConditions,
    out: &mut Vec<i32>,
    read: impl Fn(&crate::state::SideCondition) -> Vec<i32>,
) {
    for (at, condition) in list.list.iter().enumerate() {
        let row = read(condition);
        let there = at < list.len as usize;
        out.extend(row.into_iter().map(|value| if there { value } else { 0 }));
    }
}

/// Statuses as the tables number them.
pub fn status_number(status: u8) -> i32 {
    match status {
        cond::BRN => 1,
        cond::PAR => 2,
        cond::SLP => 3,
        cond::FRZ => 4,
        cond::PSN => 5,
        cond::TOX => 6,
        _ => 0,
    }
}
