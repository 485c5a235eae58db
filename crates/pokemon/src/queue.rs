//! The queue of actions.

use crate::data::Category;
use crate::event::Context;
use crate::ids::{cond, event, moves};
use crate::state::{
    Action, Battle, Choice, Effect, Flight, Ident, MAX_QUEUE, P, Queue, SwitchFlag,
};

impl Queue {
    /// The actions in line.
    pub fn as_slice(&self) -> &[Action] {
        &self.list[..self.len as usize]
    }

    /// The next action.
    pub fn peek(&self) -> Option<&Action> {
        self.as_slice().first()
    }

    /// Takes the next action.
    pub fn shift(&mut self) -> Option<Action> {
        let next = *self.peek()?;
        self.list.copy_within(1..self.len as usize, 0);
        self.len -= 1;
        Some(next)
    }

    /// Adds an action at the end.
    pub fn push(&mut self, action: Action) {
        self.insert(self.len as usize, action);
    }

    fn insert(&mut self, at: usize, action: Action) {
        if (self.len as usize) < MAX_QUEUE {
            self.list.copy_within(at..self.len as usize, at + 1);
            self.list[at] = action;
            self.len += 1;
        }
    }

    /// Drops the actions of a Pokemon.
    pub fn cancel(&mut self, mon: Ident) {
        let mut kept = 0;
        for at in 0..self.len as usize {
            if self.list[at].mon != mon {
                self.list[kept] = self.list[at];
                kept += 1;
            }
        }
        self.len = kept as u8;
    }
}

/// Who has no Pokemon in an action.
const NONE: Ident = crate::state::NOBODY;

fn order_of(choice: Choice) -> u16 {
    match choice {
        Choice::Start => 2,
        Choice::InstaSwitch => 3,
        Choice::BeforeTurn => 4,
        Choice::BeforeTurnMove => 5,
        Choice::RevivalBlessing => 6,
        Choice::RunSwitch => 101,
        Choice::Switch => 103,
        Choice::Terastallize => 106,
        Choice::PriorityCharge => 107,
        Choice::Move => 200,
        Choice::Residual => 300,
    }
}

fn key(action: &Action) -> (u16, i16, i32) {
    (action.order, -action.priority, -i32::from(action.speed))
}

impl Battle {
    fn action(choice: Choice, mon: Ident) -> Action {
        Action { choice, order: order_of(choice), mon, target: NONE, ..Action::default() }
    }

    /// Adds what has no Pokemon: the beginning of a turn or its end.
    pub fn add_plain(&mut self, choice: Choice) {
        let mut action = Self::action(choice, NONE);
        action.speed = 1;
        self.queue.push(action);
    }

    /// Puts the beginning of the turn where it belongs.
    pub fn insert_plain(&mut self, choice: Choice) {
        let mut action = Self::action(choice, NONE);
        action.speed = 1;
        self.insert_sorted(action);
    }

    /// Adds a switch that was chosen.
    pub fn add_switch(&mut self, choice: Choice, p: P, target: P) {
        let mut action = Self::action(choice, self.mons[p].ident);
        action.target = self.mons[target].ident;
        if choice != Choice::RevivalBlessing {
            if let SwitchFlag::Move(id) = self.mons[p].switch_flag {
                action.shed_tail = self.t.moves[id as usize].shed_tail;
            }
            self.mons[p].switch_flag = SwitchFlag::No;
        }
        action.speed = self.action_speed(p) as u16;
        self.queue.push(action);
    }

    /// Adds a move that was chosen, with what precedes it.
    pub fn add_move(&mut self, p: P, id: u16, tera: bool) {
        let ident = self.mons[p].ident;
        let before = self.queue.len as usize;
        if id == moves::MIRRORCOAT {
            let mut first = Self::action(Choice::BeforeTurnMove, ident);
            (first.id, first.speed) = (id, self.action_speed(p) as u16);
            self.queue.insert(before, first);
        }
        if tera && self.mons[p].tera == 0 {
            let mut first = Self::action(Choice::Terastallize, ident);
            first.speed = self.action_speed(p) as u16;
            self.queue.insert(before, first);
        }
        if matches!(id, moves::FOCUSPUNCH | moves::BEAKBLAST | moves::CHILLYRECEPTION) {
            let mut first = Self::action(Choice::PriorityCharge, ident);
            (first.id, first.speed) = (id, self.action_speed(p) as u16);
            self.queue.insert(before, first);
        }
        let mut action = Self::action(Choice::Move, ident);
        action.id = id;
        let flight = self.scratch_flight(id);
        let mut cx = Context::new(p, None, Effect::flight(id, flight)).with(0);
        self.run_event(event::FRACTIONALPRIORITY, &mut cx);
        action.fractional = cx.number as i16;
        self.update_action(&mut action, p);
        self.queue.push(action);
    }

    /// A place for a move that handlers look at before it is used.
    fn scratch_flight(&mut self, id: u16) -> usize {
        let at = crate::state::MAX_FLIGHTS - 1;
        self.flights[at] = self.fresh_flight(id);
        at
    }

    /// A move as the table has it.
    pub fn fresh_flight(&self, id: u16) -> Flight {
        let entry = &self.t.moves[id as usize];
        Flight {
            id,
            kind: entry.kind,
            category: entry.category,
            target: entry.target,
            power: i32::from(entry.power),
            accuracy: entry.accuracy,
            priority: entry.priority,
            flags: entry.flags,
            hits: entry.hits,
            multiaccuracy: entry.multiaccuracy,
            ignore_ability: entry.ignore_ability,
            ignore_evasion: entry.ignore_evasion,
            immunity_known: entry.ignore_immunity
                || entry.obeys_immunity
                || entry.ignore_immunity_to != 0,
            ignore_immunity: entry.ignore_immunity,
            ignore_immunity_to: entry.ignore_immunity_to,
            ..Flight::default()
        }
    }

    /// Priority and speed of an action as they are now.
    pub fn update_action(&mut self, action: &mut Action, p: P) {
        if action.choice == Choice::Move {
            let flight = self.scratch_flight(action.id);
            let mut priority = i32::from(self.t.moves[action.id as usize].priority);
            if action.id == moves::GRASSYGLIDE
                && self.field.terrain == cond::GRASSYTERRAIN
                && self.grounded(p, false)
            {
                priority += 1;
                crate::fired::note(Effect::flight(action.id, flight));
            }
            let target = self.target_of(p, flight);
            let effect = Effect::flight(action.id, flight);
            let mut cx = Context::new(p, target, effect).with(priority);
            self.run_event(event::MODIFYPRIORITY, &mut cx);
            if self.flights[flight].prankster {
                action.prankster = true;
            }
            action.priority = 10 * cx.number as i16 + action.fractional;
            action.move_priority = cx.number as i8;
        }
        action.speed = self.action_speed(p) as u16;
    }

    /// Puts an action where it would have stood, among equals at random.
    fn insert_sorted(&mut self, action: Action) {
        let mut first = None;
        let mut last = None;
        for (i, other) in self.queue.as_slice().iter().enumerate() {
            let compared = key(&action).cmp(&key(other));
            if compared.is_le() && first.is_none() {
                first = Some(i);
            }
            if compared.is_lt() {
                last = Some(i);
                break;
            }
        }
        let len = self.queue.len as usize;
        let at = match first {
            None => len,
            Some(first) => {
                let last = last.unwrap_or(len);
                if first == last {
                    first
                } else {
                    self.rng.range(first as u32, last as u32 + 1) as usize
                }
            }
        };
        self.queue.insert(at, action);
    }

    /// Puts the arrival of a Pokemon in line.
    pub fn insert_run_switch(&mut self, p: P) {
        self.update_speed(p);
        let mut action = Self::action(Choice::RunSwitch, self.mons[p].ident);
        action.speed = self.action_speed(p) as u16;
        self.insert_sorted(action);
    }

    /// Sorts the queue, equal ones at random.
    pub fn sort_queue(&mut self) {
        let mut queue = self.queue;
        let len = queue.len as usize;
        self.speed_sort(&mut queue.list[..len], key);
        self.queue = queue;
    }

    /// Whether a Pokemon is still to use a move this turn, and which.
    pub fn move_to_come(&self, p: P) -> Option<u16> {
        let mon = &self.mons[p];
        if mon.fainted() {
            return None;
        }
        let theirs = |action: &&Action| action.choice == Choice::Move && action.mon == mon.ident;
        self.queue.as_slice().iter().find(theirs).map(|action| action.id)
    }

    /// Whether a Pokemon is still to use a move this turn.
    pub fn will_move(&self, p: P) -> bool {
        self.move_to_come(p).is_some()
    }

    /// Whether anyone is still to act this turn.
    pub fn will_act(&self) -> bool {
        let acts = [Choice::Move, Choice::Switch, Choice::InstaSwitch];
        self.queue.as_slice().iter().any(|action| acts.contains(&action.choice))
    }

    /// Whether a move that is to come is an attack.
    pub fn attack_to_come(&self, p: P) -> bool {
        self.move_to_come(p)
            .is_some_and(|id| self.t.moves[id as usize].category != Category::Status)
    }
}
