//! What is on the screen, and drawing a line of it.

use crate::lcd::{Lcd, lcdc};
use crate::{HEIGHT, WIDTH};

/// Attributes of a drawn pixel, which sprites look at.
const TRANSPARENT: u8 = 1;
const BEFORE_SPRITES: u8 = 2;

/// A pixel that was never drawn.
pub const UNDRAWN: u16 = 0xFFFF;
/// A pixel of a palette of the older machine: the palette in bits 2 and 3, the shade below.
/// Others are fifteen bits of colour.
pub const SHADED: u16 = 0x8000;

/// Bits of a byte as bytes, the highest first.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> (7 - bit)) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[derive(Debug, Clone)]
pub struct Picture {
    pub pixels: Box<[u16; WIDTH * HEIGHT]>,
    pub attributes: Box<[u8; WIDTH * HEIGHT]>,
    /// Whether this frame is drawn at all.
    pub rendering: bool,
    /// The window's own line. PyBoy counts it only in frames that are rendered, from zero at
    /// first and from minus one after line 143.
    pub window_line: i32,
    /// WY was met in this frame.
    pub window_reached: bool,
}

impl Default for Picture {
    fn default() -> Self {
        Self {
            pixels: Box::new([UNDRAWN; WIDTH * HEIGHT]),
            attributes: Box::new([0; WIDTH * HEIGHT]),
            rendering: true,
            window_line: 0,
            window_reached: false,
        }
    }
}

impl Picture {
    pub fn blank(&mut self, background_palette: u8) {
        self.pixels.fill(SHADED | u16::from(background_palette & 3));
        self.attributes.fill(0);
    }

    /// A frame of the background's first colour, just drawn; None is the lightest shade.
    pub fn show_background(&mut self, color: Option<u16>) {
        self.pixels.fill(color.unwrap_or(SHADED));
        self.attributes.fill(TRANSPARENT);
        self.window_line = -1;
    }
}

/// A line before it is cut to the screen: eight columns more on either side.
struct Line {
    pixels: [u16; WIDTH + 16],
    attributes: [u8; WIDTH + 16],
}

const LEFT: usize = 8;

/// Which tiles a line is made of: a row of a map, from a column of pixels on.
struct Row {
    map: usize,
    y: u8,
    x: u8,
}

/// Eight two-bit codes, the leftmost lowest.
#[inline(always)]
fn tile_row(vram: &[u8], at: usize) -> [u8; 8] {
    match vram.get(at..at + 2) {
        Some(&[low, high]) => {
            (SPREAD[usize::from(low)] | SPREAD[usize::from(high)] << 1).to_le_bytes()
        }
        _ => [0; 8],
    }
}

/// Eight pixels of the background: what they show, and their attributes.
#[inline(always)]
fn draw_codes(codes: [u8; 8], colors: &[u16; 4], priority: u8, line: &mut Line, at: usize) {
    // A byte of a word belongs to each pixel.
    const ONES: u64 = 0x0101_0101_0101_0101;
    let both = u64::from_le_bytes(codes);
    let transparent = (both | both >> 1) & ONES ^ ONES;
    let attributes = (transparent * u64::from(TRANSPARENT)) | (ONES * u64::from(priority));
    line.attributes[at..at + 8].copy_from_slice(&attributes.to_le_bytes());
    line.pixels[at..at + 8].copy_from_slice(&codes.map(|code| colors[usize::from(code & 3)]));
}

/// The four shades that a palette register gives, as pixels.
fn shades(register: u8, palette: u16) -> [u16; 4] {
    [0, 2, 4, 6].map(|shift| SHADED | palette << 2 | u16::from(register >> shift & 3))
}

impl Lcd {
    pub fn draw_line(&mut self, vram: &[u8]) {
        let ly = self.ly;
        let mut line = Line { pixels: [0; WIDTH + 16], attributes: [0; WIDTH + 16] };
        let window_left = i32::from(self.wx) - 7;
        let windowed = self.lcdc & lcdc::WINDOW != 0
            && self.picture.window_reached
            && window_left < WIDTH as i32;
        if windowed || self.color || self.lcdc & lcdc::BACKGROUND != 0 {
            let map = self.map(lcdc::BACKGROUND_MAP);
            let row = Row { map, y: ly.wrapping_add(self.scy), x: self.scx };
            let end = if windowed { window_left.max(0) as usize } else { WIDTH };
            self.draw_tiles(vram, &mut line, 0, end, row);
        } else {
            line.pixels.fill(shades(self.palettes[0], 0)[0]);
        }
        if windowed {
            self.picture.window_line += 1;
            let begin = window_left.max(0) as usize;
            let map = self.map(lcdc::WINDOW_MAP);
            let x = (begin as i32 - window_left) as u8;
            let row = Row { map, y: self.picture.window_line as u8, x };
            self.draw_tiles(vram, &mut line, begin, WIDTH, row);
        }
        if ly == 143 {
            self.picture.window_line = -1;
        }
        if self.lcdc & lcdc::SPRITES != 0 {
            self.draw_sprites(vram, &mut line);
        }
        let at = usize::from(ly) * WIDTH;
        self.picture.pixels[at..at + WIDTH].copy_from_slice(&line.pixels[LEFT..LEFT + WIDTH]);
        self.picture.attributes[at..at + WIDTH]
            .copy_from_slice(&line.attributes[LEFT..LEFT + WIDTH]);
    }

    fn map(&self, bit: u8) -> usize {
        if self.lcdc & bit != 0 { 0x1C00 } else { 0x1800 }
    }

    /// Draws columns `begin` to `end` and up to seven more, which are drawn over. Only a row that
    /// begins at column 0 begins within a tile.
    fn draw_tiles(&self, vram: &[u8], line: &mut Line, begin: usize, end: usize, row: Row) {
        let map_row = row.map + usize::from(row.y >> 3) * 32;
        let (mut tile_column, fine) = (usize::from(row.x >> 3), usize::from(row.x & 7));
        let shaded = shades(self.palettes[0], 0);
        let mut at = LEFT + begin - fine;
        while at < LEFT + end {
            let map_at = map_row + (tile_column & 31);
            tile_column += 1;
            if self.color {
                self.draw_color_tile(vram, map_at, row.y, line, at);
            } else {
                let codes = tile_row(vram, self.tile_at(vram[map_at]) + usize::from(row.y & 7) * 2);
                draw_codes(codes, &shaded, 0, line, at);
            }
            at += 8;
        }
    }

    #[inline(always)]
    fn draw_color_tile(&self, vram: &[u8], map_at: usize, y: u8, line: &mut Line, at: usize) {
        let tile = vram[map_at];
        let look = vram.get(map_at + 0x2000).copied().unwrap_or(0);
        let row = if look & 0x40 != 0 { 7 - (y & 7) } else { y & 7 };
        let bank = usize::from(look >> 3 & 1) * 0x2000;
        let mut codes = tile_row(vram, bank + self.tile_at(tile) + usize::from(row) * 2);
        if look & 0x20 != 0 {
            codes.reverse();
        }
        let colors = &self.background_colors.memory[usize::from(look & 7) * 4..];
        let colors = [0, 1, 2, 3].map(|i| colors[i] & 0x7FFF);
        let priority = if look & 0x80 != 0 { BEFORE_SPRITES } else { 0 };
        draw_codes(codes, &colors, priority, line, at);
    }

    /// Where a tile of the background begins in video RAM.
    fn tile_at(&self, tile: u8) -> usize {
        let signed = self.lcdc & lcdc::TILE_DATA == 0;
        16 * if signed { usize::from(tile ^ 0x80) + 128 } else { usize::from(tile) }
    }

    /// The first ten sprites of the line. On the older machine the lower X lies above, and the
    /// earlier in OAM where X is the same; on the Color machine only the order in OAM counts.
    fn draw_sprites(&mut self, vram: &[u8], line: &mut Line) {
        let mut on_line = self.sprites_on(self.ly);
        let mut sprites = [(0_u8, 0_u8); 10];
        let mut count = 0;
        while on_line != 0 && count < 10 {
            let sprite = on_line.trailing_zeros() as u8;
            on_line &= on_line - 1;
            let x = if self.color { 0 } else { self.oam[usize::from(sprite) * 4 + 1] };
            sprites[count] = (x, sprite);
            count += 1;
        }
        sprites[..count].sort_unstable();
        for &(_, sprite) in sprites[..count].iter().rev() {
            self.draw_sprite(vram, line, usize::from(sprite) * 4);
        }
    }

    fn draw_sprite(&self, vram: &[u8], line: &mut Line, at: usize) {
        let [y, x, tile, look] = [0, 1, 2, 3].map(|i| self.oam[at + i]);
        let left = usize::from(x); // LEFT columns before the screen
        if left == 0 || left >= LEFT + WIDTH {
            return;
        }
        let tall = self.lcdc & lcdc::TALL_SPRITES != 0;
        let (tile, height) = if tall { (tile & 0xFE, 16) } else { (tile, 8) };
        let down = usize::from(self.ly) + 16 - usize::from(y);
        let row = if look & 0x40 != 0 { height - 1 - down } else { down };
        let bank = if self.color { usize::from(look >> 3 & 1) * 0x2000 } else { 0 };
        let mut codes = tile_row(vram, bank + usize::from(tile) * 16 + row * 2);
        if look & 0x20 != 0 {
            codes.reverse();
        }
        let colors: [u16; 4] = if self.color {
            std::array::from_fn(|i| {
                self.object_colors.memory[usize::from(look & 7) * 4 + i] & 0x7FFF
            })
        } else {
            let second = look >> 4 & 1;
            shades(self.palettes[1 + usize::from(second)], 1 + u16::from(second))
        };
        let behind = look & 0x80 != 0;
        let always = self.color && self.lcdc & lcdc::BACKGROUND == 0;
        for (i, code) in codes.into_iter().enumerate() {
            let below = line.attributes[left + i];
            let hidden = (behind || (self.color && below & BEFORE_SPRITES != 0)) && !always;
            if code != 0 && (!hidden || below & TRANSPARENT != 0) {
                line.pixels[left + i] = colors[usize::from(code & 3)];
            }
        }
    }
}
