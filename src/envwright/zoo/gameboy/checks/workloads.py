"""The workloads of programs, one for each part of the Game Boy."""

from __future__ import annotations

from envwright.zoo.gameboy.checks.cartridge_workloads import CARTRIDGE_WORKLOADS
from envwright.zoo.gameboy.checks.sound_workloads import SOUND_WORKLOADS
from envwright.zoo.gameboy.checks.workload import IE, IF, LCDC, LY, STAT, Workload

LCDC_ON = (0x91, 0x93, 0x97, 0xB3, 0xE3, 0xF7, 0xC1, 0x83, 0x80)
WINDOW = {0x4A: (0, 1, 40, 80, 143, 144), 0x4B: (0, 3, 6, 7, 8, 80, 165, 166, 167)}
PICTURE = {0x42: (), 0x43: (), 0x47: (), 0x48: (), 0x49: (), **WINDOW}
COLOR_PORTS = (*range(0x4C, 0x50), *range(0x56, 0x80))
ALL_PORTS = (*range(0x80), IE)
LINES = tuple(range(154))
EDGES = (
    *((0x3FFE, 0x4002), (0x7FFE, 0x8002), (0x9FFE, 0xA002), (0xBFFE, 0xC002), (0xCFFE, 0xD002)),
    *((0xDFFE, 0xE002), (0xEFFE, 0xF002), (0xFDFE, 0xFE02), (0xFE9E, 0xFEA2), (0xFEFE, 0xFF00)),
    *((0xFF80, 0xFF84), (0xFFFC, 0xFFFF)),
)
# Places for code: every memory, and over the edges between them.
PLACES = (
    *(0xC100, 0xD100, 0xE100, 0xF100, 0xFF90, 0xFFF2, 0x8800, 0xA100, 0xFE10, 0xFEA8),
    *(0x9FF9, 0xBFF9, 0xCFF9, 0xDFF9, 0xEFFA, 0xFDFA, 0xFE99),
)
SLEEP = {
    **{0x45: LINES, STAT: (0, 0, 0x40, 0x40, 0x08, 0x10, 0x20), 0x4A: LINES, 0x43: ()},
    **{0x07: (0, 0, 4, 7), 0x06: (), LCDC: (0x91, 0x93, 0xB1, 0xF7, 0x83)},
}
COPIED = ((0xFE00, 0xFEA0), (0x8000, 0xA000), (0xFF80, 0xFFFF))
WORKLOADS = (
    Workload(
        "timer", {0x04: (0,), 0x05: (), 0x06: (), 0x07: (4, 5, 6, 7, 0)}, (4, 5, 6, 7, IF), 0x04
    ),
    Workload("screen modes", {STAT: (), 0x45: tuple(range(0, 156, 7))}, (STAT, LY, 0x45, IF), 0x03),
    Workload("screen on and off", {LCDC: (0x91, 0x11)}, (STAT, LY, LCDC, IF), 0x03, waits=200),
    Workload(
        "background, window, sprites",
        {LCDC: LCDC_ON, **PICTURE},
        (LY, STAT),
        0x01,
        memory=((0x8000, 0xA000), (0xFE00, 0xFEA0)),
        paints=True,
    ),
    Workload("halt", {0x07: (5, 6), 0x45: (10, 70, 140), STAT: (0x40, 8, 0)}, (4, LY, IF), halts=3),
    Workload("window while halted", {LCDC: (0xB1, 0xF3), **WINDOW}, (LY, STAT), 0x01, halts=3),
    Workload("interrupts", {IF: (), IE: (), 0x07: (5,), STAT: (0x78,)}, (IF, IE, LY, 4)),
    Workload(
        "sprite memory by DMA", {0x47: ()}, (LY, STAT), 0x01, dma=True, looks=((0xFE00, 0xFEA0),)
    ),
    Workload("joypad", {0x00: (0x10, 0x20, 0x30, 0x00)}, (0x00, IF), 0x11),
    Workload("serial", {0x01: (), 0x02: (0x81, 0x80, 0x01, 0x83)}, (1, 2, IF), 0x08, waits=200),
    Workload("waiting", {STAT: (0, 0x40), 0x45: (10, 70)}, (LY, STAT, 4, IF), 0x03, polls=True),
    Workload("stop", {0x04: (0,), 0x07: (5,)}, (4, 5, LY, 0x4D), 0x05, halts=3, stops=True),
    Workload(
        "blocked memory",
        {STAT: (0,)},
        (LY, STAT),
        0x01,
        memory=((0x8000, 0x8100), (0xFE00, 0xFEA0)),
        looks=((0x8000, 0x8100), (0xFE00, 0xFEA0), (0xFEA0, 0xFF00)),
    ),
    Workload(  # parts that only one of the models has, or only with a cartridge for it
        "ports of the Color machine",
        dict.fromkeys(COLOR_PORTS, ()),
        COLOR_PORTS,
        0x01,
    ),
    Workload("colour: ports", dict.fromkeys(COLOR_PORTS, ()), COLOR_PORTS, 0x01, cgb=True),
    Workload(
        "colour: palettes and banks",
        {0x4F: (0, 1), 0x68: (), 0x69: (), 0x6A: (), 0x6B: (), 0x70: (), LCDC: LCDC_ON, **PICTURE},
        (0x4F, 0x68, 0x69, 0x6A, 0x6B, 0x70, 0x6C),
        0x01,
        memory=((0x8000, 0xA000), (0xD000, 0xD010), (0xFE00, 0xFEA0)),
        looks=((0xD000, 0xD010),),
        cgb=True,
        paints=True,
    ),
    Workload(
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
    Workload(
        "colour: double speed",
        {0x07: (5, 6), 0x45: (10, 70), STAT: (0x40,)},
        (0x4D, 4, 5, LY, STAT),
        cgb=True,
        double_speed=True,
    ),
    Workload(
        "colour: waiting",
        {STAT: (0, 0x40), 0x45: (10, 70)},
        (LY, STAT, 4, 0x4D),
        0x03,
        cgb=True,
        double_speed=True,
        polls=True,
    ),
    *(
        Workload(
            f"{'colour: ' if cgb else ''}every port",
            dict.fromkeys(ALL_PORTS, ()) | {LCDC: (*LCDC_ON, 0x11)},
            ALL_PORTS,
            changes=((0xFF00, 0xFF40), (0xFF41, 0xFF80)),
            cgb=cgb,
        )
        for cgb in (False, True)
    ),
    *(
        Workload(
            f"{'colour: ' if cgb else ''}memory at its edges",
            {0x4F: (), 0x70: ()},
            (0x4F, 0x70, LY),
            0x01,
            memory=EDGES,
            looks=EDGES,
            changes=EDGES,
            piles=(*EDGES, (0xFFFE, 0x10000), (0xFF40, 0xFF4C), (0xFE00, 0xFEA0)),
            cartridge=0x1B,
            ram=3,
            banks=8,
            cgb=cgb,
        )
        for cgb in (False, True)
    ),
    *(
        Workload(
            f"{'colour: ' if cgb else ''}code anywhere",
            {0x70: (), STAT: (8, 0)},
            (LY, STAT),
            0x01,
            places=PLACES,
            cartridge=0x1B,
            ram=3,
            banks=4,
            cgb=cgb,
            double_speed=cgb,
        )
        for cgb in (False, True)
    ),
    *(
        Workload(
            f"{'colour: ' if cgb else ''}copies from anywhere",
            {0x4F: (), 0x70: ()},
            (0x46, LY, STAT),
            0x01,
            memory=(*COPIED, (0xC000, 0xC010)),
            looks=(*COPIED, (0xFE00, 0xFEA0)),
            copies=True,
            places=(0xFF90, 0xFFF2, 0xC100),
            double_speed=cgb,
            cgb=cgb,
        )
        for cgb in (False, True)
    ),
    *(
        Workload(
            f"{'colour: ' if cgb else ''}asleep{', again' if again else ''}",
            SLEEP,
            (LY, STAT, 4, IF),
            0x05 if again else 0x07,
            memory=((0xFE00, 0xFEA0),),
            halts=40,
            double_speed=cgb,
            cgb=cgb,
        )
        for cgb in (False, True)
        for again in (False, True)
    ),
    *(
        Workload(
            f"{'colour: ' if cgb else ''}the first frame",
            {LCDC: (0x91, 0x93, 0x11), STAT: (), 0x45: (*range(6), 143, 144, 153), 0x43: ()},
            (STAT, STAT, LY, IF, 0x45),
            0x03,
            memory=((0xFE00, 0xFEA0), (0x8000, 0x8010)),
            looks=((0xFE00, 0xFEA0), (0x8000, 0x8010)),
            waits=400,
            cgb=cgb,
        )
        for cgb in (False, True)
    ),
    Workload(
        "colour: transfers from anywhere",
        {
            **dict.fromkeys((0x51, 0x52, 0x53, 0x54, 0x70), ()),
            **{0x55: (0, 1, 0x7F, 0x80, 0x83, 0xFF, 0x10), LCDC: (0x91, 0x91, 0x11), 0x4F: (0, 1)},
        },
        (0x55, 0x55, LY, STAT, 0x51),
        0x01,
        halts=2,
        double_speed=True,
        cgb=True,
    ),
    Workload(  # from the end of ROM into video RAM, and over the end of that
        "colour: transfers over edges",
        {
            **{0x51: (0x7F, 0x7F, 0x80, 0xC0, 0xFF), 0x52: (0xF0, 0xE0, 0x00), 0x70: (1, 2)},
            **{0x53: (0x1F, 0x9F, 0x00), 0x54: (0xF0, 0xE0, 0x00), 0x4F: (0, 1)},
            **{0x55: (0x80, 0x81, 0x84, 0x00, 0x01)},
        },
        (0x55, 0x55, LY, STAT),
        0x01,
        waits=200,
        halts=1,
        cgb=True,
    ),
    *SOUND_WORKLOADS,
    *CARTRIDGE_WORKLOADS,
)
