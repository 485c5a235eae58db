//! The tables as named columns of numbers, to hold them to those of the room in Python.

use crate::data::{Move, Part, SelfDestruct, Tables};

/// A column: its name (`table.column`, as in `zoo/pokemon/tables.py`) and its numbers, row by row.
pub type Column = (String, Vec<i32>);

/// Flags of abilities in the order of their bits in `abilities.flags`.
pub const ABILITY_FLAGS: [&str; 4] = ["breakable", "cantsuppress", "notrace", "notransform"];

fn flat<T, N: Into<i32>>(rows: &[T], read: impl Fn(&T) -> Vec<N>) -> Vec<i32> {
    rows.iter().flat_map(|row| read(row).into_iter().map(Into::into)).collect()
}

/// Everything that both tables have. Conditions are numbered by [`crate::data::names`].
pub fn columns(tables: &Tables) -> Vec<Column> {
    let mut all = Vec::new();
    species(tables, &mut all);
    moves(tables, &mut all);
    items(tables, &mut all);
    let chart = tables.exponent.iter().flatten().map(|&n| i32::from(n)).collect();
    all.push(("types.exponent".into(), chart));
    let immune = tables.immune.iter().flatten().map(|&is| i32::from(is)).collect();
    all.push(("types.immune".into(), immune));
    all
}

macro_rules! put {
    ($all:ident, $table:literal, $rows:expr; $($name:literal: $read:expr,)*) => {
        $($all.push((format!("{}.{}", $table, $name), flat($rows, $read)));)*
    };
}

fn species(tables: &Tables, all: &mut Vec<Column>) {
    put!(all, "species", &tables.species;
        "base_stats": |s| s.stats.to_vec(),
        "types": |s| s.types.to_vec(),
        "weight_hg": |s| vec![s.weight],
        "abilities": |s| s.abilities.to_vec(),
        "gender": |s| vec![s.gender],
        "nfe": |s| vec![s.nfe],
        "num": |s| vec![s.num],
        "max_hp": |s| vec![s.max_hp],
        "base_species": |s| vec![s.base],
        "battle_only_of": |s| vec![s.battle_only],
    );
}

fn moves(tables: &Tables, all: &mut Vec<Column>) {
    let pair = |(a, b): (u8, u8)| vec![a, b];
    put!(all, "moves", &tables.moves;
        "power": |m| vec![m.power],
        "accuracy": |m| vec![m.accuracy],
        "type": |m| vec![m.kind],
        "category": |m| vec![m.category as u8],
        "priority": |m| vec![m.priority],
        "pp": |m| vec![u16::from(m.pp) * if m.no_pp_boosts { 5 } else { 8 } / 5],
        "crit_ratio": |m| vec![m.crit],
        "will_crit": |m| vec![m.will_crit],
        "hits": |m| pair(m.hits),
        "multiaccuracy": |m| vec![m.multiaccuracy],
        "drain": |m| pair(m.drain),
        "recoil": |m| pair(m.recoil),
        "heal": |m| pair(m.heal),
        "fixed_damage": |m| vec![m.damage],
        "ohko": |m| vec![m.ohko],
        "self_destruct": |m| vec![match m.self_destruct {
            SelfDestruct::Never => 0,
            SelfDestruct::Always => 1,
            SelfDestruct::IfHit => 2,
        }],
        "self_switch": |m| vec![m.self_switch],
        "force_switch": |m| vec![m.force_switch],
        "breaks_protect": |m| vec![m.breaks_protect],
        "thaws_target": |m| vec![m.thaws],
        "crash": |m| vec![m.crash],
        "mind_blown": |m| vec![m.mind_blown],
        "struggle_recoil": |m| vec![m.struggle_recoil],
        "steals_boosts": |m| vec![m.steals],
        "tracks_target": |m| vec![m.tracks],
        "sleep_usable": |m| vec![m.sleep_usable],
        "calls_move": |m| vec![m.calls],
        "ignore_ability": |m| vec![m.ignore_ability],
        "ignore_defensive": |m| vec![m.ignore_defensive],
        "ignore_evasion": |m| vec![m.ignore_evasion],
        "offensive_stat": |m| vec![m.offense],
        "offensive_target": |m| vec![m.foe_offense],
        "defensive_stat": |m| vec![m.defense],
        "sheer_force": |m| vec![m.sheer],
        "non_ghost_self": |m| vec![m.non_ghost],
        "no_pp_boosts": |m| vec![m.no_pp_boosts],
        "flags": |m| vec![m.flags as i32],
        "side_condition": |m| vec![m.side],
        "slot_condition": |m| vec![m.slot],
        "weather": |m| vec![m.weather],
        "terrain": |m| vec![m.terrain],
        "pseudo_weather": |m| vec![m.pseudo],
        "self_boost_after": |m| m.after.to_vec(),
        "has_self_boost_after": |m| vec![m.has_after],
        "has_self": |m| vec![m.has_self],
        "secondaries": |m| vec![m.secondaries.len() as u8],
    );
    parts(all, &tables.moves, "", |m| vec![m.part]);
    parts(all, &tables.moves, "self_", |m| vec![m.own]);
    parts(all, &tables.moves, "secondary_", |m| three(m, |s| s.part));
    parts(all, &tables.moves, "secondary_self_", |m| three(m, |s| s.own));
    for (prefix, read) in [("self_", own as fn(&Move) -> Vec<Part>), ("secondary_", secondary)] {
        let chances = flat(&tables.moves, |m| read(m).iter().map(|part| part.chance).collect());
        all.push((format!("moves.{prefix}chance"), chances));
    }
}

fn own(entry: &Move) -> Vec<Part> {
    vec![entry.own]
}

fn secondary(entry: &Move) -> Vec<Part> {
    three(entry, |secondary| secondary.part)
}

/// Secondary effects, three of them as in Python.
fn three(entry: &Move, read: impl Fn(&crate::data::Secondary) -> Part) -> Vec<Part> {
    let mut list: Vec<Part> = entry.secondaries.iter().map(read).collect();
    list.resize(3, Part::default());
    list
}

fn parts(all: &mut Vec<Column>, rows: &[Move], prefix: &str, read: impl Fn(&Move) -> Vec<Part>) {
    let mut put = |name: &str, of: &dyn Fn(&Part) -> Vec<i32>| {
        let numbers = flat(rows, |row| read(row).iter().flat_map(of).collect::<Vec<i32>>());
        all.push((format!("moves.{prefix}{name}"), numbers));
    };
    put("boosts", &|part| part.boosts.map(i32::from).to_vec());
    put("has_boosts", &|part| vec![i32::from(part.has_boosts)]);
    put("status", &|part| vec![i32::from(part.status)]);
    put("volatile", &|part| vec![i32::from(part.volatile)]);
}

fn items(tables: &Tables, all: &mut Vec<Column>) {
    put!(all, "items", &tables.items;
        "is_berry": |i| vec![i.berry],
        "is_choice": |i| vec![i.choice],
        "ignore_klutz": |i| vec![i.klutzproof],
        "boosts": |i| i.boosts.to_vec(),
        "has_boosts": |i| vec![i.has_boosts],
    );
    put!(all, "abilities", &tables.abilities;
        "flags": |a| {
            let flags = [a.breakable, a.cant_suppress, a.no_trace, a.no_transform];
            vec![flags.iter().enumerate().map(|(bit, &is)| i32::from(is) << bit).sum::<i32>()]
        },
        "suppress_weather": |a| vec![a.weatherless],
    );
    put!(all, "natures", &tables.natures;
        "plus": |n| vec![n.0],
        "minus": |n| vec![n.1],
    );
}
