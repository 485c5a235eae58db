//! The forms of the screen, each made from what is shown in red, green and blue.

mod support;

use gameboy::Machine;
use support::{cartridge, machine_of};

const PIXELS: usize = 144 * 160;

/// A machine that has filled its tiles with its own code, and on a Color machine its palettes.
fn painted(cgb: bool) -> Machine {
    let program = [
        0xAF, 0xE0, 0x40, // LCDC = 0
        0x3E, 0x80, 0xE0, 0x68, // BCPS = 80
        0x21, 0x00, 0x80, 0x11, 0x50, 0x01, // LD HL,8000; LD DE,0150
        0x1A, 0xAD, 0x07, 0x22, 0x13, // LD A,(DE); XOR L; RLCA; LD (HL+),A; INC DE
        0xE0, 0x69, 0xE0, 0x47, // BCPD, BGP
        0x7C, 0xFE, 0xA0, 0x20, 0xF2, // until HL is A000
        0x3E, 0xE4, 0xE0, 0x47, 0x3E, 0x91, 0xE0, 0x40, // BGP = E4; LCDC = 91
        0x18, 0xFE,
    ];
    let flag = [if cgb { 0x80 } else { 0 }];
    let mut machine = machine_of(&cartridge(0x00, 2, &[(0x143, &flag), (0x150, &program)]));
    machine.tick(12, true);
    machine
}

fn filled(length: usize, fill: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes = vec![0xAA; length];
    fill(&mut bytes);
    bytes
}

#[test]
fn gray_is_the_brightness_of_what_is_shown_and_small_every_second_pixel_of_it() {
    for cgb in [false, true] {
        let machine = painted(cgb);
        let rgb = filled(3 * PIXELS, |out| machine.screen_rgb(out));
        let gray = filled(PIXELS, |out| machine.screen_gray(out));
        let expected: Vec<u8> = rgb
            .chunks(3)
            .map(|c| {
                (77 * u32::from(c[0]) + 150 * u32::from(c[1]) + 29 * u32::from(c[2]) + 128) / 256
            })
            .map(|gray| gray as u8)
            .collect();
        assert_eq!(gray, expected);
        let shown: std::collections::BTreeSet<_> = gray.iter().collect();
        assert!(shown.len() >= 4, "there is something to see: {shown:?}");
        let small = filled(72 * 80, |out| machine.screen_small(out));
        let every_second: Vec<u8> = (0..72 * 80).map(|i| gray[i / 80 * 320 + i % 80 * 2]).collect();
        assert_eq!(small, every_second);
    }
}

#[test]
fn indices_are_shades_or_the_nearest_to_a_colour() {
    for cgb in [false, true] {
        let machine = painted(cgb);
        let gray = filled(PIXELS, |out| machine.screen_gray(out));
        let index = filled(PIXELS, |out| machine.screen_index(out));
        for (gray, index) in gray.into_iter().zip(index) {
            let nearest = if cgb {
                (0..4).min_by_key(|shade| (255 - 85 * shade - i32::from(gray)).abs()).unwrap()
            } else {
                [0xFF, 0x99, 0x55, 0x00].iter().position(|&shade| shade == gray).unwrap() as i32
            };
            assert_eq!(i32::from(index), nearest, "gray {gray}");
        }
    }
}
