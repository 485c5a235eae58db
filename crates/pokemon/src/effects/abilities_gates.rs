//! Abilities that let something pass or not: hits, damage, status, conditions, boosts.

use crate::boosts::Boosts;
use crate::data::{Category, flag, natural};
use crate::event::{Answer, Context};
use crate::hp::fraction;
use crate::ids::{ability, cond, moves, species, types};
use crate::mon::{Threat, boost};
use crate::state::{Battle, Effect, EffectKind, P};

impl Battle {
    pub(super) fn ability_try_hit(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let flight = self.flights[cx.flight];
        let flagged = |bit: u32| flight.flags & bit != 0;
        let (kind, source) = (flight.kind, cx.source);
        match id {
            ability::BULLETPROOF => return null_if(flagged(flag::BULLET)),
            ability::OBLIVIOUS => {
                return null_if(matches!(
                    flight.id,
                    moves::ATTRACT | moves::CAPTIVATE | moves::TAUNT
                ));
            }
            ability::STURDY => return null_if(self.t.moves[flight.id as usize].ohko),
            _ => {}
        }
        if source == Some(p) {
            return Answer::Pass;
        }
        let effect = Effect::ability(id);
        let absorbs = match id {
            ability::SAPSIPPER if kind == types::GRASS => Some(Boosts::one(boost::ATK, 1)),
            ability::STORMDRAIN if kind == types::WATER => Some(Boosts::one(boost::SPA, 1)),
            ability::LIGHTNINGROD if kind == types::ELECTRIC => Some(Boosts::one(boost::SPA, 1)),
            ability::MOTORDRIVE if kind == types::ELECTRIC => Some(Boosts::one(boost::SPE, 1)),
            ability::WELLBAKEDBODY if kind == types::FIRE => Some(Boosts::one(boost::DEF, 2)),
            ability::WINDRIDER if flagged(flag::WIND) => Some(Boosts::one(boost::ATK, 1)),
            _ => None,
        };
        if let Some(boosts) = absorbs {
            let by = if id == ability::WINDRIDER { Some(p) } else { source };
            self.boost(boosts, p, by, effect);
            return Answer::Null;
        }
        let heals = match id {
            ability::WATERABSORB | ability::DRYSKIN => kind == types::WATER,
            ability::VOLTABSORB => kind == types::ELECTRIC,
            ability::EARTHEATER => kind == types::GROUND,
            _ => false,
        };
        if heals {
            let amount = fraction(self.mons[p].base_maxhp, 4);
            self.heal(amount, p, source, effect);
            return Answer::Null;
        }
        match id {
            ability::FLASHFIRE if kind == types::FIRE => {
                self.flights[cx.flight].accuracy = 0;
                self.add_volatile(p, cond::FLASHFIRE, source, effect);
                Answer::Null
            }
            ability::SOUNDPROOF => null_if(flagged(flag::SOUND)),
            ability::GOODASGOLD => null_if(flight.category == Category::Status),
            ability::OVERCOAT => {
                null_if(flagged(flag::POWDER) && self.naturally_open(p, natural::POWDER))
            }
            ability::MAGICBOUNCE => self.bounce(p, cx),
            _ => Answer::Pass,
        }
    }

    pub(super) fn ability_try_hit_side(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let own = cx.source.is_some_and(|s| Self::allied(s, p));
        if id != ability::MAGICBOUNCE || own {
            return Answer::Pass;
        }
        self.bounce(p, cx)
    }

    fn bounce(&mut self, p: P, cx: &mut Context) -> Answer {
        let flight = self.flights[cx.flight];
        if flight.bounced || flight.flags & flag::REFLECTABLE == 0 || self.out_of_reach(p) {
            return Answer::Pass;
        }
        let mut back = self.fresh_flight(flight.id);
        back.bounced = true;
        let at = self.launch(back);
        let target = cx.source;
        self.use_move(at, p, target, Effect::ability(ability::MAGICBOUNCE));
        Answer::Null
    }

    pub(super) fn ability_on_damage(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let blow = cx.effect.kind == EffectKind::Move;
        let mon = self.mons[p];
        match id {
            ability::STURDY if blow && mon.hp == mon.maxhp && cx.number >= mon.hp => {
                cx.answer(mon.hp - 1)
            }
            ability::MAGICGUARD if !blow => Answer::No,
            ability::ROCKHEAD if cx.effect.kind == EffectKind::Recoil => Answer::Null,
            ability::DISGUISE if blow && mon.species == species::MIMIKYU => {
                self.mons[p].ability_data = 1;
                cx.answer(0)
            }
            ability::ICEFACE
                if blow
                    && mon.species == species::EISCUE
                    && cx.effect.id != 0
                    && self.flights[cx.flight].category == Category::Physical =>
            {
                self.mons[p].ability_data = 1;
                cx.answer(0)
            }
            ability::HEATPROOF if cx.effect.is_condition(cond::BRN) => {
                cx.answer((cx.number / 2).max(1))
            }
            ability::POISONHEAL
                if cx.effect.is_condition(cond::PSN) || cx.effect.is_condition(cond::TOX) =>
            {
                let amount = fraction(mon.base_maxhp, 8);
                self.heal(amount, p, Some(p), Effect::ability(id));
                Answer::No
            }
            ability::BERSERK | ability::ANGERSHELL => {
                let flight = &self.flights[cx.flight];
                let single = cx.effect.id == 0 || flight.hits.0 == 0;
                let forced = flight.sheer
                    && cx.source.is_some_and(|s| self.has_ability(s, ability::SHEERFORCE));
                let pending = blow && single && !forced;
                self.mons[p].ability_data = if pending { 2 } else { 1 };
                Answer::Pass
            }
            ability::DAMP if cx.effect.is_ability(ability::AFTERMATH) => Answer::No,
            _ => Answer::Pass,
        }
    }

    pub(super) fn ability_set_status(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let status = cx.id as u8;
        let refused = match id {
            ability::INSOMNIA | ability::VITALSPIRIT => status == cond::SLP,
            ability::WATERVEIL | ability::WATERBUBBLE | ability::THERMALEXCHANGE => {
                status == cond::BRN
            }
            ability::LIMBER => status == cond::PAR,
            ability::SHIELDSDOWN => self.shields_up(p),
            ability::LEAFGUARD => self.sunny(),
            ability::COMATOSE | ability::PURIFYINGSALT => true,
            ability::FLOWERVEIL => {
                let other = cx.source != Some(cx.target);
                let covered = self.has_type(cx.target, types::GRASS)
                    && other
                    && cx.effect.kind != EffectKind::None
                    && !cx.effect.is_condition(cond::YAWN);
                return null_if(covered);
            }
            _ => false,
        };
        if refused { Answer::No } else { Answer::Pass }
    }

    fn shields_up(&self, p: P) -> bool {
        self.mons[p].species == species::MINIORMETEOR && !self.mons[p].transformed()
    }

    pub(super) fn ability_add_volatile(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let given = cx.id as u8;
        null_if(match id {
            ability::INNERFOCUS => given == cond::FLINCH,
            ability::INSOMNIA | ability::VITALSPIRIT | ability::PURIFYINGSALT => {
                given == cond::YAWN
            }
            ability::SHIELDSDOWN => given == cond::YAWN && self.shields_up(p),
            ability::LEAFGUARD => given == cond::YAWN && self.sunny(),
            ability::OWNTEMPO => given == cond::CONFUSION,
            ability::AROMAVEIL => matches!(
                given,
                cond::ATTRACT | cond::DISABLE | cond::ENCORE | cond::HEALBLOCK | cond::TAUNT
            ),
            ability::FLOWERVEIL => given == cond::YAWN && self.has_type(cx.target, types::GRASS),
            _ => false,
        })
    }

    pub(super) fn ability_try_boost(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let own = cx.source == Some(cx.target);
        let before = cx.given;
        let lowered = |stat: usize| cx.given >> stat & 1 == 1 && cx.boosts[stat] < 0;
        match id {
            ability::CLEARBODY | ability::FULLMETALBODY if !own => {
                let gone = (0..7).filter(|&s| lowered(s)).fold(0, |all, s| all | 1 << s);
                cx.given &= !gone;
            }
            ability::FLOWERVEIL if !own && self.has_type(cx.target, types::GRASS) => {
                let gone = (0..7).filter(|&s| lowered(s)).fold(0, |all, s| all | 1 << s);
                cx.given &= !gone;
            }
            ability::INNERFOCUS | ability::SCRAPPY | ability::OBLIVIOUS | ability::OWNTEMPO
                if cx.effect.is_ability(ability::INTIMIDATE) && cx.boosts[boost::ATK] != 0 =>
            {
                cx.given &= !(1 << boost::ATK);
            }
            ability::BIGPECKS if !own && lowered(boost::DEF) => cx.given &= !(1 << boost::DEF),
            ability::KEENEYE | ability::MINDSEYE if !own && lowered(boost::ACCURACY) => {
                cx.given &= !(1 << boost::ACCURACY);
            }
            ability::MIRRORARMOR => self.mirror_armor(p, cx),
            _ => {}
        }
        if cx.given == before { Answer::Pass } else { Answer::Done }
    }

    fn mirror_armor(&mut self, p: P, cx: &mut Context) {
        let Some(source) = cx.source.filter(|&s| s != p) else { return };
        if cx.effect.is_ability(ability::MIRRORARMOR) {
            return;
        }
        for stat in 0..7 {
            let lowers = cx.given >> stat & 1 == 1 && cx.boosts[stat] < 0;
            if !lowers || self.mons[p].boosts[stat] == -6 {
                continue;
            }
            cx.given &= !(1 << stat);
            if self.mons[source].hp > 0 {
                let back = Boosts::one(stat, cx.boosts[stat]);
                self.boost(back, source, Some(p), Effect::ability(ability::MIRRORARMOR));
            }
        }
    }

    pub(super) fn ability_after_boost(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let stat = match id {
            ability::DEFIANT => boost::ATK,
            ability::COMPETITIVE => boost::SPA,
            _ => return Answer::Pass,
        };
        let by_foe = cx.source.is_some_and(|s| !Self::allied(s, p));
        let lowered = (0..7).any(|s| cx.given >> s & 1 == 1 && cx.boosts[s] < 0);
        if !by_foe || !lowered {
            return Answer::Pass;
        }
        self.boost(Boosts::one(stat, 2), p, Some(p), Effect::ability(id));
        Answer::Done
    }

    pub(super) fn rattled(&mut self, p: P, cx: &Context) -> Answer {
        let scared = cx.effect.is_ability(ability::INTIMIDATE)
            && cx.given & 1 == 1
            && cx.boosts[boost::ATK] != 0;
        if !scared {
            return Answer::Pass;
        }
        let effect = Effect::ability(ability::RATTLED);
        self.boost(Boosts::one(boost::SPE, 1), p, cx.source, effect);
        Answer::Done
    }

    pub(super) fn ability_immunity(&mut self, id: u16, cx: &Context) -> Answer {
        let to = |threat: Threat| cx.id == threat as u16;
        let immune = match id {
            ability::OVERCOAT => to(Threat::Sandstorm) || to(Threat::Powder),
            ability::SANDRUSH | ability::SANDFORCE => to(Threat::Sandstorm),
            ability::OBLIVIOUS => to(Threat::Attract),
            _ => false,
        };
        if immune { Answer::No } else { Answer::Pass }
    }
}

/// A silent failure where something is kept off.
pub(super) fn null_if(kept_off: bool) -> Answer {
    if kept_off { Answer::Null } else { Answer::Pass }
}
