//! Loops in which a program waits for something to change, as for a line of the LCD or a flag that
//! an interrupt sets. Until the slice ends nothing does, so that one turn is like the other, and
//! all turns that end in time are taken at once.

use crate::core::Core;
use crate::cpu::Registers;
use crate::rom::Rom;

/// Bytes of the longest loop that is looked at, the jump left out.
pub const LONGEST: usize = 16;
/// The last jump back that may close such a loop.
#[derive(Debug, Clone)]
pub struct Wait {
    /// Where the jump is.
    jump: u16,
    /// The CPU behind the jump, at the beginning of the loop.
    registers: Registers,
    /// When it last was there.
    came: i64,
    /// Cycles of a turn that changes nothing; zero if none has been seen.
    turn: i64,
    /// Where such a turn reads, and what it found there.
    read: u16,
    found: u8,
}

impl Default for Wait {
    fn default() -> Self {
        Self {
            jump: 0,
            registers: Registers::default(),
            came: i64::MIN,
            turn: 0,
            read: 0,
            found: 0,
        }
    }
}

/// Whether code that is jumped back to, so many bytes, may be such a loop. Says yes too often, so
/// that it can be asked at every jump.
#[inline(always)]
pub fn may_wait(back: usize, code: u32) -> bool {
    let [first, second, third, fourth] = code.to_le_bytes();
    match first {
        0x7E | 0xB6 | 0xBE | 0xA6 => is_quiet(second) || is_jump(second),
        0xF0 => is_quiet(third) || is_jump(third),
        0xFA => is_quiet(fourth) || is_jump(fourth),
        0xCB => second & 0xC7 == 0x46,
        _ => back == 0,
    }
}

/// Whether code is DEC of a register and JR NZ back to it.
#[inline(always)]
pub fn counts_down(code: u32) -> bool {
    code & 0x00FF_FFC7 == 0x00FD_2005 && code as u8 != 0x35
}

const fn is_jump(opcode: u8) -> bool {
    matches!(opcode, 0x18 | 0x20 | 0x28 | 0x30 | 0x38 | 0xC2 | 0xC3 | 0xCA | 0xD2 | 0xDA)
}

/// What changes no more than A and F, and where it reads is not told by A.
const fn is_quiet(opcode: u8) -> bool {
    matches!(
        opcode,
        0x00 | 0x07 | 0x0F | 0x17 | 0x1F | 0x27 | 0x2F | 0x37 | 0x3F // NOP, and A or F alone
        | 0x3E | 0x78
            ..=0xBF // LD A, and arithmetic
        | 0xCB | 0xF0 | 0xF2 | 0xFA
    ) || opcode & 0xC7 == 0xC6
}

/// How long a quiet instruction is, and where it reads; None if it is not quiet after all.
fn quiet(code: u32, r: &Registers) -> Option<(u16, Option<u16>)> {
    let [opcode, byte, ..] = code.to_le_bytes();
    let of_hl = |operand: u8| (operand & 7 == 6).then_some(r.hl);
    match opcode {
        0xCB if byte >> 6 == 1 => Some((2, of_hl(byte))),
        0xCB if byte & 7 == 7 => Some((2, None)),
        0xCB => None,
        0xF0 => Some((2, Some(0xFF00 | u16::from(byte)))),
        0xF2 => Some((1, Some(0xFF00 | u16::from(r.c)))),
        0xFA => Some((3, Some((code >> 8) as u16))),
        0x78..=0xBF => Some((1, of_hl(opcode))),
        0x3E => Some((2, None)),
        _ if !is_quiet(opcode) => None,
        _ if opcode & 0xC7 == 0xC6 => Some((2, None)),
        _ => Some((1, None)),
    }
}

impl Core {
    /// Code in high RAM, where programs wait for a copy into OAM; nothing where a copy might see the
    /// difference between many fetches and one.
    #[cold]
    #[inline(never)]
    pub fn high_code(&self, pc: u16) -> u32 {
        let plain = matches!(self.oam_dma.source, 0x00..0x80 | 0xC0..0xE0);
        if (0xFF80..0xFFFD).contains(&pc) && (plain || !self.oam_dma.active) {
            let at = usize::from(pc & 0x7F);
            u32::from_le_bytes([self.hram[at], self.hram[at + 1], self.hram[at + 2], 0])
        } else {
            0
        }
    }

    /// How many cycles a program just behind a jump, at the beginning of a loop, goes round in it
    /// until `end` with nothing changed.
    #[cold]
    #[inline(never)]
    pub fn wait(&mut self, rom: &Rom, jump: u16, end: i64) -> i64 {
        let now = self.cycles;
        if self.oam_dma.active || self.touched || self.lcd.stat_mode_override || now >= end {
            self.wait = Wait::default();
            return 0;
        }
        if self.wait.jump != jump || self.wait.registers != self.cpu.registers {
            let registers = self.cpu.registers;
            self.wait = Wait { jump, registers, came: now, ..Wait::default() };
            return 0;
        }
        let came = std::mem::replace(&mut self.wait.came, now);
        if self.wait.turn == 0 {
            // A turn within the slice, in which what it read was as it is.
            if came < self.slice_start {
                return 0;
            }
            match self.read_of_loop(rom, jump).map(|read| (read, self.read_still(rom, read))) {
                Some((read, Some(found))) => {
                    (self.wait.turn, self.wait.read, self.wait.found) = (now - came, read, found);
                }
                _ => return 0,
            }
        } else if self.read_still(rom, self.wait.read) != Some(self.wait.found) {
            self.wait.turn = 0;
            return 0;
        }
        (end - now) / self.wait.turn * self.wait.turn
    }

    /// Where a turn reads, from where the CPU is to the jump; None if it reads more than once or may
    /// do more than wait. One that reads nothing reads its own code, which stays.
    fn read_of_loop(&self, rom: &Rom, jump: u16) -> Option<u16> {
        let r = &self.cpu.registers;
        let code = self.code_at(rom, r.pc)?;
        let (mut at, mut found) = (r.pc, None);
        while at < jump {
            let (length, read) = quiet(code.fetch(code.place_of(at))?, r)?;
            at += length;
            if found.is_some() && read.is_some() {
                return None;
            }
            found = found.or(read);
        }
        (at == jump).then_some(found.unwrap_or(r.pc))
    }

    /// What a read finds where it does nothing, and finds the same until the slice ends.
    fn read_still(&self, rom: &Rom, address: u16) -> Option<u8> {
        match address {
            0x0000..0x8000 | 0xA000..0xFE00 | 0xFF80..0xFFFF => self.read_fast(rom, address),
            0xFF00 => Some(self.io_ports[0]),
            0xFF0F => Some(self.cpu.requested | 0b1110_0000),
            0xFF40..=0xFF45 | 0xFF47..=0xFF4B => Some(self.lcd.register(address as u8)),
            0xFFFF => Some(self.cpu.enabled),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{counts_down, may_wait, quiet};
    use crate::core::Core;
    use crate::cpu::Registers;
    use crate::rom::Rom;

    const AT: u16 = 0x200;

    /// What `read_of_loop` says of code that a jump behind it goes back to.
    fn read_of(code: &[u8]) -> Option<u16> {
        let mut bytes = vec![0; 0x8000];
        bytes[usize::from(AT)..][..code.len()].copy_from_slice(code);
        bytes[0x14D] = 0xE7;
        let rom = Rom::new(&bytes).expect("a header");
        let mut core = Core::new(&rom, false);
        core.cpu.registers = Registers { pc: AT, hl: 0xC123, c: 0x41, ..Registers::default() };
        core.read_of_loop(&rom, AT + code.len() as u16)
    }

    #[test]
    fn a_loop_that_only_waits_is_known_by_what_it_reads() {
        for (code, read) in [
            (&[0xF0, 0x44, 0xFE, 0x90][..], Some(0xFF44)), // LDH A,(44); CP 90
            (&[0xFA, 0x34, 0xC2, 0xA7], Some(0xC234)),     // LD A,(C234); AND A
            (&[0xF2, 0xE6, 0x03], Some(0xFF41)),           // LDH A,(C); AND 3
            (&[0x7E, 0xB7], Some(0xC123)),                 // LD A,(HL); OR A
            (&[0xCB, 0x46], Some(0xC123)),                 // BIT 0,(HL)
            (&[0xCB, 0x47], Some(AT)),                     // BIT 0,A
            (&[0xBE], Some(0xC123)),                       // CP (HL)
            (&[0x3E, 0x05, 0xBE], Some(0xC123)),           // LD A,5; CP (HL)
            (&[0xF0, 0x41, 0xCB, 0x3F], Some(0xFF41)),     // LDH A,(41); SRL A
            (&[0x00], Some(AT)),
            (&[], Some(AT)),
            (&[0xF0, 0x44, 0xBE], None),       // reads twice
            (&[0xF0, 0x44, 0xE0, 0x42], None), // writes
            (&[0xF0, 0x44, 0x04], None),       // INC B
            (&[0xCB, 0x86], None),             // RES 0,(HL)
            (&[0xCB, 0x38], None),             // SRL B
            (&[0xF0], None),                   // the jump is its operand
        ] {
            assert_eq!(read_of(code), read, "{code:02X?}");
        }
    }

    #[test]
    fn quiet_instructions_are_as_long_as_they_are() {
        let r = Registers::default();
        let length = |opcode: u8| quiet(u32::from(opcode) | 0x4000, &r).map(|(length, _)| length);
        for opcode in 0..=0xFF {
            let expected = match opcode {
                0x00 | 0x07 | 0x0F | 0x17 | 0x1F | 0x27 | 0x2F | 0x37 | 0x3F | 0xF2 => Some(1),
                0x78..=0xBF => Some(1),
                0x3E | 0xCB | 0xF0 => Some(2),
                0xC6 | 0xCE | 0xD6 | 0xDE | 0xE6 | 0xEE | 0xF6 | 0xFE => Some(2),
                0xFA => Some(3),
                _ => None,
            };
            assert_eq!(length(opcode), expected, "{opcode:02X}");
        }
    }

    #[test]
    fn jumps_look_only_at_what_may_be_such_a_loop() {
        let may = |back, code: [u8; 4]| may_wait(back, u32::from_le_bytes(code));
        assert!(may(4, [0xF0, 0x44, 0xFE, 0x90]) && may(2, [0xF0, 0x44, 0x28, 0xFC]));
        assert!(may(4, [0xFA, 0, 0xC0, 0xA7]) && may(3, [0xFA, 0, 0xC0, 0x20]));
        assert!(may(2, [0xCB, 0x46, 0x20, 0xFC]) && may(2, [0xCB, 0x7E, 0x20, 0xFC]));
        assert!([0x7E, 0xB6, 0xBE, 0xA6].iter().all(|&first| may(1, [first, 0x20, 0, 0])));
        assert!([0x7E, 0xB6, 0xBE, 0xA6].iter().all(|&first| may(2, [first, 0xA7, 0, 0])));
        for jump in [0x18, 0x20, 0x28, 0x30, 0x38, 0xC2, 0xC3, 0xCA, 0xD2, 0xDA] {
            assert!(may(2, [0xF0, 0x44, jump, 0]), "{jump:02X}");
        }
        for quiet in
            (0x78..=0xBF).chain([0x00, 0x07, 0x3E, 0x3F, 0xCB, 0xE6, 0xF0, 0xF2, 0xFA, 0xFE])
        {
            assert!(may(2, [0x7E, quiet, 0, 0]), "{quiet:02X}");
        }
        assert!(may(0, [0x18, 0xFE, 0, 0]) && !may(1, [0x04, 0x18, 0xFD, 0]));
        assert!(!may(3, [0xF0, 0x44, 0x04, 0x20]) && !may(2, [0xCB, 0x47, 0x20, 0xFC]));
    }

    #[test]
    fn registers_but_not_memory_are_counted_down() {
        for register in 0..8_u32 {
            let code = 0x00FD_2005 | register << 3;
            assert_eq!(counts_down(code), register != 6);
            assert_eq!(counts_down(code | 0xAB00_0000), register != 6);
            assert!(
                !counts_down(code ^ 1)
                    && !counts_down(code ^ 0x0800)
                    && !counts_down(code ^ 0x1_0000)
            );
        }
    }
}
