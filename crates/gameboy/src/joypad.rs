//! Buttons. Their levels are latched into 0xFF00 when a program writes there, not when it reads.

/// Bits of held buttons, as `Machine::hold` takes them.
pub mod button {
    #![allow(missing_docs)]
    pub const RIGHT: u8 = 1;
    pub const LEFT: u8 = 2;
    pub const UP: u8 = 4;
    pub const DOWN: u8 = 8;
    pub const A: u8 = 16;
    pub const B: u8 = 32;
    pub const SELECT: u8 = 64;
    pub const START: u8 = 128;
}

#[derive(Debug, Clone)]
pub struct Joypad {
    /// Low where a direction is held.
    pub directional: u8,
    /// Low where another button is held.
    pub standard: u8,
    /// What is held from the next frame on.
    pub wanted: u8,
}

impl Default for Joypad {
    fn default() -> Self {
        Self { directional: 0xF, standard: 0xF, wanted: 0 }
    }
}

impl Joypad {
    /// Applies what is wanted; true if a button was pressed.
    pub fn begin_frame(&mut self) -> bool {
        let (directional, standard) = (!self.wanted & 0xF, !self.wanted >> 4);
        let pressed = (self.directional & !directional) | (self.standard & !standard);
        (self.directional, self.standard) = (directional, standard);
        pressed != 0
    }

    /// What 0xFF00 holds after `value` was written there; PyBoy keeps no select bits.
    pub fn select(&self, value: u8) -> u8 {
        let lines = match (value >> 4) & 3 {
            0b10 => self.directional,
            0b01 => self.standard,
            _ => 0xF,
        };
        0xC0 | lines
    }
}
