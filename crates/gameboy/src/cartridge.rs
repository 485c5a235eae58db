//! Bank controllers: what a write below 0x8000 selects, and who may reach cartridge RAM.

use crate::clock::Clock;
use crate::rom::{Mbc, RAM_BANK, Rom};
use crate::stream::Stream;

/// RAM selections that are registers of the clock.
const CLOCK_REGISTERS: std::ops::RangeInclusive<u8> = 0x08..=0x0C;
/// Banks of RAM that an MBC30 writes to, even where the header names more.
const MBC30_BANKS: u8 = 8;

#[derive(Debug, Clone)]
pub struct Cartridge {
    pub rom_bank_low: usize,
    /// A cartridge of a single bank has this one too, and it is the same.
    pub rom_bank: usize,
    ram_bank: u8,
    ram_enabled: bool,
    /// MBC1's: 1 if the second register also selects RAM and the low ROM bank.
    mode: u8,
    /// MBC1's two bank registers.
    registers: [u8; 2],
    rumble: bool,
    pub clock: Clock,
}

impl Cartridge {
    pub fn new(rom: &Rom) -> Self {
        Self {
            rom_bank_low: 0,
            rom_bank: 1,
            ram_bank: 0,
            ram_enabled: rom.mbc == Mbc::None && rom.has_ram,
            mode: 0,
            registers: [1, 0],
            rumble: false,
            clock: Clock::default(),
        }
    }

    /// A write below 0x8000.
    pub fn select(&mut self, rom: &Rom, address: u16, value: u8) {
        match rom.mbc {
            Mbc::None if address >> 13 == 1 => self.rom_bank = usize::from(value.max(1) & 1),
            Mbc::None => {}
            Mbc::Mbc1 => self.select_mbc1(rom, address, value),
            Mbc::Mbc2 => match (address < 0x4000, address & 0x100 != 0) {
                (true, false) => self.ram_enabled = value & 0xF == 0xA,
                (true, true) => self.rom_bank = usize::from((value & 0xF).max(1)) % rom.banks,
                _ => {}
            },
            Mbc::Mbc3 | Mbc::Mbc30 => self.select_mbc3(rom, address, value),
            Mbc::Mbc5 => self.select_mbc5(rom, address, value),
        }
    }

    fn select_mbc1(&mut self, rom: &Rom, address: u16, value: u8) {
        match address >> 13 {
            0 => self.ram_enabled = value & 0xF == 0xA,
            1 => self.registers[0] = (value & 0x1F).max(1),
            2 => self.registers[1] = value & 3,
            _ => self.mode = value & 1,
        }
        self.apply_mbc1(rom);
    }

    fn apply_mbc1(&mut self, rom: &Rom) {
        let [low, high] = self.registers.map(usize::from);
        let shift = if rom.multicart { 4 } else { 5 };
        self.rom_bank_low = if self.mode == 1 { (high << shift) % rom.banks } else { 0 };
        let low = match low & 0xF {
            0 if rom.multicart && low & 0x10 == 0 => 1,
            four_bits if rom.multicart => four_bits,
            _ => low,
        };
        self.rom_bank = ((high << shift) | low) % rom.banks;
    }

    fn select_mbc3(&mut self, rom: &Rom, address: u16, value: u8) {
        match address >> 13 {
            0 => self.ram_enabled = value & 0xF == 0xA,
            1 => {
                let bank = if rom.mbc == Mbc::Mbc30 { value } else { value & 0x7F };
                self.rom_bank = usize::from(bank.max(1)) % rom.banks;
            }
            2 if CLOCK_REGISTERS.contains(&value) => self.ram_bank = value,
            2 => self.ram_bank = value % rom.ram_banks as u8,
            _ if rom.has_clock => self.clock.command(value),
            _ => {}
        }
    }

    fn select_mbc5(&mut self, rom: &Rom, address: u16, value: u8) {
        let value_bits = usize::from(value);
        match address >> 12 {
            0 | 1 => self.ram_enabled = value == 0xA,
            2 => self.rom_bank = ((self.rom_bank & 0x100) | value_bits) % rom.banks,
            3 => {
                let high = (value_bits & 1) << 8;
                self.rom_bank = (high | (self.rom_bank & 0xFF)) % rom.banks;
            }
            4 | 5 => {
                self.ram_bank = (value & 0xF) % rom.ram_banks as u8;
                self.rumble = rom.has_rumble && value & 8 != 0;
            }
            _ => {}
        }
    }

    /// Whether a read or write at 0xA000 goes to the clock.
    pub fn clock_selected(&self, rom: &Rom) -> bool {
        rom.has_clock && CLOCK_REGISTERS.contains(&self.ram_bank)
    }

    /// Where in cartridge RAM 0xA000 begins for plain reads; None if they need `read_ram`.
    pub fn readable_window(&self, rom: &Rom) -> Option<usize> {
        if !self.ram_enabled { None } else { self.plain_window(rom) }
    }

    /// The same for writes. Without an MBC they go through even where reads do not.
    pub fn writable_window(&self, rom: &Rom) -> Option<usize> {
        if self.ram_enabled || rom.mbc == Mbc::None { self.plain_window(rom) } else { None }
    }

    fn plain_window(&self, rom: &Rom) -> Option<usize> {
        let plain = match rom.mbc {
            // A selection that changes only with the access itself (see `mbc1_ram_bank`).
            Mbc::Mbc1 => self.ram_bank == 0 && (self.mode == 0 || self.registers[1] == 0),
            Mbc::Mbc2 => false,
            Mbc::Mbc30 if self.ram_bank >= MBC30_BANKS => false,
            _ => usize::from(self.ram_bank) < rom.ram_banks,
        };
        plain.then_some(usize::from(self.ram_bank) * RAM_BANK)
    }

    /// PyBoy's MBC1 selects its RAM bank when it is used.
    fn mbc1_ram_bank(&self) -> u8 {
        if self.mode == 1 { self.registers[1] } else { 0 }
    }

    /// What is at `offset` into the window, where that is not plain RAM.
    pub fn read_ram(&mut self, rom: &Rom, ram: &[u8], offset: usize) -> u8 {
        if !self.ram_enabled {
            return 0xFF;
        }
        match rom.mbc {
            Mbc::Mbc1 => self.ram_bank = self.mbc1_ram_bank() % rom.ram_banks as u8,
            Mbc::Mbc2 => return ram[offset % 512] | 0xF0,
            _ if self.clock_selected(rom) => return self.clock.read(self.ram_bank),
            _ => {}
        }
        // A bank beyond those that the header names is zero and stays so.
        ram.get(usize::from(self.ram_bank) * RAM_BANK + offset).copied().unwrap_or(0)
    }

    /// Writes at `offset` into the window, where that is not plain RAM.
    pub fn write_ram(&mut self, rom: &Rom, ram: &mut [u8], offset: usize, value: u8) {
        if !self.ram_enabled && rom.mbc != Mbc::None {
            return;
        }
        let mut bank = usize::from(self.ram_bank);
        match rom.mbc {
            Mbc::Mbc1 => {
                self.ram_bank = self.mbc1_ram_bank();
                bank = usize::from(self.ram_bank) % rom.ram_banks;
            }
            Mbc::Mbc2 => {
                ram[offset % 512] = value | 0xF0;
                return;
            }
            _ if self.clock_selected(rom) => return self.clock.write(self.ram_bank, value),
            Mbc::Mbc30 if self.ram_bank >= MBC30_BANKS => return,
            _ => {}
        }
        if let Some(byte) = ram.get_mut(bank * RAM_BANK + offset) {
            *byte = value;
        }
    }

    pub fn stream<S: Stream>(&mut self, stream: &mut S, rom: &Rom, ram: &mut [u8]) {
        let mut bank = self.rom_bank as u8;
        stream.byte(&mut bank);
        if S::LOADS {
            self.rom_bank = usize::from(bank); // a quirk: PyBoy's state has no room for the ninth bit
        }
        stream.byte(&mut self.ram_bank);
        stream.flag(&mut self.ram_enabled);
        stream.byte(&mut self.mode);
        self.mode &= 1;
        stream.bytes(ram);
        if rom.has_clock {
            self.clock.stream(stream);
        }
        match rom.mbc {
            Mbc::Mbc1 => {
                stream.bytes(&mut self.registers);
                self.registers[1] &= 3;
            }
            Mbc::Mbc5 => {
                let mut supported = rom.has_rumble;
                stream.flag(&mut supported);
                if rom.has_rumble {
                    stream.bit(&mut self.rumble, 8);
                }
            }
            _ => {}
        }
    }

    /// What PyBoy's state leaves out.
    pub fn stream_rest(&mut self, stream: &mut impl Stream, rom: &Rom) {
        let mut banks = [self.rom_bank_low as u16, self.rom_bank as u16];
        banks.iter_mut().for_each(|bank| stream.word(bank));
        let [low, switched] = banks.map(usize::from);
        (self.rom_bank_low, self.rom_bank) = (low % rom.banks, switched & 0x1FF);
        self.clock.stream_rest(stream);
    }
}
