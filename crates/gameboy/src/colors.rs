//! A Color machine's palettes: eight of four colours, fifteen bits each.

use crate::stream::Stream;

/// What PyBoy's palettes hold at power-on.
const INITIAL: [u16; 4] = [0x1CE7, 0x1E19, 0x7E31, 0x217B];
const AUTO_INCREMENT: u8 = 0x80;

#[derive(Debug, Clone)]
pub struct Colors {
    /// BCPS or OCPS: which byte is read and written.
    pub index: u8,
    pub memory: [u16; 32],
}

impl Default for Colors {
    fn default() -> Self {
        Self { index: 0, memory: std::array::from_fn(|i| INITIAL[i % 4]) }
    }
}

impl Colors {
    fn color(&mut self) -> &mut u16 {
        &mut self.memory[usize::from(self.index >> 1) & 31]
    }

    pub fn read(&mut self) -> u8 {
        let [low, high] = self.color().to_le_bytes();
        if self.index & 1 != 0 { high } else { low }
    }

    pub fn write(&mut self, value: u8) {
        let odd = usize::from(self.index & 1);
        let color = self.color();
        let mut bytes = color.to_le_bytes();
        bytes[odd] = value;
        *color = u16::from_le_bytes(bytes);
        if self.index & AUTO_INCREMENT != 0 {
            self.index = AUTO_INCREMENT | self.index.wrapping_add(1);
        }
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        stream.byte(&mut self.index);
        let mut parts = [self.index >> 7, (self.index >> 1) & 31, self.index & 1];
        stream.bytes(&mut parts);
        self.memory.iter_mut().for_each(|color| stream.word(color));
    }
}
