//! One emulator: what another crate embeds.

use crate::boot;
use crate::core::Core;
use crate::cpu::Registers;
use crate::error::{Error, Fault};
use crate::rom::Rom;
use std::sync::Arc;

/// Parts of the memory, whole and whatever is switched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Area {
    Wram,
    Hram,
    Vram,
    Oam,
    Cartridge,
}

/// A Game Boy with a cartridge in it. A clone goes on by itself and shares only the ROM.
#[derive(Debug, Clone)]
pub struct Machine {
    rom: Arc<Rom>,
    core: Core,
}

impl Machine {
    /// Starts a machine where PyBoy is at the end of the frame in which its boot ROM hands over
    /// to the cartridge. `cgb` None: as the header says. The logo that PyBoy's boot ROM leaves in
    /// video RAM is not there; with `boot` that boot ROM is run, and nothing differs.
    pub fn new(rom: Arc<Rom>, cgb: Option<bool>, boot: Option<&[u8]>) -> Result<Self, Error> {
        let cgb = cgb.unwrap_or(rom.wants_cgb());
        let mut core = Core::new(&rom, cgb);
        match boot {
            Some(boot) => boot::run(&mut core, &rom, boot)?,
            None => boot::skip(&mut core, &rom),
        }
        core.frames = 0;
        Ok(Self { rom, core })
    }

    /// The cartridge.
    pub fn rom(&self) -> &Arc<Rom> {
        &self.rom
    }

    /// Whether this is a Game Boy Color.
    pub fn cgb(&self) -> bool {
        self.core.cgb
    }

    /// Which buttons are held from the next frame on: bits of [`crate::button`].
    pub fn hold(&mut self, buttons: u8) {
        self.core.joypad.wanted = buttons;
    }

    /// Runs to the end of a frame. A machine with a fault stands still.
    pub fn tick_frame(&mut self, render: bool) {
        self.core.run_frame(&self.rom, render);
    }

    /// Runs frames, of which only the last is rendered.
    pub fn tick(&mut self, frames: u64, render: bool) {
        for left in (0..frames).rev() {
            self.tick_frame(render && left == 0);
            if self.core.fault.is_some() {
                return;
            }
        }
    }

    /// A byte as the program would read it, with all that a read does.
    pub fn peek(&mut self, address: u16) -> u8 {
        self.core.read(&self.rom, address)
    }

    /// Writes a byte as the program would.
    pub fn poke(&mut self, address: u16, value: u8) {
        self.core.write(&self.rom, address, value);
    }

    /// About how many bytes of memory it takes, the ROM left out.
    pub fn bytes(&self) -> usize {
        let picture = &self.core.lcd.picture;
        let boxed = size_of_val(&*picture.pixels)
            + size_of_val(&*picture.attributes)
            + size_of_val(&*self.core.lcd.sprite_lines);
        size_of::<Self>() + self.core.ram.len() + boxed
    }

    /// Cycles of the CPU since power-on.
    pub fn cycles(&self) -> u64 {
        self.core.cycles as u64
    }

    /// Frames since the start.
    pub fn frames(&self) -> u64 {
        self.core.frames
    }

    /// The CPU's registers.
    pub fn registers(&self) -> Registers {
        self.core.cpu.registers
    }

    /// A part of the memory.
    pub fn memory(&mut self, area: Area) -> Vec<u8> {
        let layout = self.core.layout;
        match area {
            Area::Vram => self.core.ram[..layout.wram].to_vec(),
            Area::Wram => self.core.ram[layout.wram..layout.cartridge].to_vec(),
            Area::Cartridge => self.core.ram[layout.cartridge..].to_vec(),
            Area::Hram => self.core.hram[..0x7F].to_vec(),
            Area::Oam => self.core.lcd.oam.to_vec(),
        }
    }

    /// A state as PyBoy 2.8.1 saves it (version 29).
    pub fn save_state(&mut self) -> Vec<u8> {
        self.core.save_state(&self.rom)
    }

    /// Loads a state that PyBoy 2.8.1 or `save_state` saved. An error leaves the machine as it is.
    pub fn load_state(&mut self, state: &[u8]) -> Result<(), Error> {
        self.core.load_state(&self.rom, state)
    }

    /// Everything, also what PyBoy's state leaves out.
    pub fn snapshot(&mut self) -> Vec<u8> {
        self.core.snapshot(&self.rom)
    }

    /// Goes back to a snapshot of a machine with the same cartridge.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        self.core.restore(&self.rom, snapshot)
    }

    /// Why this machine stands still, if it does.
    pub fn fault(&self) -> Option<Fault> {
        self.core.fault
    }

    pub(crate) fn pixels(&self) -> &[u16] {
        &self.core.lcd.picture.pixels[..]
    }
}
