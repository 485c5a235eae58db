"""Texts in observations: they are dropped if they never change, and reported if they do.

Fast environments hold numbers only. A text that is the same in every observation tells a policy
nothing.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from envwright.errors import EnvwrightError


class Texts:
    """Takes the texts out of an environment's observations."""

    def __init__(self, space: gymnasium.Space[Any], name: str) -> None:
        self._name = name
        self._all = space
        self._first: dict[str, str] = {}
        kept = _without_texts(space)
        if kept is None:
            raise EnvwrightError(f"{name} shows only text ({space}); show numbers as well")
        self.space = kept  # without texts
        self.dropped = tuple(_texts_in(space, "obs"))

    def without(self, obs: Any) -> Any:
        """Return an observation without its texts. Raises if a text has changed."""
        return self._kept(self._all, obs, "obs") if self.dropped else obs

    def _kept(self, space: gymnasium.Space[Any], obs: Any, where: str) -> Any:
        if isinstance(space, gymnasium.spaces.Text):
            self._compare(where, str(obs))
            return None
        if isinstance(space, gymnasium.spaces.Dict):
            parts = {k: self._kept(s, obs[k], f"{where}.{k}") for k, s in space.spaces.items()}
            return {k: part for k, part in parts.items() if part is not None}
        if isinstance(space, gymnasium.spaces.Tuple):
            pairs = enumerate(zip(space.spaces, obs, strict=True))
            found = (self._kept(s, part, f"{where}.{i}") for i, (s, part) in pairs)
            return tuple(part for part in found if part is not None)
        return obs

    def _compare(self, where: str, text: str) -> None:
        first = self._first.setdefault(where, text)
        if text != first:
            raise EnvwrightError(
                f"{self._name} shows a text that changes: {where} was {first!r} and then {text!r}; "
                "wrap the environment so that it shows a number for each text, or leaves it out"
            )


def _without_texts(space: gymnasium.Space[Any]) -> gymnasium.Space[Any] | None:
    """Return the space without its texts; None if nothing is left."""
    spaces = gymnasium.spaces
    if isinstance(space, spaces.Text):
        return None
    if not _texts_in(space, ""):
        return space
    if isinstance(space, spaces.Dict):
        parts = {k: _without_texts(part) for k, part in space.spaces.items()}
        rest = {k: part for k, part in parts.items() if part is not None}
        return spaces.Dict(rest) if rest else None
    assert isinstance(space, spaces.Tuple)
    some = [part for part in map(_without_texts, space.spaces) if part is not None]
    return spaces.Tuple(some) if some else None


def _texts_in(space: gymnasium.Space[Any], where: str) -> list[str]:
    if isinstance(space, gymnasium.spaces.Text):
        return [where]
    if isinstance(space, gymnasium.spaces.Dict):
        parts: Any = space.spaces.items()
    else:
        parts = enumerate(space.spaces) if isinstance(space, gymnasium.spaces.Tuple) else ()
    return [text for key, part in parts for text in _texts_in(part, f"{where}.{key}")]
