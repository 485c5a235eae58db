"""Programs that use one part of the Game Boy at chance moments, and write down what they read.

Each is drawn from a seed: writes and reads of that part's ports with waits between, in an endless
loop, with interrupts on. What was read goes to a log in WRAM from C800 to CFFF.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envwright.verify.gameboy.assembler import MAIN, A, Code, rom_of
from envwright.verify.gameboy.waiting import count_interrupt, wait

LOG, PATTERN = 0xC800, 0xC000
VECTORS = (0x40, 0x48, 0x50, 0x58, 0x60)
IF, IE, LCDC, STAT, LY = 0x0F, 0xFF, 0x40, 0x41, 0x44
HRAM_CODE = 0xFF80
OPERATIONS = 300


@dataclass(frozen=True)
class Part:
    """What a program touches, how often, and with what interrupts."""

    name: str
    writes: dict[int, tuple[int, ...]]  # port -> values to draw from; none: any
    reads: tuple[int, ...]
    interrupts: int = 0x1F
    memory: tuple[tuple[int, int], ...] = ()  # ranges that are written
    stores: dict[int, tuple[int, ...]] | None = None  # address -> values, beside those
    looks: tuple[tuple[int, int], ...] = ()  # ranges that are read
    halts: bool = False
    dma: bool = False
    double_speed: bool = False
    stops: bool = False
    polls: bool = False  # loops that wait for something
    pauses: bool = False  # up to 30,000 cycles, in which lengths, sweeps and envelopes go on
    paints: bool = False  # fill the screen's memory first
    waits: int = 60
    cartridge: int = 0
    ram: int = 0
    banks: int = 2
    cgb: bool = False


LCDC_ON = (0x91, 0x93, 0x97, 0xB3, 0xE3, 0xF7, 0xC1, 0x83, 0x80)
WINDOW = {0x4A: (0, 1, 40, 80, 143, 144), 0x4B: (0, 3, 6, 7, 8, 80, 165, 166, 167)}
PICTURE = {0x42: (), 0x43: (), 0x47: (), 0x48: (), 0x49: (), **WINDOW}
SOUND = tuple(range(0x10, 0x40))
COLOR_PORTS = (*range(0x4C, 0x50), *range(0x56, 0x80))
# Values at which something happens: lengths that end soon, sweeps that come to the highest
# frequency (555 + 2AA, 666 + 199) or beyond, fast noise, channels off and on again, DIV reset.
ENVELOPES, LENGTHS = (0xF0, 0xF1, 0x09, 0x89, 0x81, 0x08, 0x00), (0x3F, 0xBE, 0x80, 0x7D)
CUES = (
    {0x04: (0,), 0x10: (0x11, 0x12, 0x19, 0x1A, 0x10, 0x08, 0x01, 0x71), 0x26: (0x80, 0x80, 0)}
    | {0x11: LENGTHS, 0x12: ENVELOPES, 0x13: (0x55, 0x66, 0xFF, 0), 0x16: LENGTHS, 0x17: ENVELOPES}
    | {0x14: (0x85, 0x86, 0x87, 0xC5, 0xC6, 0x45, 0x06), 0x18: (), 0x19: (0x87, 0xC7, 0x80, 0x47)}
    | {0x1A: (0x80, 0x80, 0), 0x1B: (0xFF, 0xFE, 0), 0x1C: (0x20, 0x40, 0x60, 0), 0x1D: ()}
    | {0x1E: (0x87, 0x80, 0xC7, 0x47), 0x20: (0x3F, 0x3E, 0), 0x21: ENVELOPES}
    | {0x22: (0, 1, 2, 0x10, 0x11, 0x12, 0x1A, 0x08, 0x31, 0xF7), 0x23: (0x80, 0xC0, 0x40, 0)}
    | {0x24: (), 0x25: (), 0x30: (), 0x37: (), 0x3F: ()}
)
BANKED = ((0x0000, 0x8000),)
PARTS = (
    Part("timer", {0x04: (0,), 0x05: (), 0x06: (), 0x07: (4, 5, 6, 7, 0)}, (4, 5, 6, 7, IF), 0x04),
    Part("screen modes", {STAT: (), 0x45: tuple(range(0, 156, 7))}, (STAT, LY, 0x45, IF), 0x03),
    Part("screen on and off", {LCDC: (0x91, 0x11)}, (STAT, LY, LCDC, IF), 0x03, waits=200),
    Part(
        "background, window, sprites",
        {LCDC: LCDC_ON, **PICTURE},
        (LY, STAT),
        0x01,
        memory=((0x8000, 0xA000), (0xFE00, 0xFEA0)),
        paints=True,
    ),
    Part("halt", {0x07: (5, 6), 0x45: (10, 70, 140), STAT: (0x40, 8, 0)}, (4, LY, IF), halts=True),
    Part("window while halted", {LCDC: (0xB1, 0xF3), **WINDOW}, (LY, STAT), 0x01, halts=True),
    Part("interrupts", {IF: (), IE: (), 0x07: (5,), STAT: (0x78,)}, (IF, IE, LY, 4)),
    Part("sprite memory by DMA", {0x47: ()}, (LY, STAT), 0x01, dma=True, looks=((0xFE00, 0xFEA0),)),
    Part("joypad", {0x00: (0x10, 0x20, 0x30, 0x00)}, (0x00, IF), 0x11),
    Part("serial", {0x01: (), 0x02: (0x81, 0x80, 0x01, 0x83)}, (1, 2, IF), 0x08, waits=200),
    Part("sound", dict.fromkeys(SOUND, ()) | {0x26: (0x80, 0x80, 0)}, SOUND, 0x01),
    Part("waiting", {STAT: (0, 0x40), 0x45: (10, 70)}, (LY, STAT, 4, IF), 0x03, polls=True),
    Part("stop", {0x04: (0,), 0x07: (5,)}, (4, 5, LY, 0x4D), 0x05, halts=True, stops=True),
    Part(
        "blocked memory",
        {STAT: (0,)},
        (LY, STAT),
        0x01,
        memory=((0x8000, 0x8100), (0xFE00, 0xFEA0)),
        looks=((0x8000, 0x8100), (0xFE00, 0xFEA0), (0xFEA0, 0xFF00)),
    ),
    *(
        Part(
            f"banks of {name}",
            {},
            (LY,),
            0x01,
            memory=(*BANKED, (0xA000, 0xA010)),
            looks=((0x0000, 0x0002), (0x4000, 0x4002), (0xA000, 0xA010)),
            cartridge=cartridge,
            ram=ram,
            banks=banks,
        )
        for name, cartridge, ram, banks in (
            ("no controller", 0x08, 2, 2),
            ("MBC1", 0x03, 3, 128),
            ("MBC1 with several games", 0x03, 3, 64),
            ("MBC2", 0x06, 0, 16),
            ("MBC3", 0x13, 3, 64),
            ("MBC5", 0x1B, 3, 64),
        )
    ),
    Part(
        "the clock of MBC3",
        {},
        (LY,),
        0x01,
        stores={0x4000: (*range(0x08, 0x0D), 0), 0x6000: (0, 1, 1, 2), 0xA000: (), 0xA001: (59,)},
        looks=((0xA000, 0xA002),),
        cartridge=0x10,
        ram=3,
    ),
    Part(  # what only one of the models has, or only with a cartridge for it
        "ports of the Color machine",
        dict.fromkeys(COLOR_PORTS, ()),
        COLOR_PORTS,
        0x01,
    ),
    Part("colour: ports", dict.fromkeys(COLOR_PORTS, ()), COLOR_PORTS, 0x01, cgb=True),
    Part(
        "colour: palettes and banks",
        {0x4F: (0, 1), 0x68: (), 0x69: (), 0x6A: (), 0x6B: (), 0x70: (), LCDC: LCDC_ON, **PICTURE},
        (0x4F, 0x68, 0x69, 0x6A, 0x6B, 0x70, 0x6C),
        0x01,
        memory=((0x8000, 0xA000), (0xD000, 0xD010), (0xFE00, 0xFEA0)),
        looks=((0xD000, 0xD010),),
        cgb=True,
        paints=True,
    ),
    Part(
        "colour: transfers to the screen",
        {
            **{0x51: (0x00, 0x40, 0xC0), 0x52: (), 0x53: (), 0x54: (), 0x55: (0, 3, 0x83, 0x90)},
            LCDC: (0x91,),
        },
        (0x55, LY, STAT),
        0x01,
        cgb=True,
        waits=120,
    ),
    Part(
        "colour: double speed",
        {0x07: (5, 6), 0x45: (10, 70), STAT: (0x40,)},
        (0x4D, 4, 5, LY, STAT),
        cgb=True,
        double_speed=True,
    ),
    *(
        Part(
            f"colour: sound at {'either' if double else 'single'} speed",
            dict.fromkeys(SOUND, ()) | {0x26: (0x80, 0x80, 0)},
            (*SOUND, 0x76, 0x77),
            0x01,
            cgb=True,
            double_speed=double,
        )
        for double in (False, True)
    ),
    Part(  # what is heard, which only a Color machine tells
        "colour: noise",
        {0x21: (0xF0, 0x5A, 0x08), 0x22: (), 0x23: (0x80, 0xC0, 0x00), 0x26: (0x80,)},
        (0x77, 0x77, 0x26),
        0x01,
        cgb=True,
        double_speed=True,
    ),
    Part(  # divisors that change while it runs
        "colour: fast noise",
        {
            0x21: (0xF0,),
            0x22: (0, 1, 2, 0x10, 0x11, 0x12, 0x12, 0x1A),
            0x23: (0x80,),
            0x26: (0x80,),
        },
        (0x77, 0x77, 0x26),
        0x01,
        cgb=True,
        double_speed=True,
    ),
    Part(
        "colour: sweeps",
        {0x10: (0x10, 0x10, 0x11, 0x18), 0x12: (0xF0,), 0x13: (0x55, 0x66, 0xFF, 0), 0x26: (0x80,)}
        | {0x14: (0x85, 0x86, 0x80, 0x05)},
        (0x26, 0x76, LY, STAT),
        0x03,
        cgb=True,
        pauses=True,
    ),
    Part(
        "colour: tones",
        {0x12: (0xF0, 0x5A), 0x17: (0xF0, 0x3B), 0x1A: (0x80, 0x80, 0), 0x26: (0x80,)}
        | dict.fromkeys((0x10, 0x11, 0x13, 0x14, 0x16, 0x18, 0x19, 0x1C, 0x1D, 0x1E), ()),
        (0x76, 0x77, 0x26),
        0x01,
        cgb=True,
        double_speed=True,
    ),
    *(
        Part(
            f"{'colour: ' if cgb else ''}cues of sound{', ' + which if which else ''}",
            CUES,
            (0x26, 0x26, 0x30, 0x3F, *((0x76, 0x77) if cgb else ())),
            0x01,
            cgb=cgb,
            double_speed=which == "either speed",
            pauses=True,
        )
        for cgb, which in ((False, ""), (True, ""), (True, "either speed"), (True, "again"))
    ),
    Part(
        "colour: waiting",
        {STAT: (0, 0x40), 0x45: (10, 70)},
        (LY, STAT, 4, 0x4D),
        0x03,
        cgb=True,
        double_speed=True,
        polls=True,
    ),
)


def program(part: Part, seed: int) -> bytes:
    """A ROM that uses a part as a seed says."""
    rng = np.random.default_rng([seed, sum(map(ord, part.name))])
    main = Code(MAIN).raw(0xF3).ld_sp(0xDFF0)
    if part.dma:
        _copy_dma_routine(main)
    if part.paints:
        _paint(main, part.cgb)
    if part.cartridge:
        main.ld(A, 0x0A).store(0x0000)
    main.ld_hl(LOG).out(IF, 0).out(IE, part.interrupts).raw(0xFB).label("again")
    for _ in range(OPERATIONS):
        _operation(main, part, rng)
        if main.here > 0x3D00:
            break
    main.raw(0x7C, 0xE6, 0x07, 0xF6, LOG >> 8, 0x67).jp("again")  # H back to C8-CF
    return rom_of(
        main,
        *(_handler(address, part) for address in VECTORS),
        cartridge=part.cartridge,
        ram=part.ram,
        banks=part.banks,
        cgb=part.cgb,
    )


def _handler(address: int, part: Part) -> Code:
    """Writes down the line, or counts where something waits for that; and goes on."""
    if part.polls:
        return count_interrupt(Code(address))
    return Code(address).raw(0xF5).read(LY).log().raw(0xF1, 0xD9)


def _operation(main: Code, part: Part, rng: np.random.Generator) -> None:
    kind = rng.random()
    if kind < 0.35 and part.writes:
        port = int(rng.choice(list(part.writes)))
        values = part.writes[port]
        main.out(port, int(rng.choice(values)) if values else int(rng.integers(256)))
    elif kind < 0.55:
        main.read(int(rng.choice(part.reads))).log()
    elif kind < 0.65 and part.stores:
        address = int(rng.choice(list(part.stores)))
        values = part.stores[address] or tuple(range(256))
        main.ld(A, int(rng.choice(values))).store(address)
    elif kind < 0.7 and part.memory:
        main.ld(A, int(rng.integers(256))).store(_inside(part.memory, rng))
    elif kind < 0.85 and part.looks:
        _look(main, _inside(part.looks, rng), rng)
    elif kind < 0.88 and part.halts:
        main.raw(*((0xFB, 0x76, 0x00), (0xF3, 0x76, 0x00, 0x04, 0xFB))[int(rng.integers(2))])
    elif kind < 0.9 and part.dma:
        main.ld(A, 0xC0 + int(rng.integers(2))).call(HRAM_CODE)
    elif kind < 0.91 and part.double_speed:
        main.out(0x4D, 1).raw(0x10, 0x00)
    elif kind < 0.92 and part.stops:
        main.out(0x4D, int(rng.integers(2))).raw(0x10, int(rng.integers(256)))
    elif kind < 0.94 and part.pauses:
        _pause(main, rng)
    elif kind < 0.97 and part.polls:
        wait(main, rng)
    else:
        main.nops(int(rng.integers(1, part.waits)) // 4 + 1)


def _pause(main: Code, rng: np.random.Generator) -> None:
    """`LD BC,nn`, then `DEC C`, `JR NZ`, `DEC B`, `JR NZ`."""
    main.raw(0x01, int(rng.integers(256)), int(rng.integers(1, 8)))
    main.raw(0x0D, 0x20, 0xFD, 0x05, 0x20, 0xFA)


def _look(main: Code, address: int, rng: np.random.Generator) -> None:
    """By `LD A,(nn)`, and by `LD A,(DE)`, which sees the screen's memory blocked."""
    if rng.random() < 0.5:
        main.raw(0xFA).word(address)
    else:
        main.raw(0x11).word(address).raw(0x1A)
    main.log()


def _inside(ranges: tuple[tuple[int, int], ...], rng: np.random.Generator) -> int:
    low, high = ranges[int(rng.integers(len(ranges)))]
    return int(rng.integers(low, high))


def _copy_dma_routine(main: Code) -> None:
    """`LDH (46),A`, a wait, an early look at OAM, `RET`: in HRAM, as games do."""
    routine = (0xE0, 0x46, 0x3E, 0x14, 0x3D, 0x20, 0xFD, 0xFA, 0x10, 0xFE, 0x22, 0x3E, 0x18)
    for offset, byte in enumerate((*routine, 0x3D, 0x20, 0xFD, 0xC9)):
        main.out(HRAM_CODE + offset, byte)


def _paint(main: Code, cgb: bool) -> None:
    """Fills VRAM, OAM and the palettes with a pattern, with the screen off."""
    main.out(LCDC, 0)
    for bank in range(1 + cgb):
        if cgb:
            main.out(0x4F, bank)
        main.ld_hl(0x8000).label(f"vram {bank}")
        main.raw(0x7D, 0xAC, 0x07, 0x85, 0xEE, 0x5B + bank, 0x22)  # of L and H
        main.raw(0x7C, 0xFE, 0xA0).jr(f"vram {bank}", 0x20)
    main.ld_hl(0xFE00).label("oam").raw(0x7D, 0x07, 0x07, 0x85, 0x22)
    main.raw(0x7D, 0xFE, 0xA0).jr("oam", 0x20)
    for port in (0x68, 0x6A) if cgb else ():
        main.out(port, 0x80).ld_hl(0x5A40).label(f"palette {port}")
        main.raw(0x7D, 0x84, 0x67).out(port + 1).raw(0x2D).jr(f"palette {port}", 0x20)
    main.out(LCDC, 0x93)
