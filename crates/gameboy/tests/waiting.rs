//! Loops that wait are gone through at once, and nobody can tell: beside each stands one that takes
//! the same time and is not recognised, because it holds `LD B,B` instead of `NOP`.

mod support;

use gameboy::{Area, Machine};
use support::{cartridge, machine_of};

const NOP: u8 = 0x00;
const LD_B_B: u8 = 0x40;

/// What a loop does before it jumps back, and the jump.
struct Loop {
    before: Vec<u8>,
    read: Vec<u8>,
    back: u8,
}

impl Loop {
    fn bytes(&self, filler: u8) -> Vec<u8> {
        let length = self.read.len() as u8 + 3;
        let end = [filler, self.back, 0_u8.wrapping_sub(length)];
        [&self.before[..], &self.read, &end].concat()
    }
}

/// Waits for each in turn, with interrupts, and writes down LY, DIV and STAT after each.
fn program(loops: &[Loop], filler: u8) -> Vec<u8> {
    let mut code = vec![
        0x31, 0xF0, 0xDF, // LD SP,DFF0
        0x21, 0x44, 0xFF, // LD HL,FF44
        0x11, 0x00, 0xC1, // LD DE,C100
        0x3E, 0x03, 0xE0, 0xFF, 0x3E, 0x48, 0xE0,
        0x41, // IE: VBLANK, LCD; STAT: LY = LYC, mode 0
        0xAF, 0xE0, 0x0F, 0xFB, // IF = 0; EI
    ];
    let again = 0x150 + code.len();
    for each in loops {
        code.extend(each.bytes(filler));
        for port in [0x44, 0x04, 0x41] {
            code.extend([0xF0, port, 0x12, 0x1C]); // LDH A,(port); LD (DE),A; INC E
        }
    }
    code.extend([0xC3, again as u8, (again >> 8) as u8]);
    code
}

fn played(loops: &[Loop], filler: u8, cgb: bool, frames: u64) -> Machine {
    let handler = [0xF5, 0xFA, 0x00, 0xC0, 0x3C, 0xEA, 0x00, 0xC0]; // counts at C000
    let code = program(loops, filler);
    let rom = cartridge(
        0x00,
        2,
        &[
            (0x143, &[if cgb { 0x80 } else { 0 }]),
            (0x40, &[0xC3, 0x00, 0x20]),
            (0x48, &[0xC3, 0x00, 0x20]),
            (0x150, &code),
            (0x2000, &handler),
            (0x2008, &[0xF1, 0xD9]), // POP AF; RETI
        ],
    );
    let mut machine = machine_of(&rom);
    machine.tick(frames, true);
    machine
}

fn loops() -> Vec<Loop> {
    let mut loops = Vec::new();
    for line in [5, 77, 143, 144, 149, 0] {
        loops.push(Loop { before: vec![], read: vec![0xF0, 0x44, 0xFE, line], back: 0x20 }); // LDH A,(44); CP
        loops.push(Loop { before: vec![0x3E, line], read: vec![0xBE], back: 0x20 }); // CP (HL)
        loops.push(Loop { before: vec![], read: vec![0x7E, 0xD6, line], back: 0x20 }); // LD A,(HL); SUB
    }
    for mode in 0..4 {
        loops.push(Loop {
            before: vec![],
            read: vec![0xF0, 0x41, 0xE6, 3, 0xFE, mode],
            back: 0x20,
        });
    }
    for bit in [0x46, 0x4E] {
        loops.push(Loop { before: vec![], read: vec![0xCB, bit], back: 0x28 }); // BIT 0 or 1,(HL)
        loops.push(Loop { before: vec![], read: vec![0xCB, bit], back: 0x20 });
    }
    // Until an interrupt has counted: LD A,(C000); AND 3; CP
    for count in 0..4 {
        loops.push(Loop {
            before: vec![],
            read: vec![0xFA, 0x00, 0xC0, 0xE6, 3, 0xFE, count],
            back: 0x20,
        });
    }
    loops
}

#[test]
fn a_wait_ends_when_it_would_turn_by_turn() {
    for cgb in [false, true] {
        let mut quick = played(&loops(), NOP, cgb, 40);
        let mut slow = played(&loops(), LD_B_B, cgb, 40);
        assert!(quick.peek(0xC000) > 0 && quick.peek(0xC100) > 0, "it has waited");
        assert_eq!(quick.cycles(), slow.cycles());
        assert_eq!(quick.registers(), slow.registers());
        assert_eq!(quick.memory(Area::Wram), slow.memory(Area::Wram));
    }
}

#[test]
fn a_wait_is_the_same_from_every_phase() {
    for pause in 0..24 {
        let loops: Vec<Loop> = (0..6)
            .map(|i| Loop {
                before: vec![],
                read: vec![0xF0, 0x44, 0xFE, 20 * i + pause],
                back: 0x20,
            })
            .collect();
        for frames in [2, 3] {
            let [mut quick, mut slow] =
                [NOP, LD_B_B].map(|filler| played(&loops, filler, pause % 2 == 0, frames));
            assert_eq!(quick.registers(), slow.registers());
            assert_eq!(quick.memory(Area::Wram), slow.memory(Area::Wram));
        }
    }
}
