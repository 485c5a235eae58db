"""The reference: PyBoy 2.8.1, as a console and as an environment written in plain Python.

Sound is emulated, as PyBoy does by default, since games read its registers; it is not played.
"""

from envwright.zoo.gameboy.reference.pyboy_console import PINNED, PyBoyConsole, boot_rom, expect
from envwright.zoo.gameboy.reference.pyboy_lanes import PyBoyLanes
from envwright.zoo.gameboy.reference.simulator import GameBoyReference

__all__ = ["PINNED", "GameBoyReference", "PyBoyConsole", "PyBoyLanes", "boot_rom", "expect"]
