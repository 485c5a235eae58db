//! Channels 1 and 2: square waves, the first with a sweep.

use super::envelope::Envelope;
use crate::stream::Stream;

const DUTIES: [[u8; 8]; 4] = [
    [0, 0, 0, 0, 0, 0, 0, 1],
    [1, 0, 0, 0, 0, 0, 0, 1],
    [1, 0, 0, 0, 0, 1, 1, 1],
    [0, 1, 1, 1, 1, 1, 1, 0],
];

#[derive(Debug, Clone)]
pub struct Square {
    /// This channel's bit in NR52 while it plays.
    bit: u8,
    pub enabled: bool,
    pub duty: u8,
    initial_length: u8,
    pub envelope: Envelope,
    pub frequency: u16,
    pub length_enabled: bool,
    pub length: i32,
    pub timer: i64,
    pub period: i64,
    pub step: i64,
    /// On a Color machine nothing is heard before the first step, and a new duty waits for one.
    pub suppressed: bool,
    pub next_duty: u8,
    pub duty_waits: bool,
}

impl Square {
    pub fn new(bit: u8) -> Self {
        Self {
            bit,
            enabled: false,
            duty: 0,
            initial_length: 0,
            envelope: Envelope::default(),
            frequency: 0,
            length_enabled: false,
            length: 64,
            timer: 0,
            period: 4,
            step: 0,
            suppressed: false,
            next_duty: 0,
            duty_waits: false,
        }
    }

    pub fn active_bit(&self) -> u8 {
        if self.enabled { self.bit } else { 0 }
    }

    pub fn read(&self, register: u8) -> u8 {
        match register {
            1 => (if self.duty_waits { self.next_duty } else { self.duty }) << 6 | 0x3F,
            2 => self.envelope.register(),
            4 => u8::from(self.length_enabled) << 6 | 0xBF,
            _ => 0xFF,
        }
    }

    /// True if the channel is triggered.
    pub fn write(&mut self, register: u8, value: u8, only_length: bool) -> bool {
        match register {
            1 => {
                if !only_length {
                    self.duty = value >> 6;
                }
                self.initial_length = value & 0x3F;
                self.length = 64 - i32::from(self.initial_length);
            }
            2 => {
                self.envelope.write(value);
                self.enabled &= self.envelope.is_on();
            }
            3 => self.set_frequency((self.frequency & 0x700) | u16::from(value)),
            4 => {
                self.length_enabled = value & 0x40 != 0;
                self.set_frequency(u16::from(value & 7) << 8 | (self.frequency & 0xFF));
                return value & 0x80 != 0;
            }
            _ => {}
        }
        false
    }

    pub fn set_frequency(&mut self, frequency: u16) {
        self.frequency = frequency;
        self.period = 4 * (0x800 - i64::from(frequency));
    }

    pub fn trigger(&mut self) {
        self.enabled = self.envelope.is_on();
        if self.length == 0 {
            self.length = 64;
        }
        self.timer = self.period;
        self.envelope.restart();
    }

    pub fn tick(&mut self, cycles: i64) {
        self.timer -= cycles;
        if self.timer > 0 {
            return;
        }
        let steps = -self.timer / self.period + 1;
        self.timer += steps * self.period;
        self.step = (self.step + steps) & 7;
        if self.duty_waits {
            self.duty = self.next_duty;
            self.duty_waits = false;
        }
        self.suppressed = false;
    }

    pub fn tick_length(&mut self) {
        if self.length_enabled && self.length > 0 {
            self.length -= 1;
            self.enabled &= self.length != 0;
        }
    }

    pub fn sample(&self) -> u8 {
        let level = DUTIES[usize::from(self.duty & 3)][(self.step & 7) as usize];
        if self.enabled && !self.suppressed { self.envelope.volume() * level } else { 0 }
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        stream.byte(&mut self.duty);
        stream.byte(&mut self.initial_length);
        self.envelope.stream_settings(stream);
        stream.word(&mut self.frequency);
        self.frequency &= 0x7FF;
        stream.flag(&mut self.length_enabled);
        stream.bit(&mut self.enabled, self.bit);
        stream.small(&mut self.length);
        stream.small(&mut self.envelope.timer);
        stream.time(&mut self.timer);
        stream.time(&mut self.period);
        self.period = self.period.clamp(4, 0x2000);
        stream.time(&mut self.step);
        self.step &= 7;
        stream.small(&mut self.envelope.level);
        stream.flag(&mut self.suppressed);
        stream.byte(&mut self.next_duty);
        stream.flag(&mut self.duty_waits);
    }
}

/// Channel 1's sweep of its frequency.
#[derive(Debug, Clone, Default)]
pub struct Sweep {
    pub pace: u8,
    pub falls: bool,
    pub shift: u8,
    pub timer: i32,
    /// Cycles to the second check for overflow, after the highest frequency was reached.
    pub check: i32,
    /// Cycles to a calculation that follows its clock, on a Color machine.
    pub calculation: i32,
    /// Cycles for which a retrigger holds the sweep, on a Color machine.
    pub hold: i32,
    pub fell: bool,
    pub enabled: bool,
    shadow: u16,
}

impl Sweep {
    pub fn read(&self) -> u8 {
        self.pace << 4 | u8::from(self.falls) << 3 | self.shift | 0x80
    }

    pub fn write(&mut self, value: u8, channel: &mut Square) {
        let fell = std::mem::replace(&mut self.falls, value & 8 != 0);
        self.pace = value >> 4 & 7;
        self.shift = value & 7;
        if fell && !self.falls && self.fell {
            channel.enabled = false;
        }
    }

    pub fn trigger(&mut self, channel: &mut Square, cgb: bool) {
        let was_active = channel.enabled;
        let checking = self.check != 0;
        channel.trigger();
        self.shadow = channel.frequency;
        self.restart_timer();
        self.calculation = 0;
        self.hold = if cgb && was_active && self.shift == 0 { 9 } else { 0 };
        if checking {
            self.check += 8;
        }
        self.fell = false;
        self.enabled = self.pace != 0 || self.shift != 0;
        if self.shift != 0 && !checking {
            self.calculate(channel, false);
        }
    }

    fn restart_timer(&mut self) {
        self.timer = if self.pace == 0 { 8 } else { i32::from(self.pace) };
    }

    pub fn clock(&mut self, channel: &mut Square, cgb: bool) {
        if self.hold != 0 || !self.enabled || !channel.enabled {
            return;
        }
        self.timer -= 1;
        if self.timer > 0 {
            return;
        }
        self.restart_timer();
        if self.pace == 0 {
            return;
        }
        if cgb && self.shift == 0 {
            self.calculation = 4;
        } else {
            self.iterate(channel);
        }
    }

    fn iterate(&mut self, channel: &mut Square) {
        if self.calculate(channel, true) && self.check == 0 {
            self.calculate(channel, false);
        }
    }

    pub fn tick(&mut self, channel: &mut Square, cycles: i64) {
        let cycles = cycles.min(1 << 20) as i32;
        self.hold = (self.hold - cycles).max(0);
        if self.calculation != 0 {
            self.calculation = (self.calculation - cycles).max(0);
            if self.calculation == 0 && self.pace != 0 {
                self.iterate(channel);
            }
        } else if self.check != 0 {
            self.check = (self.check - cycles).max(0);
            if self.check == 0 && self.shift != 0 {
                self.calculate(channel, false);
            }
        }
    }

    /// The next frequency; one too high ends the channel. True if it was taken over.
    fn calculate(&mut self, channel: &mut Square, take: bool) -> bool {
        self.fell |= self.falls;
        let change = self.shadow >> self.shift;
        let next = if self.falls { self.shadow - change } else { self.shadow + change };
        if next >= 0x800 {
            channel.enabled = false;
            return false;
        }
        if !take || self.shift == 0 {
            return false;
        }
        self.shadow = next;
        if next == 0x7FF {
            self.check = 32;
        }
        channel.set_frequency(next);
        true
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        stream.byte(&mut self.pace);
        stream.flag(&mut self.falls);
        stream.byte(&mut self.shift);
        (self.pace, self.shift) = (self.pace & 7, self.shift & 7);
        for timer in [&mut self.timer, &mut self.check, &mut self.calculation, &mut self.hold] {
            stream.small(timer);
        }
        stream.flag(&mut self.fell);
        stream.flag(&mut self.enabled);
        let mut shadow = i32::from(self.shadow);
        stream.small(&mut shadow);
        self.shadow = (shadow & 0x7FF) as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::{Square, Sweep};

    /// A channel that plays, with a sweep that is due at the next clock.
    fn swept(frequency: u16, setting: u8) -> (Square, Sweep) {
        let (mut channel, mut sweep) = (Square::new(1), Sweep::default());
        channel.envelope.write(0xF0);
        channel.set_frequency(frequency);
        sweep.write(setting, &mut channel);
        sweep.trigger(&mut channel, false);
        assert!(channel.enabled);
        (channel, sweep)
    }

    #[test]
    fn the_highest_frequency_is_played_for_32_cycles_before_it_is_found_too_high() {
        for (frequency, setting) in [(0x555, 0x11), (0x666, 0x12)] {
            let (mut channel, mut sweep) = swept(frequency, setting);
            sweep.clock(&mut channel, false);
            assert!(channel.enabled);
            assert_eq!(channel.frequency, 0x7FF);
            sweep.tick(&mut channel, 31);
            assert!(channel.enabled);
            sweep.tick(&mut channel, 1);
            assert!(!channel.enabled);
        }
    }

    #[test]
    fn another_frequency_that_leads_too_high_ends_the_channel_at_once() {
        let (mut channel, mut sweep) = swept(0x554, 0x11);
        sweep.clock(&mut channel, false);
        assert_eq!((channel.frequency, channel.enabled), (0x7FE, false));
        let (mut channel, mut sweep) = swept(0x300, 0x11);
        sweep.clock(&mut channel, false);
        assert_eq!((channel.frequency, channel.enabled), (0x480, true));
        let (mut channel, mut sweep) = swept(0x400, 0x1A);
        sweep.clock(&mut channel, false);
        assert_eq!((channel.frequency, channel.enabled), (0x300, true));
    }
}
