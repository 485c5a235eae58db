//! The instruction set: one opcode after another until a limit.
//!
//! Cycles are counted where PyBoy counts them: what an instruction adds before it reads or writes
//! decides what the LCD, the timer and the others have come to by then.

use crate::core::Core;
use crate::cpu::{Registers, flag};
use crate::error::Fault;
use crate::rom::{ROM_BANK, Rom};

/// PyBoy takes the last two addresses of the lower bank from the switched one, where they lie
/// before its beginning.
const HIGH_CODE: usize = ROM_BANK - 2;

/// Ends the loop after the running instruction.
const NOW: i64 = i64::MIN;

/// Bytes of an opcode and its operands; an illegal one has no length.
fn length(opcode: u8) -> u8 {
    match opcode {
        0x01 | 0x08 | 0x11 | 0x21 | 0x31 => 3,
        0xC2..=0xC4 | 0xCA | 0xCC | 0xCD | 0xD2 | 0xD4 | 0xDA | 0xDC | 0xEA | 0xFA => 3,
        0x10 | 0x18 | 0x20 | 0x28 | 0x30 | 0x38 | 0xCB | 0xE0 | 0xE8 | 0xF0 | 0xF8 => 2,
        _ if opcode & 0xC7 == 0x06 || opcode & 0xC7 == 0xC6 => 2,
        _ => 1,
    }
}

impl Core {
    /// The bank of ROM that an address is in, and the address of its first byte; nothing where
    /// instructions do not come from plain ROM.
    fn code_at<'a>(&self, rom: &'a Rom, pc: u16) -> (&'a [u8], usize) {
        let start = match usize::from(pc) {
            0..HIGH_CODE => 0,
            HIGH_CODE..0x8000 if self.boot.is_none() => HIGH_CODE,
            _ => return (&[], 0),
        };
        let [low, high] = self.rom_bases;
        let bytes = match start {
            0 => rom.bytes.get(low..low + HIGH_CODE),
            _ => rom.bytes.get(high.wrapping_sub(ROM_BANK - HIGH_CODE)..high + ROM_BANK),
        };
        (bytes.unwrap_or_default(), start)
    }

    /// An opcode and its operands where they are not plain ROM. PyBoy reads each operand as many
    /// cycles ahead as it comes later.
    #[inline(never)]
    fn fetch_slow(&mut self, rom: &Rom, r: Registers, cycles: i64) -> u32 {
        self.cpu.registers = r;
        self.cycles = cycles;
        if let Some(bytes) = self.fetch_high(rom, r.pc) {
            return u32::from_le_bytes(bytes);
        }
        let mut bytes = [self.read(rom, r.pc), 0, 0, 0];
        for at in 1..length(bytes[0]) {
            let address = r.pc.wrapping_add(u16::from(at));
            self.access_offset = 4 * i64::from(at);
            let plain = !Self::is_video(address);
            bytes[usize::from(at)] =
                if plain { self.read(rom, address) } else { self.read_slow(rom, address) };
        }
        self.access_offset = 0;
        u32::from_le_bytes(bytes)
    }

    /// From high RAM, where programs wait for a copy into OAM: all reads bring the copy forward,
    /// the last one furthest.
    fn fetch_high(&mut self, rom: &Rom, pc: u16) -> Option<[u8; 4]> {
        let copies_video = (0x80..0xA0).contains(&self.oam_dma.source);
        if !(0xFF80..0xFFFD).contains(&pc) || copies_video {
            return None;
        }
        let at = usize::from(pc & 0x7F);
        let bytes = [self.hram[at], self.hram[at + 1], self.hram[at + 2], 0];
        self.sync_oam_dma(rom, 4 * i64::from(length(bytes[0])) - 4);
        Some(bytes)
    }

    /// Runs instructions until a slice ends in which the CPU has to be looked at from outside, or EI
    /// was run; `SINGLE` runs one. Returns whether the components have caught up with the CPU.
    pub fn execute<const SINGLE: bool>(&mut self, rom: &Rom, mut limit: i64) -> bool {
        let mut r = self.cpu.registers;
        let mut cycles = self.cycles;
        // The bank that instructions come from, and the address of its first byte. Banks change
        // only by writes that end the slice.
        let (mut code, mut code_start) = (&[][..], 0);

        macro_rules! read {
            ($address:expr) => {{
                let address = $address;
                match self.read_fast(rom, address) {
                    Some(byte) => byte,
                    None => {
                        self.cpu.registers = r;
                        self.cycles = cycles;
                        self.read_slow(rom, address)
                    }
                }
            }};
        }
        macro_rules! write {
            ($address:expr, $value:expr) => {{
                let (address, value) = ($address, $value);
                if !self.write_fast(address, value) {
                    self.cpu.registers = r;
                    self.cycles = cycles;
                    self.write_slow(rom, address, value);
                    if self.bail {
                        limit = NOW;
                    }
                }
            }};
        }
        // The three instructions for which PyBoy knows when within them memory is reached.
        macro_rules! read_timed {
            ($address:expr) => {{
                let address = $address;
                if (0x8000..0xA000).contains(&address) || address >= 0xFE00 {
                    self.cpu.registers = r;
                    self.cycles = cycles;
                    self.access_offset = 4;
                    let byte = self.read_slow(rom, address);
                    self.access_offset = 0;
                    byte
                } else {
                    read!(address)
                }
            }};
        }
        macro_rules! write_timed {
            ($address:expr, $value:expr) => {{
                let address = $address;
                if (0x8000..0xA000).contains(&address) || address >= 0xFE00 {
                    self.cpu.registers = r;
                    self.cycles = cycles;
                    self.access_offset = 4;
                    self.write_slow(rom, address, $value);
                    self.access_offset = 0;
                    if self.bail {
                        limit = NOW;
                    }
                } else {
                    write!(address, $value);
                }
            }};
        }
        macro_rules! push {
            ($value:expr) => {{
                let value: u16 = $value;
                let below = r.sp.wrapping_sub(2);
                if !self.write_pair_fast(below, value) {
                    let [high, low] = value.to_be_bytes();
                    write!(r.sp.wrapping_sub(1), high);
                    cycles += 4;
                    write!(below, low);
                    cycles -= 4;
                }
                r.sp = below;
                cycles += 8;
            }};
        }
        macro_rules! pop {
            () => {{
                let value = match self.read_pair_fast(r.sp) {
                    Some(value) => value,
                    None => {
                        let low = read!(r.sp);
                        cycles += 4;
                        let high = read!(r.sp.wrapping_add(1));
                        cycles -= 4;
                        u16::from_be_bytes([high, low])
                    }
                };
                r.sp = r.sp.wrapping_add(2);
                cycles += 12;
                value
            }};
        }
        macro_rules! modify {
            ($change:expr) => {{
                let value = read!(r.hl);
                cycles += 4;
                let value = $change(&mut r, value);
                write!(r.hl, value);
                cycles += 8;
            }};
        }

        loop {
            if cycles >= limit {
                self.cpu.registers = r;
                self.cycles = cycles;
                if SINGLE || limit == NOW {
                    return false;
                }
                match self.begin_next_slice(rom) {
                    Some(end) => limit = end,
                    None => return true,
                }
            }
            let mut at = usize::from(r.pc).wrapping_sub(code_start);
            if at >= code.len() {
                (code, code_start) = self.code_at(rom, r.pc);
                at = usize::from(r.pc).wrapping_sub(code_start);
            }
            let fetched = match code.get(at..).and_then(<[u8]>::first_chunk) {
                Some(bytes) => u32::from_le_bytes(*bytes),
                None => self.fetch_slow(rom, r, cycles),
            };
            let low = (fetched >> 8) as u8;
            let word = (fetched >> 8) as u16;

            macro_rules! jump_relative {
                ($condition:expr) => {{
                    r.pc = r.pc.wrapping_add(2);
                    cycles += 8;
                    if $condition {
                        r.pc = r.pc.wrapping_add_signed(i16::from(low as i8));
                        cycles += 4;
                    }
                }};
            }
            macro_rules! jump {
                ($condition:expr) => {{
                    r.pc = r.pc.wrapping_add(3);
                    cycles += 12;
                    if $condition {
                        r.pc = word;
                        cycles += 4;
                    }
                }};
            }
            macro_rules! call {
                ($condition:expr) => {{
                    r.pc = r.pc.wrapping_add(3);
                    if $condition {
                        cycles += 16;
                        push!(r.pc);
                        r.pc = word;
                    } else {
                        cycles += 12;
                    }
                }};
            }
            macro_rules! return_if {
                ($condition:expr) => {{
                    cycles += 8;
                    if $condition {
                        r.pc = pop!();
                    } else {
                        r.pc = r.pc.wrapping_add(1);
                    }
                }};
            }
            macro_rules! restart {
                ($address:expr) => {{
                    r.pc = r.pc.wrapping_add(1);
                    cycles += 8;
                    push!(r.pc);
                    r.pc = $address;
                }};
            }
            macro_rules! done {
                ($bytes:expr, $cycles:expr) => {{
                    r.pc = r.pc.wrapping_add($bytes);
                    cycles += $cycles;
                }};
            }

            match fetched as u8 {
                0x00 => done!(1, 4),
                0x01 => {
                    r.set_bc(word);
                    done!(3, 12);
                }
                0x02 => {
                    write!(r.bc(), r.a);
                    done!(1, 8);
                }
                0x03 => {
                    r.set_bc(r.bc().wrapping_add(1));
                    done!(1, 8);
                }
                0x04 => {
                    let value = r.increment(r.b);
                    r.b = value;
                    done!(1, 4);
                }
                0x05 => {
                    let value = r.decrement(r.b);
                    r.b = value;
                    done!(1, 4);
                }
                0x06 => {
                    r.b = low;
                    done!(2, 8);
                }
                0x07 => {
                    r.a = r.rotate(0, r.a);
                    r.f &= flag::CARRY;
                    done!(1, 4);
                }
                0x08 => {
                    let [high, low] = r.sp.to_be_bytes();
                    write!(word, low);
                    write!(word.wrapping_add(1), high);
                    done!(3, 20);
                }
                0x09 => {
                    r.add_hl(r.bc());
                    done!(1, 8);
                }
                0x0A => {
                    r.a = read!(r.bc());
                    done!(1, 8);
                }
                0x0B => {
                    r.set_bc(r.bc().wrapping_sub(1));
                    done!(1, 8);
                }
                0x0C => {
                    let value = r.increment(r.c);
                    r.c = value;
                    done!(1, 4);
                }
                0x0D => {
                    let value = r.decrement(r.c);
                    r.c = value;
                    done!(1, 4);
                }
                0x0E => {
                    r.c = low;
                    done!(2, 8);
                }
                0x0F => {
                    r.a = r.rotate(1, r.a);
                    r.f &= flag::CARRY;
                    done!(1, 4);
                }
                0x10 => {
                    self.cpu.registers = r;
                    self.cycles = cycles;
                    if self.cgb {
                        self.switch_speed();
                        self.write_slow(rom, 0xFF04, 0);
                        limit = NOW;
                    }
                    done!(2, 4);
                }
                0x11 => {
                    r.set_de(word);
                    done!(3, 12);
                }
                0x12 => {
                    write_timed!(r.de(), r.a);
                    done!(1, 8);
                }
                0x13 => {
                    r.set_de(r.de().wrapping_add(1));
                    done!(1, 8);
                }
                0x14 => {
                    let value = r.increment(r.d);
                    r.d = value;
                    done!(1, 4);
                }
                0x15 => {
                    let value = r.decrement(r.d);
                    r.d = value;
                    done!(1, 4);
                }
                0x16 => {
                    r.d = low;
                    done!(2, 8);
                }
                0x17 => {
                    r.a = r.rotate(2, r.a);
                    r.f &= flag::CARRY;
                    done!(1, 4);
                }
                0x18 => jump_relative!(true),
                0x19 => {
                    r.add_hl(r.de());
                    done!(1, 8);
                }
                0x1A => {
                    r.a = read_timed!(r.de());
                    done!(1, 8);
                }
                0x1B => {
                    r.set_de(r.de().wrapping_sub(1));
                    done!(1, 8);
                }
                0x1C => {
                    let value = r.increment(r.e);
                    r.e = value;
                    done!(1, 4);
                }
                0x1D => {
                    let value = r.decrement(r.e);
                    r.e = value;
                    done!(1, 4);
                }
                0x1E => {
                    r.e = low;
                    done!(2, 8);
                }
                0x1F => {
                    r.a = r.rotate(3, r.a);
                    r.f &= flag::CARRY;
                    done!(1, 4);
                }
                0x20 => jump_relative!(!r.has(flag::ZERO)),
                0x21 => {
                    r.hl = word;
                    done!(3, 12);
                }
                0x22 => {
                    write!(r.hl, r.a);
                    r.hl = r.hl.wrapping_add(1);
                    done!(1, 8);
                }
                0x23 => {
                    r.hl = r.hl.wrapping_add(1);
                    done!(1, 8);
                }
                0x24 => {
                    let value = r.increment(r.h());
                    r.set_h(value);
                    done!(1, 4);
                }
                0x25 => {
                    let value = r.decrement(r.h());
                    r.set_h(value);
                    done!(1, 4);
                }
                0x26 => {
                    r.set_h(low);
                    done!(2, 8);
                }
                0x27 => {
                    r.adjust_decimal();
                    done!(1, 4);
                }
                0x28 => jump_relative!(r.has(flag::ZERO)),
                0x29 => {
                    r.add_hl(r.hl);
                    done!(1, 8);
                }
                0x2A => {
                    r.a = read!(r.hl);
                    r.hl = r.hl.wrapping_add(1);
                    done!(1, 8);
                }
                0x2B => {
                    r.hl = r.hl.wrapping_sub(1);
                    done!(1, 8);
                }
                0x2C => {
                    let value = r.increment(r.l());
                    r.set_l(value);
                    done!(1, 4);
                }
                0x2D => {
                    let value = r.decrement(r.l());
                    r.set_l(value);
                    done!(1, 4);
                }
                0x2E => {
                    r.set_l(low);
                    done!(2, 8);
                }
                0x2F => {
                    r.a = !r.a;
                    r.f |= flag::SUBTRACT | flag::HALF;
                    done!(1, 4);
                }
                0x30 => jump_relative!(!r.has(flag::CARRY)),
                0x31 => {
                    r.sp = word;
                    done!(3, 12);
                }
                0x32 => {
                    write!(r.hl, r.a);
                    r.hl = r.hl.wrapping_sub(1);
                    done!(1, 8);
                }
                0x33 => {
                    r.sp = r.sp.wrapping_add(1);
                    done!(1, 8);
                }
                0x34 => {
                    modify!(Registers::increment);
                    r.pc = r.pc.wrapping_add(1);
                }
                0x35 => {
                    modify!(Registers::decrement);
                    r.pc = r.pc.wrapping_add(1);
                }
                0x36 => {
                    cycles += 4;
                    write!(r.hl, low);
                    done!(2, 8);
                }
                0x37 => {
                    r.f = r.f & flag::ZERO | flag::CARRY;
                    done!(1, 4);
                }
                0x38 => jump_relative!(r.has(flag::CARRY)),
                0x39 => {
                    r.add_hl(r.sp);
                    done!(1, 8);
                }
                0x3A => {
                    r.a = read!(r.hl);
                    r.hl = r.hl.wrapping_sub(1);
                    done!(1, 8);
                }
                0x3B => {
                    r.sp = r.sp.wrapping_sub(1);
                    done!(1, 8);
                }
                0x3C => {
                    let value = r.increment(r.a);
                    r.a = value;
                    done!(1, 4);
                }
                0x3D => {
                    let value = r.decrement(r.a);
                    r.a = value;
                    done!(1, 4);
                }
                0x3E => {
                    r.a = low;
                    done!(2, 8);
                }
                0x3F => {
                    r.f = (r.f & (flag::ZERO | flag::CARRY)) ^ flag::CARRY;
                    done!(1, 4);
                }
                0x40 => done!(1, 4),
                0x41 => {
                    r.b = r.c;
                    done!(1, 4);
                }
                0x42 => {
                    r.b = r.d;
                    done!(1, 4);
                }
                0x43 => {
                    r.b = r.e;
                    done!(1, 4);
                }
                0x44 => {
                    r.b = r.h();
                    done!(1, 4);
                }
                0x45 => {
                    r.b = r.l();
                    done!(1, 4);
                }
                0x46 => {
                    let value = read!(r.hl);
                    r.b = value;
                    done!(1, 8);
                }
                0x47 => {
                    r.b = r.a;
                    done!(1, 4);
                }
                0x48 => {
                    r.c = r.b;
                    done!(1, 4);
                }
                0x49 => done!(1, 4),
                0x4A => {
                    r.c = r.d;
                    done!(1, 4);
                }
                0x4B => {
                    r.c = r.e;
                    done!(1, 4);
                }
                0x4C => {
                    r.c = r.h();
                    done!(1, 4);
                }
                0x4D => {
                    r.c = r.l();
                    done!(1, 4);
                }
                0x4E => {
                    let value = read!(r.hl);
                    r.c = value;
                    done!(1, 8);
                }
                0x4F => {
                    r.c = r.a;
                    done!(1, 4);
                }
                0x50 => {
                    r.d = r.b;
                    done!(1, 4);
                }
                0x51 => {
                    r.d = r.c;
                    done!(1, 4);
                }
                0x52 => done!(1, 4),
                0x53 => {
                    r.d = r.e;
                    done!(1, 4);
                }
                0x54 => {
                    r.d = r.h();
                    done!(1, 4);
                }
                0x55 => {
                    r.d = r.l();
                    done!(1, 4);
                }
                0x56 => {
                    let value = read!(r.hl);
                    r.d = value;
                    done!(1, 8);
                }
                0x57 => {
                    r.d = r.a;
                    done!(1, 4);
                }
                0x58 => {
                    r.e = r.b;
                    done!(1, 4);
                }
                0x59 => {
                    r.e = r.c;
                    done!(1, 4);
                }
                0x5A => {
                    r.e = r.d;
                    done!(1, 4);
                }
                0x5B => done!(1, 4),
                0x5C => {
                    r.e = r.h();
                    done!(1, 4);
                }
                0x5D => {
                    r.e = r.l();
                    done!(1, 4);
                }
                0x5E => {
                    let value = read!(r.hl);
                    r.e = value;
                    done!(1, 8);
                }
                0x5F => {
                    r.e = r.a;
                    done!(1, 4);
                }
                0x60 => {
                    r.set_h(r.b);
                    done!(1, 4);
                }
                0x61 => {
                    r.set_h(r.c);
                    done!(1, 4);
                }
                0x62 => {
                    r.set_h(r.d);
                    done!(1, 4);
                }
                0x63 => {
                    r.set_h(r.e);
                    done!(1, 4);
                }
                0x64 => done!(1, 4),
                0x65 => {
                    r.set_h(r.l());
                    done!(1, 4);
                }
                0x66 => {
                    let value = read!(r.hl);
                    r.set_h(value);
                    done!(1, 8);
                }
                0x67 => {
                    r.set_h(r.a);
                    done!(1, 4);
                }
                0x68 => {
                    r.set_l(r.b);
                    done!(1, 4);
                }
                0x69 => {
                    r.set_l(r.c);
                    done!(1, 4);
                }
                0x6A => {
                    r.set_l(r.d);
                    done!(1, 4);
                }
                0x6B => {
                    r.set_l(r.e);
                    done!(1, 4);
                }
                0x6C => {
                    r.set_l(r.h());
                    done!(1, 4);
                }
                0x6D => done!(1, 4),
                0x6E => {
                    let value = read!(r.hl);
                    r.set_l(value);
                    done!(1, 8);
                }
                0x6F => {
                    r.set_l(r.a);
                    done!(1, 4);
                }
                0x70 => {
                    write!(r.hl, r.b);
                    done!(1, 8);
                }
                0x71 => {
                    write!(r.hl, r.c);
                    done!(1, 8);
                }
                0x72 => {
                    write!(r.hl, r.d);
                    done!(1, 8);
                }
                0x73 => {
                    write!(r.hl, r.e);
                    done!(1, 8);
                }
                0x74 => {
                    write!(r.hl, r.h());
                    done!(1, 8);
                }
                0x75 => {
                    write!(r.hl, r.l());
                    done!(1, 8);
                }
                0x76 => {
                    self.cpu.halted = true;
                    self.cpu.halted_during_enable = self.cpu.enable_delay == 1;
                    self.bail = true;
                    limit = NOW;
                    cycles += 4;
                }
                0x77 => {
                    write!(r.hl, r.a);
                    done!(1, 8);
                }
                0x78 => {
                    r.a = r.b;
                    done!(1, 4);
                }
                0x79 => {
                    r.a = r.c;
                    done!(1, 4);
                }
                0x7A => {
                    r.a = r.d;
                    done!(1, 4);
                }
                0x7B => {
                    r.a = r.e;
                    done!(1, 4);
                }
                0x7C => {
                    r.a = r.h();
                    done!(1, 4);
                }
                0x7D => {
                    r.a = r.l();
                    done!(1, 4);
                }
                0x7E => {
                    r.a = read_timed!(r.hl);
                    done!(1, 8);
                }
                0x7F => done!(1, 4),
                0x80 => {
                    r.accumulate::<0>(r.b);
                    done!(1, 4);
                }
                0x81 => {
                    r.accumulate::<0>(r.c);
                    done!(1, 4);
                }
                0x82 => {
                    r.accumulate::<0>(r.d);
                    done!(1, 4);
                }
                0x83 => {
                    r.accumulate::<0>(r.e);
                    done!(1, 4);
                }
                0x84 => {
                    r.accumulate::<0>(r.h());
                    done!(1, 4);
                }
                0x85 => {
                    r.accumulate::<0>(r.l());
                    done!(1, 4);
                }
                0x86 => {
                    let value = read!(r.hl);
                    r.accumulate::<0>(value);
                    done!(1, 8);
                }
                0x87 => {
                    r.accumulate::<0>(r.a);
                    done!(1, 4);
                }
                0x88 => {
                    r.accumulate::<1>(r.b);
                    done!(1, 4);
                }
                0x89 => {
                    r.accumulate::<1>(r.c);
                    done!(1, 4);
                }
                0x8A => {
                    r.accumulate::<1>(r.d);
                    done!(1, 4);
                }
                0x8B => {
                    r.accumulate::<1>(r.e);
                    done!(1, 4);
                }
                0x8C => {
                    r.accumulate::<1>(r.h());
                    done!(1, 4);
                }
                0x8D => {
                    r.accumulate::<1>(r.l());
                    done!(1, 4);
                }
                0x8E => {
                    let value = read!(r.hl);
                    r.accumulate::<1>(value);
                    done!(1, 8);
                }
                0x8F => {
                    r.accumulate::<1>(r.a);
                    done!(1, 4);
                }
                0x90 => {
                    r.accumulate::<2>(r.b);
                    done!(1, 4);
                }
                0x91 => {
                    r.accumulate::<2>(r.c);
                    done!(1, 4);
                }
                0x92 => {
                    r.accumulate::<2>(r.d);
                    done!(1, 4);
                }
                0x93 => {
                    r.accumulate::<2>(r.e);
                    done!(1, 4);
                }
                0x94 => {
                    r.accumulate::<2>(r.h());
                    done!(1, 4);
                }
                0x95 => {
                    r.accumulate::<2>(r.l());
                    done!(1, 4);
                }
                0x96 => {
                    let value = read!(r.hl);
                    r.accumulate::<2>(value);
                    done!(1, 8);
                }
                0x97 => {
                    r.accumulate::<2>(r.a);
                    done!(1, 4);
                }
                0x98 => {
                    r.accumulate::<3>(r.b);
                    done!(1, 4);
                }
                0x99 => {
                    r.accumulate::<3>(r.c);
                    done!(1, 4);
                }
                0x9A => {
                    r.accumulate::<3>(r.d);
                    done!(1, 4);
                }
                0x9B => {
                    r.accumulate::<3>(r.e);
                    done!(1, 4);
                }
                0x9C => {
                    r.accumulate::<3>(r.h());
                    done!(1, 4);
                }
                0x9D => {
                    r.accumulate::<3>(r.l());
                    done!(1, 4);
                }
                0x9E => {
                    let value = read!(r.hl);
                    r.accumulate::<3>(value);
                    done!(1, 8);
                }
                0x9F => {
                    r.accumulate::<3>(r.a);
                    done!(1, 4);
                }
                0xA0 => {
                    r.accumulate::<4>(r.b);
                    done!(1, 4);
                }
                0xA1 => {
                    r.accumulate::<4>(r.c);
                    done!(1, 4);
                }
                0xA2 => {
                    r.accumulate::<4>(r.d);
                    done!(1, 4);
                }
                0xA3 => {
                    r.accumulate::<4>(r.e);
                    done!(1, 4);
                }
                0xA4 => {
                    r.accumulate::<4>(r.h());
                    done!(1, 4);
                }
                0xA5 => {
                    r.accumulate::<4>(r.l());
                    done!(1, 4);
                }
                0xA6 => {
                    let value = read!(r.hl);
                    r.accumulate::<4>(value);
                    done!(1, 8);
                }
                0xA7 => {
                    r.accumulate::<4>(r.a);
                    done!(1, 4);
                }
                0xA8 => {
                    r.accumulate::<5>(r.b);
                    done!(1, 4);
                }
                0xA9 => {
                    r.accumulate::<5>(r.c);
                    done!(1, 4);
                }
                0xAA => {
                    r.accumulate::<5>(r.d);
                    done!(1, 4);
                }
                0xAB => {
                    r.accumulate::<5>(r.e);
                    done!(1, 4);
                }
                0xAC => {
                    r.accumulate::<5>(r.h());
                    done!(1, 4);
                }
                0xAD => {
                    r.accumulate::<5>(r.l());
                    done!(1, 4);
                }
                0xAE => {
                    let value = read!(r.hl);
                    r.accumulate::<5>(value);
                    done!(1, 8);
                }
                0xAF => {
                    r.accumulate::<5>(r.a);
                    done!(1, 4);
                }
                0xB0 => {
                    r.accumulate::<6>(r.b);
                    done!(1, 4);
                }
                0xB1 => {
                    r.accumulate::<6>(r.c);
                    done!(1, 4);
                }
                0xB2 => {
                    r.accumulate::<6>(r.d);
                    done!(1, 4);
                }
                0xB3 => {
                    r.accumulate::<6>(r.e);
                    done!(1, 4);
                }
                0xB4 => {
                    r.accumulate::<6>(r.h());
                    done!(1, 4);
                }
                0xB5 => {
                    r.accumulate::<6>(r.l());
                    done!(1, 4);
                }
                0xB6 => {
                    let value = read!(r.hl);
                    r.accumulate::<6>(value);
                    done!(1, 8);
                }
                0xB7 => {
                    r.accumulate::<6>(r.a);
                    done!(1, 4);
                }
                0xB8 => {
                    r.accumulate::<7>(r.b);
                    done!(1, 4);
                }
                0xB9 => {
                    r.accumulate::<7>(r.c);
                    done!(1, 4);
                }
                0xBA => {
                    r.accumulate::<7>(r.d);
                    done!(1, 4);
                }
                0xBB => {
                    r.accumulate::<7>(r.e);
                    done!(1, 4);
                }
                0xBC => {
                    r.accumulate::<7>(r.h());
                    done!(1, 4);
                }
                0xBD => {
                    r.accumulate::<7>(r.l());
                    done!(1, 4);
                }
                0xBE => {
                    let value = read!(r.hl);
                    r.accumulate::<7>(value);
                    done!(1, 8);
                }
                0xBF => {
                    r.accumulate::<7>(r.a);
                    done!(1, 4);
                }
                0xC0 => return_if!(!r.has(flag::ZERO)),
                0xC1 => {
                    let value = pop!();
                    r.set_bc(value);
                    r.pc = r.pc.wrapping_add(1);
                }
                0xC2 => jump!(!r.has(flag::ZERO)),
                0xC3 => jump!(true),
                0xC4 => call!(!r.has(flag::ZERO)),
                0xC5 => {
                    cycles += 8;
                    push!(r.bc());
                    r.pc = r.pc.wrapping_add(1);
                }
                0xC6 => {
                    r.accumulate::<0>(low);
                    done!(2, 8);
                }
                0xC7 => restart!(0x00),
                0xC8 => return_if!(r.has(flag::ZERO)),
                0xC9 => {
                    cycles += 4;
                    r.pc = pop!();
                }
                0xCA => jump!(r.has(flag::ZERO)),
                0xCB => {
                    if low & 7 != 6 {
                        bits_of_register(&mut r, low);
                        done!(2, 8);
                    } else {
                        cycles += 4;
                        if low >> 6 == 1 {
                            let value = read!(r.hl);
                            test_bit(&mut r, low, value);
                            cycles += 8;
                        } else {
                            modify!(|r: &mut Registers, value| bits(r, low, value));
                        }
                        r.pc = r.pc.wrapping_add(2);
                    }
                }
                0xCC => call!(r.has(flag::ZERO)),
                0xCD => call!(true),
                0xCE => {
                    r.accumulate::<1>(low);
                    done!(2, 8);
                }
                0xCF => restart!(0x08),
                0xD0 => return_if!(!r.has(flag::CARRY)),
                0xD1 => {
                    let value = pop!();
                    r.set_de(value);
                    r.pc = r.pc.wrapping_add(1);
                }
                0xD2 => jump!(!r.has(flag::CARRY)),
                0xD4 => call!(!r.has(flag::CARRY)),
                0xD5 => {
                    cycles += 8;
                    push!(r.de());
                    r.pc = r.pc.wrapping_add(1);
                }
                0xD6 => {
                    r.accumulate::<2>(low);
                    done!(2, 8);
                }
                0xD7 => restart!(0x10),
                0xD8 => return_if!(r.has(flag::CARRY)),
                0xD9 => {
                    self.cpu.interrupts_on = true;
                    self.cpu.enable_delay = 0;
                    self.bail = self.interrupt_pending();
                    if self.bail {
                        limit = NOW;
                    }
                    cycles += 4;
                    r.pc = pop!();
                }
                0xDA => jump!(r.has(flag::CARRY)),
                0xDC => call!(r.has(flag::CARRY)),
                0xDE => {
                    r.accumulate::<3>(low);
                    done!(2, 8);
                }
                0xDF => restart!(0x18),
                0xE0 => {
                    cycles += 4;
                    write!(0xFF00 | u16::from(low), r.a);
                    done!(2, 8);
                }
                0xE1 => {
                    r.hl = pop!();
                    r.pc = r.pc.wrapping_add(1);
                }
                0xE2 => {
                    write!(0xFF00 | u16::from(r.c), r.a);
                    done!(1, 8);
                }
                0xE5 => {
                    cycles += 8;
                    push!(r.hl);
                    r.pc = r.pc.wrapping_add(1);
                }
                0xE6 => {
                    r.accumulate::<4>(low);
                    done!(2, 8);
                }
                0xE7 => restart!(0x20),
                0xE8 => {
                    r.sp = r.sp_plus(low);
                    done!(2, 16);
                }
                0xE9 => {
                    r.pc = r.hl;
                    cycles += 4;
                }
                0xEA => {
                    cycles += 8;
                    write!(word, r.a);
                    done!(3, 8);
                }
                0xEE => {
                    r.accumulate::<5>(low);
                    done!(2, 8);
                }
                0xEF => restart!(0x28),
                0xF0 => {
                    cycles += 4;
                    r.a = read!(0xFF00 | u16::from(low));
                    done!(2, 8);
                }
                0xF1 => {
                    let [a, f] = pop!().to_be_bytes();
                    (r.a, r.f) = (a, f & 0xF0);
                    r.pc = r.pc.wrapping_add(1);
                }
                0xF2 => {
                    r.a = read!(0xFF00 | u16::from(r.c));
                    done!(1, 8);
                }
                0xF3 => {
                    self.cpu.interrupts_on = false;
                    self.cpu.enable_delay = 0;
                    done!(1, 4);
                }
                0xF5 => {
                    cycles += 8;
                    push!(u16::from_be_bytes([r.a, r.f & 0xF0]));
                    r.pc = r.pc.wrapping_add(1);
                }
                0xF6 => {
                    r.accumulate::<6>(low);
                    done!(2, 8);
                }
                0xF7 => restart!(0x30),
                0xF8 => {
                    r.hl = r.sp_plus(low);
                    done!(2, 12);
                }
                0xF9 => {
                    r.sp = r.hl;
                    done!(1, 8);
                }
                0xFA => {
                    cycles += 8;
                    r.a = read!(word);
                    done!(3, 8);
                }
                0xFB => {
                    if self.cpu.enable_delay == 0 {
                        self.cpu.enable_delay = 2;
                    }
                    limit = NOW;
                    done!(1, 4);
                }
                0xFE => {
                    r.accumulate::<7>(low);
                    done!(2, 8);
                }
                0xFF => restart!(0x38),
                0xD3 | 0xDB | 0xDD | 0xE3 | 0xE4 | 0xEB | 0xEC | 0xED | 0xF4 | 0xFC | 0xFD => {
                    self.fault =
                        Some(Fault::IllegalOpcode { opcode: fetched as u8, address: r.pc });
                    limit = NOW;
                }
            }
        }
    }
}

#[inline(always)]
fn test_bit(r: &mut Registers, opcode: u8, value: u8) {
    let zero = if value & 1 << (opcode >> 3 & 7) == 0 { flag::ZERO } else { 0 };
    r.f = r.f & flag::CARRY | flag::HALF | zero;
}

/// What a 0xCB opcode other than BIT makes of a value.
#[inline(always)]
fn bits(r: &mut Registers, opcode: u8, value: u8) -> u8 {
    let number = opcode >> 3 & 7;
    match opcode >> 6 {
        0 => r.rotate(number, value),
        2 => value & !(1 << number),
        _ => value | 1 << number,
    }
}

#[inline(always)]
fn bits_of_register(r: &mut Registers, opcode: u8) {
    let value = match opcode & 7 {
        0 => r.b,
        1 => r.c,
        2 => r.d,
        3 => r.e,
        4 => r.h(),
        5 => r.l(),
        _ => r.a,
    };
    if opcode >> 6 == 1 {
        return test_bit(r, opcode, value);
    }
    let value = bits(r, opcode, value);
    match opcode & 7 {
        0 => r.b = value,
        1 => r.c = value,
        2 => r.d = value,
        3 => r.e = value,
        4 => r.set_h(value),
        5 => r.set_l(value),
        _ => r.a = value,
    }
}
