"""Level 1 of the emulator: every instruction, one at a time, on both sides.

A program in ROM loads the registers, jumps to one instruction in RAM, stores the registers and
switches the screen on or off, which ends a frame at once: so a frame is one instruction, and the
cycle count after it is exact. Instructions and registers are poked between frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np

from envwright.core.progress import Progress, quiet
from envwright.errors import EnvwrightError
from envwright.schema.divergence import Trace
from envwright.verify.compare import Mismatch
from envwright.verify.results import LevelResult
from envwright.verify.tally import Tally
from envwright.zoo.gameboy.checks.assembler import MAIN, Code, rom_of
from envwright.zoo.gameboy.checks.frame_traces import FRAME_TRACES
from envwright.zoo.gameboy.checks.lockstep import MakeConsole
from envwright.zoo.gameboy.checks.twin import TWIN, Twin
from envwright.zoo.gameboy.console import Console
from envwright.zoo.gameboy.reference import PyBoyConsole

NAME = "instruction"  # in files
GIVEN, TAKEN = 0xC000, 0xC020  # AF BC DE HL to begin with; HL DE BC AF SP afterwards
SNIPPET, LANDING = 0xC100, 0xC180  # the instruction; where its jumps lead
PLACE, SIZE = 0xC200, 0x20  # the target of addresses
HRAM = 0xFF90
ILLEGAL = (0xD3, 0xDB, 0xDD, 0xE3, 0xE4, 0xEB, 0xEC, 0xED, 0xF4, 0xFC, 0xFD)  # PyBoy hangs
WAITING = (0x10, 0x76)  # STOP and HALT end a frame in their own way: level 2 has them
CB, DAA = 0xCB, 0x27
EDGES = (0x00, 0x01, 0x0F, 0x10, 0x7F, 0x80, 0x9A, 0xFF)
CASES = 40  # of each instruction, unless another number is wanted


@dataclass(frozen=True)
class Case:
    """An instruction with registers and memory."""

    code: tuple[int, ...]
    af: int
    bc: int
    de: int
    hl: int
    sp: int
    memory: bytes  # at PLACE, and the same at HRAM

    def __str__(self) -> str:
        code = " ".join(f"{byte:02X}" for byte in self.code)
        registers = ", ".join(f"{n.upper()} {getattr(self, n):04X}" for n in _PAIRS)
        return f"instruction {code} with {registers}"


_PAIRS = ("af", "bc", "de", "hl", "sp")


def bench_rom() -> bytes:
    """Make the program around an instruction."""
    main = Code(MAIN).raw(0xF3).label("again").ld_sp(GIVEN)
    main.raw(0xF1, 0xC1, 0xD1, 0xE1).jp(SNIPPET)  # POP AF, BC, DE, HL
    main.label("landed").nops(7)  # so that another path takes another time
    main.label("after").raw(0x08).word(TAKEN + 8).ld_sp(TAKEN + 8)
    main.raw(0xF5, 0xC5, 0xD5, 0xE5)  # PUSH AF, BC, DE, HL
    main.read(0x40).raw(0xEE, 0x80).out(0x40).jp("again")
    main.done()
    landed, after = main._labels["landed"], main._labels["after"]
    vectors = [Code(address).jp(landed) for address in range(0, 0x40, 8)]
    table = Code(0x3F00).word(after).word(landed)
    return rom_of(main, table, *vectors)


def addresses(rom: bytes) -> tuple[int, int]:
    """Choose where an instruction continues, and where its jumps lead."""
    return int.from_bytes(rom[0x3F00:0x3F02], "little"), int.from_bytes(
        rom[0x3F02:0x3F04], "little"
    )


def instructions() -> list[tuple[int, ...]]:
    """Return every opcode, without its operands."""
    skipped = (*ILLEGAL, *WAITING, CB)
    plain = [(opcode,) for opcode in range(256) if opcode not in skipped]
    return plain + [(CB, opcode) for opcode in range(256)]


def cases_of(opcode: tuple[int, ...], count: int, seed: int) -> Iterator[Case]:
    """Return cases: edges first, then random ones; DAA has few enough inputs for all of them."""
    rng = np.random.default_rng([seed, *opcode])
    if opcode == (DAA,):
        for a, f in product(range(256), range(0, 256, 16)):
            yield _case(opcode, rng, a << 8 | f)
        return
    edges = list(product(EDGES, EDGES))
    rng.shuffle(edges)
    for number in range(count):
        a, other = edges[number % len(edges)] if number < count // 2 else rng.integers(256, size=2)
        yield _case(opcode, rng, int(a) << 8 | int(rng.integers(16)) << 4, int(other))


def _case(
    opcode: tuple[int, ...], rng: np.random.Generator, af: int, other: int | None = None
) -> Case:
    """Draw operands such that only PLACE, HRAM and the stack there are read or written."""
    values = [int(value) for value in rng.integers(0x10000, size=4)]
    bc, de, hl, sp = values
    if other is not None:
        bc, de, hl = (value & 0xFF00 | other for value in (bc, de, hl))
    first = opcode[0]
    inside = PLACE + int(rng.integers(2, SIZE - 4))
    if _uses_hl(opcode):
        hl = inside
    if first in (0x02, 0x0A):
        bc = inside
    if first in (0x12, 0x1A):
        de = inside
    if first in (0xE2, 0xF2):
        bc = bc & 0xFF00 | 0x90 + int(rng.integers(SIZE))
    if first == 0xE9:  # JP HL
        hl = LANDING
    memory = bytearray(rng.integers(256, size=SIZE, dtype=np.uint8))
    if other is not None:
        memory[inside - PLACE] = other
    if _uses_stack(first):
        sp = inside & ~1
        memory[sp - PLACE : sp - PLACE + 2] = LANDING.to_bytes(2, "little")
    operand = _operand(first, rng, other)
    return Case((*opcode, *operand), af, bc, de, hl, sp, bytes(memory))


def _uses_hl(opcode: tuple[int, ...]) -> bool:
    first = opcode[0]
    if first == CB:
        return opcode[1] & 7 == 6
    if 0x40 <= first < 0xC0:
        return first & 7 == 6 or 0x70 <= first < 0x78
    return first in (0x22, 0x2A, 0x32, 0x3A, 0x34, 0x35, 0x36)


def _uses_stack(first: int) -> bool:
    low = first & 15
    returns = first in (0xC0, 0xC8, 0xC9, 0xD0, 0xD8, 0xD9)
    calls = first in (0xC4, 0xCC, 0xCD, 0xD4, 0xDC) or (first >= 0xC0 and low in (7, 15))
    return returns or calls or (first >= 0xC0 and low in (1, 5))


def _operand(first: int, rng: np.random.Generator, other: int | None) -> tuple[int, ...]:
    near = int(rng.integers(256)) if other is None else other
    if first in (0x18, 0x20, 0x28, 0x30, 0x38):  # from behind the jump to LANDING
        return (LANDING - (SNIPPET + 3 + 2),)
    if first in (0xC2, 0xC3, 0xC4, 0xCA, 0xCC, 0xCD, 0xD2, 0xD4, 0xDA, 0xDC):
        return tuple(LANDING.to_bytes(2, "little"))
    if first in (0x08, 0xEA, 0xFA):
        return tuple((PLACE + int(rng.integers(SIZE - 2))).to_bytes(2, "little"))
    if first in (0x01, 0x11, 0x21, 0x31):
        return (near, int(rng.integers(256)))
    if first in (0xE0, 0xF0):
        return (0x90 + int(rng.integers(SIZE)),)
    if first in (0xE8, 0xF8) or (first < 0x40 and first & 7 == 6):
        return (near,)
    return (near,) if first >= 0xC0 and first & 7 == 6 else ()


class Bench:
    """A console with the program, which runs one case at a time."""

    def __init__(self, console: Console, after: int, landed: int) -> None:
        self.console = console
        self._after, self._landed = after, landed
        self._ready = False

    def run(self, case: Case) -> tuple[int, bytes, bytes, bytes]:
        """Run a case; return the cycles of the frame, the registers, and the two places."""
        self._poke(GIVEN, b"".join(getattr(case, n).to_bytes(2, "little") for n in _PAIRS[:4]))
        snippet = (0x31, *case.sp.to_bytes(2, "little"), *case.code, 0xC3)
        self._poke(SNIPPET, bytes((*snippet, *self._after.to_bytes(2, "little"))))
        self._poke(LANDING, bytes((0xC3, *self._landed.to_bytes(2, "little"))))
        self._poke(PLACE, case.memory)
        self._poke(HRAM, case.memory)
        if not self._ready:  # to the end of the frame in which the boot left it
            self.console.tick(2, render=False)
            self._ready = True
        before = self.cycles()
        self.console.tick(1, render=False)
        taken = self.cycles() - before
        return taken, self._peek(TAKEN), self._peek(PLACE), self._peek(HRAM)

    def cycles(self) -> int:
        """Since power-on."""
        return self.console.cycles()

    def _poke(self, address: int, data: bytes) -> None:
        for offset, byte in enumerate(data):
            self.console.poke(address + offset, byte)

    def _peek(self, address: int) -> bytes:
        return self.console.peek_bytes(address, SIZE)


def check_instructions(
    seed: int = 0,
    progress: Progress = quiet,
    twin: type[Console] = Twin,  # type: ignore[type-abstract]
    count: int = CASES,
) -> LevelResult:
    """Run every legal instruction on both sides; report the first differing case of each."""
    reference, ours = _benches(twin)
    result = LevelResult(1, Tally())
    wanted = instructions()
    raised = ""
    for number, opcode in enumerate(wanted):
        for case in cases_of(opcode, count, seed):
            result.tally.cases += 1
            found, raised = _compare(reference, ours, case)
            if found is not None:
                result.divergences.append(_divergence(case, found, raised))
                break
        if raised:
            break  # it cannot continue from there
        progress("level 1: instructions", number + 1, len(wanted))
    result.notes.append(
        f"{len(wanted)} instructions one by one: registers, flags, memory and cycles; the "
        f"{len(ILLEGAL)} illegal ones hang PyBoy"
    )
    for side in (reference, ours):
        side.console.close()
    return result


def _benches(twin: MakeConsole) -> tuple[Bench, Bench]:
    rom = bench_rom()
    reference, ours = (Bench(make(rom, False), *addresses(rom)) for make in (PyBoyConsole, twin))
    return reference, ours


def _compare(reference: Bench, twin: Bench, case: Case) -> tuple[Mismatch | None, str]:
    expected = reference.run(case)
    try:
        got = twin.run(case)
    except EnvwrightError as error:
        return Mismatch("frame", "an answer", "none"), str(error)
    names = ("cycles", "registers (HL DE BC AF SP)", f"memory at {PLACE:04X}", "memory at FF90")
    for name, ours, theirs in zip(names, expected, got, strict=True):
        if ours != theirs:
            return Mismatch(name, _shown(ours), _shown(theirs)), ""
    return None, ""


def _shown(value: int | bytes) -> str:
    return str(value) if isinstance(value, int) else value.hex(" ").upper()


def _divergence(case: Case, found: Mismatch, raised: str) -> Trace:
    return Trace(
        level=1,
        reference=PyBoyConsole.name,
        twin=TWIN,
        field=found.field,
        reference_value=found.reference,
        twin_value=found.twin,
        tolerance=found.tolerance,
        step=0,
        origin=str(case),
        raised=raised,
        room=FRAME_TRACES.room,
        trace=NAME,
        start={k: np.array(v) for k, v in asdict(case).items() if k != "memory"}
        | {"memory": np.frombuffer(case.memory, np.uint8)},
    )


def replay(saved: Trace) -> str:
    """Return what still differs in the case of a saved divergence, or ""."""
    start = saved.start or {}
    code, memory = tuple(map(int, start["code"])), bytes(start["memory"].astype(np.uint8))
    pairs = {name: int(start[name]) for name in _PAIRS}
    case = Case(code, **pairs, memory=memory)
    sides = _benches(Twin)
    found, raised = _compare(*sides, case)
    for side in sides:
        side.console.close()
    return "" if found is None else f"{case}: {raised or found}"
