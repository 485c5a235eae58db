//! The link port with no cable in it: a transfer by the own clock ends, and reads 0xFF.

use crate::stream::Stream;
use crate::timer::NEVER;

const TRANSFER_CYCLES: i64 = 8 * 128;

#[derive(Debug, Clone)]
pub struct Serial {
    pub control: u8,
    fixed_bits: u8,
    transferring: bool,
    own_clock: bool,
    last: i64,
    to_interrupt: i64,
    clock: i64,
    clock_target: i64,
}

impl Serial {
    pub fn new(cgb_mode: bool) -> Self {
        let fixed_bits = if cgb_mode { 0b0111_1100 } else { 0b0111_1110 };
        Self {
            control: fixed_bits,
            fixed_bits,
            transferring: false,
            own_clock: false,
            last: 0,
            to_interrupt: 0,
            clock: 0,
            clock_target: NEVER,
        }
    }

    pub fn last(&self) -> i64 {
        self.last
    }

    pub fn event(&self) -> i64 {
        if self.transferring { self.last + self.clock_target - self.clock } else { i64::MAX }
    }

    pub fn write_control(&mut self, value: u8) {
        self.control = value | self.fixed_bits;
        self.own_clock = value & 1 != 0;
        self.transferring = value & 0x80 != 0 && self.own_clock;
        if self.own_clock {
            self.clock_target = self.clock + TRANSFER_CYCLES;
            self.to_interrupt = TRANSFER_CYCLES;
        } else {
            self.clock_target = NEVER;
            self.to_interrupt = NEVER;
        }
    }

    /// Advances to `now`; true if the interrupt is raised.
    pub fn tick(&mut self, now: i64) -> bool {
        let cycles = now.wrapping_sub(self.last);
        if cycles == 0 {
            return false;
        }
        self.last = now;
        self.clock += cycles;
        let ended = self.transferring && self.clock >= self.clock_target;
        if ended {
            self.control &= 0x7F;
            self.transferring = false;
            self.clock_target = NEVER;
        }
        self.to_interrupt = if self.transferring { self.clock_target - self.clock } else { NEVER };
        ended
    }

    pub fn stream(&mut self, stream: &mut impl Stream) {
        let mut data = 0xFF;
        stream.byte(&mut data);
        stream.byte(&mut self.control);
        stream.bit(&mut self.transferring, 0x80);
        stream.flag(&mut self.own_clock);
        stream.time(&mut self.last);
        stream.time(&mut self.to_interrupt);
        stream.time(&mut self.clock);
        stream.time(&mut self.clock_target);
    }
}
