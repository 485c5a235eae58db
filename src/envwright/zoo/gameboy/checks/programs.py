"""Programs that use one part of the Game Boy at random moments, and record what they read.

Each is drawn from a seed: writes and reads of that part's ports with waits between, in an endless
loop, with interrupts on. What was read goes to a log in WRAM from C800 to CFFF, what interrupts
saw to a ring of 256 bytes at C600.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from envwright.zoo.gameboy.checks import anywhere, touching
from envwright.zoo.gameboy.checks.assembler import BANK, MAIN, A, Code, rom_of
from envwright.zoo.gameboy.checks.waiting import count_interrupt, wait
from envwright.zoo.gameboy.checks.workload import IE, IF, LCDC, LY, Workload

LOG = 0xC800
RING, RING_END = 0xC600, 0xC7F2  # and where its next byte goes
VECTORS = (0x40, 0x48, 0x50, 0x58, 0x60)
HANDLER, LOGO = 0x70, 0x104
HRAM_CODE = 0xFF80
OPERATIONS = 300
SPRITES, TILES = 0x4010, 0x4100  # in ROM: what a program that paints fills OAM and VRAM with

Operation = Callable[[Code, Workload, np.random.Generator], None]


def program(load: Workload, seed: int) -> bytes:
    """Draw a ROM for a workload from a seed."""
    rng = np.random.default_rng([seed, sum(map(ord, load.name))])
    main = Code(MAIN).raw(0xF3).ld_sp(touching.STACK)
    if load.dma:
        _copy_dma_routine(main)
    if load.paints:
        _paint(main, load.cgb)
    if load.cartridge:
        main.ld(A, 0x0A).store(0x0000)
    main.ld_hl(LOG).out(IF, 0).out(IE, load.interrupts).raw(0xFB).label("again")
    doable = [(share, does) for share, does, wanted in _operations(load) if wanted]
    shares = np.array([share for share, _ in doable], float)
    for _ in range(OPERATIONS):
        doable[int(rng.choice(len(doable), p=shares / shares.sum()))][1](main, load, rng)
        if main.here > 0x3D00:
            break
    main.raw(0x7C, 0xE6, 0x07, 0xF6, LOG >> 8, 0x67).jp("again")  # H back to C8-CF
    rom = rom_of(
        main,
        *_handlers(load),
        cartridge=load.cartridge,
        ram=load.ram,
        banks=load.banks,
        cgb=load.cgb,
    )
    if not load.several_games:
        rom = rom[: 5 * BANK + LOGO] + b"\x01" + rom[5 * BANK + LOGO + 1 :]
    if load.paints:
        return _with_pictures(rom, rng)
    return anywhere.with_edges(rom, rng) if load.edges else rom


def _operations(load: Workload) -> tuple[tuple[float, Operation, object], ...]:
    """Return the operations: how often in about a hundred, and whether this program has them."""
    return (
        (35, _write, load.writes),
        (20, _read, load.reads),
        (20, _store, load.stores),
        (12, _write_memory, load.memory),
        (15, _look, load.looks),
        (8, _change, load.changes),
        (12, _pile, load.piles),
        (4, _run_elsewhere, load.places),
        (10, _run_over_edge, load.edges),
        (load.halts, _halt, load.halts),
        (2, _call_dma, load.dma),
        (4, _copy, load.copies),
        (1, _switch_speed, load.double_speed),
        (1, _stop, load.stops),
        (2, _pause, load.pauses),
        (3, _poll, load.polls),
        (10, _wait, True),
    )


def _handlers(load: Workload) -> list[Code]:
    """Make handlers that count if something waits for them, or else log their number and line."""
    if load.polls:
        return [count_interrupt(Code(address)) for address in VECTORS]
    vectors = [
        Code(address).raw(0xF5, 0x3E, number).jp(HANDLER) for number, address in enumerate(VECTORS)
    ]
    handler = Code(HANDLER).raw(touching.PUSH_HL, 0x67)  # LD H,A
    handler.raw(0xFA).word(RING_END).raw(0x6F, 0x7C, 0x26, RING >> 8, 0x22)  # L; LD A,H; LD H,n
    handler.read(LY).raw(0x77, 0x7D, 0x3C).store(RING_END)  # LD (HL),A; LD A,L; INC A
    return [*vectors, handler.raw(touching.POP_HL, 0xF1, 0xD9)]


def _write(main: Code, load: Workload, rng: np.random.Generator) -> None:
    port = int(rng.choice(list(load.writes)))
    touching.write(main, 0xFF00 | port, _drawn(load.writes[port], rng), rng)


def _read(main: Code, load: Workload, rng: np.random.Generator) -> None:
    touching.read(main, 0xFF00 | int(rng.choice(load.reads)), rng)
    main.log()


def _store(main: Code, load: Workload, rng: np.random.Generator) -> None:
    assert load.stores is not None
    address = int(rng.choice(list(load.stores)))
    touching.write(main, address, _drawn(load.stores[address], rng), rng)


def _write_memory(main: Code, load: Workload, rng: np.random.Generator) -> None:
    touching.write(main, _inside(load.memory, rng), int(rng.integers(256)), rng)


def _look(main: Code, load: Workload, rng: np.random.Generator) -> None:
    touching.read(main, _inside(load.looks, rng), rng)
    main.log()


def _change(main: Code, load: Workload, rng: np.random.Generator) -> None:
    touching.change(main, _inside(load.changes, rng), rng)


def _pile(main: Code, load: Workload, rng: np.random.Generator) -> None:
    touching.pile(main, _inside(load.piles, rng), rng)


def _run_elsewhere(main: Code, load: Workload, rng: np.random.Generator) -> None:
    anywhere.run_in(main, int(rng.choice(load.places)), rng)


def _run_over_edge(main: Code, load: Workload, rng: np.random.Generator) -> None:
    anywhere.run_over_edge(main, load.banks, rng)


def _halt(main: Code, load: Workload, rng: np.random.Generator) -> None:
    main.raw(*((0xFB, 0x76, 0x00), (0xF3, 0x76, 0x00, 0x04, 0xFB))[int(rng.integers(2))])


def _call_dma(main: Code, load: Workload, rng: np.random.Generator) -> None:
    main.ld(A, 0xC0 + int(rng.integers(2))).call(HRAM_CODE)


def _copy(main: Code, load: Workload, rng: np.random.Generator) -> None:
    touching.write(main, 0xFF46, int(rng.integers(256)), rng)


def _switch_speed(main: Code, load: Workload, rng: np.random.Generator) -> None:
    main.out(0x4D, 1).raw(0x10, 0x00)


def _stop(main: Code, load: Workload, rng: np.random.Generator) -> None:
    main.out(0x4D, int(rng.integers(2))).raw(0x10, int(rng.integers(256)))


def _pause(main: Code, load: Workload, rng: np.random.Generator) -> None:
    """`LD BC,nn`, then `DEC C`, `JR NZ`, `DEC B`, `JR NZ`."""
    main.raw(0x01, int(rng.integers(256)), int(rng.integers(1, 8)))
    main.raw(0x0D, 0x20, 0xFD, 0x05, 0x20, 0xFA)


def _poll(main: Code, load: Workload, rng: np.random.Generator) -> None:
    wait(main, rng)


def _wait(main: Code, load: Workload, rng: np.random.Generator) -> None:
    main.nops(int(rng.integers(1, load.waits)) // 4 + 1)


def _drawn(values: tuple[int, ...], rng: np.random.Generator) -> int:
    return int(rng.choice(values)) if values else int(rng.integers(256))


def _inside(ranges: tuple[tuple[int, int], ...], rng: np.random.Generator) -> int:
    low, high = ranges[int(rng.integers(len(ranges)))]
    return int(rng.integers(low, high))


def _copy_dma_routine(main: Code) -> None:
    """Copy a routine to HRAM, as games do: `LDH (46),A`, a wait, an early read of OAM, `RET`."""
    routine = (0xE0, 0x46, 0x3E, 0x14, 0x3D, 0x20, 0xFD, 0xFA, 0x10, 0xFE, 0x22, 0x3E, 0x18)
    for offset, byte in enumerate((*routine, 0x3D, 0x20, 0xFD, 0xC9)):
        main.out(HRAM_CODE + offset, byte)


def _paint(main: Code, cgb: bool) -> None:
    """Fill VRAM, OAM and the palettes from ROM, with the screen off."""
    main.out(LCDC, 0)
    main.raw(0x11).word(TILES)  # LD DE,nn
    for bank in range(1 + cgb):
        if cgb:
            main.out(0x4F, bank)
        main.ld_hl(0x8000).label(f"vram {bank}").raw(0x1A, 0x13, 0x22)  # from DE on to HL on
        main.raw(0x7A, 0xE6, 0x3F, 0xF6, 0x40, 0x57)  # D stays within the bank
        main.raw(0x7C, 0xFE, 0xA0).jr(f"vram {bank}", 0x20)
    main.raw(0x11).word(SPRITES).ld_hl(0xFE00)
    main.label("oam").raw(0x1A, 0x13, 0x22, 0x7D, 0xFE, 0xA0).jr("oam", 0x20)
    for port in (0x68, 0x6A) if cgb else ():
        main.out(port, 0x80).raw(0x06, 0x40).label(f"palette {port}")  # LD B,n
        main.raw(0x1A, 0x13).out(port + 1).raw(0x05).jr(f"palette {port}", 0x20)
    main.out(LCDC, 0x93)


def _with_pictures(rom: bytes, rng: np.random.Generator) -> bytes:
    """Add random tiles, and sprites that crowd on some lines and beyond all edges of the screen."""
    data = rng.integers(256, size=2 * BANK, dtype=np.uint8)
    data[:BANK] = np.frombuffer(rom, np.uint8)[:BANK]
    sprites = rng.integers(256, size=(40, 4))
    rows = rng.integers(0, 170, size=4)
    sprites[:, 0] = rng.choice([*rows, 0, 8, 15, 16, 152, 159, 160], size=40)
    sprites[:, 0] += rng.integers(0, 3, size=40)
    sprites[:, 1] = rng.choice([*range(0, 176, 5), 0, 1, 7, 8, 167, 168, 168, 255], size=40)
    data[SPRITES : SPRITES + 160] = sprites.ravel()
    return data.tobytes()
