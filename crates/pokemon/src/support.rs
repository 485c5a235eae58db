//! What is played: abilities, items and moves with rules of their own that were taken up, and moves
//! that are data only.

use crate::data::{TABLES, names};
use crate::team::Set;
use std::collections::HashSet;
use std::sync::LazyLock;

/// One per line, `kind:id`, in the order in which they were taken up.
const SUPPORTED: &str = include_str!("../data/supported.txt");
/// Kinds of what a set has: a prefix in the list, the list of names, what one is called.
const KINDS: [(&str, &str, &str); 3] =
    [("a:", "abilities", "ability"), ("i:", "items", "item"), ("m:", "moves", "move")];

/// Moves without callbacks that are not data only: the rules themselves know them by name or kind,
/// and these rules do not. No set of the generator has one that is played.
const NOT_TAKEN_UP: [&str; 5] = ["chloroblast", "fissure", "guillotine", "horndrill", "sheercold"];

/// Atoms such as `a:intimidate`, `i:leftovers` and `m:knockoff`.
pub fn supported() -> Vec<&'static str> {
    SUPPORTED.lines().collect()
}

/// Per kind and number whether a set may have it; having none is always possible.
static PLAYED: LazyLock<[Vec<bool>; 3]> = LazyLock::new(|| {
    let listed: HashSet<&str> = SUPPORTED.lines().collect();
    KINDS.map(|(prefix, list, _)| {
        let named = names(list).unwrap_or_default().into_iter().enumerate();
        let played = named.map(|(i, name)| {
            let plain = list == "moves" && !TABLES.moves[i + 1].rules;
            let data_only = plain && !NOT_TAKEN_UP.contains(&name) || name == "noability";
            data_only || listed.contains(format!("{prefix}{name}").as_str())
        });
        std::iter::once(true).chain(played).collect()
    })
});

/// All names of a kind (`moves`, `abilities`, `items`) that a set may have.
pub fn played(kind: &str) -> Option<Vec<&'static str>> {
    let at = KINDS.iter().position(|(_, list, _)| *list == kind)?;
    let all = names(kind)?.into_iter().zip(&PLAYED[at][1..]);
    Some(all.filter_map(|(name, played)| played.then_some(name)).collect())
}

/// The first part of a set that is not played: what kind it is, and its name. Its numbers must be
/// those of the tables.
pub(crate) fn lacking(set: &Set) -> Option<(&'static str, &'static str)> {
    let [one, two, three, four] = set.moves;
    let has = [(0, set.ability), (1, set.item), (2, one), (2, two), (2, three), (2, four)];
    let (kind, id) = has.into_iter().find(|&(kind, id)| !PLAYED[kind][id as usize])?;
    let (_, list, singular) = KINDS[kind];
    Some((singular, names(list)?.get(id as usize - 1)?))
}
