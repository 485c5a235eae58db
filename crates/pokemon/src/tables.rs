//! The tables of the game, read once from the text files beside the crate.

use crate::data::{
    Ability, Category, CondKind, Condition, HookKey, Hooks, Item, Move, Part, Secondary,
    SelfDestruct, Species, Tables, Target, flag, natural,
};
use crate::ids::HOOKS;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The tables.
pub static TABLES: LazyLock<Tables> = LazyLock::new(Tables::read);

/// The ids of one of the lists, in the order of their numbers (the first has number 1).
pub fn names(list: &str) -> Option<Vec<&'static str>> {
    let text = match list {
        "species" => SPECIES,
        "moves" => MOVES,
        "abilities" => ABILITIES,
        "items" => ITEMS,
        "conditions" => CONDITIONS,
        "natures" => NATURES,
        "types" => TYPES,
        _ => return None,
    };
    Some(text.lines().map(|line| line.split(' ').next().unwrap_or(line)).collect())
}

const SPECIES: &str = include_str!("../data/species.txt");
const MOVES: &str = include_str!("../data/moves.txt");
const ABILITIES: &str = include_str!("../data/abilities.txt");
const ITEMS: &str = include_str!("../data/items.txt");
const CONDITIONS: &str = include_str!("../data/conditions.txt");
const NATURES: &str = include_str!("../data/natures.txt");
const TYPES: &str = include_str!("../data/types.txt");
const HOOK_ROWS: &str = include_str!("../data/hooks.txt");
const STATS: [&str; 6] = ["hp", "atk", "def", "spa", "spd", "spe"];

/// The fields of one line.
struct Row<'a>(HashMap<&'a str, &'a str>);

/// Numbers of ids.
type Index = HashMap<&'static str, usize>;

fn index(text: &'static str) -> Index {
    text.lines().enumerate().map(|(i, l)| (l.split(' ').next().unwrap_or(l), i + 1)).collect()
}

impl<'a> Row<'a> {
    fn new(line: &'a str) -> Self {
        let fields = line.split(' ').skip(1);
        Self(fields.map(|field| field.split_once('=').unwrap_or((field, ""))).collect())
    }

    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    fn text(&self, key: &str) -> &'a str {
        self.0.get(key).copied().unwrap_or_default()
    }

    fn number(&self, key: &str) -> i32 {
        self.text(key).parse().unwrap_or(0)
    }

    fn list(&self, key: &str) -> impl Iterator<Item = &'a str> {
        self.text(key).split(',').filter(|word| !word.is_empty())
    }

    fn boosts(&self, key: &str) -> [i8; 7] {
        let mut boosts = [0; 7];
        for (slot, value) in boosts.iter_mut().zip(self.list(key)) {
            *slot = value.parse().unwrap_or(0);
        }
        boosts
    }

    fn pair(&self, key: &str) -> (u8, u8) {
        let mut numbers = self.list(key).map(|n| n.parse().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    }

    fn id(&self, key: &str, index: &Index) -> usize {
        index.get(self.text(key)).copied().unwrap_or(0)
    }

    fn stat(&self, key: &str) -> u8 {
        STATS.iter().position(|stat| *stat == self.text(key)).unwrap_or(0) as u8
    }
}

impl Tables {
    fn read() -> Self {
        let (types, conditions) = (index(TYPES), index(CONDITIONS));
        let (abilities, items, species) = (index(ABILITIES), index(ITEMS), index(SPECIES));
        let mut tables = Self {
            species: rows(SPECIES, |row| species_of(row, &types, &abilities, &species)),
            moves: rows(MOVES, |row| move_of(row, &types, &conditions)),
            abilities: rows(ABILITIES, ability_of),
            items: rows(ITEMS, |row| item_of(row, &types)),
            conditions: rows(CONDITIONS, condition_of),
            natures: rows(NATURES, |row| (row.stat("plus"), row.stat("minus"))),
            ..Self::default()
        };
        tables.read_chart(&types);
        tables.read_hooks(&abilities, &items, &conditions);
        tables
    }

    fn read_chart(&mut self, types: &Index) {
        for (i, line) in TYPES.lines().enumerate() {
            let (row, defence) = (Row::new(line), i + 1);
            for attack in row.list("weak") {
                self.exponent[types[attack]][defence] = 1;
            }
            for attack in row.list("resists") {
                self.exponent[types[attack]][defence] = -1;
            }
            for attack in row.list("immune") {
                self.immune[types[attack]][defence] = true;
            }
            self.unaffected[defence] = row.list("unaffected").map(natural::named).sum();
        }
    }

    fn read_hooks(&mut self, abilities: &Index, items: &Index, conditions: &Index) {
        for line in HOOK_ROWS.lines() {
            let mut words = line.splitn(4, ' ');
            let (kind, id) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let hook = words.next().unwrap_or("");
            let Ok(number) = HOOKS.binary_search(&hook) else { continue };
            let rest = format!("- {}", words.next().unwrap_or(""));
            let row = Row::new(&rest);
            let hooks = match kind {
                "ability" => &mut self.abilities[abilities[id]].hooks,
                "item" => &mut self.items[items[id]].hooks,
                _ => &mut self.conditions[conditions[id]].hooks,
            };
            // Rows of one effect come in the order of hooks' names, which is that of their numbers.
            hooks.mask |= 1 << number;
            hooks.keys.push(HookKey {
                order: row.number("order") as u8,
                priority: row.number("priority") as i8,
                sub: row.number("sub") as u8,
                empty: row.has("empty"),
            });
        }
        self.masks = [
            self.abilities.iter().map(|entry| entry.hooks.mask).collect(),
            self.items.iter().map(|entry| entry.hooks.mask).collect(),
            self.conditions.iter().map(|entry| entry.hooks.mask).collect(),
        ];
    }
}

fn rows<T: Default>(text: &'static str, read: impl Fn(&Row<'_>) -> T) -> Vec<T> {
    let mut list = vec![T::default()];
    list.extend(text.lines().map(|line| read(&Row::new(line))));
    list
}

fn species_of(row: &Row<'_>, types: &Index, abilities: &Index, species: &Index) -> Species {
    let mut entry = Species {
        weight: row.number("weight") as u16,
        nfe: row.has("nfe"),
        num: row.number("num") as i16,
        max_hp: row.number("maxhp") as u16,
        base: row.id("base", species) as u16,
        battle_only: row.id("battleonly", species) as u16,
        paradox: row.has("paradox"),
        gender: match row.text("gender") {
            "M" => 1,
            "F" => 2,
            "N" => 3,
            _ => 0,
        },
        ..Species::default()
    };
    for (slot, stat) in entry.stats.iter_mut().zip(row.list("stats")) {
        *slot = stat.parse().unwrap_or(0);
    }
    for (slot, kind) in entry.types.iter_mut().zip(row.list("types")) {
        *slot = types.get(kind).copied().unwrap_or(0) as u8;
    }
    for (slot, ability) in entry.abilities.iter_mut().zip(row.text("abilities").split(',')) {
        *slot = abilities.get(ability).copied().unwrap_or(0) as u16;
    }
    entry
}

fn part_of(row: &Row<'_>, prefix: &str, conditions: &Index) -> Part {
    let key = |name: &str| format!("{prefix}{name}");
    Part {
        chance: row.number(&key("chance")) as u16,
        boosts: row.boosts(&key("boosts")),
        has_boosts: row.has(&key("boosts")),
        status: row.id(&key("status"), conditions) as u8,
        volatile: row.id(&key("volatile"), conditions) as u8,
        call: row.has(&key("call")),
    }
}

fn move_of(row: &Row<'_>, types: &Index, conditions: &Index) -> Move {
    let condition = |key: &str| row.id(key, conditions) as u8;
    let secondary = |i: i32| Secondary {
        part: part_of(row, &format!("s{i}."), conditions),
        has_self: row.has(&format!("s{i}.self")),
        own: part_of(row, &format!("s{i}.self."), conditions),
    };
    Move {
        kind: row.id("type", types) as u8,
        category: match row.text("category") {
            "physical" => Category::Physical,
            "special" => Category::Special,
            _ => Category::Status,
        },
        power: row.number("power") as u16,
        accuracy: row.number("accuracy") as u8,
        pp: row.number("pp") as u8,
        priority: row.number("priority") as i8,
        target: target_of(row.text("target")),
        flags: row.list("flags").map(flag::named).fold(0, |all, bit| all | bit),
        crit: row.number("crit").max(1) as u8,
        will_crit: row.has("willcrit"),
        hits: row.pair("hits"),
        multiaccuracy: row.has("multiaccuracy"),
        drain: row.pair("drain"),
        recoil: row.pair("recoil"),
        heal: row.pair("heal"),
        damage: row.number("damage") as i16,
        ohko: row.has("ohko"),
        self_destruct: match row.text("selfdestruct") {
            "always" => SelfDestruct::Always,
            "ifhit" => SelfDestruct::IfHit,
            _ => SelfDestruct::Never,
        },
        self_switch: row.has("selfswitch"),
        shed_tail: row.text("selfswitch") == "shedtail",
        force_switch: row.has("forceswitch"),
        breaks_protect: row.has("breaksprotect"),
        thaws: row.has("thaws"),
        crash: row.has("crash"),
        mind_blown: row.has("mindblown"),
        struggle_recoil: row.has("strugglerecoil"),
        steals: row.has("steals"),
        tracks: row.has("tracks"),
        sleep_usable: row.has("sleepusable"),
        calls: row.has("calls"),
        ignore_ability: row.has("ignoreability"),
        ignore_defensive: row.has("ignoredefensive"),
        ignore_evasion: row.has("ignoreevasion"),
        ignore_immunity: row.has("ignoreimmunity"),
        obeys_immunity: row.has("obeysimmunity"),
        ignore_immunity_to: row.list("ignoreimmunityto").map(|t| 1u32 << types[t]).sum(),
        offense: row.stat("offense"),
        foe_offense: row.has("foeoffense"),
        defense: row.stat("defense"),
        sheer: row.has("sheer"),
        no_pp_boosts: row.has("noppboosts"),
        non_ghost: row.has("nonghost"),
        power_call: row.has("powercall"),
        rules: row.has("rules"),
        side: condition("side"),
        slot: condition("slot"),
        weather: condition("weather"),
        terrain: condition("terrain"),
        pseudo: condition("pseudo"),
        after: row.boosts("after"),
        has_after: row.has("after"),
        part: part_of(row, "", conditions),
        has_self: row.has("self"),
        own: part_of(row, "self.", conditions),
        secondaries: (0..row.number("secondaries")).map(secondary).collect(),
    }
}

fn target_of(name: &str) -> Target {
    match name {
        "self" => Target::Own,
        "all" => Target::All,
        "alladjacent" => Target::AllAdjacent,
        "alladjacentfoes" => Target::AllAdjacentFoes,
        "allyside" => Target::AllySide,
        "allyteam" => Target::AllyTeam,
        "foeside" => Target::FoeSide,
        "adjacentally" => Target::AdjacentAlly,
        "adjacentallyorself" => Target::AdjacentAllyOrSelf,
        "adjacentfoe" => Target::AdjacentFoe,
        "allies" => Target::Allies,
        "any" => Target::Any,
        "randomnormal" => Target::RandomNormal,
        "scripted" => Target::Scripted,
        _ => Target::Normal,
    }
}

fn ability_of(row: &Row<'_>) -> Ability {
    let flag = |name: &str| row.list("flags").any(|given| given == name);
    Ability {
        breakable: flag("breakable"),
        cant_suppress: flag("cantsuppress"),
        no_trace: flag("notrace"),
        no_transform: flag("notransform"),
        weatherless: row.has("weatherless"),
        hooks: Hooks::default(),
    }
}

fn item_of(row: &Row<'_>, types: &Index) -> Item {
    Item {
        berry: row.has("berry"),
        choice: row.has("choice"),
        klutzproof: row.has("klutzproof"),
        plate: row.id("plate", types) as u8,
        boosts: row.boosts("boosts"),
        has_boosts: row.has("boosts"),
        hooks: Hooks::default(),
    }
}

fn condition_of(row: &Row<'_>) -> Condition {
    Condition {
        kind: match row.text("kind") {
            "status" => CondKind::Status,
            "weather" => CondKind::Weather,
            "terrain" => CondKind::Terrain,
            "rule" => CondKind::Rule,
            _ => CondKind::Condition,
        },
        duration: row.number("duration") as u8,
        no_copy: row.has("nocopy"),
        hooks: Hooks::default(),
    }
}
