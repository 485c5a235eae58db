//! Sound as far as a program can read it: registers, which channels play, and their samples on a
//! Color machine. Nothing is heard, so this equals PyBoy with sound emulated and not sampled.
//!
//! It runs only when it is looked at. PyBoy runs it at every end of a slice, and what depends on
//! how time is cut (`Wave::accessing`, a sweep on a Color machine) is cut in the same places.

mod envelope;
mod noise;
mod registers;
mod square;
mod wave;

use crate::stream::Stream;
use noise::Noise;
use square::{Square, Sweep};
use wave::Wave;

/// Cycles of a step of the sequencer that clocks lengths, sweep and envelopes.
const STEP_CYCLES: i64 = 8192;
const CYCLES_PER_SAMPLE: f64 = 4_194_304.0 / 48_000.0;
/// Longer than any slice. PyBoy takes the time of its next sample for a distance, so that sound
/// cuts slices only while this has not passed since power-on.
const LONGEST_SLICE: i64 = 150_000;

#[derive(Debug, Clone)]
pub struct Sound {
    pub cgb: bool,
    pub speed_shift: u32,
    pub cycles: i64,
    last: i64,
    /// When PyBoy would take its next sample, as far as that has been worked out.
    sample_target: f64,
    pub next_step: i64,
    to_interrupt: i64,
    /// Steps that the sequencer skips after power-on; 1 and 3 while it does.
    pub skipped_steps: i64,
    pub sequence: i64,
    pub powered_after_divider: bool,
    pub last_divider_write: i64,
    pub last_power_off: i64,
    pub powered: bool,
    panning: u8,
    volume: u8,
    square1: Square,
    sweep: Sweep,
    square2: Square,
    wave: Wave,
    noise: Noise,
}

/// PyBoy adds up the times of samples one after another, and each sum is rounded. Between two powers
/// of two all are rounded alike, so that many are added at once.
fn first_sample_after(now: f64, mut sample: f64) -> f64 {
    while now >= sample {
        let next = sample + CYCLES_PER_SAMPLE;
        let step = next + CYCLES_PER_SAMPLE - next;
        let power = 2_f64.powi(next.log2().floor() as i32 + 1);
        let steps = ((now.min(power) - next) / step).floor() - 2.0;
        sample = if sample > step && steps > 0.0 { next + steps * step } else { next };
    }
    sample
}

impl Sound {
    pub fn new(cgb: bool) -> Self {
        Self {
            cgb,
            speed_shift: 0,
            cycles: 0,
            last: 0,
            sample_target: CYCLES_PER_SAMPLE,
            next_step: STEP_CYCLES,
            to_interrupt: CYCLES_PER_SAMPLE.ceil() as i64,
            skipped_steps: 0,
            sequence: 3,
            powered_after_divider: false,
            last_divider_write: 0,
            last_power_off: 0,
            powered: false,
            panning: 0,
            volume: 0,
            square1: Square::new(1),
            sweep: Sweep::default(),
            square2: Square::new(2),
            wave: Wave::default(),
            noise: Noise::default(),
        }
    }

    /// Whether PyBoy's slices end at its samples; then `to_interrupt` says how long they may be.
    pub fn cuts_slices(&self) -> Option<i64> {
        (self.to_interrupt < LONGEST_SLICE).then_some(self.to_interrupt)
    }

    /// Whether it matters where slices end.
    pub fn depends_on_slices(&self) -> bool {
        self.cgb && self.square1.enabled && self.sweep.enabled
    }

    pub fn last(&self) -> i64 {
        self.last
    }

    pub fn tick_if_behind(&mut self, now: i64) {
        if self.last < now {
            self.tick(now);
        }
    }

    pub fn tick(&mut self, now: i64) {
        let mut cycles = now.wrapping_sub(self.last) >> self.speed_shift;
        self.last = now;
        self.wave.accessing = false;
        while cycles > 0 {
            let part = cycles.min(self.next_step - self.cycles);
            if part > 0 {
                self.advance(part);
                cycles -= part;
            }
            while self.cycles >= self.next_step {
                self.step_sequencer();
                self.next_step += STEP_CYCLES;
            }
        }
        if self.to_interrupt < LONGEST_SLICE {
            self.work_out_samples();
        }
    }

    fn advance(&mut self, cycles: i64) {
        if self.powered {
            if !self.cgb || self.square1.enabled {
                self.square1.tick(cycles);
                self.sweep.tick(&mut self.square1, cycles);
            }
            if !self.cgb || self.square2.enabled {
                self.square2.tick(cycles);
            }
            self.wave.tick(cycles);
            self.noise.tick(cycles, self.cgb);
        }
        self.cycles += cycles;
    }

    fn work_out_samples(&mut self) {
        self.sample_target = first_sample_after(self.cycles as f64, self.sample_target);
        let next = self.sample_target.min(self.next_step as f64);
        self.to_interrupt = (next.ceil() as i64) << self.speed_shift;
    }

    pub fn reset_divider(&mut self, falls: bool) {
        if falls && (self.powered || self.powered_after_divider) {
            self.step_sequencer();
        }
        self.next_step = self.cycles + STEP_CYCLES;
    }

    fn step_sequencer(&mut self) {
        match self.skipped_steps {
            2 | 5 => {
                self.skipped_steps = 1;
                return;
            }
            1 => self.skipped_steps = 3,
            _ => self.sequence += 1,
        }
        if !self.powered {
            return;
        }
        if self.cgb && self.sequence % 2 == 0 {
            self.square1.envelope.clock_extra();
            self.square2.envelope.clock_extra();
            self.noise.envelope.clock_extra();
        }
        if self.sequence % 2 == 1 {
            (0..4).for_each(|channel| self.tick_length(channel));
        }
        if self.sequence % 4 == 3 {
            self.sweep.clock(&mut self.square1, self.cgb);
        }
        if self.sequence % 8 == if self.cgb { 0 } else { 7 } {
            self.square1.envelope.clock();
            self.square2.envelope.clock();
            self.noise.envelope.clock();
        }
    }

    fn tick_length(&mut self, channel: u8) {
        match channel {
            0 => self.square1.tick_length(),
            1 => self.square2.tick_length(),
            2 => self.wave.tick_length(),
            _ => self.noise.tick_length(),
        }
    }

    pub fn pcm12(&self) -> u8 {
        self.square1.sample() & 0xF | self.square2.sample() << 4
    }

    pub fn pcm34(&mut self) -> u8 {
        self.noise.work_out();
        self.wave.sample() & 0xF | self.noise.sample() << 4
    }

    /// PyBoy's buffer of samples is written as it is when nothing was sampled.
    pub fn stream(&mut self, stream: &mut impl Stream) {
        const SAMPLES_PER_FRAME: i64 = (48_000 * 70_224 + 4_194_303) / 4_194_304;
        let (mut head, mut samples) = (0, SAMPLES_PER_FRAME);
        stream.long(&mut head);
        stream.long(&mut samples);
        let mut spacing = CYCLES_PER_SAMPLE;
        stream.double(&mut spacing);
        stream.bytes(&mut [0; 2 * (SAMPLES_PER_FRAME as usize + 1)]);
        let mut shift = self.speed_shift as u8;
        stream.byte(&mut shift);
        self.speed_shift = u32::from(shift & 1);
        stream.double(&mut self.sample_target);
        let mut next_step = self.next_step as f64;
        stream.double(&mut next_step);
        stream.time(&mut self.to_interrupt);
        stream.time(&mut self.cycles);
        stream.time(&mut self.last);
        // None of them is further from now than a run brings it: what is worked out step by step
        // must end.
        let now = self.cycles;
        self.next_step = (next_step as i64).clamp(now, now + 2 * STEP_CYCLES);
        if !(self.sample_target >= 0.0 && self.sample_target <= now as f64 + 1e6) {
            self.sample_target = now as f64;
        }
        stream.long(&mut self.skipped_steps);
        stream.time(&mut self.sequence);
        self.sequence = self.sequence.max(0);
        stream.flag(&mut self.powered_after_divider);
        stream.bit(&mut self.powered, 0x80);
        let mut unsampled = 1;
        stream.byte(&mut unsampled);
        let mut panning = [7, 6, 5, 4, 3, 2, 1, 0].map(|bit| self.panning & 1 << bit);
        stream.bytes(&mut panning);
        self.panning = panning.iter().fold(0, |all, bit| all | bit);
        stream.byte(&mut self.volume);
        self.square1.stream(stream);
        self.sweep.stream(stream);
        self.square2.stream(stream);
        self.wave.stream(stream);
        self.noise.stream(stream);
    }

    /// Works out what a state of PyBoy's holds and nobody reads.
    pub fn work_out(&mut self) {
        self.work_out_samples();
        self.noise.work_out();
    }

    /// A state has nothing pending, and its next sample is near.
    pub fn accept_state(&mut self) {
        self.noise.forget_pending();
        if (self.sample_target - self.cycles as f64).abs() > 1e6 {
            self.sample_target = self.cycles as f64;
        }
    }

    /// What PyBoy's state leaves out.
    pub fn stream_rest(&mut self, stream: &mut impl Stream) {
        self.noise.stream_rest(stream);
        stream.time(&mut self.last_divider_write);
        stream.time(&mut self.last_power_off);
    }
}

#[cfg(test)]
mod tests {
    use super::{CYCLES_PER_SAMPLE, STEP_CYCLES, Sound, first_sample_after};
    use crate::stream::{Reader, Writer};

    #[test]
    fn samples_added_at_once_are_those_added_one_by_one() {
        let mut sample = 0.0;
        let mut now = 1.0;
        while now < 3e9 {
            let found = first_sample_after(now, 0.0);
            while now >= sample {
                sample += CYCLES_PER_SAMPLE;
            }
            assert_eq!(found.to_bits(), sample.to_bits(), "after {now} cycles");
            now *= 1.003;
        }
    }

    #[test]
    fn the_samples_of_ages_are_worked_out_in_no_time() {
        let now = (1_i64 << 56) as f64;
        let next = first_sample_after(now, 0.0);
        assert!(next > now && next < now + 1e3);
    }

    /// What is left of a state that somebody else wrote.
    fn loaded(change: impl Fn(&mut Sound)) -> Sound {
        let mut sound = Sound::new(true);
        (sound.cycles, sound.last) = (1_000_000, 1_000_000);
        (sound.next_step, sound.sample_target) = (1_000_100, 1_000_050.0);
        change(&mut sound);
        let mut writer = Writer::default();
        sound.stream(&mut writer);
        let mut other = Sound::new(true);
        other.stream(&mut Reader(&writer.0));
        other
    }

    #[test]
    fn times_in_a_state_are_no_further_away_than_a_run_brings_them() {
        let next_step = |step: i64| loaded(|sound| sound.next_step = step).next_step;
        assert_eq!(next_step(1_000_100), 1_000_100);
        assert_eq!(next_step(999_999), 1_000_000);
        assert_eq!(next_step(1_000_000 + 2 * STEP_CYCLES), 1_000_000 + 2 * STEP_CYCLES);
        assert_eq!(next_step(1_000_001 + 2 * STEP_CYCLES), 1_000_000 + 2 * STEP_CYCLES);
        let sample = |target: f64| loaded(|sound| sound.sample_target = target).sample_target;
        assert_eq!([sample(0.0), sample(5.5), sample(2e6)], [0.0, 5.5, 2e6]);
        assert_eq!([sample(-1.0), sample(2e6 + 1.0), sample(f64::NAN)], [1e6; 3]);
        assert_eq!(loaded(|sound| sound.sequence = -3).sequence, 0);
    }
}
