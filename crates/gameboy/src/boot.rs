//! From power-on to the cartridge.

use crate::core::{Core, interrupt};
use crate::cpu::Registers;
use crate::error::Error;
use crate::rom::Rom;

/// PyBoy's boot ROMs take 65 frames.
const MOST_FRAMES: u32 = 1000;

/// The sound that PyBoy's boot ROMs make: when they switch it on and let it play, and what they
/// have written to which ports by then. It has long ended when they hand over, but its traces can
/// be read.
const CHIME: [(i64, &[(u8, u8)]); 3] = [
    (297_944, &[(0x26, 0x80), (0x11, 0x80), (0x12, 0xF3), (0x25, 0xF3), (0x24, 0x77)]),
    (2_400_664, &[(0x10, 0x19), (0x14, 0x81)]),
    (2_681_540, &[(0x10, 0x13), (0x13, 0x48), (0x14, 0x81)]),
];

/// When line 145 began in which they hand over, and where in the frame that is.
const LINE_BEGAN: i64 = 4_507_248;
const LINE_CLOCK: i64 = 66_120;
const LINE: u8 = 145;

/// Runs a boot ROM to the end of the frame in which it hands over.
pub fn run(core: &mut Core, rom: &Rom, boot: &[u8]) -> Result<(), Error> {
    if !matches!(boot.len(), 0x100 | 0x900) {
        return Err(Error::BootLength(boot.len()));
    }
    core.boot = Some(boot.into());
    core.boot_cgb = core.cgb;
    core.remap(rom);
    for _ in 0..MOST_FRAMES {
        core.run_frame(rom, true);
        if core.boot.is_none() && core.fault.is_none() {
            return Ok(());
        }
    }
    Err(Error::BootEndless(MOST_FRAMES))
}

/// Puts a machine where PyBoy's boot ROM leaves it, without the logo, and ends the frame. Nothing
/// else of it depends on the cartridge but whether it is for a Color machine.
pub fn skip(core: &mut Core, rom: &Rom) {
    for (at, writes) in CHIME {
        (core.cycles, core.slice_start) = (at, at);
        writes.iter().for_each(|&(port, value)| core.write_port(port, value));
    }
    let (handed_over, registers, stacked) = match (core.cgb, core.cgb_mode) {
        (false, _) => {
            (4_507_360, Registers { a: 0x01, f: 0xD0, c: 0x13, e: 0x8F, hl: 0x87, ..START }, 0xB1)
        }
        (true, true) => (4_507_420, COLOR_START, 0xB0),
        (true, false) => (4_507_436, COLOR_START, 0xB0),
    };
    (core.cycles, core.cpu.registers) = (handed_over, registers);
    core.cpu.requested = interrupt::VBLANK;
    core.hram[0x7C] = stacked;
    if core.cgb && !core.cgb_mode {
        core.key0 = 0b100;
    }
    show_blank_line(core);
    core.run_frame(rom, true);
}

const START: Registers =
    Registers { a: 0, f: 0, b: 0, c: 0, d: 0, e: 0, hl: 0, sp: 0xFFFE, pc: 0x0100 };
const COLOR_START: Registers = Registers { a: 0x11, f: 0x80, e: 0x08, hl: 0x7C, ..START };

/// The LCD in the vertical blank after a frame of background alone.
fn show_blank_line(core: &mut Core) {
    let lcd = &mut core.lcd;
    lcd.picture.show_background(if core.cgb {
        Some(lcd.background_colors.memory[0])
    } else {
        None
    });
    lcd.lcdc = 0x91;
    lcd.stat = 0x81;
    lcd.ly = LINE;
    lcd.next_mode = 1;
    lcd.line_parameters.fill([0, 0, 0, 0, 0x10]);
    (lcd.last, lcd.clock, lcd.clock_target) = (LINE_BEGAN, LINE_CLOCK, LINE_CLOCK + 456);
    if core.key0 != 0 {
        lcd.downgrade();
    }
    lcd.refresh();
}
