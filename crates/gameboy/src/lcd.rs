//! The LCD's registers and its modes over time. PyBoy draws a line on entry to mode 0.

use crate::colors::Colors;
use crate::core::{Core, interrupt};
use crate::picture::Picture;
use crate::{HEIGHT, WIDTH};

/// Cycles of a frame.
pub const FRAME_CYCLES: i64 = 70224;
const LINE_CYCLES: i64 = 456;

/// Bits of LCDC.
pub mod lcdc {
    pub const BACKGROUND: u8 = 0x01;
    pub const SPRITES: u8 = 0x02;
    pub const TALL_SPRITES: u8 = 0x04;
    pub const BACKGROUND_MAP: u8 = 0x08;
    pub const TILE_DATA: u8 = 0x10;
    pub const WINDOW: u8 = 0x20;
    pub const WINDOW_MAP: u8 = 0x40;
    pub const ON: u8 = 0x80;
}

const STAT_COINCIDENCE: u8 = 0x04;
const STAT_OAM_INTERRUPT: u8 = 0x20;
const STAT_LYC_INTERRUPT: u8 = 0x40;

/// Steps between modes that take time of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Transition {
    None = 0,
    /// LY advances four cycles before mode 2 begins.
    AdvanceLine = 1,
    BeginMode2 = 2,
    /// A Color machine raises the interrupt of line 144 four cycles early.
    VblankRaised = 3,
}

#[derive(Debug, Clone)]
pub struct Lcd {
    pub oam: [u8; 0xA0],
    pub lcdc: u8,
    pub stat: u8,
    pub irq_line: bool,
    pub ly: u8,
    pub lyc: u8,
    pub scy: u8,
    pub scx: u8,
    pub wy: u8,
    pub wx: u8,
    /// BGP, OBP0, OBP1.
    pub palettes: [u8; 3],
    pub object_priority: u8,
    /// Per line SCX, SCY, WX, WY and which tile data, as PyBoy's API tells them.
    pub line_parameters: [[u8; 5]; HEIGHT],
    /// Draws as a Color machine.
    pub color: bool,
    /// A Color machine with a cartridge for the older one.
    pub downgraded: bool,
    pub speed_shift: u32,
    pub frame_done: bool,
    /// The frame after the LCD is switched on; it stays blank.
    pub first_frame: bool,
    pub reset: bool,
    pub last: i64,
    pub clock: i64,
    pub clock_target: i64,
    pub next_mode: u8,
    pub transition: Transition,
    pub mode3_adjustment: i32,
    /// The next read of STAT shows mode 0.
    pub stat_mode_override: bool,
    pub lyc_changed_while_off: bool,
    pub vram_bank: u8,
    pub background_colors: Colors,
    pub object_colors: Colors,
    pub picture: Picture,
    /// When `tick` next changes anything.
    pub event: i64,
    /// When PyBoy expects the frame to end.
    pub frame_event: i64,
    sprite_lines: Box<[u64; HEIGHT]>,
    sprite_lines_stale: bool,
}

impl Lcd {
    pub fn new(cgb: bool) -> Self {
        Self {
            oam: [0; 0xA0],
            lcdc: 0,
            stat: 0x80,
            irq_line: false,
            ly: 0,
            lyc: 0,
            scy: 0,
            scx: 0,
            wy: 0,
            wx: 0,
            palettes: [0xFC, 0xFF, 0xFF],
            object_priority: 0xFF,
            line_parameters: [[0; 5]; HEIGHT],
            color: cgb,
            downgraded: false,
            speed_shift: 0,
            frame_done: false,
            first_frame: false,
            reset: false,
            last: 0,
            clock: 0,
            clock_target: FRAME_CYCLES,
            next_mode: 2,
            transition: Transition::None,
            mode3_adjustment: 0,
            stat_mode_override: false,
            lyc_changed_while_off: false,
            vram_bank: 0,
            background_colors: Colors::default(),
            object_colors: Colors::default(),
            picture: Picture::default(),
            event: 0,
            frame_event: FRAME_CYCLES,
            sprite_lines: Box::new([0; HEIGHT]),
            sprite_lines_stale: true,
        }
    }

    pub fn enabled(&self) -> bool {
        self.lcdc & lcdc::ON != 0
    }

    pub fn mode(&self) -> u8 {
        self.stat & 3
    }

    pub fn cgb_hardware(&self) -> bool {
        self.color || self.downgraded
    }

    /// From Color to the older machine's way of drawing, once, by the boot ROM.
    pub fn downgrade(&mut self) {
        self.downgraded |= self.color;
        self.color = false;
    }

    fn clock_at(&self, now: i64) -> i64 {
        self.clock + (now.wrapping_sub(self.last) >> self.speed_shift)
    }

    fn within_four_of_target(&self, now: i64) -> bool {
        (0..=4).contains(&(self.clock_target - self.clock_at(now)))
    }

    pub fn vram_hidden_from_reads(&self, now: i64) -> bool {
        let ends = || self.mode() == 2 && self.within_four_of_target(now);
        self.enabled() && (self.mode() == 3 || ends())
    }

    pub fn oam_hidden_from_reads(&self) -> bool {
        let delayed = self.first_frame && self.transition == Transition::BeginMode2;
        self.enabled() && (self.mode() >= 2 || delayed)
    }

    pub fn oam_closed_to_writes(&self, now: i64) -> bool {
        let opens = || self.first_frame && self.within_four_of_target(now);
        self.enabled() && (self.mode() == 3 || (self.mode() == 2 && !opens()))
    }

    pub fn write_oam(&mut self, index: u8, value: u8) {
        self.oam[usize::from(index)] = value;
        self.sprite_lines_stale = true;
    }

    /// After OAM was put in from outside.
    pub fn forget_sprites(&mut self) {
        self.sprite_lines_stale = true;
    }

    /// After PyBoy's state was put in, which leaves out what follows from it.
    pub fn refresh(&mut self) {
        self.forget_sprites();
        self.irq_line = self.irq_level();
        if self.mode() == 3 {
            self.mode3_adjustment = self.mode3_timing(self.ly);
        }
        let early = self.awaits_vblank_interrupt() && self.clock_target - self.clock >= 4;
        self.schedule(early);
    }

    fn schedule(&mut self, vblank_early: bool) {
        let early = if vblank_early { 4 } else { 0 };
        self.event = self.last + ((self.clock_target - self.clock - early) << self.speed_shift);
        self.frame_event = self.last + ((FRAME_CYCLES - self.clock) << self.speed_shift);
    }

    pub fn read(&mut self, port: u8) -> u8 {
        match port {
            0x40 => self.lcdc,
            0x41 if std::mem::take(&mut self.stat_mode_override) => self.stat & 0b1111_1100,
            0x41 => self.stat,
            0x42 => self.scy,
            0x43 => self.scx,
            0x44 => self.ly,
            0x45 => self.lyc,
            0x47..=0x49 => self.palettes[usize::from(port - 0x47)],
            0x4A => self.wy,
            _ => self.wx,
        }
    }

    /// Returns interrupts.
    pub fn write(&mut self, port: u8, value: u8) -> u8 {
        match port {
            0x40 => return self.write_lcdc(value),
            0x41 => {
                self.stat = (self.stat & 0b1000_0111) | (value & 0b0111_1000);
                return self.update_irq_line();
            }
            0x42 => self.scy = value,
            0x43 => self.scx = value,
            0x45 => {
                self.lyc = value;
                if self.enabled() {
                    return self.compare_lyc();
                }
                self.lyc_changed_while_off = true;
            }
            0x47..=0x49 => self.palettes[usize::from(port - 0x47)] = value,
            0x4A => self.wy = value,
            0x4B => self.wx = value,
            _ => {}
        }
        0
    }

    fn write_lcdc(&mut self, value: u8) -> u8 {
        let before = std::mem::replace(&mut self.lcdc, value);
        let changed = before ^ value;
        if changed & lcdc::TALL_SPRITES != 0 {
            self.sprite_lines_stale = true;
        }
        if self.color && before & changed & lcdc::WINDOW != 0 {
            self.picture.window_reached = false;
        }
        if before & changed & lcdc::ON != 0 {
            (self.clock, self.clock_target, self.ly) = (0, 0, 0);
            self.frame_event = self.last;
            self.set_mode(0);
        } else if value & changed & lcdc::ON != 0 {
            self.clock_target = 0;
            self.first_frame = true;
            self.reset = true;
            if std::mem::take(&mut self.lyc_changed_while_off) && !self.color {
                self.stat_mode_override = true;
            }
            if self.stat & STAT_LYC_INTERRUPT != 0 {
                return self.compare_lyc();
            }
        }
        0
    }

    fn irq_level(&self) -> bool {
        let mode = self.mode();
        let by_mode = mode != 3 && self.stat & (8 << mode) != 0;
        by_mode || self.stat & 0x44 == 0x44
    }

    /// The interrupt comes where the line rises.
    fn update_irq_line(&mut self) -> u8 {
        let level = self.irq_level();
        let rises = level && !self.irq_line;
        self.irq_line = level;
        if rises { interrupt::LCD } else { 0 }
    }

    fn compare_lyc(&mut self) -> u8 {
        self.stat &= !STAT_COINCIDENCE;
        if self.lyc == self.ly {
            self.stat |= STAT_COINCIDENCE;
        }
        self.update_irq_line()
    }

    fn set_mode(&mut self, mode: u8) -> u8 {
        if self.mode() == mode {
            return 0;
        }
        self.stat = (self.stat & 0b1111_1100) | mode;
        self.update_irq_line()
    }

    fn awaits_vblank_interrupt(&self) -> bool {
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

    /// Cycles of the LCD to the next mode 0, which PyBoy takes for cycles of the CPU.
    pub fn cycles_to_mode0(&mut self, now: i64) -> i64 {
        let left = self.clock_target - self.clock_at(now);
        let line = if self.mode() == 1 { 0 } else { self.ly };
        let mode3 = |lcd: &mut Self, startup: bool| {
            let early = lcd.cgb_hardware() && !startup;
            i64::from(lcd.mode3_timing(line) + if early { 170 } else { 172 })
        };
        match self.mode() {
            0 => 0,
            3 => left,
            2 => left + mode3(self, self.first_frame),
            _ => left + 456 * (153 - i64::from(self.ly)) + 80 + mode3(self, false),
        }
    }

    /// Sprites of a line as bits, the first in OAM lowest.
    pub fn sprites_on(&mut self, line: u8) -> u64 {
        if std::mem::take(&mut self.sprite_lines_stale) {
            self.sprite_lines.fill(0);
            let height = if self.lcdc & lcdc::TALL_SPRITES != 0 { 16 } else { 8 };
            for (sprite, entry) in self.oam.as_chunks::<4>().0.iter().enumerate() {
                let below = usize::from(entry[0]); // sixteen below the sprite's first line
                let lines = below.max(16) - 16..(below + height).clamp(16, 16 + HEIGHT) - 16;
                for row in self.sprite_lines.get_mut(lines).unwrap_or_default() {
                    *row |= 1 << sprite;
                }
            }
        }
        self.sprite_lines.get(usize::from(line)).copied().unwrap_or(0)
    }

    /// How much longer mode 3 takes because of sprites and scrolling.
    fn mode3_timing(&mut self, line: u8) -> i32 {
        let mut cycles = 0;
        if self.lcdc & lcdc::SPRITES != 0 {
            let sprites = self.sprites_on(line);
            if sprites != 0 {
                cycles = self.sprite_penalty(sprites);
            }
        }
        if !self.first_frame && !self.cgb_hardware() {
            cycles += (i32::from(self.scx & 7) + 3) / 4 * 4;
        }
        cycles
    }

    fn sprite_penalty(&self, mut sprites: u64) -> i32 {
        let mut seen = [0_u64; 3];
        let (mut penalty, mut columns) = (0, 0);
        for _ in 0..10 {
            if sprites == 0 {
                break;
            }
            let x = self.oam[sprites.trailing_zeros() as usize * 4 + 1];
            sprites &= sprites - 1;
            if usize::from(x) >= WIDTH + 8 {
                continue;
            }
            penalty += 6;
            let (word, bit) = (usize::from(x >> 6), 1 << (x & 63));
            if seen[word] & bit == 0 {
                seen[word] |= bit;
                columns += 1;
                let within_tile = x.wrapping_add(self.scx).wrapping_sub(8) & 7;
                penalty += (5 - i32::from(within_tile)).max(0);
            }
        }
        if columns == 0 {
            return -4; // only sprites beyond the edge
        }
        penalty = (penalty - 7).max(0);
        if self.cgb_hardware() { (penalty + 3) / 4 * 4 } else { penalty }
    }
}

impl Core {
    /// Advances the LCD to `now` if anything of it is due by then.
    #[inline]
    pub fn tick_lcd(&mut self, now: i64) -> u8 {
        if now < self.lcd.event && !self.touched { 0 } else { self.tick_lcd_fully(now) }
    }

    pub fn tick_lcd_fully(&mut self, now: i64) -> u8 {
        self.lcd.tick(now, &self.ram)
    }
}
