"""The real programs, in the jail, through the proxy, with a scripted model behind it."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.agents.endpoint import KEY, Endpoint
from tests.agents.moves import Fail, Garbage, Hang, Run, Say, Write
from tests.agents.programs import executable
from tests.agents.proxy_client import DOLLARS, MODEL, PRICES

from envwright.agents.base import Allowance, Task, TaskKind, Usage
from envwright.agents.cli import PROGRAMS, cli_agent
from envwright.agents.proxy import FILE, read_exchanges
from envwright.sandbox import why_not

REFUSED = why_not()
pytestmark = pytest.mark.skipif(bool(REFUSED), reason=f"no jail here: {REFUSED}")

# How long they take to start: codex half a second, gemini three, opencode five or more.
QUICK, COMMON = ("codex",), ("gemini", "codex")


def programs(*ordinary):
    """A test for every program; for others than these it counts as slow."""
    slow = {name: () if name in ordinary else pytest.mark.slow for name in PROGRAMS}
    return pytest.mark.parametrize(
        "name", [pytest.param(name, marks=marks) for name, marks in slow.items()]
    )


class Room:
    """A turn's folders, and an agent before a scripted endpoint."""

    def __init__(self, folder, name, monkeypatch, work="work"):
        self.folder, self.name = folder, name
        self.work = folder / work
        self.turn = folder / "turn-001"
        for path in (self.work, self.turn):
            path.mkdir()
        program = executable(name)
        self.options = {"executable": program, "model": MODEL, "prices": PRICES}
        # As a user's shell has it; nothing of this may be seen in the jail.
        monkeypatch.setenv(PROGRAMS[name].keys[0], KEY)
        monkeypatch.setenv("SECRET_OF_THE_HOST", KEY)

    def task(self, **allowance):
        limits = Allowance(**{"seconds": 60.0, **allowance})
        prompt = "Write hello.txt.\nThen say that you are done."
        return Task(1, TaskKind.TRANSLATE, "test", prompt, self.work, self.turn, limits)

    def ask(self, script, allowance=None, **options):
        with Endpoint(script, self.name) as endpoint:
            agent = cli_agent(self.name, endpoint=endpoint.address, **self.options, **options)
            self.answer = agent.ask(self.task(**(allowance or {})))
            self.asked = list(endpoint.asked)
            # Starting takes a while on a busy machine, and is not what is tested.
            self.seconds = time.monotonic() - self.asked[0].time if self.asked else 0.0
            self.usage = endpoint.usage
        return self.answer

    def everything_written(self):
        """All that the turn left in files."""
        for path in self.folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                yield path.read_bytes()


@pytest.fixture
def room(tmp_path, name, monkeypatch):
    return Room(tmp_path, name, monkeypatch)


@programs(*COMMON)
def test_program_works_in_its_workspace_and_sees_nothing_else(room, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("a secret")
    answer = room.ask(
        [
            Write(f"{room.work}/hello.txt", "hello"),
            Run("env > env.txt; cat /proc/[0-9]*/environ >> env.txt 2>/dev/null; echo"),
            Run(f"cat {outside}/secret.txt > seen.txt; echo x > {outside}/new.txt; echo"),
            Run(f"cat {room.turn}/{FILE} > record.txt; ls {room.turn} > turn.txt; echo"),
            Say("All done."),
        ]
    )
    assert (answer.status, answer.reason) == ("ok", "")
    assert answer.text == "All done."
    assert (room.work / "hello.txt").read_text() == "hello"
    assert os.listdir(outside) == ["secret.txt"]
    assert (room.work / "seen.txt").read_text() == ""
    assert (room.work / "record.txt").read_text() == ""
    assert (room.work / "env.txt").read_text() != ""
    assert not any(KEY.encode() in data for data in room.everything_written())
    # What the endpoint counted is what the proxy counted, every request of the program.
    answered = room.usage.output // 80
    assert answered >= 5
    assert answer.usage.dollars == pytest.approx(answered * DOLLARS)
    assert (answer.usage.prompt, answer.usage.cached) == (room.usage.prompt, room.usage.cached)
    assert (answer.usage.output, answer.usage.calls) == (room.usage.output, room.usage.calls)
    assert all(KEY in str(asked.headers) for asked in room.asked)


@programs(*COMMON)
def test_wrong_key_is_told_at_once(room):
    answer = room.ask([Fail(401, "this key is not known")])
    assert answer.status == "auth"
    assert "this key is not known" in answer.reason
    assert room.seconds < 20


@programs(*COMMON)
def test_spent_budget_stops_the_program(room):
    script = [Write(f"{room.work}/{n}.txt", "x") for n in range(9)]
    answer = room.ask(script, {"dollars": 2.5 * DOLLARS})
    assert answer.status == "budget"
    assert "budget" in answer.reason
    assert room.asked == []  # its first request, of 40 kB and more, could pass the cap
    assert answer.usage == Usage()
    assert answer.seconds < 60


@programs(*QUICK)
def test_endless_refusals_end_in_seconds(room):
    answer = room.ask([Fail(429, "come back later")])
    assert answer.status == "crash"
    assert "come back later" in answer.reason
    assert room.seconds < 30


@programs(*QUICK)
def test_garbage_ends_in_seconds(room):
    answer = room.ask([Garbage()])
    assert answer.status == "crash"
    assert "not from a model" in answer.reason
    assert room.seconds < 30


@programs(*QUICK)
def test_silent_endpoint_ends_with_the_time_and_all_that_was_started(room):
    seconds = 4.0 if room.name in ("codex", "claude") else 20.0
    nap = f"sleep {31_000 + os.getpid()}"
    answer = room.ask([Run(f"{nap} > /dev/null 2>&1 & echo"), Hang()], {"seconds": seconds})
    assert answer.status == "timeout"
    assert f"took longer than {seconds:g} s" in answer.reason
    assert answer.usage.calls >= 2
    assert answer.seconds < seconds + 5
    assert nap not in set(_everything_that_runs())


@programs(*QUICK)
def test_recorded_turn_is_replayed_in_another_folder(room, tmp_path, monkeypatch):
    room.ask([Write(f"{room.work}/hello.txt", "hello"), Say("All done.")])
    (tmp_path / "other").mkdir()
    other = Room(tmp_path / "other", room.name, monkeypatch, work="elsewhere")
    agent = cli_agent(room.name, recording=room.folder, **other.options)
    answer = agent.ask(other.task())
    assert (answer.status, answer.text) == ("ok", "All done.")
    assert (other.work / "hello.txt").read_text() == "hello"
    assert answer.usage == room.answer.usage
    notes = [exchange.note for exchange in read_exchanges(other.turn / FILE)]
    assert all(note.startswith("replayed from exchange") for note in notes)
    assert not any("no request" in note for note in notes)


def _everything_that_runs():
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield line.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
