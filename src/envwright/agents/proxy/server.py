"""Receive a program's requests on a Unix socket (from a jail) or a port of 127.0.0.1."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from envwright.agents.proxy import events
from envwright.agents.proxy.upstream import Request

MOST_BYTES = 64 * 2**20  # of a request: far more than any model reads
# Of all requests under way. They lie in this process, which no jail limits.
MOST_HELD, MOST_OPEN = 4 * MOST_BYTES, 256
MOST_TRAILERS = 100  # lines after the body of a request
# Bytes of ours for each value of a JSON text, which may be as short as "[],".
VALUE = 100
FREE = 100_000  # values of a request that are not counted


class Unreadable(Exception):
    """The request is not HTTP as our programs send it."""


class HungUp(Exception):
    """The program no longer waits for the answer."""


class Caller:
    """The program that waits for the answer."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler

    def gone(self) -> bool:
        """Return whether the program has hung up already."""
        try:
            end = self._handler.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return end == b""

    def answer(self, status: int, kind: str, body: bytes, retry_after: str | None = None) -> None:
        """Send a whole answer."""
        with _telling():
            self._head(status, kind, ("content-length", str(len(body))), retry_after)
            if self._handler.command != "HEAD":
                self._handler.wfile.write(body)

    def begin(self, status: int, kind: str) -> None:
        """Start an answer that is sent in pieces."""
        with _telling():
            self._head(status, kind, ("transfer-encoding", "chunked"))

    def piece(self, body: bytes) -> None:
        """Send a piece immediately, without buffering."""
        with _telling():
            self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))

    def end(self) -> None:
        """Finish an answer that is sent in pieces."""
        with _telling():
            self._handler.wfile.write(b"0\r\n\r\n")

    def cut(self) -> None:
        """Hang up, so that the program notices that the answer is incomplete."""
        self._handler.close_connection = True

    def _head(
        self, status: int, kind: str, size: tuple[str, str], retry_after: str | None = None
    ) -> None:
        self._handler.send_response(status)
        self._handler.send_header("content-type", kind or "application/octet-stream")
        self._handler.send_header(*size)
        if retry_after is not None:
            self._handler.send_header("retry-after", retry_after)
        self._handler.end_headers()


@contextmanager
def _telling() -> Iterator[None]:
    """Distinguish a program that hung up from an endpoint that did."""
    try:
        yield
    except OSError as error:
        raise HungUp from error


Serve = Callable[[Request, Caller], None]


class Server:
    """Serves in its own threads until closed."""

    def __init__(self, serve: Serve, path: Path | None = None) -> None:
        handler = type("Handler", (_Handler,), {"serve": staticmethod(serve)})
        self.port: int | None = None
        if path:
            self._server = _Unix(str(path), handler)
        else:
            self._server = _Local(("127.0.0.1", 0), handler)
            self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="proxy", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Accept no more requests and hang up on waiting programs."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server.hang_up()


class _BytesUnderWay:
    """Counts the bytes of all requests under way."""

    def __init__(self) -> None:
        self._bytes = 0
        self._lock = threading.Lock()

    def take(self, size: int) -> None:
        """Count more bytes before they are read."""
        with self._lock:
            if self._bytes + size > MOST_HELD:
                raise Unreadable("the requests under way are too large together")
            self._bytes += size

    def give(self, size: int) -> None:
        """Count bytes no longer."""
        with self._lock:
            self._bytes -= size


class _Threads(socketserver.ThreadingMixIn):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, *arguments: Any) -> None:
        self._open: set[socket.socket] = set()
        self.under_way = _BytesUnderWay()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        if len(self._open) >= MOST_OPEN:  # each takes a thread and a descriptor of ours
            self.shutdown_request(request)
            return
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)  # type: ignore[misc]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore programs that hang up."""

    def hang_up(self) -> None:
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class _Unix(_Threads, socketserver.UnixStreamServer):
    pass


class _Local(_Threads, socketserver.TCPServer):
    allow_reuse_address = True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    serve: Serve
    server: _Threads  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        caller = Caller(self)
        self._size = 0
        try:
            self._answer(caller)
        finally:
            self.server.under_way.give(self._size)

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_POST

    def _answer(self, caller: Caller) -> None:
        try:
            body = self._body()
        except (Unreadable, ValueError) as error:
            self.close_connection = True  # where the next request begins is unknown
            caller.answer(400, "text/plain", f"{error}\n".encode())
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.serve(Request(self.command, self.path, headers, body), caller)

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            body = self._chunks()
        else:
            body = self._part(int(self.headers.get("content-length") or 0))
        values = events.most_values(body.decode("latin-1"))
        self._hold(VALUE * max(0, values - FREE))
        return body

    def _part(self, size: int) -> bytes:
        """Read so many bytes, which may be all of the request or a chunk of it."""
        if not 0 <= size <= MOST_BYTES - self._size:
            raise Unreadable(f"a request of {size:,} bytes is too large")
        self._hold(size)
        part = self.rfile.read(size)
        if len(part) < size:
            raise Unreadable("the request is incomplete")
        return part

    def _hold(self, size: int) -> None:
        self.server.under_way.take(size)
        self._size += size

    def _chunks(self) -> bytes:
        body = bytearray()
        while size := int(self.rfile.readline(100).partition(b";")[0], 16):
            body += self._part(size)
            self.rfile.readline(100)
        for _ in range(MOST_TRAILERS):
            if not self.rfile.readline(10000).strip():  # after the last chunk
                return bytes(body)
        raise Unreadable("the request does not end")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing; the record has everything."""
