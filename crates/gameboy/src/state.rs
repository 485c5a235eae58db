//! States: PyBoy's, version 29, and our own snapshots, which are complete.

use crate::core::{Core, VRAM_BANK};
use crate::error::{Error, Fault};
use crate::lcd::Transition;
use crate::picture::UNDRAWN;
use crate::rom::Rom;
use crate::screen::{pixel, rgb};
use crate::stream::{Measure, Reader, Stream, Writer};

const VERSION: u8 = 29;
const MAGIC: [u8; 8] = *b"ewgb\x00\x00\x00\x01";
/// Times in a state lie this close to its cycle count, or it is not believed.
const NEAR: i64 = 1 << 22;

/// PyBoy's Super Game Boy, which is off: players, pads and a border.
const SGB_BYTES: usize = 7 + 4 + 0x2000 + 0x800 + 0x80;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    PyBoy,
    Snapshot,
}

impl Core {
    pub fn save_state(&mut self, rom: &Rom) -> Vec<u8> {
        self.settle();
        self.sound.work_out();
        let mut writer = Writer(Vec::with_capacity(200_000));
        self.stream(&mut writer, rom, Form::PyBoy);
        writer.0
    }

    pub fn load_state(&mut self, rom: &Rom, state: &[u8]) -> Result<(), Error> {
        let model = |cgb: bool| if cgb { "Game Boy Color" } else { "Game Boy" };
        match *state {
            [version, ..] if version != VERSION => return Err(Error::StateVersion(version)),
            [_, _, _, _, _, cgb, ..] if (cgb != 0) != self.cgb => {
                return Err(Error::StateModel { theirs: model(cgb != 0), ours: model(self.cgb) });
            }
            [_, booting, ..] if booting != 0 => {
                return Err(Error::StateValue("its boot ROM is still running"));
            }
            _ => {}
        }
        let mut measure = Measure::default();
        self.clone().stream(&mut measure, rom, Form::PyBoy);
        if measure.0 != state.len() {
            return Err(Error::StateLength { actual: state.len(), expected: measure.0 });
        }
        let mut loaded = self.clone();
        loaded.stream(&mut Reader(state), rom, Form::PyBoy);
        loaded.check()?;
        let held = (loaded.joypad.standard & 0xF) << 4 | loaded.joypad.directional & 0xF;
        loaded.joypad.wanted = !held;
        loaded.slice_start = loaded.cycles;
        (loaded.fault, loaded.touched, loaded.bail) = (None, false, false);
        loaded.sound.accept_state();
        loaded.cartridge.clock.resume(loaded.cycles);
        loaded.lcd.refresh();
        loaded.plan();
        loaded.remap(rom);
        *self = loaded;
        Ok(())
    }

    pub fn snapshot(&mut self, rom: &Rom) -> Vec<u8> {
        self.settle();
        let mut writer = Writer(Vec::with_capacity(self.ram.len() + 80_000));
        writer.0.extend_from_slice(&MAGIC);
        writer.0.extend_from_slice(&[0; 8]);
        self.stream(&mut writer, rom, Form::Snapshot);
        let sum = checksum(&writer.0[16..]);
        writer.0[8..16].copy_from_slice(&sum.to_le_bytes());
        writer.0
    }

    /// What the checksum lets through was written by `snapshot`, of a machine like this.
    pub fn restore(&mut self, rom: &Rom, snapshot: &[u8]) -> Result<(), Error> {
        let body = match snapshot.split_at_checked(16) {
            Some((head, body))
                if head[..8] == MAGIC && head[8..] == checksum(body).to_le_bytes() =>
            {
                body
            }
            _ => return Err(Error::NotASnapshot),
        };
        let identity = identity(rom, self.cgb);
        if body.get(..identity.len()) != Some(&identity) {
            return Err(Error::NotASnapshot);
        }
        let mut reader = Reader(body);
        self.stream(&mut reader, rom, Form::Snapshot);
        if !reader.0.is_empty() || self.check().is_err() || !self.events_are_near() {
            // Only by intent can a sum be right and this be wrong: begin anew.
            *self = Self::new(rom, self.cgb);
            return Err(Error::NotASnapshot);
        }
        self.lcd.forget_sprites();
        self.others_event = self.timer.event().min(self.serial.event());
        self.remap(rom);
        Ok(())
    }

    /// Times that arithmetic and loops can bear.
    fn check(&self) -> Result<(), Error> {
        let near = |time: i64| (time - self.cycles).abs() < NEAR;
        let lasts = [self.lcd.last, self.timer.last(), self.serial.last(), self.sound.last()];
        if self.cycles < 0 || !lasts.into_iter().all(near) {
            return Err(Error::StateValue("its components are at different times"));
        }
        if self.lcd.clock.abs() >= NEAR || self.lcd.clock_target.abs() >= NEAR || self.lcd.ly > 153
        {
            return Err(Error::StateValue("its LCD is at no time of a frame"));
        }
        Ok(())
    }

    /// Times that a snapshot holds and PyBoy's state leaves out; a slice ends no later than these.
    fn events_are_near(&self) -> bool {
        let times = [self.slice_start, self.next_event, self.lcd.event, self.lcd.frame_event];
        times.into_iter().all(|time| (time - self.cycles).abs() < NEAR)
    }

    fn stream(&mut self, stream: &mut impl Stream, rom: &Rom, form: Form) {
        if form == Form::Snapshot {
            stream.bytes(&mut identity(rom, self.cgb));
        }
        let mut head = [VERSION, u8::from(self.boot.is_some()), self.key0, self.key1];
        stream.bytes(&mut head);
        (self.key0, self.key1) = (head[2], head[3]);
        stream.flag(&mut self.double_speed);
        stream.flag(&mut { self.cgb });
        if self.cgb {
            self.hdma.stream(stream);
        }
        self.cpu.stream(stream, &mut self.cycles);
        self.oam_dma.stream(stream);
        self.stream_lcd(stream);
        self.sound.stream(stream);
        self.stream_screen(stream, form);
        let wram = self.layout.wram..self.layout.cartridge;
        stream.bytes(&mut self.ram[wram]);
        stream.bytes(&mut self.unusable);
        stream.bytes(&mut self.io_ports);
        stream.bytes(&mut self.hram[..0x7F]);
        stream.byte(&mut self.wram_select);
        self.wram_select &= 7;
        self.timer.stream(stream);
        self.cartridge.stream(stream, rom, &mut self.ram[self.layout.cartridge..]);
        stream.byte(&mut self.joypad.directional);
        stream.byte(&mut self.joypad.standard);
        self.serial.stream(stream);
        match form {
            Form::PyBoy => {
                let mut sgb = [0; SGB_BYTES];
                sgb[2] = 1;
                sgb[7..11].fill(0xFF);
                stream.bytes(&mut sgb);
            }
            Form::Snapshot => self.stream_rest(stream, rom),
        }
    }

    fn stream_lcd(&mut self, stream: &mut impl Stream) {
        let lcd = &mut self.lcd;
        stream.bytes(&mut self.ram[..VRAM_BANK]);
        stream.bytes(&mut lcd.oam);
        stream.byte(&mut lcd.lcdc);
        stream.bytes(&mut lcd.palettes);
        for register in [
            &mut lcd.stat,
            &mut lcd.ly,
            &mut lcd.lyc,
            &mut lcd.scy,
            &mut lcd.scx,
            &mut lcd.wy,
            &mut lcd.wx,
            &mut lcd.object_priority,
        ] {
            stream.byte(register);
        }
        stream.bytes(lcd.line_parameters.as_flattened_mut());
        stream.flag(&mut { lcd.color });
        stream.flag(&mut { lcd.downgraded });
        let mut shift = lcd.speed_shift as u8;
        stream.byte(&mut shift);
        lcd.speed_shift = u32::from(shift & 1);
        stream.flag(&mut lcd.frame_done);
        stream.flag(&mut lcd.first_frame);
        stream.flag(&mut lcd.reset);
        stream.time(&mut lcd.last);
        stream.time(&mut lcd.clock);
        stream.time(&mut lcd.clock_target);
        stream.byte(&mut lcd.next_mode);
        lcd.next_mode &= 3;
        let mut transition = lcd.transition as u8;
        stream.byte(&mut transition);
        lcd.transition = match transition {
            1 => Transition::AdvanceLine,
            2 => Transition::BeginMode2,
            3 => Transition::VblankRaised,
            _ => Transition::None,
        };
        if lcd.color {
            stream.bytes(&mut self.ram[VRAM_BANK..2 * VRAM_BANK]);
            stream.byte(&mut lcd.vram_bank);
            lcd.vram_bank &= 1;
            lcd.background_colors.stream(stream);
            lcd.object_colors.stream(stream);
        }
    }

    fn stream_screen<S: Stream>(&mut self, stream: &mut S, form: Form) {
        let picture = &mut self.lcd.picture;
        match form {
            Form::Snapshot => {
                for pixels in picture.pixels.chunks_exact_mut(160) {
                    let mut bytes = [0; 320];
                    for (pair, pixel) in bytes.as_chunks_mut().0.iter_mut().zip(pixels.iter()) {
                        *pair = pixel.to_le_bytes();
                    }
                    stream.bytes(&mut bytes);
                    if S::LOADS {
                        for (pair, pixel) in bytes.as_chunks().0.iter().zip(pixels) {
                            *pixel = u16::from_le_bytes(*pair);
                        }
                    }
                }
                stream.bytes(&mut picture.attributes[..]);
            }
            Form::PyBoy => {
                let pixels = picture.pixels.iter_mut().zip(picture.attributes.iter_mut());
                for (shown, attribute) in pixels {
                    let [red, green, blue] = rgb(*shown, self.cgb);
                    let alpha = if *shown == UNDRAWN { 0 } else { 0xFF };
                    let mut bytes = [red, green, blue, alpha, *attribute];
                    let before = bytes;
                    stream.bytes(&mut bytes);
                    *attribute = bytes[4];
                    if bytes[..4] != before[..4] {
                        let drawn = bytes[3] != 0;
                        let color = [bytes[0], bytes[1], bytes[2]];
                        *shown = if drawn { pixel(color, self.cgb) } else { UNDRAWN };
                    }
                }
            }
        }
        stream.flag(&mut picture.window_reached);
    }

    /// What PyBoy's state leaves out.
    fn stream_rest(&mut self, stream: &mut impl Stream, rom: &Rom) {
        if !self.lcd.color && self.cgb {
            stream.bytes(&mut self.ram[VRAM_BANK..2 * VRAM_BANK]);
            stream.byte(&mut self.lcd.vram_bank);
            self.lcd.vram_bank &= 1;
            self.lcd.background_colors.stream(stream);
            self.lcd.object_colors.stream(stream);
        }
        stream.byte(&mut self.joypad.wanted);
        stream.bytes(&mut self.undocumented);
        stream.flag(&mut self.cpu.halted_during_enable);
        stream.flag(&mut self.touched);
        stream.time(&mut self.slice_start);
        stream.time(&mut self.next_event);
        let lcd = &mut self.lcd;
        stream.flag(&mut lcd.irq_line);
        stream.flag(&mut lcd.stat_mode_override);
        stream.flag(&mut lcd.lyc_changed_while_off);
        stream.small(&mut lcd.mode3_adjustment);
        stream.small(&mut lcd.picture.window_line);
        stream.time(&mut lcd.event);
        stream.time(&mut lcd.frame_event);
        self.cartridge.stream_rest(stream, rom);
        self.sound.stream_rest(stream);
        let mut frames = self.frames as i64;
        stream.time(&mut frames);
        self.frames = frames.max(0) as u64;
        stream_fault(stream, &mut self.fault);
    }
}

fn stream_fault(stream: &mut impl Stream, fault: &mut Option<Fault>) {
    let (mut kind, mut value) = match *fault {
        None => (0, 0),
        Some(Fault::IllegalOpcode { opcode, address }) => {
            (1, i64::from(opcode) << 16 | i64::from(address))
        }
        Some(Fault::EndlessFrame(cycles)) => (2, cycles as i64),
    };
    stream.byte(&mut kind);
    stream.long(&mut value);
    *fault = match kind {
        0 => None,
        1 => Some(Fault::IllegalOpcode { opcode: (value >> 16) as u8, address: value as u16 }),
        _ => Some(Fault::EndlessFrame(value as u64)),
    };
}

/// Which cartridge and machine a snapshot is of: the header, the size and the model.
fn identity(rom: &Rom, cgb: bool) -> [u8; 0x1E + 9] {
    let mut identity = [0; 0x1E + 9];
    identity[..0x1C].copy_from_slice(&rom.bytes[0x134..0x150]);
    identity[0x1E..0x26].copy_from_slice(&(rom.bytes.len() as u64).to_le_bytes());
    identity[0x26] = u8::from(cgb);
    identity
}

/// Eight sums side by side, so that they do not wait for one another.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01B3;
    let mut sums = [1_u64, 2, 3, 4, 5, 6, 7, 8];
    let (blocks, tail) = bytes.as_chunks::<64>();
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks::<8>().0) {
            *sum = (*sum ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME).rotate_left(23);
        }
    }
    for &byte in tail {
        sums[0] = (sums[0] ^ u64::from(byte)).wrapping_mul(PRIME);
    }
    sums.into_iter().fold(bytes.len() as u64, |all, sum| (all ^ sum).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::checksum;
    use crate::boot;
    use crate::core::Core;
    use crate::{Error, Machine, Rom};
    use std::sync::Arc;

    /// A machine that plays, waits and copies: its program counts, halts and jumps back.
    fn machine(cgb: bool) -> Machine {
        let mut rom = vec![0_u8; 0x8000];
        rom[0x100..0x104].copy_from_slice(&[0x00, 0xC3, 0x50, 0x01]);
        let program = [0x3E, 0xC0, 0xE0, 0x46, 0xE0, 0x14, 0xFB, 0x76, 0x00, 0x04, 0x18, 0xF4];
        rom[0x150..0x150 + program.len()].copy_from_slice(&program);
        rom[0x143] = if cgb { 0x80 } else { 0 };
        let sum = rom[0x134..0x14D].iter().fold(0_u8, |sum, b| sum.wrapping_sub(b + 1));
        rom[0x14D] = sum;
        let rom = Arc::new(Rom::new(&rom).expect("a header"));
        let mut machine = Machine::new(rom, Some(cgb), None).expect("a start");
        machine.tick(3, true);
        machine
    }

    /// With the sum that belongs to it.
    fn forge(mut snapshot: Vec<u8>) -> Vec<u8> {
        let sum = checksum(&snapshot[16..]).to_le_bytes();
        snapshot[8..16].copy_from_slice(&sum);
        snapshot
    }

    #[test]
    fn a_forged_snapshot_is_refused_or_runs_on() {
        let mut chance = 1_u64;
        let mut next = || {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            chance >> 33
        };
        let far = [i64::MAX, i64::MIN, 1 << 56, -(1 << 56), 1 << 40, -1, 0].map(i64::to_le_bytes);
        for cgb in [false, true] {
            let mut machine = machine(cgb);
            let whole = machine.snapshot();
            let (mut refused, mut ran) = (0, 0);
            // Every eight bytes of what is at the end, and some of all others.
            let tail = (whole.len() - 150..whole.len() - 8).map(|at| (at, at as u64));
            let others = (0..150).map(|_| (39 + 16 + next() as usize % 3000, next()));
            for (at, kind) in tail.chain(others).collect::<Vec<_>>() {
                let mut spoiled = whole.clone();
                spoiled[at..at + 8].copy_from_slice(&far[kind as usize % far.len()]);
                match machine.restore(&forge(spoiled)) {
                    Ok(()) => {
                        machine.tick(4, true);
                        machine.save_state();
                        ran += 1;
                    }
                    Err(error) => {
                        assert_eq!(error, Error::NotASnapshot);
                        refused += 1;
                    }
                }
                machine.restore(&whole).expect("its own snapshot");
            }
            assert!(refused > 20 && ran > 100, "{refused} refused, {ran} ran");
        }
    }

    /// Chance bytes that are the same in every run.
    struct Chance(u64);

    impl Chance {
        fn next(&mut self) -> u8 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as u8
        }
    }

    fn cartridge(kind: u8, color: bool) -> Rom {
        let mut rom = vec![0_u8; 0x8000];
        rom[0x100..0x102].copy_from_slice(&[0x18, 0xFE]); // JR -2
        (rom[0x143], rom[0x147], rom[0x149]) = (if color { 0x80 } else { 0 }, kind, 3);
        rom[0x14D] = rom[0x134..0x14D].iter().fold(0_u8, |sum, b| sum.wrapping_sub(b + 1));
        Rom::new(&rom).expect("a header")
    }

    /// Writes chance bytes to every port and to whatever the cartridge has.
    fn disturb(core: &mut Core, rom: &Rom, chance: &mut Chance) {
        core.write(rom, 0x0000, 0x0A);
        for port in (0x00..0x4D).chain(0x4E..0x50).chain(0x51..0x80).chain(0xFF..0x100) {
            let value = match port {
                0x26 => 0x80,
                0x40 => chance.next() | 0x80,
                0x12 | 0x17 | 0x21 => chance.next() | 0xF0,
                0x14 | 0x19 | 0x1E | 0x23 => chance.next() | 0x80,
                0x1A => 0x80,
                _ => chance.next(),
            };
            core.write(rom, 0xFF00 | port, value);
        }
        for address in
            [0x2000, 0x3000, 0x4000, 0x6000, 0xA000, 0xA123, 0x8123, 0xD123, 0xFE12, 0xFEB0]
        {
            let value = if address == 0x4000 { 8 + chance.next() % 5 } else { chance.next() };
            core.write(rom, address, value);
        }
        let r = &mut core.cpu.registers;
        [r.a, r.b, r.c, r.d, r.e] = [0; 5].map(|_: u8| chance.next());
        (r.f, r.hl) = (chance.next() & 0xF0, u16::from_le_bytes([chance.next(), chance.next()]));
        core.joypad.wanted = chance.next();
    }

    /// Everything in it that is no memory and does not follow from the rest.
    fn parts(core: &Core) -> Vec<String> {
        let lcd = &core.lcd;
        vec![
            format!("{:?} {:?} {:?}", core.cpu, core.timer, core.serial),
            format!("{:?} {:?} {:?}", core.oam_dma, core.hdma, core.joypad),
            format!("{:?}", core.sound),
            format!("{:?}", core.cartridge),
            format!("{:?} {:?}", lcd.background_colors, lcd.object_colors),
            format!("{:?} {:?} {:?}", core.io_ports, core.undocumented, core.unusable),
            format!("{:?} {:?} {:?}", core.hram, core.wram_select, core.frames),
            format!("{} {} {}", core.key0, core.key1, core.double_speed),
            format!("{} {} {} {}", core.cycles, core.slice_start, core.next_event, core.touched),
            format!("{} {} {} {}", lcd.lcdc, lcd.stat, lcd.ly, lcd.lyc),
            format!("{} {} {} {}", lcd.scy, lcd.scx, lcd.wy, lcd.wx),
            format!("{:?} {:?} {:?}", lcd.palettes, lcd.object_priority, lcd.line_parameters),
            format!("{} {} {}", lcd.frame_done, lcd.first_frame, lcd.reset),
            format!("{} {} {} {}", lcd.last, lcd.clock, lcd.clock_target, lcd.next_mode),
            format!("{} {} {}", lcd.transition as u8, lcd.vram_bank, lcd.speed_shift),
            format!("{} {} {}", lcd.irq_line, lcd.stat_mode_override, lcd.lyc_changed_while_off),
            format!("{} {} {}", lcd.mode3_adjustment, lcd.event, lcd.frame_event),
            format!("{} {}", lcd.picture.window_line, lcd.picture.window_reached),
        ]
    }

    #[test]
    fn a_snapshot_of_a_busy_machine_holds_all_of_it() {
        let mut chance = Chance(7);
        let kinds = [(0x10, false, false), (0x10, true, true), (0x10, false, true)];
        let others = [(0x03, false, false), (0x1E, true, true), (0x06, false, false)];
        for (kind, color, cgb) in kinds.into_iter().chain(others) {
            let rom = cartridge(kind, color);
            let mut core = Core::new(&rom, cgb);
            boot::skip(&mut core, &rom);
            let mut restored = core.clone();
            for round in 0..20 {
                disturb(&mut core, &rom, &mut chance);
                if round % 3 != 0 {
                    core.run_frame(&rom, round % 2 == 0);
                    core.write(&rom, 0x6000, (round & 1) as u8);
                }
                let snapshot = core.snapshot(&rom);
                restored.restore(&rom, &snapshot).expect("a snapshot");
                assert_eq!(parts(&restored), parts(&core), "cartridge {kind:02X}, round {round}");
                assert_eq!(restored.ram, core.ram);
                assert_eq!(restored.lcd.oam, core.lcd.oam);
                assert!(core.snapshot(&rom) == snapshot, "a snapshot changes nothing");
                assert!(restored.snapshot(&rom) == snapshot, "cartridge {kind:02X}, round {round}");
                let mut later = core.clone();
                later.run_frame(&rom, true);
                restored.run_frame(&rom, true);
                assert!(restored.snapshot(&rom) == later.snapshot(&rom), "a frame after it");
            }
        }
    }

    #[test]
    fn the_sum_of_a_snapshot_is_the_same_in_every_version() {
        let bytes: Vec<u8> = (0..=255).cycle().map(|byte: u8| byte ^ 0x5A).take(300).collect();
        let sums = [0, 1, 63, 64, 65, 300].map(|length| checksum(&bytes[..length]));
        assert_eq!(
            sums,
            [
                0x6299_5FEC_99CA_9A68,
                0x91B0_9F8B_8161_1F89,
                0xC09C_7A72_7E55_0508,
                0x5D60_7AE3_1744_B139,
                0xDF20_F551_0D17_A1AE,
                0x6ED0_7FB0_B999_10AC
            ]
        );
    }
}
