"""A scripted model on 127.0.0.1 that speaks the four protocols of real ones.

It keeps nothing in mind: which move is due is the number of tool results in the request, so that
repeated requests get the same answer. Requests without tools (titles, summaries) are answered
with a word.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.moves import TOOLS, Cut, Fail, Garbage, Hang, Move, Run, Say, Slow, Tools, Write
from tests.agents.wording import CACHED, OUTPUT, PROMPT, WORDINGS, Wording

from envwright.agents.base import Usage

KEY = "sk-the-user's-own-key"
STREAM = "text/event-stream"


@dataclass(frozen=True)
class Asked:
    """A request that arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    answered: bool  # with a model's words, which cost tokens
    time: float = field(default_factory=time.monotonic)


class Endpoint:
    """`with Endpoint([Write("a.txt", "1"), Say("done")], tools="gemini") as endpoint: ...`"""

    def __init__(self, script: Sequence[Move], tools: str = "gemini") -> None:
        self.script = list(script)
        self.tools: Tools = TOOLS[tools]
        self.asked: list[Asked] = []
        self.compressed = False  # says so of its bytes
        self.closing, self.go_on = threading.Event(), threading.Event()
        handler = type("Handler", (_Handler,), {"endpoint": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def address(self) -> str:
        """Its base, as a user would give it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def usage(self) -> Usage:
        """What it would put on the bill, without a price."""
        answered = sum(asked.answered for asked in self.asked)
        return Usage(
            prompt=PROMPT * answered,
            cached=CACHED * answered,
            output=OUTPUT * answered,
            calls=len(self.asked),
        )

    def move(self, wording: Wording, body: dict[str, Any]) -> Move:
        """Which move is due; the last one for ever."""
        if not body.get("tools") and any(isinstance(move, Write | Run) for move in self.script):
            return Say("Title")
        return self.script[min(wording.results(body), len(self.script) - 1)]

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: Endpoint

    def do_GET(self) -> None:
        self._send(200, "application/json", b'{"object": "list", "data": [], "models": []}')

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        body = json.loads(raw or b"{}")
        if path.endswith((":countTokens", "/count_tokens")):
            self._send(200, "application/json", b'{"totalTokens": 7, "input_tokens": 7}')
            return
        name = protocol_of(path)
        move = self.endpoint.move(WORDINGS[name], body)
        answered = isinstance(move, Say | Write | Run | Slow)
        headers = {header.lower(): value for header, value in self.headers.items()}
        self.endpoint.asked.append(Asked(self.path, headers, body, answered))
        self._make(move, WORDINGS[name], body)

    def _make(self, move: Move, wording: Wording, body: dict[str, Any]) -> None:
        streams = body.get("stream") or ":stream" in self.path
        model = body.get("model", "scripted")
        match move:
            case Fail(status, message):
                error = {"code": status, "type": "error", "message": message, "status": "FAILED"}
                self._send(status, "application/json", json.dumps({"error": error}).encode())
            case Garbage(bytes_, status):
                self._send(status, STREAM if streams else "application/json", bytes_)
            case Hang(seconds):
                self.endpoint.closing.wait(seconds)
                self.close_connection = True
            case Cut(text):
                begun = wording.stream(text, model)
                self._send(200, STREAM, begun[: len(begun) // 2], announced=len(begun))
                self.close_connection = True
            case Slow(text):
                whole = wording.stream(text, model)
                self._send(200, STREAM, whole[: len(whole) // 2], announced=len(whole))
                self.endpoint.go_on.wait(300)
                self.wfile.write(whole[len(whole) // 2 :])
            case Say() | Write() | Run():
                self._say(self.endpoint.tools.words(move), wording, model, streams)

    def _say(self, said: Any, wording: Wording, model: str, streams: bool) -> None:
        if streams:
            self._send(200, STREAM, wording.stream(said, model))
        else:
            document = json.dumps(wording.document(said, model)).encode()
            self._send(200, "application/json", document)

    def _send(self, status: int, kind: str, body: bytes, announced: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(announced or len(body)))
        if self.endpoint.compressed:
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def protocol_of(path: str) -> str:
    """The protocol of a path."""
    if "enerateContent" in path:
        return "gemini"
    if path.endswith("/messages"):
        return "anthropic"
    return "responses" if path.endswith("/responses") else "chat"
