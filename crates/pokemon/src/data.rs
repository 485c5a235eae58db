//! The tables of the game, read once from the text files beside the crate.

use crate::ids::HOOKS;
use std::collections::HashMap;
use std::sync::LazyLock;

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
    keys: Vec<HookKey>,
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
            $(pub const $name: u64 = 1 << $bit;)*
            pub(super) fn named(name: &str) -> u64 {
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
    pub flags: u64,
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
    pub sheer: bool,
    pub no_pp_boosts: bool,
    pub non_ghost: bool,
    pub power_call: bool,
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

    pub(super) fn named(name: &str) -> u16 {
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
