//! Channel 4: a shift register. On a Color machine its clock is a counter that runs on.

use super::envelope::Envelope;
use crate::stream::Stream;

const DIVISORS: [i64; 8] = [8, 16, 32, 48, 64, 80, 96, 112];
/// This channel's bit in NR52.
const BIT: u8 = 8;

#[derive(Debug, Clone)]
pub struct Noise {
    pub enabled: bool,
    initial_length: u8,
    pub envelope: Envelope,
    clock_shift: u8,
    pub narrow: bool,
    divisor: u8,
    pub length_enabled: bool,
    pub length: i32,
    pub timer: i64,
    pub period: i64,
    shifts: i64,
    /// How often the register is still to be shifted; nobody sees it but PCM34 and a state.
    pending: i64,
    feedback: i64,
    counter: i64,
    countdown: i64,
    alignment: i64,
    running: bool,
}

impl Default for Noise {
    fn default() -> Self {
        Self {
            enabled: false,
            initial_length: 0,
            envelope: Envelope::default(),
            clock_shift: 0,
            narrow: false,
            divisor: 0,
            length_enabled: false,
            length: 64,
            timer: 0,
            period: 8,
            shifts: 1,
            pending: 0,
            feedback: 0x4000,
            counter: 0,
            countdown: 0,
            alignment: 0,
            running: false,
        }
    }
}

impl Noise {
    pub fn active_bit(&self) -> u8 {
        if self.enabled { BIT } else { 0 }
    }

    pub fn power_off(&mut self) {
        (self.counter, self.countdown, self.alignment, self.running) = (0, 0, 0, false);
    }

    pub fn read(&self, register: u8) -> u8 {
        match register {
            2 => self.envelope.register(),
            3 => self.clock_shift << 4 | u8::from(self.narrow) << 3 | self.divisor,
            4 => u8::from(self.length_enabled) << 6 | 0xBF,
            _ => 0xFF,
        }
    }

    pub fn write(&mut self, register: u8, value: u8, cgb: bool) {
        match register {
            1 => {
                self.initial_length = value & 0x3F;
                self.length = 64 - i32::from(self.initial_length);
            }
            2 => {
                self.envelope.write(value);
                self.enabled &= self.envelope.is_on();
            }
            3 => self.write_clock(value, cgb),
            4 => {
                self.length_enabled = value & 0x40 != 0;
                if value & 0x80 != 0 {
                    self.trigger(cgb);
                }
            }
            _ => {}
        }
    }

    fn base(&self) -> i64 {
        DIVISORS[usize::from(self.divisor & 7)]
    }

    fn counter_bit(&self) -> bool {
        self.counter >> self.clock_shift & 1 != 0
    }

    fn write_clock(&mut self, value: u8, cgb: bool) {
        if self.narrow != (value & 8 != 0) {
            self.work_out();
        }
        let (old_divisor, old_bit) = (self.divisor, self.counter_bit());
        let old_countdown = self.countdown;
        self.clock_shift = value >> 4;
        self.narrow = value & 8 != 0;
        self.divisor = value & 7;
        self.period = self.base() << self.clock_shift;
        self.feedback = if self.narrow { 0x4040 } else { 0x4000 };
        if !cgb {
            return;
        }
        if self.running && old_divisor != self.divisor {
            self.countdown = self.base() >> 1;
            if self.divisor == 2 && self.clock_shift == 1 && self.alignment == 0 {
                match old_divisor {
                    0 => self.countdown += 2,
                    1 => self.countdown = old_countdown,
                    _ => {}
                }
            }
        }
        if self.enabled && !old_bit && self.counter_bit() {
            self.pending += 1;
        }
    }

    fn trigger(&mut self, cgb: bool) {
        let was_active = self.enabled;
        self.enabled = self.envelope.is_on();
        if self.length == 0 {
            self.length = 64;
        }
        self.timer = self.period;
        self.envelope.restart();
        self.shifts = 0x7FFF;
        self.pending = 0;
        if !cgb {
            return;
        }
        if was_active {
            self.countdown += (self.base() >> 1) + 2;
            return;
        }
        self.counter = 0;
        self.running = true;
        self.countdown = 2 * self.first_countdown();
    }

    /// Halves of cycles to the first count, by how the trigger falls onto the clock.
    fn first_countdown(&self) -> i64 {
        let divisor = i64::from(self.divisor);
        let late = self.alignment & 2 != 0;
        let correction = match (self.alignment & 1 != 0, self.divisor) {
            (true, 0) => 1,
            (true, _) => -1 - if late { 2 } else { 0 },
            (false, 0) => 0,
            (false, _) if late => -2,
            (false, 1) => 0,
            (false, _) => -4,
        };
        divisor * 4 + 6 + correction
    }

    fn shift(&mut self) {
        let low = self.shifts;
        self.shifts >>= 1;
        if (low ^ self.shifts) & 1 != 0 {
            self.shifts |= self.feedback;
        } else {
            self.shifts &= !self.feedback;
        }
    }

    /// Shifts as often as is pending. The register goes round in 32767 steps, a narrow one in 127
    /// as soon as its upper bits have followed the lower.
    pub fn work_out(&mut self) {
        let (lead, round) = if self.narrow { (15, 127) } else { (0, 32767) };
        if self.pending > lead + round {
            self.pending = lead + (self.pending - lead) % round;
        }
        let mut left = std::mem::take(&mut self.pending);
        // The bits that come in next follow from those that are there: fourteen at a time.
        while !self.narrow && left >= 14 {
            let incoming = (self.shifts ^ self.shifts >> 1) & 0x3FFF;
            self.shifts = self.shifts >> 14 | incoming << 1;
            left -= 14;
        }
        (0..left).for_each(|_| self.shift());
    }

    pub fn tick(&mut self, cycles: i64, cgb: bool) {
        if cgb {
            return self.tick_counter(cycles);
        }
        self.timer -= cycles;
        if self.timer <= 0 {
            let steps = -self.timer / self.period + 1;
            self.timer += steps * self.period;
            self.pending += steps;
        }
    }

    fn tick_counter(&mut self, cycles: i64) {
        self.alignment = (self.alignment + (cycles >> 1)) & 3;
        if !self.running {
            return;
        }
        let period = self.base() >> 1;
        let countdown = if self.countdown == 0 { period } else { self.countdown };
        if cycles < countdown {
            self.countdown = countdown - cycles;
            return;
        }
        let since = cycles - countdown;
        let counts = since / period + 1;
        self.countdown = period - since % period;
        if self.enabled && self.clock_shift < 14 {
            // The register shifts where this bit of the counter rises.
            let rises =
                |counter: i64| (counter + (1 << self.clock_shift)) >> (self.clock_shift + 1);
            self.pending += rises(self.counter + counts) - rises(self.counter);
        }
        self.counter = (self.counter + counts) & 0x3FFF;
    }

    pub fn tick_length(&mut self) {
        if self.length_enabled && self.length > 0 {
            self.length -= 1;
            self.enabled &= self.length != 0;
        }
    }

    pub fn sample(&self) -> u8 {
        if self.enabled && self.shifts & 1 == 0 { self.envelope.volume() } else { 0 }
    }

    pub fn forget_pending(&mut self) {
        self.pending = 0;
    }

    pub fn stream_rest(&mut self, stream: &mut impl Stream) {
        stream.time(&mut self.pending);
        self.pending = self.pending.max(0);
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        stream.byte(&mut self.initial_length);
        self.envelope.stream_settings(stream);
        stream.byte(&mut self.clock_shift);
        stream.flag(&mut self.narrow);
        stream.byte(&mut self.divisor);
        (self.clock_shift, self.divisor) = (self.clock_shift & 15, self.divisor & 7);
        stream.flag(&mut self.length_enabled);
        stream.bit(&mut self.enabled, BIT);
        stream.small(&mut self.length);
        stream.time(&mut self.timer);
        stream.small(&mut self.envelope.timer);
        stream.time(&mut self.period);
        self.period = self.period.clamp(8, 112 << 15);
        stream.time(&mut self.shifts);
        stream.time(&mut self.feedback);
        stream.small(&mut self.envelope.level);
        stream.time(&mut self.counter);
        stream.time(&mut self.countdown);
        stream.time(&mut self.alignment);
        stream.flag(&mut self.running);
        (self.counter, self.alignment) = (self.counter & 0x3FFF, self.alignment & 3);
        (self.shifts, self.feedback) = (self.shifts & 0x7FFF, self.feedback & 0x4040);
        // None lies further away than the hardware's. The timer may: on a Color machine writes add
        // to it and nothing counts it down.
        self.countdown = self.countdown.clamp(0, 112 << 15);
    }
}
