//! Events: who has something to say about them, in which order, and what comes of it.
//!
//! The order is the simulator's: by order, priority, speed, sub-order and age; those that are equal
//! in all are shuffled, which takes random numbers even where the handlers then do nothing.

use crate::data::{CondKind, HookKey};
use crate::fired;
use crate::handlers::MAX_HANDLERS;
pub use crate::handlers::{Handler, Handlers, Holder, MOST_HANDLERS, UNORDERED};
use crate::ids::{cond, event};
use crate::state::{Battle, Effect, EffectKind, NOBODY, P, foe_of, side_of};

/// The hooks that an event calls: on its target, the target's allies, foes, anyone, and its source.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Event {
    pub on: u8,
    pub ally: u8,
    pub foe: u8,
    pub any: u8,
    pub source: u8,
    /// a bit for each of these hooks
    pub mask: u128,
}

/// What a handler, or an event, answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing to say.
    Pass,
    /// Something was done, and there is nothing to say.
    Done,
    /// True, a loud failure, a silent failure, and no failure though nothing happens.
    Yes,
    /// See above.
    No,
    /// See above.
    Null,
    /// See above.
    NotFail,
    /// A number, in the context.
    Number,
}

impl Answer {
    /// Whether the simulator takes it for true (numbers are looked at by who asks).
    pub fn holds(self) -> bool {
        matches!(self, Self::Yes | Self::Pass | Self::Done | Self::Number)
    }

    /// A truth value.
    pub fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// What handlers of one event share.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Context {
    pub target: P,
    pub source: Option<P>,
    pub effect: Effect,
    /// the move in flight that this is about
    pub flight: usize,
    pub number: i32,
    /// of the number, in 4096ths
    pub modifier: i32,
    pub boosts: [i8; 7],
    /// which boosts are there: a bit each
    pub given: u8,
    /// a condition or an item
    pub id: u16,
}

impl Context {
    /// About a Pokemon, by a source and an effect.
    pub fn new(target: P, source: Option<P>, effect: Effect) -> Self {
        Self {
            target,
            source,
            effect,
            flight: effect.at as usize,
            number: 0,
            modifier: 4096,
            boosts: [0; 7],
            given: 0,
            id: 0,
        }
    }

    /// With a number to change.
    pub fn with(mut self, number: i32) -> Self {
        self.number = number;
        self
    }

    /// With a condition or item it is about.
    pub fn about(mut self, id: u16) -> Self {
        self.id = id;
        self
    }

    /// Chains a modifier, in 4096ths.
    #[inline]
    pub fn chain(&mut self, modifier: i32) -> Answer {
        self.modifier = (self.modifier * modifier + 2048) >> 12;
        Answer::Done
    }

    /// Answers with a number.
    pub fn answer(&mut self, number: i32) -> Answer {
        self.number = number;
        Answer::Number
    }
}

/// A value times a modifier in 4096ths, rounded half down.
#[inline]
pub fn modify(value: i32, modifier: i32) -> i32 {
    ((i64::from(value) * i64::from(modifier) + 2047) / 4096) as i32
}

impl Battle {
    /// Sorts a list by a key, shuffling what is equal, the way the simulator does it.
    pub fn speed_sort<T: Copy, K: Ord>(&mut self, list: &mut [T], key: impl Fn(&T) -> K) {
        let mut sorted = 0;
        while sorted + 1 < list.len() {
            let mut next = [0usize; MOST_HANDLERS];
            next[0] = sorted;
            let mut count = 1;
            for i in sorted + 1..list.len() {
                match key(&list[next[0]]).cmp(&key(&list[i])) {
                    std::cmp::Ordering::Less => {}
                    std::cmp::Ordering::Greater => {
                        next[0] = i;
                        count = 1;
                    }
                    std::cmp::Ordering::Equal => {
                        next[count] = i;
                        count += 1;
                    }
                }
            }
            for (i, &index) in next[..count].iter().enumerate() {
                list.swap(sorted + i, index);
            }
            if count > 1 {
                self.rng.shuffle(&mut list[sorted..sorted + count]);
            }
            sorted += count;
        }
    }

    /// Sorts handlers by the simulator's order.
    pub fn sort_handlers<const N: usize>(&mut self, handlers: &mut Handlers<N>) {
        if handlers.len > 1 {
            self.speed_sort(handlers.in_line(), Handler::key);
        }
    }

    fn handler(&self, hook: u8, key: HookKey, effect: Effect, holder: Holder) -> Handler {
        let speed = match holder {
            Holder::Mon(p) => 2 * i32::from(self.mons[p].speed),
            _ => 0,
        };
        Handler {
            order: if key.order == 0 { UNORDERED } else { key.order },
            priority: key.priority,
            speed,
            sub: key.sub,
            empty: key.empty,
            ..Handler::new(hook, effect, holder)
        }
    }

    /// Handlers of what a Pokemon carries.
    pub fn gather_mon<const N: usize>(&self, out: &mut Handlers<N>, p: P, hook: u8) {
        if hook == 255 {
            return;
        }
        let (mon, t) = (&self.mons[p], self.t);
        let status = &t.conditions[mon.status as usize].hooks;
        let holder = Holder::Mon(p);
        if status.has(hook) {
            let effect = Effect::condition(mon.status);
            out.push(self.handler(hook, status.key(hook), effect, holder));
        }
        if p.is_multiple_of(6) {
            for volatile in self.sides[p / 6].volatiles.iter() {
                let hooks = &t.conditions[volatile.id as usize].hooks;
                if hooks.has(hook) {
                    let effect = Effect::condition(volatile.id);
                    out.push(self.handler(hook, hooks.key(hook), effect, holder));
                }
            }
        }
        let hooks = &t.abilities[mon.ability as usize].hooks;
        if hooks.has(hook) {
            let effect = Effect::ability(mon.ability);
            out.push(self.handler(hook, hooks.key(hook), effect, holder));
        }
        let hooks = &t.items[mon.item as usize].hooks;
        if hooks.has(hook) {
            out.push(self.handler(hook, hooks.key(hook), Effect::item(mon.item), holder));
        }
        if p.is_multiple_of(6) {
            for condition in self.sides[p / 6].slot.iter() {
                let hooks = &t.conditions[condition.id as usize].hooks;
                if hooks.has(hook) {
                    let effect = Effect::condition(condition.id);
                    let mut handler = self.handler(hook, hooks.key(hook), effect, holder);
                    handler.sub = 3;
                    handler.slot = true;
                    out.push(handler);
                }
            }
        }
    }

    /// Handlers of the conditions of a side; of the side itself or told to a Pokemon.
    pub fn gather_side<const N: usize>(
        &self,
        out: &mut Handlers<N>,
        side: usize,
        hook: u8,
        holder: Holder,
    ) {
        if hook == 255 {
            return;
        }
        for condition in self.sides[side].conditions.iter() {
            let hooks = &self.t.conditions[condition.id as usize].hooks;
            if hooks.has(hook) {
                let effect = Effect::condition(condition.id);
                let mut handler = self.handler(hook, hooks.key(hook), effect, holder);
                if handler.sub == 2 {
                    handler.sub = 4;
                }
                out.push(handler);
            }
        }
    }

    /// Handlers of the field; of the field itself or told to a Pokemon.
    pub fn gather_field<const N: usize>(&self, out: &mut Handlers<N>, hook: u8, holder: Holder) {
        if hook == 255 {
            return;
        }
        let room = if self.field.trick_room > 0 { cond::TRICKROOM } else { 0 };
        for id in [cond::SLEEPCLAUSEMOD, room, self.field.weather, self.field.terrain] {
            let hooks = &self.t.conditions[id as usize].hooks;
            if hooks.has(hook) {
                out.push(self.handler(hook, hooks.key(hook), Effect::condition(id), holder));
            }
        }
    }

    /// The hooks that anything in play has: most events find nobody.
    #[inline]
    fn present(&self) -> u128 {
        let [abilities, items, conditions] = &self.t.masks;
        let mut mask = conditions[cond::SLEEPCLAUSEMOD as usize]
            | conditions[self.field.weather as usize]
            | conditions[self.field.terrain as usize];
        if self.field.trick_room > 0 {
            mask |= conditions[cond::TRICKROOM as usize];
        }
        for (side, entry) in self.sides.iter().enumerate() {
            let mon = &self.mons[6 * side];
            mask |= abilities[mon.ability as usize]
                | items[mon.item as usize]
                | conditions[mon.status as usize];
            mask |= entry.volatiles.hooks | entry.conditions.hooks() | entry.slot.hooks();
        }
        mask
    }

    fn gather(&self, out: &mut Handlers, ev: Event, target: P, source: Option<P>) {
        let prefixed = ev.ally & ev.foe & ev.any & ev.source != 255;
        let told =
            self.mons[target].is_active() || source.is_some_and(|s| self.mons[s].is_active());
        if told {
            self.gather_mon(out, target, ev.on);
            if prefixed {
                let own = 6 * side_of(target);
                // Before the first turn one side may have nobody out yet.
                let stands = |p: P| self.mons[p].hp > 0 && self.mons[p].is_active();
                if stands(own) {
                    self.gather_mon(out, own, ev.ally);
                    self.gather_mon(out, own, ev.any);
                }
                let foe = foe_of(target);
                if stands(foe) {
                    self.gather_mon(out, foe, ev.foe);
                    self.gather_mon(out, foe, ev.any);
                }
            }
        }
        if let Some(source) = source {
            self.gather_mon(out, source, ev.source);
        }
        if told {
            for side in 0..2 {
                let hook = if side == side_of(target) { ev.on } else { ev.foe };
                self.gather_side(out, side, hook, Holder::Side(side));
                self.gather_side(out, side, ev.any, Holder::Side(side));
            }
        }
        self.gather_field(out, ev.on, Holder::Field);
    }

    /// Whether an ability stands aside for the move in use.
    pub fn suppressing_ability(&self, holder: P) -> bool {
        if self.active_mon == 0 || self.active_move == 0 {
            return false;
        }
        let user = self.active_mon as usize - 1;
        self.mons[user].is_active()
            && user != holder
            && self.flights[self.active_move as usize - 1].ignore_ability
    }

    /// Whether a handler must not speak now.
    fn silenced(&self, ev: Event, handler: &Handler) -> bool {
        match handler.effect.kind {
            EffectKind::Condition => {
                let id = handler.effect.id as u8;
                match (self.t.conditions[id as usize].kind, handler.holder()) {
                    (CondKind::Status, Holder::Mon(p)) => self.mons[p].status != id,
                    (CondKind::Weather, _) => self.suppressing_weather(),
                    _ => ev.on == event::WEATHER.on && self.suppressing_weather(),
                }
            }
            EffectKind::Ability => {
                let Holder::Mon(p) = handler.holder() else { return false };
                let ability = &self.t.abilities[handler.effect.id as usize];
                ability.breakable && self.suppressing_ability(p)
                    || self.ignoring_ability(p)
                    || ev.on == event::WEATHER.on && self.suppressing_weather()
            }
            EffectKind::Item => {
                let Holder::Mon(p) = handler.holder() else { return false };
                ev.on != event::SWITCHIN.on && ev.on != event::TAKEITEM.on && self.ignoring_item(p)
            }
            _ => false,
        }
    }

    /// Runs an event for a target. Numbers are read from the context and left there.
    #[inline]
    pub fn run_event(&mut self, ev: Event, cx: &mut Context) -> Answer {
        if self.present() & ev.mask == 0 {
            return Answer::Yes;
        }
        self.run_present(ev, cx)
    }

    fn run_present(&mut self, ev: Event, cx: &mut Context) -> Answer {
        let mut handlers = Handlers::<MAX_HANDLERS>::new();
        self.gather(&mut handlers, ev, cx.target, cx.source);
        if handlers.len > 1 {
            self.sort_handlers(&mut handlers);
        }
        self.run_handlers(ev, &handlers, cx, false)
    }

    /// As `run_event`, with the move's own handler among the others.
    pub fn run_event_with_move(&mut self, ev: Event, cx: &mut Context, own: bool) -> Answer {
        if !own {
            return self.run_event(ev, cx);
        }
        let mut handlers = Handlers::<MAX_HANDLERS>::new();
        if own {
            let holder = Holder::Mon(cx.target);
            handlers.push(self.handler(ev.on, HookKey::default(), cx.effect, holder));
        }
        self.gather(&mut handlers, ev, cx.target, cx.source);
        if handlers.len > 1 {
            self.sort_handlers(&mut handlers);
        }
        self.run_handlers(ev, &handlers, cx, false)
    }

    /// Runs an event whose handlers stand in a fixed order, without shuffling.
    pub fn run_event_in_line(&mut self, ev: Event, cx: &mut Context) -> Answer {
        if self.present() & ev.mask == 0 {
            return Answer::Yes;
        }
        let mut handlers = Handlers::<MAX_HANDLERS>::new();
        self.gather(&mut handlers, ev, cx.target, cx.source);
        handlers.in_line().sort_by_key(|h| (h.order, -i32::from(h.priority)));
        self.run_handlers(ev, &handlers, cx, false)
    }

    /// Runs an event that ends at the first who has something to say.
    pub fn run_event_first(&mut self, ev: Event, cx: &mut Context) -> Answer {
        if self.present() & ev.mask == 0 {
            return Answer::Yes;
        }
        let mut handlers = Handlers::<MAX_HANDLERS>::new();
        self.gather(&mut handlers, ev, cx.target, cx.source);
        handlers.in_line().sort_by_key(|h| (-i32::from(h.priority), -h.speed));
        self.run_handlers(ev, &handlers, cx, true)
    }

    fn run_handlers(
        &mut self,
        ev: Event,
        handlers: &Handlers,
        cx: &mut Context,
        first: bool,
    ) -> Answer {
        let mut result = Answer::Yes;
        for at in 0..handlers.len {
            let handler = handlers.list[at];
            if self.silenced(ev, &handler) {
                continue;
            }
            let answer = self.call(handler.hook, handler.effect, handler.holder(), cx);
            if answer == Answer::Pass {
                continue;
            }
            fired::note(handler.effect);
            if answer == Answer::Done {
                continue;
            }
            result = answer;
            let falsy = match answer {
                Answer::No | Answer::Null | Answer::NotFail => true,
                Answer::Number => cx.number == 0,
                _ => false,
            };
            if falsy || first {
                break;
            }
        }
        if cx.number >= 0 && cx.modifier != 4096 {
            cx.number = modify(cx.number, cx.modifier);
        }
        result
    }

    /// The active Pokemon that have not fainted, fastest first; equal ones shuffled.
    pub fn actives_by_speed(&mut self) -> ([P; 2], usize) {
        let mut list = [0; 2];
        let mut count = 0;
        for p in [0, 6] {
            if self.sides[p / 6].size > 0 && !self.mons[p].fainted() {
                list[count] = p;
                count += 1;
            }
        }
        if count == 2 {
            let (a, b) = (self.mons[0].speed, self.mons[6].speed);
            if a < b {
                list.swap(0, 1);
            } else if a == b {
                self.rng.shuffle(&mut list);
            }
        }
        (list, count)
    }

    /// Tells every active Pokemon of an event, by speed.
    pub fn each_event(&mut self, ev: Event, effect: Effect) {
        let (list, count) = self.actives_by_speed();
        for &p in &list[..count] {
            self.run_event(ev, &mut Context::new(p, None, effect));
        }
        if ev.on == event::WEATHER.on {
            self.each_event(event::UPDATE, Effect::NONE);
        }
    }

    /// Who caused something, where it is still known.
    pub fn source_place(&self, ident: u8) -> Option<P> {
        if ident == NOBODY { None } else { Some(self.place(ident)) }
    }
}
