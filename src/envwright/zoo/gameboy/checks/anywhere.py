"""Code that runs in unusual places: in any memory, over the edges of banks.

The program itself writes it there and calls it, and it returns. It does nothing that depends on
operands, which PyBoy reads as FF where the screen blocks them.
"""

from __future__ import annotations

import numpy as np

from envwright.zoo.gameboy.checks.assembler import BANK, A, Code

RET, INC_E = 0xC9, 0x1C
LONGEST = 12  # bytes, RET included
# Instructions by their first byte with as many operands: none jumps, none writes.
ONE = (0x04, 0x0C, 0x14, 0x1C, 0x3C, 0x07, 0x2F, 0x80, 0x8A, 0x91, 0xA2, 0xB3, 0x78, 0x00)
TWO = (0x06, 0x0E, 0x16, 0x1E, 0x3E, 0xC6, 0xCE, 0xD6, 0xE6, 0xEE, 0xF6, 0xFE, 0xF0, 0xCB)
THREE = (0x01, 0x11, 0xFA)
SWAP_A = 0x37  # behind CB
EDGE = 12  # bytes before the end of a bank, where code begins that runs over it
# What lies at the edge: so many bytes before it, an opcode and its operands.
STRADDLING = ((1, 0x3E, 1), (2, 0x01, 2), (1, 0x01, 2), (3, 0x11, 2), (2, 0x06, 1))


def run_in(main: Code, place: int, rng: np.random.Generator) -> None:
    """Write code to a place, call it, and log A and E."""
    for offset, byte in enumerate(_routine(place, rng)):
        main.ld(A, byte).store(place + offset)
    main.call(place).log().raw(0x7B).log()


def _routine(place: int, rng: np.random.Generator) -> bytes:
    code = bytearray()
    while len(code) < LONGEST - 4:
        kind = int(rng.integers(3))
        first = int(rng.choice((ONE, TWO, THREE)[kind]))
        code.append(first)
        if first == 0xCB:
            code.append(SWAP_A)
        else:
            code += bytes(int(byte) for byte in rng.integers(256, size=kind))
    return bytes((*code, RET))


def run_over_edge(main: Code, banks: int, rng: np.random.Generator) -> None:
    """Switch to a bank, and run over the end of the lower one, or of this one into VRAM."""
    # Never bank 0, before which PyBoy reads what happens to lie in the host's memory.
    main.ld(A, int(rng.integers(1, banks))).store(0x2000)
    if rng.random() < 0.3:  # of an MBC1: another lower bank
        main.ld(A, int(rng.integers(4))).store(0x4000)
        main.ld(A, int(rng.integers(2))).store(0x6000)
    entry = BANK - EDGE + int(rng.integers(4))
    if rng.random() < 0.5:
        main.call(entry)
    else:
        for offset, byte in enumerate(_behind(rng)):
            main.ld(A, byte).store(0x8000 + offset)
        main.call(BANK + entry)
    main.log().raw(0x78).log().raw(0x7B).log()  # A, B and E


def _behind(rng: np.random.Generator) -> bytes:
    """Return two bytes that are operands or instructions, and the end."""
    return bytes((*rng.choice(ONE, size=2).tolist(), INC_E, RET))


def with_edges(rom: bytes, rng: np.random.Generator) -> bytes:
    """Make a ROM whose banks have the same instructions at their ends, with different operands.

    PyBoy takes the lower bank's last bytes from another bank than the mapped one.
    """
    data = bytearray(rom)
    before, opcode, operands = STRADDLING[int(rng.integers(len(STRADDLING)))]
    ahead = bytes(rng.choice(ONE, size=EDGE - before).tolist())
    for base in range(0, len(rom), BANK):
        own = rng.choice(ONE, size=operands).tolist()
        data[base + BANK - EDGE : base + BANK] = (ahead + bytes((opcode, *own)))[:EDGE]
        data[base : base + 4] = _behind(rng)
    return bytes(data)
