"""Messages between the runner and a tracer: a header of JSON, then bytes, both of known length."""

from __future__ import annotations

import json
import socket
import struct
from contextlib import suppress
from typing import Any

from envwright.sim import bounds
from envwright.sim.simulator import TwinRaised

_LENGTHS = struct.Struct("<IQ")
_CHUNK = 1 << 20


class Gone(TwinRaised):
    """The other side has ended or does not keep to the protocol."""


class Wire:
    """One end of a socket pair. It is closed once a message cannot be read to its end."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def send(self, message: dict[str, Any], payload: bytes = b"") -> None:
        """Send a message. A side that is gone is noticed when it does not answer."""
        header = json.dumps(message).encode()
        with suppress(OSError):
            self._end.sendall(_LENGTHS.pack(len(header), len(payload)) + header + payload)

    def receive(self, values: int, largest: int = 0) -> tuple[dict[str, Any], bytes]:
        """Return the next message of at most so many values, with at most so many bytes.

        Raises `Gone` for anything else, now and ever after: what is left of a rejected message
        is not taken for the next one.
        """
        try:
            return self._received(values, largest)
        except Gone:
            self.close()
            raise

    def _received(self, values: int, largest: int) -> tuple[dict[str, Any], bytes]:
        lengths = _LENGTHS.unpack(self._read(_LENGTHS.size))
        if lengths[0] > bounds.most_bytes(values) or lengths[1] > largest:
            raise Gone(f"the code's process sent {sum(lengths):,} bytes; that is too much")
        try:
            message = bounds.parse(self._read(lengths[0]), values)
        except ValueError as error:
            raise Gone(f"the code's process talks nonsense: {error}") from None
        if not isinstance(message, dict):
            raise Gone("the code's process talks nonsense")
        return message, self._read(lengths[1])

    def close(self) -> None:
        """Close this end; the other side notices."""
        self._end.close()

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            try:
                part = self._end.recv(min(_CHUNK, size - len(parts)))
            except OSError:  # closed, or reset by the other side
                part = b""
            if not part:
                raise Gone("the code's process ended")
            parts += part
        return bytes(parts)
