"""What a program sends is held in our process: not more of it than we allow."""

from __future__ import annotations

import http.client
import socket
from contextlib import ExitStack, contextmanager

import pytest

from envwright.agents.proxy import server


@contextmanager
def served():
    """A server that answers with the size of the request."""

    def serve(request, caller):
        caller.answer(200, "text/plain", b"%d bytes" % len(request.body))

    here = server.Server(serve)
    try:
        yield here
    finally:
        here.close()


def told(here, head, body=b""):
    """The status and the text of the answer to a request that may lack its end."""
    with connected(here) as client:
        client.sendall(b"POST / HTTP/1.1\r\n" + head + b"\r\n\r\n" + body)
        return answered(client)


def answered(client):
    answer = http.client.HTTPResponse(client)
    answer.begin()
    return answer.status, answer.read().decode().strip()


def connected(here):
    client = socket.create_connection(("127.0.0.1", here.port))
    client.settimeout(20)
    return client


@pytest.mark.parametrize("size", [b"-1", b"-5", b"ffffffffffff"])
def test_chunk_without_an_end_is_not_read(size):
    with served() as here:
        status, why = told(here, b"transfer-encoding: chunked", size + b"\r\nxxxx")
        assert status == 400 and "is too large" in why


def test_chunks_are_one_request(monkeypatch):
    monkeypatch.setattr(server, "MOST_BYTES", 8)
    with served() as here:
        head = b"transfer-encoding: chunked"
        assert told(here, head, b"4\r\nabcd\r\n4\r\nabcd\r\n0\r\n\r\n") == (200, "8 bytes")
        status, why = told(here, head, b"4\r\nabcd\r\n5\r\nabcde\r\n0\r\n\r\n")
        assert status == 400 and "too large" in why


def test_lines_after_a_request_end(monkeypatch):
    head, end = b"transfer-encoding: chunked", b"0\r\n"
    with served() as here:
        assert told(here, head, end + b"a: b\r\n" * 9 + b"\r\n") == (200, "0 bytes")
        status, why = told(here, head, end + b"a: b\r\n" * server.MOST_TRAILERS)
        assert status == 400 and "does not end" in why


def test_requests_together_are_bounded_and_room_comes_back(monkeypatch):
    monkeypatch.setattr(server, "MOST_HELD", 100)
    with served() as here:
        with connected(here) as slow:
            slow.sendall(b"POST / HTTP/1.1\r\ncontent-length: 90\r\n\r\nx")
            while not here._server.under_way._bytes:
                pass
            status, why = told(here, b"content-length: 20", b"x" * 20)
            assert status == 400 and "too large together" in why
            slow.sendall(b"x" * 89)
            assert answered(slow) == (200, "90 bytes")
        while here._server.under_way._bytes:
            pass
        assert told(here, b"content-length: 20", b"x" * 20)[1] == "20 bytes"


def test_values_of_a_request_count_as_the_memory_that_they_take(monkeypatch):
    monkeypatch.setattr(server, "MOST_HELD", 100_000)
    monkeypatch.setattr(server, "FREE", 10)
    with served() as here:
        for body, status in (
            (b"[" + b"[]," * 9000 + b"1]", 400),
            (b'"' + b"[]," * 9000 + b'"', 200),
        ):
            assert told(here, b"content-length: %d" % len(body), body)[0] == status
        while here._server.under_way._bytes:
            pass


def test_connections_are_bounded(monkeypatch):
    monkeypatch.setattr(server, "MOST_OPEN", 3)
    with served() as here, ExitStack() as opened:
        for _ in range(3):
            client = opened.enter_context(connected(here))
            client.sendall(b"POST / HTTP/1.1\r\ncontent-length: 1\r\n\r\n")
        while len(here._server._open) < 3:
            pass
        with connected(here) as refused:
            assert refused.recv(100) == b""
