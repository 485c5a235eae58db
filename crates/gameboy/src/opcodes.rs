//! The instruction set: what each opcode does, how long it is and how long it takes.

use crate::cpu::{Registers, flag};
use crate::execute::Run;

/// A byte register.
macro_rules! get {
    ($run:ident, h) => {
        $run.r.h()
    };
    ($run:ident, l) => {
        $run.r.l()
    };
    ($run:ident, $register:ident) => {
        $run.r.$register
    };
}

macro_rules! set {
    ($run:ident, h, $value:ident) => {
        $run.r.set_h($value)
    };
    ($run:ident, l, $value:ident) => {
        $run.r.set_l($value)
    };
    ($run:ident, $register:ident, $value:ident) => {
        $run.r.$register = $value
    };
}

/// Puts a value into a byte register.
macro_rules! load {
    ($run:ident, $register:ident, $value:expr, $bytes:expr, $cycles:expr) => {{
        let value = $value;
        set!($run, $register, value);
        $run.end($bytes, $cycles);
    }};
}

/// Reads a pair of registers, or puts a value into it.
macro_rules! pair {
    ($run:ident, bc) => {
        $run.r.bc()
    };
    ($run:ident, de) => {
        $run.r.de()
    };
    ($run:ident, $pair:ident) => {
        $run.r.$pair
    };
    ($run:ident, bc = $value:expr, $bytes:expr, $cycles:expr) => {{
        let value = $value;
        $run.r.set_bc(value);
        $run.end($bytes, $cycles);
    }};
    ($run:ident, de = $value:expr, $bytes:expr, $cycles:expr) => {{
        let value = $value;
        $run.r.set_de(value);
        $run.end($bytes, $cycles);
    }};
    ($run:ident, $pair:ident = $value:expr, $bytes:expr, $cycles:expr) => {{
        $run.r.$pair = $value;
        $run.end($bytes, $cycles);
    }};
}

/// Writes a byte to where a pair points.
macro_rules! store {
    ($run:ident, $pair:ident, $value:expr, $bytes:expr, $cycles:expr) => {{
        $run.write(pair!($run, $pair), $value);
        $run.end($bytes, $cycles);
    }};
}

/// Changes registers by one of their methods.
macro_rules! change {
    ($run:ident, $register:ident = $method:ident) => {{
        let before = get!($run, $register);
        let value = $run.r.$method(before);
        set!($run, $register, value);
        $run.end(1, 4);
    }};
    ($run:ident, $method:ident($($argument:expr)?), $cycles:expr) => {{
        $run.r.$method($($argument)?);
        $run.end(1, $cycles);
    }};
}

macro_rules! accumulate {
    ($run:ident, $operation:literal, $value:expr, $bytes:expr, $cycles:expr) => {{
        let value = $value;
        $run.r.accumulate::<$operation>(value);
        $run.end($bytes, $cycles);
    }};
}

impl Run<'_> {
    /// Does what was fetched.
    #[inline(always)]
    pub fn step(&mut self) {
        match self.opcode() {
            0x00 => self.end(1, 4),
            0x01 => pair!(self, bc = self.word(), 3, 12),
            0x02 => store!(self, bc, self.r.a, 1, 8),
            0x03 => pair!(self, bc = pair!(self, bc).wrapping_add(1), 1, 8),
            0x04 => change!(self, b = increment),
            0x05 => change!(self, b = decrement),
            0x06 => load!(self, b, self.byte(), 2, 8),
            0x07 => change!(self, rotate_accumulator(0), 4),
            0x08 => self.store_sp(),
            0x09 => change!(self, add_hl(pair!(self, bc)), 8),
            0x0A => load!(self, a, self.read(self.r.bc()), 1, 8),
            0x0B => pair!(self, bc = pair!(self, bc).wrapping_sub(1), 1, 8),
            0x0C => change!(self, c = increment),
            0x0D => change!(self, c = decrement),
            0x0E => load!(self, c, self.byte(), 2, 8),
            0x0F => change!(self, rotate_accumulator(1), 4),
            0x10 => self.stop(),
            0x11 => pair!(self, de = self.word(), 3, 12),
            0x12 => {
                self.write_timed(self.r.de(), self.r.a);
                self.end(1, 8);
            }
            0x13 => pair!(self, de = pair!(self, de).wrapping_add(1), 1, 8),
            0x14 => change!(self, d = increment),
            0x15 => change!(self, d = decrement),
            0x16 => load!(self, d, self.byte(), 2, 8),
            0x17 => change!(self, rotate_accumulator(2), 4),
            0x18 => self.jump_relative(true),
            0x19 => change!(self, add_hl(pair!(self, de)), 8),
            0x1A => load!(self, a, self.read_timed(self.r.de()), 1, 8),
            0x1B => pair!(self, de = pair!(self, de).wrapping_sub(1), 1, 8),
            0x1C => change!(self, e = increment),
            0x1D => change!(self, e = decrement),
            0x1E => load!(self, e, self.byte(), 2, 8),
            0x1F => change!(self, rotate_accumulator(3), 4),
            0x20 => self.jump_relative(!self.r.has(flag::ZERO)),
            0x21 => pair!(self, hl = self.word(), 3, 12),
            0x22 => {
                store!(self, hl, self.r.a, 1, 8);
                self.r.hl = self.r.hl.wrapping_add(1);
            }
            0x23 => pair!(self, hl = pair!(self, hl).wrapping_add(1), 1, 8),
            0x24 => change!(self, h = increment),
            0x25 => change!(self, h = decrement),
            0x26 => load!(self, h, self.byte(), 2, 8),
            0x27 => change!(self, adjust_decimal(), 4),
            0x28 => self.jump_relative(self.r.has(flag::ZERO)),
            0x29 => change!(self, add_hl(pair!(self, hl)), 8),
            0x2A => {
                load!(self, a, self.read(self.r.hl), 1, 8);
                self.r.hl = self.r.hl.wrapping_add(1);
            }
            0x2B => pair!(self, hl = pair!(self, hl).wrapping_sub(1), 1, 8),
            0x2C => change!(self, l = increment),
            0x2D => change!(self, l = decrement),
            0x2E => load!(self, l, self.byte(), 2, 8),
            0x2F => change!(self, complement(), 4),
            0x30 => self.jump_relative(!self.r.has(flag::CARRY)),
            0x31 => pair!(self, sp = self.word(), 3, 12),
            0x32 => {
                store!(self, hl, self.r.a, 1, 8);
                self.r.hl = self.r.hl.wrapping_sub(1);
            }
            0x33 => pair!(self, sp = pair!(self, sp).wrapping_add(1), 1, 8),
            0x34 => {
                self.modify(Registers::increment);
                self.end(1, 0);
            }
            0x35 => {
                self.modify(Registers::decrement);
                self.end(1, 0);
            }
            0x36 => {
                self.spend(4);
                store!(self, hl, self.byte(), 2, 8);
            }
            0x37 => change!(self, set_carry(), 4),
            0x38 => self.jump_relative(self.r.has(flag::CARRY)),
            0x39 => change!(self, add_hl(pair!(self, sp)), 8),
            0x3A => {
                load!(self, a, self.read(self.r.hl), 1, 8);
                self.r.hl = self.r.hl.wrapping_sub(1);
            }
            0x3B => pair!(self, sp = pair!(self, sp).wrapping_sub(1), 1, 8),
            0x3C => change!(self, a = increment),
            0x3D => change!(self, a = decrement),
            0x3E => load!(self, a, self.byte(), 2, 8),
            0x3F => change!(self, flip_carry(), 4),
            0x40 => self.end(1, 4),
            0x41 => load!(self, b, get!(self, c), 1, 4),
            0x42 => load!(self, b, get!(self, d), 1, 4),
            0x43 => load!(self, b, get!(self, e), 1, 4),
            0x44 => load!(self, b, get!(self, h), 1, 4),
            0x45 => load!(self, b, get!(self, l), 1, 4),
            0x46 => load!(self, b, self.read(self.r.hl), 1, 8),
            0x47 => load!(self, b, get!(self, a), 1, 4),
            0x48 => load!(self, c, get!(self, b), 1, 4),
            0x49 => self.end(1, 4),
            0x4A => load!(self, c, get!(self, d), 1, 4),
            0x4B => load!(self, c, get!(self, e), 1, 4),
            0x4C => load!(self, c, get!(self, h), 1, 4),
            0x4D => load!(self, c, get!(self, l), 1, 4),
            0x4E => load!(self, c, self.read(self.r.hl), 1, 8),
            0x4F => load!(self, c, get!(self, a), 1, 4),
            0x50 => load!(self, d, get!(self, b), 1, 4),
            0x51 => load!(self, d, get!(self, c), 1, 4),
            0x52 => self.end(1, 4),
            0x53 => load!(self, d, get!(self, e), 1, 4),
            0x54 => load!(self, d, get!(self, h), 1, 4),
            0x55 => load!(self, d, get!(self, l), 1, 4),
            0x56 => load!(self, d, self.read(self.r.hl), 1, 8),
            0x57 => load!(self, d, get!(self, a), 1, 4),
            0x58 => load!(self, e, get!(self, b), 1, 4),
            0x59 => load!(self, e, get!(self, c), 1, 4),
            0x5A => load!(self, e, get!(self, d), 1, 4),
            0x5B => self.end(1, 4),
            0x5C => load!(self, e, get!(self, h), 1, 4),
            0x5D => load!(self, e, get!(self, l), 1, 4),
            0x5E => load!(self, e, self.read(self.r.hl), 1, 8),
            0x5F => load!(self, e, get!(self, a), 1, 4),
            0x60 => load!(self, h, get!(self, b), 1, 4),
            0x61 => load!(self, h, get!(self, c), 1, 4),
            0x62 => load!(self, h, get!(self, d), 1, 4),
            0x63 => load!(self, h, get!(self, e), 1, 4),
            0x64 => self.end(1, 4),
            0x65 => load!(self, h, get!(self, l), 1, 4),
            0x66 => load!(self, h, self.read(self.r.hl), 1, 8),
            0x67 => load!(self, h, get!(self, a), 1, 4),
            0x68 => load!(self, l, get!(self, b), 1, 4),
            0x69 => load!(self, l, get!(self, c), 1, 4),
            0x6A => load!(self, l, get!(self, d), 1, 4),
            0x6B => load!(self, l, get!(self, e), 1, 4),
            0x6C => load!(self, l, get!(self, h), 1, 4),
            0x6D => self.end(1, 4),
            0x6E => load!(self, l, self.read(self.r.hl), 1, 8),
            0x6F => load!(self, l, get!(self, a), 1, 4),
            0x70 => store!(self, hl, get!(self, b), 1, 8),
            0x71 => store!(self, hl, get!(self, c), 1, 8),
            0x72 => store!(self, hl, get!(self, d), 1, 8),
            0x73 => store!(self, hl, get!(self, e), 1, 8),
            0x74 => store!(self, hl, get!(self, h), 1, 8),
            0x75 => store!(self, hl, get!(self, l), 1, 8),
            0x76 => self.halt(),
            0x77 => store!(self, hl, get!(self, a), 1, 8),
            0x78 => load!(self, a, get!(self, b), 1, 4),
            0x79 => load!(self, a, get!(self, c), 1, 4),
            0x7A => load!(self, a, get!(self, d), 1, 4),
            0x7B => load!(self, a, get!(self, e), 1, 4),
            0x7C => load!(self, a, get!(self, h), 1, 4),
            0x7D => load!(self, a, get!(self, l), 1, 4),
            0x7E => load!(self, a, self.read_timed(self.r.hl), 1, 8),
            0x7F => self.end(1, 4),
            0x80 => accumulate!(self, 0, get!(self, b), 1, 4),
            0x81 => accumulate!(self, 0, get!(self, c), 1, 4),
            0x82 => accumulate!(self, 0, get!(self, d), 1, 4),
            0x83 => accumulate!(self, 0, get!(self, e), 1, 4),
            0x84 => accumulate!(self, 0, get!(self, h), 1, 4),
            0x85 => accumulate!(self, 0, get!(self, l), 1, 4),
            0x86 => accumulate!(self, 0, self.read(self.r.hl), 1, 8),
            0x87 => accumulate!(self, 0, get!(self, a), 1, 4),
            0x88 => accumulate!(self, 1, get!(self, b), 1, 4),
            0x89 => accumulate!(self, 1, get!(self, c), 1, 4),
            0x8A => accumulate!(self, 1, get!(self, d), 1, 4),
            0x8B => accumulate!(self, 1, get!(self, e), 1, 4),
            0x8C => accumulate!(self, 1, get!(self, h), 1, 4),
            0x8D => accumulate!(self, 1, get!(self, l), 1, 4),
            0x8E => accumulate!(self, 1, self.read(self.r.hl), 1, 8),
            0x8F => accumulate!(self, 1, get!(self, a), 1, 4),
            0x90 => accumulate!(self, 2, get!(self, b), 1, 4),
            0x91 => accumulate!(self, 2, get!(self, c), 1, 4),
            0x92 => accumulate!(self, 2, get!(self, d), 1, 4),
            0x93 => accumulate!(self, 2, get!(self, e), 1, 4),
            0x94 => accumulate!(self, 2, get!(self, h), 1, 4),
            0x95 => accumulate!(self, 2, get!(self, l), 1, 4),
            0x96 => accumulate!(self, 2, self.read(self.r.hl), 1, 8),
            0x97 => accumulate!(self, 2, get!(self, a), 1, 4),
            0x98 => accumulate!(self, 3, get!(self, b), 1, 4),
            0x99 => accumulate!(self, 3, get!(self, c), 1, 4),
            0x9A => accumulate!(self, 3, get!(self, d), 1, 4),
            0x9B => accumulate!(self, 3, get!(self, e), 1, 4),
            0x9C => accumulate!(self, 3, get!(self, h), 1, 4),
            0x9D => accumulate!(self, 3, get!(self, l), 1, 4),
            0x9E => accumulate!(self, 3, self.read(self.r.hl), 1, 8),
            0x9F => accumulate!(self, 3, get!(self, a), 1, 4),
            0xA0 => accumulate!(self, 4, get!(self, b), 1, 4),
            0xA1 => accumulate!(self, 4, get!(self, c), 1, 4),
            0xA2 => accumulate!(self, 4, get!(self, d), 1, 4),
            0xA3 => accumulate!(self, 4, get!(self, e), 1, 4),
            0xA4 => accumulate!(self, 4, get!(self, h), 1, 4),
            0xA5 => accumulate!(self, 4, get!(self, l), 1, 4),
            0xA6 => accumulate!(self, 4, self.read(self.r.hl), 1, 8),
            0xA7 => accumulate!(self, 4, get!(self, a), 1, 4),
            0xA8 => accumulate!(self, 5, get!(self, b), 1, 4),
            0xA9 => accumulate!(self, 5, get!(self, c), 1, 4),
            0xAA => accumulate!(self, 5, get!(self, d), 1, 4),
            0xAB => accumulate!(self, 5, get!(self, e), 1, 4),
            0xAC => accumulate!(self, 5, get!(self, h), 1, 4),
            0xAD => accumulate!(self, 5, get!(self, l), 1, 4),
            0xAE => accumulate!(self, 5, self.read(self.r.hl), 1, 8),
            0xAF => accumulate!(self, 5, get!(self, a), 1, 4),
            0xB0 => accumulate!(self, 6, get!(self, b), 1, 4),
            0xB1 => accumulate!(self, 6, get!(self, c), 1, 4),
            0xB2 => accumulate!(self, 6, get!(self, d), 1, 4),
            0xB3 => accumulate!(self, 6, get!(self, e), 1, 4),
            0xB4 => accumulate!(self, 6, get!(self, h), 1, 4),
            0xB5 => accumulate!(self, 6, get!(self, l), 1, 4),
            0xB6 => accumulate!(self, 6, self.read(self.r.hl), 1, 8),
            0xB7 => accumulate!(self, 6, get!(self, a), 1, 4),
            0xB8 => accumulate!(self, 7, get!(self, b), 1, 4),
            0xB9 => accumulate!(self, 7, get!(self, c), 1, 4),
            0xBA => accumulate!(self, 7, get!(self, d), 1, 4),
            0xBB => accumulate!(self, 7, get!(self, e), 1, 4),
            0xBC => accumulate!(self, 7, get!(self, h), 1, 4),
            0xBD => accumulate!(self, 7, get!(self, l), 1, 4),
            0xBE => accumulate!(self, 7, self.read(self.r.hl), 1, 8),
            0xBF => accumulate!(self, 7, get!(self, a), 1, 4),
            0xC0 => self.ret(!self.r.has(flag::ZERO)),
            0xC1 => pair!(self, bc = self.pop(), 1, 0),
            0xC2 => self.jump(!self.r.has(flag::ZERO)),
            0xC3 => self.jump(true),
            0xC4 => self.call(!self.r.has(flag::ZERO)),
            0xC5 => self.push_register(self.r.bc()),
            0xC6 => accumulate!(self, 0, self.byte(), 2, 8),
            0xC7 => self.restart(0x00),
            0xC8 => self.ret(self.r.has(flag::ZERO)),
            0xC9 => {
                self.spend(4);
                let target = self.pop();
                self.jump_to(target);
            }
            0xCA => self.jump(self.r.has(flag::ZERO)),
            0xCB => self.prefixed(),
            0xCC => self.call(self.r.has(flag::ZERO)),
            0xCD => self.call(true),
            0xCE => accumulate!(self, 1, self.byte(), 2, 8),
            0xCF => self.restart(0x08),
            0xD0 => self.ret(!self.r.has(flag::CARRY)),
            0xD1 => pair!(self, de = self.pop(), 1, 0),
            0xD2 => self.jump(!self.r.has(flag::CARRY)),
            0xD4 => self.call(!self.r.has(flag::CARRY)),
            0xD5 => self.push_register(self.r.de()),
            0xD6 => accumulate!(self, 2, self.byte(), 2, 8),
            0xD7 => self.restart(0x10),
            0xD8 => self.ret(self.r.has(flag::CARRY)),
            0xD9 => self.return_from_interrupt(),
            0xDA => self.jump(self.r.has(flag::CARRY)),
            0xDC => self.call(self.r.has(flag::CARRY)),
            0xDE => accumulate!(self, 3, self.byte(), 2, 8),
            0xDF => self.restart(0x18),
            0xE0 => {
                self.spend(4);
                self.write(0xFF00 | u16::from(self.byte()), self.r.a);
                self.end(2, 8);
            }
            0xE1 => pair!(self, hl = self.pop(), 1, 0),
            0xE2 => {
                self.write(0xFF00 | u16::from(self.r.c), self.r.a);
                self.end(1, 8);
            }
            0xE5 => self.push_register(self.r.hl),
            0xE6 => accumulate!(self, 4, self.byte(), 2, 8),
            0xE7 => self.restart(0x20),
            0xE8 => {
                let offset = self.byte();
                pair!(self, sp = self.r.sp_plus(offset), 2, 16);
            }
            0xE9 => {
                self.jump_to(self.r.hl);
                self.spend(4);
            }
            0xEA => {
                self.spend(8);
                self.write(self.word(), self.r.a);
                self.end(3, 8);
            }
            0xEE => accumulate!(self, 5, self.byte(), 2, 8),
            0xEF => self.restart(0x28),
            0xF0 => {
                self.spend(4);
                load!(self, a, self.read(0xFF00 | u16::from(self.byte())), 2, 8);
            }
            0xF1 => {
                let [a, f] = self.pop().to_be_bytes();
                (self.r.a, self.r.f) = (a, f & 0xF0);
                self.end(1, 0);
            }
            0xF2 => load!(self, a, self.read(0xFF00 | u16::from(self.r.c)), 1, 8),
            0xF3 => self.disable_interrupts(),
            0xF5 => self.push_register(u16::from_be_bytes([self.r.a, self.r.f & 0xF0])),
            0xF6 => accumulate!(self, 6, self.byte(), 2, 8),
            0xF7 => self.restart(0x30),
            0xF8 => {
                let offset = self.byte();
                pair!(self, hl = self.r.sp_plus(offset), 2, 12);
            }
            0xF9 => pair!(self, sp = self.r.hl, 1, 8),
            0xFA => {
                self.spend(8);
                load!(self, a, self.read(self.word()), 3, 8);
            }
            0xFB => self.enable_interrupts(),
            0xFE => accumulate!(self, 7, self.byte(), 2, 8),
            0xFF => self.restart(0x38),
            0xD3 | 0xDB | 0xDD | 0xE3 | 0xE4 | 0xEB | 0xEC | 0xED | 0xF4 | 0xFC | 0xFD => {
                self.fail()
            }
        }
    }
}
