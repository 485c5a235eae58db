//! The screen in the forms that are asked for.

use crate::machine::Machine;
use crate::picture::{SHADED, UNDRAWN};
use crate::{HEIGHT, WIDTH};

type Rgb = [u8; 3];

const GRAYS: [Rgb; 4] = [[0xFF; 3], [0x99; 3], [0x55; 3], [0x00; 3]];
/// PyBoy's colours for a cartridge of the older machine in a Color machine: background, then both
/// palettes of sprites.
const TINTS: [[Rgb; 4]; 2] = [
    [[0xFF; 3], [0x7B, 0xFF, 0x31], [0x00, 0x63, 0xC5], [0x00; 3]],
    [[0xFF; 3], [0xFF, 0x84, 0x84], [0x94, 0x3A, 0x3A], [0x00; 3]],
];

/// Red, green and blue of a pixel as PyBoy shows it.
pub fn rgb(pixel: u16, cgb: bool) -> Rgb {
    if pixel == UNDRAWN {
        return [0; 3];
    }
    if pixel & SHADED == 0 {
        return [0, 5, 10].map(|shift| ((pixel >> shift & 31) << 3) as u8);
    }
    let shade = usize::from(pixel & 3);
    let sprite = usize::from(pixel & 0xC != 0);
    if cgb { TINTS[sprite][shade] } else { GRAYS[shade] }
}

/// The pixel that shows a colour; for one that no pixel shows, one of about its brightness.
pub fn pixel(color: Rgb, cgb: bool) -> u16 {
    let shaded = [SHADED, SHADED | 4];
    for first in shaded {
        if let Some(found) = (first..first + 4).find(|&pixel| rgb(pixel, cgb) == color) {
            return found;
        }
    }
    let [red, green, blue] = color.map(u16::from);
    if cgb { red >> 3 | green >> 3 << 5 | blue >> 3 << 10 } else { SHADED | (3 - (green >> 6)) }
}

/// Brightness, with weights of a 256th.
fn luma([red, green, blue]: Rgb) -> u8 {
    let weighted = 77 * u32::from(red) + 150 * u32::from(green) + 29 * u32::from(blue);
    ((weighted + 128) >> 8) as u8
}

impl Machine {
    fn luma_of(&self, pixel: u16) -> u8 {
        luma(rgb(pixel, self.cgb()))
    }

    /// Red, green and blue of each pixel, row by row, into 144 x 160 x 3 bytes.
    pub fn screen_rgb(&self, out: &mut [u8]) {
        for (bytes, &pixel) in out.chunks_exact_mut(3).zip(self.pixels()) {
            bytes.copy_from_slice(&rgb(pixel, self.cgb()));
        }
    }

    /// (77 red + 150 green + 29 blue + 128) / 256 of each pixel into 144 x 160 bytes.
    pub fn screen_gray(&self, out: &mut [u8]) {
        for (byte, &pixel) in out.iter_mut().zip(self.pixels()) {
            *byte = self.luma_of(pixel);
        }
    }

    /// Shades after palettes, 0 the lightest, into 144 x 160 bytes. A colour of a Color machine
    /// counts as the shade that is nearest in brightness.
    pub fn screen_index(&self, out: &mut [u8]) {
        for (byte, &pixel) in out.iter_mut().zip(self.pixels()) {
            let shaded = pixel & SHADED != 0 && pixel != UNDRAWN;
            let nearest = || 3 - ((u16::from(self.luma_of(pixel)) + 42) / 85) as u8;
            *byte = if shaded { (pixel & 3) as u8 } else { nearest() };
        }
    }

    /// What `screen_gray` shows of every second pixel of every second row, into 72 x 80 bytes.
    pub fn screen_small(&self, out: &mut [u8]) {
        let rows = self.pixels().chunks_exact(WIDTH).step_by(2).take(HEIGHT / 2);
        for (row, shown) in out.chunks_exact_mut(WIDTH / 2).zip(rows) {
            for (byte, &pixel) in row.iter_mut().zip(shown.iter().step_by(2)) {
                *byte = self.luma_of(pixel);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GRAYS, TINTS, luma, pixel, rgb};
    use crate::picture::{SHADED, UNDRAWN};

    #[test]
    fn a_pixel_shows_the_colour_that_it_was_found_for() {
        for color in 0..0x8000_u16 {
            let shown = [color & 31, color >> 5 & 31, color >> 10].map(|part| (part << 3) as u8);
            assert_eq!(rgb(color, true), shown);
            assert_eq!(rgb(pixel(shown, true), true), shown);
        }
        for (cgb, shades) in [(false, &GRAYS), (true, &TINTS[0]), (true, &TINTS[1])] {
            for color in shades {
                assert_eq!(rgb(pixel(*color, cgb), cgb), *color);
            }
        }
        for (shade, color) in (SHADED..).zip(GRAYS) {
            assert_eq!((rgb(shade, false), rgb(shade | 4, false)), (color, color));
        }
        for (shade, [background, sprite]) in (0..4).map(|i| [TINTS[0][i], TINTS[1][i]]).enumerate()
        {
            let shade = SHADED | shade as u16;
            assert_eq!(rgb(shade, true), background);
            assert_eq!((rgb(shade | 4, true), rgb(shade | 8, true)), (sprite, sprite));
        }
        assert_eq!((rgb(UNDRAWN, false), rgb(UNDRAWN, true)), ([0; 3], [0; 3]));
    }

    #[test]
    fn a_colour_that_the_older_machine_lacks_is_a_shade_of_about_its_brightness() {
        for (green, shade) in [(0, 3), (63, 3), (64, 2), (127, 2), (128, 1), (191, 1), (192, 0)] {
            assert_eq!(pixel([1, green, 1], false), SHADED | shade);
        }
    }

    #[test]
    fn brightness_is_rounded_from_its_weights() {
        let vectors = [([0; 3], 0), ([0xFF; 3], 255), ([0x99; 3], 153), ([0x55; 3], 85)];
        let colored =
            [([200, 0, 0], 60), ([0, 200, 0], 117), ([0, 0, 200], 23), ([248, 8, 16], 81)];
        for (color, brightness) in vectors.into_iter().chain(colored) {
            assert_eq!(luma(color), brightness, "{color:?}");
        }
    }
}
