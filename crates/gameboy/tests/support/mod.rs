//! Small ROMs made by hand.

use gameboy::{Machine, Rom};
use std::sync::Arc;

/// Puts `bytes` into a cartridge of `banks` banks at their addresses and makes its header whole.
pub fn cartridge(kind: u8, banks: usize, pieces: &[(usize, &[u8])]) -> Vec<u8> {
    let mut rom = vec![0; banks * 0x4000];
    rom[0x100..0x104].copy_from_slice(&[0x00, 0xC3, 0x50, 0x01]); // NOP; JP 0x0150
    rom[0x147] = kind;
    rom[0x149] = 3;
    for (at, bytes) in pieces {
        rom[*at..*at + bytes.len()].copy_from_slice(bytes);
    }
    rom[0x14D] = rom[0x134..0x14D].iter().fold(0_u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
    rom
}

#[allow(dead_code)] // not every test starts without a boot ROM
pub fn machine_of(rom: &[u8]) -> Machine {
    Machine::new(Arc::new(Rom::new(rom).expect("a whole header")), None, None).expect("no boot ROM")
}
