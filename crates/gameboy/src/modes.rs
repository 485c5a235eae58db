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

#[cfg(test)]
mod tests {
    use crate::lcd::{LINE_CYCLES, Lcd, Transition};

    /// An LCD that has just begun a line and draws nothing, as it is in a frame that is not shown.
    fn at_line(line: u8, cgb: bool, speed_shift: u32) -> Lcd {
        let mut lcd = Lcd::new(cgb);
        lcd.speed_shift = speed_shift;
        lcd.picture.rendering = false;
        lcd.wy = 200;
        lcd.lyc = 200;
        lcd.write(0x40, 0x91);
        lcd.last = 5000;
        lcd.schedule(false);
        let mut frames = 0;
        while frames < 3 || lcd.ly != line || !has_begun(&lcd) {
            lcd.tick(lcd.event.max(lcd.last + 1), &[]);
            frames += u8::from(std::mem::take(&mut lcd.frame_done));
        }
        lcd
    }

    fn has_begun(lcd: &Lcd) -> bool {
        let vblank = lcd.mode() == 1 && lcd.ly >= 144;
        vblank || (lcd.mode() == 2 && lcd.transition == Transition::None && lcd.ly < 143)
    }

    /// Step by step: how many lines begin before `until` and before anybody notices, and the last
    /// two steps of that, with the LCD as it is then.
    fn stepped(lcd: &Lcd, until: i64) -> (i64, Option<(i64, i64)>, Lcd) {
        let (mut now, mut reached) = (lcd.clone(), lcd.clone());
        let (mut lines, mut times) = (0, None);
        let last_line = if lcd.ly < 143 { 143 } else { 153 };
        while reached.ly < last_line {
            let before = now.last;
            if now.tick(now.event, &[]) != 0 || now.last >= until {
                break;
            }
            let at_143 = now.ly == 143 && now.mode() == 2 && now.transition == Transition::None;
            if now.ly != reached.ly && (has_begun(&now) || at_143) {
                lines += 1;
                times = Some((before, now.last));
                reached = now.clone();
            }
        }
        (lines, times, reached)
    }

    /// What there is of it beside the picture.
    fn shown(lcd: &Lcd) -> String {
        let times = (lcd.last, lcd.clock, lcd.clock_target, lcd.event, lcd.frame_event);
        let line = (lcd.ly, lcd.stat, lcd.next_mode, lcd.transition, lcd.irq_line);
        let picture = (lcd.mode3_adjustment, lcd.picture.window_reached, lcd.line_parameters);
        format!("{times:?} {line:?} {picture:?}")
    }

    fn check(lcd: &Lcd, until: i64, what: &str) -> i64 {
        let (lines, times, mut expected) = stepped(lcd, until);
        let mut skipped = lcd.clone();
        assert_eq!(lcd.unnoticed_lines(until).max(0), lines, "{what}, until {until}");
        assert_eq!(skipped.skip_lines(until), times, "{what}, until {until}");
        expected.picture.rendering = skipped.picture.rendering;
        assert_eq!(shown(&skipped), shown(&expected), "{what}, until {until}");
        lines
    }

    #[test]
    fn lines_gone_over_at_once_are_those_that_nobody_notices_one_by_one() {
        for (cgb, shift) in [(false, 0), (true, 0), (true, 1)] {
            for line in [0, 1, 77, 141, 142, 144, 145, 150, 152, 153] {
                let begun = at_line(line, cgb, shift);
                let (next, length) = (begun.event, LINE_CYCLES << shift);
                let what = format!("line {line}, color {cgb}, speed {shift}");
                let mut most = 0;
                for until in (0..12).map(|i| next + i * length).chain([next + 200 * length]) {
                    for near in [-377, -376, -1, 0, 1, 375, 376, 377] {
                        most = most.max(check(&begun, until + (near << shift), &what));
                    }
                }
                let to_go = if line < 143 { 143 - line } else { 153 - line };
                assert_eq!(most, i64::from(to_go), "{what}");
                for (lyc, wy, scx) in [(line, 3, 0), (line + 1, line, 5), (line + 2, line + 1, 7)]
                    .into_iter()
                    .chain([(143, 143, 1), (144, 4, 3), (153, 90, 0), (0, 0, 2)])
                {
                    for stat in [0x00, 0x40] {
                        let mut lcd = begun.clone();
                        (lcd.wy, lcd.scx) = (wy, scx);
                        lcd.write(0x41, stat);
                        lcd.write(0x45, lyc);
                        for lines in [1, 2, 3, 400] {
                            let what = format!("{what}, LYC {lyc}, WY {wy}, STAT {stat:02X}");
                            if !lcd.irq_line {
                                check(&lcd, next + lines * length, &what);
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_gone_over_where_somebody_might_notice() {
        for (cgb, line) in [(false, 20), (true, 20), (false, 147), (true, 147)] {
            let begun = at_line(line, cgb, 0);
            let far = begun.event + 5 * LINE_CYCLES;
            assert!(begun.unnoticed_lines(far) > 0);
            let changes: [fn(&mut Lcd); 7] = [
                |lcd| lcd.lcdc = 0x11,
                |lcd| lcd.first_frame = true,
                |lcd| lcd.reset = true,
                |lcd| lcd.transition = Transition::BeginMode2,
                |lcd| lcd.irq_line = true,
                |lcd| lcd.stat |= 0x08,
                |lcd| lcd.stat |= 0x20,
            ];
            for (number, change) in changes.into_iter().enumerate() {
                let mut lcd = begun.clone();
                change(&mut lcd);
                assert_eq!(lcd.unnoticed_lines(far), 0, "change {number}");
                assert_eq!(lcd.skip_lines(far), None, "change {number}");
            }
            let mut drawn = begun.clone();
            drawn.picture.rendering = true;
            assert_eq!(drawn.unnoticed_lines(far) > 0, line > 143, "lines are drawn");
        }
    }
}
