//! What items answer to events.

use crate::data::{Category, flag};
use crate::event::{Answer, Context};
use crate::hp::fraction;
use crate::ids::{cond, event, hook, item};
use crate::state::{Battle, Effect, EffectKind, P};

impl Battle {
    pub(super) fn call_item(&mut self, hook_id: u8, id: u16, p: P, cx: &mut Context) -> Answer {
        match hook_id {
            hook::BASEPOWER => self.item_power(id, p, cx),
            hook::MODIFYATK
            | hook::MODIFYDEF
            | hook::MODIFYSPA
            | hook::MODIFYSPD
            | hook::MODIFYSPE
            | hook::SOURCEMODIFYACCURACY
            | hook::MODIFYDAMAGE
            | hook::MODIFYCRITRATIO => self.item_number(hook_id, id, p, cx),
            hook::MODIFYMOVE => self.item_modify_move(id, p, cx),
            hook::DISABLEMOVE if id == item::ASSAULTVEST => {
                let t = self.t;
                self.disable(p, |slot| t.moves[slot as usize].category == Category::Status);
                Answer::Done
            }
            hook::AFTERMOVESECONDARYSELF => self.item_after_move(id, p, cx),
            hook::DAMAGINGHIT => self.item_damaging_hit(id, p, cx),
            hook::DAMAGE if id == item::FOCUSSASH => {
                let mon = &self.mons[p];
                let saves = mon.hp == mon.maxhp
                    && cx.number >= mon.hp
                    && cx.effect.kind == EffectKind::Move;
                if saves && self.use_item(p, id) {
                    return cx.answer(self.mons[p].hp - 1);
                }
                Answer::Pass
            }
            hook::UPDATE => self.item_update(id, p),
            hook::AFTERSETSTATUS if id == item::LUMBERRY => {
                self.eat_item(p, id);
                Answer::Pass
            }
            hook::RESIDUAL => self.item_residual(id, p),
            hook::TAKEITEM => {
                let source = cx.source.unwrap_or(p);
                if self.item_lets_go(cx.id, p, source) { Answer::Pass } else { Answer::No }
            }
            hook::TRYEATITEM if id == item::SITRUSBERRY => {
                let amount = fraction(self.mons[p].base_maxhp, 4);
                let mut heal = Context::new(p, None, Effect::item(id)).with(amount);
                let answer = self.run_event(event::TRYHEAL, &mut heal);
                if answer.holds() && heal.number != 0 { Answer::Pass } else { Answer::No }
            }
            hook::FRACTIONALPRIORITY if id == item::CUSTAPBERRY => {
                let mon = &self.mons[p];
                if cx.number <= 0 && mon.hp * 4 <= mon.maxhp && self.eat_item(p, id) {
                    return cx.answer(1);
                }
                Answer::Pass
            }
            hook::CHARGEMOVE if id == item::POWERHERB => {
                if self.use_item(p, id) {
                    Answer::No
                } else {
                    Answer::Pass
                }
            }
            hook::ANYAFTERMOVE if id == item::WHITEHERB => {
                self.white_herb(p);
                Answer::Pass
            }
            _ => Answer::Pass,
        }
    }

    fn item_modify_move(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        if self.t.items[id as usize].choice {
            self.add_volatile(p, cond::CHOICELOCK, Some(p), Effect::item(id));
            return Answer::Done;
        }
        if id == item::LOADEDDICE && self.flights[cx.flight].multiaccuracy {
            self.flights[cx.flight].multiaccuracy = false;
            return Answer::Done;
        }
        Answer::Pass
    }

    fn item_after_move(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let flight = self.flights[cx.flight];
        match id {
            item::LIFEORB => {
                let hurts = cx.source != Some(p)
                    && flight.category != Category::Status
                    && !self.mons[p].force_switch();
                if !hurts {
                    return Answer::Pass;
                }
                self.damage(fraction(self.mons[p].base_maxhp, 10), p, Some(p), Effect::item(id));
                Answer::Done
            }
            item::THROATSPRAY if flight.flags & flag::SOUND != 0 => {
                self.use_item(p, id);
                Answer::Pass
            }
            _ => Answer::Pass,
        }
    }

    fn item_damaging_hit(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let Some(source) = cx.source else { return Answer::Pass };
        let flight = self.flights[cx.flight];
        match id {
            item::ROCKYHELMET if self.makes_contact(cx.flight, source) => {
                let amount = fraction(self.mons[source].base_maxhp, 6);
                self.damage(amount, source, Some(p), Effect::item(id));
                Answer::Done
            }
            item::WEAKNESSPOLICY => {
                let entry = &self.t.moves[flight.id as usize];
                let fixed = entry.damage != 0 || fixed_by_call(flight.id);
                if !fixed && flight.type_mod > 0 {
                    self.use_item(p, id);
                }
                Answer::Pass
            }
            item::AIRBALLOON => {
                self.pop_balloon(p);
                Answer::Done
            }
            _ => Answer::Pass,
        }
    }

    /// A balloon bursts.
    pub fn pop_balloon(&mut self, p: P) {
        self.lose_item(p);
        let mut cx = Context::new(p, None, Effect::NONE).about(item::AIRBALLOON);
        self.run_event(event::AFTERUSEITEM, &mut cx);
    }

    fn item_update(&mut self, id: u16, p: P) -> Answer {
        let mon = &self.mons[p];
        let eats = match id {
            item::CHESTOBERRY => mon.status == cond::SLP,
            item::LUMBERRY => mon.status != 0 || self.has_vol(p, cond::CONFUSION),
            item::SITRUSBERRY => mon.hp * 2 <= mon.maxhp,
            item::LEPPABERRY => {
                mon.hp > 0 && self.moves(p).iter().any(|slot| slot.id != 0 && slot.pp == 0)
            }
            item::BOOSTERENERGY => {
                self.booster_energy(p);
                false
            }
            _ => false,
        };
        if eats {
            self.eat_item(p, id);
        }
        Answer::Pass
    }

    pub(super) fn item_residual(&mut self, id: u16, p: P) -> Answer {
        let effect = Effect::item(id);
        match id {
            item::LEFTOVERS => {
                let amount = fraction(self.mons[p].base_maxhp, 16);
                if self.heal(amount, p, None, effect).is_none() {
                    return Answer::Pass;
                }
            }
            item::WHITEHERB => {
                self.white_herb(p);
                return Answer::Pass;
            }
            item::FLAMEORB | item::TOXICORB => {
                let status = if id == item::FLAMEORB { cond::BRN } else { cond::TOX };
                if self.try_set_status(p, status, p, effect) != Answer::Yes {
                    return Answer::Pass;
                }
            }
            _ => return Answer::Pass,
        }
        Answer::Done
    }
}

/// Moves whose damage a rule of their own says.
fn fixed_by_call(id: u16) -> bool {
    use crate::ids::moves;
    matches!(id, moves::SUPERFANG | moves::ENDEAVOR | moves::MIRRORCOAT | moves::RUINATION)
}
