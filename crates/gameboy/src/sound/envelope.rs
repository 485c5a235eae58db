//! A volume that changes by itself: channels 1, 2 and 4.

use crate::stream::Stream;

/// A step that a Color machine owes after a write to NRx2.
const EXTRA_STEP: i32 = 8;

#[derive(Debug, Clone, Default)]
pub struct Envelope {
    initial: u8,
    rises: bool,
    pace: u8,
    pub timer: i32,
    pub level: i32,
}

impl Envelope {
    pub fn register(&self) -> u8 {
        self.initial << 4 | u8::from(self.rises) << 3 | self.pace
    }

    pub fn write(&mut self, value: u8) {
        (self.initial, self.rises, self.pace) = (value >> 4, value & 8 != 0, value & 7);
    }

    /// Whether the channel's converter is on.
    pub fn is_on(&self) -> bool {
        self.initial != 0 || self.rises
    }

    pub fn restart(&mut self) {
        self.timer = i32::from(self.pace);
        self.level = i32::from(self.initial);
    }

    pub fn volume(&self) -> u8 {
        (self.level & 0xF) as u8
    }

    fn next_level(&self) -> Option<i32> {
        let next = self.level + if self.rises { 1 } else { -1 };
        (0..=15).contains(&next).then_some(next)
    }

    pub fn clock(&mut self) {
        if self.timer == 0 {
            return;
        }
        self.timer -= 1;
        if self.timer == 0
            && let Some(next) = self.next_level()
        {
            self.timer = i32::from(self.pace);
            self.level = next;
        }
    }

    pub fn clock_extra(&mut self) {
        if self.timer & EXTRA_STEP != 0 {
            self.timer &= 7;
            self.level = self.next_level().unwrap_or(self.level);
        }
    }

    /// What a write to NRx2 does on a Color machine to a channel that plays.
    pub fn disturb(&mut self, value: u8) {
        if value & 0xF8 == 0 {
            return;
        }
        let old = self.register();
        let mut steps = (value & 7 != 0 && old & 7 == 0) || (value & 0xF == 8 && old & 0xF == 8);
        if (value ^ old) & 8 != 0 {
            self.level = match (value & 8 != 0, old & 7 == 0) {
                (true, true) => self.level ^ 0xF,
                (true, false) => (0xE - self.level) & 0xF,
                (false, _) => (0x10 - self.level) & 0xF,
            };
            steps &= value & 8 == 0;
        }
        if steps {
            self.level = (self.level + if value & 8 != 0 { 1 } else { -1 }) & 0xF;
        }
        if value & 7 == 0 {
            self.timer = 0;
        } else if old & 7 == 0 {
            self.timer = i32::from(value & 7) | EXTRA_STEP;
        }
    }

    pub fn stream_settings(&mut self, stream: &mut impl Stream) {
        stream.byte(&mut self.initial);
        stream.flag(&mut self.rises);
        stream.byte(&mut self.pace);
        (self.initial, self.pace) = (self.initial & 0xF, self.pace & 7);
    }
}
