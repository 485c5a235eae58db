"""Ways to read and write an address, since each instruction takes a different time until then.

HL points to the log and is kept; A, BC, DE and the flags are not. SP is where it was.
"""

from __future__ import annotations

import numpy as np

from envwright.zoo.gameboy.checks.assembler import A, B, Code

STACK = 0xC7F0  # grows downwards; the same in every bank of work RAM
PORTS = 0xFF00
PUSH_HL, POP_HL = 0xE5, 0xE1
DISABLE, ENABLE = 0xF3, 0xFB
PUSHES, POPS = (0xC5, 0xD5, 0xF5), (0xC1, 0xD1, 0xF1)  # BC, DE, AF


def write(main: Code, address: int, value: int, rng: np.random.Generator) -> None:
    """Write one byte."""
    way = int(rng.integers(9 if address >= PORTS else 7))
    if way == 0:
        main.ld(A, value).store(address)
    elif way == 1:
        main.raw(0x11).word(address).ld(A, value).raw(0x12)  # LD (DE),A
    elif way == 2:
        main.raw(0x01).word(address).ld(A, value).raw(0x02)  # LD (BC),A
    elif way < 7:
        main.raw(PUSH_HL).ld_hl(address)
        if way == 3:
            main.raw(0x36, value)  # LD (HL),n
        elif way == 4:
            main.ld(B, value).raw(0x70)  # LD (HL),B
        else:
            main.ld(A, value).raw(0x22 if way == 5 else 0x32)  # LD (HL+),A or LD (HL-),A
        main.raw(POP_HL)
    elif way == 7:
        main.out(address, value)
    else:
        main.raw(0x0E, address & 0xFF).ld(A, value).raw(0xE2)  # LD C,n; LDH (C),A


def read(main: Code, address: int, rng: np.random.Generator) -> None:
    """Read one byte into A."""
    way = int(rng.integers(9 if address >= PORTS else 7))
    if way == 0:
        main.raw(0xFA).word(address)
    elif way == 1:
        main.raw(0x11).word(address).raw(0x1A)  # LD A,(DE)
    elif way == 2:
        main.raw(0x01).word(address).raw(0x0A)  # LD A,(BC)
    elif way < 7:
        main.raw(PUSH_HL).ld_hl(address)
        if way == 3:
            main.raw(0x7E)  # LD A,(HL)
        elif way == 4:
            main.raw(0x46, 0x78)  # LD B,(HL); LD A,B
        elif way == 5:
            main.raw((0x2A, 0x3A)[int(rng.integers(2))])  # LD A,(HL+) or LD A,(HL-)
        else:
            main.raw(0xAF, 0xAE)  # XOR A; XOR (HL)
        main.raw(POP_HL)
    elif way == 7:
        main.read(address)
    else:
        main.raw(0x0E, address & 0xFF, 0xF2)  # LD C,n; LDH A,(C)


def change(main: Code, address: int, rng: np.random.Generator) -> None:
    """Read a byte and write another: INC, DEC, or an opcode after CB."""
    main.raw(PUSH_HL).ld_hl(address)
    if rng.random() < 0.3:
        main.raw((0x34, 0x35)[int(rng.integers(2))])
    else:
        main.raw(0xCB, int(rng.integers(32)) << 3 | 6)
    main.raw(POP_HL)


def pile(main: Code, address: int, rng: np.random.Generator) -> None:
    """Use two bytes by PUSH, POP, RST, CALL and RET or LD (nn),SP, off the stack."""
    way = int(rng.integers(4))
    main.raw(DISABLE, 0x01, int(rng.integers(256)), int(rng.integers(256)))  # LD BC,nn
    main.ld_sp(address)
    if way == 0:
        main.raw(PUSHES[int(rng.integers(3))])
    elif way == 1:
        main.raw(POPS[int(rng.integers(3))])
    elif way == 2:
        main.call(main.here + 3)  # CALL what follows
    else:
        main.raw(0x08).word(address)
    main.ld_sp(STACK).log()
    for to_a in (0x78, 0x79, 0x7A, 0x7B):  # B, C, D, E
        main.raw(to_a).log()
    main.raw(ENABLE)
