//! 0xFF10 to 0xFF3F.

use super::square::Square;
use super::{STEP_CYCLES, Sound};

impl Sound {
    pub fn read(&self, offset: u8) -> u8 {
        match offset {
            0 => self.sweep.read(),
            1..=4 => self.square1.read(offset),
            5..=9 => self.square2.read(offset - 5),
            10..=14 => self.wave.read(offset - 10),
            15..=19 => self.noise.read(offset - 15),
            20 => self.volume,
            21 => self.panning,
            22 => {
                let power = if self.powered { 0x80 } else { 0 };
                let tones = self.square1.active_bit() | self.square2.active_bit();
                0x70 | power | tones | self.wave.active_bit() | self.noise.active_bit()
            }
            32..=47 => self.wave.read_table(offset - 32, self.cgb),
            _ => 0xFF,
        }
    }

    pub fn write(&mut self, offset: u8, value: u8) {
        match offset {
            0..=19 if self.powered || (!self.cgb && offset % 5 == 1) => {
                self.write_channel(offset / 5, offset % 5, value);
            }
            20 if self.powered => self.volume = value,
            21 if self.powered => self.panning = value,
            22 if value & 0x80 == 0 => self.power_off(),
            22 if !self.powered => {
                self.powered = true;
                self.sequence = 0;
                self.next_step = self.cycles + STEP_CYCLES;
            }
            32..=47 => self.wave.write_table(offset - 32, value, self.cgb),
            _ => {}
        }
    }

    fn lengths(&mut self) -> [&mut i32; 4] {
        [
            &mut self.square1.length,
            &mut self.square2.length,
            &mut self.wave.length,
            &mut self.noise.length,
        ]
    }

    fn length_enabled(&mut self, channel: u8) -> &mut bool {
        match channel {
            0 => &mut self.square1.length_enabled,
            1 => &mut self.square2.length_enabled,
            2 => &mut self.wave.length_enabled,
            _ => &mut self.noise.length_enabled,
        }
    }

    fn power_off(&mut self) {
        let lengths = self.lengths().map(|length| *length);
        for offset in 0..22 {
            self.write(offset, 0);
        }
        if self.cgb {
            for square in [&mut self.square1, &mut self.square2] {
                (square.step, square.duty) = (0, 0);
                (square.duty_waits, square.suppressed) = (false, false);
            }
            self.sweep.hold = 0;
        } else {
            self.lengths().into_iter().zip(lengths).for_each(|(length, kept)| *length = kept);
        }
        self.sweep.check = 0;
        self.powered = false;
        self.skipped_steps = 0;
        self.noise.power_off();
        self.last_power_off = self.cycles;
    }

    /// NRx4 clocks a length at once when it is enabled in the half of a period that would not.
    fn write_channel(&mut self, channel: u8, register: u8, value: u8) {
        let was_enabled = *self.length_enabled(channel);
        let old_length = *self.lengths()[usize::from(channel)];
        let odd = register == 4 && self.sequence % 2 == 1;
        let clocked_first = odd && value & 0xC0 == 0xC0 && !was_enabled && old_length > 0;
        if clocked_first {
            *self.length_enabled(channel) = true;
            self.tick_length(channel);
            *self.length_enabled(channel) = was_enabled;
        }
        match channel {
            0 => self.write_square1(register, value),
            1 => self.write_square2(register, value),
            2 => {
                self.wave.write(register, value, self.cgb);
                if register == 4 && value & 0x80 != 0 && self.speed_shift == 0 && !self.cgb {
                    self.wave.suppressed = false;
                }
            }
            _ => self.write_noise(register, value),
        }
        let enables = value & 0x40 != 0 && !clocked_first && (!was_enabled || old_length == 0);
        let reloaded = clocked_first && old_length == 1 && value & 0x80 != 0;
        if odd && (enables || reloaded) {
            self.tick_length(channel);
        }
        if self.cgb && channel == 0 && register == 4 && value & 0x80 != 0 {
            let phase = self.step_phase() + self.square1.timer;
            self.square1.timer += (4 - phase.rem_euclid(4)) % 4;
        }
    }

    /// Cycles since the sequencer's last step.
    fn step_phase(&self) -> i64 {
        self.cycles - (self.next_step - STEP_CYCLES)
    }

    fn write_square1(&mut self, register: u8, value: u8) {
        let was_active = self.square1.enabled;
        let old_duty = self.square1.duty;
        let checking = self.sweep.check != 0;
        if self.cgb && register == 2 && was_active {
            self.square1.envelope.disturb(value);
        }
        let only_length = !self.powered && !self.cgb;
        if register == 0 {
            self.sweep.write(value, &mut self.square1);
        } else if self.square1.write(register, value, only_length) {
            self.sweep.trigger(&mut self.square1, self.cgb);
        }
        if self.cgb && register == 4 && value & 0x80 != 0 {
            self.square1.timer += match (was_active, self.sweep.enabled) {
                (true, true) if !checking => 6,
                (true, _) => 2,
                (false, _) => {
                    self.square1.suppressed = true;
                    8
                }
            };
        }
        if self.cgb && register == 1 {
            delay_duty(&mut self.square1, was_active, old_duty);
        }
    }

    fn write_square2(&mut self, register: u8, value: u8) {
        let was_active = self.square2.enabled;
        let old_duty = self.square2.duty;
        if self.cgb && register == 2 && was_active {
            self.square2.envelope.disturb(value);
        }
        let only_length = !self.powered && !self.cgb;
        if self.square2.write(register, value, only_length) {
            self.square2.trigger();
        }
        if !self.cgb {
            return;
        }
        if register == 1 {
            delay_duty(&mut self.square2, was_active, old_duty);
        }
        if register == 4 && value & 0x80 != 0 {
            if was_active {
                self.square2.timer += 2;
                return;
            }
            self.square2.suppressed = true;
            self.square2.timer += if self.speed_shift != 0 { 9 } else { 6 };
            if self.speed_shift != 0 && self.square2.period == 4 {
                self.square2.timer += self.step_phase().rem_euclid(4) - 2;
            }
        }
    }

    fn write_noise(&mut self, register: u8, value: u8) {
        let was_active = self.noise.enabled;
        let was_narrow = self.noise.narrow;
        if self.cgb && register == 2 && was_active {
            self.noise.envelope.disturb(value);
        }
        self.noise.write(register, value, self.cgb);
        if !self.cgb {
            return;
        }
        if register == 4 && value & 0x80 != 0 && was_active {
            self.noise.timer += self.noise.period;
        }
        if register == 3 && self.noise.enabled && was_narrow && !self.noise.narrow {
            self.noise.timer += 2;
        }
    }
}

/// A channel that plays takes a new duty with its next step.
fn delay_duty(square: &mut Square, was_active: bool, old_duty: u8) {
    square.duty_waits = was_active;
    if was_active {
        square.next_duty = square.duty;
        square.duty = old_duty;
    }
}
