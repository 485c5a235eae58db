"""Keep the answers of a reference for later runs of the same questions.

Every mutant is put to the same questions: in Rust each in a fork of one process, where `recalled`
gives what was answered before the fork; in Python one after the other in modules that are imported
anew, where `recorded_once` gives what was recorded for the first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

Call = tuple[str, tuple[Any, ...], Any]  # a method, its arguments, and what it returned
_tapes: dict[Hashable, list[Call]] | None = None  # None: nothing is kept
_recorded: dict[Hashable, Any] = {}


def recorded_once(key: Hashable, record: Callable[[], Any]) -> Any:
    """Return what was recorded under this name in this process, or else call `record`."""
    if key not in _recorded:
        _recorded[key] = record()
    return _recorded[key]


def begin() -> None:
    """Keep answers from now on, for as long as this process and its forks live."""
    global _tapes
    _tapes = {} if _tapes is None else _tapes


def end() -> None:
    """Forget all answers, and stop keeping them."""
    global _tapes
    _tapes = None


def recalled(make: Callable[..., Any], *arguments: Hashable) -> Any:
    """Return `make(*arguments)`, or while answers are kept, what answers as it did before.

    The object must answer the same calls in the same way, and `arguments` must identify it.
    """
    if _tapes is None:
        return make(*arguments)
    key = (getattr(make, "__qualname__", repr(make)), *arguments)
    return _Recalled(lambda: make(*arguments), _tapes.setdefault(key, []))


class _Recalled:
    """Answers from a tape; beyond its end, it brings the object to that point and asks it."""

    def __init__(self, make: Callable[[], Any], tape: list[Call]) -> None:
        self._make, self._tape = make, tape
        self._at, self._real = 0, None

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if self._at < len(self._tape):
                asked, with_these, answer = self._tape[self._at]
                if (asked, with_these) == (method, arguments):
                    self._at += 1
                    return answer
                self._tape = self._tape[: self._at]  # the calls differ from here on
            if self._real is None:
                self._real = self._make()
                for asked, with_these, _ in self._tape:
                    getattr(self._real, asked)(*with_these)
            answer = getattr(self._real, method)(*arguments)
            self._tape.append((method, arguments, answer))
            self._at += 1
            return answer

        return call
