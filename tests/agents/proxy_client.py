"""A client of the proxy, for tests: asks as an agent's program would."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents.endpoint import KEY, Endpoint
from tests.agents.moves import Move

from envwright.agents.base import Allowance
from envwright.agents.prices import Price, Prices
from envwright.agents.proxy import (
    FILE,
    PROTOCOLS,
    Account,
    Exchange,
    Patience,
    Places,
    Proxy,
    Tape,
    Upstream,
    read_exchanges,
)

MODEL = "scripted-1"
PRICES = Prices((Price(("scripted-*",), 1.0, 0.1, 1.25, 10.0),), "the prices of the tests")
DOLLARS = (200 * 1.0 + 1000 * 0.1 + 80 * 10.0) / 1e6  # of every scripted answer
QUICK = Patience(auth=1, rate=2, down=2, first_byte=9.0, silence=9.0)

PATHS = {
    "gemini": f"/v1beta/models/{MODEL}:generateContent",
    "chat": "/chat/completions",
    "responses": "/responses",
    "anthropic": "/v1/messages",
}


@dataclass
class Got:
    """An answer of the proxy."""

    status: int
    body: bytes

    @property
    def message(self) -> str:
        """Of an error."""
        return json.loads(self.body)["error"]["message"]


@dataclass
class ProxyClient:
    """A proxy with an endpoint behind it."""

    proxy: Proxy
    folder: Path
    protocol: str
    endpoint: Endpoint | None = None
    socket: Path | None = None

    def ask(self, text: str = "hello", stream: bool = False, **fields: Any) -> Got:
        """A question to the model."""
        path, body = question(self.protocol, text, stream)
        return self.request("POST", path, json.dumps(body | fields).encode())

    def request(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Got:
        """Any request."""
        with self.open(method, path, body, headers) as answer:
            return Got(answer.status, answer.read())

    @contextmanager
    def open(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        """The same, to be read piece by piece."""
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.port, timeout=120)
        if self.socket is not None:
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(str(self.socket))
        if headers is None:
            headers = PROTOCOLS[self.protocol].credentials(self.proxy.token)
        try:
            connection.request(method, path, body or None, headers)
            yield connection.getresponse()
        finally:
            connection.close()

    @property
    def recorded(self) -> list[Exchange]:
        """What stands in the record; closes the proxy first, so that all does."""
        self.proxy.close()
        return list(read_exchanges(self.folder / FILE))


def question(protocol: str, text: str, stream: bool) -> tuple[str, dict[str, Any]]:
    """Path and body of a question."""
    if protocol == "gemini":
        body = {"contents": [{"role": "user", "parts": [{"text": text}]}], "tools": [{}]}
        path = PATHS[protocol]
        return path.replace(":g", ":streamG") + "?alt=sse" if stream else path, body
    if protocol == "responses":
        said: dict[str, Any] = {"input": [{"type": "message", "role": "user", "content": text}]}
    else:
        said = {"messages": [{"role": "user", "content": text}]}
    return PATHS[protocol], {"model": MODEL, "stream": stream, "tools": [{}], **said}


@contextmanager
def conversation(
    folder: Path,
    script: Sequence[Move],
    protocol: str = "chat",
    *,
    allowance: Allowance = Allowance(),
    patience: Patience = QUICK,
    prices: Prices = PRICES,
    places: dict[str, Path] | None = None,
    socket: Path | None = None,
    chosen: str = MODEL,
) -> Iterator[ProxyClient]:
    """A proxy before a scripted endpoint."""
    with Endpoint(script) as endpoint:
        options = {"patience": patience, "prices": prices, "places": places, "socket": socket}
        options["chosen"] = chosen
        with proxied(folder, endpoint.address, protocol, allowance, **options) as here:
            here.endpoint = endpoint
            yield here


@contextmanager
def proxied(
    folder: Path,
    address: str,
    protocol: str = "chat",
    allowance: Allowance = Allowance(),
    *,
    patience: Patience = QUICK,
    prices: Prices = PRICES,
    places: dict[str, Path] | None = None,
    socket: Path | None = None,
    chosen: str = MODEL,
) -> Iterator[ProxyClient]:
    """A proxy before any endpoint."""
    speech = PROTOCOLS[protocol]
    upstream = Upstream(address, KEY, speech, patience)
    hidden = Places(places or {}, {"key": KEY})
    account = Account(allowance, prices, chosen)
    with Proxy(
        speech, upstream, account, folder / FILE, hidden, patience=patience, socket=socket
    ) as proxy:
        yield ProxyClient(proxy, folder, protocol, None, socket)


@contextmanager
def replay(
    folder: Path, recording: Path, protocol: str = "chat", places: dict[str, Path] | None = None
) -> Iterator[ProxyClient]:
    """A proxy that answers from a recording."""
    hidden = Places(places or {})
    account = Account(Allowance(), PRICES)
    tape = Tape(recording / FILE, hidden)
    with Proxy(PROTOCOLS[protocol], tape, account, folder / FILE, hidden) as proxy:
        yield ProxyClient(proxy, folder, protocol)
