//! What abilities, items and conditions do when an event asks them.

mod abilities;
mod abilities_gates;
mod abilities_hit;
mod abilities_start;
mod conditions;
mod items;
mod move_calls;
mod move_gates;
mod powers;
mod stats;

use crate::event::{Answer, Context, Holder};
use crate::state::{Battle, Effect, EffectKind};

impl Battle {
    /// Asks one handler.
    pub fn call(&mut self, hook: u8, effect: Effect, holder: Holder, cx: &mut Context) -> Answer {
        match (effect.kind, holder) {
            (EffectKind::Ability, Holder::Mon(p)) => self.call_ability(hook, effect.id, p, cx),
            (EffectKind::Item, Holder::Mon(p)) => self.call_item(hook, effect.id, p, cx),
            (EffectKind::Condition, holder) => {
                self.call_condition(hook, effect.id as u8, holder, cx)
            }
            (EffectKind::Move, _) => self.move_on_base_power(cx),
            _ => Answer::Pass,
        }
    }

    /// An ability at the end of a turn; true where it did something.
    pub fn ability_end_of_turn(&mut self, id: u16, p: crate::state::P) -> bool {
        self.ability_residual(id, p) != Answer::Pass
    }

    /// An item at the end of a turn; true where it did something.
    pub fn item_end_of_turn(&mut self, id: u16, p: crate::state::P) -> bool {
        self.item_residual(id, p) != Answer::Pass
    }
}
