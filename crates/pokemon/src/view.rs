//! What a player sees of a battle, as one row of numbers between about -1 and 1.
//!
//! The same numbers as `zoo/pokemon/observe.py` makes, bit for bit: every one is a whole number or
//! one division of two. Beyond those, an Illusion is seen as what it looks like.

use crate::data::{Category, Move, TABLES};
use crate::fields::status_number;
use crate::ids::cond;
use crate::mon::UNKNOWN_TYPE;
use crate::state::{Battle, Mon, P, SideConditions};
use std::sync::LazyLock;

/// Which side is shown in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// One's own side in full, of the other what was revealed.
    Own,
    /// Both sides as a spectator sees them.
    Public,
}

impl View {
    /// By its name in Python.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "own" => Some(Self::Own),
            "public" => Some(Self::Public),
            _ => None,
        }
    }
}

const TEAM: usize = 6;
const STATUSES: i32 = 6;
const SCREENS: [u8; 3] = [cond::REFLECT, cond::LIGHTSCREEN, cond::AURORAVEIL];
/// Conditions that are there or not.
const SHOWN: [u8; 23] = [
    cond::CONFUSION,
    cond::PARTIALLYTRAPPED,
    cond::MUSTRECHARGE,
    cond::TWOTURNMOVE,
    cond::ENCORE,
    cond::TAUNT,
    cond::THROATCHOP,
    cond::HEALBLOCK,
    cond::YAWN,
    cond::DISABLE,
    cond::MAGNETRISE,
    cond::GLAIVERUSH,
    cond::STALL,
    cond::LEECHSEED,
    cond::CURSE,
    cond::SALTCURE,
    cond::TRAPPED,
    cond::NORETREAT,
    cond::FLASHFIRE,
    cond::CHARGE,
    cond::PROTOSYNTHESIS,
    cond::QUARKDRIVE,
    cond::SUBSTITUTE,
];
/// Weathers in the order of the tables; no set here makes the others.
const WEATHERS: [u8; 8] =
    [cond::RAINDANCE, 0, cond::SUNNYDAY, 0, cond::SANDSTORM, 0, cond::SNOWSCAPE, 0];
const TERRAINS: [u8; 4] =
    [cond::ELECTRICTERRAIN, cond::GRASSYTERRAIN, cond::MISTYTERRAIN, cond::PSYCHICTERRAIN];
const OF_A_MOVE: usize = 9;
const OF_A_POKEMON: usize = 9 + STATUSES as usize + 6;
const OF_A_SIDE: usize =
    1 + SCREENS.len() + 8 + 7 + SHOWN.len() + 4 * OF_A_MOVE + TEAM * OF_A_POKEMON;
/// How many numbers a player sees.
pub const SIZE: usize = 2 * OF_A_SIDE + 2 + WEATHERS.len() + TERRAINS.len();

/// What each side has shown and the battle forgets, by place in the team as brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// 0 unseen, else the order in which they came
    seen: [u8; 12],
    /// a bit per item that is known
    items: u16,
    /// items at the last look
    held: [u16; 12],
}

impl Known {
    /// Of a battle at its first request.
    pub fn of(battle: &Battle) -> Self {
        let mut known = Self::default();
        for mon in &battle.mons {
            known.held[mon.ident as usize] = mon.item;
        }
        known.look(battle);
        known
    }

    /// Notes who is out and whose item changed; after every decision.
    pub fn look(&mut self, battle: &Battle) {
        for side in 0..2 {
            let out = battle.mons[battle.looks_like(6 * side)].ident as usize;
            let team = &mut self.seen[6 * side..6 * side + TEAM];
            if team[out % TEAM] == 0 {
                team[out % TEAM] = 1 + team.iter().max().copied().unwrap_or(0);
            }
        }
        for mon in &battle.mons {
            let ident = mon.ident as usize;
            self.items |= u16::from(self.held[ident] != mon.item) << ident;
            self.held[ident] = mon.item;
        }
    }

    /// As bytes.
    pub fn save(&self, out: &mut Vec<u8>) {
        out.extend(self.seen);
        out.extend(self.items.to_le_bytes());
        out.extend(self.held.iter().flat_map(|item| item.to_le_bytes()));
    }

    /// From the front of bytes that [`Known::save`] wrote.
    pub fn load(input: &mut &[u8]) -> Option<Self> {
        let (seen, rest) = input.split_first_chunk()?;
        let (items, mut rest) = rest.split_first_chunk()?;
        let mut known = Self { seen: *seen, items: u16::from_le_bytes(*items), ..Self::default() };
        for item in &mut known.held {
            let (bytes, after) = rest.split_first_chunk()?;
            (*item, rest) = (u16::from_le_bytes(*bytes), after);
        }
        *input = rest;
        known.seen.iter().all(|&order| order as usize <= TEAM).then_some(known)
    }
}

/// What a move has in any battle: power, accuracy, whether physical, whether special, priority.
static MOVES: LazyLock<Vec<[f32; 5]>> = LazyLock::new(|| TABLES.moves.iter().map(still).collect());

fn still(entry: &Move) -> [f32; 5] {
    if entry.pp == 0 {
        return [0.0; 5]; // the empty entry
    }
    let accuracy = if entry.accuracy == 0 { 100 } else { entry.accuracy };
    [
        over(entry.power, 250),
        over(accuracy, 100),
        flag(entry.category == Category::Physical),
        flag(entry.category == Category::Special),
        over(entry.priority, 5),
    ]
}

fn over(value: impl Into<i32>, most: u16) -> f32 {
    value.into() as f32 / f32::from(most)
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

/// A row that is filled from the front.
struct Row<'a>(std::slice::IterMut<'a, f32>);

impl Row<'_> {
    fn put(&mut self, value: f32) {
        if let Some(place) = self.0.next() {
            *place = value;
        }
    }

    fn extend(&mut self, values: impl IntoIterator<Item = f32>) {
        values.into_iter().for_each(|value| self.put(value));
    }

    fn skip(&mut self, count: usize) {
        self.extend(std::iter::repeat_n(0.0, count));
    }
}

/// A Pokemon as it is shown.
struct Shown<'a> {
    /// species, level and gender are this one's
    face: &'a Mon,
    /// everything else this one's
    body: &'a Mon,
    hp: f32,
    item: bool,
}

/// Exponent of the type chart for a type against two others; -3 where it does nothing.
fn matchup(attack: u8, target: [u8; 2]) -> i32 {
    let t = &*TABLES;
    let [first, second] = target.map(usize::from);
    let attack = attack as usize;
    if t.immune[attack][first] || t.immune[attack][second] {
        return -3;
    }
    i32::from(t.exponent[attack][first]) + i32::from(t.exponent[attack][second])
}

/// The better of two types against a Pokemon's.
fn best_matchup(attack: [u8; 2], target: [u8; 2]) -> i32 {
    let first = matchup(attack[0], target);
    if attack[1] == 0 { first } else { first.max(matchup(attack[1], target)) }
}

fn known_types(types: [u8; 2]) -> [u8; 2] {
    types.map(|kind| if kind == UNKNOWN_TYPE { 0 } else { kind })
}

/// HP as it is told to the other side: whole per cent, rounded up, 100 only when unhurt.
fn percent(mon: &Mon) -> i32 {
    let (hp, most) = (mon.hp, mon.maxhp.max(1));
    let rounded = (hp * 100 + most - 1) / most;
    if rounded == 100 && hp < most { 99 } else { rounded }
}

/// The most PP that a move has.
fn most_pp(id: u16) -> u16 {
    let entry = &TABLES.moves[id as usize];
    u16::from(entry.pp) * if entry.no_pp_boosts { 5 } else { 8 } / 5
}

impl Battle {
    /// What one player sees: [`SIZE`] numbers into `out`.
    pub fn view(&self, known: &Known, player: usize, view: View, out: &mut [f32]) {
        let mut row = Row(out.iter_mut());
        self.side_view(&mut row, known, player, view == View::Own);
        self.side_view(&mut row, known, 1 - player, false);
        row.put(over(self.turn.min(100), 100));
        row.put(over(self.field.trick_room, 5));
        row.extend(WEATHERS.map(|id| flag(id != 0 && self.field.weather == id)));
        row.extend(TERRAINS.map(|id| flag(self.field.terrain == id)));
    }

    /// Where the Pokemon stands that an active one is taken for.
    fn looks_like(&self, p: P) -> P {
        if !self.mons[p].illusion() {
            return p;
        }
        let size = self.sides[p / 6].size as usize;
        (p + 1..p + size).rev().find(|&other| !self.mons[other].fainted()).unwrap_or(p)
    }

    fn side_view(&self, row: &mut Row<'_>, known: &Known, side: usize, full: bool) {
        let active = 6 * side;
        let entry = &self.sides[side];
        row.put(over(entry.left, TEAM as u16));
        row.extend(SCREENS.map(|id| flag(entry.conditions.has(id))));
        self.lasting_view(row, &entry.conditions, &entry.slot);
        row.extend(self.mons[active].boosts.map(|boost| over(boost, 6)));
        row.extend(SHOWN.map(|id| flag(entry.volatiles.has(id))));
        let opposite = self.looks_like(6 - active);
        let facing = known_types(self.mons[opposite].types);
        if full || !self.mons[active].illusion() {
            self.moves_view(row, active, facing, full);
        } else {
            row.skip(4 * OF_A_MOVE); // those of the one behind the face would tell who it is
        }
        for place in 0..TEAM {
            match self.shown(known, side, place, full) {
                Some(one) => pokemon_view(row, &one, facing),
                None => row.skip(OF_A_POKEMON),
            }
        }
    }

    /// Layers and turns, as shares of the most there can be.
    fn lasting_view(&self, row: &mut Row<'_>, list: &SideConditions, slot: &SideConditions) {
        let layers = |id| list.get(id).map_or(0, |c| c.layers.max(1));
        row.put(over(layers(cond::SPIKES), 3));
        row.put(over(layers(cond::TOXICSPIKES), 2));
        row.put(over(layers(cond::STEALTHROCK), 1));
        row.put(over(layers(cond::STICKYWEB), 1));
        row.put(over(list.get(cond::TAILWIND).map_or(0, |c| c.duration), 4));
        row.put(0.0); // Safeguard, which no set here has
        // The simulator counts turns in a byte from the first on.
        let turn = (self.turn as u8).wrapping_sub(1);
        let wish = slot.get(cond::WISH).map_or(0, |c| 2 - turn.wrapping_sub(c.layers) as i8);
        row.put(over(wish, 2));
        let future = slot.get(cond::FUTUREMOVE).map_or(0, |c| c.data + 2 - self.turn as i16);
        row.put(over(future, 3));
    }

    fn moves_view(&self, row: &mut Row<'_>, p: P, facing: [u8; 2], full: bool) {
        let own = known_types(self.mons[p].types);
        for slot in self.moves(p) {
            let most = most_pp(slot.id);
            if slot.id == 0 || !full && u16::from(slot.pp) >= most {
                row.skip(OF_A_MOVE);
                continue;
            }
            let kind = TABLES.moves[slot.id as usize].kind;
            row.put(1.0);
            row.extend(MOVES[slot.id as usize]);
            row.put(over(slot.pp, most.max(1)));
            row.put(flag(own.contains(&kind)));
            row.put(over(matchup(kind, facing), 3));
        }
    }

    /// The Pokemon at a place of the party or, of a side not shown in full, the one that was seen
    /// as the so many-th.
    fn shown(&self, known: &Known, side: usize, place: usize, full: bool) -> Option<Shown<'_>> {
        let size = self.sides[side].size as usize;
        if full {
            let mon = (place < size).then(|| &self.mons[6 * side + place])?;
            let hp = over(mon.hp, (mon.maxhp as u16).max(1));
            return Some(Shown { face: mon, body: mon, hp, item: mon.item != 0 });
        }
        let seen = |p: &P| known.seen[self.mons[*p].ident as usize] as usize == place + 1;
        let p = (6 * side..6 * side + size).find(seen)?;
        let active = 6 * side;
        let worn = self.mons[active].illusion() && self.looks_like(active) == p;
        let face = &self.mons[p];
        let body = if worn { &self.mons[active] } else { face };
        let told = known.items >> body.ident & 1 == 1;
        let hp = over(percent(body), 100);
        Some(Shown { face, body, hp, item: body.item != 0 && told })
    }
}

fn pokemon_view(row: &mut Row<'_>, one: &Shown<'_>, facing: [u8; 2]) {
    let entry = &TABLES.species[one.face.species as usize];
    row.put(1.0);
    row.put(one.hp);
    row.put(flag(one.hp == 0.0));
    row.put(over(one.face.level, 100));
    row.put(flag(one.body.tera != 0));
    row.put(flag(one.item));
    row.put(flag(one.face.gender == 2));
    row.put(over(best_matchup(entry.types, facing), 3));
    row.put(over(best_matchup(facing, entry.types), 3));
    let status = status_number(one.body.status);
    row.extend((1..=STATUSES).map(|kind| flag(status == kind)));
    row.extend(entry.stats.map(|stat| over(stat, 255)));
}
