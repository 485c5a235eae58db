"""A scripted endpoint that keeps its own accounts, as a vendor does.

It charges a request when it arrives, whoever reads the answer: what was read, and as many tokens
as the model "wants" to write (decided by the request's bytes) within the request's own limit.
"""

from __future__ import annotations

import json
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.endpoint import STREAM, protocol_of
from tests.agents.proxy_client import PRICES
from tests.agents.wording import WORDINGS

from envwright.agents.prices import Tokens

LONGEST = 5000  # tokens the model writes at most if nothing limits it
PIECE = 400  # bytes


class Till:
    """`with Till() as till: ...; till.dollars`."""

    def __init__(self) -> None:
        self.charged: list[Tokens] = []
        self.bodies: list[dict[str, Any]] = []
        self.go_on = threading.Event()  # answers wait for it
        self.go_on.set()
        self.silent = False  # hangs up instead of answering
        self._change = threading.Condition()
        handler = type("Handler", (_Handler,), {"till": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def address(self) -> str:
        """Its base."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def dollars(self) -> float:
        """The bill."""
        with self._change:
            return sum(PRICES.dollars("scripted-1", tokens) for tokens in self.charged)

    def charge(self, body: dict[str, Any], tokens: Tokens) -> None:
        """Put a request on the bill."""
        with self._change:
            self.bodies.append(body)
            self.charged.append(tokens)
            self._change.notify_all()

    def wait_for(self, count: int) -> None:
        """Wait until so many requests were charged."""
        with self._change:
            assert self._change.wait_for(lambda: len(self.charged) >= count, 120)

    def __enter__(self) -> Till:
        return self

    def __exit__(self, *_: object) -> None:
        self.go_on.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore who hangs up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    till: Till

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        body = json.loads(raw)
        name = protocol_of(self.path.partition("?")[0])
        tokens = _tokens(name, raw, body)
        self.till.charge(body, tokens)
        self.till.go_on.wait(120)
        self.close_connection = True
        if not self.till.silent:
            self._answer(name, body, tokens)

    def _answer(self, name: str, body: dict[str, Any], tokens: Tokens) -> None:
        wording, said = WORDINGS[name], "word " * (tokens.output // 8)
        streams = body.get("stream") or ":stream" in self.path
        if streams:
            events = [_priced(name, event, tokens) for event in wording.events(said, "scripted")]
            if name == "chat" and not body.get("stream_options", {}).get("include_usage"):
                events = [event for event in events if "usage" not in event]
            answer = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
        else:
            answer = json.dumps(_priced(name, wording.document(said, "scripted"), tokens)).encode()
        self.send_response(200)
        self.send_header("content-type", STREAM if streams else "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        for start in range(0, len(answer), PIECE):
            self.wfile.write(answer[start : start + PIECE])

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def limit_of(name: str, body: dict[str, Any]) -> int | None:
    """The limit on the tokens of an answer that a request sets."""
    if name == "gemini":
        return body.get("generationConfig", {}).get("maxOutputTokens")
    fields = ("max_completion_tokens", "max_tokens", "max_output_tokens")
    return max((body[field] for field in fields if field in body), default=None)


def _tokens(name: str, raw: bytes, body: dict[str, Any]) -> Tokens:
    wanted = zlib.crc32(raw) % 1000 + 1
    limit = limit_of(name, body) or LONGEST
    return Tokens(prompt=len(raw) // 3 + 40, output=min(wanted, limit) * body.get("n", 1))


def _priced(name: str, value: dict[str, Any], tokens: Tokens) -> dict[str, Any]:
    """The same answer with these counts, wherever it has any."""
    prompt, output = tokens.prompt, tokens.output
    usage = {
        "gemini": {"promptTokenCount": prompt, "candidatesTokenCount": output},
        "chat": {"prompt_tokens": prompt, "completion_tokens": output},
        "responses": {"input_tokens": prompt, "output_tokens": output},
        "anthropic": {"input_tokens": prompt, "output_tokens": output},
    }[name]
    value = dict(value)
    for key in ("usage", "usageMetadata"):
        if key in value:
            value[key] = usage
    for key in ("response", "message"):
        if isinstance(value.get(key), dict):
            value[key] = _priced(name, value[key], tokens)
    return value
