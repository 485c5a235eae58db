"""Send requests to the endpoint with the user's key, which only the proxy holds."""

from __future__ import annotations

import http.client
import itertools
import re
import socket
import ssl
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from envwright.agents.proxy.concealment import Concealer
from envwright.agents.proxy.joining import Joiner
from envwright.agents.proxy.patience import Patience
from envwright.agents.proxy.protocols import Protocol
from envwright.errors import EnvwrightError

# The only headers that pass from a program to an endpoint. Others could make another request of it,
# hide the counts of the answer, or change its price or who pays it.
PASSED_ON = {
    "accept", "accept-language", "anthropic-beta", "anthropic-version", "content-encoding",
    "content-type", "conversation_id", "http-referer", "openai-beta", "originator", "session_id",
    "user-agent", "version", "x-app", "x-goog-api-client", "x-title",
}  # fmt: skip
SOFTWARE = "x-stainless-"  # how names of headers begin that describe the program

CONNECT_SECONDS = 30.0
PIECE = 1 << 16  # bytes that are read at once
GZIP = b"\x1f\x8b"  # the first bytes of what it compressed
LONGEST = 64 << 20  # bytes of an answer, decompressed: far more than any model writes

# The only headers that pass from an endpoint to the program, and their only forms.
KINDS = re.compile(r"[\w.+-]+/[\w.+-]+( *; *[\w-]+=[\w.\"-]+)*")
SECONDS = re.compile(r"\d{1,6}|\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT")

# What can go wrong on the way to an endpoint and back.
FAILURES = (OSError, ValueError, http.client.HTTPException, zlib.error)


@dataclass(frozen=True)
class Request:
    """A request of the agent's program."""

    method: str
    path: str  # with the query, without a key in it
    headers: dict[str, str]  # names in small letters
    body: bytes


class Live:
    """A reply under way. `abort` may be called from any thread."""

    note = ""
    trouble = None  # of a kind that is still to be found out

    def __init__(
        self, connection: http.client.HTTPConnection, patience: Patience, concealer: Concealer
    ) -> None:
        self._connection = connection
        self._socket = connection.sock
        self._patience = patience
        self._concealer = concealer

    def wait(self) -> None:
        """Wait until the endpoint begins to answer."""
        self._socket.settimeout(self._patience.first_byte)
        self._answer = self._connection.getresponse()
        self._socket.settimeout(self._patience.silence)
        self.status = self._answer.status
        kind = self._concealer.text(self._answer.getheader("content-type", ""))
        self.kind = kind if KINDS.fullmatch(kind) else ""
        after = self._answer.getheader("retry-after", "")
        self.retry_after = after if SECONDS.fullmatch(after) else None

    def pieces(self) -> Iterator[bytes]:
        """Yield the body as it arrives, without the key.

        Raises if the endpoint hangs up in the middle, or compresses in a way that cannot be read.
        """
        return Joiner(self._concealer).pieces(self._concealer.pieces(self._bounded()))

    def _bounded(self) -> Iterator[bytes]:
        size = 0
        for piece in self._plain():
            size += len(piece)
            if size > LONGEST:
                raise ValueError("its answer does not end")
            yield piece

    def _plain(self) -> Iterator[bytes]:
        coding = self._answer.getheader("content-encoding", "identity").strip().lower()
        raw, begun = self._raw(), b""
        while len(begun) < len(GZIP) and (piece := next(raw, b"")):
            begun += piece
        pieces = itertools.chain([begun] if begun else [], raw)
        # A program may see that an answer is compressed if the endpoint does not say so.
        if coding in ("", "identity") and not begun.startswith(GZIP):
            yield from pieces
            return
        if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ValueError("it compresses its answers in an unknown way")
        decoder = zlib.decompressobj(47)  # any of them, by its first bytes
        for piece in pieces:
            while plain := decoder.decompress(piece, PIECE):
                yield plain
                piece = decoder.unconsumed_tail
        if not decoder.eof:
            raise ValueError("its compressed answer is incomplete")

    def _raw(self) -> Iterator[bytes]:
        left = self._answer.length  # None where the body comes in chunks, or until the end
        while left is None or left > 0:
            piece = self._answer.read1(PIECE if left is None else min(left, PIECE))
            if not piece and left is not None:
                raise http.client.IncompleteRead(b"", left)
            if not piece:
                return
            left = None if left is None else left - len(piece)
            yield piece

    def abort(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
        with suppress(OSError):
            self._socket.close()


class Upstream:
    """An endpoint and the key for it."""

    costs = True

    def __init__(self, endpoint: str, key: str, protocol: Protocol, patience: Patience) -> None:
        self.endpoint = endpoint.rstrip("/")
        parts = urlsplit(self.endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EnvwrightError(
                f"{endpoint!r} is not an endpoint address; use one that begins with http:// or https://"
            )
        if not key.isprintable() or not key.isascii():
            raise EnvwrightError(
                f"the key for {parts.hostname} has characters that no request can carry; "
                "copy it again"
            )
        self._parts = parts
        self._key = key
        self._protocol = protocol
        self._patience = patience
        self._concealer = Concealer(key)

    def ask(self, request: Request, key: str) -> Live:
        """Send the request and return the pending reply. Only recordings use `key`."""
        headers = {
            name: value
            for name, value in request.headers.items()
            # A folded line could be a header of its own to the endpoint.
            if (name in PASSED_ON or name.startswith(SOFTWARE)) and value.isprintable()
        }
        headers["accept-encoding"] = "identity"  # the proxy reads along
        headers.update(self._protocol.credentials(self._key))
        connection = self._connect()
        try:
            connection.request(
                request.method, self._parts.path + request.path, request.body or None, headers
            )
        except BaseException:
            connection.close()
            raise
        return Live(connection, self._patience, self._concealer)

    def conceal(self, text: str) -> str:
        """Remove the key from a text, in case the endpoint repeats it in an error."""
        return self._concealer.text(text)

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=CONNECT_SECONDS)
        context = ssl.create_default_context()
        relay = urllib.request.getproxies().get("https")
        if relay is None or urllib.request.proxy_bypass(host):
            return http.client.HTTPSConnection(host, port, timeout=CONNECT_SECONDS, context=context)
        # Machines behind a company's or a cluster's own proxy reach nothing else.
        way = urlsplit(relay if "://" in relay else f"http://{relay}")
        connection = http.client.HTTPSConnection(
            way.hostname or "", way.port, timeout=CONNECT_SECONDS, context=context
        )
        connection.set_tunnel(host, port or 443)
        return connection
