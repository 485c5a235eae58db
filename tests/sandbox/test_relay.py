"""The one socket that can be reached."""

import gc
import socket
import threading

import pytest

ASK = """
import socket, sys
asked = sys.argv[2].encode() * int(sys.argv[3])
with socket.create_connection(('127.0.0.1', int(sys.argv[1])), timeout=120) as line:
    line.sendall(asked)
    line.shutdown(socket.SHUT_WR)
    answer = b''
    while chunk := line.recv(65536):
        answer += chunk
print(len(answer), answer[:5].decode())
"""


@pytest.fixture
def shout(tmp_path):
    """A server outside that says what it was told, in capitals, once it has been told all."""
    path = tmp_path / "proxy.socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve():
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:
                    return
                with line, line.makefile("rwb") as file:
                    asked = file.read()
                    gc.collect()  # the relay keeps what waits for an answer
                    file.write(asked.upper())

        threading.Thread(target=serve, daemon=True).start()
        yield path
        listener.shutdown(socket.SHUT_RDWR)


def test_the_socket_answers_at_its_port(jailed, shout):
    done = jailed(ASK, "8080", "soup", "1", socket=shout)
    assert done.stdout == "4 SOUP\n", done.stderr


def test_long_messages_arrive_whole(jailed, shout):
    done = jailed(ASK, "7777", "soup", "500000", socket=shout, port=7777)
    assert done.stdout == "2000000 SOUPS\n", done.stderr


def test_no_other_port_answers_and_the_socket_itself_is_not_inside(jailed, shout):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"""
import os, socket
print(socket.socket().connect_ex(('127.0.0.1', {port})) != 0, os.path.exists({str(shout)!r}))
print(socket.socket().connect_ex(('127.0.0.1', 8080)))
"""
        assert jailed(code, socket=shout).stdout == "True False\n0\n"


def test_a_socket_that_nobody_serves_is_a_closed_line(jailed, tmp_path):
    code = """
import socket
with socket.create_connection(('127.0.0.1', 8080), timeout=120) as line:
    print(line.recv(10))
"""
    assert jailed(code, socket=tmp_path / "nobody").stdout == "b''\n"


def test_two_jails_have_the_same_port(lodged, shout, tmp_path):
    others = tmp_path / "others"
    others.mkdir()
    first = lodged(ASK, "8080", "soup", "1", socket=shout)
    second = lodged(ASK, "8080", "bread", "1", socket=shout, writable=(others,))
    with first, second:
        assert first.stdout.read() == b"4 SOUP\n"
        assert second.stdout.read() == b"5 BREAD\n"


def test_many_lines_at_once_are_bounded_and_do_no_harm(jailed, shout):
    code = """
import socket
lines = [socket.create_connection(('127.0.0.1', 8080), timeout=120) for _ in range(100)]
ended = 0
for line in lines[64:]:
    ended += line.recv(1) == b''
print(ended)
"""
    assert jailed(code, socket=shout).stdout == "36\n"
