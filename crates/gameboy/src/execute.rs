//! Running instructions: fetching them, what they read and write, and when.
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

/// A limit that ends the loop after the running instruction.
const NOW: i64 = i64::MIN;

/// What the CPU holds while it runs. All of it is inlined into one loop, so that it stays in
/// registers of the host.
pub struct Run<'a> {
    core: &'a mut Core,
    rom: &'a Rom,
    pub r: Registers,
    pub cycles: i64,
    limit: i64,
    /// The instruction: its opcode in the lowest byte, operands above.
    fetched: u32,
}

impl Core {
    /// Runs instructions until a slice ends in which the CPU has to be looked at from outside, or
    /// EI was run; `SINGLE` runs one. Returns whether the components have caught up with the CPU.
    pub fn execute<const SINGLE: bool>(&mut self, rom: &Rom, limit: i64) -> bool {
        let (r, cycles) = (self.cpu.registers, self.cycles);
        let mut run = Run { core: self, rom, r, cycles, limit, fetched: 0 };
        // The bank that instructions come from, and the address of its first byte. Banks change
        // only by writes that end the slice.
        let (mut code, mut code_start) = (&[][..], 0);
        loop {
            if run.cycles >= run.limit {
                run.give_back();
                if SINGLE || run.limit == NOW {
                    return false;
                }
                match run.core.begin_next_slice(rom) {
                    Some(end) => run.limit = end,
                    None => return true,
                }
            }
            let mut at = usize::from(run.r.pc).wrapping_sub(code_start);
            if at >= code.len() {
                (code, code_start) = run.core.code_at(rom, run.r.pc);
                at = usize::from(run.r.pc).wrapping_sub(code_start);
            }
            run.fetched = match code.get(at..).and_then(<[u8]>::first_chunk) {
                Some(bytes) => u32::from_le_bytes(*bytes),
                None => {
                    run.give_back();
                    run.core.fetch_slow(rom, run.r.pc)
                }
            };
            run.step();
        }
    }

    /// The bank of ROM that an address is in, and the address of its first byte; nothing where
    /// instructions do not come from plain ROM.
    fn code_at<'a>(&self, rom: &'a Rom, pc: u16) -> (&'a [u8], usize) {
        let [low, high] = self.rom_bases;
        let (bytes, start) = match usize::from(pc) {
            0..HIGH_CODE => (rom.bytes.get(low..low + HIGH_CODE), 0),
            HIGH_CODE..0x8000 if self.boot.is_none() => {
                let first = high.wrapping_sub(ROM_BANK - HIGH_CODE);
                (rom.bytes.get(first..high + ROM_BANK), HIGH_CODE)
            }
            _ => (None, 0),
        };
        (bytes.unwrap_or_default(), start)
    }

    /// An opcode and its operands where they are not plain ROM. PyBoy reads each operand as many
    /// cycles ahead as it comes later.
    #[inline(never)]
    fn fetch_slow(&mut self, rom: &Rom, pc: u16) -> u32 {
        if let Some(fetched) = self.fetch_high(rom, pc) {
            return fetched;
        }
        let mut bytes = [self.read(rom, pc), 0, 0, 0];
        for at in 1..length(bytes[0]) {
            let address = pc.wrapping_add(u16::from(at));
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
    fn fetch_high(&mut self, rom: &Rom, pc: u16) -> Option<u32> {
        let copies_video = (0x80..0xA0).contains(&self.oam_dma.source);
        if !(0xFF80..0xFFFD).contains(&pc) || copies_video {
            return None;
        }
        let at = usize::from(pc & 0x7F);
        let bytes = [self.hram[at], self.hram[at + 1], self.hram[at + 2], 0];
        self.sync_oam_dma(rom, 4 * i64::from(length(bytes[0])) - 4);
        Some(u32::from_le_bytes(bytes))
    }
}

/// Bytes of an opcode and its operands.
fn length(opcode: u8) -> u8 {
    match opcode {
        0x01 | 0x08 | 0x11 | 0x21 | 0x31 => 3,
        0xC2..=0xC4 | 0xCA | 0xCC | 0xCD | 0xD2 | 0xD4 | 0xDA | 0xDC | 0xEA | 0xFA => 3,
        0x10 | 0x18 | 0x20 | 0x28 | 0x30 | 0x38 | 0xCB | 0xE0 | 0xE8 | 0xF0 | 0xF8 => 2,
        _ if opcode & 0xC7 == 0x06 || opcode & 0xC7 == 0xC6 => 2,
        _ => 1,
    }
}

/// Memory for which PyBoy's three timed instructions look at the LCD, or at a copy, first.
fn is_timed(address: u16) -> bool {
    (0x8000..0xA000).contains(&address) || address >= 0xFE00
}

impl Run<'_> {
    #[inline(always)]
    pub fn opcode(&self) -> u8 {
        self.fetched as u8
    }

    #[inline(always)]
    pub fn byte(&self) -> u8 {
        (self.fetched >> 8) as u8
    }

    #[inline(always)]
    pub fn word(&self) -> u16 {
        (self.fetched >> 8) as u16
    }

    /// Lets the rest of the machine see where the CPU is.
    #[inline(always)]
    fn give_back(&mut self) {
        self.core.cpu.registers = self.r;
        self.core.cycles = self.cycles;
    }

    /// Ends an instruction of so many bytes, which takes so many cycles more.
    #[inline(always)]
    pub fn end(&mut self, bytes: u16, cycles: i64) {
        self.r.pc = self.r.pc.wrapping_add(bytes);
        self.cycles += cycles;
    }

    #[inline(always)]
    pub fn read(&mut self, address: u16) -> u8 {
        match self.core.read_fast(self.rom, address) {
            Some(byte) => byte,
            None => {
                self.give_back();
                self.core.read_slow(self.rom, address)
            }
        }
    }

    #[inline(always)]
    pub fn write(&mut self, address: u16, value: u8) {
        if !self.core.write_fast(address, value) {
            self.write_slow(address, value);
        }
    }

    #[inline(always)]
    fn write_slow(&mut self, address: u16, value: u8) {
        self.give_back();
        self.core.write_slow(self.rom, address, value);
        if self.core.bail {
            self.limit = NOW;
        }
    }

    #[inline(always)]
    pub fn read_timed(&mut self, address: u16) -> u8 {
        if !is_timed(address) {
            return self.read(address);
        }
        self.give_back();
        self.core.access_offset = 4;
        let byte = self.core.read_slow(self.rom, address);
        self.core.access_offset = 0;
        byte
    }

    #[inline(always)]
    pub fn write_timed(&mut self, address: u16, value: u8) {
        if !is_timed(address) {
            return self.write(address, value);
        }
        self.core.access_offset = 4;
        self.write_slow(address, value);
        self.core.access_offset = 0;
    }

    #[inline(always)]
    pub fn push(&mut self, value: u16) {
        let below = self.r.sp.wrapping_sub(2);
        if !self.core.write_pair_fast(below, value) {
            let [high, low] = value.to_be_bytes();
            self.write(self.r.sp.wrapping_sub(1), high);
            self.cycles += 4;
            self.write(below, low);
            self.cycles -= 4;
        }
        self.r.sp = below;
        self.cycles += 8;
    }

    #[inline(always)]
    pub fn pop(&mut self) -> u16 {
        let value = match self.core.read_pair_fast(self.r.sp) {
            Some(value) => value,
            None => {
                let low = self.read(self.r.sp);
                self.cycles += 4;
                let high = self.read(self.r.sp.wrapping_add(1));
                self.cycles -= 4;
                u16::from_be_bytes([high, low])
            }
        };
        self.r.sp = self.r.sp.wrapping_add(2);
        self.cycles += 12;
        value
    }

    #[inline(always)]
    pub fn jump_relative(&mut self, condition: bool) {
        self.end(2, 8);
        if condition {
            self.r.pc = self.r.pc.wrapping_add_signed(i16::from(self.byte() as i8));
            self.cycles += 4;
        }
    }

    #[inline(always)]
    pub fn jump(&mut self, condition: bool) {
        self.end(3, 12);
        if condition {
            self.r.pc = self.word();
            self.cycles += 4;
        }
    }

    #[inline(always)]
    pub fn call(&mut self, condition: bool) {
        self.end(3, 12);
        if condition {
            self.cycles += 4;
            self.push(self.r.pc);
            self.r.pc = self.word();
        }
    }

    #[inline(always)]
    pub fn ret(&mut self, condition: bool) {
        self.end(1, 8);
        if condition {
            self.r.pc = self.pop();
        }
    }

    #[inline(always)]
    pub fn restart(&mut self, address: u16) {
        self.end(1, 8);
        self.push(self.r.pc);
        self.r.pc = address;
    }

    #[inline(always)]
    pub fn push_register(&mut self, value: u16) {
        self.end(1, 8);
        self.push(value);
    }

    /// Reads, changes and writes what HL points to; ends nothing.
    #[inline(always)]
    pub fn modify(&mut self, change: impl FnOnce(&mut Registers, u8) -> u8) {
        let value = self.read(self.r.hl);
        self.cycles += 4;
        let value = change(&mut self.r, value);
        self.write(self.r.hl, value);
        self.cycles += 8;
    }

    #[inline(always)]
    pub fn store_sp(&mut self) {
        let [high, low] = self.r.sp.to_be_bytes();
        self.write(self.word(), low);
        self.write(self.word().wrapping_add(1), high);
        self.end(3, 20);
    }

    #[inline(always)]
    pub fn stop(&mut self) {
        if self.core.cgb {
            self.give_back();
            self.core.switch_speed();
            self.write_slow(0xFF04, 0);
        }
        self.end(2, 4);
    }

    /// PyBoy stays at the instruction and steps over it when it wakes.
    #[inline(always)]
    pub fn halt(&mut self) {
        let cpu = &mut self.core.cpu;
        cpu.halted = true;
        cpu.halted_during_enable = cpu.enable_delay == 1;
        self.core.bail = true;
        self.limit = NOW;
        self.cycles += 4;
    }

    #[inline(always)]
    pub fn enable_interrupts(&mut self) {
        if self.core.cpu.enable_delay == 0 {
            self.core.cpu.enable_delay = 2;
        }
        self.limit = NOW;
        self.end(1, 4);
    }

    #[inline(always)]
    pub fn disable_interrupts(&mut self) {
        self.core.cpu.interrupts_on = false;
        self.core.cpu.enable_delay = 0;
        self.end(1, 4);
    }

    #[inline(always)]
    pub fn return_from_interrupt(&mut self) {
        self.core.cpu.interrupts_on = true;
        self.core.cpu.enable_delay = 0;
        self.core.bail = self.core.interrupt_pending();
        if self.core.bail {
            self.limit = NOW;
        }
        self.cycles += 4;
        self.r.pc = self.pop();
    }

    #[inline(always)]
    pub fn fail(&mut self) {
        let (opcode, address) = (self.opcode(), self.r.pc);
        self.core.fault = Some(Fault::IllegalOpcode { opcode, address });
        self.limit = NOW;
    }

    /// What follows 0xCB.
    #[inline(always)]
    pub fn prefixed(&mut self) {
        let opcode = self.byte();
        if opcode & 7 != 6 {
            bits_of_register(&mut self.r, opcode);
            return self.end(2, 8);
        }
        self.cycles += 4;
        if opcode >> 6 == 1 {
            let value = self.read(self.r.hl);
            test_bit(&mut self.r, opcode, value);
            self.cycles += 8;
        } else {
            self.modify(|r, value| bits(r, opcode, value));
        }
        self.r.pc = self.r.pc.wrapping_add(2);
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
