//! Turns the ids of the text tables into constants, so that rules can `match` on them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::{env, fs, path::Path};

/// Callbacks that the engine calls by name, on one effect: they never stand in a queue of handlers.
const SINGLE: [&str; 22] = [
    "Start",
    "End",
    "Restart",
    "Eat",
    "Use",
    "FieldStart",
    "FieldEnd",
    "FieldRestart",
    "SideStart",
    "SideEnd",
    "SideRestart",
    "CheckShow",
    "Swap",
    "AnyAfterMega",
    "AfterMega",
    "Copy",
    "AfterTerastallization",
    "ModifySpecies",
    "UseItem",
    "SemiLockMove",
    "PrimalOrb",
    "BattleStart",
];
const PREFIXES: [&str; 4] = ["Ally", "Foe", "Any", "Source"];

fn main() {
    let mut out = String::new();
    for (table, module, number) in [
        ("species", "species", "u16"),
        ("moves", "moves", "u16"),
        ("abilities", "ability", "u16"),
        ("items", "item", "u16"),
        ("conditions", "cond", "u8"),
        ("types", "types", "u8"),
        ("natures", "nature", "u8"),
    ] {
        let text = read(table);
        let _ =
            writeln!(out, "/// Numbers of {table}.\n#[allow(missing_docs)]\npub mod {module} {{");
        for (i, line) in text.lines().enumerate() {
            let name = line.split(' ').next().unwrap_or_default().to_uppercase();
            let bar = if name.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
            let _ = writeln!(out, "pub const {bar}{name}: {number} = {};", i + 1);
        }
        out.push_str("}\n");
    }
    events(&mut out);
    let folder = env::var("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join("ids.rs"), out).expect("the build folder is writable");
}

fn events(out: &mut String) {
    let text = read("hooks");
    let mut hooks: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    hooks.retain(|hook| !SINGLE.contains(hook));
    hooks.sort_unstable();
    hooks.dedup();
    assert!(hooks.len() <= 128, "{} hooks do not fit a word", hooks.len());
    let _ = writeln!(out, "/// Names of hooks, in the order of their numbers.");
    let _ = writeln!(out, "pub const HOOKS: [&str; {}] = {hooks:?};", hooks.len());
    out.push_str("/// Numbers of hooks.\n#[allow(missing_docs)]\npub mod hook {\n");
    for (i, hook) in hooks.iter().enumerate() {
        let _ = writeln!(out, "pub const {}: u8 = {i};", hook.to_uppercase());
    }
    out.push_str("}\n");
    let mut groups: BTreeMap<&str, [u8; 5]> = BTreeMap::new();
    for (i, hook) in hooks.iter().enumerate() {
        let found = PREFIXES.iter().position(|prefix| hook.starts_with(prefix));
        let (base, place) = match found {
            Some(at) => (&hook[PREFIXES[at].len()..], at + 1),
            None => (*hook, 0),
        };
        groups.entry(base).or_insert([255; 5])[place] = i as u8;
    }
    out.push_str("/// Events, each with the hooks it calls.\n#[allow(missing_docs)]\npub mod event {\nuse crate::event::Event;\n");
    for (base, [on, ally, foe, any, source]) in groups {
        let hooks = [on, ally, foe, any, source].into_iter().filter(|hook| *hook != 255);
        let mask = hooks.fold(0u128, |mask, hook| mask | 1 << hook);
        let _ = writeln!(
            out,
            "pub const {}: Event = Event {{ on: {on}, ally: {ally}, foe: {foe}, any: {any}, source: {source}, mask: {mask} }};",
            base.to_uppercase()
        );
    }
    out.push_str("}\n");
}

fn read(table: &str) -> String {
    let path = format!("data/{table}.txt");
    println!("cargo:rerun-if-changed={path}");
    fs::read_to_string(&path).expect("the table is there")
}
