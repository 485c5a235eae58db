//! One emulator: what another crate embeds.

use crate::error::{Error, Fault};
use crate::rom::Rom;
use std::sync::Arc;

/// Registers of the CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Registers {
    pub a: u8,
    pub f: u8,
    pub b: u8,
    pub c: u8,
    pub d: u8,
    pub e: u8,
    pub hl: u16,
    pub sp: u16,
    pub pc: u16,
}

/// Parts of the memory, whole and whatever is switched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Area {
    Wram,
    Hram,
    Vram,
    Oam,
    Io,
    Cartridge,
}

/// A Game Boy with a cartridge in it.
#[derive(Debug, Clone)]
pub struct Machine {
    rom: Arc<Rom>,
    cgb: bool,
}

impl Machine {
    /// Starts a machine where PyBoy is after its boot ROM has run. `cgb` None: as the header says.
    /// With `boot` that boot ROM is run instead.
    pub fn new(rom: Arc<Rom>, cgb: Option<bool>, boot: Option<&[u8]>) -> Result<Self, Error> {
        let _ = boot;
        let cgb = cgb.unwrap_or(rom.wants_cgb());
        Ok(Self { rom, cgb })
    }
    /// The cartridge.
    pub fn rom(&self) -> &Arc<Rom> {
        &self.rom
    }
    /// Whether this is a Game Boy Color.
    pub fn cgb(&self) -> bool {
        self.cgb
    }
    /// Which buttons are held from the next frame on.
    pub fn hold(&mut self, buttons: u8) {
        let _ = buttons;
    }
    /// Runs to the end of a frame.
    pub fn tick_frame(&mut self, render: bool) {
        let _ = render;
    }
    /// Runs frames, of which only the last is rendered.
    pub fn tick(&mut self, frames: u64, render: bool) {
        for frame in 0..frames {
            self.tick_frame(render && frame + 1 == frames);
        }
    }
    /// A byte as the program would read it.
    pub fn peek(&mut self, address: u16) -> u8 {
        let _ = address;
        0
    }
    /// Writes a byte as the program would.
    pub fn poke(&mut self, address: u16, value: u8) {
        let _ = (address, value);
    }
    /// Red, green, blue of each pixel.
    pub fn screen_rgb(&self, out: &mut [u8]) {
        out.fill(0);
    }
    /// Luma of each pixel.
    pub fn screen_gray(&self, out: &mut [u8]) {
        out.fill(0);
    }
    /// DMG shades 0 to 3.
    pub fn screen_index(&self, out: &mut [u8]) {
        out.fill(0);
    }
    /// Luma of every second pixel of every second row.
    pub fn screen_small(&self, out: &mut [u8]) {
        out.fill(0);
    }
    /// Cycles since power-on.
    pub fn cycles(&self) -> u64 {
        0
    }
    /// Frames since the start.
    pub fn frames(&self) -> u64 {
        0
    }
    /// The CPU's registers.
    pub fn registers(&self) -> Registers {
        Registers::default()
    }
    /// A part of the memory.
    pub fn memory(&mut self, area: Area) -> Vec<u8> {
        let _ = area;
        Vec::new()
    }
    /// A PyBoy state, version 29.
    pub fn save_state(&mut self) -> Vec<u8> {
        Vec::new()
    }
    /// Loads a PyBoy state, version 29.
    pub fn load_state(&mut self, state: &[u8]) -> Result<(), Error> {
        let _ = state;
        Ok(())
    }
    /// Everything, also what PyBoy's state leaves out.
    pub fn snapshot(&mut self) -> Vec<u8> {
        Vec::new()
    }
    /// Goes back to a snapshot.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let _ = snapshot;
        Ok(())
    }
    /// Why this machine stands still, if it does.
    pub fn fault(&self) -> Option<Fault> {
        None
    }
}
