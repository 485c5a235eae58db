"""The comparison of two consoles finds what differs: shown with PyBoys that were tampered with."""

from __future__ import annotations

import pytest

pytest.importorskip("pyboy", reason="the reference: pip install envwright[reference]")

from envwright.errors import EnvwrightError
from envwright.schema.divergence import load_divergence
from envwright.verify.replay import replay
from envwright.verify.traces.compare import differences
from envwright.zoo.gameboy.buttons import BIT
from envwright.zoo.gameboy.checks import frame_traces, l1_instructions
from envwright.zoo.gameboy.checks.anywhere import LONGEST
from envwright.zoo.gameboy.checks.assembler import MAIN, Code, rom_of
from envwright.zoo.gameboy.checks.captures import place
from envwright.zoo.gameboy.checks.frame_traces import FRAME_TRACES, emberkeep
from envwright.zoo.gameboy.checks.l1_instructions import (
    SNIPPET,
    check_instructions,
    instructions,
)
from envwright.zoo.gameboy.checks.l2_scenarios import check_scenarios
from envwright.zoo.gameboy.checks.l3_frames import check_emberkeep, verify_rom
from envwright.zoo.gameboy.checks.lockstep import Consoles
from envwright.zoo.gameboy.checks.programs import program
from envwright.zoo.gameboy.checks.workloads import WORKLOADS
from envwright.zoo.gameboy.emberkeep import ROM, Ram
from envwright.zoo.gameboy.presses import Frame, random_frames
from envwright.zoo.gameboy.reference import PyBoyConsole

FRAMES = 30


class Tampered(PyBoyConsole):
    """One byte is another one after 10 frames."""

    ticks = 0
    at = int(Ram.RNG)

    def tick(self, frames=1, render=True):
        super().tick(frames, render)
        self.ticks += 1
        if self.ticks == 10:
            self.poke(self.at, self.peek(self.at) ^ 1)


class TamperedScreen(PyBoyConsole):
    def capture(self):
        capture = super().capture()
        capture.screen[7, 9] ^= 1
        return capture


class TamperedState(PyBoyConsole):
    def save(self):
        state = bytearray(super().save())
        state[8] ^= 1
        return bytes(state)


class TamperedInstruction(PyBoyConsole):
    """Complements where it should adjust to decimals."""

    def poke(self, address, value):
        super().poke(address, 0x2F if (address, value) == (SNIPPET + 3, 0x27) else value)


class Raising(PyBoyConsole):
    def tick(self, frames=1, render=True):
        raise EnvwrightError("illegal opcode")


class Unmoved(PyBoyConsole):
    """PyBoy must not be run into what stops the twin: an illegal opcode hangs it for ever."""

    def tick(self, frames=1, render=True):
        raise AssertionError("it was run")


def compared(reference, twin):
    (found,) = differences(Consoles(reference, twin), [emberkeep(False, [Frame()])])
    return found


def test_what_stops_the_twin_is_not_tried_on_pyboy():
    found = compared(Unmoved, Raising)
    assert (found.step, found.raised) == (1, "illegal opcode")


def test_a_console_equals_itself():
    report = verify_rom(ROM, FRAMES, 2, twin=PyBoyConsole)
    assert (report.compared, report.exit_code, report.partings) == (2 * FRAMES, 0, [])


@pytest.mark.parametrize(
    ("at", "field"),
    [(int(Ram.RNG), "wram[C0B6]"), (0xFFA0, "hram[FFA0]"), (0x9FFF, "vram[9FFF]")],
)
def test_a_byte_that_differs_is_named_with_its_frame(at, field):
    twin = type("Twin", (Tampered,), {"at": at})
    report = verify_rom(ROM, FRAMES, 2, twin=twin)
    (parted,) = report.partings
    found = parted.difference
    assert (parted.seed, found.step, found.first.field) == (0, 10, field)
    assert report.exit_code == 1
    assert len(parted.frames) == 10
    assert field in str(parted)
    assert "last buttons" in str(parted)


def test_a_pixel_that_differs_is_named():
    found = compared(PyBoyConsole, TamperedScreen)
    assert (found.first.field, found.step) == ("screen[7, 9]", 0)


def test_a_twin_that_raises_differs_there():
    found = compared(PyBoyConsole, Raising)
    assert (found.step, found.raised) == (1, "illegal opcode")


def test_banks_are_named():
    assert place("wram", 0x1FFF) == "DFFF"
    assert place("wram", 0x3012) == "3:D012"
    assert place("cartridge", 0x2001) == "1:A001"


def test_the_same_seed_gives_the_same_buttons_and_another_one_others():
    first, again, other = (list(random_frames(seed, 200)) for seed in (1, 1, 2))
    assert first == again != other
    assert all(frame.render for frame in other)
    assert 50 < sum(frame.render for frame in first) < 150


def test_every_legal_instruction_is_run_and_a_wrong_one_found():
    assert len(instructions()) == 256 - 11 - 2 - 1 + 256
    assert check_instructions(twin=PyBoyConsole, count=1).verdict == "equal"
    result = check_instructions(twin=TamperedInstruction, count=1)
    (found,) = result.divergences
    assert "instruction 27 " in found.origin


@pytest.mark.parametrize(
    ("check", "wrong", "field"),
    [
        (lambda twin: check_instructions(twin=twin, count=1), TamperedInstruction, "registers"),
        (lambda twin: check_scenarios(twin=twin, frames=12, programs=1, most=1), Tampered, "wram"),
        (lambda twin: check_scenarios(twin=twin, frames=1, programs=1, most=1), TamperedState, "s"),
        (lambda twin: check_emberkeep(twin=twin, seeds=1, frames=12, models=[True]), Tampered, "w"),
    ],
)
def test_what_a_level_found_is_kept_and_shows_again(check, wrong, field, tmp_path, monkeypatch):
    found = check(wrong).divergences[0].save(tmp_path)
    assert found.field.startswith(field)
    kept = load_divergence(found.path)
    assert not replay(kept).shows  # ours does not make the mistake
    for module in (l1_instructions, frame_traces):
        monkeypatch.setattr(module, "Twin", wrong)
    shown = replay(kept)
    assert shown.shows and found.field in shown.mismatch


def test_frames_and_buttons_that_do_not_matter_are_dropped(tmp_path, monkeypatch):
    class Sensitive(PyBoyConsole):
        """Goes wrong when A is pressed for the second time."""

        presses = 0

        def hold(self, buttons):
            super().hold(buttons)
            self.presses += bool(buttons & BIT["a"])
            if self.presses == 2:
                self.poke(0xFFA0, self.peek(0xFFA0) ^ 1)

    monkeypatch.setattr(frame_traces, "Twin", Sensitive)
    pressed = list(random_frames(2, 60))
    (found,) = differences(Consoles(PyBoyConsole, Sensitive), [emberkeep(False, pressed)])
    saved = FRAME_TRACES.divergence(3, found, emberkeep(False, pressed), "ours").save(tmp_path)
    small = FRAME_TRACES.shrink(saved, budget=60)
    assert len(small.actions) == 2 and all(buttons & BIT["a"] for buttons, _ in small.actions)


@pytest.mark.slow
def test_programs_of_all_parts_run_alike_on_both_sides():
    result = check_scenarios(frames=3, programs=1)
    assert (result.tally.cases, result.verdict) == (len(WORKLOADS), "equal")


def test_programs_are_compared():
    parts = WORKLOADS[::12]
    result = check_scenarios(twin=PyBoyConsole, frames=2, programs=1, parts=parts)
    assert (result.tally.cases, result.verdict) == (len(parts), "equal")
    differing = check_scenarios(twin=TamperedScreen, frames=1, programs=1, parts=parts)
    assert differing.verdict == "different"


def test_a_state_that_nothing_else_shows_is_compared():
    (found,) = check_scenarios(twin=TamperedState, frames=1, programs=1, most=1).divergences
    assert found.field == "state[8]"


def test_parts_have_names_of_their_own():
    assert len({part.name for part in WORKLOADS}) == len(WORKLOADS)


@pytest.mark.parametrize("part", WORKLOADS, ids=lambda part: part.name)
def test_a_program_stays_in_its_own_code(part):
    console = PyBoyConsole(program(part, 0), part.cgb)
    console.tick(3)
    pc = console.capture().registers[-1]
    placed = any(pc in range(place, place + LONGEST) for place in part.places)
    over_edge = part.edges and pc in range(0x7FF0, 0x8008)
    assert 0x40 <= pc < 0x4008 or 0xFF80 <= pc < 0xFFA0 or placed or over_edge


def test_captures_leave_a_copy_into_oam_as_it_is():
    """PyBoy's copy runs ahead of a read through HL: looking at OAM must not be such a read."""
    code = Code(MAIN).raw(0xF3).out(0x40, 0x11).ld_hl(0xFE10).label("again")
    code.out(0x46, 0xC0).nops(40).out(0x40, 0x91).out(0x40, 0x11).jr("again")
    sides = [PyBoyConsole(rom_of(code)) for _ in range(2)]
    for _ in range(6):
        for side in sides:
            side.tick()
        sides[0].capture()
        assert sides[0].save() == sides[1].save()


@pytest.mark.parametrize("broken", ["reference", "ours"])
def test_what_cannot_be_set_up_is_an_error_and_no_difference(broken):
    def absent(rom, cgb):
        raise EnvwrightError("not to be had")

    sides = {"reference": PyBoyConsole, "ours": PyBoyConsole} | {broken: absent}
    engine = Consoles(sides["reference"], sides["ours"])
    with pytest.raises(EnvwrightError, match="not to be had"):
        list(differences(engine, [emberkeep(False, [Frame()])]))
