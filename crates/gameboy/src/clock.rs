//! MBC3's clock. It counts emulated time, where PyBoy also looks at the host's.

use crate::stream::Stream;

const CYCLES_PER_SECOND: i64 = 4_194_304;

#[derive(Debug, Clone, Default)]
pub struct Clock {
    seconds: u8,
    minutes: u8,
    hours: u8,
    days: u16,
    halted: bool,
    carried: bool,
    cycles: i64,
    last: i64,
    latched: bool,
    /// Seconds, minutes, hours, days low and high as they were when last latched.
    latch: [u8; 5],
}

impl Clock {
    pub fn tick(&mut self, now: i64) {
        let elapsed = (now - self.last).max(0);
        self.last = now;
        if self.halted {
            return;
        }
        self.cycles += elapsed;
        let seconds = self.cycles / CYCLES_PER_SECOND;
        self.cycles %= CYCLES_PER_SECOND;
        self.advance(seconds);
    }

    /// Fields that hold more than they ought to count up to their last bit before they wrap.
    fn advance(&mut self, seconds: i64) {
        let ordinary = self.seconds < 60 && self.minutes < 60 && self.hours < 24;
        if seconds > 3600 && ordinary {
            let of_day = i64::from(self.hours) * 3600
                + i64::from(self.minutes) * 60
                + i64::from(self.seconds)
                + seconds;
            let days = i64::from(self.days) + of_day / 86400;
            self.hours = (of_day % 86400 / 3600) as u8;
            self.minutes = (of_day / 60 % 60) as u8;
            self.seconds = (of_day % 60) as u8;
            self.carried |= days > 0x1FF;
            self.days = (days & 0x1FF) as u16;
            return;
        }
        for _ in 0..seconds.min(1 << 20) {
            self.advance_one();
        }
    }

    fn advance_one(&mut self) {
        let count = |value: &mut u8, last: u8, most: u8| {
            let carries = *value == last;
            *value = if carries || *value == most { 0 } else { *value + 1 };
            carries
        };
        if count(&mut self.seconds, 59, 0x3F)
            && count(&mut self.minutes, 59, 0x3F)
            && count(&mut self.hours, 23, 0x1F)
        {
            self.carried |= self.days == 0x1FF;
            self.days = (self.days + 1) & 0x1FF;
        }
    }

    /// 0 then 1 latches the time.
    pub fn command(&mut self, value: u8) {
        match value {
            0 => self.latched = false,
            1 => {
                if !self.latched {
                    let [low, high] = self.days.to_le_bytes();
                    self.latch = [self.seconds, self.minutes, self.hours, low, high];
                }
                self.latched = true;
            }
            _ => {}
        }
    }

    pub fn read(&self, register: u8) -> u8 {
        match register {
            0x08..=0x0B => self.latch[usize::from(register - 8)],
            _ => self.latch[4] | u8::from(self.halted) << 6 | u8::from(self.carried) << 7,
        }
    }

    pub fn write(&mut self, register: u8, value: u8) {
        match register {
            0x08 => (self.seconds, self.cycles) = (value & 0x3F, 0),
            0x09 => self.minutes = value & 0x3F,
            0x0A => self.hours = value & 0x1F,
            0x0B => self.days = (self.days & 0x100) | u16::from(value),
            _ => {
                self.days = (self.days & 0xFF) | u16::from(value & 1) << 8;
                self.halted = value & 0x40 != 0;
                self.carried = value & 0x80 != 0;
            }
        }
    }

    /// PyBoy writes the host's time twice; here it is zero, and not read.
    pub fn stream(&mut self, stream: &mut impl Stream) {
        let mut host_time = 0.0;
        stream.double(&mut host_time);
        stream.flag(&mut self.halted);
        stream.flag(&mut self.carried);
        stream.byte(&mut self.seconds);
        stream.byte(&mut self.minutes);
        stream.byte(&mut self.hours);
        let [mut low, mut high] = self.days.to_le_bytes();
        stream.byte(&mut low);
        stream.byte(&mut high);
        self.days = u16::from_le_bytes([low, high & 1]);
        stream.flag(&mut self.halted);
        stream.flag(&mut self.carried);
        stream.long(&mut self.cycles);
        stream.double(&mut host_time);
        self.seconds &= 0x3F;
        self.minutes &= 0x3F;
        self.hours &= 0x1F;
        self.cycles = self.cycles.rem_euclid(CYCLES_PER_SECOND);
    }

    /// A state says nothing of when the clock was last looked at.
    pub fn resume(&mut self, now: i64) {
        self.last = now;
    }

    pub fn stream_rest(&mut self, stream: &mut impl Stream) {
        stream.time(&mut self.last);
        stream.flag(&mut self.latched);
        stream.bytes(&mut self.latch);
    }
}
