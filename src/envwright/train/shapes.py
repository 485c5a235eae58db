"""Networks as text: `64x64`, or `32@8/8x32@1/1x256` with convolutions in front.

Parts are divided by `x`. A number is the width of a layer; `32@8/4` is a convolution with 32
features, a kernel of 8 x 8 and a stride of 4. Convolutions come first and are for pictures.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from envwright.errors import EnvwrightError

SIZES = {"2M": 2_000_000, "20M": 20_000_000, "200M": 200_000_000}
CONVOLUTION = re.compile(r"([1-9]\d*)@([1-9]\d*)/([1-9]\d*)", re.ASCII)
WIDTH = re.compile(r"[1-9]\d*", re.ASCII)


class Filters(NamedTuple):
    """One convolution."""

    features: int
    kernel: int  # its side in pixels
    stride: int


class Shape(NamedTuple):
    """The layers of a network; no convolutions where none were named."""

    filters: tuple[Filters, ...]
    widths: tuple[int, ...]


def parse_shape(text: str) -> Shape | None:
    """The layers that a text names; None where it is a number of parameters."""
    if text in SIZES:
        return None
    parts = text.split("x")
    seen = [CONVOLUTION.fullmatch(part) for part in parts]
    filters = tuple(Filters(*map(int, match.groups())) for match in seen if match)
    rest = parts[len(filters) :]
    if not all(seen[: len(filters)]) or not rest or not all(map(WIDTH.fullmatch, rest)):
        raise EnvwrightError(
            f"unknown network {text!r}; use widths such as 64x64, a size ({', '.join(SIZES)}), "
            "or convolutions first (features@kernel/stride), such as 32@8/4x64@4/2x256"
        )
    return Shape(filters, tuple(map(int, rest)))
