"""Remove a key that an endpoint spreads over several events, as it spreads all that a model says.

Programs join the texts of a stream: `{"delta": "sk-the"}` and `{"delta": "-key"}`. So every text is
read together with those before it at the same place of earlier events. An event is held back only
while a text of it may be the beginning of a key.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from envwright.agents.proxy import events
from envwright.agents.proxy.concealment import MASK, Concealer

HELD = 4  # letters of a key that stop an event; fewer are frequent, and tell nothing
_END = re.compile(events.END.encode())
_LONGEST_END = 4  # bytes

Place = tuple[Hashable, ...]  # names on the way to a text, and numbers that tell texts apart


@dataclass(eq=False)
class _Event:
    """One event, or a document."""

    written: bytes
    value: list[Any]  # what it says, alone in a list
    is_event: bool
    held: int = 0  # texts that may be the beginning of a key
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
    holder: Any  # the list or object that has it
    name: Any
    text: bytes

    def change(self, text: bytes) -> None:
        """Put another text in its place."""
        self.text = text
        self.holder[self.name] = text.decode("utf-8", "surrogatepass")
        self.event.changed = True


@dataclass
class _Joined:
    """The end of a text that many events make up."""

    passed: bytes = b""  # with the program already
    parts: list[_Part] = field(default_factory=list)  # held back

    @property
    def text(self) -> bytes:
        return self.passed + b"".join(part.text for part in self.parts)


class Joiner:
    """Reads one answer."""

    def __init__(self, concealer: Concealer) -> None:
        self._concealer = concealer
        self._joined: dict[Place, _Joined] = {}
        self._waiting: deque[_Event] = deque()

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield an answer without the key; a document that is no stream of events at its end."""
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
        """Return the events that need not wait, in order."""
        ready = []
        while self._waiting and not self._waiting[0].held:
            ready.append(self._waiting.popleft().encoded())
        return b"".join(ready)

    def _read(self, written: bytes) -> None:
        text = _decoded(written)
        value = events.data(text)
        is_event = value is not None
        event = _Event(written, [value if is_event else events.parsed(text)], is_event)
        self._waiting.append(event)
        for place, holder, name in _texts(event.value):
            if said := holder[name].encode("utf-8", "surrogatepass"):
                joined = self._joined.setdefault(place, _Joined())
                self._join(joined, _Part(event, holder, name, said))

    def _join(self, joined: _Joined, part: _Part) -> None:
        """Add a text, remove a key that is whole now, and let go what cannot begin one."""
        part.event.held += 1
        joined.parts.append(part)
        if spans := self._concealer.found(joined.text):
            _mask(joined, spans)
        text = joined.text
        begun = self._concealer.begun(text)
        start, end = len(text) - begun, len(joined.passed)
        kept = []
        for one in joined.parts:
            end += len(one.text)
            if begun >= HELD and end > start:
                kept.append(one)
            else:
                one.event.held -= 1
        let_go = text[: len(text) - sum(len(one.text) for one in kept)]
        joined.passed, joined.parts = let_go[start:], kept


def _mask(joined: _Joined, spans: list[tuple[int, int]]) -> None:
    """Replace keys by a mask, as far as they are not passed on already."""
    at = len(joined.passed)
    spans = [(max(start, at), end) for start, end in spans]
    for part in joined.parts:
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
