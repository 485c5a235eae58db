"""What a reference answered, kept for whoever asks it the same again.

Every mutant is put to the same questions: in Rust each in a fork of one process, where `recalled`
gives what was answered before the fork; in Python one after the other in modules that are imported
anew, where `kept` gives what was recorded for the first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

Call = tuple[str, tuple[Any, ...], Any]  # a method, its arguments, and what it returned
_tapes: dict[Hashable, list[Call]] | None = None  # None: nothing is kept
_recorded: dict[Hashable, Any] = {}


def kept(key: Hashable, record: Callable[[], Any]) -> Any:
    """What was recorded under this name before in this process, or else what `record` gives."""
    if key not in _recorded:
        _recorded[key] = record()
    return _recorded[key]


def begin() -> None:
    """From now on answers are kept, for as long as this process and its forks live."""
    global _tapes
    _tapes = {} if _tapes is None else _tapes


def end() -> None:
    """Forget all answers, and keep none."""
    global _tapes
    _tapes = None


def recalled(make: Callable[..., Any], *arguments: Hashable) -> Any:
    """`make(*arguments)`; while answers are kept, something that answers as that did before.

    What it makes has to answer the same calls in the same way, and `arguments` to name it.
    """
    if _tapes is None:
        return make(*arguments)
    key = (getattr(make, "__qualname__", repr(make)), *arguments)
    return _Recalled(lambda: make(*arguments), _tapes.setdefault(key, []))


class _Recalled:
    """Answers from a tape; beyond its end, by the thing itself, which is brought to there first."""

    def __init__(self, make: Callable[[], Any], tape: list[Call]) -> None:
        self._make, self._tape = make, tape
        self._at, self._real = 0, None

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if self._at < len(self._tape):
                kept, with_these, answer = self._tape[self._at]
                if (kept, with_these) == (method, arguments):
                    self._at += 1
                    return answer
                self._tape = self._tape[: self._at]  # another way from here on
            if self._real is None:
                self._real = self._make()
                for kept, with_these, _ in self._tape:
                    getattr(self._real, kept)(*with_these)
            answer = getattr(self._real, method)(*arguments)
            self._tape.append((method, arguments, answer))
            self._at += 1
            return answer

        return call
