"""Workloads: what a drawn program does with one part of the Game Boy."""

from __future__ import annotations

from dataclasses import dataclass

IF, IE, LCDC, STAT, LY = 0x0F, 0xFF, 0x40, 0x41, 0x44


@dataclass(frozen=True)
class Workload:
    """The addresses that a program uses, how often, and with which interrupts."""

    name: str
    writes: dict[int, tuple[int, ...]]  # port -> values to draw from; none: any
    reads: tuple[int, ...]
    interrupts: int = 0x1F
    memory: tuple[tuple[int, int], ...] = ()  # ranges that are written
    stores: dict[int, tuple[int, ...]] | None = None  # address -> values, beside those
    looks: tuple[tuple[int, int], ...] = ()  # ranges that are read
    changes: tuple[tuple[int, int], ...] = ()  # ranges that are read and written at once
    piles: tuple[tuple[int, int], ...] = ()  # ranges that a stack is put into
    places: tuple[int, ...] = ()  # where code is written and run
    edges: bool = False  # code runs over the ends of banks of ROM
    halts: int = 0  # among a hundred operations
    dma: bool = False
    copies: bool = False  # into OAM, from any page
    double_speed: bool = False
    stops: bool = False
    polls: bool = False  # loops that wait for something
    pauses: bool = False  # up to 30,000 cycles, in which lengths, sweeps and envelopes go on
    paints: bool = False  # fill the screen's memory first
    waits: int = 60
    cartridge: int = 0
    ram: int = 0
    banks: int = 2
    several_games: bool = True  # an MBC1 of 64 banks is taken for a collection
    cgb: bool = False
