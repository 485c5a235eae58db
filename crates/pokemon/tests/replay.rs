//! Battles recorded from the simulator, played again choice by choice.

use pokemon::Battle;
use pokemon::trace::{describe, replay, starts};

const BATTLES: &str = include_str!("traces/battles.txt");

/// A stream of numbers for choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 33) as u32) % sides
    }

    /// A legal choice of each side.
    fn choices(&mut self, battle: &Battle) -> [i32; 2] {
        [0, 1].map(|side| {
            let mask = battle.mask(side);
            let chosen = self.roll(mask.count_ones()) as usize;
            (0..14).filter(|action| mask >> action & 1 == 1).nth(chosen).unwrap_or(13)
        })
    }
}

#[test]
fn recorded_battles_go_the_same_way_state_for_state() {
    let report = replay(BATTLES);
    assert_eq!(report.errors, Vec::<String>::new());
    let left: Vec<(usize, usize)> =
        report.divergences.iter().map(|one| (one.battle, one.step)).collect();
    assert_eq!(left, []);
    assert!(report.battles >= 60 && report.steps > 2500, "{report:?}");
}

#[test]
fn a_changed_choice_is_noticed() {
    let at = BATTLES.find("\nstep 0 ").expect("a choice of the first move");
    let changed = format!("{}\nstep 1 {}", &BATTLES[..at], &BATTLES[at + 8..]);
    assert!(!replay(&changed).divergences.is_empty());
}

#[test]
fn a_battle_from_a_snapshot_goes_on_as_the_one_it_was_taken_of() {
    let mut dice = Dice(5);
    for mut battle in starts(BATTLES) {
        for _ in 0..12 {
            let choices = dice.choices(&battle);
            battle.step(choices).expect("legal choices");
        }
        let mut bytes = Vec::new();
        battle.save(&mut bytes);
        let mut input = &bytes[..];
        let mut copy = Battle::load(&mut input).expect("a snapshot");
        assert!(input.is_empty());
        for _ in 0..12 {
            let choices = dice.choices(&battle);
            battle.step(choices).expect("legal choices");
            copy.step(choices).expect("the same choices");
            assert_eq!(describe(&battle), describe(&copy));
        }
        assert!(Battle::load(&mut &bytes[..bytes.len() - 1]).is_none());
    }
}

#[test]
fn what_is_not_legal_is_refused_and_changes_nothing() {
    for battle in starts(BATTLES) {
        let before = describe(&battle);
        for action in -1..16 {
            for side in 0..2 {
                let mut copy = battle;
                let mut pair = [0, 1].map(|s| battle.mask(s).trailing_zeros() as i32);
                pair[side] = action;
                let legal = (0..14).contains(&action) && battle.mask(side) >> action & 1 == 1;
                assert_eq!(copy.step(pair).is_ok(), legal);
                if !legal {
                    assert_eq!(describe(&copy), before);
                }
            }
        }
    }
}

#[test]
fn random_battles_end_and_always_leave_a_choice() {
    let mut dice = Dice(11);
    let begun = starts(BATTLES);
    for (i, start) in begun.iter().cycle().take(300).enumerate() {
        let mut battle = *start;
        battle.rng.0 ^= i as u64;
        while !battle.ended {
            assert!(battle.turn <= 1000 && battle.mask(0) != 0 && battle.mask(1) != 0);
            let both_wait = battle.mask(0) & battle.mask(1) & 1 << 13 != 0;
            assert!(!both_wait, "somebody has to choose");
            let choices = dice.choices(&battle);
            battle.step(choices).expect("legal choices");
        }
    }
}
