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

#[cfg(test)]
mod tests {
    use super::{CYCLES_PER_SECOND, Clock};
    use crate::stream::{Reader, Writer};

    /// Seconds, minutes, hours, days low, and days high with the flags.
    fn shown(clock: &mut Clock) -> [u8; 5] {
        clock.command(0);
        clock.command(1);
        [0x08, 0x09, 0x0A, 0x0B, 0x0C].map(|register| clock.read(register))
    }

    fn set(time: [u8; 5]) -> Clock {
        let mut clock = Clock::default();
        (0x08..).zip(time).for_each(|(register, value)| clock.write(register, value));
        clock
    }

    #[test]
    fn fields_carry_where_they_ought_to_and_wrap_where_they_do_not() {
        for (before, after) in [
            ([0, 0, 0, 0, 0], [1, 0, 0, 0, 0]),
            ([58, 59, 23, 7, 0], [59, 59, 23, 7, 0]),
            ([59, 7, 8, 9, 1], [0, 8, 8, 9, 1]),
            ([59, 59, 8, 9, 1], [0, 0, 9, 9, 1]),
            ([59, 59, 23, 9, 0], [0, 0, 0, 10, 0]),
            ([59, 59, 23, 0xFF, 0], [0, 0, 0, 0, 1]),
            ([59, 59, 23, 0xFF, 1], [0, 0, 0, 0, 0x80]),
            ([59, 59, 23, 0xFF, 0x80], [0, 0, 0, 0, 0x81]),
            ([60, 1, 2, 3, 0], [61, 1, 2, 3, 0]),
            ([63, 59, 23, 3, 0], [0, 59, 23, 3, 0]),
            ([59, 63, 23, 3, 0], [0, 0, 23, 3, 0]),
            ([59, 59, 24, 3, 0], [0, 0, 25, 3, 0]),
            ([59, 59, 31, 3, 0], [0, 0, 0, 3, 0]),
            ([0xFF, 0xFF, 0xFF, 3, 0], [0, 63, 31, 3, 0]),
            ([59, 59, 23, 3, 0x41], [59, 59, 23, 3, 0x41]),
        ] {
            let mut clock = set(before);
            clock.tick(CYCLES_PER_SECOND - 1);
            let mut still = set(before);
            assert_eq!(shown(&mut clock), shown(&mut still), "{before:?} a cycle too early");
            clock.tick(CYCLES_PER_SECOND);
            assert_eq!(shown(&mut clock), after, "a second after {before:?}");
        }
    }

    #[test]
    fn many_seconds_at_once_are_those_one_by_one() {
        for seconds in [3599, 3600, 3601, 7199, 86_399, 86_400, 100_000] {
            for before in [[0; 5], [59, 59, 23, 0xFF, 1], [30, 12, 5, 0xFE, 0], [61, 3, 4, 5, 0]] {
                let (mut whole, mut parts) = (set(before), set(before));
                whole.tick(seconds * CYCLES_PER_SECOND);
                (1..=seconds).for_each(|second| parts.tick(second * CYCLES_PER_SECOND));
                assert_eq!(shown(&mut whole), shown(&mut parts), "{seconds} after {before:?}");
            }
        }
    }

    #[test]
    fn what_is_read_is_the_time_of_the_last_latch() {
        let mut clock = set([5, 6, 7, 8, 1]);
        clock.command(1);
        clock.write(0x08, 9);
        clock.command(1);
        clock.command(2);
        assert_eq!(clock.read(0x08), 5, "it was latched and not let go");
        clock.command(0);
        assert_eq!(clock.read(0x08), 5);
        clock.command(1);
        assert_eq!(clock.read(0x08), 9);
    }

    #[test]
    fn a_second_begins_anew_when_seconds_are_written_and_time_never_runs_back() {
        let mut clock = Clock::default();
        clock.tick(CYCLES_PER_SECOND - 1);
        clock.write(0x09, 3);
        clock.tick(CYCLES_PER_SECOND + 1);
        assert_eq!(shown(&mut clock), [1, 3, 0, 0, 0]);
        clock.write(0x08, 1);
        clock.tick(0);
        clock.tick(CYCLES_PER_SECOND - 1);
        assert_eq!(shown(&mut clock), [1, 3, 0, 0, 0]);
        clock.tick(CYCLES_PER_SECOND);
        assert_eq!(shown(&mut clock), [2, 3, 0, 0, 0]);
    }

    #[test]
    fn every_field_survives_a_round_trip_and_what_no_clock_holds_is_cut() {
        let mut clock = set([41, 42, 13, 0x9A, 0xC1]);
        (clock.cycles, clock.last) = (1_234_567, 7_654_321);
        (clock.latched, clock.latch) = (true, [1, 2, 3, 4, 1]);
        let mut writer = Writer::default();
        clock.stream(&mut writer);
        clock.stream_rest(&mut writer);
        let mut loaded = Clock::default();
        let mut reader = Reader(&writer.0);
        loaded.stream(&mut reader);
        loaded.stream_rest(&mut reader);
        assert!(reader.0.is_empty());
        assert_eq!(format!("{loaded:?}"), format!("{clock:?}"));
        let host_time = [0; 8];
        let body = [1, 1, 41, 42, 13, 0x9A, 1, 1, 1];
        let cycles = 1_234_567_i64.to_le_bytes();
        assert_eq!(writer.0[..33], [&host_time[..], &body, &cycles, &host_time].concat());

        let mut forged = [0xFF; 33];
        forged[17..25].copy_from_slice(&(CYCLES_PER_SECOND + 5).to_le_bytes());
        loaded.stream(&mut Reader(&forged));
        assert_eq!((loaded.seconds, loaded.minutes, loaded.hours), (63, 63, 31));
        assert_eq!((loaded.days, loaded.cycles), (0x1FF, 5));
        loaded.resume(99);
        assert_eq!(loaded.last, 99);
    }
}
