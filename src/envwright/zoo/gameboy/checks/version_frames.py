"""Play a game in the environment of one PyBoy, and write a digest of everything after each frame.

python -m envwright.zoo.gameboy.checks.version_frames pyboy==2.8.0 ROM SEEDS FRAMES RESULT
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from envwright.core.pinned import read_pin, require_imported
from envwright.errors import EnvwrightError
from envwright.zoo.gameboy.console import Capture
from envwright.zoo.gameboy.presses import random_frames
from envwright.zoo.gameboy.reference import PyBoyConsole, expect
from envwright.zoo.gameboy.roms import read_rom


def frames(rom: bytes, seed: int, count: int) -> Iterator[dict[str, str]]:
    """Yield the digests of a console's parts after each frame."""
    with closing(PyBoyConsole(rom)) as console:
        for frame in random_frames(seed, count):
            console.hold(frame.buttons)
            console.tick(1, frame.render)
            yield digests(console.capture())


def digests(capture: Capture) -> dict[str, str]:
    """Return eight letters for each part."""
    return {name: _digest(value) for name, value in capture._asdict().items()}


def _digest(value: Any) -> str:
    data = value.tobytes() if hasattr(value, "tobytes") else value
    data = data if isinstance(data, bytes) else repr(data).encode()
    return hashlib.sha256(data).hexdigest()[:8]


def main(arguments: Sequence[str]) -> int:
    """Play, or print why not; return the exit code."""
    asked, game, seeds, count, result = arguments
    try:
        pin = read_pin(asked)
        if pin is None:
            raise EnvwrightError(f"{asked!r} does not name a package and its version")
        expect(pin.version)
        rom = read_rom(game)
        played = [list(frames(rom, seed, int(count))) for seed in range(int(seeds))]
        require_imported(pin)
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    Path(result).write_text(json.dumps(played))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
