//! Channel 3: samples from its own RAM.

use crate::stream::Stream;

/// This channel's bit in NR52.
const BIT: u8 = 4;

#[derive(Debug, Clone)]
pub struct Wave {
    pub table: [u8; 16],
    pub enabled: bool,
    dac: bool,
    initial_length: u8,
    volume_code: u8,
    volume_shift: i32,
    frequency: u16,
    pub length_enabled: bool,
    pub length: i32,
    timer: i64,
    period: i64,
    position: i64,
    /// What is heard, which a restart on a Color machine leaves behind `position`.
    heard: i64,
    /// The channel reads its RAM in this very cycle; only then can an older machine's program.
    pub accessing: bool,
    pub suppressed: bool,
    restarts: bool,
}

impl Default for Wave {
    fn default() -> Self {
        Self {
            table: [0xFF; 16],
            enabled: false,
            dac: false,
            initial_length: 0,
            volume_code: 0,
            volume_shift: 0,
            frequency: 0,
            length_enabled: false,
            length: 256,
            timer: 0,
            period: 4,
            position: 0,
            heard: 0,
            accessing: false,
            suppressed: false,
            restarts: false,
        }
    }
}

impl Wave {
    pub fn active_bit(&self) -> u8 {
        if self.enabled { BIT } else { 0 }
    }

    pub fn read(&self, register: u8) -> u8 {
        match register {
            0 => u8::from(self.dac) << 7 | 0x7F,
            2 => self.volume_code << 5 | 0x9F,
            4 => u8::from(self.length_enabled) << 6 | 0xBF,
            _ => 0xFF,
        }
    }

    pub fn write(&mut self, register: u8, value: u8, cgb: bool) {
        match register {
            0 => {
                self.dac = value & 0x80 != 0;
                if !self.dac {
                    (self.enabled, self.restarts) = (false, false);
                }
            }
            1 => {
                self.initial_length = value;
                self.length = 256 - i32::from(value);
            }
            2 => {
                self.volume_code = value >> 5 & 3;
                self.volume_shift =
                    if self.volume_code == 0 { 4 } else { i32::from(self.volume_code) - 1 };
            }
            3 => self.set_frequency((self.frequency & 0x700) | u16::from(value)),
            4 => {
                self.length_enabled = value & 0x40 != 0;
                self.set_frequency(u16::from(value & 7) << 8 | (self.frequency & 0xFF));
                if value & 0x80 != 0 {
                    self.trigger(cgb);
                }
            }
            _ => {}
        }
    }

    fn set_frequency(&mut self, frequency: u16) {
        self.frequency = frequency;
        self.period = 2 * (0x800 - i64::from(frequency));
    }

    fn trigger(&mut self, cgb: bool) {
        let was_active = self.enabled;
        if was_active && !cgb && self.timer == 1 {
            self.corrupt();
        }
        self.enabled = self.dac;
        if self.length == 0 {
            self.length = 256;
        }
        self.timer = self.period + 5;
        if cgb && was_active {
            self.heard = self.position;
            self.restarts = true;
        } else {
            self.heard = 0;
            self.suppressed = true;
            self.restarts = false;
        }
        self.position = 0;
        self.accessing = false;
    }

    /// A retrigger as the channel reads spoils the first bytes of its RAM on the older machine.
    fn corrupt(&mut self) {
        let at = (((self.position + 1) / 2) & 0xF) as usize;
        if at < 4 {
            self.table[0] = self.table[at];
        } else {
            self.table.copy_within(at & 0xC..(at & 0xC) + 4, 0);
        }
    }

    pub fn read_table(&self, offset: u8, cgb: bool) -> u8 {
        match (self.enabled, cgb || self.accessing) {
            (false, _) => self.table[usize::from(offset)],
            (true, true) => self.table[(self.position / 2) as usize],
            (true, false) => 0xFF,
        }
    }

    pub fn write_table(&mut self, offset: u8, value: u8, cgb: bool) {
        match (self.enabled, cgb || self.accessing) {
            (false, _) => self.table[usize::from(offset)] = value,
            (true, true) => self.table[(self.position / 2) as usize] = value,
            (true, false) => {}
        }
    }

    pub fn tick(&mut self, cycles: i64) {
        if !self.enabled {
            return;
        }
        self.accessing = false;
        self.timer -= cycles;
        if self.timer > 0 {
            return;
        }
        let steps = -self.timer / self.period + 1;
        self.timer += steps * self.period;
        self.suppressed = false;
        // A restart that waits begins anew at 1.
        let from = if std::mem::take(&mut self.restarts) { 0 } else { self.position };
        self.position = (from + steps) & 31;
        self.heard = self.position;
        self.accessing = self.timer >= self.period - 1;
    }

    pub fn tick_length(&mut self) {
        if self.length_enabled && self.length > 0 {
            self.length -= 1;
            self.enabled &= self.length != 0;
        }
    }

    pub fn sample(&self) -> u8 {
        if !self.enabled || !self.dac || self.suppressed {
            return 0;
        }
        let pair = self.table[(self.heard / 2) as usize];
        let sample = if self.heard & 1 == 0 { pair >> 4 } else { pair & 0xF };
        sample >> self.volume_shift
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        stream.bytes(&mut self.table);
        stream.flag(&mut self.dac);
        stream.byte(&mut self.initial_length);
        stream.byte(&mut self.volume_code);
        self.volume_code &= 3;
        stream.word(&mut self.frequency);
        self.frequency &= 0x7FF;
        stream.flag(&mut self.length_enabled);
        stream.bit(&mut self.enabled, BIT);
        stream.small(&mut self.length);
        stream.time(&mut self.timer);
        stream.time(&mut self.period);
        self.period = self.period.clamp(2, 0x1000);
        stream.time(&mut self.position);
        stream.flag(&mut self.suppressed);
        stream.small(&mut self.volume_shift);
        self.volume_shift = self.volume_shift.clamp(0, 7);
        stream.flag(&mut self.accessing);
        stream.flag(&mut self.restarts);
        stream.time(&mut self.heard);
        (self.position, self.heard) = (self.position & 31, self.heard & 31);
    }
}
