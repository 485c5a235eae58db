"""Programs that switch the banks of a cartridge: every kind that PyBoy supports, of many sizes."""

from __future__ import annotations

from envwright.zoo.gameboy.checks.workload import LY, Workload

# The addresses of controllers, with values that they distinguish. RAM is usually open.
OPEN = (0x0A, 0x0A, 0x0A, 0x1A, 0x0B, 0x00)
SELECTIONS = {
    **{0x0000: OPEN, 0x00FF: OPEN, 0x1FFF: OPEN, 0x0100: (0x0A, 0x0A, 0x03)},
    **{0x2000: (), 0x2100: (), 0x2FFF: (), 0x3000: (0, 1, 1, 2, 0xFF), 0x3F00: (), 0x3FFF: ()},
    **{0x4000: (*range(16), 0xFF), 0x5FFF: (0, 1, 2, 3, 8), 0x6000: (0, 1, 2, 3), 0x7FFF: (0, 1)},
}
RAM = ((0xA000, 0xA004), (0xA1FE, 0xA202), (0xBFFC, 0xC000))
BANKS = ((0x0000, 0x0002), (0x4000, 0x4002))
# Kind, code of the size of RAM, and banks of ROM.
CARTRIDGES = (
    *((0x00, 0, 2), (0x00, 2, 2), (0x08, 2, 2), (0x09, 3, 4)),  # no controller
    *((0x01, 0, 4), (0x02, 2, 32), (0x03, 3, 128), (0x03, 1, 48), (0x03, 3, 64)),  # MBC1
    *((0x05, 0, 4), (0x06, 0, 16), (0x06, 0, 2)),  # MBC2
    *((0x0F, 0, 8), (0x11, 0, 128), (0x12, 2, 32), (0x13, 3, 64)),  # MBC3
    *((0x11, 5, 4), (0x13, 5, 128), (0x0F, 4, 8), (0x13, 3, 256)),  # MBC30
    *((0x19, 0, 8), (0x1A, 1, 4), (0x1B, 3, 64), (0x1B, 4, 512)),  # MBC5
    *((0x1C, 0, 16), (0x1D, 2, 256), (0x1E, 5, 2)),  # with rumble
)


def _banks(name: str, kind: int, ram: int, banks: int, several_games: bool = True) -> Workload:
    return Workload(
        name,
        {},
        (LY,),
        0x01,
        memory=RAM,
        stores=SELECTIONS,
        looks=(*RAM, *BANKS, *BANKS),
        changes=RAM,
        cartridge=kind,
        ram=ram,
        banks=banks,
        several_games=several_games,
    )


CARTRIDGE_WORKLOADS = (
    *(
        _banks(f"banks of cartridge {kind:02X}, RAM {ram}, {banks} banks", kind, ram, banks)
        for kind, ram, banks in CARTRIDGES
    ),
    _banks("banks of an MBC1 of 64 banks with one game", 0x03, 3, 64, several_games=False),
    *(
        Workload(
            f"the clock of MBC3, cartridge {kind:02X}",
            {},
            (LY,),
            0x01,
            stores={
                **{0x0000: OPEN, 0x4000: (*range(0x08, 0x0D), 0), 0x6000: (0, 1, 1, 2)},
                **{0xA000: (), 0xA001: (58, 59, 23, 0xFF)},
            },
            looks=((0xA000, 0xA002),),
            cartridge=kind,
            ram=3,
        )
        for kind in (0x0F, 0x10)
    ),
    *(
        Workload(
            f"code over the edge of banks, cartridge {kind:02X}, {banks} banks",
            {},
            (LY,),
            0x01,
            edges=True,
            cartridge=kind,
            banks=banks,
        )
        for kind, banks in ((0x00, 2), (0x1B, 8), (0x01, 128))
    ),
)
