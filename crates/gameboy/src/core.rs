//! All of a machine's state in one place, and the memory map over it.

use crate::cartridge::Cartridge;
use crate::cpu::Cpu;
use crate::dma::{HblankDma, OamDma};
use crate::error::Fault;
use crate::joypad::Joypad;
use crate::lcd::Lcd;
use crate::rom::{RAM_BANK, ROM_BANK, Rom};
use crate::serial::Serial;
use crate::sound::Sound;
use crate::timer::Timer;
use crate::wait::Wait;
use std::sync::Arc;

/// Bytes in a bank of video RAM.
pub const VRAM_BANK: usize = 0x2000;
/// Bytes in a bank of work RAM.
pub const WRAM_BANK: usize = 0x1000;

/// A page that the fast path leaves to the slow one; no index reaches it.
const SLOW: usize = usize::MAX / 2;

/// Interrupts, as bits of IF and IE.
pub mod interrupt {
    pub const VBLANK: u8 = 1;
    pub const LCD: u8 = 2;
    pub const TIMER: u8 = 4;
    pub const SERIAL: u8 = 8;
    pub const JOYPAD: u8 = 16;
    pub const ALL: u8 = 31;
}

/// Where in `Core::ram` each memory begins; video RAM comes first.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub wram: usize,
    pub cartridge: usize,
    pub end: usize,
}

impl Layout {
    fn new(cgb: bool, ram_banks: usize) -> Self {
        let wram = if cgb { 2 * VRAM_BANK } else { VRAM_BANK };
        let cartridge = wram + if cgb { 8 * WRAM_BANK } else { 2 * WRAM_BANK };
        Self { wram, cartridge, end: cartridge + ram_banks * RAM_BANK }
    }
}

/// The state of a machine. Times are in cycles of the CPU since power-on, and components are
/// brought up to date only when something of them is due or looked at.
#[derive(Debug, Clone)]
pub struct Core {
    pub cpu: Cpu,
    pub cycles: i64,
    /// When the running slice began: PyBoy brings sound up to date at every end of a slice, and
    /// some of sound depends on how time is cut.
    pub slice_start: i64,
    pub slice_end: i64,
    /// After this the running frame is given up.
    pub frame_latest: i64,
    /// The earliest time at which a component wanted to be looked at, as of the last look.
    pub next_event: i64,
    /// The timer's and the link port's part of it.
    pub others_event: i64,
    /// A port was written: all components are looked at when the slice ends.
    pub touched: bool,
    /// Ends the slice after this instruction.
    pub bail: bool,
    /// How far into its instruction the CPU is as it reads or writes. Kept only by the three
    /// instructions and the operand fetches for which PyBoy knows it; zero elsewhere.
    pub access_offset: i64,
    pub fault: Option<Fault>,
    pub wait: Wait,
    pub frames: u64,

    pub layout: Layout,
    /// Where in the ROM 0x0000 and 0x4000 begin.
    pub rom_bases: [usize; 2],
    read_pages: [usize; 8],
    write_pages: [usize; 8],
    pub ram: Box<[u8]>,
    pub hram: [u8; 0x80],
    /// 0xFEA0 to 0xFEFF, plain RAM in PyBoy.
    pub unusable: [u8; 0x60],
    pub io_ports: [u8; 0x4C],

    pub cgb: bool,
    /// A Color machine with a Color cartridge.
    pub cgb_mode: bool,
    pub boot: Option<Arc<[u8]>>,
    pub boot_cgb: bool,
    pub key0: u8,
    pub key1: u8,
    pub double_speed: bool,
    pub wram_select: u8,
    /// 0xFF72 to 0xFF75.
    pub undocumented: [u8; 4],

    pub cartridge: Cartridge,
    pub joypad: Joypad,
    pub lcd: Lcd,
    pub oam_dma: OamDma,
    pub hdma: HblankDma,
    pub serial: Serial,
    pub sound: Sound,
    pub timer: Timer,
}

impl Core {
    /// As PyBoy is at power-on, all memory zero.
    pub fn new(rom: &Rom, cgb: bool) -> Self {
        let layout = Layout::new(cgb, rom.ram_banks);
        let cgb_mode = cgb && rom.wants_cgb();
        let mut core = Self {
            cpu: Cpu::default(),
            cycles: 0,
            slice_start: 0,
            slice_end: 0,
            frame_latest: 0,
            next_event: 0,
            others_event: 0,
            touched: false,
            bail: false,
            access_offset: 0,
            fault: None,
            wait: Wait::default(),
            frames: 0,
            layout,
            rom_bases: [0, ROM_BANK],
            read_pages: [SLOW; 8],
            write_pages: [SLOW; 8],
            ram: vec![0; layout.end].into(),
            hram: [0; 0x80],
            unusable: [0; 0x60],
            io_ports: [0; 0x4C],
            cgb,
            cgb_mode,
            boot: None,
            boot_cgb: false,
            key0: 0,
            key1: 0,
            double_speed: false,
            wram_select: 0,
            undocumented: [0; 4],
            cartridge: Cartridge::new(rom),
            joypad: Joypad::default(),
            lcd: Lcd::new(cgb),
            oam_dma: OamDma::default(),
            hdma: HblankDma::default(),
            serial: Serial::new(cgb_mode),
            sound: Sound::new(cgb),
            timer: Timer::default(),
        };
        core.remap(rom);
        core
    }

    /// Puts the selected banks into the map. Whoever changes a selection calls this.
    pub fn remap(&mut self, rom: &Rom) {
        let bank = |selected: usize| selected % rom.banks * ROM_BANK;
        let low = if self.boot.is_some() { SLOW } else { bank(self.cartridge.rom_bank_low) };
        self.rom_bases = [low, bank(self.cartridge.rom_bank)];

        let vram = if self.cgb && self.lcd.vram_bank != 0 { VRAM_BANK } else { 0 };
        let wram = self.layout.wram;
        let switched = wram + self.switched_wram();
        let cartridge = |window: Option<usize>| match window {
            Some(at) => (self.layout.cartridge + at, self.layout.cartridge + at + 0x1000),
            None => (SLOW, SLOW),
        };
        let (read_a, read_b) = cartridge(self.cartridge.readable_window(rom));
        let (write_a, write_b) = cartridge(self.cartridge.writable_window(rom));
        self.read_pages = [vram, vram + 0x1000, read_a, read_b, wram, switched, wram, SLOW];
        self.write_pages = [vram, vram + 0x1000, write_a, write_b, wram, switched, wram, SLOW];
    }

    /// Where the bank at 0xD000 begins within work RAM.
    fn switched_wram(&self) -> usize {
        match self.wram_select {
            bank if self.cgb => usize::from(bank.max(1)) * WRAM_BANK,
            _ => WRAM_BANK,
        }
    }

    /// A byte as the CPU reads it.
    #[inline(always)]
    pub fn read(&mut self, rom: &Rom, address: u16) -> u8 {
        match self.read_fast(rom, address) {
            Some(byte) => byte,
            None => self.read_slow(rom, address),
        }
    }

    /// What is plain memory; None is for `read_slow`.
    #[inline(always)]
    pub fn read_fast(&self, rom: &Rom, address: u16) -> Option<u8> {
        let at = usize::from(address);
        if at < 0x8000 {
            return rom.bytes.get(self.rom_bases[at >> 14] + (at & 0x3FFF)).copied();
        }
        let page = self.read_pages[(at >> 12) & 7];
        match self.ram.get(page + (at & 0xFFF)) {
            Some(&byte) => Some(byte),
            None if self.is_plain_high(at) => Some(self.hram[at & 0x7F]),
            None => None,
        }
    }

    /// A page of 256 bytes of ROM or work RAM, as they are mapped.
    pub fn plain_page<'a>(&'a self, rom: &'a Rom, high: u8) -> Option<&'a [u8; 256]> {
        let at = usize::from(high) << 8;
        match high {
            0x00..0x80 => rom.bytes.get(self.rom_bases[at >> 14] + (at & 0x3FFF)..)?.first_chunk(),
            0xC0..0xE0 => {
                self.ram.get(self.read_pages[(at >> 12) & 7] + (at & 0xFFF)..)?.first_chunk()
            }
            _ => None,
        }
    }

    /// High RAM, as long as reaching it does not bring a copy forward.
    #[inline(always)]
    fn is_plain_high(&self, at: usize) -> bool {
        at >= 0xFF80 && at != 0xFFFF && !self.oam_dma.active
    }

    /// Writes plain memory; false is for `write_slow`.
    #[inline(always)]
    pub fn write_fast(&mut self, address: u16, value: u8) -> bool {
        let at = usize::from(address);
        if at < 0x8000 {
            return false;
        }
        let page = self.write_pages[(at >> 12) & 7];
        if let Some(byte) = self.ram.get_mut(page + (at & 0xFFF)) {
            *byte = value;
            return true;
        }
        let high = self.is_plain_high(at);
        if high {
            self.hram[at & 0x7F] = value;
        }
        high
    }

    /// Where two bytes of plain memory lie side by side, given their page; else beyond all memory.
    #[inline(always)]
    fn pair_at(pages: &[usize; 8], address: u16) -> usize {
        let at = usize::from(address);
        let plain = at >= 0x8000 && at & 0xFFF != 0xFFF;
        if plain { pages[(at >> 12) & 7] + (at & 0xFFF) } else { SLOW }
    }

    /// Two bytes of plain memory, the lower first.
    #[inline(always)]
    pub fn read_pair_fast(&self, address: u16) -> Option<u16> {
        let at = Self::pair_at(&self.read_pages, address);
        let bytes = self.ram.get(at..at + 2)?;
        Some(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// Writes two bytes of plain memory, the lower first; false if it is not plain.
    #[inline(always)]
    pub fn write_pair_fast(&mut self, address: u16, value: u16) -> bool {
        let at = Self::pair_at(&self.write_pages, address);
        match self.ram.get_mut(at..at + 2) {
            Some(bytes) => {
                bytes.copy_from_slice(&value.to_le_bytes());
                true
            }
            None => false,
        }
    }

    /// Writes a byte as the CPU does.
    #[inline(always)]
    pub fn write(&mut self, rom: &Rom, address: u16, value: u8) {
        if !self.write_fast(address, value) {
            self.write_slow(rom, address, value);
        }
    }

    /// What `read_fast` would find, if PyBoy did not look at the LCD first.
    pub fn is_video(address: u16) -> bool {
        (0x8000..0xA000).contains(&address) || (0xFE00..0xFEA0).contains(&address)
    }

    pub fn interrupt_pending(&self) -> bool {
        self.cpu.requested & self.cpu.enabled & interrupt::ALL != 0
    }
}
