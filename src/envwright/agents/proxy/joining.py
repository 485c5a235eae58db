"""Remove a key that an endpoint spreads over several events, as it spreads all that a model says.

Programs join the texts of a stream: `{"delta": "sk-the"}` and `{"delta": "-key"}`. So every text is
read together with those before it at the same place of earlier events. Every event is held back
for a while, whatever it says: if only those were that may begin a key, a program could guess a key
letter by letter, by letting the model say guesses.
"""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from envwright.agents.proxy import events
from envwright.agents.proxy.concealment import MASK, Concealer

HELD = 64  # events, or one for each letter of the key's longest spelling
# Seconds for which an event is held back if another one comes. An endpoint that pauses for longer
# in the middle of its user's key shows the letters before, but never all: the others are masked.
# To wait longer only for what may begin a key would tell programs which guesses are right.
LONGEST = 30.0
_END = re.compile(events.END.encode())
_LONGEST_END = 4  # bytes

Place = tuple[Hashable, ...]  # names on the way to a text, and numbers that tell texts apart


@dataclass(eq=False)
class _Event:
    """One event, or a document."""

    written: bytes
    value: list[Any]  # what it says, alone in a list
    is_event: bool
    came: float  # seconds, on the clock
    parts: list[_Part] = field(default_factory=list)
    changed: bool = False

    def encoded(self) -> bytes:
        """Return the event as it is passed on."""
        if not self.changed:
            return self.written
        [value] = self.value
        if self.is_event:
            text = events.written(_decoded(self.written), value)
        else:
            text = json.dumps(value, ensure_ascii=False)
        return text.encode(errors="backslashreplace")  # JSON has surrogates as escapes only


@dataclass(eq=False)
class _Part:
    """A text of an event."""

    event: _Event
    joined: _Joined
    holder: Any  # the list or object that has it
    name: Any
    text: bytes

    def change(self, text: bytes) -> None:
        """Put another text in its place."""
        self.text = text
        self.holder[self.name] = text.decode("utf-8", "surrogatepass")
        self.event.changed = True


@dataclass(eq=False)
class _Joined:
    """A text that many events make up."""

    passed: bytes = b""  # with the program already: the last bytes of it
    parts: deque[_Part] = field(default_factory=deque)  # held back
    tail: bytes = b""  # its last bytes, passed or not

    def end(self, size: int) -> tuple[bytes, list[_Part]]:
        """Return the last `size` bytes: what was passed on of them, and the parts held back."""
        parts: list[_Part] = []
        for part in reversed(self.parts):
            parts.append(part)
            size -= len(part.text)
            if size <= 0:
                return b"", parts[::-1]
        return self.passed, parts[::-1]


class Joiner:
    """Reads one answer."""

    def __init__(self, concealer: Concealer, clock: Callable[[], float] = time.monotonic) -> None:
        self._concealer, self._clock = concealer, clock
        self._joined: dict[Place, _Joined] = {}
        self._waiting: deque[_Event] = deque()

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield an answer without the key. A document that is not a stream of events comes last."""
        if not self._concealer.conceals:
            yield from pieces
            return
        rest = bytearray()
        try:
            for piece in pieces:
                seen = max(0, len(rest) - _LONGEST_END)
                rest += piece
                ends = [end.end() for end in _END.finditer(rest, seen)]
                for start, end in pairwise([0, *ends]):
                    self._read(bytes(rest[start:end]))
                del rest[: max(ends, default=0)]
                if ready := self._ready():
                    yield ready
        except Exception:
            if last := self._last(bytes(rest)):
                yield last  # what came before the endpoint broke off
            raise
        if last := self._last(bytes(rest)):
            yield last

    def _last(self, rest: bytes) -> bytes:
        """Return what is left at the end."""
        if rest:
            self._read(rest)
        return b"".join(event.encoded() for event in self._waiting)

    def _ready(self) -> bytes:
        """Return the events that have waited, in order."""
        ready, most = [], max(HELD, self._concealer.longest)
        expired = self._clock() - LONGEST
        while self._waiting and (len(self._waiting) > most or self._waiting[0].came < expired):
            event = self._waiting.popleft()
            for part in event.parts:
                joined = part.joined
                joined.parts.popleft()
                joined.passed = (joined.passed + part.text)[-self._concealer.longest :]
            ready.append(event.encoded())
        return b"".join(ready)

    def _read(self, written: bytes) -> None:
        text = _decoded(written)
        value = events.data(text)
        is_event = value is not None
        value = value if is_event else events.parsed(text)
        event = _Event(written, [value], is_event, self._clock())
        self._waiting.append(event)
        for place, holder, name in _texts(event.value):
            if said := holder[name].encode("utf-8", "surrogatepass"):
                joined = self._joined.setdefault(place, _Joined())
                self._join(_Part(event, joined, holder, name, said))

    def _join(self, part: _Part) -> None:
        """Add a text to what it continues, and remove a key that is whole now."""
        joined, concealer = part.joined, self._concealer
        part.event.parts.append(part)
        joined.parts.append(part)
        end = joined.tail + part.text
        if concealer.found(end):
            passed, parts = joined.end(len(end))
            spans = concealer.found(passed + b"".join(one.text for one in parts))
            _mask(parts, len(passed), spans)
            end = passed + b"".join(one.text for one in parts)
        joined.tail = end[-concealer.longest :]


def _mask(parts: list[_Part], at: int, spans: list[tuple[int, int]]) -> None:
    """Replace keys by a mask, as far as they are not in the first bytes, which are passed on."""
    spans = [(max(start, at), end) for start, end in spans]
    for part in parts:
        text, begin, end = part.text, at, at + len(part.text)
        pieces, position = [], begin
        for first, last in spans:
            if last > begin and first < end:
                pieces.append(text[position - begin : max(first, begin) - begin])
                pieces.append(MASK.encode() if first >= begin else b"")
                position = min(last, end)
        if pieces:
            part.change(b"".join(pieces) + text[position - begin :])
        at = end


def _texts(value: list[Any]) -> Iterator[tuple[Place, Any, Any]]:
    """Yield the texts of a JSON value in order: their places, and where they stand.

    The elements of a list share a place, unless they are numbered: `{"index": 1, …}`.
    """
    waiting: list[tuple[Place, Any, Any]] = [((), value, 0)]
    while waiting:
        place, holder, name = waiting.pop()
        inner = holder[name]
        if isinstance(inner, str):
            yield place, holder, name
        elif isinstance(inner, list):
            waiting += [(place, inner, number) for number in reversed(range(len(inner)))]
        elif isinstance(inner, dict):
            numbers = {key: n for key, n in inner.items() if _is_number(key, n)}
            here = (*place, *numbers.items())
            waiting += [((*here, key), inner, key) for key in reversed(inner)]


def _is_number(name: str, value: Any) -> bool:
    return isinstance(value, int) and name.lower().endswith("index")


def _decoded(written: bytes) -> str:
    return written.decode("utf-8", "surrogateescape")
