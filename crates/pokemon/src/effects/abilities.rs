//! Which ability answers which event, and those that fit no other place.

use crate::boosts::Boosts;
use crate::data::{Category, Target, flag};
use crate::event::{Answer, Context};
use crate::ids::{ability, cond, hook, moves, species, types};
use crate::mon::boost;
use crate::state::{Battle, Effect, EffectKind, P, foe_of, side_of};

impl Battle {
    pub(super) fn call_ability(&mut self, hook_id: u8, id: u16, p: P, cx: &mut Context) -> Answer {
        match hook_id {
            hook::MODIFYATK => self.ability_attack(id, p, false, cx),
            hook::MODIFYSPA => self.ability_attack(id, p, true, cx),
            hook::SOURCEMODIFYATK | hook::SOURCEMODIFYSPA => self.ability_source_attack(id, cx),
            hook::ANYMODIFYATK => self.ruin(id, p, 0, cx),
            hook::ANYMODIFYDEF => self.ruin(id, p, 1, cx),
            hook::ANYMODIFYSPA => self.ruin(id, p, 2, cx),
            hook::ANYMODIFYSPD => self.ruin(id, p, 3, cx),
            hook::MODIFYSPE => self.ability_speed(id, p, cx),
            hook::MODIFYDAMAGE => self.ability_damage(id, cx),
            hook::SOURCEMODIFYDAMAGE => self.ability_source_damage(id, p, cx),
            hook::MODIFYDEF
            | hook::MODIFYWEIGHT
            | hook::SOURCEMODIFYACCURACY
            | hook::ANYACCURACY
            | hook::MODIFYSTAB
            | hook::MODIFYPRIORITY
            | hook::FRACTIONALPRIORITY => self.ability_number(hook_id, id, p, cx),
            hook::BASEPOWER | hook::SOURCEBASEPOWER | hook::ALLYBASEPOWER => {
                self.ability_power(hook_id, id, p, cx)
            }
            hook::MODIFYMOVE => self.ability_modify_move(id, cx),
            hook::MODIFYTYPE => self.ability_modify_type(id, p, cx),
            hook::TRYHIT => self.ability_try_hit(id, p, cx),
            hook::ALLYTRYHITSIDE => self.ability_try_hit_side(id, p, cx),
            hook::DAMAGE | hook::ANYDAMAGE => self.ability_on_damage(id, p, cx),
            hook::SETSTATUS | hook::ALLYSETSTATUS => self.ability_set_status(id, p, cx),
            hook::TRYADDVOLATILE | hook::ALLYTRYADDVOLATILE => self.ability_add_volatile(id, p, cx),
            hook::TRYBOOST | hook::ALLYTRYBOOST => self.ability_try_boost(id, p, cx),
            hook::CHANGEBOOST if id == ability::CONTRARY => {
                cx.boosts = cx.boosts.map(|by| -by);
                Answer::Done
            }
            hook::AFTEREACHBOOST => self.ability_after_boost(id, p, cx),
            hook::AFTERBOOST if id == ability::RATTLED => self.rattled(p, cx),
            hook::IMMUNITY => self.ability_immunity(id, cx),
            hook::DAMAGINGHIT => self.ability_damaging_hit(id, p, cx),
            hook::SOURCEDAMAGINGHIT => self.ability_source_damaging_hit(id, p, cx),
            hook::AFTERMOVESECONDARY => self.ability_after_secondary(id, p, cx),
            hook::AFTERMOVESECONDARYSELF if id == ability::MAGICIAN => self.magician(p, cx),
            hook::AFTERSETSTATUS | hook::ANYAFTERSETSTATUS => self.ability_after_status(id, p, cx),
            hook::AFTERUSEITEM | hook::TAKEITEM => self.ability_loses_item(hook_id, id, p, cx),
            hook::EATITEM => self.ability_eats(id, p, cx),
            hook::TRYEATITEM => self.ability_tries_to_eat(id, p, cx),
            hook::FOETRYEATITEM => Answer::of(self.mons[p].ability_data == 0),
            hook::FAINT if id == ability::ILLUSION => {
                self.mons[p].set_illusion(false);
                Answer::Done
            }
            hook::ANYFAINT if id == ability::SOULHEART => {
                self.boost(Boosts::one(boost::SPA, 1), p, cx.source, Effect::ability(id));
                Answer::Done
            }
            hook::SOURCEAFTERFAINT => self.ability_after_faint(id, p, cx),
            hook::EFFECTIVENESS if self.intact(id, p, cx) => cx.answer(0),
            hook::CRITICALHIT if id == ability::SHELLARMOR || self.intact(id, p, cx) => Answer::No,
            hook::PREPAREHIT => self.ability_prepare_hit(id, p, cx),
            hook::RESIDUAL => self.ability_residual(id, p),
            hook::SWITCHOUT => self.ability_switch_out(id, p),
            hook::TERRAINCHANGE | hook::WEATHERCHANGE => self.ability_sky(id, p, cx),
            hook::WEATHER => self.ability_weather(id, p, cx),
            hook::UPDATE => self.ability_update(id, p),
            hook::BEFOREMOVE if id == ability::TRUANT => {
                if self.remove_volatile(p, cond::TRUANT) {
                    return Answer::No;
                }
                self.add_volatile(p, cond::TRUANT, Some(p), Effect::ability(id));
                Answer::Pass
            }
            hook::BEFORESWITCHIN if id == ability::ILLUSION => self.don_illusion(p),
            hook::DEDUCTPP if id == ability::PRESSURE => {
                if cx.source.is_some_and(|s| Self::allied(s, p)) {
                    Answer::Pass
                } else {
                    cx.answer(1)
                }
            }
            hook::FOETRAPPOKEMON => self.ability_traps(id, cx.target),
            hook::FOETRYMOVE if id == ability::QUEENLYMAJESTY => self.majesty(p, cx),
            hook::ANYTRYMOVE if id == ability::DAMP => Answer::of(!matches!(
                self.flights[cx.flight].id,
                moves::EXPLOSION | moves::MINDBLOWN | moves::MISTYEXPLOSION | moves::SELFDESTRUCT
            )),
            hook::ANYMODIFYBOOST if id == ability::UNAWARE => self.unaware(p, cx),
            hook::SOURCETRYHEAL if id == ability::LIQUIDOOZE => self.liquid_ooze(p, cx),
            hook::SOURCETRYPRIMARYHIT if id == ability::GULPMISSILE => self.gulp(p, cx),
            _ => Answer::Pass,
        }
    }

    /// Whether Disguise or Ice Face will take the blow of a move.
    fn intact(&self, id: u16, p: P, cx: &Context) -> bool {
        let flight = &self.flights[cx.flight];
        let fits = match id {
            ability::DISGUISE => {
                self.mons[p].species == species::MIMIKYU && flight.category != Category::Status
            }
            ability::ICEFACE => {
                self.mons[p].species == species::EISCUE && flight.category == Category::Physical
            }
            _ => false,
        };
        let substitute = self.has_vol(p, cond::SUBSTITUTE)
            && flight.flags & flag::BYPASSSUB == 0
            && !flight.infiltrates;
        fits && !substitute && self.touched_by(p, cx.flight)
    }

    fn ability_modify_move(&mut self, id: u16, cx: &mut Context) -> Answer {
        let flight = &mut self.flights[cx.flight];
        let entry = &self.t.moves[flight.id as usize];
        match id {
            ability::SHEERFORCE if !entry.secondaries.is_empty() && !entry.sheer => {
                flight.no_secondaries = true;
                flight.no_self = true;
                flight.sheer = true;
            }
            ability::SERENEGRACE => {
                flight.double_chance = true;
                if entry.secondaries.iter().all(|s| s.part.chance == 0) {
                    return Answer::Pass;
                }
            }
            ability::INFILTRATOR => flight.infiltrates = true,
            ability::MOLDBREAKER | ability::TERAVOLT | ability::TURBOBLAZE => {
                flight.ignore_ability = true;
            }
            ability::MYCELIUMMIGHT if flight.category == Category::Status => {
                flight.ignore_ability = true;
            }
            ability::KEENEYE => flight.ignore_evasion = true,
            ability::SCRAPPY | ability::MINDSEYE => {
                if id == ability::MINDSEYE {
                    flight.ignore_evasion = true;
                }
                if !flight.immunity_known {
                    flight.immunity_known = true;
                    flight.ignore_immunity = flight.category == Category::Status;
                }
                if !flight.ignore_immunity {
                    flight.ignore_immunity_to |= 1 << types::FIGHTING | 1 << types::NORMAL;
                }
            }
            ability::SKILLLINK => {
                flight.multiaccuracy = false;
                if flight.hits.0 == flight.hits.1 {
                    return Answer::Pass;
                }
                flight.hits.0 = flight.hits.1;
            }
            ability::UNSEENFIST if flight.flags & flag::CONTACT != 0 => {
                flight.flags &= !flag::PROTECT;
            }
            _ => return Answer::Pass,
        }
        Answer::Done
    }

    fn ability_modify_type(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        let tera = self.mons[p].tera != 0;
        let flight = &mut self.flights[cx.flight];
        if id == ability::LIQUIDVOICE {
            if flight.flags & flag::SOUND == 0 {
                return Answer::Pass;
            }
            flight.kind = types::WATER;
            return Answer::Done;
        }
        let fixed = matches!(
            flight.id,
            moves::JUDGMENT
                | moves::MULTIATTACK
                | moves::NATURALGIFT
                | moves::REVELATIONDANCE
                | moves::TECHNOBLAST
                | moves::TERRAINPULSE
                | moves::WEATHERBALL
        ) || flight.id == moves::TERABLAST && tera;
        let kind = match id {
            ability::PIXILATE => types::FAIRY,
            ability::GALVANIZE => types::ELECTRIC,
            _ => return Answer::Pass,
        };
        if flight.kind != types::NORMAL || fixed {
            return Answer::Pass;
        }
        flight.kind = kind;
        flight.type_changer = id;
        Answer::Done
    }

    fn ability_prepare_hit(&mut self, id: u16, p: P, cx: &mut Context) -> Answer {
        if !matches!(id, ability::PROTEAN | ability::LIBERO) || self.mons[p].ability_data != 0 {
            return Answer::Pass;
        }
        let flight = self.flights[cx.flight];
        let calls = self.t.moves[flight.id as usize].calls;
        if flight.bounced || flight.flags & flag::FUTUREMOVE != 0 || calls || flight.kind == 0 {
            return Answer::Pass;
        }
        if self.types_of(p, false, false).as_slice() == [flight.kind] {
            return Answer::Pass;
        }
        if !self.set_types(p, [flight.kind, 0]) {
            return Answer::Pass;
        }
        self.mons[p].ability_data = 1;
        Answer::Done
    }

    /// Changes the types, where they can be changed.
    pub fn set_types(&mut self, p: P, to: [u8; 2]) -> bool {
        let num = self.t.species[self.mons[p].species as usize].num;
        let mon = &mut self.mons[p];
        if to.contains(&types::STELLAR) || num == 493 || num == 773 || mon.tera != 0 {
            return false;
        }
        mon.types = to;
        mon.added_type = 0;
        true
    }

    fn don_illusion(&mut self, p: P) -> Answer {
        let first = 6 * side_of(p);
        let size = self.sides[side_of(p)].size as usize;
        self.mons[p].set_illusion(false);
        for other in (first + 1..first + size).rev() {
            if self.mons[other].fainted() {
                continue;
            }
            let kin = self.kin(self.mons[other].species);
            let special = matches!(kin, species::OGERPON | species::TERAPAGOS);
            self.mons[p].set_illusion(self.mons[p].tera == 0 || !special);
            break;
        }
        Answer::Done
    }

    fn majesty(&mut self, p: P, cx: &Context) -> Answer {
        let flight = &self.flights[cx.flight];
        if matches!(flight.target, Target::FoeSide | Target::All) {
            return Answer::Pass;
        }
        let at_holder = cx.source.is_some_and(|s| Self::allied(s, p));
        if at_holder && flight.priority > 0 { Answer::No } else { Answer::Pass }
    }

    fn unaware(&mut self, p: P, cx: &mut Context) -> Answer {
        let (holder, other) = (p as u8 + 1, cx.target as u8 + 1);
        if holder == other {
            return Answer::Pass;
        }
        let mut did = Answer::Pass;
        if holder == self.active_mon && other == self.active_target {
            for stat in [boost::DEF, boost::SPD, boost::EVASION] {
                cx.boosts[stat] = 0;
            }
            did = Answer::Done;
        }
        if other == self.active_mon && holder == self.active_target {
            for stat in [boost::ATK, boost::DEF, boost::SPA, boost::ACCURACY] {
                cx.boosts[stat] = 0;
            }
            did = Answer::Done;
        }
        did
    }

    fn liquid_ooze(&mut self, p: P, cx: &mut Context) -> Answer {
        let oozes = cx.effect.kind == EffectKind::Drain
            || cx.effect.is_condition(cond::LEECHSEED)
            || cx.effect.is_move(moves::STRENGTHSAP);
        if !oozes {
            return Answer::Pass;
        }
        let by = Effect::ability(ability::LIQUIDOOZE);
        self.damage(cx.number, cx.target, Some(p), by);
        cx.answer(0)
    }

    fn gulp(&mut self, p: P, cx: &Context) -> Answer {
        let mon = &self.mons[p];
        if self.flights[cx.flight].id != moves::SURF
            || mon.species != species::CRAMORANT
            || !self.has_ability(p, ability::GULPMISSILE)
        {
            return Answer::Pass;
        }
        let gorges = mon.hp * 2 <= mon.maxhp;
        let to = if gorges { species::CRAMORANTGORGING } else { species::CRAMORANTGULPING };
        self.change_forme(p, to, cx.effect, false);
        Answer::Done
    }

    fn ability_traps(&mut self, id: u16, p: P) -> Answer {
        let holder = foe_of(p);
        if self.mons[p].fainted() || self.mons[holder].fainted() {
            return Answer::Pass;
        }
        let traps = match id {
            ability::MAGNETPULL => self.has_type(p, types::STEEL),
            ability::SHADOWTAG => !self.has_ability(p, ability::SHADOWTAG),
            ability::ARENATRAP => self.grounded(p, false),
            _ => false,
        };
        if traps && self.try_trap(p) { Answer::Done } else { Answer::Pass }
    }

    /// Keeps a Pokemon in, unless it cannot be kept.
    pub fn try_trap(&mut self, p: P) -> bool {
        let open = self.open_to(p, crate::mon::Threat::Trapped);
        let trapped = self.mons[p].trapped() || open;
        self.mons[p].set_trapped(trapped);
        open
    }
}
