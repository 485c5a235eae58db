//! The CPU's state, its arithmetic, and a slice of its time.

use crate::core::{Core, interrupt};
use crate::rom::Rom;
use crate::stream::Stream;

/// Registers of the CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Registers {
    pub a: u8,
    pub f: u8,
    pub b: u8,
    pub c: u8,
    pub d: u8,
    pub e: u8,
    pub hl: u16,
    pub sp: u16,
    pub pc: u16,
}

/// Bits of F.
pub mod flag {
    pub const ZERO: u8 = 0x80;
    pub const SUBTRACT: u8 = 0x40;
    pub const HALF: u8 = 0x20;
    pub const CARRY: u8 = 0x10;
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu {
    pub registers: Registers,
    pub interrupts_on: bool,
    /// Instructions until EI takes effect.
    pub enable_delay: u8,
    pub halted: bool,
    pub halted_during_enable: bool,
    pub stopped: bool,
    /// Stays false between slices; only a state can say otherwise.
    pub queued: bool,
    /// IE.
    pub enabled: u8,
    /// IF.
    pub requested: u8,
}

impl Cpu {
    /// The cycle count stands among the CPU's fields.
    pub fn stream(&mut self, stream: &mut impl Stream, cycles: &mut i64) {
        let r = &mut self.registers;
        for register in [&mut r.a, &mut r.f, &mut r.b, &mut r.c, &mut r.d, &mut r.e] {
            stream.byte(register);
        }
        for register in [&mut r.hl, &mut r.sp, &mut r.pc] {
            stream.word(register);
        }
        stream.flag(&mut self.interrupts_on);
        stream.byte(&mut self.enable_delay);
        stream.flag(&mut self.halted);
        stream.flag(&mut self.stopped);
        stream.byte(&mut self.enabled);
        stream.flag(&mut self.queued);
        stream.byte(&mut self.requested);
        stream.time(cycles);
    }
}

impl Registers {
    #[inline(always)]
    pub(crate) fn bc(&self) -> u16 {
        u16::from_be_bytes([self.b, self.c])
    }

    #[inline(always)]
    pub(crate) fn de(&self) -> u16 {
        u16::from_be_bytes([self.d, self.e])
    }

    #[inline(always)]
    pub(crate) fn h(&self) -> u8 {
        (self.hl >> 8) as u8
    }

    #[inline(always)]
    pub(crate) fn l(&self) -> u8 {
        self.hl as u8
    }

    #[inline(always)]
    pub(crate) fn set_bc(&mut self, value: u16) {
        [self.b, self.c] = value.to_be_bytes();
    }

    #[inline(always)]
    pub(crate) fn set_de(&mut self, value: u16) {
        [self.d, self.e] = value.to_be_bytes();
    }

    #[inline(always)]
    pub(crate) fn set_h(&mut self, value: u8) {
        self.hl = u16::from_be_bytes([value, self.l()]);
    }

    #[inline(always)]
    pub(crate) fn set_l(&mut self, value: u8) {
        self.hl = u16::from_be_bytes([self.h(), value]);
    }

    #[inline(always)]
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.f & flag != 0
    }

    #[inline(always)]
    fn carry(&self) -> u8 {
        self.f >> 4 & 1
    }

    #[inline(always)]
    fn add_with(&mut self, value: u8, carry: u8) {
        let sum = u16::from(self.a) + u16::from(value) + u16::from(carry);
        // A bit of the sum differs from those of its terms where a carry came in.
        let carries = u16::from(self.a ^ value) ^ sum;
        self.a = sum as u8;
        self.f = zero(self.a) | (carries as u8 & 0x10) << 1 | (sum >> 4) as u8 & flag::CARRY;
    }

    #[inline(always)]
    fn difference(&mut self, value: u8, carry: u8) -> u8 {
        let difference = u16::from(self.a).wrapping_sub(u16::from(value) + u16::from(carry));
        let borrows = u16::from(self.a ^ value) ^ difference;
        let result = difference as u8;
        let half = (borrows as u8 & 0x10) << 1;
        self.f = zero(result) | flag::SUBTRACT | half | (difference >> 4) as u8 & flag::CARRY;
        result
    }

    /// ADD, ADC, SUB, SBC, AND, XOR, OR, CP by the middle bits of their opcodes.
    #[inline(always)]
    pub(crate) fn accumulate<const OPERATION: u8>(&mut self, value: u8) {
        match OPERATION {
            0 => self.add_with(value, 0),
            1 => self.add_with(value, self.carry()),
            2 => self.a = self.difference(value, 0),
            3 => self.a = self.difference(value, self.carry()),
            4 => {
                self.a &= value;
                self.f = zero(self.a) | flag::HALF;
            }
            5 => {
                self.a ^= value;
                self.f = zero(self.a);
            }
            6 => {
                self.a |= value;
                self.f = zero(self.a);
            }
            _ => {
                self.difference(value, 0);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn increment(&mut self, value: u8) -> u8 {
        let result = value.wrapping_add(1);
        let half = if value & 0xF == 0xF { flag::HALF } else { 0 };
        self.f = self.f & flag::CARRY | zero(result) | half;
        result
    }

    #[inline(always)]
    pub(crate) fn decrement(&mut self, value: u8) -> u8 {
        let result = value.wrapping_sub(1);
        let half = if value & 0xF == 0 { flag::HALF } else { 0 };
        self.f = self.f & flag::CARRY | zero(result) | flag::SUBTRACT | half;
        result
    }

    #[inline(always)]
    pub(crate) fn add_hl(&mut self, value: u16) {
        let sum = u32::from(self.hl) + u32::from(value);
        let carries = u32::from(self.hl ^ value) ^ sum;
        self.hl = sum as u16;
        self.f = self.f & flag::ZERO | (carries >> 7) as u8 & flag::HALF;
        self.f |= (sum >> 12) as u8 & flag::CARRY;
    }

    /// SP plus a signed byte; the flags come from the low bytes.
    #[inline(always)]
    pub(crate) fn sp_plus(&mut self, offset: u8) -> u16 {
        let sum = (self.sp & 0xFF) + u16::from(offset);
        let carries = self.sp ^ u16::from(offset) ^ sum;
        self.f = (carries as u8 & 0x10) << 1 | (sum >> 4) as u8 & flag::CARRY;
        self.sp.wrapping_add_signed(i16::from(offset as i8))
    }

    #[inline(always)]
    pub(crate) fn adjust_decimal(&mut self) {
        let mut correction = 0;
        if self.has(flag::HALF) {
            correction |= 0x06;
        }
        if self.has(flag::CARRY) {
            correction |= 0x60;
        }
        if self.has(flag::SUBTRACT) {
            self.a = self.a.wrapping_sub(correction);
        } else {
            if self.a & 0xF > 9 {
                correction |= 0x06;
            }
            if self.a > 0x99 {
                correction |= 0x60;
            }
            self.a = self.a.wrapping_add(correction);
        }
        let carry = if correction & 0x60 != 0 { flag::CARRY } else { 0 };
        self.f = self.f & flag::SUBTRACT | zero(self.a) | carry;
    }

    #[inline(always)]
    pub(crate) fn complement(&mut self) {
        self.a = !self.a;
        self.f |= flag::SUBTRACT | flag::HALF;
    }

    #[inline(always)]
    pub(crate) fn set_carry(&mut self) {
        self.f = self.f & flag::ZERO | flag::CARRY;
    }

    #[inline(always)]
    pub(crate) fn flip_carry(&mut self) {
        self.f = self.f & (flag::ZERO | flag::CARRY) ^ flag::CARRY;
    }

    /// RLCA, RRCA, RLA, RRA, which know no zero.
    #[inline(always)]
    pub(crate) fn rotate_accumulator(&mut self, operation: u8) {
        self.a = self.rotate(operation, self.a);
        self.f &= flag::CARRY;
    }

    /// RLC, RRC, RL, RR, SLA, SRA, SWAP, SRL by the middle bits of their opcodes.
    #[inline(always)]
    pub(crate) fn rotate(&mut self, operation: u8, value: u8) -> u8 {
        let carry = self.carry();
        let (result, out) = match operation {
            0 => (value.rotate_left(1), value >> 7),
            1 => (value.rotate_right(1), value & 1),
            2 => (value << 1 | carry, value >> 7),
            3 => (value >> 1 | carry << 7, value & 1),
            4 => (value << 1, value >> 7),
            5 => (value >> 1 | value & 0x80, value & 1),
            6 => (value.rotate_left(4), 0),
            _ => (value >> 1, value & 1),
        };
        self.f = zero(result) | out << 4;
        result
    }
}

#[inline(always)]
pub fn zero(value: u8) -> u8 {
    if value == 0 { flag::ZERO } else { 0 }
}

impl Core {
    /// Runs the CPU until `target`, or until something asks for a new slice; where nothing does, on
    /// through the slices that follow. Returns whether the components have caught up.
    pub fn run_slice(&mut self, rom: &Rom, target: i64) -> bool {
        let length = target - self.cycles;
        self.slice_end = target;
        if self.dispatch_interrupt(rom) {
            self.cpu.halted = false;
        }
        if self.cpu.halted {
            if self.cpu.queued {
                self.cpu.halted = false;
                let r = &mut self.cpu.registers;
                r.pc = r.pc.wrapping_add(1);
            } else {
                self.cycles += length;
            }
        }
        self.cpu.queued = false;
        self.bail = false;
        while self.cycles < self.slice_end && self.fault.is_none() {
            if self.cpu.enable_delay != 0 {
                self.execute_one(rom);
            } else if self.execute(rom, self.slice_end) {
                return true;
            }
            if self.cpu.enable_delay != 0 {
                self.cpu.enable_delay -= 1;
                if self.cpu.enable_delay == 0 {
                    self.cpu.interrupts_on = true;
                    // Also takes back what the instruction itself asked for.
                    self.bail = self.interrupt_pending();
                }
            }
            if self.bail {
                break;
            }
        }
        false
    }

    /// True if an interrupt ends a HALT, whether it is taken or not.
    fn dispatch_interrupt(&mut self, rom: &Rom) -> bool {
        if self.cpu.queued || self.cpu.enable_delay != 0 || !self.interrupt_pending() {
            return false;
        }
        let r = &mut self.cpu.registers;
        if self.cpu.halted && !self.cpu.halted_during_enable {
            r.pc = r.pc.wrapping_add(1);
        }
        self.cpu.halted_during_enable = false;
        if self.cpu.interrupts_on {
            self.take_interrupt(rom);
        }
        true
    }

    /// The first push may write IE, which can change or cancel what is taken.
    fn take_interrupt(&mut self, rom: &Rom) {
        let [high, low] = self.cpu.registers.pc.to_be_bytes();
        let sp = self.cpu.registers.sp;
        self.write(rom, sp.wrapping_sub(1), high);
        self.cpu.interrupts_on = false;
        let pending = self.cpu.requested & self.cpu.enabled & interrupt::ALL;
        if pending == 0 {
            self.cpu.registers.pc = 0;
            return;
        }
        let number = pending.trailing_zeros() as u16;
        self.cpu.requested ^= 1 << number;
        self.write(rom, sp.wrapping_sub(2), low);
        self.cpu.registers.sp = sp.wrapping_sub(2);
        self.cpu.registers.pc = 0x40 + 8 * number;
        self.cycles += 20;
    }
}
