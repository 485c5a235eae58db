//! Burns, poison, sleep and the like.

use crate::event::{Answer, Context};
use crate::ids::{ability, cond, event, species};
use crate::mon::Threat;
use crate::state::{Battle, Effect, P};

impl Battle {
    /// Gives a status to a Pokemon that has none.
    pub fn try_set_status(&mut self, p: P, status: u8, source: P, effect: Effect) -> Answer {
        if self.mons[p].status != 0 {
            return Answer::No;
        }
        self.set_status(p, status, source, effect)
    }

    /// Gives a status, in place of another.
    pub fn set_status(&mut self, p: P, status: u8, source: P, effect: Effect) -> Answer {
        if self.mons[p].hp == 0 || self.mons[p].status == status {
            return Answer::No;
        }
        let poison = status == cond::PSN || status == cond::TOX;
        if !(poison && self.has_ability(source, ability::CORROSION)) {
            let threat = match status {
                cond::PAR => Threat::Par,
                cond::BRN => Threat::Brn,
                cond::FRZ => Threat::Frz,
                cond::PSN | cond::TOX => Threat::Psn,
                _ => Threat::Slp,
            };
            if !self.open_to(p, threat) {
                return Answer::No;
            }
        }
        let mut cx = Context::new(p, Some(source), effect).about(u16::from(status));
        let answer = self.run_event(event::SETSTATUS, &mut cx);
        if !answer.holds() {
            return answer;
        }
        let order = if self.mons[p].is_active() { self.next_order() } else { 0 };
        let mon = &mut self.mons[p];
        mon.status = status;
        mon.status_time = 0;
        mon.set_status_by_foe(!Self::allied(p, source));
        mon.status_order = order;
        match status {
            cond::SLP => self.mons[p].status_time = self.rng.range(2, 5) as u8,
            cond::FRZ
                if self.mons[p].species == species::SHAYMINSKY
                    && self.kin(self.mons[p].base_species) == species::SHAYMIN =>
            {
                self.change_forme(p, species::SHAYMIN, Effect::condition(cond::FRZ), true);
            }
            _ => {}
        }
        let mut cx = Context::new(p, Some(source), effect).about(u16::from(status));
        Answer::of(self.run_event(event::AFTERSETSTATUS, &mut cx).holds())
    }

    /// Takes the status away; false where there was none.
    pub fn cure_status(&mut self, p: P) -> bool {
        let mon = &mut self.mons[p];
        if mon.hp == 0 || mon.status == 0 {
            return false;
        }
        (mon.status, mon.status_time, mon.status_order) = (0, 0, 0);
        mon.set_status_by_foe(false);
        true
    }
}
