//! Copies that run beside the CPU: into OAM, and on a Color machine into video RAM.

use crate::core::Core;
use crate::rom::Rom;
use crate::stream::Stream;

/// Bytes of OAM.
pub const OAM_BYTES: u8 = 0xA0;

#[derive(Debug, Clone, Default)]
pub struct OamDma {
    pub active: bool,
    /// While the copy itself reads.
    pub reading: bool,
    /// The high byte of where it copies from.
    pub source: u8,
    pub index: u8,
    pub start: i64,
}

impl OamDma {
    pub fn begin(&mut self, source: u8, now: i64) {
        let restarted = self.active && self.index == 0;
        self.start = now + if restarted { 8 } else { 12 };
        (self.active, self.reading, self.source, self.index) = (true, false, source, 0);
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        stream.flag(&mut self.active);
        stream.flag(&mut self.reading);
        stream.byte(&mut self.source);
        stream.byte(&mut self.index);
        stream.time(&mut self.start);
        self.index = self.index.min(OAM_BYTES);
    }
}

/// HDMA1 to HDMA5.
#[derive(Debug, Clone)]
pub struct HblankDma {
    pub registers: [u8; 5],
    pub active: bool,
    pub source: u16,
    pub target: u16,
}

impl Default for HblankDma {
    fn default() -> Self {
        Self { registers: [0, 0, 0, 0, 0xFF], active: false, source: 0, target: 0 }
    }
}

impl HblankDma {
    /// Cycles that PyBoy takes for a block.
    pub const BLOCK_CYCLES: i64 = 206;

    /// HDMA1 to HDMA4.
    pub fn write_address(&mut self, register: usize, value: u8) {
        self.registers[register] = value;
        let high = u16::from(value) << 8;
        match register {
            0 => self.source = high | (self.source & 0xFF),
            1 => self.source = (self.source & 0xFF00) | u16::from(value & 0xF0),
            2 => self.target = (high & 0x1F00) | (self.target & 0xFF) | 0x8000,
            _ => self.target = (self.target & 0xFF00) | u16::from(value & 0xF0),
        }
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        stream.bytes(&mut self.registers);
        stream.flag(&mut self.active);
        stream.word(&mut self.source);
        stream.word(&mut self.target);
    }
}

impl Core {
    /// Copies into OAM what is due `ahead` cycles from now, a byte every four cycles.
    pub fn sync_oam_dma(&mut self, rom: &Rom, ahead: i64) {
        if !self.oam_dma.active || self.oam_dma.reading {
            return;
        }
        let elapsed = self.cycles + ahead - self.oam_dma.start;
        if elapsed < 4 {
            return;
        }
        let target = (elapsed / 4).min(i64::from(OAM_BYTES)) as u8;
        if self.oam_dma.index < target {
            self.copy_to_oam(rom, target);
        }
        self.oam_dma.active = self.oam_dma.index != OAM_BYTES;
    }

    fn copy_to_oam(&mut self, rom: &Rom, target: u8) {
        let mut source = self.oam_dma.source;
        if !self.cgb && source >= 0xFE {
            source -= 0x20;
        }
        if let Some(page) = self.plain_page(rom, source).copied() {
            let copied = usize::from(self.oam_dma.index)..usize::from(target);
            self.lcd.oam[copied.clone()].copy_from_slice(&page[copied]);
            self.lcd.forget_sprites();
            self.oam_dma.index = target;
            return;
        }
        self.oam_dma.reading = true;
        while self.oam_dma.index < target {
            let byte = self.read_for_copy(rom, u16::from_be_bytes([source, self.oam_dma.index]));
            self.lcd.write_oam(self.oam_dma.index, byte);
            self.oam_dma.index += 1;
        }
        self.oam_dma.reading = false;
    }

    /// A write to HDMA5 begins or ends a copy. One at once takes no cycles in PyBoy.
    pub fn write_hdma5(&mut self, rom: &Rom, value: u8) {
        if self.hdma.active {
            self.hdma.active = value & 0x80 != 0;
            self.hdma.registers[4] = if self.hdma.active { value & 0x7F } else { 0x80 };
            return;
        }
        if value & 0x80 != 0 {
            self.hdma.registers[4] = value & 0x7F;
            self.hdma.active = true;
            if !self.lcd.enabled() {
                self.copy_hdma_block(rom);
            }
            return;
        }
        let length = (u16::from(value & 0x7F) + 1) * 16;
        let (source, target) = (self.hdma.source, self.hdma.target);
        for i in 0..length {
            let byte = self.read_for_copy(rom, source.wrapping_add(i));
            self.write_for_copy(rom, target.wrapping_add(i), byte);
        }
        self.hdma.source = source.wrapping_add(length);
        self.hdma.target = target.wrapping_add(length);
        self.hdma.registers[4] = 0xFF;
    }

    /// Sixteen bytes in a horizontal blank.
    pub fn copy_hdma_block(&mut self, rom: &Rom) {
        let source = self.hdma.source & 0xFFF0;
        let target = (self.hdma.target & 0x1FF0) | 0x8000;
        for i in 0..16 {
            let byte = self.read_for_copy(rom, source.wrapping_add(i));
            self.write_for_copy(rom, target + i, byte);
        }
        let hdma = &mut self.hdma;
        hdma.target = hdma.target.wrapping_add(16);
        hdma.source = hdma.source.wrapping_add(16);
        if hdma.target == 0xA000 {
            hdma.target = 0x8000;
        }
        if hdma.source == 0x8000 {
            hdma.source = 0xA000;
        }
        let ([a, b], [c, d]) = (hdma.source.to_be_bytes(), hdma.target.to_be_bytes());
        let left = hdma.registers[4];
        hdma.active = left != 0;
        hdma.registers = [a, b, c, d, left.wrapping_sub(1)];
    }
}
