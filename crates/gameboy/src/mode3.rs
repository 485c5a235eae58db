//! How long mode 3 takes, which depends on the sprites of the line.

use crate::lcd::{Lcd, lcdc};
use crate::{HEIGHT, WIDTH};

impl Lcd {
    /// Cycles of the LCD to the next mode 0, which PyBoy takes for cycles of the CPU.
    pub fn cycles_to_mode0(&mut self, now: i64) -> i64 {
        let left = self.clock_target - self.clock_at(now);
        let line = if self.mode() == 1 { 0 } else { self.ly };
        let mode3 = |lcd: &mut Self, startup: bool| {
            let early = lcd.cgb_hardware() && !startup;
            i64::from(lcd.mode3_timing(line) + if early { 170 } else { 172 })
        };
        match self.mode() {
            0 => 0,
            3 => left,
            2 => left + mode3(self, self.first_frame),
            _ => left + 456 * (153 - i64::from(self.ly)) + 80 + mode3(self, false),
        }
    }

    /// Sprites of a line as bits, the first in OAM lowest.
    pub fn sprites_on(&mut self, line: u8) -> u64 {
        if std::mem::take(&mut self.sprite_lines_stale) {
            self.sprite_lines.fill(0);
            let height = if self.lcdc & lcdc::TALL_SPRITES != 0 { 16 } else { 8 };
            for (sprite, entry) in self.oam.as_chunks::<4>().0.iter().enumerate() {
                let below = usize::from(entry[0]); // sixteen below the sprite's first line
                let lines = below.max(16) - 16..(below + height).clamp(16, 16 + HEIGHT) - 16;
                for row in self.sprite_lines.get_mut(lines).unwrap_or_default() {
                    *row |= 1 << sprite;
                }
            }
        }
        self.sprite_lines.get(usize::from(line)).copied().unwrap_or(0)
    }

    /// How much longer mode 3 takes because of sprites and scrolling.
    pub fn mode3_timing(&mut self, line: u8) -> i32 {
        let mut cycles = 0;
        if self.lcdc & lcdc::SPRITES != 0 {
            let sprites = self.sprites_on(line);
            if sprites != 0 {
                cycles = self.sprite_penalty(sprites);
            }
        }
        if !self.first_frame && !self.cgb_hardware() {
            cycles += (i32::from(self.scx & 7) + 3) / 4 * 4;
        }
        cycles
    }

    fn sprite_penalty(&self, mut sprites: u64) -> i32 {
        let mut seen = [0_u64; 3];
        let (mut penalty, mut columns) = (0, 0);
        for _ in 0..10 {
            if sprites == 0 {
                break;
            }
            let x = self.oam[sprites.trailing_zeros() as usize * 4 + 1];
            sprites &= sprites - 1;
            if usize::from(x) >= WIDTH + 8 {
                continue;
            }
            penalty += 6;
            let (word, bit) = (usize::from(x >> 6), 1 << (x & 63));
            if seen[word] & bit == 0 {
                seen[word] |= bit;
                columns += 1;
                let within_tile = x.wrapping_add(self.scx).wrapping_sub(8) & 7;
                penalty += (5 - i32::from(within_tile)).max(0);
            }
        }
        if columns == 0 {
            return -4; // only sprites beyond the edge
        }
        penalty = (penalty - 7).max(0);
        if self.cgb_hardware() { (penalty + 3) / 4 * 4 } else { penalty }
    }
}
