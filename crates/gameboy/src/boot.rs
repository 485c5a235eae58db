//! From power-on to the cartridge.

use crate::core::Core;
use crate::error::Error;
use crate::rom::Rom;

/// PyBoy's boot ROMs take 65 frames.
const MOST_FRAMES: u32 = 1000;

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

pub fn skip(core: &mut Core, rom: &Rom) {
    core.run_frame(rom, true);
}
