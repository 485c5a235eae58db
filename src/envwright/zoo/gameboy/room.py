"""The Game Boy's room."""

from pathlib import Path

from envwright.core.room import Handler, Option, Room

ROOM = Room(
    id="gameboy",
    version=1,
    title="GameBoy",
    summary="games of the Game Boy, Emberkeep unless another is named; PyBoy's",
    backends={"rust": "envwright.zoo.gameboy.native:NativeGameBoy"},
    package="envwright.zoo.gameboy",
    reference="python:envwright.zoo.gameboy.reference:GameBoyReference",
    bench="bench.implementations",
    play="play",
    versions="checks.versions:compare",
    traces="checks.replays:TRACES",
    words=("game", "observation"),
    options=(
        Option("rom", ("verify", "bench", "play"), "a .gb or .gbc file", Path),
        Option("frames", ("verify",), "frames for each seed", int, 1, 10**7, needs="rom"),
        Option("seeds", ("verify",), "number of seeds to play", int, 1, 10**4, needs="rom"),
        Option("cgb", ("verify",), "the model; default: the ROM's", bool,
               flag="--cgb/--dmg", needs="rom"),
        Option("frame_skip", ("bench",), "frames per step", int, 1, 1000),
        Option("game", ("play",), "a game that envwright describes, or a .toml file"),
    ),
    handlers={"verify": Handler("commands:verify_rom", when="rom")},
)  # fmt: skip
