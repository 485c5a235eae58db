//! What a program sees, PyBoy's quirks included. Programs are written as bytes with their assembly
//! beside them and leave what they found at 0xC000 on.

mod support;

use gameboy::{Fault, Machine, button};
use support::{cartridge, machine_of};

const FOREVER: [u8; 2] = [0x18, 0xFE]; // JR -2

/// A machine whose program begins at 0x0150.
fn machine(program: &[u8]) -> Machine {
    machine_of(&cartridge(0x00, 2, &[(0x150, program)]))
}

#[test]
fn timer_overflow_reloads_tima_and_wakes_a_halt() {
    let mut machine = machine_of(&cartridge(
        0x00,
        2,
        &[
            (0x50, &[0x3C, 0xEA, 0x00, 0xC0, 0xD9]), // INC A; LD (C000),A; RETI
            (
                0x150,
                &[
                    0x3E, 0xF0, 0xE0, 0x05, 0xE0, 0x06, // TIMA = TMA = F0
                    0x3E, 0x05, 0xE0, 0x07, // TAC: every 16 cycles
                    0x3E, 0x04, 0xE0, 0xFF, // IE: timer
                    0xAF, 0xE0, 0x0F, 0xFB, // IF = 0; EI
                    0x76, 0x00, 0x18, 0xFC, // HALT; NOP; JR
                ],
            ),
        ],
    ));
    machine.tick(1, false);
    let before = machine.peek(0xC000);
    machine.tick(1, false);
    let counted = machine.peek(0xC000).wrapping_sub(before);
    assert!(u64::from(counted).abs_diff(70224 / 256 % 256) <= 2, "{counted} interrupts");
    assert!(machine.peek(0xFF05) >= 0xF0);
}

#[test]
fn halt_without_interrupts_goes_on_behind_itself_once() {
    let mut machine = machine(&[
        0xF3, 0x3E, 0x01, 0xE0, 0xFF, 0xAF, 0xE0, 0x0F, // DI; IE = VBLANK; IF = 0
        0x76, 0x3C, 0xEA, 0x00, 0xC0, // HALT; INC A; LD (C000),A
        0x18, 0xFE,
    ]);
    machine.tick(3, false);
    assert_eq!(machine.peek(0xC000), 1);
}

#[test]
fn mbc1_switches_rom_and_keeps_its_ram_closed_until_enabled() {
    let mut machine = machine_of(&cartridge(
        0x03,
        8,
        &[
            (
                0x150,
                &[
                    0x3E, 0x55, 0xEA, 0x00, 0xA0, // LD (A000),55: lost
                    0x3E, 0x0A, 0xEA, 0x00, 0x00, // enable RAM
                    0x3E, 0x66, 0xEA, 0x01, 0xA0, // LD (A001),66
                    0x3E, 0x05, 0xEA, 0x00, 0x20, // ROM bank 5
                    0xFA, 0x00, 0x40, 0xEA, 0x00, 0xC0, // LD A,(4000)
                    0xAF, 0xEA, 0x00, 0x20, // bank 0 is bank 1
                    0xFA, 0x00, 0x40, 0xEA, 0x01, 0xC0, 0x18, 0xFE,
                ],
            ),
            (0x4000, &[0x11]),
            (5 * 0x4000, &[0xBB]),
        ],
    ));
    machine.tick(1, false);
    assert_eq!([machine.peek(0xC000), machine.peek(0xC001)], [0xBB, 0x11]);
    assert_eq!([machine.peek(0xA000), machine.peek(0xA001)], [0x00, 0x66]);
}

#[test]
fn mbc5_reaches_the_same_bank_by_its_number_modulo_the_banks() {
    let program = [0x3E, 0x0B, 0xEA, 0x00, 0x20, 0xFA, 0x00, 0x40, 0xEA, 0x00, 0xC0, 0x18, 0xFE];
    let rom = cartridge(0x1B, 8, &[(0x150, &program), (3 * 0x4000, &[0xCC])]);
    let mut machine = machine_of(&rom);
    machine.tick(1, false);
    assert_eq!(machine.peek(0xC000), 0xCC);
}

#[test]
fn last_instructions_of_the_lower_bank_come_from_before_the_switched_one() {
    // PyBoy's: JP 3FFE runs the last bytes of bank 1 while bank 2 is switched in.
    let rom = cartridge(
        0x01,
        4,
        &[
            (0x150, &[0x3E, 0x02, 0xEA, 0x00, 0x20, 0xC3, 0xFE, 0x3F]),
            (0x3FFE, &[0x18, 0xFE]),
            (2 * 0x4000 - 2, &[0x3E, 0x77]), // LD A,77
            (2 * 0x4000, &[0xEA, 0x00, 0xC0, 0x18, 0xFE]),
        ],
    );
    let mut machine = machine_of(&rom);
    machine.tick(1, false);
    assert_eq!(machine.peek(0xC000), 0x77);
}

#[test]
fn oam_copy_takes_its_time_and_hides_oam_meanwhile() {
    let mut machine = machine(&[
        0x3E, 0x00, 0xE0, 0x40, // LCD off
        0x3E, 0xC1, 0xE0, 0x46, // copy from C100
        0x00, 0x00, 0x00, 0x00, 0xFA, 0x00, 0xFE, 0xEA, 0x00, 0xC0, // LD A,(FE00)
        0x06, 0x40, 0x05, 0x20, 0xFD, // wait
        0xFA, 0x00, 0xFE, 0xEA, 0x01, 0xC0, 0x18, 0xFE,
    ]);
    let at_start = machine.registers().pc;
    assert!(at_start >= 0x150, "the first frame has run: {at_start:#x}");
    machine.tick(2, false);
    assert_eq!([machine.peek(0xC000), machine.peek(0xC001)], [0xFF, 0x00]);
}

#[test]
fn vblank_interrupt_comes_once_a_frame() {
    let mut machine = machine_of(&cartridge(
        0x00,
        2,
        &[
            (0x40, &[0x21, 0x00, 0xC0, 0x34, 0xD9]), // LD HL,C000; INC (HL); RETI
            (0x150, &[0x3E, 0x01, 0xE0, 0xFF, 0xAF, 0xE0, 0x0F, 0xFB, 0x76, 0x00, 0x18, 0xFC]),
        ],
    ));
    machine.tick(1, false);
    let before = machine.peek(0xC000);
    machine.tick(60, false);
    assert_eq!(machine.peek(0xC000).wrapping_sub(before), 60);
}

#[test]
fn buttons_are_latched_when_their_port_is_written() {
    let mut machine = machine(&[
        0x3E, 0x10, 0xE0, 0x00, 0xF0, 0x00, 0xEA, 0x00, 0xC0, // select A, B, select, start
        0x3E, 0x20, 0xE0, 0x00, 0xF0, 0x00, 0xEA, 0x01, 0xC0, // select directions
        0x18, 0xEC,
    ]);
    machine.hold(button::A | button::DOWN);
    machine.tick(1, false);
    assert_eq!([machine.peek(0xC000), machine.peek(0xC001)], [0xCE, 0xC7]);
    assert_ne!(machine.peek(0xFF0F) & 0x10, 0, "a press asks for the joypad's interrupt");
    machine.hold(0);
    machine.tick(1, false);
    assert_eq!([machine.peek(0xC000), machine.peek(0xC001)], [0xCF, 0xCF]);
}

#[test]
fn illegal_opcode_is_a_fault_that_a_snapshot_undoes() {
    let mut machine = machine(&[
        0x3E, 0x10, 0xE0, 0x00, 0xF0, 0x00, 0xE6, 0x01, 0x20, 0xF6, // loop until A is held
        0xDD,
    ]);
    machine.tick(2, true);
    let before = machine.snapshot();
    machine.hold(button::A);
    machine.tick(3, true);
    assert_eq!(machine.fault(), Some(Fault::IllegalOpcode { opcode: 0xDD, address: 0x15A }));
    let stands = machine.cycles();
    machine.tick(5, true);
    assert_eq!(machine.cycles(), stands);
    machine.restore(&before).expect("our own snapshot");
    assert_eq!(machine.fault(), None);
    machine.tick(5, true);
    assert!(machine.cycles() > stands);
}

#[test]
fn serial_transfer_by_the_own_clock_ends_with_its_interrupt() {
    let mut machine =
        machine(&[&[0xAF, 0xE0, 0x0F, 0x3E, 0x81, 0xE0, 0x02][..], &FOREVER].concat());
    machine.tick(1, false);
    assert_eq!(machine.peek(0xFF02) & 0x80, 0);
    assert_ne!(machine.peek(0xFF0F) & 0x08, 0);
    assert_eq!(machine.peek(0xFF01), 0xFF);
}

#[test]
fn switching_the_lcd_off_ends_the_frame_and_shows_the_first_shade() {
    let mut machine =
        machine(&[&[0x3E, 0x01, 0xE0, 0x47, 0xAF, 0xE0, 0x40][..], &FOREVER].concat());
    machine.tick(2, true);
    let mut shades = vec![9; 144 * 160];
    machine.screen_index(&mut shades);
    assert!(shades.iter().all(|&shade| shade == 1));
}
