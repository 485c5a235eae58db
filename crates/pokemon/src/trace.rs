//! Recorded battles as text: teams, choices, and what the state was after each.
//!
//! `battle a,b,c,d` begins one; `mon` lines bring the teams; `start` and `state` lines hold what the
//! simulator's state was, in the words of [`describe`] (or, as `check` lines, what [`digest`] makes
//! of them); `step` lines the choices of both sides.

use crate::data::names;
use crate::ids::{cond, types};
use crate::mon::UNKNOWN_TYPE;
use crate::state::{Battle, P, SideConditions};
use crate::team::Set;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Where a replay left the recording.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Divergence {
    pub battle: usize,
    pub step: usize,
    pub recorded: String,
    pub replayed: String,
    /// the choices before, latest last
    pub choices: Vec<String>,
}

/// What a replay counted.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Report {
    pub battles: usize,
    pub steps: usize,
    pub divergences: Vec<Divergence>,
    /// lines that could not be read
    pub errors: Vec<String>,
}

/// Ids both ways.
struct Words {
    names: [Vec<&'static str>; 7],
    numbers: [HashMap<&'static str, usize>; 7],
}

const LISTS: [&str; 7] =
    ["species", "moves", "abilities", "items", "conditions", "natures", "types"];

impl Words {
    fn new() -> Self {
        let names = LISTS.map(|list| {
            let mut all = vec![""];
            all.extend(names(list).unwrap_or_default());
            all
        });
        let numbers = [0, 1, 2, 3, 4, 5, 6].map(|list: usize| {
            let each = names[list].iter().enumerate().skip(1);
            each.map(|(number, name)| (*name, number)).collect()
        });
        Self { names, numbers }
    }

    fn number(&self, list: usize, name: &str) -> Result<usize, String> {
        if name.is_empty() || name == "-" {
            return Ok(0);
        }
        self.numbers[list]
            .get(name)
            .copied()
            .ok_or_else(|| format!("no {} named {name}", LISTS[list]))
    }
}

/// What a recording has said of the battle to come.
#[derive(Default)]
struct Setup {
    seed: [u16; 4],
    teams: [Vec<Set>; 2],
}

impl Setup {
    /// Takes up a line; `start` brings the battle.
    fn read(&mut self, words: &Words, word: &str, rest: &str) -> Result<Option<Battle>, String> {
        match word {
            "battle" => *self = Self { seed: seed_of(rest), ..Self::default() },
            "mon" => {
                let (side, set) = set_of(words, rest)?;
                self.teams[side].push(set);
            }
            "start" => {
                let battle = Battle::new(self.seed, [&self.teams[0], &self.teams[1]]);
                return battle.map(Some).map_err(|error| error.to_string());
            }
            _ => {}
        }
        Ok(None)
    }
}

/// A recording as it is replayed; there is no battle after it has diverged.
#[derive(Default)]
struct Replay {
    report: Report,
    battle: Option<Battle>,
    choices: Vec<String>,
}

impl Replay {
    fn take(&mut self, word: &str, rest: &str) {
        match word {
            "battle" => {
                self.battle = None;
                self.choices.clear();
            }
            "start" => {
                self.report.battles += 1;
                if !rest.is_empty() {
                    self.compare(rest, describe);
                }
            }
            "step" => self.step(rest),
            "check" => self.compare(rest, |battle| digest(&describe(battle))),
            "state" => self.compare(rest, describe),
            _ => {}
        }
    }

    fn step(&mut self, choice: &str) {
        self.choices.push(choice.to_string());
        self.report.steps += 1;
        let Some(battle) = &mut self.battle else { return };
        let mut actions = choice.split(' ').map(|action| action.parse().unwrap_or(-1));
        let pair = [actions.next().unwrap_or(-1), actions.next().unwrap_or(-1)];
        if let Err(illegal) = battle.step(pair) {
            let replayed = format!("{illegal:?} {}", describe(battle));
            self.diverge("a legal choice", replayed);
        }
    }

    fn compare(&mut self, recorded: &str, told: impl Fn(&Battle) -> String) {
        let replayed = self.battle.as_ref().map(told);
        if let Some(replayed) = replayed.filter(|replayed| replayed != recorded) {
            self.diverge(recorded, replayed);
        }
    }

    fn diverge(&mut self, recorded: &str, replayed: String) {
        self.battle = None;
        self.report.divergences.push(Divergence {
            battle: self.report.battles,
            step: self.choices.len(),
            recorded: recorded.into(),
            replayed,
            choices: self.choices.clone(),
        });
    }
}

fn words_of(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, ""))
}

/// Replays recordings and compares after every choice.
pub fn replay(text: &str) -> Report {
    let (words, mut setup, mut replay) = (Words::new(), Setup::default(), Replay::default());
    for (word, rest) in text.lines().map(words_of) {
        match setup.read(&words, word, rest) {
            Ok(None) => {}
            Ok(begun) => replay.battle = begun,
            Err(error) => replay.report.errors.push(error),
        }
        replay.take(word, rest);
    }
    replay.report
}

/// The battles of recordings at their beginning.
pub fn starts(text: &str) -> Vec<Battle> {
    let (words, mut setup) = (Words::new(), Setup::default());
    let lines = text.lines().map(words_of);
    lines.filter_map(|(word, rest)| setup.read(&words, word, rest).ok().flatten()).collect()
}

fn seed_of(text: &str) -> [u16; 4] {
    let mut words = text.split(',').map(|word| word.parse().unwrap_or(0));
    [(); 4].map(|()| words.next().unwrap_or(0))
}

fn set_of(words: &Words, line: &str) -> Result<(usize, Set), String> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [side, species, ability, item, level, gender, nature, tera, evs, ivs, moves] = fields[..]
    else {
        return Err(format!("not a Pokemon: {line}"));
    };
    let bytes = |text: &str| {
        let mut list = [0u8; 6];
        for (slot, part) in list.iter_mut().zip(text.split(',')) {
            *slot = part.parse().unwrap_or(0);
        }
        list
    };
    let mut set = Set {
        species: words.number(0, species)? as u16,
        ability: words.number(2, ability)? as u16,
        item: words.number(3, item)? as u16,
        level: level.parse().unwrap_or(0),
        gender: gender.parse().unwrap_or(0),
        nature: words.number(5, nature)? as u8,
        tera: words.number(6, tera)? as u8,
        evs: bytes(evs),
        ivs: bytes(ivs),
        ..Set::default()
    };
    for (slot, name) in set.moves.iter_mut().zip(moves.split(',')) {
        *slot = words.number(1, name)? as u16;
    }
    Ok((side.parse().unwrap_or(0), set))
}

/// Sixteen digits that stand for a text (FNV-1a).
pub fn digest(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The state in words: everything that later choices can depend on and a spectator cannot miss.
pub fn describe(battle: &Battle) -> String {
    static WORDS: std::sync::LazyLock<Words> = std::sync::LazyLock::new(Words::new);
    let w = &*WORDS;
    let mut out = String::new();
    let [a, b, c, d] = battle.rng.words();
    let _ = write!(out, "rng={a},{b},{c},{d} turn={}", battle.turn);
    let masks = if battle.ended { [0, 0] } else { [battle.mask(0), battle.mask(1)] };
    let _ = write!(out, " masks={},{} over={},{}", masks[0], masks[1], battle.ended, battle.winner);
    let field = &battle.field;
    let name = |id: u8| w.names[4][id as usize];
    let _ = write!(
        out,
        " field={}:{},{}:{},{}",
        name(field.weather),
        field.weather_turns,
        name(field.terrain),
        field.terrain_turns,
        field.trick_room
    );
    for (side, entry) in battle.sides.iter().enumerate() {
        let _ = write!(out, " side{side}=");
        describe_conditions(&mut out, w, &entry.conditions);
        out.push('/');
        describe_conditions(&mut out, w, &entry.slot);
        for slot in 0..entry.size as usize {
            describe_mon(&mut out, w, battle, 6 * side + slot);
        }
    }
    out
}

fn describe_conditions(out: &mut String, w: &Words, list: &SideConditions) {
    for c in list.iter() {
        let layers = if matches!(c.id, cond::SPIKES | cond::TOXICSPIKES) { c.layers } else { 0 };
        let _ = write!(out, "{}:{}:{};", w.names[4][c.id as usize], c.duration, layers);
    }
}

fn describe_mon(out: &mut String, w: &Words, battle: &Battle, p: P) {
    let mon = &battle.mons[p];
    let (status, time) =
        if mon.fainted() { ("fnt", 0) } else { (w.names[4][mon.status as usize], mon.status_time) };
    let kind = |t: u8| if t == UNKNOWN_TYPE { "???" } else { w.names[6][t as usize] };
    let _ = write!(
        out,
        " {}|{}/{}|{status}{time}|{}|{}|{}|",
        w.names[0][mon.species as usize],
        mon.hp,
        mon.maxhp,
        w.names[3][mon.item as usize],
        w.names[2][mon.ability as usize],
        kind(mon.tera)
    );
    for slot in battle.moves(p) {
        if slot.id != 0 {
            let _ = write!(out, "{}:{},", w.names[1][slot.id as usize], slot.pp);
        }
    }
    if !mon.is_active() {
        return;
    }
    out.push('|');
    for boost in mon.boosts {
        let _ = write!(out, "{boost},");
    }
    out.push('|');
    for v in battle.sides[p / 6].volatiles.iter() {
        let data = match v.id {
            cond::LOCKEDMOVE => format!("{}.{}", w.names[1][v.data as usize], v.extra),
            cond::TWOTURNMOVE | cond::CHOICELOCK | cond::ENCORE | cond::DISABLE => {
                w.names[1][v.data as usize].to_string()
            }
            cond::PARTIALLYTRAPPED => v.extra.to_string(),
            cond::PROTOSYNTHESIS | cond::QUARKDRIVE => format!("{}.{}", v.data, v.extra),
            _ => v.data.to_string(),
        };
        let _ = write!(out, "{}:{}:{data};", w.names[4][v.id as usize], v.duration);
    }
    let shown: Vec<&str> =
        mon.types.iter().filter(|&&t| t != 0 && t != types::STELLAR).map(|&t| kind(t)).collect();
    let _ = write!(
        out,
        "|{}|{}|{}|{}",
        shown.join("/"),
        w.names[1][mon.last_move as usize],
        mon.active_turns,
        mon.speed
    );
}
