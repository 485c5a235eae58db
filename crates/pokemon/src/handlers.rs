//! Handlers of an event in line.

use crate::state::{Effect, P};

/// Who holds an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Holder {
    Mon(P),
    Side(usize),
    Field,
}

/// A handler in line.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Handler {
    pub hook: u8,
    pub effect: Effect,
    pub(crate) who: u8,
    /// low first; 255 without one
    pub order: u8,
    pub priority: i8,
    /// twice the holder's speed
    pub speed: i32,
    pub sub: u8,
    pub age: u16,
    /// the callback is missing: only a duration ends here
    pub empty: bool,
    /// a condition of a slot, or what a Pokemon held when the handlers were gathered
    pub slot: bool,
}

impl Handler {
    /// A handler without its place among others.
    pub fn new(hook: u8, effect: Effect, holder: Holder) -> Self {
        let who = match holder {
            Holder::Mon(p) => p as u8,
            Holder::Side(side) => 12 + side as u8,
            Holder::Field => 14,
        };
        Self { hook, effect, who, ..EMPTY }
    }

    /// Who holds the effect.
    #[inline]
    pub fn holder(&self) -> Holder {
        match self.who {
            14 => Holder::Field,
            12.. => Holder::Side(self.who as usize - 12),
            _ => Holder::Mon(self.who as usize),
        }
    }

    /// By what handlers are sorted.
    pub fn key(&self) -> (u8, i8, i32, u8, u16) {
        (self.order, -self.priority, -self.speed, self.sub, self.age)
    }
}

/// Most handlers of an event; ends of turns and arrivals may have more, and say so.
pub(crate) const MAX_HANDLERS: usize = 16;
/// Most handlers of any event.
pub const MOST_HANDLERS: usize = 56;
/// The order of those without one: last.
pub const UNORDERED: u8 = 255;

const EMPTY: Handler = Handler {
    hook: 0,
    effect: Effect::NONE,
    who: 14,
    order: UNORDERED,
    priority: 0,
    speed: 0,
    sub: 0,
    age: 0,
    empty: false,
    slot: false,
};

/// Handlers in line.
pub struct Handlers<const N: usize = MAX_HANDLERS> {
    pub(crate) list: [Handler; N],
    pub(crate) len: usize,
}

impl<const N: usize> Default for Handlers<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Handlers<N> {
    /// None yet.
    #[inline]
    pub fn new() -> Self {
        Self { list: [EMPTY; N], len: 0 }
    }

    /// Adds one at the end.
    #[inline]
    pub fn push(&mut self, handler: Handler) {
        if self.len < N {
            self.list[self.len] = handler;
            self.len += 1;
        }
    }

    /// Those in line.
    #[inline]
    pub fn in_line(&mut self) -> &mut [Handler] {
        &mut self.list[..self.len]
    }

    /// How many there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.len
    }

    /// One of them.
    #[inline]
    pub fn get(&self, at: usize) -> Handler {
        self.list[at]
    }
}
