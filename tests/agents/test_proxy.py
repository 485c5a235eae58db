"""The proxy between a program and its endpoint: forwards, hides the key, streams, records."""

from __future__ import annotations

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from tests.agents.endpoint import KEY
from tests.agents.moves import Cut, Fail, Garbage, Hang, Say, Slow, Write
from tests.agents.proxy_client import DOLLARS, MODEL, PATHS, conversation, question
from tests.agents.wording import WORDINGS

from envwright.agents.base import Usage
from envwright.agents.proxy import FILE, PROTOCOLS, Patience, Upstream, spent
from envwright.errors import EnvwrightError

NAMES = ["gemini", "chat", "responses", "anthropic"]
PATIENT = Patience(first_byte=30.0)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_answer_passes_unchanged_and_is_counted(tmp_path, name, stream):
    with conversation(tmp_path, [Say("hello back")], name) as here:
        got = here.ask(stream=stream)
        wording = WORDINGS[name]
        model = "scripted" if name == "gemini" else MODEL
        whole = json.dumps(wording.document("hello back", model)).encode()
        assert got.body == (wording.stream("hello back", model) if stream else whole)
        assert here.proxy.usage == Usage(1200, 1000, 80, 1, pytest.approx(DOLLARS))
        assert here.proxy.trouble is None


@pytest.mark.parametrize("name", NAMES)
def test_endpoint_sees_the_real_key_and_the_program_only_a_token(tmp_path, name):
    with conversation(tmp_path, [Say("ok")], name) as here:
        here.ask()
        [asked] = here.endpoint.asked
        protocol = PROTOCOLS[name]
        assert asked.headers[protocol.header] == protocol.scheme + KEY
        assert here.proxy.token not in str(asked.headers)
        assert KEY not in here.proxy.token


def test_key_in_the_address_is_taken_out(tmp_path):
    with conversation(tmp_path, [Say("ok")], "gemini") as here:
        path, body = question("gemini", "hello", stream=False)
        path += f"?key={here.proxy.token}&alt=json"
        assert here.request("POST", path, json.dumps(body).encode(), {}).status == 200
        assert here.endpoint.asked[0].path.endswith("?alt=json")


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer guess"}, {"x-api-key": KEY}])
def test_who_does_not_know_the_token_gets_nothing(tmp_path, headers):
    with conversation(tmp_path, [Say("ok")]) as here:
        assert here.request("POST", "/chat/completions", b"{}", headers).status == 401
        assert here.endpoint.asked == []


@pytest.mark.parametrize("path", ["/files", "/v1/organization/admin_api_keys", "/", "/models/x/y"])
def test_key_serves_no_other_purpose(tmp_path, path):
    with conversation(tmp_path, [Say("ok")]) as here:
        for method in ("GET", "POST", "DELETE"):
            assert here.request(method, path).status == 404
        assert here.endpoint.asked == []
        assert here.proxy.usage == Usage()


def test_lists_of_models_pass_and_cost_nothing(tmp_path):
    with conversation(tmp_path, [Say("ok")]) as here:
        assert here.request("GET", "/models").status == 200
        assert here.proxy.usage == Usage()


def test_stream_arrives_while_it_is_made(tmp_path):
    text = "a long answer " * 200  # its first events wait for some that follow
    with conversation(tmp_path, [Slow(text)]) as here:
        path, body = question("chat", "hello", stream=True)
        with here.open("POST", path, json.dumps(body).encode()) as answer:
            first = answer.read1()
            here.endpoint.go_on.set()
            rest = answer.read()
        assert first and rest
        assert first + rest == WORDINGS["chat"].stream(text, MODEL)


def test_it_listens_on_a_socket(tmp_path):
    with conversation(tmp_path, [Say("ok")], socket=tmp_path / "s") as here:
        assert here.ask().status == 200
        assert here.proxy.port is None


def test_requests_in_chunks_are_understood(tmp_path):
    with conversation(tmp_path, [Say("ok")]) as here:
        path, body = question("chat", "hello", stream=False)
        headers = {"authorization": f"Bearer {here.proxy.token}", "transfer-encoding": "chunked"}
        raw = json.dumps(body).encode()
        chunks = b"%x\r\n%s\r\n" % (10, raw[:10]) + b"%x;x=y\r\n%s\r\n0\r\n\r\n" % (
            len(raw) - 10,
            raw[10:],
        )
        assert here.request("POST", path, chunks, headers).status == 200
        assert here.endpoint.asked[0].body == body


def test_unreadable_size_is_refused(tmp_path):
    with conversation(tmp_path, [Say("ok")]) as here:
        for size in ("-1", "many", str(2**40)):
            got = here.request("POST", PATHS["chat"], b"", {"content-length": size})
            assert got.status == 400
        assert here.ask().status == 200


def test_concurrent_requests_are_all_counted(tmp_path):
    with conversation(tmp_path, [Say("ok")]) as here, ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda n: here.ask(f"question {n}").status, range(24)))
        assert statuses == [200] * 24
        assert here.proxy.usage.calls == 24
        assert [one.number for one in here.recorded] == list(range(1, 25))


# --- the record -----------------------------------------------------------------------------


def test_record_tells_request_and_answer_without_folders_and_keys(tmp_path):
    work = tmp_path / "work"
    script = [Write(f"{work}/a.py", "x = 1"), Say("done")]
    with conversation(tmp_path, script, places={"workspace": work}) as here:
        here.ask(f"look at {work}/b.py, my key is {KEY}", stream=True)
        [exchange] = here.recorded
    line = (tmp_path / FILE).read_text()
    assert str(tmp_path) not in line
    assert KEY not in line and here.proxy.token not in line
    hidden = "look at <<envwright:workspace>>/b.py, my key is <<envwright:key>>"
    assert exchange.request["messages"][0]["content"] == hidden
    assert "<<envwright:workspace>>/a.py" in exchange.answer
    assert (exchange.status, exchange.model, exchange.estimated) == (200, MODEL, False)
    assert exchange.usage == here.proxy.usage == spent(tmp_path)


def test_what_is_spent_in_a_folder_is_the_sum_of_its_lines(tmp_path):
    for _ in range(2):
        with conversation(tmp_path, [Say("ok")]) as here:
            here.ask()
    assert spent(tmp_path).calls == 2
    assert spent(tmp_path / "elsewhere") == Usage()


def test_error_that_repeats_the_key_is_told_without_it(tmp_path):
    with conversation(tmp_path, [Fail(404, f"no model for {KEY}")]) as here:
        got = here.ask()
        assert got.status == 404
        assert KEY.encode() not in got.body and b"no model for" in got.body
        assert here.proxy.trouble.kind == "refused"
    assert KEY not in (tmp_path / FILE).read_text()


# --- endpoints that fail --------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_garbage_passes_and_no_byte_of_it_is_lost_in_the_record(tmp_path, stream):
    with conversation(tmp_path, [Garbage()]) as here:
        got = here.ask(stream=stream)
        assert (got.status, got.body) == (200, Garbage().body)
        assert here.proxy.trouble.kind == "down"
        [exchange] = here.recorded
        assert exchange.answer.encode("utf-8", "surrogateescape") == Garbage().body
        assert here.proxy.usage == Usage(calls=1)  # no model said that
        assert here.proxy.trouble.reason.isprintable()


def test_cut_stream_is_seen_as_cut_and_recorded(tmp_path):
    with conversation(tmp_path, [Cut()]) as here:
        with pytest.raises(http.client.IncompleteRead):
            here.ask(stream=True)
        [exchange] = here.recorded
        assert "broke off" in exchange.note
        assert exchange.estimated and exchange.usage.calls == 1 and exchange.usage.prompt > 0
        assert exchange.answer.startswith("data: ")


def test_silent_endpoint_is_not_waited_for_for_ever(tmp_path):
    with conversation(tmp_path, [Hang()], patience=Patience(first_byte=0.3)) as here:
        got = here.ask()
        assert got.status == 504
        assert "silent for too long" in got.message
        assert here.proxy.trouble.kind == "down"
        assert here.proxy.usage == Usage(calls=1)


def test_endpoint_that_falls_silent_in_the_middle_is_not_waited_for_either(tmp_path):
    with conversation(tmp_path, [Slow("a long answer")], patience=Patience(silence=0.3)) as here:
        with pytest.raises(http.client.IncompleteRead):
            here.ask(stream=True)
        [exchange] = here.recorded
        assert exchange.note == "the endpoint broke off: it is silent for too long"
        here.endpoint.go_on.set()


def test_absent_endpoint_is_told(tmp_path):
    with conversation(tmp_path, [Say("ok")]) as here:
        here.endpoint.__exit__()
        got = here.ask()
        assert got.status == 502
        assert "connection refused" in got.message


def test_closing_ends_what_hangs_and_records_it(tmp_path):
    with conversation(tmp_path, [Hang()], patience=PATIENT) as here:
        waiting = threading.Thread(target=_ask_in_vain, args=(here,))
        waiting.start()
        while not here.endpoint.asked:
            time.sleep(0.01)
        started = time.monotonic()
        [exchange] = here.recorded
        assert time.monotonic() - started < 120
        waiting.join()
    assert "the program ended" in exchange.note
    assert here.proxy.trouble is None


@pytest.mark.parametrize("address", ["", "localhost:80", "ftp://host", "http://"])
def test_address_that_is_none_is_refused(address):
    with pytest.raises(EnvwrightError, match="is not an endpoint address"):
        Upstream(address, KEY, PROTOCOLS["chat"], PATIENT)


def _ask_in_vain(here):
    with suppress(OSError, http.client.HTTPException):
        here.ask()
