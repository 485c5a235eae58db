"""The key never comes back to the program or into a record, whatever the endpoint echoes."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import socket
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.endpoint import KEY
from tests.agents.proxy_client import proxied, question

from envwright.agents.proxy import FILE, Places
from envwright.agents.proxy.concealment import MASK, Concealer

NOTHING = b"content-length: 2\r\n\r\n{}"
SPELT = {KEY, KEY.upper(), json.dumps(KEY)[1:-1], quote(KEY, safe="")}


@contextmanager
def parrot(pieces: Sequence[bytes]) -> Iterator[str]:
    """An endpoint that sends these bytes to everyone who asks; its address."""

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, connection.makefile("rb") as request:
                    size = 0
                    while line := request.readline().strip().lower():
                        if line.startswith(b"content-length:"):
                            size = int(line.partition(b":")[2])
                    request.read(size)
                    for piece in pieces:
                        connection.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def whole(body: bytes, *headers: str, status: str = "200 OK") -> list[bytes]:
    """An answer with its length."""
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers]
    return ["\r\n".join(lines).encode() + b"\r\n\r\n", body]


def chunked(body: bytes, size: int, *headers: str, trailer: str = "") -> list[bytes]:
    """An answer in chunks."""
    lines = ["HTTP/1.1 200 OK", "transfer-encoding: chunked", *headers]
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    chunks = [b"%x\r\n%s\r\n" % (len(part), part) for part in parts]
    return [
        "\r\n".join(lines).encode() + b"\r\n\r\n",
        *chunks,
        b"0\r\n" + trailer.encode() + b"\r\n",
    ]


def said(text: str) -> bytes:
    return json.dumps({"choices": [{"message": {"content": text}}]}, ensure_ascii=False).encode()


def event(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


GZIP, DEFLATE = gzip.compress(said(KEY)), zlib.compress(said(KEY))
ECHOES = {
    "body": whole(said(KEY)),
    "body in capitals": whole(said(KEY.upper())),
    "escaped in an address": whole(said(quote(KEY, safe=""))),
    "byte by byte": [whole(said(KEY))[0], *(bytes([byte]) for byte in said(KEY))],
    "in chunks": chunked(said(KEY), 3),
    "in chunks of a stream": chunked(event("a") + event(KEY) + event("b"), 5),
    "in two chunks": chunked(said(KEY), said(KEY).index(b"user")),
    "cut in the middle of it": [*whole(said("x" + KEY) + b"   ")[:1], said("x" + KEY)],
    "gzip": whole(GZIP, "content-encoding: gzip"),
    "gzip in chunks": chunked(GZIP, 2, "content-encoding: X-GZIP"),
    "deflate": whole(DEFLATE, "content-encoding: deflate"),
    "unknown compression": whole(said(KEY), "content-encoding: br"),
    "two compressions": whole(gzip.compress(GZIP), "content-encoding: gzip, gzip"),
    "error": whole(json.dumps({"error": {"message": KEY}}).encode(), status="400 Bad"),
    "error in plain words": whole(f"no {KEY}, no answer".encode(), status="500 Bad"),
    "error with a wrong key": whole(f"wrong: {KEY}".encode(), status="401 No"),
    "compressed error": whole(GZIP, "content-encoding: gzip", status="404 No"),
    "reason of a status": whole(b"{}", status=f"403 {KEY}"),
    "retry-after": whole(b"{}", f"retry-after: {KEY}", status="429 Later"),
    "content-type": whole(said("ok"), f"content-type: {KEY}"),
    "charset": whole(said("ok"), f'content-type: text/plain; charset="{KEY}"'),
    "another header": whole(said("ok"), f"x-debug: {KEY}", f"set-cookie: key={KEY}"),
    "folded header": whole(said("ok"), f"content-type: text/plain\r\n {KEY}"),
    "trailer": chunked(said("ok"), 9, trailer=f"x-key: {KEY}\r\n"),
    "extension of a chunk": [
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;k=" + KEY.encode() + b"\r\n{}\r\n",
        b"0\r\n\r\n",
    ],
    "status line": [f"{KEY} 200\r\n\r\n".encode()],
    "version": [f"HTTP/{KEY} 200 OK\r\n".encode() + NOTHING],
    "status": [f"HTTP/1.1 {KEY} OK\r\n".encode() + NOTHING],
    "length": [f"HTTP/1.1 200 OK\r\ncontent-length: {KEY}\r\n\r\n".encode()],
    "length of a chunk": [
        f"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{KEY}\r\n".encode()
    ],
    "redirection": whole(b"", f"location: http://127.0.0.1/?key={KEY}", status="302 Found"),
    "before the answer": [f"HTTP/1.1 100 {KEY}\r\nx: {KEY}\r\n\r\n".encode(), *whole(said("ok"))],
}


@pytest.mark.parametrize("echo", ECHOES)
def test_key_does_not_come_back(tmp_path, echo):
    with parrot(ECHOES[echo]) as address, proxied(tmp_path, address) as here:
        received = ask_bare(here) + ask_bare(here)
        here.proxy.close()
        trouble = here.proxy.trouble
        told = f"{trouble.reason} {trouble.told}" if trouble else ""
    recorded = (tmp_path / FILE).read_bytes()
    for text in (received, recorded, told.encode()):
        for key in SPELT:
            assert key.encode().lower() not in text.lower()
    assert received.startswith(b"HTTP/1.1 ") and recorded


def ask_bare(here):
    """All bytes that the program receives."""
    path, body = question("chat", "hello", stream=False)
    raw = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {here.proxy.token}\r\n"
    head += f"connection: close\r\ncontent-length: {len(raw)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", here.proxy.port)) as client:
        client.sendall(head.encode() + raw)
        received = client.makefile("rb").read()
    return received + b"\n" + joined(received)


def joined(received):
    """The body in one piece, as a program reads it."""
    pipe = SimpleNamespace(makefile=lambda mode: io.BytesIO(received))
    answer = http.client.HTTPResponse(pipe)
    answer.begin()
    try:
        return answer.read()
    except http.client.IncompleteRead as error:
        return error.partial


def test_answer_around_the_key_stays(tmp_path):
    answer = chunked(said(f"before {KEY} after"), 4)
    with parrot(answer) as address, proxied(tmp_path, address) as here:
        got = here.ask()
    assert got.body == said(f"before {MASK} after")


@given(st.lists(st.sampled_from([KEY, KEY[:5], "sk-", "s", "word ", KEY[3:], "\n"])), st.data())
def test_pieces_are_concealed_as_the_whole_is(texts, data):
    text = "".join(texts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    concealed = b"".join(Concealer(KEY).pieces(pieces))
    assert concealed == text.replace(KEY.encode(), MASK.encode())


def test_only_what_may_be_a_key_is_held_back():
    pieces = iter([b"data: one\n\n", b"and sk-the", b"ory"])
    passed = list(Concealer(KEY).pieces(pieces))
    assert passed == [b"data: one\n\n", b"and ", b"sk-theory"]


@pytest.mark.parametrize("key", ["", "none", "EMPTY"])
def test_word_in_place_of_a_key_is_not_a_secret(key):
    assert Concealer(key).text(f"there is {key}") == f"there is {key}"
    assert Places(secrets={"key": key}).hide(f"there is {key}") == f"there is {key}"
