//! Starting with a boot ROM.

mod support;

use gameboy::{Error, Machine, Rom};
use std::sync::Arc;
use support::cartridge;

fn start(boot: &[u8], cgb: bool) -> Result<Machine, Error> {
    let program = [0x3C, 0xEA, 0x00, 0xC0, 0x18, 0xFE]; // INC A; LD (C000),A; JR -2
    let rom = cartridge(0x00, 2, &[(0x150, &program)]);
    Machine::new(Arc::new(Rom::new(&rom).expect("a header")), Some(cgb), Some(boot))
}

/// Code at the beginning of a boot ROM, and what hands over at its end: LDH (50),A.
fn boot(length: usize, code: &[u8], value: u8) -> Vec<u8> {
    let mut boot = vec![0; length];
    boot[..code.len()].copy_from_slice(code);
    boot[0xFC..0x100].copy_from_slice(&[0x3E, value, 0xE0, 0x50]);
    boot
}

#[test]
fn a_boot_rom_has_one_of_two_lengths() {
    for length in [0, 1, 0xFF, 0x101, 0x8FF, 0x901, 0x1000] {
        assert_eq!(start(&vec![0; length], true).err(), Some(Error::BootLength(length)));
    }
    for (length, cgb) in [(0x100, false), (0x100, true), (0x900, true), (0x900, false)] {
        for value in [0x01, 0x11] {
            let mut machine = start(&boot(length, &[], value), cgb).expect("a start");
            machine.tick(1, false);
            assert_eq!(machine.peek(0xC000), value + 1);
            assert_eq!(machine.peek(0x0000), 0, "the cartridge's");
        }
    }
}

#[test]
fn a_boot_rom_that_does_not_hand_over_is_given_up() {
    let endless = Some(Error::BootEndless(1000));
    let asleep = [0x76, 0x18, 0xFD]; // HALT; JR -3
    assert_eq!(start(&boot(0x900, &asleep, 1), true).err(), endless);
    assert_eq!(start(&boot(0x100, &[0xDD], 1), false).err(), endless, "an illegal opcode");
    // Another value than 01 or 11 does not hand over.
    let other = [&[0x3E, 0x02, 0xE0, 0x50][..], &asleep].concat();
    assert_eq!(start(&boot(0x100, &other, 1), false).err(), endless);
}

#[test]
fn a_boot_rom_covers_what_it_covers() {
    // Copies what it sees at an address to C010 and then hands over.
    let seen = |address: u16, length: usize, cgb: bool| {
        let [low, high] = address.to_le_bytes();
        let mut bytes = boot(length, &[0xFA, low, high, 0xEA, 0x10, 0xC0], 0x01);
        bytes.iter_mut().skip(0x10).take(0x80).for_each(|byte| *byte = 0x40); // LD B,B
        bytes.iter_mut().skip(0x100).for_each(|byte| *byte = 0x77);
        let mut machine = start(&bytes, cgb).expect("a start");
        machine.peek(0xC010)
    };
    assert_eq!([seen(0x0000, 0x100, false), seen(0x00FC, 0x100, false)], [0xFA, 0x3E]);
    assert_eq!([seen(0x0100, 0x100, false), seen(0x0101, 0x900, true)], [0x00, 0xC3]);
    assert_eq!([seen(0x0150, 0x900, true), seen(0x01FF, 0x900, true)], [0x3C, 0x00]);
    assert_eq!([seen(0x0200, 0x900, true), seen(0x08FF, 0x900, true)], [0x77, 0x77]);
    assert_eq!([seen(0x0900, 0x900, true), seen(0x0200, 0x900, false)], [0x00, 0x00]);
    assert_eq!([seen(0x0200, 0x100, true), seen(0x08FF, 0x100, true)], [0xFF, 0xFF]);
}
