//! What the tables and the generator must be.

use pokemon::data::{TABLES, names};
use pokemon::fields::{FIELDS, width};
use pokemon::ids::{ability, item, moves, species, types};
use pokemon::rng::Rng;
use pokemon::{Battle, Set, Unplayable, supported};

fn set() -> Set {
    Set {
        species: species::GARCHOMP,
        ability: ability::ROUGHSKIN,
        item: item::LEFTOVERS,
        moves: [moves::EARTHQUAKE, 0, 0, 0],
        level: 77,
        gender: 1,
        nature: pokemon::ids::nature::SERIOUS,
        tera: types::GROUND,
        evs: [85; 6],
        ivs: [31; 6],
    }
}

#[test]
fn the_generator_is_the_fifth_generations() {
    // Computed apart from this, from the recurrence: x * 0x5D588B656C078965 + 0x269EC3, modulo 2^64.
    let mut rng = Rng::new([1, 2, 3, 4]);
    rng.below(1);
    assert_eq!(rng.words(), [30982, 33910, 19571, 50263]);
}

#[test]
fn every_supported_atom_is_in_the_tables() {
    let listed = supported();
    assert!(listed.len() >= 389);
    for atom in listed {
        let (kind, id) = atom.split_once(':').expect("a kind and an id");
        let list = match kind {
            "a" => "abilities",
            "i" => "items",
            _ => "moves",
        };
        assert!(names(list).is_some_and(|ids| ids.contains(&id)), "{atom}");
    }
}

#[test]
fn ground_cannot_touch_what_flies_and_water_is_weak_to_electricity() {
    assert!(TABLES.immune[types::GROUND as usize][types::FLYING as usize]);
    assert_eq!(TABLES.exponent[types::ELECTRIC as usize][types::WATER as usize], 1);
    assert_eq!(TABLES.moves[moves::EARTHQUAKE as usize].power, 100);
}

#[test]
fn the_named_numbers_fill_their_fields() {
    let battle = Battle::new([1, 2, 3, 4], [&[set()], &[set()]]).expect("playable teams");
    let mut numbers = Vec::new();
    battle.numbers(&mut numbers);
    assert_eq!(numbers.len(), width());
    assert_eq!(FIELDS[0].0, "rng");
}

#[test]
fn teams_with_numbers_that_stand_for_nothing_are_refused() {
    let wrong = Set { species: 60_000, ..set() };
    let refused = Battle::new([0; 4], [&[wrong], &[set()]]).err();
    assert_eq!(refused, Some(Unplayable::Number("species", 60_000)));
    assert_eq!(Battle::new([0; 4], [&[], &[set()]]).err(), Some(Unplayable::Size(0)));
}

#[test]
fn a_battle_without_an_end_is_a_draw_after_a_thousand_turns() {
    let splash = Set { moves: [moves::SPLASH, moves::RECOVER, 0, 0], ..set() };
    let mut battle = Battle::new([1, 2, 3, 4], [&[splash], &[splash]]).expect("playable teams");
    // PP are refilled, so that nobody ever struggles.
    while !battle.ended {
        for mon in &mut battle.mons {
            mon.slots[0].pp = 40;
        }
        battle.step([0, 0]).expect("legal choices");
    }
    assert_eq!((battle.turn, battle.winner), (1001, 0));
}

#[test]
fn sand_takes_a_point_of_the_smallest() {
    let small = Set {
        species: species::ALCREMIE,
        item: 0,
        moves: [moves::SPLASH, 0, 0, 0],
        level: 2,
        ..set()
    };
    let sandy = Set { ability: ability::SANDSTREAM, ..small };
    let mut battle = Battle::new([1, 2, 3, 4], [&[sandy], &[small]]).expect("playable teams");
    let before = battle.mons[6].hp;
    assert!(before < 16);
    battle.step([0, 0]).expect("legal choices");
    assert_eq!(battle.mons[6].hp, before - 1);
}

#[test]
fn a_crown_does_not_help_to_beat_up() {
    let user = Set { species: species::WEAVILE, moves: [moves::BEATUP, 0, 0, 0], ..set() };
    let target =
        Set { species: species::SNORLAX, item: 0, moves: [moves::SPLASH, 0, 0, 0], ..set() };
    let left = |ally: u16| {
        let ally = Set { species: ally, item: 0, ..set() };
        let mut battle = Battle::new([1, 2, 3, 4], [&[user, ally], &[target]]).expect("playable");
        battle.step([0, 0]).expect("legal choices");
        battle.mons[6].hp
    };
    // Its attack would be 150 with the crown; without it is 120, as that of Dialga.
    assert_eq!(left(species::ZACIANCROWNED), left(species::DIALGA));
    assert_ne!(left(species::ZACIANCROWNED), left(species::KARTANA));
}

#[test]
fn battles_of_any_sets_whatsoever_go_on_without_a_panic() {
    let mut state = 7u64;
    let mut roll = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % count
    };
    for _ in 0..150 {
        let mut team = || -> Vec<Set> {
            (0..1 + roll(6))
                .map(|_| Set {
                    species: 1 + roll(TABLES.species.len() - 1) as u16,
                    ability: roll(TABLES.abilities.len()) as u16,
                    item: roll(TABLES.items.len()) as u16,
                    moves: [(); 4].map(|()| 1 + roll(TABLES.moves.len() - 1) as u16),
                    level: 1 + roll(100) as u8,
                    gender: 1 + roll(3) as u8,
                    nature: roll(26) as u8,
                    tera: 1 + roll(19) as u8,
                    evs: [(); 6].map(|()| roll(256) as u8),
                    ivs: [(); 6].map(|()| roll(32) as u8),
                })
                .collect()
        };
        let (first, second) = (team(), team());
        let mut battle = Battle::new([1, 2, 3, 4], [&first, &second]).expect("playable teams");
        while !battle.ended && battle.turn < 200 {
            let choices = [0, 1].map(|side| {
                let mask = battle.mask(side);
                let chosen = roll(mask.count_ones() as usize);
                (0..14).filter(|action| mask >> action & 1 == 1).nth(chosen).unwrap_or(13)
            });
            battle.step(choices).expect("legal choices");
        }
    }
}

#[test]
fn a_battle_takes_at_most_three_kilobytes() {
    assert!(size_of::<Battle>() <= 3072, "{} bytes", size_of::<Battle>());
}
