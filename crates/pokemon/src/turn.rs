//! A turn: its actions one after the other, until somebody has to choose.

use crate::event::Context;
use crate::ids::{ability, cond, event, moves, species, types};
use crate::state::{
    Action, Battle, Choice, Effect, Outcome, P, Request, SwitchFlag, foe_of, side_of,
};

/// The turn at which the format calls it a draw.
const TURN_LIMIT: u16 = 1000;

impl Battle {
    /// Sends out the first Pokemon, up to the first request.
    pub fn start(&mut self) {
        self.mid_turn = true;
        self.add_plain(Choice::Start);
        self.turn_loop();
    }

    /// Runs actions until a request, the end of the turn or that of the battle.
    pub fn turn_loop(&mut self) {
        self.request = Request::None;
        if !self.mid_turn {
            self.insert_plain(Choice::BeforeTurn);
            self.add_plain(Choice::Residual);
            self.mid_turn = true;
        }
        while let Some(action) = self.queue.shift() {
            self.run_action(action);
            if self.request != Request::None || self.ended {
                return;
            }
        }
        self.end_turn();
        self.mid_turn = false;
        self.queue.len = 0;
    }

    fn run_action(&mut self, action: Action) {
        self.flight_len = 0;
        if !self.perform(&action) {
            return;
        }
        for p in [0, 6] {
            if self.mons[p].force_switch() {
                if self.mons[p].hp > 0 {
                    self.drag_in(side_of(p));
                }
                // Whoever stands there now: the simulator clears the flag of the one dragged out,
                // which lost it with its conditions anyway.
                self.mons[p].set_force_switch(false);
            }
        }
        self.clear_active_move();
        self.faint_messages(false, true);
        if self.ended {
            return;
        }
        match self.queue.peek() {
            None => self.check_fainted(),
            Some(next) if next.choice == Choice::InstaSwitch => return,
            _ => {}
        }
        if action.choice != Choice::Start {
            self.each_event(event::UPDATE, Effect::NONE);
        }
        if self.ask_for_switches() {
            return;
        }
        if self.queue.peek().is_some_and(|next| next.choice == Choice::Move) {
            self.update_speeds();
            for at in 0..self.queue.len as usize {
                let mut queued = self.queue.list[at];
                if queued.mon != crate::state::NOBODY {
                    let p = self.place(queued.mon);
                    self.update_action(&mut queued, p);
                    self.queue.list[at] = queued;
                }
            }
            self.sort_queue();
        }
    }

    /// Does what the action says; false where nothing more is to follow.
    fn perform(&mut self, action: &Action) -> bool {
        match action.choice {
            Choice::Start => {
                self.battle_start();
                for side in 0..2 {
                    self.switch_in(6 * side, false, false);
                }
            }
            Choice::Move => {
                let p = self.place(action.mon);
                if !self.mons[p].is_active() || self.mons[p].fainted() {
                    return false;
                }
                self.run_move(action, p);
            }
            Choice::Terastallize => {
                let p = self.place(action.mon);
                self.terastallize(p);
            }
            Choice::BeforeTurnMove | Choice::PriorityCharge => {
                let p = self.place(action.mon);
                if !self.mons[p].is_active() || self.mons[p].fainted() {
                    return false;
                }
                let id = match action.id {
                    moves::MIRRORCOAT => cond::MIRRORCOAT,
                    moves::FOCUSPUNCH => cond::FOCUSPUNCH,
                    moves::BEAKBLAST => cond::BEAKBLAST,
                    _ => cond::CHILLYRECEPTION,
                };
                self.add_volatile(p, id, Some(p), Effect::NONE);
            }
            Choice::InstaSwitch | Choice::Switch => {
                let target = self.place(action.target);
                self.switch_in(target, action.shed_tail, false);
            }
            Choice::RevivalBlessing => self.revive(action),
            Choice::RunSwitch => {
                let p = self.place(action.mon);
                self.run_switch(p);
            }
            Choice::BeforeTurn => self.each_before_turn(),
            Choice::Residual => {
                self.active_move = 0;
                self.active_mon = 0;
                self.active_target = 0;
                self.update_speeds();
                self.residual();
            }
        }
        true
    }

    /// Nothing of the format happens here but the tie of speeds.
    fn each_before_turn(&mut self) {
        self.actives_by_speed();
    }

    fn battle_start(&mut self) {
        for (base, sword, crowned, blade) in [
            (
                species::ZACIAN,
                crate::ids::item::RUSTEDSWORD,
                species::ZACIANCROWNED,
                moves::BEHEMOTHBLADE,
            ),
            (
                species::ZAMAZENTA,
                crate::ids::item::RUSTEDSHIELD,
                species::ZAMAZENTACROWNED,
                moves::BEHEMOTHBASH,
            ),
        ] {
            for p in 0..12 {
                if self.mons[p].species != base || self.mons[p].item != sword {
                    continue;
                }
                self.set_species(p, crowned);
                let first = self.t.species[crowned as usize].abilities[0];
                let pp = (i32::from(self.t.moves[blade as usize].pp) * 8 / 5) as u8;
                let mon = &mut self.mons[p];
                mon.base_species = crowned;
                (mon.ability, mon.base_ability) = (first, first);
                if let Some(slot) = mon.slots.iter_mut().find(|slot| slot.id == moves::IRONHEAD) {
                    (slot.id, slot.pp, slot.max_pp) = (blade, pp, pp);
                }
            }
        }
    }

    fn revive(&mut self, action: &Action) {
        let p = self.place(action.mon);
        let side = side_of(p);
        self.sides[side].left += 1;
        let target = self.place(action.target);
        let mon = &mut self.mons[target];
        mon.set_fainted(false);
        mon.set_faint_queued(false);
        (mon.status, mon.status_time) = (0, 0);
        mon.hp = (mon.maxhp / 2).max(1);
        self.sides[side].slot.delete(cond::REVIVALBLESSING);
    }

    fn clear_active_move(&mut self) {
        self.active_move = 0;
        self.active_mon = 0;
        self.active_target = 0;
    }

    fn check_fainted(&mut self) {
        for p in [0, 6] {
            let mon = &mut self.mons[p];
            if mon.fainted() {
                (mon.status, mon.status_time) = (0, 0);
                mon.switch_flag = SwitchFlag::Fainted;
            }
        }
    }

    /// Asks for switches where some are due; true where one is.
    fn ask_for_switches(&mut self) -> bool {
        for side in 0..2 {
            let p = 6 * side;
            if self.mons[p].switch_flag == SwitchFlag::No {
                continue;
            }
            if self.can_switch(side) == 0 {
                if !self.sides[side].slot.has(cond::REVIVALBLESSING) {
                    self.mons[p].switch_flag = SwitchFlag::No;
                }
                continue;
            }
            let reviving = self.mons[p].switch_flag == SwitchFlag::Move(moves::REVIVALBLESSING);
            let mon = &mut self.mons[p];
            if mon.hp > 0 && !reviving && !mon.skip_before_switch_out() {
                mon.set_skip_before_switch_out(true);
                self.faint_messages(false, true);
                if self.ended {
                    return true;
                }
            }
        }
        let due = [0, 6].iter().any(|&p| self.mons[p].switch_flag != SwitchFlag::No);
        if due {
            self.request = Request::Switch;
        }
        due
    }

    fn terastallize(&mut self, p: P) {
        let kin = self.kin(self.mons[p].species);
        let kind = self.mons[p].tera_type;
        let masks = [types::FIRE, types::GRASS, types::ROCK, types::WATER];
        if kin == species::OGERPON && !masks.contains(&kind) && !self.mons[p].illusion() {
            return;
        }
        self.mons[p].tera = kind;
        let first = 6 * side_of(p);
        for ally in &mut self.mons[first..first + 6] {
            ally.set_can_tera(false);
            ally.set_tera_withheld(false);
        }
        self.mons[p].added_type = 0;
        if kin == species::OGERPON {
            let to = match self.mons[p].species {
                species::OGERPON => species::OGERPONTEALTERA,
                species::OGERPONWELLSPRING => species::OGERPONWELLSPRINGTERA,
                species::OGERPONHEARTHFLAME => species::OGERPONHEARTHFLAMETERA,
                species::OGERPONCORNERSTONE => species::OGERPONCORNERSTONETERA,
                other => other,
            };
            self.change_forme(p, to, Effect::NONE, true);
        }
        if self.mons[p].species == species::TERAPAGOSTERASTAL {
            self.change_forme(p, species::TERAPAGOSSTELLAR, Effect::NONE, true);
        }
        let mon = &mut self.mons[p];
        if kin == species::MORPEKO && !mon.transformed() && mon.base_species != mon.species {
            mon.set_forme_regression(true);
            mon.base_species = mon.species;
        }
        if self.has_ability(p, ability::TERAFORMZERO)
            && self.mons[p].base_species == species::TERAPAGOSSTELLAR
        {
            self.clear_weather();
            self.clear_terrain();
        }
    }

    /// Terapagos takes its shell on.
    pub fn tera_shift(&mut self, p: P) {
        let mon = &self.mons[p];
        if self.kin(mon.base_species) == species::TERAPAGOS
            && mon.species != species::TERAPAGOSTERASTAL
        {
            let by = Effect::ability(ability::TERASHIFT);
            crate::fired::note(by);
            self.change_forme(p, species::TERAPAGOSTERASTAL, by, true);
        }
    }

    fn end_turn(&mut self) {
        self.turn += 1;
        self.last_successful = 0;
        for p in [0, 6] {
            let first_turn = self.turn == 1;
            let mon = &mut self.mons[p];
            mon.set_newly_switched(false);
            mon.last_result = mon.move_result;
            mon.move_result = Outcome::Unknown;
            if !first_turn {
                mon.set_used_item_this_turn(false);
                mon.set_stats_raised(false);
                mon.set_stats_lowered(false);
            }
            for slot in self.moves_mut(p) {
                slot.disabled = false;
            }
            self.run_event(event::DISABLEMOVE, &mut Context::new(p, None, Effect::NONE));
            self.disable_repeated(p);
            let mon = &mut self.mons[p];
            mon.hurt_by = 0;
            mon.set_trapped(false);
            self.forget_attackers(p);
            self.run_event(event::TRAPPOKEMON, &mut Context::new(p, None, Effect::NONE));
            if !self.mons[p].fainted() {
                self.mons[p].active_turns += 1;
            }
            let side = &mut self.sides[side_of(p)];
            side.fell = [false, side.fell[0]];
        }
        if self.turn > TURN_LIMIT {
            self.win(None);
            return;
        }
        self.request = Request::Move;
    }

    /// Moves that cannot be used twice in a row.
    fn disable_repeated(&mut self, p: P) {
        let last = self.mons[p].last_move;
        let twice = crate::data::flag::CANTUSETWICE;
        if last != 0 && self.t.moves[last as usize].flags & twice != 0 {
            self.disable(p, |slot| slot == last);
        }
    }

    /// Disables the moves that a test picks.
    pub fn disable(&mut self, p: P, picks: impl Fn(u16) -> bool) {
        for slot in self.moves_mut(p) {
            if slot.id != 0 && picks(slot.id) {
                slot.disabled = true;
            }
        }
    }

    /// Blows of those who have left do not count any more.
    fn forget_attackers(&mut self, p: P) {
        if !self.mons[foe_of(p)].is_active() {
            self.mons[p].set_attacked(false);
        }
    }
}
