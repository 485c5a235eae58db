//! Memory that is more than memory: what the page table leaves to the slow path.

use crate::core::{Core, WRAM_BANK, interrupt};
use crate::dma::OAM_BYTES;
use crate::rom::Rom;

impl Core {
    #[cold]
    #[inline(never)]
    pub fn read_slow(&mut self, rom: &Rom, address: u16) -> u8 {
        match address {
            0x0000..=0x3FFF => self.read_booting(rom, address),
            0x4000..=0x7FFF => rom.bytes[self.rom_bases[1] + usize::from(address & 0x3FFF)],
            0x8000..=0x9FFF => self.read_vram(address),
            0xA000..=0xBFFF => {
                if self.cartridge.clock_selected(rom) {
                    self.cartridge.clock.tick(self.cycles);
                }
                let ram = &self.ram[self.layout.cartridge..];
                self.cartridge.read_ram(rom, ram, usize::from(address - 0xA000))
            }
            0xC000..=0xFDFF => self.ram[self.wram_at(address)],
            0xFE00..=0xFE9F => self.read_oam(rom, address),
            0xFEA0..=0xFEFF => self.unusable[usize::from(address - 0xFEA0)],
            0xFF00..=0xFFFF => self.read_high(rom, address),
        }
    }

    #[cold]
    #[inline(never)]
    pub fn write_slow(&mut self, rom: &Rom, address: u16, value: u8) {
        match address {
            0x0000..=0x7FFF => {
                if rom.has_clock && address >= 0x6000 {
                    self.cartridge.clock.tick(self.cycles);
                }
                self.cartridge.select(rom, address, value);
                self.remap(rom);
                self.bail = true;
            }
            0x8000..=0x9FFF => self.write_vram(address, value),
            0xA000..=0xBFFF => {
                if self.cartridge.clock_selected(rom) {
                    self.cartridge.clock.tick(self.cycles);
                }
                let ram = &mut self.ram[self.layout.cartridge..];
                self.cartridge.write_ram(rom, ram, usize::from(address - 0xA000), value);
                self.remap(rom);
            }
            0xC000..=0xFDFF => {
                let at = self.wram_at(address);
                self.ram[at] = value;
            }
            0xFE00..=0xFE9F => self.write_oam(rom, address, value),
            0xFEA0..=0xFEFF => self.unusable[usize::from(address - 0xFEA0)] = value,
            0xFF00..=0xFFFF => self.write_high(rom, address, value),
        }
    }

    /// A read by a copy, which sees the LCD as the instruction does that it happens in.
    pub fn read_for_copy(&mut self, rom: &Rom, address: u16) -> u8 {
        if self.access_offset == 0 { self.read(rom, address) } else { self.read_slow(rom, address) }
    }

    /// A write by a copy.
    pub fn write_for_copy(&mut self, rom: &Rom, address: u16, value: u8) {
        if self.access_offset == 0 {
            self.write(rom, address, value);
        } else {
            self.write_slow(rom, address, value);
        }
    }

    /// While the boot ROM covers the cartridge's beginning.
    fn read_booting(&self, rom: &Rom, address: u16) -> u8 {
        let at = usize::from(address);
        let covered = at < 0x100 || (self.boot_cgb && (0x200..0x900).contains(&at));
        match &self.boot {
            // A short boot ROM of a Color machine covers addresses that it does not have.
            Some(boot) if covered => boot.get(at).copied().unwrap_or(0xFF),
            _ => rom.bytes[self.cartridge.rom_bank_low * crate::rom::ROM_BANK + at],
        }
    }

    /// Where in `ram` an address of work RAM or its echo is.
    fn wram_at(&self, address: u16) -> usize {
        let offset = usize::from(address & 0x1FFF);
        let bank = match self.wram_select {
            bank if self.cgb && offset >= WRAM_BANK => usize::from(bank.max(1)) - 1,
            _ => 0,
        };
        self.layout.wram + offset + bank * WRAM_BANK
    }

    fn vram_at(&self, address: u16) -> usize {
        let bank = if self.cgb { usize::from(self.lcd.vram_bank) } else { 0 };
        usize::from(address & 0x1FFF) + bank * crate::core::VRAM_BANK
    }

    /// Brings the LCD to where the access is within its instruction.
    fn tick_lcd_for_access(&mut self) {
        let raised = self.tick_lcd(self.cycles + self.access_offset);
        self.cpu.requested |= raised;
    }

    fn read_vram(&mut self, address: u16) -> u8 {
        if self.access_offset != 0 {
            self.tick_lcd_for_access();
            if self.lcd.vram_hidden_from_reads(self.cycles + self.access_offset) {
                return 0xFF;
            }
        }
        self.ram[self.vram_at(address)]
    }

    fn write_vram(&mut self, address: u16, value: u8) {
        if self.access_offset != 0 {
            self.tick_lcd_for_access();
            if self.lcd.enabled() && self.lcd.mode() == 3 {
                return;
            }
        }
        let at = self.vram_at(address);
        self.ram[at] = value;
    }

    fn read_oam(&mut self, rom: &Rom, address: u16) -> u8 {
        if self.access_offset != 0 && !self.oam_dma.reading {
            self.tick_lcd_for_access();
            if self.lcd.oam_hidden_from_reads() {
                return 0xFF;
            }
        }
        self.sync_oam_dma(rom, self.access_offset);
        let started = self.cycles + self.access_offset >= self.oam_dma.start;
        let watched = self.oam_dma.active && !self.oam_dma.reading && started;
        // PyBoy's copy runs ahead of a read through HL.
        if watched && self.cpu.registers.hl == address {
            self.sync_oam_dma(rom, self.access_offset.max(4));
        }
        if self.oam_dma.active && !self.oam_dma.reading && started {
            return 0xFF;
        }
        self.lcd.oam[usize::from(address - 0xFE00)]
    }

    fn write_oam(&mut self, rom: &Rom, address: u16, value: u8) {
        if self.access_offset != 0 {
            self.tick_lcd_for_access();
            if self.lcd.oam_closed_to_writes(self.cycles + self.access_offset) {
                return;
            }
        }
        self.sync_oam_dma(rom, self.access_offset);
        let index = (address - 0xFE00) as u8;
        if !self.oam_dma.active && index < OAM_BYTES {
            self.lcd.write_oam(index, value);
        }
    }

    /// 0xFF00 on: ports, high RAM and IE.
    fn read_high(&mut self, rom: &Rom, address: u16) -> u8 {
        self.sync_oam_dma(rom, self.access_offset);
        match address {
            0xFF80..=0xFFFE => self.hram[usize::from(address & 0x7F)],
            0xFFFF => self.cpu.enabled,
            _ => self.read_port(address as u8),
        }
    }

    fn write_high(&mut self, rom: &Rom, address: u16, value: u8) {
        self.sync_oam_dma(rom, self.access_offset);
        match address {
            0xFF80..=0xFFFE => self.hram[usize::from(address & 0x7F)] = value,
            0xFFFF => {
                self.cpu.enabled = value;
                self.bail = true;
            }
            0xFF4C..=0xFF7F => self.write_cgb_port(rom, address as u8, value),
            _ => {
                self.write_port(address as u8, value);
                self.bail |= address != 0xFF44;
            }
        }
    }

    pub fn tick_timer(&mut self) {
        if self.timer.tick(self.cycles) {
            self.cpu.requested |= interrupt::TIMER;
        }
    }

    pub fn tick_serial(&mut self) {
        if self.serial.tick(self.cycles) {
            self.cpu.requested |= interrupt::SERIAL;
        }
    }
}
