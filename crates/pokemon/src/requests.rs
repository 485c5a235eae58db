//! What each side may choose, and what it chose.

use crate::ids::{cond, moves};
use crate::state::{Battle, Choice, P, Request, SwitchFlag};

/// Number of actions: four moves, four with terastallization, five switches, and waiting.
pub const ACTIONS: usize = 14;
/// The action of a side that has nothing to choose.
pub const WAIT: u8 = 13;

/// What a side is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Asked {
    Wait,
    Move,
    Switch,
    Revive,
}

/// An action that a side may not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// The side, 0 or 1.
    pub side: usize,
    /// What it chose.
    pub action: i32,
}

impl Battle {
    /// What a side may do now: a bit per action.
    pub fn mask(&self, side: usize) -> u16 {
        let p = 6 * side;
        match self.asked(side) {
            Asked::Wait => 1 << WAIT,
            Asked::Move => self.move_mask(p),
            Asked::Switch => self.bench_mask(p, false),
            Asked::Revive => self.bench_mask(p, true),
        }
    }

    /// What a side is asked for.
    pub fn asked(&self, side: usize) -> Asked {
        if self.sides[side].left == 0 {
            return Asked::Wait;
        }
        let due = self.mons[6 * side].switch_flag != SwitchFlag::No;
        match self.request {
            Request::Move => Asked::Move,
            Request::Switch if due && self.sides[side].slot.has(cond::REVIVALBLESSING) => {
                Asked::Revive
            }
            Request::Switch if due => Asked::Switch,
            _ => Asked::Wait,
        }
    }

    fn bench_mask(&self, p: P, fainted: bool) -> u16 {
        let size = self.sides[p / 6].size as usize;
        (1..size)
            .filter(|&slot| self.mons[p + slot].fainted() == fainted)
            .fold(0, |mask, slot| mask | 1 << (7 + slot))
    }

    fn move_mask(&self, p: P) -> u16 {
        let mon = &self.mons[p];
        if self.locked_move(p).is_some() {
            return 1;
        }
        let mut mask = 0;
        for (i, slot) in self.moves(p).iter().enumerate() {
            if slot.id != 0 && slot.pp > 0 && !slot.disabled {
                mask |= 1 << i;
                if mon.can_tera() {
                    mask |= 1 << (4 + i);
                }
            }
        }
        if mask == 0 {
            mask = 1;
        }
        if mon.trapped() { mask } else { mask | self.bench_mask(p, false) }
    }

    /// Takes both sides' choices and plays on to the next request.
    pub fn step(&mut self, actions: [i32; 2]) -> Result<(), Illegal> {
        for (side, &action) in actions.iter().enumerate() {
            let legal = u32::try_from(action)
                .is_ok_and(|a| (a as usize) < ACTIONS && self.mask(side) >> a & 1 == 1);
            if !legal {
                return Err(Illegal { side, action });
            }
        }
        if self.ended {
            return Ok(());
        }
        self.update_speeds();
        let waiting = self.queue;
        self.queue.len = 0;
        for (side, &action) in actions.iter().enumerate() {
            if action != i32::from(WAIT) {
                self.choose(6 * side, action as usize);
            }
        }
        self.sort_queue();
        for action in waiting.as_slice() {
            self.queue.push(*action);
        }
        self.turn_loop();
        Ok(())
    }

    fn choose(&mut self, p: P, action: usize) {
        if action >= 8 {
            let target = p + action - 7;
            let choice = if self.request == Request::Move {
                Choice::Switch
            } else if self.sides[p / 6].slot.has(cond::REVIVALBLESSING) {
                self.mons[p].switch_flag = SwitchFlag::No;
                Choice::RevivalBlessing
            } else {
                Choice::InstaSwitch
            };
            return self.add_switch(choice, p, target);
        }
        if let Some(locked) = self.locked_move(p) {
            return self.add_move(p, locked, false);
        }
        let slot = self.moves(p)[action % 4];
        if slot.id == 0 || slot.pp == 0 || slot.disabled {
            return self.add_move(p, moves::STRUGGLE, false);
        }
        self.add_move(p, slot.id, action >= 4);
    }
}
