"""Answer from a recording instead of an endpoint: no key, no network, no cost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from envwright.agents.proxy.exchanges import Exchange, read_exchanges
from envwright.agents.proxy.patience import Kind
from envwright.agents.proxy.places import Places
from envwright.agents.proxy.upstream import Request


class Miss(Exception):
    """The recording has no answer to this request."""


class Stored:
    """A recorded reply."""

    retry_after = None

    def __init__(self, exchange: Exchange, answer: str, note: str) -> None:
        self.status = exchange.status
        self.kind = exchange.kind
        self.trouble: Kind | None = exchange.trouble
        self.note = note
        self._answer = answer

    def wait(self) -> None:
        """Return at once; the reply is already here."""

    def pieces(self) -> Iterator[bytes]:
        """Yield the whole body."""
        if self._answer:
            yield self._answer.encode("utf-8", "surrogateescape")

    def abort(self) -> None:
        """Do nothing; nothing is under way."""

    def close(self) -> None:
        """Do nothing; nothing is open."""


class Tape:
    """A recording. Each exchange is used once."""

    costs = False

    def __init__(self, path: Path, places: Places) -> None:
        self._path = path
        self._places = places
        # Where the program hung up before anything was answered, there is nothing to replay.
        self._left = [exchange for exchange in read_exchanges(path) if exchange.status]
        self._lock = threading.Lock()

    def ask(self, request: Request, key: str) -> Stored:
        """Return the answer to the same request, or with a note the next one at the same path."""
        path = request.path.partition("?")[0]
        with self._lock:
            here = [one for one in self._left if one.path.partition("?")[0] == path]
            same = [one for one in here if one.key == key]
            if not here:
                raise Miss(
                    f"the recording {self._path.name} has no answer left to {path} "
                    f"(request {key}); record the turn again"
                )
            exchange = (same or here)[0]
            self._left.remove(exchange)
        note = f"replayed from exchange {exchange.number}"
        if not same:
            note += ", the next at this path: no request of the recording is the same"
        return Stored(exchange, self._places.fill(exchange.answer), note)

    def conceal(self, text: str) -> str:
        """Return the text as it is; a recording contains no key."""
        return text
