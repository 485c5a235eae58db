"""Two consoles, the same buttons, everything compared after every frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from envwright.errors import EnvwrightError
from envwright.zoo.gameboy.buttons import told
from envwright.zoo.gameboy.console import Console, Difference, differences
from envwright.zoo.gameboy.presses import Frame

RECENT = 12  # frames of buttons that a report shows
MakeConsole = Callable[[], Console]


@dataclass(frozen=True)
class Parting:
    """The first frame after which two consoles differ."""

    seed: int
    frame: int  # 0: they differ before the first
    found: tuple[Difference, ...]
    frames: tuple[Frame, ...]  # all of them, up to and with that one
    raised: str = ""

    def __str__(self) -> str:
        lines = [f"they part at frame {self.frame} of seed {self.seed}"]
        if self.raised:
            lines.append(f"  the twin raised  {self.raised}")
        for each in self.found:
            more = f", and {each.more} more" if each.more else ""
            lines.append(f"  {each.field}: reference {each.reference}, twin {each.twin}{more}")
        lines.append(f"  last buttons  {self.recent}")
        return "\n".join(lines)

    @property
    def recent(self) -> str:
        """The last buttons, with how many frames they were held."""
        runs: list[tuple[int, int]] = []
        for frame in self.frames:
            if runs and runs[-1][0] == frame.buttons:
                runs[-1] = (frame.buttons, runs[-1][1] + 1)
            else:
                runs.append((frame.buttons, 1))
        return ", ".join(f"{told(mask)} ({count})" for mask, count in runs[-RECENT:]) or "none"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "seed": self.seed,
            "frame": self.frame,
            "raised": self.raised,
            "differences": [each._asdict() for each in self.found],
            "buttons": [frame.buttons for frame in self.frames],
            "rendered": [frame.render for frame in self.frames],
        }


def compare(
    reference: Console, twin: Console, frames: Sequence[Frame] | Iterator[Frame], seed: int = 0
) -> tuple[int, Parting | None]:
    """Frames that were compared, and where the two part, if they do."""
    done: list[Frame] = []
    found = tuple(differences(reference.capture(), twin.capture()))
    if found:
        return 0, Parting(seed, 0, found, ())
    for frame in frames:
        done.append(frame)
        try:  # first: what stops ours with a message, an illegal opcode, hangs PyBoy for ever
            twin.hold(frame.buttons)
            twin.tick(1, frame.render)
        except EnvwrightError as error:
            return len(done), Parting(seed, len(done), (), tuple(done), str(error))
        reference.hold(frame.buttons)
        reference.tick(1, frame.render)
        found = tuple(differences(reference.capture(), twin.capture()))
        if found:
            return len(done), Parting(seed, len(done), found, tuple(done))
    return len(done), None
