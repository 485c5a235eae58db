"""Loops in which a program waits: an emulator may skip through them, if that does not show.

Each ends by itself as long as the screen is on and its interrupts are.
"""

from __future__ import annotations

import numpy as np

from envwright.zoo.gameboy.checks.assembler import A, Code

IF, STAT, LY = 0x0F, 0x41, 0x44
COUNT = 0xC7F0  # interrupts, as far as a byte goes
LINES, MODES, REGISTERS = 150, 4, (0, 1, 2, 3, 7)  # those of DEC: B, C, D, E, A


def count_interrupt(handler: Code) -> Code:
    """Make a handler in eight bytes: `PUSH HL`, `LD HL,COUNT`, `INC (HL)`, `POP HL`, `RETI`."""
    return handler.raw(0xE5).ld_hl(COUNT).raw(0x34, 0xE1, 0xD9)


def wait(main: Code, rng: np.random.Generator) -> None:
    """Wait in one of the loops; HL is kept."""
    kind = int(rng.integers(9))
    line, mode = int(rng.integers(LINES)), int(rng.integers(MODES))
    main.nops(int(rng.integers(12)))
    start = main.here
    if kind == 0:
        main.read(LY).raw(0xFE, line, 0x20, 0xFA)  # CP line; JR NZ
    elif kind == 1:
        main.raw(0xE5).ld_hl(0xFF00 | LY).ld(A, line).raw(0xBE, 0x20, 0xFD, 0xE1)  # CP (HL)
    elif kind == 2:
        main.read(STAT).raw(0xE6, 3, 0xFE, mode, 0xC2).word(start)  # AND 3; CP mode; JP NZ
    elif kind == 3:
        main.raw(0xE5).ld_hl(0xFF00 | STAT).raw(0x7E, 0xE6, 3, 0xD6, mode)  # LD A,(HL); AND; SUB
        main.raw(0x20, 0xF9, 0xE1)
    elif kind == 4:
        main.raw(0xE5).ld_hl(0xFF00 | STAT)
        main.raw(0xCB, 0x46 | 8 * (mode & 1), 0x28 if mode & 2 else 0x20, 0xFC, 0xE1)  # BIT
    elif kind == 5:
        main.raw(0xF3).out(IF, 0).read(IF).raw(0xE6, 1, 0x28, 0xFA, 0xFB)  # DI; AND 1; JR Z; EI
    elif kind == 6:
        main.raw(0xFA).word(COUNT).raw(0x47)  # LD B,A
        main.raw(0xFA).word(COUNT).raw(0xB8, 0x28, 0xFA)  # CP B; JR Z
    elif kind == 7:
        register = REGISTERS[int(rng.integers(len(REGISTERS)))]
        main.ld(register, int(rng.integers(256))).raw(0x05 | register << 3, 0x20, 0xFD)
    else:
        main.read(0x05).raw(0x57).read(0x04).raw(0xE6, 0x0F, 0xFE, line & 15, 0x20, 0xF8)  # DIV
    main.log()
