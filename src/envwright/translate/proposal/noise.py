"""The reference's random draws, as noise that a translation can be given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envwright.sim.tape import Draw

SHOWN = 4  # different calls of one kind that are written out


@dataclass
class Channel:
    """Draws of one kind: the same generator method and shape."""

    name: str  # name of the noise array
    method: str
    shape: tuple[int, ...]
    kind: str  # NumPy's kind: i, f, …
    counts: set[int] = field(default_factory=set)  # how many one reset or step drew
    calls: list[str] = field(default_factory=list)

    @property
    def fixed(self) -> bool:
        """Whether the number of draws is always the same."""
        return len(self.counts) == 1

    @property
    def places(self) -> int:
        """As many as were seen, doubled if the number varies, since a longer game may come."""
        return max(self.counts) if self.fixed else 2 * max(self.counts)

    @property
    def dtype(self) -> str:
        """NumPy's dtype of the draw."""
        return {"f": "float64", "b": "bool"}.get(self.kind, "int64")

    def __str__(self) -> str:
        sizes = ", ".join(map(str, (self.places, *self.shape)))
        word = "float" if self.kind == "f" else "bool" if self.kind == "b" else "int"
        some = " or ".join(f"`{call}`" for call in self.calls[:SHOWN])
        more = ", …" if len(self.calls) > SHOWN else ""
        least = min(self.counts)
        drawn = (
            f"drawn {least} times" if self.fixed else f"drawn {least} to {max(self.counts)} times"
        )
        drawn = drawn.replace("drawn 1 times", "drawn once")
        return f"`{self.name}`: {word}[{sizes}], {some}{more}, {drawn}"


def channels(draws: Sequence[Sequence[Draw]]) -> list[Channel]:
    """Return the kinds of draws over many resets or steps, without texts."""
    found: dict[tuple, Channel] = {}
    for one in draws:
        for draw in one:
            key = _key(draw)
            if key[2] not in "biuf":
                continue
            if key not in found:
                again = sum(channel.method == draw.method for channel in found.values())
                name = f"{draw.method}_{again + 1}" if again else draw.method
                found[key] = Channel(name, *key)
            call = call_text(draw)
            if call not in found[key].calls:
                found[key].calls.append(call)
    for key, channel in found.items():
        channel.counts = {sum(_key(draw) == key for draw in one) for one in draws}
    return list(found.values())


def calls_of(draws: Sequence[Sequence[Draw]]) -> list[str]:
    """Return the distinct calls that resets made, in order of first call."""
    return list(dict.fromkeys(call_text(draw) for one in draws for draw in one))


def call_text(draw: Draw) -> str:
    """Format a call as `uniform(low=-0.05, high=0.05, size=(4,))`."""
    given = [_value(v) for v in draw.args] + [f"{k}={_value(v)}" for k, v in draw.kwargs.items()]
    return f"{draw.method}({', '.join(given)})"


def _key(draw: Draw) -> tuple[str, tuple[int, ...], str]:
    value = np.asarray(draw.value)
    return draw.method, value.shape, value.dtype.kind


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    text = " ".join(repr(value).split())
    return text if len(text) <= 90 else f"{text[:87]}..."
