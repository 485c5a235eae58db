"""The record survives being killed, and is replayed in other folders without an endpoint."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.agents.moves import Fail, Say, Write
from tests.agents.proxy_client import MODEL, PATHS, conversation, question, replay

from envwright.agents.base import Allowance
from envwright.agents.proxy import FILE, exchanges, read_exchanges, spent
from envwright.agents.proxy.exchanges import Record
from envwright.errors import EnvwrightError

NAMES = ["gemini", "chat", "responses", "anthropic"]

BUSY = """
import sys, threading
from pathlib import Path
from tests.agents.moves import Say
from tests.agents.proxy_client import conversation

def ask(here):
    while True:
        here.ask("x" * 200_000)

with conversation(Path(sys.argv[1]), [Say("y" * 50_000)]) as here:
    askers = [threading.Thread(target=ask, args=(here,), daemon=True) for _ in range(3)]
    for asker in askers:
        asker.start()
    print("ready", flush=True)
    askers[0].join()
"""


def test_killed_proxy_leaves_whole_lines(tmp_path):
    command = [sys.executable, "-c", BUSY, str(tmp_path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as process:
        process.stdout.readline()
        record = tmp_path / FILE
        while not record.exists() or record.stat().st_size < 2_000_000:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    exchanges = list(read_exchanges(record))
    assert len(exchanges) >= 4
    assert [one.number for one in exchanges] == list(range(1, len(exchanges) + 1))
    assert spent(tmp_path).calls == len(exchanges)


def test_unfinished_line_is_no_exchange_and_is_cut_off_by_the_next(tmp_path):
    with conversation(tmp_path, [Say("ok")]) as here:
        here.ask()
    with open(tmp_path / FILE, "ab") as file:
        file.write(b'{"number": 2, "time": "20')
    assert len(list(read_exchanges(tmp_path / FILE))) == 1
    with conversation(tmp_path, [Say("ok")]) as here:
        here.ask()
        assert [one.number for one in here.recorded] == [1, 2]


def test_line_changed_by_hand_is_told(tmp_path):
    (tmp_path / FILE).write_text('{"number": 1}\n')
    with pytest.raises(EnvwrightError, match=r"line 1 of .* is not a recorded exchange"):
        spent(tmp_path)


def test_nothing_is_written_after_closing(tmp_path):
    record = Record(tmp_path / FILE)
    record.close()
    with conversation(tmp_path, [Say("ok")]) as here:
        here.ask()
        [exchange] = here.recorded
    with pytest.raises(ValueError):
        record.append(exchange)


# --- replay ---------------------------------------------------------------------------------


def made_in(tmp_path, name, *parts):
    folder = tmp_path.joinpath(name, *parts)
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_replay_in_another_folder_answers_with_its_paths(tmp_path, name, stream):
    there, here = made_in(tmp_path, "there"), made_in(tmp_path, "here", "deeper")
    script = [Write(f"{there}/room/a.py", "x"), Say("done")]
    with conversation(there, script, name, places={"workspace": there / "room"}) as first:
        asked = first.ask(f"stay in {there}/room on 2026-11-16", stream)
        spent_there = first.proxy.usage
    with replay(here, there, name, places={"workspace": here / "room"}) as second:
        again = second.ask(f"stay in {here}/room on 2027-01-02", stream)
        assert second.proxy.usage == spent_there
        [exchange] = second.recorded
    assert exchange.note == "replayed from exchange 1"
    assert str(there).encode() not in again.body
    if not stream:
        assert again.body == asked.body.replace(str(there).encode(), str(here).encode())


def test_replay_finds_the_same_question_in_any_order(tmp_path):
    there, here = made_in(tmp_path, "there"), made_in(tmp_path, "here")
    with conversation(there, [Say("first")]) as first:
        first.ask("one")
        first.endpoint.script = [Say("second")]
        first.ask("two")
    with replay(here, there) as second:
        assert b"second" in second.ask("two").body
        assert b"first" in second.ask("one").body


def test_replay_falls_back_to_the_next_of_the_path_and_says_so(tmp_path):
    there, here = made_in(tmp_path, "there"), made_in(tmp_path, "here")
    with conversation(there, [Say("first")]) as first:
        first.ask("one")
    with replay(here, there) as second:
        assert b"first" in second.ask("something else").body
        [exchange] = second.recorded
    assert "no request of the recording is the same" in exchange.note


def test_replay_names_what_the_recording_lacks(tmp_path):
    there, here = made_in(tmp_path, "there"), made_in(tmp_path, "here")
    with conversation(there, [Say("first")]) as first:
        first.ask("one")
    with replay(here, there) as second:
        second.ask("one")
        got = second.ask("one")
        assert got.status == 400
        assert "has no answer left to /chat/completions" in got.message
        assert second.proxy.trouble.kind == "replay"


def test_replay_repeats_failures(tmp_path):
    there, here = made_in(tmp_path, "there"), made_in(tmp_path, "here")
    with conversation(there, [Fail(401, "no")]) as first:
        given = [first.ask().status for _ in range(3)]
        trouble = first.proxy.trouble
    with replay(here, there) as second:
        assert [second.ask().status for _ in range(3)] == given
        assert second.proxy.trouble.kind == trouble.kind


def test_missing_recording_is_told(tmp_path):
    missing = replay(tmp_path, tmp_path / "none")
    with pytest.raises(EnvwrightError, match="cannot read the recorded exchanges"), missing:
        pass


def test_record_is_read_by_nobody_else(tmp_path):
    with conversation(tmp_path, [Say("ok")]) as here:
        path, body = question("chat", "hello", stream=False)
        here.request("POST", path, json.dumps(body).encode())
        [exchange] = here.recorded
    assert os.stat(tmp_path / FILE).st_mode & 0o077 == 0
    assert (exchange.path, exchange.model) == (path, MODEL)


@pytest.mark.parametrize("dollars", [None, 5.0])
def test_deep_requests_are_recorded_too(tmp_path, dollars):
    with conversation(tmp_path, [Say("ok")], allowance=Allowance(dollars=dollars)) as here:
        for depth in range(50, 1000, 75):
            raw = f'{{"model": "{MODEL}", "messages": {"[" * depth}{"]" * depth}}}'
            here.request("POST", PATHS["chat"], raw.encode())
        exchanges = here.recorded
    assert len(exchanges) == 13
    assert sum(one.usage.calls for one in exchanges) == here.proxy.usage.calls
    assert sum(one.usage.dollars for one in exchanges) == pytest.approx(here.proxy.usage.dollars)


@pytest.mark.parametrize("path", ["/v1/files", "/models", PATHS["chat"]])
def test_record_does_not_grow_without_end(tmp_path, monkeypatch, path):
    monkeypatch.setattr(exchanges, "LARGEST", 4000)
    with conversation(tmp_path, [Say("ok")] * 20) as here:
        body = json.dumps({"model": "scripted-1", "messages": [], "more": "x" * 1000}).encode()
        method = "GET" if path == "/models" else "POST"
        for _ in range(20):
            here.request(method, path, body)
        assert here.request(method, path, body).status == 400
        assert "more than is recorded" in here.proxy.trouble.reason
    assert (tmp_path / FILE).stat().st_size < 4000 + 2 * 2000
