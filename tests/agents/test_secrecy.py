"""The key never comes back to the program or into a record, whatever the endpoint echoes."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import socket
import threading
import zlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.endpoint import KEY
from tests.agents.proxy_client import proxied, question

from envwright.agents.proxy import FILE, Places, events
from envwright.agents.proxy.concealment import MASK, Concealer, spellings
from envwright.agents.proxy.joining import HELD, LONGEST, Joiner

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
    "gzip that is not said to be": whole(GZIP),
    "UTF-16": whole(said(KEY).decode().encode("utf-16"), "content-type: text/plain"),
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
        assert "\0".join(KEY).encode() not in text
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
    whole = joined(received)
    return b"\n".join(
        [received, whole, *([gzip.decompress(whole)] if whole[:2] == GZIP[:2] else [])]
    )


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
    pieces = iter([b"data: one\n\n", b"and sk-the", b"ory\n"])
    passed = list(Concealer(KEY).pieces(pieces))
    assert passed == [b"data: one\n\n", b"and ", b"sk-theory\n"]


def percent(text):
    return "".join(f"%{byte:02X}" for byte in text.encode())


@pytest.mark.parametrize("key", [KEY, 'AIza-_09/+=ü"\\&x', "12345678"])
@pytest.mark.parametrize(
    "spelled",
    {
        "JSON": lambda key: json.dumps(key)[1:-1],
        "JSON with letters": lambda key: json.dumps(key, ensure_ascii=False)[1:-1],
        "JSON of PHP": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
        "numbers of letters": lambda key: "".join(f"\\u{ord(letter):04X}" for letter in key),
        "path": quote,
        "form": quote_plus,
        "percent": percent,
        "percent twice": lambda key: quote(percent(key)),
        "bytes of a language": lambda key: "".join(f"\\x{byte:02x}" for byte in key.encode()),
        "dump": lambda key: key.encode().hex(" "),
        "address of a card": lambda key: key.encode().hex(":"),
        "HTML": lambda key: "".join(f"&#{ord(letter)};" for letter in key),
        "HTML in hex": lambda key: "".join(f"&#X{ord(letter):X};" for letter in key),
        "hex": lambda key: key.encode().hex(),
        "capital hex": lambda key: key.encode().hex().upper(),
        "reversed": lambda key: key[::-1],
        "base64": lambda key: b64encode(key.encode()).decode(),
        "base64 after a word": lambda key: b64encode(f"a{key}.".encode()).decode(),
        "base64 of Basic": lambda key: b64encode(f"me:{key}:..".encode()).decode(),
        "base64 of Bearer": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
        "base64 for addresses": lambda key: urlsafe_b64encode(f"k={key}&".encode()).decode(),
    }.items(),
    ids=lambda pair: pair[0],
)
def test_key_in_a_usual_encoding_is_concealed(key, spelled):
    _, spell = spelled
    text = Concealer(key).text(f"it is <{spell(key)}>")
    assert MASK in text
    rest = text.removeprefix("it is <").removesuffix(">").replace(MASK, "")
    assert len(rest) <= 14  # what stands around it in base64


# --- in pieces, as models stream -----------------------------------------------------------------

CUTS = {
    "letters": [KEY[at] for at in range(len(KEY))],
    "words": ["the key is ", "sk", "-", "the-user", "'s-own", "-key", ", I think"],
    "two": [f"it is {KEY[:9]}", f"{KEY[9:]}. It is {KEY[:2]}", f"{KEY[2:]} again"],
    "capitals": [KEY.upper()[:6], KEY.upper()[6:]],
    "base64": [b64encode(KEY.encode()).decode()[at : at + 5] for at in range(0, 40, 5)],
    "escaped": ['{"path": "', *json.dumps(KEY)[1:-1].partition("'"), '"}'],
}
STREAMED = {
    "chat": lambda text: {"choices": [{"index": 0, "delta": {"content": text}}]},
    "chat reasoning": lambda text: {"choices": [{"index": 0, "delta": {"reasoning": text}}]},
    "chat tool": lambda text: {
        "choices": [{"delta": {"tool_calls": [{"index": 1, "function": {"arguments": text}}]}}]
    },
    "gemini": lambda text: {"candidates": [{"content": {"parts": [{"text": text}]}}]},
    "responses": lambda text: {
        "type": "response.output_text.delta",
        "output_index": 0,
        "delta": text,
    },
    "anthropic": lambda text: {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": text},
    },
    "anthropic tool": lambda text: {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": text},
    },
}


def texts(value):
    """All texts of a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in texts(one)]


def joined_texts(answer, shape):
    """What a program makes of a stream."""
    labels = {*texts(STREAMED[shape](""))} - {""}
    told = [text for value in events.said(answer) for text in texts(value)]
    return "".join(text for text in told if text not in labels)


def sent(values, end="\n"):
    return [f"event: x{end}data: {json.dumps(value)}{end}{end}".encode() for value in values]


def joiner():
    return Joiner(Concealer(KEY))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("shape", STREAMED)
def test_key_in_pieces_does_not_come_back(tmp_path, shape, cut):
    answer = b"".join(sent(map(STREAMED[shape], [*CUTS[cut], " and so on"])))
    name = shape.partition(" ")[0]
    with parrot(chunked(answer, 50)) as address, proxied(tmp_path, address, name) as here:
        got = here.ask(stream=True).body.decode()
        [exchange] = here.recorded
    for text in (got, exchange.answer):
        read = joined_texts(text, shape)
        assert MASK in read and read.endswith(" and so on")
        for key in (KEY, b64encode(KEY.encode()).decode()):
            assert key.lower() not in read.lower()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_key_in_pieces_is_found_whatever_ends_a_line(end):
    stream = b"".join(sent(map(STREAMED["chat"], CUTS["words"]), end))
    pieces = [stream[at : at + 7] for at in range(0, len(stream), 7)]
    read = joined_texts(b"".join(joiner().pieces(pieces)).decode(), "chat")
    assert read == f"the key is {MASK}, I think"


def test_two_answers_at_once_are_told_apart():
    halves = [(0, KEY[:9]), (1, "other "), (0, KEY[9:]), (1, "words")]
    values = [{"choices": [{"index": n, "delta": {"content": text}}]} for n, text in halves]
    told = events.said(b"".join(joiner().pieces(sent(values))).decode())
    assert [texts(value) for value in told] == [[MASK], ["other "], [""], ["words"]]


@pytest.mark.parametrize("cut", [1, 4, 9])
def test_document_with_the_key_in_parts_tells_nothing(cut):
    parts = [{"text": KEY[at : at + cut]} for at in range(0, len(KEY), cut)]
    for value in ({"candidates": [{"content": {"parts": parts}}]}, [{"a": p} for p in parts]):
        body = json.dumps(value).encode()
        got = b"".join(joiner().pieces([body[:30], body[30:]]))
        read = "".join(texts(json.loads(got)))
        assert MASK in read and KEY not in read


def test_ordinary_stream_is_not_changed():
    words = ["It", " s", "k", "-", " \u2028", "sk-", "something", "\ud800", " \U0001f600 ", "s"]
    stream = [b": hello\n\n", *sent(map(STREAMED["chat"], words)), b"data: [DONE]\n\n"]
    assert b"".join(joiner().pieces(stream)) == b"".join(stream)


@pytest.mark.parametrize("guess", ["sk-the", KEY[:-1], "sk-tha", "x"])
def test_how_long_an_event_waits_does_not_tell_whether_a_guess_is_right(guess):
    held = max(HELD, Concealer(KEY).longest)
    stream = sent(map(STREAMED["chat"], ["a guess: ", guess, *[" no "] * (2 * held)]))
    passed = list(joiner().pieces(stream))
    assert passed == [*stream[: held + 2], b"".join(stream[held + 2 :])]


def test_event_waits_for_a_while_only():
    seconds = iter([0.0, 0.0, 5.0, 5.0, LONGEST + 1, LONGEST + 1])
    stream = sent(map(STREAMED["chat"], "abc"))
    passed = Joiner(Concealer(KEY), lambda: next(seconds)).pieces(stream)
    assert list(passed) == [stream[0], stream[1] + stream[2]]


@pytest.mark.parametrize("pause", range(1, len(KEY)))
def test_a_key_with_a_long_pause_in_it_never_comes_back_whole(pause):
    stream = sent(map(STREAMED["chat"], KEY + " and so on"))
    seconds = iter([0.0] * (2 * pause) + [LONGEST + 1] * (2 * len(stream)))
    passed = Joiner(Concealer(KEY), lambda: next(seconds)).pieces(stream)
    read = joined_texts(b"".join(passed).decode(), "chat")
    before, mask, after = read.partition(MASK)
    assert KEY.startswith(before) and before != KEY
    assert (mask, after) == (MASK, " and so on")


@pytest.mark.parametrize("form", sorted(spellings(KEY)))
def test_key_in_pieces_of_a_letter_is_found_however_it_is_spelled(form):
    stream = sent(map(STREAMED["chat"], ["the key: ", *form, *[" word"] * len(form)]))
    read = joined_texts(b"".join(joiner().pieces(stream)).decode(), "chat")
    assert read.startswith(f"the key: {MASK}") and form not in read


@pytest.mark.parametrize("before", [0, 30, HELD, 150])
def test_key_in_pieces_is_found_anywhere_in_a_long_stream(before):
    words = ["word "] * before + list(KEY) + [" word"] * 150
    stream = sent(map(STREAMED["chat"], words))
    read = joined_texts(b"".join(joiner().pieces(stream)).decode(), "chat")
    assert read == "".join(words).replace(KEY, MASK)


def test_what_came_before_the_endpoint_broke_off_is_passed_on():
    def broken():
        yield begun
        raise OSError

    first, second = sent(map(STREAMED["chat"], ["and sk-the", "-use"]))
    begun = first + second[:20]
    got = joiner().pieces(broken())
    assert next(got) == begun
    with pytest.raises(OSError):
        next(got)


@given(st.lists(st.sampled_from([KEY, KEY[:5], "sk-", "s", "word ", KEY[3:]])), st.data())
def test_joined_texts_are_concealed_and_others_stay(texts, data):
    text = "".join(texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    said = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    stream = sent(map(STREAMED["chat"], said))
    got = b"".join(joiner().pieces(stream))
    read = "".join(value["choices"][0]["delta"]["content"] for value in events.said(got.decode()))
    assert KEY not in read
    assert len(events.said(got.decode())) == len(said)
    if KEY not in text:
        assert got == b"".join(stream)
    assert read == text.replace(KEY, MASK)


@pytest.mark.parametrize("key", ["", "none", "EMPTY"])
def test_word_in_place_of_a_key_is_not_a_secret(key):
    assert Concealer(key).text(f"there is {key}") == f"there is {key}"
    assert Places(secrets={"key": key}).hide(f"there is {key}") == f"there is {key}"
