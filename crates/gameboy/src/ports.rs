//! 0xFF00 to 0xFF7F. Reading or writing a port first brings its component up to date.

use crate::core::Core;
use crate::rom::Rom;
use std::ops::RangeInclusive;

/// DIV counts as many cycles within this as PyBoy remembers a write to it, or a power-off.
const SOUND_MEMORY: i64 = 8192;
const COLOR_PORTS: RangeInclusive<u8> = 0x4C..=0x7F;

impl Core {
    pub fn read_port(&mut self, port: u8) -> u8 {
        match port {
            0x00 => self.io_ports[0],
            0x01 => 0xFF,
            0x02 => {
                self.tick_serial();
                self.serial.control
            }
            0x04..=0x07 => {
                self.tick_timer();
                match port {
                    0x04 => self.timer.div(),
                    0x05 => self.timer.read_tima(),
                    0x06 => self.timer.tma,
                    _ => self.timer.tac | 0b1111_1000,
                }
            }
            0x0F => self.cpu.requested | 0b1110_0000,
            0x10..=0x3F => {
                self.tick_sound();
                self.sound.read(port - 0x10)
            }
            0x40..=0x4B => {
                let raised = self.tick_lcd(self.cycles + self.access_offset);
                self.cpu.requested |= raised;
                if port == 0x46 { self.oam_dma.source } else { self.lcd.read(port) }
            }
            _ if COLOR_PORTS.contains(&port) => self.read_cgb_port(port),
            _ => 0xFF, // 0x03, 0x08 to 0x0E
        }
    }

    fn read_cgb_port(&mut self, port: u8) -> u8 {
        match port {
            0x4C if self.cgb_mode => self.key0 | 0b1111_1011,
            0x4D if self.cgb_mode => self.key1,
            0x4F if self.cgb => self.lcd.vram_bank | 0xFE,
            0x55 if self.cgb_mode => self.hdma.registers[4],
            0x68 if self.cgb => self.lcd.background_colors.index | 0x40,
            0x69 if self.cgb_mode => self.lcd.background_colors.read(),
            0x6A if self.cgb => self.lcd.object_colors.index | 0x40,
            0x6B if self.cgb_mode => self.lcd.object_colors.read(),
            0x6C if self.cgb_mode => self.lcd.object_priority | 0xFE,
            0x70 if self.cgb_mode => self.wram_select | 0b1111_1000,
            0x72 | 0x73 | 0x75 if self.cgb => self.undocumented[usize::from(port - 0x72)],
            0x74 if self.cgb_mode => self.undocumented[2],
            0x76 if self.cgb => {
                self.tick_sound();
                self.sound.pcm12()
            }
            0x77 if self.cgb => {
                self.tick_sound();
                self.sound.pcm34()
            }
            _ => 0xFF,
        }
    }

    pub fn write_port(&mut self, port: u8, value: u8) {
        self.touched = true;
        match port {
            0x00 => self.io_ports[0] = self.joypad.select(value),
            0x01 => self.tick_serial(),
            0x02 => {
                self.tick_serial();
                self.serial.write_control(value);
            }
            0x04 => self.reset_divider(),
            0x05..=0x07 => {
                self.tick_timer();
                match port {
                    0x05 => self.timer.write_tima(value),
                    0x06 => self.timer.write_tma(value),
                    _ => self.timer.write_tac(value),
                }
            }
            0x0F => self.cpu.requested = value & 0b0001_1111,
            0x10..=0x3F => self.write_sound(port, value),
            0x40..=0x4B => self.write_lcd(port, value),
            _ => self.io_ports[usize::from(port)] = value,
        }
    }

    fn write_lcd(&mut self, port: u8, value: u8) {
        let now = self.cycles;
        let raised = self.tick_lcd_fully(now);
        self.cpu.requested |= raised;
        if port == 0x46 {
            self.oam_dma.begin(value, now);
        } else {
            self.cpu.requested |= self.lcd.write(port, value);
        }
    }

    /// Also a step of sound's sequencer, if the bit that clocks it falls.
    fn reset_divider(&mut self) {
        self.tick_timer();
        let falls = self.sound_clock_bit();
        self.tick_sound();
        if falls {
            self.sound.powered_after_divider = true;
            self.sound.last_divider_write = self.sound.cycles;
        }
        self.sound.reset_divider(falls);
        self.timer.reset_divider();
    }

    fn sound_clock_bit(&self) -> bool {
        self.timer.div() & (0b1_0000 << self.sound.speed_shift) != 0
    }

    fn write_sound(&mut self, port: u8, value: u8) {
        self.tick_sound();
        let powers = port == 0x26 && value & 0x80 != 0;
        if powers && !self.sound.powered {
            // PyBoy looks at DIV as of the last tick of the timer, the end of the last slice.
            self.tick_timer_to_slice();
            let since = |then: i64| self.sound.cycles - then < SOUND_MEMORY;
            if self.sound.cgb {
                self.sound.powered_after_divider = since(self.sound.last_divider_write);
            }
            let recent = self.sound.cgb && since(self.sound.last_power_off)
                || self.sound.powered_after_divider;
            self.sound.skipped_steps = if recent && self.sound_clock_bit() { 2 } else { 0 };
        }
        self.sound.write(port - 0x10, value);
        if port == 0x14 {
            self.sound.powered_after_divider = false;
        }
        if powers && self.sound.skipped_steps != 0 {
            self.tick_timer_to_slice();
            let shift = self.sound.speed_shift;
            let period = 0x2000_i64 << shift;
            let to_edge = period - (i64::from(self.timer.divider) & (period - 1));
            self.sound.sequence = 1;
            self.sound.next_step = self.sound.cycles + (to_edge >> shift);
        }
    }

    /// Brings the timer to where PyBoy's is within a slice in which nothing has looked at it.
    fn tick_timer_to_slice(&mut self) {
        if self.timer.last() < self.slice_start && self.timer.tick(self.slice_start) {
            self.cpu.requested |= crate::core::interrupt::TIMER;
        }
    }

    pub fn write_cgb_port(&mut self, rom: &Rom, port: u8, value: u8) {
        match port {
            0x50 if self.boot.is_some() && matches!(value, 0x01 | 0x11) => {
                self.boot = None;
                self.remap(rom);
                self.bail = true;
            }
            0x4C if self.cgb && self.boot.is_some() => {
                self.key0 = value & 0b100;
                if self.key0 != 0 {
                    self.lcd.downgrade();
                }
            }
            0x4D if self.cgb => {
                self.key1 = value;
                self.bail = true;
            }
            0x4F if self.cgb => {
                self.lcd.vram_bank = value & 1;
                self.remap(rom);
            }
            0x51..=0x54 if self.cgb_mode => {
                self.hdma.write_address(usize::from(port - 0x51), value);
            }
            0x55 if self.cgb_mode => {
                self.write_hdma5(rom, value);
                self.bail = true;
            }
            0x68 if self.cgb => self.lcd.background_colors.index = value,
            0x69 if self.cgb => self.lcd.background_colors.write(value),
            0x6A if self.cgb => self.lcd.object_colors.index = value,
            0x6B if self.cgb_mode => self.lcd.object_colors.write(value),
            0x6C if self.cgb_mode => self.lcd.object_priority = value & 1,
            0x70 if self.cgb_mode => {
                self.wram_select = value & 0b111;
                self.remap(rom);
            }
            0x72 | 0x73 if self.cgb => self.undocumented[usize::from(port - 0x72)] = value,
            0x74 if self.cgb_mode => self.undocumented[2] = value,
            0x75 if self.cgb => self.undocumented[3] = value | 0b1000_1111,
            _ => {}
        }
    }

    /// What STOP does on a Color machine if KEY1 asks for it.
    pub fn switch_speed(&mut self) {
        if self.key1 & 1 == 0 {
            return;
        }
        self.double_speed = !self.double_speed;
        // PyBoy drops an interrupt that the LCD raises here.
        self.tick_lcd_fully(self.cycles);
        self.tick_sound();
        let shift = u32::from(self.double_speed);
        self.lcd.speed_shift = shift;
        self.sound.speed_shift = shift;
        self.touched = true;
        self.key1 ^= 0b1000_0001;
    }

    /// Brings sound up to date, cut where PyBoy cuts it: at the end of the last slice and now.
    pub fn tick_sound(&mut self) {
        self.sound.tick_if_behind(self.slice_start);
        self.sound.tick(self.cycles);
    }
}
