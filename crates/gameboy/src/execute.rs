//! Running instructions: fetching them, what they read and write, and when.
//!
//! Cycles are counted where PyBoy counts them: what an instruction adds before it reads or writes
//! decides what the LCD, the timer and the others have come to by then.

use crate::core::Core;
use crate::cpu::{Registers, flag};
use crate::error::Fault;
use crate::rom::{ROM_BANK, Rom, Window};
use crate::wait::{LONGEST, Wait, counts_down, may_wait};

/// What the CPU holds while it runs. All of it is inlined into one loop, so that it stays in
/// registers of the host.
pub struct Run<'a> {
    pub r: Registers,
    core: &'a mut Core,
    rom: &'a Rom,
    /// Cycles to the end of the slice; the CPU is there when none are left.
    left: i64,
    /// When the slice ends.
    end: i64,
    /// Nothing runs on behind this slice.
    stops: bool,
    /// The instruction: its opcode in the lowest byte, operands above.
    fetched: u32,
    /// Where instructions come from. Banks change only by writes that end the slice.
    code: Window<'a>,
    /// PC, as a place in that.
    at: usize,
}

impl Core {
    /// Runs instructions until a slice ends in which the CPU has to be looked at from outside, or
    /// EI was run. Returns whether the components have caught up with the CPU.
    pub fn execute(&mut self, rom: &Rom, limit: i64) -> bool {
        self.run(rom, limit, false)
    }

    /// Runs one instruction.
    pub fn execute_one(&mut self, rom: &Rom) {
        self.run(rom, self.cycles + 1, true);
    }

    fn run(&mut self, rom: &Rom, end: i64, stops: bool) -> bool {
        let left = end - self.cycles;
        self.wait = Wait::default();
        let code = self.code_at(rom, self.cpu.registers.pc).unwrap_or(Window::nowhere());
        let at = code.place_of(self.cpu.registers.pc);
        let mut run =
            Run { r: self.cpu.registers, core: self, rom, left, end, stops, fetched: 0, code, at };
        loop {
            while run.left > 0 {
                run.fetched = match run.code.fetch(run.at) {
                    Some(fetched) => fetched,
                    None => run.fetch_elsewhere(),
                };
                run.step();
            }
            run.give_back();
            if run.stops {
                return false;
            }
            match run.core.begin_next_slice(rom) {
                Some(end) => (run.left, run.end) = (end - run.core.cycles, end),
                None => return true,
            }
        }
    }

    /// The code around an address; None where instructions do not come from plain ROM.
    pub(crate) fn code_at<'a>(&self, rom: &'a Rom, pc: u16) -> Option<Window<'a>> {
        let [low, high] = self.rom_bases.map(|base| base / ROM_BANK);
        if self.boot.is_some() || pc >= 0x8000 {
            return None;
        }
        let code = Window::low(rom, low)?;
        if code.holds(pc) {
            return Some(code);
        }
        // Before bank 0 lies what is below it in the map, if that is bank 0, too.
        if high == 0 && low != 0 { None } else { Window::high(rom, high) }
    }

    /// An opcode and its operands where they are not plain ROM. PyBoy reads each operand as many
    /// cycles ahead as it comes later.
    #[cold]
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

    #[inline(always)]
    fn pc(&self) -> u16 {
        self.code.address_of(self.at)
    }

    #[inline(always)]
    pub fn jump_to(&mut self, address: u16) {
        self.at = self.code.place_of(address);
    }

    /// Fetches from another bank or from memory.
    #[inline(always)]
    fn fetch_elsewhere(&mut self) -> u32 {
        let pc = self.pc();
        self.code = self.core.code_at(self.rom, pc).unwrap_or(Window::nowhere());
        self.jump_to(pc);
        if let Some(fetched) = self.code.fetch(self.at) {
            return fetched;
        }
        self.give_back();
        self.core.fetch_slow(self.rom, pc)
    }

    /// Lets the rest of the machine see where the CPU is.
    #[inline(always)]
    fn give_back(&mut self) {
        let pc = self.pc();
        let Registers { a, f, b, c, d, e, hl, sp, .. } = self.r;
        let to = &mut self.core.cpu.registers;
        (to.a, to.f, to.b, to.c, to.d, to.e) = (a, f, b, c, d, e);
        (to.hl, to.sp, to.pc) = (hl, sp, pc);
        self.core.cycles = self.end - self.left;
    }

    /// Ends the slice with the running instruction.
    #[inline(always)]
    fn stop_here(&mut self) {
        self.end -= self.left;
        self.left = 0;
        self.stops = true;
    }

    #[inline(always)]
    pub fn spend(&mut self, cycles: i64) {
        self.left -= cycles;
    }

    /// Ends an instruction of so many bytes, which takes so many cycles more.
    #[inline(always)]
    pub fn end(&mut self, bytes: usize, cycles: i64) {
        self.at = self.at.wrapping_add(bytes);
        self.spend(cycles);
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
            self.stop_here();
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
            self.spend(4);
            self.write(below, low);
            self.spend(-4);
        }
        self.r.sp = below;
        self.spend(8);
    }

    #[inline(always)]
    pub fn pop(&mut self) -> u16 {
        let value = match self.core.read_pair_fast(self.r.sp) {
            Some(value) => value,
            None => {
                let low = self.read(self.r.sp);
                self.spend(4);
                let high = self.read(self.r.sp.wrapping_add(1));
                self.spend(-4);
                u16::from_be_bytes([high, low])
            }
        };
        self.r.sp = self.r.sp.wrapping_add(2);
        self.spend(12);
        value
    }

    #[inline(always)]
    pub fn jump_relative(&mut self, condition: bool) {
        let jump = self.at;
        self.end(2, 8);
        if condition {
            self.at = self.at.wrapping_add_signed(isize::from(self.byte() as i8));
            self.spend(4);
            self.wait(jump);
        }
    }

    /// Behind a jump: takes all turns of a loop at once in which nothing changes, or no more than a
    /// register that counts down.
    #[inline(always)]
    fn wait(&mut self, jump: usize) {
        let back = jump.wrapping_sub(self.at);
        if back > LONGEST {
            return;
        }
        let code = match self.code.fetch(self.at) {
            Some(code) => code,
            None => self.core.high_code(self.pc()),
        };
        if counts_down(code) {
            self.count_down(code as u8);
        } else if may_wait(back, code) {
            self.give_back();
            self.left -= self.core.wait(self.rom, self.code.address_of(jump), self.end);
        }
    }

    /// At the beginning of DEC and JR NZ back to it, with something left to count.
    #[inline(always)]
    fn count_down(&mut self, opcode: u8) {
        const TURN: i64 = 16;
        let count = register(&self.r, opcode >> 3);
        let turns = (self.left / TURN).min(i64::from(count) - 1);
        if turns > 0 {
            self.left -= turns * TURN;
            let last = self.r.decrement(count - (turns - 1) as u8);
            set_register(&mut self.r, opcode >> 3, last);
        }
    }

    #[inline(always)]
    pub fn jump(&mut self, condition: bool) {
        let jump = self.at;
        self.end(3, 12);
        if condition {
            self.jump_to(self.word());
            self.spend(4);
            self.wait(jump);
        }
    }

    #[inline(always)]
    pub fn call(&mut self, condition: bool) {
        self.end(3, 12);
        if condition {
            self.spend(4);
            self.push(self.pc());
            self.jump_to(self.word());
        }
    }

    #[inline(always)]
    pub fn ret(&mut self, condition: bool) {
        self.end(1, 8);
        if condition {
            let target = self.pop();
            self.jump_to(target);
        }
    }

    #[inline(always)]
    pub fn restart(&mut self, address: u16) {
        self.end(1, 8);
        self.push(self.pc());
        self.jump_to(address);
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
        self.spend(4);
        let value = change(&mut self.r, value);
        self.write(self.r.hl, value);
        self.spend(8);
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
        self.stop_here();
        self.spend(4);
    }

    #[inline(always)]
    pub fn enable_interrupts(&mut self) {
        if self.core.cpu.enable_delay == 0 {
            self.core.cpu.enable_delay = 2;
        }
        self.stop_here();
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
            self.stop_here();
        }
        self.spend(4);
        let target = self.pop();
        self.jump_to(target);
    }

    #[inline(always)]
    pub fn fail(&mut self) {
        let (opcode, address) = (self.opcode(), self.pc());
        self.core.fault = Some(Fault::IllegalOpcode { opcode, address });
        self.stop_here();
    }

    /// What follows 0xCB.
    #[inline(always)]
    pub fn prefixed(&mut self) {
        let opcode = self.byte();
        if opcode & 7 != 6 {
            bits_of_register(&mut self.r, opcode);
            return self.end(2, 8);
        }
        self.spend(4);
        if opcode >> 6 == 1 {
            let value = self.read(self.r.hl);
            test_bit(&mut self.r, opcode, value);
            self.spend(8);
        } else {
            self.modify(
                #[inline(always)]
                |r, value| bits(r, opcode, value),
            );
        }
        self.end(2, 0);
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
    let value = register(r, opcode);
    if opcode >> 6 == 1 {
        return test_bit(r, opcode, value);
    }
    let value = bits(r, opcode, value);
    set_register(r, opcode, value);
}

/// A byte register by its number in an opcode, where 6 is none.
#[inline(always)]
fn register(r: &Registers, number: u8) -> u8 {
    match number & 7 {
        0 => r.b,
        1 => r.c,
        2 => r.d,
        3 => r.e,
        4 => r.h(),
        5 => r.l(),
        _ => r.a,
    }
}

#[inline(always)]
fn set_register(r: &mut Registers, number: u8, value: u8) {
    match number & 7 {
        0 => r.b = value,
        1 => r.c = value,
        2 => r.d = value,
        3 => r.e = value,
        4 => r.set_h(value),
        5 => r.set_l(value),
        _ => r.a = value,
    }
}
