//! Time in slices, as PyBoy cuts it: the CPU runs to the next event of any component, or until a
//! write asks for a new look; then the components catch up. Interrupts are seen only in between.

use crate::core::{Core, interrupt};
use crate::dma::HblankDma;
use crate::error::Fault;
use crate::lcd::FRAME_CYCLES;
use crate::rom::Rom;

/// A frame takes one of these at most, at either speed; a state that says otherwise is stopped.
const LONGEST_FRAME: i64 = 8 * FRAME_CYCLES;
const SHORTEST_SLICE: i64 = 4;

impl Core {
    /// Runs to the end of a frame.
    pub fn run_frame(&mut self, rom: &Rom, render: bool) {
        if self.fault.is_some() {
            return;
        }
        if self.joypad.begin_frame() {
            self.cpu.requested |= interrupt::JOYPAD;
        }
        self.lcd.frame_done = false;
        self.lcd.picture.rendering = render;
        self.frame_latest = self.cycles + LONGEST_FRAME;
        while !self.lcd.frame_done {
            self.run_to_event(rom);
            if self.cycles > self.frame_latest {
                self.fault = Some(Fault::EndlessFrame(LONGEST_FRAME as u64));
            }
            if self.fault.is_some() {
                return;
            }
        }
        self.frames += 1;
    }

    fn run_to_event(&mut self, rom: &Rom) {
        self.slice_start = self.cycles;
        let mut until = self.next_event;
        if self.hdma.active && self.cgb_mode {
            if !self.cpu.halted && self.lcd.enabled() && self.lcd.mode() == 0 {
                self.copy_hdma_block(rom);
                self.cycles += HblankDma::BLOCK_CYCLES;
                return self.catch_up(rom);
            }
            until = until.min(self.cycles + self.lcd.cycles_to_mode0(self.cycles));
        }
        if let Some(length) = self.sound.cuts_slices() {
            until = until.min(self.cycles + length);
        }
        if !self.run_slice(rom, until.max(self.cycles + SHORTEST_SLICE)) {
            self.catch_up(rom);
        }
        if self.cpu.halted && !self.lcd.frame_done {
            self.sleep();
        }
    }

    /// Ends a slice of a CPU that is awake and, if nothing but time comes in between, begins another.
    /// Returns where that one ends.
    #[cold]
    #[inline(never)]
    pub fn begin_next_slice(&mut self, rom: &Rom) -> Option<i64> {
        self.catch_up(rom);
        let looked_at = self.lcd.frame_done
            || self.hdma.active
            || self.interrupt_pending()
            || self.cycles > self.frame_latest
            || self.sound.cuts_slices().is_some();
        if looked_at {
            return None;
        }
        self.slice_start = self.cycles;
        self.slice_end = self.next_event.max(self.cycles + SHORTEST_SLICE);
        Some(self.slice_end)
    }

    /// Goes over slices in which a halted CPU and everything else would do nothing but wait.
    fn sleep(&mut self) {
        let waits = !self.interrupt_pending()
            && !self.cpu.queued
            && self.cpu.enable_delay == 0
            && !self.hdma.active
            && !self.oam_dma.active
            && !self.sound.depends_on_slices()
            && self.sound.cuts_slices().is_none();
        if waits && let Some((start, end)) = self.lcd.skip_lines(self.others_event) {
            (self.slice_start, self.cycles) = (start, end);
            self.plan();
        }
    }

    fn catch_up(&mut self, rom: &Rom) {
        if self.oam_dma.active {
            self.sync_oam_dma(rom, 0);
        }
        let odd_half = self.double_speed && (self.cycles - self.slice_start) & 3 != 0;
        if odd_half || self.sound.depends_on_slices() || self.sound.cuts_slices().is_some() {
            self.tick_sound();
        }
        if self.touched || self.cycles >= self.next_event {
            self.tick_components();
        }
    }

    fn tick_components(&mut self) {
        let now = self.cycles;
        if self.touched || now >= self.others_event {
            self.tick_serial();
            self.tick_timer();
            self.others_event = self.timer.event().min(self.serial.event());
        }
        let raised = self.tick_lcd(now);
        self.cpu.requested |= raised;
        self.touched = false;
        self.next_event = self.lcd.event.min(self.lcd.frame_event).min(self.others_event);
    }

    /// When the next component is due.
    pub fn plan(&mut self) {
        self.others_event = self.timer.event().min(self.serial.event());
        self.next_event = self.lcd.event.min(self.lcd.frame_event).min(self.others_event);
    }

    /// Brings everything up to date without looking at it.
    pub fn settle(&mut self) {
        self.tick_serial();
        self.tick_timer();
        let raised = self.tick_lcd_fully(self.cycles);
        self.cpu.requested |= raised;
        self.sound.tick_if_behind(self.slice_start);
        self.sound.tick_if_behind(self.cycles);
    }
}
