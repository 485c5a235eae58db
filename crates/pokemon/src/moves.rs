//! Using a move, from the choice to its hits.

use crate::data::{Category, SelfDestruct, Target, flag};
use crate::event::{Answer, Context};
use crate::fired;
use crate::ids::{ability, cond, event, moves};
use crate::state::{Action, Battle, Effect, EffectKind, Flight, MAX_FLIGHTS, Outcome, P, foe_of};

impl Battle {
    /// Whom a move is aimed at; nobody for those that need an ally.
    pub fn target_of(&self, p: P, flight: usize) -> Option<P> {
        match self.flights[flight].target {
            Target::Own
            | Target::All
            | Target::AllySide
            | Target::AllyTeam
            | Target::Allies
            | Target::AdjacentAllyOrSelf => Some(p),
            Target::AdjacentAlly => None,
            _ => Some(foe_of(p)),
        }
    }

    /// Puts a move in flight. The last place is for moves that are only looked at.
    pub fn launch(&mut self, flight: Flight) -> usize {
        let at = (self.flight_len as usize).min(MAX_FLIGHTS - 2);
        self.flights[at] = flight;
        self.flight_len = at as u8 + 1;
        at
    }

    fn set_active(&mut self, flight: usize, p: P, target: Option<P>) {
        self.active_move = flight as u8 + 1;
        self.active_mon = p as u8 + 1;
        self.active_target = target.unwrap_or(p) as u8 + 1;
    }

    fn clear_active(&mut self) {
        (self.active_move, self.active_mon, self.active_target) = (0, 0, 0);
    }

    /// A Pokemon's action: everything that may keep it from its move, then the move.
    pub fn run_move(&mut self, action: &Action, p: P) {
        let mut flight = self.fresh_flight(action.id);
        flight.priority = action.move_priority;
        flight.prankster = action.prankster;
        let at = self.launch(flight);
        self.run_launched(at, p);
    }

    fn run_launched(&mut self, mut at: usize, p: P) {
        self.mons[p].move_actions += 1;
        let external = self.flights[at].external;
        if self.flights[at].id != moves::STRUGGLE && !external {
            at = self.overridden(at, p);
        }
        let target = self.target_of(p, at);
        self.set_active(at, p, target);
        let id = self.flights[at].id;
        let effect = Effect::flight(id, at);
        let answer = self.run_event(event::BEFOREMOVE, &mut Context::new(p, target, effect));
        if !answer.holds() {
            self.run_event(event::MOVEABORTED, &mut Context::new(p, target, effect));
            self.clear_active();
            self.mons[p].move_result =
                if answer == Answer::No { Outcome::Failed } else { Outcome::Nothing };
            return;
        }
        if id == moves::FOCUSPUNCH && self.vol(p, cond::FOCUSPUNCH).is_some_and(|v| v.extra == 1) {
            fired::note(effect);
            self.clear_active();
            self.mons[p].move_result = Outcome::Failed;
            return;
        }
        let mut source = self.flights[at].source;
        if !external {
            if self.locked_move(p).is_none() {
                if self.deduct_pp(p, id, 1) == 0 && id != moves::STRUGGLE {
                    self.clear_active();
                    self.mons[p].move_result = Outcome::Failed;
                    return;
                }
            } else {
                source = Effect::condition(cond::LOCKEDMOVE);
            }
            self.mons[p].last_move = id;
        }
        let no_lock = external && !self.has_vol(p, cond::LOCKEDMOVE);
        let did = self.use_move(at, p, target, source);
        self.after_move(at, p, target, did);
        if no_lock {
            self.vols(p).delete(cond::LOCKEDMOVE);
        }
        self.faint_messages(false, true);
        if !self.ended {
            self.check_win(None);
        }
    }

    /// Encore changes the move at the last moment.
    fn overridden(&mut self, at: usize, p: P) -> usize {
        let id = self.flights[at].id;
        let Some(encore) = self.vol(p, cond::ENCORE) else { return at };
        let forced = encore.data as u16;
        if forced == id {
            return at;
        }
        let mut flight = self.fresh_flight(forced);
        flight.priority = self.flights[at].priority;
        flight.prankster = self.flights[at].prankster;
        self.flights[at] = flight;
        at
    }

    fn after_move(&mut self, at: usize, p: P, target: Option<P>, did: bool) {
        let active = if self.active_move > 0 { self.active_move as usize - 1 } else { at };
        self.last_successful =
            if did && self.active_move > 0 { self.flights[active].id } else { 0 };
        let flight = self.flights[active];
        let effect = Effect::flight(flight.id, active);
        match flight.id {
            moves::SPARKLINGARIA => self.sparkle(active, p),
            moves::BEAKBLAST => {
                self.remove_volatile(p, cond::BEAKBLAST);
            }
            _ => {}
        }
        self.run_event(event::AFTERMOVE, &mut Context::new(p, target, effect));
        if flight.flags & flag::DANCE != 0 && did && !flight.external {
            self.dance_along(active, p);
        }
    }

    /// Sparkling Aria heals the burns of those it hit.
    fn sparkle(&mut self, at: usize, p: P) {
        let flight = self.flights[at];
        let hit = flight.hit_target.map(|t| t as usize);
        let Some(target) = hit.filter(|_| !self.mons[p].fainted() && !flight.sheer) else {
            self.sides[0].volatiles.delete(cond::SPARKLINGARIA);
            self.sides[1].volatiles.delete(cond::SPARKLINGARIA);
            return;
        };
        if target != p
            && self.mons[target].is_active()
            && self.remove_volatile(target, cond::SPARKLINGARIA)
            && self.mons[target].status == cond::BRN
        {
            self.cure_status(target);
            fired::note(Effect::flight(flight.id, at));
        }
    }

    /// A Dancer repeats what was danced.
    fn dance_along(&mut self, at: usize, p: P) {
        let dancer = foe_of(p);
        if self.mons[dancer].fainted()
            || !self.has_ability(dancer, ability::DANCER)
            || self.out_of_reach(dancer)
        {
            return;
        }
        if self.faint_messages(false, true) || self.mons[dancer].fainted() {
            return;
        }
        fired::note(Effect::ability(ability::DANCER));
        let mut flight = self.fresh_flight(self.flights[at].id);
        flight.external = true;
        flight.source = Effect::ability(ability::DANCER);
        let next = self.launch(flight);
        self.run_launched(next, dancer);
    }

    /// Takes PP off a move; how many were taken.
    pub fn deduct_pp(&mut self, p: P, id: u16, amount: u8) -> u8 {
        let Some(slot) = self.moves_mut(p).iter_mut().find(|slot| slot.id == id && id != 0) else {
            return 0;
        };
        let taken = amount.min(slot.pp);
        slot.pp -= taken;
        taken
    }

    /// Uses a move in flight; what came of it is kept with the Pokemon.
    pub fn use_move(&mut self, at: usize, p: P, target: Option<P>, source: Effect) -> bool {
        self.mons[p].move_result = Outcome::Unknown;
        let result = self.use_move_inner(at, p, target, source);
        if self.mons[p].move_result == Outcome::Unknown {
            self.mons[p].move_result = result;
        }
        result == Outcome::Done
    }

    fn use_move_inner(&mut self, at: usize, p: P, target: Option<P>, source: Effect) -> Outcome {
        if self.active_move > 0 {
            let active = self.flights[self.active_move as usize - 1];
            let flight = &mut self.flights[at];
            flight.priority = active.priority;
            if !flight.bounced {
                flight.prankster = active.prankster;
            }
        }
        let mut target = target;
        if matches!(self.flights[at].target, Target::Own | Target::Allies) {
            target = Some(p);
        }
        if source.kind != EffectKind::None {
            self.flights[at].source = source;
            self.flights[at].ignore_ability = false;
        }
        self.set_active(at, p, target);
        if !self.modify_move(at, p, &mut target) || self.mons[p].fainted() {
            return Outcome::Failed;
        }
        let Some(mut target) = target else { return Outcome::Failed };
        let (targets, pressed) = self.targets_of(at, p, target);
        if let Some(&last) = targets.as_slice().last() {
            target = last as usize;
        }
        self.press(at, p, source, &pressed);
        let effect = Effect::flight(self.flights[at].id, at);
        let mut answer = self.move_on_try_move(at, p, target);
        if answer.holds() {
            answer = self.run_event(event::TRYMOVE, &mut Context::new(p, Some(target), effect));
        }
        if !answer.holds() {
            return if answer == Answer::No { Outcome::Failed } else { Outcome::Nothing };
        }
        let flight = &mut self.flights[at];
        if !flight.immunity_known {
            flight.immunity_known = true;
            flight.ignore_immunity = flight.category == Category::Status;
        }
        let entry = &self.t.moves[flight.id as usize];
        if entry.self_destruct == SelfDestruct::Always {
            self.faint(p, Some(p), effect);
        }
        let whole = matches!(
            self.flights[at].target,
            Target::All | Target::FoeSide | Target::AllySide | Target::AllyTeam
        );
        let done = if whole {
            match targets.as_slice().first() {
                Some(&first) => self.hit_place(at, p, first as usize),
                None => false,
            }
        } else {
            match targets.as_slice().first() {
                Some(&first) => self.try_hit(at, p, first as usize, false),
                None => return Outcome::Failed,
            }
        };
        if entry.has_after && done {
            let boosts = crate::boosts::Boosts::of(entry.after);
            self.boost(boosts, p, Some(p), effect);
        }
        if self.mons[p].hp == 0 {
            self.faint(p, Some(p), effect);
        }
        if !done {
            self.move_fails(at, p);
            return Outcome::Failed;
        }
        let flight = self.flights[at];
        let forced = flight.sheer && self.has_ability(p, ability::SHEERFORCE);
        if !forced && flight.flags & flag::FUTUREMOVE == 0 {
            if flight.id == moves::RELICSONG {
                self.relic_song(p);
            }
            let mut cx = Context::new(p, Some(target), effect);
            self.run_event(event::AFTERMOVESECONDARYSELF, &mut cx);
        }
        Outcome::Done
    }

    /// Lets the move, its user and others change it; false where it cannot be used after all.
    fn modify_move(&mut self, at: usize, p: P, target: &mut Option<P>) -> bool {
        let aimed = self.flights[at].target;
        self.move_on_modify_type(at, p);
        self.move_on_modify_move(at, p, *target);
        if self.flights[at].target != aimed {
            *target = self.target_of(p, at);
        }
        let effect = Effect::flight(self.flights[at].id, at);
        self.run_event(event::MODIFYTYPE, &mut Context::new(p, *target, effect));
        let answer = self.run_event(event::MODIFYMOVE, &mut Context::new(p, *target, effect));
        if self.flights[at].target != aimed {
            *target = self.target_of(p, at);
        }
        answer.holds()
    }

    /// Whom a move touches, and whose Pressure it feels.
    fn targets_of(&self, at: usize, p: P, target: P) -> (Places, Places) {
        let flight = &self.flights[at];
        let foe = foe_of(p);
        let mut targets = Places::default();
        match flight.target {
            Target::All | Target::AllySide | Target::AllyTeam => {
                if self.mons[p].hp > 0 {
                    targets.push(p);
                }
                if flight.target == Target::All {
                    targets.push(foe);
                }
            }
            Target::FoeSide => targets.push(foe),
            Target::AllAdjacent | Target::AllAdjacentFoes => {
                if self.mons[foe].hp > 0 {
                    targets.push(foe);
                }
            }
            _ => {
                if self.mons[target].fainted() && flight.flags & flag::FUTUREMOVE == 0 {
                    return (targets, targets);
                }
                targets.push(target);
            }
        }
        let mut pressed = targets;
        if flight.target == Target::FoeSide {
            pressed = Places::default();
        }
        if flight.flags & flag::MUSTPRESSURE != 0 {
            pressed = Places::default();
            if self.mons[foe].hp > 0 {
                pressed.push(foe);
            }
        }
        (targets, pressed)
    }

    /// Pressure costs PP.
    fn press(&mut self, at: usize, p: P, source: Effect, pressed: &Places) {
        let caller = source.kind == EffectKind::Move;
        if source.kind != EffectKind::None && !caller {
            return;
        }
        let effect = Effect::flight(self.flights[at].id, at);
        let mut extra = 0;
        for &by in pressed.as_slice() {
            let mut cx = Context::new(by as usize, Some(p), effect);
            if self.run_event(event::DEDUCTPP, &mut cx) == Answer::Number {
                extra += cx.number as u8;
            }
        }
        if extra > 0 {
            let id = if caller { source.id } else { self.flights[at].id };
            self.deduct_pp(p, id, extra);
        }
    }

    /// Moves aimed at a side or at the field.
    fn hit_place(&mut self, at: usize, p: P, target: P) -> bool {
        self.set_active(at, p, Some(target));
        if !self.prepare_hit(at, p, target).holds() {
            return false;
        }
        let effect = Effect::flight(self.flights[at].id, at);
        if self.flights[at].target != Target::All {
            let mut cx = Context::new(target, Some(p), effect);
            if !self.run_event(event::TRYHITSIDE, &mut cx).holds() {
                return false;
            }
        }
        self.hit_whole(at, p, target)
    }

    /// The move's own conditions, then Protean and the like.
    pub fn prepare_hit(&mut self, at: usize, p: P, target: P) -> Answer {
        let answer = self.move_on_try(at, p, target);
        if !answer.holds() {
            return answer;
        }
        let answer = self.move_on_prepare_hit(at, p);
        if !answer.holds() {
            return answer;
        }
        let effect = Effect::flight(self.flights[at].id, at);
        self.run_event(event::PREPAREHIT, &mut Context::new(p, Some(target), effect))
    }
}

/// At most two places.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    list: [u8; 2],
    len: usize,
}

impl Places {
    fn push(&mut self, p: P) {
        self.list[self.len] = p as u8;
        self.len += 1;
    }

    fn as_slice(&self) -> &[u8] {
        &self.list[..self.len]
    }
}
