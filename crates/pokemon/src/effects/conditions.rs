//! What statuses, volatile conditions, screens, weather and terrain answer to events.

use crate::boosts::Boosts;
use crate::data::{Category, flag};
use crate::event::{Answer, Context, Holder, modify};
use crate::hit_effects::Said;
use crate::hits::{SURE, recoil};
use crate::hp::fraction;
use crate::ids::{ability, cond, hook, item, moves, types};
use crate::mon::{Threat, boost, stat};
use crate::state::{Battle, Effect, EffectKind, P, foe_of, side_of};

impl Battle {
    pub(super) fn call_condition(
        &mut self,
        hook_id: u8,
        id: u8,
        holder: Holder,
        cx: &mut Context,
    ) -> Answer {
        match holder {
            Holder::Mon(p) => self.call_carried(hook_id, id, p, cx),
            Holder::Side(side) => self.call_side(hook_id, id, side, cx),
            Holder::Field => self.call_field(hook_id, id, cx),
        }
    }

    /// Conditions of a Pokemon.
    fn call_carried(&mut self, hook_id: u8, id: u8, p: P, cx: &mut Context) -> Answer {
        match hook_id {
            hook::BEFOREMOVE => self.before_move(id, p, cx),
            hook::MODIFYSPE => self.carried_speed(id, p, cx),
            hook::MODIFYATK => self.carried_stat(id, p, stat::ATK, cx),
            hook::MODIFYDEF => self.carried_stat(id, p, stat::DEF, cx),
            hook::MODIFYSPA => self.carried_stat(id, p, stat::SPA, cx),
            hook::MODIFYSPD => self.carried_stat(id, p, stat::SPD, cx),
            hook::BASEPOWER if id == cond::CHARGE => {
                if self.flights[cx.flight].kind == types::ELECTRIC {
                    cx.chain(8192)
                } else {
                    Answer::Pass
                }
            }
            hook::DISABLEMOVE => self.disables(id, p),
            hook::TRAPPOKEMON => {
                let held = match id {
                    cond::PARTIALLYTRAPPED => self
                        .vol(p, id)
                        .and_then(|v| self.source_place(v.source))
                        .is_some_and(|s| self.mons[s].is_active()),
                    _ => true,
                };
                if held && self.try_trap(p) { Answer::Done } else { Answer::Pass }
            }
            hook::ACCURACY if id == cond::GLAIVERUSH => cx.answer(SURE),
            hook::SOURCEMODIFYDAMAGE => {
                let doubles = matches!(
                    (id, self.flights[cx.flight].id),
                    (cond::GLAIVERUSH, _)
                        | (cond::DIG, moves::EARTHQUAKE | moves::MAGNITUDE)
                        | (cond::FLY, moves::GUST | moves::TWISTER)
                );
                if doubles { cx.chain(8192) } else { Answer::Pass }
            }
            hook::IMMUNITY if id == cond::DIG && cx.id == Threat::Sandstorm as u16 => Answer::No,
            hook::AFTERMOVE | hook::MOVEABORTED => self.after_own_move(hook_id, id, p, cx),
            hook::AFTERMOVESECONDARY if id == cond::FRZ => {
                if self.t.moves[self.flights[cx.flight].id as usize].thaws {
                    self.cure_status(p);
                }
                Answer::Done
            }
            hook::DAMAGINGHIT => self.carried_hit(id, p, cx),
            hook::MODIFYMOVE => self.carried_modify_move(id, p, cx),
            hook::TRYHIT if id == cond::PROTECT => self.protects(p, cx),
            hook::TRYPRIMARYHIT if id == cond::SUBSTITUTE => self.substitute_takes(p, cx),
            hook::TRYHEAL if id == cond::HEALBLOCK => Answer::No,
            hook::TRYADDVOLATILE if id == cond::FOCUSPUNCH => {
                super::abilities_gates::null_if(cx.id == u16::from(cond::FLINCH))
            }
            hook::HIT => self.carried_struck(id, p, cx),
            hook::FAINT if id == cond::DESTINYBOND => self.destiny(p, cx),
            hook::STALLMOVE if id == cond::STALL => {
                let counter = self.vol(p, id).map_or(1, |v| v.data.max(1));
                let held = self.rng.chance(1, counter as u32);
                if !held {
                    self.vols(p).delete(id);
                }
                Answer::of(held)
            }
            hook::UPDATE if id == cond::ATTRACT => {
                let source = self.vol(p, id).and_then(|v| self.source_place(v.source));
                if source.is_some_and(|s| !self.mons[s].is_active()) {
                    self.remove_volatile(p, id);
                }
                Answer::Pass
            }
            _ => Answer::Pass,
        }
    }

    fn before_move(&mut self, id: u8, p: P, cx: &mut Context) -> Answer {
        let flight = self.flights[cx.flight];
        let flagged = |bit: u32| flight.flags & bit != 0;
        let refuse = |yes: bool| if yes { Answer::No } else { Answer::Pass };
        match id {
            cond::PAR => refuse(self.rng.chance(1, 4)),
            cond::SLP => {
                let early = self.has_ability(p, ability::EARLYBIRD);
                let mon = &mut self.mons[p];
                mon.status_time = mon.status_time.saturating_sub(if early { 2 } else { 1 });
                if mon.status_time == 0 {
                    self.cure_status(p);
                    return Answer::Pass;
                }
                refuse(!self.t.moves[flight.id as usize].sleep_usable)
            }
            cond::FRZ => {
                let burns = flight.id != moves::BURNUP || self.has_type(p, types::FIRE);
                let thawing = flagged(flag::DEFROST) && burns;
                if thawing {
                    return Answer::Pass;
                }
                if self.rng.chance(1, 5) {
                    self.cure_status(p);
                    return Answer::Pass;
                }
                Answer::No
            }
            cond::CONFUSION => self.confused(p),
            cond::FLINCH => Answer::No,
            cond::CHOICELOCK => {
                let held = self.mons[p].item;
                if !self.t.items[held as usize].choice {
                    self.remove_volatile(p, id);
                    return Answer::Pass;
                }
                let locked = self.vol(p, id).map_or(0, |v| v.data) as u16;
                let other = flight.id != locked && flight.id != moves::STRUGGLE;
                refuse(other && !self.ignoring_item(p))
            }
            cond::MUSTRECHARGE => {
                self.remove_volatile(p, id);
                self.remove_volatile(p, cond::TRUANT);
                Answer::Null
            }
            cond::DESTINYBOND => {
                if flight.id != moves::DESTINYBOND {
                    self.remove_volatile(p, id);
                }
                Answer::Pass
            }
            cond::GLAIVERUSH => {
                self.remove_volatile(p, id);
                Answer::Pass
            }
            cond::TAUNT => {
                refuse(flight.category == Category::Status && flight.id != moves::MEFIRST)
            }
            cond::THROATCHOP => refuse(flagged(flag::SOUND)),
            cond::HEALBLOCK => refuse(flagged(flag::HEAL)),
            cond::ATTRACT => refuse(self.rng.chance(1, 2)),
            cond::DISABLE => refuse(self.vol(p, id).is_some_and(|v| v.data as u16 == flight.id)),
            _ => Answer::Pass,
        }
    }

    fn confused(&mut self, p: P) -> Answer {
        let Some(volatile) = self.vols(p).get_mut(cond::CONFUSION) else { return Answer::Pass };
        volatile.data -= 1;
        if volatile.data == 0 {
            self.remove_volatile(p, cond::CONFUSION);
            return Answer::Pass;
        }
        if !self.rng.chance(33, 100) {
            return Answer::Pass;
        }
        self.active_target = p as u8 + 1;
        let damage = self.confusion_damage(p);
        self.damage(damage, p, Some(p), Effect::flight(0, 0));
        Answer::No
    }

    fn carried_speed(&mut self, id: u8, p: P, cx: &mut Context) -> Answer {
        match id {
            cond::PAR => {
                let speed = modify(cx.number, cx.modifier);
                cx.modifier = 4096;
                let quick = self.has_ability(p, ability::QUICKFEET);
                cx.answer(if quick { speed } else { speed / 2 })
            }
            cond::PROTOSYNTHESIS | cond::QUARKDRIVE => self.booster(id, p, stat::SPE, 6144, cx),
            cond::UNBURDEN if self.mons[p].item == 0 && !self.ignoring_ability(p) => cx.chain(8192),
            _ => Answer::Pass,
        }
    }

    fn booster(&self, id: u8, p: P, which: usize, by: i32, cx: &mut Context) -> Answer {
        let best = self.vol(p, id).map_or(0, |v| v.data as usize);
        if best == which && !self.ignoring_ability(p) { cx.chain(by) } else { Answer::Pass }
    }

    fn carried_stat(&mut self, id: u8, p: P, which: usize, cx: &mut Context) -> Answer {
        match id {
            cond::PROTOSYNTHESIS | cond::QUARKDRIVE => self.booster(id, p, which, 5325, cx),
            cond::FLASHFIRE if self.kindled(p, self.flights[cx.flight].kind) => cx.chain(6144),
            _ => Answer::Pass,
        }
    }

    fn disables(&mut self, id: u8, p: P) -> Answer {
        let kept = self.vol(p, id).map_or(0, |v| v.data) as u16;
        let t = self.t;
        match id {
            cond::CHOICELOCK => {
                let held = self.mons[p].item;
                if !t.items[held as usize].choice || !self.has_move(p, kept) {
                    self.remove_volatile(p, id);
                } else if !self.ignoring_item(p) {
                    self.disable(p, |slot| slot != kept);
                }
            }
            cond::ENCORE if kept != 0 && self.has_move(p, kept) => {
                self.disable(p, |slot| slot != kept);
            }
            cond::DISABLE => self.disable(p, |slot| slot == kept),
            cond::TAUNT => self.disable(p, |slot| {
                t.moves[slot as usize].category == Category::Status && slot != moves::MEFIRST
            }),
            cond::THROATCHOP => {
                self.disable(p, |slot| t.moves[slot as usize].flags & flag::SOUND != 0);
            }
            cond::HEALBLOCK => {
                self.disable(p, |slot| t.moves[slot as usize].flags & flag::HEAL != 0);
            }
            _ => {}
        }
        Answer::Pass
    }

    fn after_own_move(&mut self, hook_id: u8, id: u8, p: P, cx: &Context) -> Answer {
        let flight = self.flights[cx.flight];
        match id {
            cond::LOCKEDMOVE
                if hook_id == hook::AFTERMOVE
                    && self.vol(p, id).is_some_and(|v| v.duration == 1) =>
            {
                self.remove_volatile(p, id);
            }
            cond::CHARGE if flight.kind == types::ELECTRIC && flight.id != moves::CHARGE => {
                self.remove_volatile(p, id);
            }
            cond::TWOTURNMOVE | cond::DESTINYBOND if hook_id == hook::MOVEABORTED => {
                self.remove_volatile(p, id);
            }
            _ => {}
        }
        Answer::Pass
    }

    fn carried_hit(&mut self, id: u8, p: P, cx: &Context) -> Answer {
        let flight = self.flights[cx.flight];
        match id {
            cond::FRZ if flight.kind == types::FIRE && flight.category != Category::Status => {
                self.cure_status(p);
            }
            cond::MIRRORCOAT if flight.category == Category::Special => {
                if cx.source.is_some_and(|s| !Self::allied(s, p))
                    && let Some(volatile) = self.vols(p).get_mut(id)
                {
                    volatile.extra = 1;
                    volatile.data = 2 * cx.number as i16; // damage that was dealt: HP at most
                }
            }
            _ => {}
        }
        Answer::Pass
    }

    fn carried_modify_move(&mut self, id: u8, p: P, cx: &Context) -> Answer {
        let flags = self.flights[cx.flight].flags;
        match id {
            cond::FRZ if flags & flag::DEFROST != 0 => {
                self.cure_status(p);
                Answer::Pass
            }
            cond::THROATCHOP if flags & flag::SOUND != 0 => Answer::No,
            cond::HEALBLOCK if flags & flag::HEAL != 0 => Answer::No,
            _ => Answer::Pass,
        }
    }

    fn protects(&mut self, _p: P, cx: &Context) -> Answer {
        if self.flights[cx.flight].flags & flag::PROTECT == 0 {
            return Answer::Pass;
        }
        let source = cx.source.unwrap_or(cx.target);
        if self.vol(source, cond::LOCKEDMOVE).is_some_and(|v| v.duration == 2) {
            self.vols(source).delete(cond::LOCKEDMOVE);
        }
        crate::fired::note(Effect::flight(moves::PROTECT, 0));
        Answer::NotFail
    }

    /// The substitute takes a blow: a number says that it did.
    fn substitute_takes(&mut self, p: P, cx: &mut Context) -> Answer {
        let Some(source) = cx.source else { return Answer::Pass };
        let flight = self.flights[cx.flight];
        if source == p || flight.flags & flag::BYPASSSUB != 0 || flight.infiltrates {
            return Answer::Pass;
        }
        let Said::Number(damage) = self.get_damage(cx.flight, source, p) else {
            return Answer::Null;
        };
        let Some(volatile) = self.vols(p).get_mut(cond::SUBSTITUTE) else { return Answer::Pass };
        let damage = damage.min(i32::from(volatile.data));
        volatile.data -= damage as i16;
        let broken = volatile.data <= 0;
        if broken {
            self.remove_volatile(p, cond::SUBSTITUTE);
        }
        crate::fired::note(Effect::flight(moves::SUBSTITUTE, 0));
        let entry = &self.t.moves[flight.id as usize];
        if entry.recoil.1 > 0 {
            self.damage(recoil(damage, entry.recoil), source, Some(p), Effect::RECOIL);
        }
        if entry.drain.1 > 0 {
            let (n, d) = (i32::from(entry.drain.0), i32::from(entry.drain.1));
            let amount = (damage * n + d - 1) / d;
            self.heal(amount, source, Some(p), Effect::DRAIN);
        }
        self.move_on_after_sub(cx.flight, source, p);
        if self.has_item(p, item::AIRBALLOON) {
            self.pop_balloon(p);
        }
        cx.answer(1)
    }

    fn carried_struck(&mut self, id: u8, p: P, cx: &Context) -> Answer {
        let Some(source) = cx.source else { return Answer::Pass };
        match id {
            cond::BEAKBLAST if self.makes_contact(cx.flight, source) => {
                self.try_set_status(source, cond::BRN, p, Effect::condition(id));
                crate::fired::note(Effect::flight(moves::BEAKBLAST, 0));
            }
            cond::FOCUSPUNCH if self.flights[cx.flight].category != Category::Status => {
                if let Some(volatile) = self.vols(p).get_mut(id) {
                    volatile.extra = 1;
                }
            }
            _ => {}
        }
        Answer::Pass
    }

    fn destiny(&mut self, p: P, cx: &Context) -> Answer {
        let Some(source) = cx.source else { return Answer::Pass };
        if Self::allied(source, p) || cx.effect.kind != EffectKind::Move {
            return Answer::Pass;
        }
        let foreseen = self.t.moves[cx.effect.id as usize].flags & flag::FUTUREMOVE != 0;
        if !foreseen {
            crate::fired::note(Effect::flight(moves::DESTINYBOND, 0));
            self.faint(source, None, Effect::NONE);
        }
        Answer::Pass
    }

    /// Conditions of a side.
    fn call_side(&mut self, hook_id: u8, id: u8, side: usize, cx: &mut Context) -> Answer {
        if hook_id == hook::MODIFYSPE && id == cond::TAILWIND {
            return cx.chain(8192);
        }
        if hook_id != hook::ANYMODIFYDAMAGE {
            return Answer::Pass;
        }
        let flight = self.flights[cx.flight];
        let guarded = cx.source.filter(|&t| t != cx.target && side_of(t) == side);
        if guarded.is_none() || flight.crit || flight.infiltrates {
            return Answer::Pass;
        }
        let up = |id: u8| self.sides[side].conditions.has(id);
        let physical = flight.category == Category::Physical;
        let holds = match id {
            cond::REFLECT => physical,
            cond::LIGHTSCREEN => flight.category == Category::Special,
            cond::AURORAVEIL => {
                !(up(cond::REFLECT) && physical
                    || up(cond::LIGHTSCREEN) && flight.category == Category::Special)
            }
            _ => false,
        };
        if holds { cx.chain(2048) } else { Answer::Pass }
    }

    /// Weather, terrain and the clause of the format.
    fn call_field(&mut self, hook_id: u8, id: u8, cx: &mut Context) -> Answer {
        let flight = self.flights[cx.flight];
        match (hook_id, id) {
            (hook::SETSTATUS, cond::SLEEPCLAUSEMOD) => self.sleep_clause(cx),
            (hook::SETSTATUS, cond::ELECTRICTERRAIN) => {
                if cx.id == u16::from(cond::SLP) && self.on_terrain(cx.target) {
                    Answer::No
                } else {
                    Answer::Pass
                }
            }
            (hook::TRYADDVOLATILE, cond::ELECTRICTERRAIN) => super::abilities_gates::null_if(
                cx.id == u16::from(cond::YAWN) && self.on_terrain(cx.target),
            ),
            (hook::SETSTATUS, cond::MISTYTERRAIN) if self.on_terrain(cx.target) => Answer::No,
            (hook::TRYADDVOLATILE, cond::MISTYTERRAIN) => super::abilities_gates::null_if(
                cx.id == u16::from(cond::CONFUSION) && self.on_terrain(cx.target),
            ),
            (hook::BASEPOWER, _) => self.terrain_power(id, cx),
            (hook::TRYHIT, cond::PSYCHICTERRAIN) => {
                let quick = flight.priority > 0 && flight.target != crate::data::Target::Own;
                let foe = cx.source.is_some_and(|s| !Self::allied(s, cx.target));
                super::abilities_gates::null_if(quick && foe && self.on_terrain(cx.target))
            }
            (hook::WEATHERMODIFYDAMAGE, cond::RAINDANCE) => match flight.kind {
                types::WATER => cx.chain(6144),
                types::FIRE => cx.chain(2048),
                _ => Answer::Pass,
            },
            (hook::WEATHERMODIFYDAMAGE, cond::SUNNYDAY) => match flight.kind {
                _ if flight.id == moves::HYDROSTEAM => cx.chain(6144),
                types::FIRE => cx.chain(6144),
                types::WATER => cx.chain(2048),
                _ => Answer::Pass,
            },
            (hook::IMMUNITY, cond::SUNNYDAY) => {
                if cx.id == Threat::Frz as u16 && self.sunny() {
                    Answer::No
                } else {
                    Answer::Pass
                }
            }
            (hook::MODIFYSPD, cond::SANDSTORM) if self.has_type(cx.target, types::ROCK) => {
                let number = modify(cx.number, 6144);
                cx.answer(number)
            }
            (hook::MODIFYDEF, cond::SNOWSCAPE) if self.has_type(cx.target, types::ICE) => {
                let number = modify(cx.number, 6144);
                cx.answer(number)
            }
            (hook::WEATHER, cond::SANDSTORM) => {
                let amount = fraction(self.mons[cx.target].base_maxhp, 16);
                self.damage(amount, cx.target, None, Effect::condition(cond::SANDSTORM));
                Answer::Pass
            }
            _ => Answer::Pass,
        }
    }

    fn sleep_clause(&mut self, cx: &Context) -> Answer {
        let target = cx.target;
        let own = cx.source.is_some_and(|s| Self::allied(s, target));
        if own || cx.id != u16::from(cond::SLP) {
            return Answer::Pass;
        }
        let first = 6 * side_of(target);
        let asleep = self.mons[first..first + 6]
            .iter()
            .any(|mon| mon.hp > 0 && mon.status == cond::SLP && mon.status_by_foe());
        if asleep { Answer::No } else { Answer::Pass }
    }

    /// Whether a terrain touches a Pokemon.
    pub fn on_terrain(&self, p: P) -> bool {
        self.grounded(p, false) && !self.out_of_reach(p)
    }

    fn terrain_power(&mut self, id: u8, cx: &mut Context) -> Answer {
        let flight = self.flights[cx.flight];
        let (p, target) = (cx.target, cx.source.unwrap_or(foe_of(cx.target)));
        match id {
            cond::ELECTRICTERRAIN if flight.kind == types::ELECTRIC && self.on_terrain(p) => {
                cx.chain(5325)
            }
            cond::PSYCHICTERRAIN if flight.kind == types::PSYCHIC && self.on_terrain(p) => {
                cx.chain(5325)
            }
            cond::MISTYTERRAIN if flight.kind == types::DRAGON && self.on_terrain(target) => {
                cx.chain(2048)
            }
            cond::GRASSYTERRAIN => {
                let quake =
                    matches!(flight.id, moves::EARTHQUAKE | moves::BULLDOZE | moves::MAGNITUDE);
                if quake && self.on_terrain(target) {
                    return cx.chain(2048);
                }
                if flight.kind == types::GRASS && self.grounded(p, false) {
                    return cx.chain(5325);
                }
                Answer::Pass
            }
            _ => Answer::Pass,
        }
    }

    /// Hazards, bad poison and wishes as a Pokemon comes in.
    pub fn condition_comes_in(&mut self, id: u8, p: P) {
        let side = side_of(p);
        let foe = foe_of(p);
        let effect = Effect::condition(id);
        let layers = self.sides[side].conditions.get(id).map_or(0, |c| c.layers);
        let boots = self.has_item(p, item::HEAVYDUTYBOOTS);
        match id {
            cond::TOX => self.mons[p].status_time = 0,
            cond::SPIKES if self.grounded(p, false) && !boots => {
                let eighths = [0, 3, 4, 6][layers.min(3) as usize];
                let amount = eighths * self.mons[p].maxhp / 24;
                self.damage(amount.max(1), p, None, effect);
            }
            cond::STEALTHROCK if !boots => {
                let at = crate::state::MAX_FLIGHTS - 1;
                self.flights[at] = self.fresh_flight(moves::STEALTHROCK);
                let type_mod = self.effectiveness(p, at).clamp(-6, 6);
                let most = self.mons[p].maxhp;
                let amount =
                    if type_mod >= 0 { (most << type_mod) / 8 } else { most / (8 << -type_mod) };
                self.damage(amount.max(1), p, None, effect);
            }
            cond::STICKYWEB if self.grounded(p, false) && !boots => {
                let by = Effect::flight(moves::STICKYWEB, crate::state::MAX_FLIGHTS - 1);
                self.boost(Boosts::one(boost::SPE, -1), p, Some(foe), by);
            }
            cond::TOXICSPIKES if self.grounded(p, false) => {
                if self.has_type(p, types::POISON) {
                    self.remove_side_condition(side, id);
                } else if !self.has_type(p, types::STEEL) && !boots {
                    let status = if layers >= 2 { cond::TOX } else { cond::PSN };
                    self.try_set_status(p, status, foe, effect);
                }
            }
            cond::HEALINGWISH => {
                let mon = &self.mons[p];
                if !mon.fainted() && (mon.hp < mon.maxhp || mon.status != 0) {
                    let most = mon.maxhp;
                    self.mend(p, most);
                    self.cure_status(p);
                    self.sides[side].slot.delete(id);
                }
            }
            _ => {}
        }
    }
}
