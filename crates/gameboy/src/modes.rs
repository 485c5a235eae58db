//! The LCD's modes over time. PyBoy draws a line on entry to mode 0.

use crate::core::interrupt;
use crate::lcd::{
    FRAME_CYCLES, LINE_CYCLES, Lcd, STAT_COINCIDENCE, STAT_LYC_INTERRUPT, STAT_OAM_INTERRUPT,
    Transition, lcdc,
};

impl Lcd {
    pub fn awaits_vblank_interrupt(&self) -> bool {
        self.ly == 143
            && self.next_mode == 1
            && self.mode() == 0
            && self.cgb_hardware()
            && self.enabled()
            && self.stat & STAT_OAM_INTERRUPT != 0
            && !self.irq_line
    }

    /// Advances to `now` by at most one step of the state machine, as PyBoy does, and returns
    /// interrupts.
    pub fn tick(&mut self, now: i64, vram: &[u8]) -> u8 {
        let cycles = now.wrapping_sub(self.last);
        if cycles == 0 {
            return 0;
        }
        self.last = now;
        self.clock += cycles >> self.speed_shift;
        let mut raised = 0;
        if self.awaits_vblank_interrupt() && self.clock >= self.clock_target - 4 {
            self.transition = Transition::VblankRaised;
            raised |= interrupt::LCD;
        }
        if self.clock >= self.clock_target {
            raised |= if self.enabled() { self.step(vram) } else { self.end_dark_frame() };
        }
        let early = self.awaits_vblank_interrupt();
        self.schedule(early);
        raised
    }

    fn end_dark_frame(&mut self) -> u8 {
        self.frame_done = true;
        self.clock %= FRAME_CYCLES;
        self.clock_target = FRAME_CYCLES;
        self.picture.blank(self.palettes[0]);
        0
    }

    fn step(&mut self, vram: &[u8]) -> u8 {
        if self.reset {
            self.reset = false;
            self.clock = 0;
            self.clock_target = 76; // without mode 2
            return self.begin_frame(0);
        }
        if self.ly == 153 {
            if self.first_frame && self.clock_target < FRAME_CYCLES {
                self.clock_target = FRAME_CYCLES;
                return 0;
            }
            self.clock %= FRAME_CYCLES;
            self.first_frame = false;
            self.clock_target = self.clock_target % FRAME_CYCLES + 80;
            return self.begin_frame(2);
        }
        match self.transition {
            Transition::AdvanceLine => self.advance_line(),
            Transition::BeginMode2 => self.begin_mode2(),
            _ => self.begin_next_mode(vram),
        }
    }

    fn begin_frame(&mut self, mode: u8) -> u8 {
        self.frame_done = true;
        self.ly = 0;
        self.next_mode = 3;
        self.transition = Transition::None;
        let raised = self.set_mode(mode);
        self.picture.window_reached = self.wy == self.ly;
        raised | self.compare_lyc()
    }

    fn advance_line(&mut self) -> u8 {
        self.ly += 1;
        self.clock_target += 4;
        self.transition = Transition::BeginMode2;
        if self.first_frame {
            self.stat &= !STAT_COINCIDENCE;
            return self.update_irq_line();
        }
        self.compare_lyc()
    }

    fn begin_mode2(&mut self) -> u8 {
        let mut raised = self.set_mode(2);
        if self.first_frame {
            raised |= self.compare_lyc();
        }
        self.clock_target += 80;
        self.next_mode = 3;
        self.transition = Transition::None;
        self.picture.window_reached |= self.wy == self.ly;
        raised
    }

    fn begin_next_mode(&mut self, vram: &[u8]) -> u8 {
        let vblank_raised = self.transition == Transition::VblankRaised;
        self.transition = Transition::None;
        let raised = self.set_mode(self.next_mode);
        raised
            | match self.next_mode {
                2 => {
                    self.ly = self.ly.wrapping_add(1);
                    self.clock_target += 80;
                    self.next_mode = 3;
                    let raised = self.compare_lyc();
                    self.picture.window_reached |= self.wy == self.ly;
                    raised
                }
                3 => {
                    self.mode3_adjustment = self.mode3_timing(self.ly);
                    let early = self.cgb_hardware() && !self.first_frame;
                    let cycles = if early { 170 } else { 172 };
                    self.clock_target += i64::from(cycles + self.mode3_adjustment);
                    self.next_mode = 0;
                    0
                }
                0 => {
                    self.begin_hblank(vram);
                    0
                }
                _ => self.begin_vblank_line(vblank_raised),
            }
    }

    fn begin_hblank(&mut self, vram: &[u8]) {
        let last_line = self.ly >= 143;
        let one_step = self.cgb_hardware() && !self.first_frame;
        let cycles = match (one_step, last_line, self.first_frame) {
            (true, ..) => 206,
            (false, true, false) => 204,
            _ => 200,
        };
        self.clock_target += i64::from(cycles - self.mode3_adjustment);
        self.next_mode = if last_line { 1 } else { 2 };
        if !one_step && !last_line {
            self.transition = Transition::AdvanceLine;
        }
        let line = usize::from(self.ly);
        if let Some(parameters) = self.line_parameters.get_mut(line) {
            let tile_data = self.lcdc & lcdc::TILE_DATA;
            *parameters = [self.scx, self.scy, self.wx, self.wy, tile_data];
            if self.picture.rendering {
                self.draw_line(vram);
            }
        }
    }

    fn begin_vblank_line(&mut self, vblank_raised: bool) -> u8 {
        self.clock_target += 456;
        self.next_mode = 1;
        self.ly = self.ly.wrapping_add(1);
        let mut raised = self.compare_lyc();
        if self.ly == 144 {
            if self.stat & STAT_OAM_INTERRUPT != 0 && !self.irq_line && !vblank_raised {
                raised |= interrupt::LCD;
            }
            raised |= interrupt::VBLANK;
            self.picture.window_reached = false;
            if self.first_frame {
                self.picture.blank(self.palettes[0]);
            }
        }
        raised
    }

    /// How many lines may begin before anybody would notice, if the CPU sleeps until `until`: none
    /// of them raises an interrupt or is drawn, and each takes the same time. Only from where a
    /// line has just begun.
    fn unnoticed_lines(&self, until: i64) -> i64 {
        let visible = self.ly < 143;
        let begun = if visible {
            self.mode() == 2 && self.next_mode == 3 && !self.picture.rendering
        } else {
            self.ly >= 144 && self.mode() == 1
        };
        if !begun
            || !self.enabled()
            || self.first_frame
            || self.reset
            || self.transition != Transition::None
            || self.irq_line
            || self.stat & 0x38 != 0
        {
            return 0;
        }
        let mut last_line = if visible { 143 } else { 153 };
        if self.stat & STAT_LYC_INTERRUPT != 0 && (self.ly..=last_line).contains(&self.lyc) {
            last_line = self.lyc.max(1) - 1;
        }
        let next_line =
            self.event + if visible { (LINE_CYCLES - 80) << self.speed_shift } else { 0 };
        let in_time = (until - next_line - 1).div_euclid(LINE_CYCLES << self.speed_shift) + 1;
        in_time.min(i64::from(last_line) - i64::from(self.ly))
    }

    /// Goes over whole lines while the CPU sleeps until `until`, at the earliest the next event.
    /// Returns when the step before the last one ended and the last one did.
    pub fn skip_lines(&mut self, until: i64) -> Option<(i64, i64)> {
        let lines = self.unnoticed_lines(until);
        if lines <= 0 {
            return None;
        }
        let from = usize::from(self.ly);
        let to = from + lines as usize;
        let visible = self.mode() == 2;
        if visible {
            let tile_data = self.lcdc & lcdc::TILE_DATA;
            let parameters = [self.scx, self.scy, self.wx, self.wy, tile_data];
            self.line_parameters[from..to].fill(parameters);
            self.picture.window_reached |= (from + 1..=to).contains(&usize::from(self.wy));
            self.mode3_adjustment = self.mode3_timing(to as u8 - 1);
        }
        self.ly = to as u8;
        self.compare_lyc();
        self.clock_target += lines * LINE_CYCLES;
        // A line begins with the event that ended the one before.
        let begins = self.clock_target - if visible { 80 } else { LINE_CYCLES };
        let now = self.last + ((begins - self.clock) << self.speed_shift);
        let last_step = match (visible, self.cgb_hardware()) {
            (true, false) => 4,
            (true, true) => 206 - i64::from(self.mode3_adjustment),
            (false, _) => LINE_CYCLES,
        };
        (self.last, self.clock) = (now, begins);
        self.schedule(self.awaits_vblank_interrupt());
        Some((now - (last_step << self.speed_shift), now))
    }
}
