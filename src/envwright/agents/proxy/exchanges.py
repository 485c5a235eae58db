"""The record of a turn: `exchanges.jsonl`, the requests of the agent's program.

A request that costs something has a line before it is sent, and another with the same number once
it is answered. The later line counts. The first is marked as not settled, and has a usage, so that
a killed process has paid for what was under way: with a cap the worst case, without one the prompt.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from envwright.agents.base import Usage
from envwright.agents.proxy.patience import Kind
from envwright.errors import EnvwrightError

FILE = "exchanges.jsonl"
LARGEST = 512 << 20  # bytes of a record, after which a turn is over


@dataclass(frozen=True)
class Exchange:
    """A request and its answer, with placeholders for folders and without keys."""

    number: int  # in its file, from 1
    time: str  # when it was asked, UTC
    seconds: float  # until it was answered
    protocol: str
    method: str
    path: str  # with the query
    model: str  # empty if no model is asked
    key: str  # the same for the same question
    request: Any  # JSON, or text if it is not JSON
    status: int  # given to the program
    kind: str  # content type of the answer
    answer: str  # with bytes that are not text as surrogates, so that none is lost
    usage: Usage = Usage()
    estimated: bool = False  # the endpoint reported no counts
    trouble: Kind | None = None  # why the program got no answer from a model
    note: str = ""  # what the proxy did or saw besides forwarding

    def to_line(self) -> bytes:
        """Encode as a line of the file."""
        fields = {**vars(self), "usage": asdict(self.usage)}  # `asdict` gives up on deep requests
        return json.dumps(fields).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Exchange:
        """Parse a line. Raises `ValueError` if it is not an exchange."""
        try:
            return msgspec.convert(json.loads(line), cls)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error


class Record:
    """Appends whole lines, after cutting off what a killed process left unfinished.

    Once a method returns, killing the process does not lose what it wrote.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._file = open(path, "ab", buffering=0, opener=_for_us_alone)  # noqa: SIM115
        earlier = path.read_bytes()
        self._size = self._file.truncate(earlier.rfind(b"\n") + 1)
        self._count = max((one.number for one in read_exchanges(path)), default=0)

    @property
    def full(self) -> bool:
        """Whether no more requests are to be answered: a program could fill the disk with them."""
        return self._size >= LARGEST

    def begin(self, exchange: Exchange, counted: str) -> int:
        """Write what is about to be sent and what of it counts, and return its number."""
        note = f"not settled: its end is not recorded, so {counted} counts"
        return self.append(replace(exchange, request=None, note=note, estimated=True))

    def append(self, exchange: Exchange) -> int:
        """Write an exchange. Without a number, it gets the next one."""
        with self._lock:
            if exchange.number == 0:
                self._count += 1
                exchange = replace(exchange, number=self._count)
            rest = exchange.to_line()
            self._size += len(rest)
            while rest:
                rest = rest[self._file.write(rest) :]
        return exchange.number

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()


def read_exchanges(path: Path) -> list[Exchange]:
    """Read the last line of each exchange, ignoring an unfinished line at the end."""
    found: dict[int, Exchange] = {}
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"cannot read the recorded exchanges in {path}: {reason}") from error
    for number, line in enumerate(lines, 1):
        try:
            exchange = Exchange.from_line(line)
        except ValueError as error:
            raise EnvwrightError(
                f"line {number} of {path} is not a recorded exchange ({error}); "
                "was the file changed by hand?"
            ) from error
        found[exchange.number] = exchange
    return list(found.values())


def spent(folder: Path) -> Usage:
    """Return everything spent in a turn's folder, including by attempts that were killed."""
    path = folder / FILE
    if not path.exists():
        return Usage()
    return sum((exchange.usage for exchange in read_exchanges(path)), Usage())


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
