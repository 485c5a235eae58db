//! The LCD's registers, and who may reach its memory when.

use crate::HEIGHT;
use crate::colors::Colors;
use crate::core::{Core, interrupt};
use crate::picture::Picture;

/// Cycles of a frame.
pub const FRAME_CYCLES: i64 = 70224;
pub const LINE_CYCLES: i64 = 456;

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

pub const STAT_COINCIDENCE: u8 = 0x04;
pub const STAT_OAM_INTERRUPT: u8 = 0x20;
pub const STAT_LYC_INTERRUPT: u8 = 0x40;

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
    pub sprite_lines: Box<[u64; HEIGHT]>,
    pub sprite_lines_stale: bool,
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

    pub fn clock_at(&self, now: i64) -> i64 {
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

    pub fn schedule(&mut self, vblank_early: bool) {
        let early = if vblank_early { 4 } else { 0 };
        self.event = self.last + ((self.clock_target - self.clock - early) << self.speed_shift);
        self.frame_event = self.last + ((FRAME_CYCLES - self.clock) << self.speed_shift);
    }

    pub fn read(&mut self, port: u8) -> u8 {
        match port {
            0x41 if std::mem::take(&mut self.stat_mode_override) => self.stat & 0b1111_1100,
            _ => self.register(port),
        }
    }

    /// What a port holds, as far as reading it changes nothing.
    pub fn register(&self, port: u8) -> u8 {
        match port {
            0x40 => self.lcdc,
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

    pub fn irq_level(&self) -> bool {
        let mode = self.mode();
        let by_mode = mode != 3 && self.stat & (8 << mode) != 0;
        by_mode || self.stat & 0x44 == 0x44
    }

    /// The interrupt comes where the line rises.
    pub fn update_irq_line(&mut self) -> u8 {
        let level = self.irq_level();
        let rises = level && !self.irq_line;
        self.irq_line = level;
        if rises { interrupt::LCD } else { 0 }
    }

    pub fn compare_lyc(&mut self) -> u8 {
        self.stat &= !STAT_COINCIDENCE;
        if self.lyc == self.ly {
            self.stat |= STAT_COINCIDENCE;
        }
        self.update_irq_line()
    }

    pub fn set_mode(&mut self, mode: u8) -> u8 {
        if self.mode() == mode {
            return 0;
        }
        self.stat = (self.stat & 0b1111_1100) | mode;
        self.update_irq_line()
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
