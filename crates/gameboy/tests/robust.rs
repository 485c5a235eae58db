//! Whatever bytes come in: no panic, no hang, and snapshots that lead to the same end.

mod support;

use gameboy::{Error, Machine, Rom};
use std::sync::Arc;
use support::{cartridge, machine_of};

/// SplitMix64: chance that is the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// Random bytes behind a header that is accepted.
fn random_cartridge(chance: &mut Chance) -> Vec<u8> {
    const KINDS: [u8; 10] = [0x00, 0x03, 0x06, 0x09, 0x10, 0x13, 0x19, 0x1B, 0x1E, 0x0F];
    let kind = KINDS[chance.next() as usize % KINDS.len()];
    let banks = 1 + chance.next() as usize % 5;
    let mut rom = chance.bytes(banks * 0x4000);
    // Where there is an illegal opcode there is now an instruction, so that programs run longer.
    for byte in &mut rom {
        if matches!(byte, 0xD3 | 0xDB | 0xDD | 0xE3 | 0xE4 | 0xEB..=0xED | 0xF4 | 0xFC | 0xFD) {
            *byte = 0xC9;
        }
    }
    rom[0x147] = kind;
    rom[0x149] %= 6;
    rom[0x14D] = rom[0x134..0x14D].iter().fold(0_u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
    rom
}

fn start(rom: &[u8], cgb: bool) -> Machine {
    Machine::new(Arc::new(Rom::new(rom).expect("a whole header")), Some(cgb), None)
        .expect("a start")
}

#[test]
fn random_programs_end_their_frames_or_say_why_not() {
    let mut chance = Chance(1);
    for round in 0..200 {
        let mut machine = start(&random_cartridge(&mut chance), round % 2 == 0);
        for _ in 0..20 {
            machine.hold(chance.next() as u8);
            machine.tick(1, true);
        }
        machine.save_state();
        assert!(machine.fault().is_some() || machine.frames() == 20);
    }
}

#[test]
fn random_bytes_are_no_cartridge_state_or_snapshot() {
    let mut chance = Chance(2);
    for length in [1, 0x14F, 0x4000, 0x8000] {
        assert!(Rom::new(&chance.bytes(length)).is_err());
    }
    assert_eq!(Rom::new(&[]).err(), Some(Error::EmptyRom));
    let mut machine = machine_of(&cartridge(0x00, 2, &[]));
    let before = machine.save_state();
    for length in [0, 1, 6, 100, before.len()] {
        let bytes = chance.bytes(length);
        assert!(machine.load_state(&bytes).is_err());
        assert_eq!(machine.restore(&bytes), Err(Error::NotASnapshot));
    }
    assert_eq!(machine.save_state(), before);
}

#[test]
fn spoiled_states_are_refused_or_run() {
    let mut chance = Chance(3);
    for round in 0..60 {
        let cgb = round % 2 == 0;
        let mut machine = start(&random_cartridge(&mut chance), cgb);
        machine.tick(2, true);
        let mut state = machine.save_state();
        for _ in 0..1 << (round % 12) {
            let at = 6 + chance.next() as usize % (state.len() - 6);
            state[at] = chance.next() as u8;
        }
        if machine.load_state(&state).is_ok() {
            machine.tick(10, true);
            machine.save_state();
        }
    }
}

#[test]
fn state_and_snapshot_lead_to_where_the_machine_went() {
    let mut chance = Chance(4);
    for round in 0..20 {
        let mut machine = start(&random_cartridge(&mut chance), round % 2 == 0);
        machine.tick(3, true);
        let snapshot = machine.snapshot();
        let mut copy = machine.clone();
        machine.tick(20, true);
        copy.tick(7, true);
        copy.restore(&snapshot).expect("its own snapshot");
        copy.tick(20, true);
        assert_eq!(machine.save_state(), copy.save_state());
        assert_eq!(machine.snapshot(), copy.snapshot());
        let state = machine.save_state();
        if machine.fault().is_none() {
            machine.load_state(&state).expect("its own state");
            assert_eq!(machine.save_state(), state);
        }
    }
}

#[test]
fn snapshot_of_another_cartridge_is_refused() {
    let mut one = machine_of(&cartridge(0x00, 2, &[(0x134, b"ONE")]));
    let mut two = machine_of(&cartridge(0x00, 2, &[(0x134, b"TWO")]));
    assert_eq!(two.restore(&one.snapshot()), Err(Error::NotASnapshot));
}

#[test]
fn machines_in_threads_go_where_they_go_alone() {
    let rom = random_cartridge(&mut Chance(5));
    let run = |held: u8| {
        let mut machine = start(&rom, false);
        machine.hold(held);
        machine.tick(100, true);
        machine.save_state()
    };
    let alone: Vec<_> = (0..4).map(run).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..4).map(|held| scope.spawn(move || run(held))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(alone, together);
}

#[test]
fn title_and_model_come_from_the_header() {
    let rom = Rom::new(&cartridge(0x00, 2, &[(0x134, b"EMBER")])).expect("a whole header");
    assert_eq!((rom.title().as_str(), rom.wants_cgb()), ("EMBER", false));
    let color = cartridge(0x00, 2, &[(0x143, &[0x80])]);
    assert!(machine_of(&color).cgb());
}
