"""Compare any ROM with PyBoy: the Game Boy's way to run `verify --rom`."""

from __future__ import annotations

from typing import Any

from envwright.core.progress import Progress
from envwright.core.room import Findings
from envwright.zoo.gameboy.checks import l3_frames

FRAMES, SEEDS = 3000, 10


def verify_rom(options: dict[str, Any], seed: int, progress: Progress) -> Findings:
    """Play a ROM with random buttons on both sides and compare every frame."""
    report = l3_frames.verify_rom(
        options["rom"],
        options.get("frames", FRAMES),
        options.get("seeds", SEEDS),
        options.get("cgb"),
        seed,
        progress,
    )
    model = "Game Boy Color" if report.cgb else "Game Boy"
    what = f"{report.rom} ({report.title or 'no title'}, {model})"
    shown = [f"{what}: {parted}" for parted in report.partings] or [
        f"{what}: equal to PyBoy in {report.seeds} x {report.frames} frames: registers, "
        f"cycles, all memory and the screen ({report.seconds:.0f} s)"
    ]
    return Findings(shown, report.to_json(), report.exit_code)
