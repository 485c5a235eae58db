//! Which states are refused: a byte or a cycle makes the difference.

mod support;

use gameboy::{Error, Machine, Rom};
use std::sync::Arc;
use support::{cartridge, machine_of};

/// Times lie closer to one another than this, or a state is not believed.
const NEAR: i64 = 1 << 22;
/// Where in a state of the older machine the cycle count stands, and the times of the LCD, sound,
/// timer and link port.
const CYCLES: usize = 25;
const TIMES: [usize; 4] = [9135, 10828, 134_895, 143_113];
const LY: usize = 8402;

fn machine() -> Machine {
    let mut machine = machine_of(&cartridge(0x00, 2, &[(0x149, &[0]), (0x150, &[0x18, 0xFE])]));
    machine.tick(3, true);
    machine
}

fn number(state: &[u8], at: usize) -> i64 {
    i64::from_le_bytes(state[at..at + 8].try_into().expect("eight bytes"))
}

/// With another number at a place.
fn with(state: &[u8], at: usize, value: i64) -> Vec<u8> {
    let mut changed = state.to_vec();
    changed[at..at + 8].copy_from_slice(&value.to_le_bytes());
    changed
}

#[test]
fn a_state_of_another_version_model_length_or_amid_the_boot_is_refused() {
    let mut machine = machine();
    let state = machine.save_state();
    let spoiled = |at: usize, value: u8| {
        let mut changed = state.clone();
        changed[at] = value;
        changed
    };
    let (theirs, ours) = ("Game Boy Color", "Game Boy");
    for (bytes, error) in [
        (spoiled(0, 28), Error::StateVersion(28)),
        (spoiled(0, 30), Error::StateVersion(30)),
        (spoiled(5, 1), Error::StateModel { theirs, ours }),
        (spoiled(1, 1), Error::StateValue("its boot ROM is still running")),
        (
            state[..state.len() - 1].to_vec(),
            Error::StateLength { actual: state.len() - 1, expected: state.len() },
        ),
        (
            [&state[..], &[0]].concat(),
            Error::StateLength { actual: state.len() + 1, expected: state.len() },
        ),
    ] {
        assert_eq!(machine.load_state(&bytes), Err(error));
        assert_eq!(machine.save_state(), state, "it is as it was");
    }
    let rom = Arc::new(Rom::new(&cartridge(0x00, 2, &[])).expect("a header"));
    let mut color = Machine::new(rom, Some(true), None).expect("a start");
    let refused = Error::StateModel { theirs: "Game Boy", ours: "Game Boy Color" };
    assert_eq!(color.load_state(&state), Err(refused));
    assert_eq!(machine.load_state(&state), Ok(()));
}

#[test]
fn times_that_lie_apart_are_refused() {
    let mut machine = machine();
    // Later, so that no time is below zero only because another is so much earlier.
    machine.tick(100, false);
    let state = machine.save_state();
    let now = number(&state, CYCLES);
    let refused = Err(Error::StateValue("its components are at different times"));
    for at in TIMES {
        assert_eq!(number(&state, at), now, "offset {at}");
        for off in [NEAR - 1, 1 - NEAR] {
            assert_eq!(machine.load_state(&with(&state, at, now + off)), Ok(()), "offset {at}");
        }
        for off in [NEAR, -NEAR, 1 << 40, -(1 << 40)] {
            assert_eq!(machine.load_state(&with(&state, at, now + off)), refused, "offset {at}");
        }
    }
    let early = |time: i64| {
        let before = TIMES.iter().fold(state.clone(), |state, &at| with(&state, at, time));
        with(&before, CYCLES, time)
    };
    assert_eq!(machine.load_state(&early(0)), Ok(()));
    assert_eq!(machine.load_state(&early(-1)), refused);
}

#[test]
fn an_lcd_at_no_time_of_a_frame_is_refused() {
    let mut machine = machine();
    let state = machine.save_state();
    let refused = Err(Error::StateValue("its LCD is at no time of a frame"));
    for at in [TIMES[0] + 8, TIMES[0] + 16] {
        for near in [NEAR - 1, 1 - NEAR] {
            assert_eq!(machine.load_state(&with(&state, at, near)), Ok(()), "{near} at {at}");
        }
        for far in [NEAR, -NEAR] {
            assert_eq!(machine.load_state(&with(&state, at, far)), refused, "{far} at {at}");
        }
    }
    for (line, accepted) in [(153, true), (154, false), (255, false)] {
        let mut changed = state.clone();
        changed[LY] = line;
        assert_eq!(machine.load_state(&changed).is_ok(), accepted, "line {line}");
    }
}

#[test]
fn a_state_goes_on_from_where_its_buttons_are() {
    let mut machine = machine();
    machine.hold(0b1010_0110);
    machine.tick(1, true);
    let state = machine.save_state();
    machine.hold(0);
    machine.tick(2, true);
    machine.load_state(&state).expect("its own state");
    machine.tick(1, true);
    let [directional, standard] = [TIMES[3] - 6, TIMES[3] - 5].map(|at| machine.save_state()[at]);
    assert_eq!((directional, standard), (!0b0110 & 0xF, !0b1010 & 0xF));
}
