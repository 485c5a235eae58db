"""A cap on dollars holds, whatever the program sends, hangs up on or repeats."""

from __future__ import annotations

import http.client
import json
import random
import signal
import socket
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests.agents.moves import Fail, Garbage, Say
from tests.agents.proxy_client import PROTOCOLS, conversation, proxied, question
from tests.agents.till import Till, limit_of

from envwright.agents.base import Allowance
from envwright.agents.proxy import FILE, Patience, read_exchanges, spent

NAMES = ["gemini", "chat", "responses", "anthropic"]
CAP = 0.5  # dollars; a request costs about half a cent
MOMENTS = ["in the request", "after the request", "in the answer"]
RESET = struct.pack("ii", 1, 0)  # close with a reset, not with an end


@pytest.fixture
def till():
    with Till() as till:
        yield till


def ask_and_reset(here, text, moment, wait=lambda: None):
    """Ask over a bare socket, wait, and reset it at a moment."""
    path, body = question(here.protocol, text, stream=True)
    [(header, key)] = PROTOCOLS[here.protocol].credentials(here.proxy.token).items()
    raw = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\n{header}: {key}\r\ncontent-length: {len(raw)}"
    request = head.encode() + b"\r\n\r\n" + raw
    with socket.create_connection(("127.0.0.1", here.proxy.port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.sendall(request[:-9] if moment == "in the request" else request)
        if moment == "in the answer":
            client.recv(300)
        wait()


def until_refused(here, most=400):
    """Ask small questions, one after the other, until the budget ends them."""
    for number in range(most):
        if here.ask(f"one more, {number}").status != 200:
            return
    raise AssertionError("the budget never ended")


@pytest.mark.parametrize("seed", range(2))
def test_sixty_clients_that_hang_up_spend_what_the_cap_allows(tmp_path, till, seed):
    rng = random.Random(seed)
    jobs = [(f"client {n} of {seed}", rng.choice([None, *MOMENTS])) for n in range(60)]

    def client(job):
        text, moment = job
        with suppress(OSError, http.client.HTTPException):
            if moment is None:
                here.ask(text, stream=rng.random() < 0.5)
            else:
                ask_and_reset(here, text, moment)

    with proxied(tmp_path, till.address, allowance=Allowance(dollars=CAP)) as here:
        with ThreadPoolExecutor(60) as pool:
            list(pool.map(client, jobs))
        until_refused(here)
        here.proxy.close()
        counted = here.proxy.usage
    assert till.dollars <= CAP * 1.01
    assert till.dollars >= CAP * 0.99
    assert counted.dollars == pytest.approx(till.dollars)
    assert counted.calls == len(till.charged)
    assert spent(tmp_path).dollars == pytest.approx(till.dollars)


def test_sixty_requests_at_once_do_not_pass_a_tiny_cap(tmp_path, till):
    allowance = Allowance(dollars=0.004)
    with ThreadPoolExecutor(60) as pool, proxied(tmp_path, till.address, "chat", allowance) as here:
        got = list(pool.map(lambda n: here.ask(f"question {n}").status, range(60)))
    assert 0 < till.dollars <= 0.004 * 1.01
    assert set(got) == {200, 400}


@pytest.mark.parametrize("moment", MOMENTS[1:])
@pytest.mark.parametrize("name", NAMES)
def test_interrupted_request_is_counted(tmp_path, till, name, moment):
    if moment == "after the request":
        till.go_on.clear()
    with proxied(tmp_path, till.address, name, Allowance(dollars=CAP)) as here:
        ask_and_reset(here, "never mind", moment, lambda: till.wait_for(1))
        till.go_on.set()
        assert here.ask("another").status == 200  # it waits for what the first may cost
        usage = here.proxy.usage
    assert len(till.charged) == usage.calls == 2
    assert usage.dollars == pytest.approx(till.dollars)


@pytest.mark.parametrize("name", NAMES)
def test_answer_without_counts_is_charged_at_its_worst_case(tmp_path, till, name):
    till.silent = True  # the model has worked, and the connection breaks
    with proxied(tmp_path, till.address, name, Allowance(dollars=0.01)) as here:
        assert here.ask().status == 502
        [tokens] = till.charged
        assert here.proxy.usage.output >= tokens.output
        assert here.proxy.usage.dollars >= till.dollars
        for _ in range(3):
            here.ask()
        assert till.dollars <= 0.01
        [first, *_] = here.recorded
    assert first.estimated and first.usage.calls == 1


STARTED = {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}
UNCOUNTED = {
    "negative": ("chat", b'{"usage": {"prompt_tokens": -9, "completion_tokens": 3}}'),
    "not a number": ("chat", b'{"usage": {"prompt_tokens": 9, "completion_tokens": NaN}}'),
    "half": ("chat", b'{"usage": {"prompt_tokens": 9}}'),
    "zero": ("chat", b'{"usage": {"prompt_tokens": 0, "completion_tokens": 0}}'),
    "to be continued": ("anthropic", b"data: " + json.dumps(STARTED).encode() + b"\n\n"),
}


@pytest.mark.parametrize("case", UNCOUNTED)
def test_answer_with_wrong_or_early_counts_is_charged_at_its_worst_case(tmp_path, case):
    name, answer = UNCOUNTED[case]
    allowance = Allowance(dollars=CAP)
    with conversation(tmp_path, [Garbage(answer)], name, allowance=allowance) as here:
        here.ask(max_tokens=500, stream=answer.startswith(b"data"))
        [exchange] = here.recorded
    assert exchange.estimated and exchange.usage.output == 500


PAGE = b"<html>Bad gateway</html>"


@pytest.mark.parametrize(
    ("failure", "output"),
    [
        *((Fail(status), 0) for status in (400, 429, 500, 502, 503, 529)),
        *((Fail(status), 500) for status in (408, 504, 520, 522, 524)),
        *((Garbage(PAGE, status), 500) for status in (408, 500, 502, 503, 504, 520, 522, 524)),
        (Garbage(b'{"message": "try later"}', 503), 500),
        (Garbage(PAGE, 404), 0),
    ],
)
def test_request_that_a_gateway_gave_up_counts_like_one_that_was_cut(tmp_path, failure, output):
    with conversation(tmp_path, [failure], allowance=Allowance(dollars=CAP)) as here:
        assert here.ask(max_tokens=500).status == failure.status
        assert here.proxy.usage.output == output


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_answer_is_limited_to_what_is_left(tmp_path, till, name, stream):
    with proxied(tmp_path, till.address, name, Allowance(dollars=0.006)) as here:
        got = here.ask(stream=stream)
        [body] = till.bodies
        [exchange] = here.recorded
    assert got.status == 200
    assert 128 <= limit_of(name, body) < 600
    assert till.dollars <= 0.006
    assert exchange.usage.dollars == pytest.approx(till.dollars)  # streams report their counts
    assert f"limited to {limit_of(name, body)} tokens" in exchange.note


@pytest.mark.parametrize("name", ["chat", "responses", "anthropic"])
def test_own_limit_of_a_request_is_kept_where_it_fits(tmp_path, till, name):
    field = {"chat": "max_tokens", "responses": "max_output_tokens"}.get(name, "max_tokens")
    with proxied(tmp_path, till.address, name, Allowance(dollars=CAP)) as here:
        here.ask(**{field: 300})
        here.ask(**{field: 10**9})
    assert limit_of(name, till.bodies[0]) == 300
    assert limit_of(name, till.bodies[1]) < CAP / 10e-6


def test_without_a_cap_a_request_passes_as_it_is(tmp_path, till):
    with proxied(tmp_path, till.address) as here:
        here.ask(service_tier="priority")
    [body] = till.bodies
    assert body["service_tier"] == "priority"
    assert limit_of("chat", body) is None


def test_field_that_stands_twice_is_sent_as_it_was_bounded(tmp_path, till):
    path, body = question("chat", "hello", stream=False)
    raw = json.dumps(body)[:-1] + ', "max_tokens": 100, "max_tokens": 200, "n": 1, "n": 3}'
    with proxied(tmp_path, till.address, allowance=Allowance(dollars=CAP)) as here:
        assert here.request("POST", path, raw.encode()).status == 200
        [exchange] = here.recorded
    [body], [tokens] = till.bodies, till.charged
    assert (body["max_tokens"], body["n"]) == (200, 3)
    assert exchange.usage.output == tokens.output


@pytest.mark.parametrize("raw", [b"", b"[]", b"\x1f\x8b\x08", b'{"n": ' + b"[" * 5000])
def test_unreadable_request_is_not_sent_under_a_cap(tmp_path, till, raw):
    with proxied(tmp_path, till.address, "gemini", Allowance(dollars=CAP)) as here:
        path, _ = question("gemini", "hello", stream=False)
        got = here.request("POST", path, raw)
        assert (got.status, till.charged) == (400, [])
        assert "must be a JSON object" in got.message


@pytest.mark.parametrize(
    ("name", "method", "path"),
    [
        ("anthropic", "POST", "/v1/messages/batches"),
        ("chat", "POST", "/batches"),
        ("chat", "GET", "/chat/completions"),
        ("responses", "GET", "/responses"),
        ("chat", "DELETE", "/models/mine"),
        ("gemini", "POST", "/v1beta/models/a:batchGenerateContent"),
        ("gemini", "POST", "/v1beta/models/a%2F..%2Fb:generateContent"),
        ("gemini", "GET", "/v1beta/models/.."),
    ],
)
def test_requests_whose_cost_would_not_be_seen_are_not_sent(tmp_path, till, name, method, path):
    with proxied(tmp_path, till.address, name, Allowance(dollars=CAP)) as here:
        assert here.request(method, path, b"{}").status == 404
    assert till.charged == []


def test_header_cannot_say_that_the_bounded_request_is_something_else(tmp_path):
    path, body = question("chat", "hello", stream=False)
    allowance = Allowance(dollars=CAP)
    with conversation(tmp_path, [Say("ok")], allowance=allowance) as here:
        headers = PROTOCOLS["chat"].credentials(here.proxy.token)
        headers |= {"content-encoding": "gzip", "content-type": "text/plain; charset=utf-16"}
        assert here.request("POST", path, json.dumps(body).encode(), headers).status == 200
        [asked] = here.endpoint.asked
    assert asked.headers["content-type"] == "application/json"
    assert "content-encoding" not in asked.headers


def test_query_and_headers_cannot_hide_the_counts(tmp_path, till):
    path, body = question("gemini", "hello", stream=False)
    with proxied(tmp_path, till.address, "gemini") as here:
        headers = PROTOCOLS["gemini"].credentials(here.proxy.token)
        headers["x-goog-fieldmask"] = "candidates"
        raw = json.dumps(body).encode()
        here.request("POST", path + "?fields=candidates&alt=json", raw, headers)
        [exchange] = here.recorded
    assert exchange.path.endswith(":generateContent?alt=json")
    assert exchange.usage.output == till.charged[0].output


# --- killed -----------------------------------------------------------------------------------

HARNESS = """
import sys, threading
from pathlib import Path
from envwright.agents.base import Allowance
from tests.agents.proxy_client import proxied

folder, address, dollars = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
with proxied(folder, address, allowance=Allowance(dollars=dollars)) as here:
    askers = [
        threading.Thread(target=here.ask, args=(f"q {n}",), kwargs={"max_tokens": 900})
        for n in range(5)
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
"""


def test_killed_harness_has_paid_for_what_was_under_way(tmp_path, till):
    till.go_on.clear()
    command = [sys.executable, "-c", HARNESS, str(tmp_path), till.address, "0.1"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2]) as harness:
        till.wait_for(5)
        harness.send_signal(signal.SIGKILL)
    till.go_on.set()
    paid = spent(tmp_path)
    assert (paid.calls, len(till.charged)) == (5, 5)
    assert 0.1 > paid.dollars >= till.dollars > 0
    with proxied(tmp_path, till.address, allowance=Allowance(dollars=0.1 - paid.dollars)) as here:
        until_refused(here)
        numbers = [one.number for one in here.recorded]
    assert till.dollars <= 0.1
    assert numbers == list(range(1, len(numbers) + 1))
    assert spent(tmp_path).calls == len(till.charged)


@pytest.mark.parametrize("cap", [None, 0.1])
def test_killed_turn_has_spent_its_worst_case_under_a_cap_and_else_what_is_known(
    tmp_path, till, cap
):
    till.go_on.clear()
    with (
        proxied(tmp_path, till.address, allowance=Allowance(dollars=cap)) as here,
        ThreadPoolExecutor(1) as pool,
    ):
        asked = pool.submit(here.ask, "how are you? " * 100)
        till.wait_for(1)
        [left] = read_exchanges(tmp_path / FILE)  # as a killed process leaves it
        till.go_on.set()
        assert asked.result().status == 200
        [settled] = here.recorded
    assert left.estimated and left.note.startswith("not settled") and left.usage.calls == 1
    assert not settled.estimated and settled.usage.dollars == pytest.approx(till.dollars)
    if cap is None:
        size = len(json.dumps(till.bodies[0]))
        assert (left.usage.prompt, left.usage.output) == (size // 4, 0)
        assert left.usage.dollars == pytest.approx(size // 4 / 1e6)
    else:
        assert left.usage.dollars >= till.dollars


def test_closed_proxy_counts_what_it_cut_off(tmp_path, till):
    till.go_on.clear()
    options = {"allowance": Allowance(dollars=0.1), "patience": Patience()}
    with ThreadPoolExecutor(4) as pool, proxied(tmp_path, till.address, **options) as here:
        asked = [pool.submit(here.ask, f"q {n}", max_tokens=900) for n in range(4)]
        till.wait_for(4)
        here.proxy.close()
        usage = here.proxy.usage
        till.go_on.set()
        for one in asked:
            assert one.exception() is not None or one.result().status >= 400
    assert usage.calls == 4
    assert usage.dollars >= till.dollars
    assert spent(tmp_path).dollars == pytest.approx(usage.dollars)


def test_request_that_waited_too_long_is_not_sent(tmp_path, till):
    """Its program has hung up before there was room for it."""
    till.go_on.clear()
    with ThreadPoolExecutor(1) as pool:
        options = {"allowance": Allowance(dollars=0.014), "patience": Patience()}
        with proxied(tmp_path, till.address, **options) as here:
            first = pool.submit(here.ask, "first", max_tokens=1000)
            till.wait_for(1)
            ask_and_reset(here, "second", "after the request")
            till.go_on.set()
            assert first.result().status == 200
            here.proxy.close()
            usage = here.proxy.usage
    assert len(till.charged) == usage.calls == 1
