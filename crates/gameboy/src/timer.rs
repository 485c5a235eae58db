//! DIV and TIMA, advanced arithmetically up to an overflow of TIMA and by single cycles around it.

use crate::stream::Stream;

/// Bits of the divider that one step of TIMA takes, by the low bits of TAC.
const DIVIDERS: [u32; 4] = [10, 4, 6, 8];
const ENABLED: u8 = 0b100;
/// PyBoy's "never", relative to now.
pub const NEVER: i64 = 1 << 31;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Reload {
    None = 0,
    /// TIMA has overflowed and reads as zero for four cycles.
    Pending = 1,
    /// For four more cycles writes to TIMA are lost and those to TMA go through.
    Done = 2,
}

#[derive(Debug, Clone)]
pub struct Timer {
    pub tima: u8,
    pub tma: u8,
    pub tac: u8,
    pub divider: u16,
    reload: Reload,
    reload_cycles: u16,
    last: i64,
    to_interrupt: i64,
}

impl Default for Timer {
    fn default() -> Self {
        Self {
            tima: 0,
            tma: 0,
            tac: 0,
            divider: 0,
            reload: Reload::None,
            reload_cycles: 0,
            last: 0,
            to_interrupt: 0,
        }
    }
}

impl Timer {
    /// When the next overflow or its interrupt is due.
    pub fn event(&self) -> i64 {
        match self.reload {
            Reload::None if self.tac & ENABLED == 0 => i64::MAX,
            Reload::None => self.last + self.to_overflow(),
            _ => self.last + self.to_interrupt,
        }
    }

    pub fn last(&self) -> i64 {
        self.last
    }

    /// Advances to `now`; true if the interrupt is raised.
    pub fn tick(&mut self, now: i64) -> bool {
        let mut cycles = now.wrapping_sub(self.last);
        if cycles == 0 {
            return false;
        }
        self.last = now;
        let mut raised = false;
        while cycles > 0 {
            if self.reload == Reload::None {
                let quiet = if self.tac & ENABLED == 0 { i64::MAX } else { self.to_overflow() - 1 };
                let quiet = quiet.min(cycles);
                self.advance_quietly(quiet);
                cycles -= quiet;
            }
            if cycles > 0 {
                raised |= self.advance_one();
                cycles -= 1;
            }
        }
        self.to_interrupt = match (self.tac & ENABLED != 0, self.reload) {
            (false, _) => NEVER,
            (true, Reload::Pending) => self.to_overflow().min(i64::from(self.reload_cycles)),
            (true, _) => self.to_overflow(),
        };
        raised
    }

    fn period(&self) -> i64 {
        1 << DIVIDERS[usize::from(self.tac & 3)]
    }

    fn to_overflow(&self) -> i64 {
        let period = self.period();
        let to_edge = period - (i64::from(self.divider) & (period - 1));
        to_edge + i64::from(0xFF - self.tima) * period
    }

    /// `cycles` in which TIMA does not overflow.
    fn advance_quietly(&mut self, cycles: i64) {
        if self.tac & ENABLED != 0 {
            let period = self.period();
            let phase = i64::from(self.divider) & (period - 1);
            self.tima = self.tima.wrapping_add(((phase + cycles) / period) as u8);
        }
        self.divider = self.divider.wrapping_add(cycles as u16);
    }

    fn advance_one(&mut self) -> bool {
        let mut raised = false;
        if self.reload != Reload::None {
            self.reload_cycles = self.reload_cycles.wrapping_sub(1);
            if self.reload_cycles == 0 {
                raised = self.reload == Reload::Pending;
                (self.reload, self.reload_cycles) =
                    if raised { (Reload::Done, 4) } else { (Reload::None, 0) };
            }
        }
        let before = self.divider;
        self.divider = before.wrapping_add(1);
        if self.tac & ENABLED != 0 && before & !self.divider & self.timer_bit(self.tac) != 0 {
            self.step_tima();
        }
        raised
    }

    fn timer_bit(&self, tac: u8) -> u16 {
        1 << (DIVIDERS[usize::from(tac & 3)] - 1)
    }

    fn step_tima(&mut self) {
        self.tima = self.tima.wrapping_add(1);
        if self.tima == 0 {
            self.tima = self.tma;
            self.reload = Reload::Pending;
            self.reload_cycles = 4;
        }
    }

    pub fn div(&self) -> u8 {
        (self.divider >> 8) as u8
    }

    pub fn reset_divider(&mut self) {
        if self.tac & ENABLED != 0 && self.divider & self.timer_bit(self.tac) != 0 {
            self.step_tima();
        }
        self.divider = 0;
    }

    pub fn read_tima(&self) -> u8 {
        if self.reload == Reload::Pending { 0 } else { self.tima }
    }

    pub fn write_tima(&mut self, value: u8) {
        if self.reload != Reload::Done {
            self.tima = value;
        }
    }

    pub fn write_tma(&mut self, value: u8) {
        self.tma = value;
        if self.reload != Reload::None {
            self.tima = value;
        }
    }

    pub fn write_tac(&mut self, value: u8) {
        let falls = value & ENABLED == 0 || self.divider & self.timer_bit(value) == 0;
        if self.tac & ENABLED != 0 && self.divider & self.timer_bit(self.tac) != 0 && falls {
            self.step_tima();
        }
        self.tac = value & 0b111;
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        let mut div = self.div();
        stream.byte(&mut div);
        stream.byte(&mut self.tima);
        stream.word(&mut self.divider);
        stream.word(&mut self.reload_cycles);
        stream.byte(&mut self.tma);
        stream.byte(&mut self.tac);
        let mut reload = self.reload as u8;
        stream.byte(&mut reload);
        self.reload = match reload {
            0 => Reload::None,
            1 => Reload::Pending,
            _ => Reload::Done,
        };
        stream.time(&mut self.last);
        stream.time(&mut self.to_interrupt);
    }
}
