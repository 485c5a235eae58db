"""Networks as text: `64x64`, or `32@8/8x32@1/1x256` with convolutions in front.

Parts are divided by `x`. A number is the width of a layer; `32@8/4` is a convolution with 32
features, a kernel of 8 x 8 and a stride of 4. Convolutions come first and are for pictures.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from envwright.core.limits import LAYERS
from envwright.core.limits import WIDTH as WIDEST
from envwright.errors import EnvwrightError

SHOWN = 40  # characters of a network in an error
SIZES = {"2M": 2_000_000, "20M": 20_000_000, "200M": 200_000_000}
CONVOLUTION = re.compile(r"([1-9]\d*)@([1-9]\d*)/([1-9]\d*)", re.ASCII)
WIDTH = re.compile(r"[1-9]\d*", re.ASCII)


class Filters(NamedTuple):
    """A convolution."""

    features: int
    kernel: int  # its side in pixels
    stride: int


class Shape(NamedTuple):
    """The layers of a network; convolutions may be empty."""

    filters: tuple[Filters, ...]
    widths: tuple[int, ...]


def parse_shape(text: str) -> Shape | None:
    """Parse the layers of a text; None if it is a number of parameters."""
    if text in SIZES:
        return None
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    parts = text.split("x")
    seen = [match for part in parts if (match := CONVOLUTION.fullmatch(part))]
    rest = parts[len(seen) :]
    first = all(map(CONVOLUTION.fullmatch, parts[: len(seen)]))
    if not first or not rest or not all(map(WIDTH.fullmatch, rest)):
        raise EnvwrightError(
            f"unknown network {shown!r}; use widths such as 64x64, a size ({', '.join(SIZES)}), "
            "or convolutions first (features@kernel/stride), such as 32@8/4x64@4/2x256"
        )
    _check_sizes(shown, parts)
    return Shape(tuple(Filters(*map(int, match.groups())) for match in seen), tuple(map(int, rest)))


def _check_sizes(shown: str, parts: list[str]) -> None:
    """Reject layers beyond what any library can hold."""
    numbers = [number for part in parts for number in re.split("[@/]", part)]
    # Python refuses to read very long numbers.
    wide = any(len(number) > len(str(WIDEST)) or int(number) > WIDEST for number in numbers)
    if wide or len(parts) > LAYERS:
        raise EnvwrightError(
            f"network {shown!r} is too large; use at most {LAYERS} layers of at most {WIDEST:,}"
        )
