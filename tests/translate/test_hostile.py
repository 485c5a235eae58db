"""Code that nobody has read: whatever it does is contained, and said in the verdict."""

from __future__ import annotations

import ast
import socket
import threading
from dataclasses import replace

import pytest
from tests.translate.answers import ENV, HEAT, turn
from tests.translate.conftest import REASON
from tests.translate.scripted import Scripted

from envwright.schema.translation import Budget
from envwright.translate import jailed

pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

FORKING = """
import os, time
for _ in range(300):  # bounded here, whatever the jail does
    if os.fork() == 0:
        time.sleep(20)
        os._exit(0)
"""
HUNGRY = """
held = []
for _ in range(100):  # 10 GB, if nobody stops it
    held.append(b"x" * 100_000_000)
"""
OUTSIDE = """
with open({path!r}, "w") as file:
    file.write("I was here")
"""
CALLING = """
import socket
socket.create_connection(("127.0.0.1", {port}), timeout=5)
"""
LOUD = """
import os
for fd in range(1, 10):
    try:
        os.write(fd, b'{"result": [1.0]}\\n')
    except OSError:
        pass
"""
NOSY = """
import os
raise RuntimeError(f"I see {os.environ.get('GEMINI_API_KEY')} and {os.listdir('/root')}")
"""

LOOKING = """
import importlib, os
from gymnasium import envs
found = []
for name in {modules}:
    try:
        importlib.import_module(name)
        found.append(name)
    except ImportError:
        pass
folder = envs.__path__[0]
found += [f"{{name}}/{{file}}" for name in ("classic_control", "toy_text")
          for file in os.listdir(os.path.join(folder, name))]
found += [os.path.join(place, file) for place, _, files in os.walk({run!r}) for file in files]
raise RuntimeError(f"I found {{sorted(found)}}")
"""
ELSEWHERE = ("lamp", "mujoco", "brax", "gymnax", "pyboy", "pettingzoo", "envwright._native")
ELSEWHERE += ("envwright.zoo.pong", "envwright.translate", "envwright.verify")


@pytest.fixture
def strict(monkeypatch):
    """Small limits, so that nothing takes long."""
    small = replace(jailed.TWIN_LIMITS, memory_mb=900, processes=120, seconds=60)
    monkeypatch.setattr(jailed, "TWIN_LIMITS", small)
    monkeypatch.setattr(jailed, "PATIENCE", 20.0)
    # It would be refused unread; here it is run, to see what holds it then.
    monkeypatch.setattr(jailed, "forbidden", lambda folder, package: [])


def judged(run_of, lamp, code):
    """The first failure of a module with this code in it; then a good one passes."""
    spec = replace(lamp, budget=Budget(iterations=1))
    run = run_of(Scripted([turn(heat=HEAT + code)]), spec=spec)
    assert run.go().outcome == "budget"
    (verdict,) = run.journal.of("judged")[0]["verdicts"]
    return verdict["failures"][0]["summary"]


def test_an_endless_loop_is_ended(strict, monkeypatch, run_of, lamp):
    monkeypatch.setattr(jailed, "PATIENCE", 4.0)
    assert "no answer within 4 s" in judged(run_of, lamp, "\nwhile True:\n    pass\n")


def test_a_program_that_keeps_forking_is_contained(strict, run_of, lamp):
    said = judged(run_of, lamp, FORKING)
    assert "BlockingIOError" in said or "processes" in said


def test_ten_gigabytes_are_not_to_be_had(strict, run_of, lamp):
    said = judged(run_of, lamp, HUNGRY)
    assert "more than 900 MB of memory" in said


def test_a_file_outside_is_not_written(strict, run_of, lamp, tmp_path):
    path = tmp_path / "outside.txt"
    said = judged(run_of, lamp, OUTSIDE.format(path=str(path)))
    assert "Error" in said and not path.exists()


def test_the_workspace_cannot_be_changed_while_it_is_judged(strict, run_of, lamp):
    said = judged(run_of, lamp, OUTSIDE.format(path="src/fast_lamp/env.py"))
    assert "Read-only" in said


def test_neither_the_reference_nor_another_environment_is_there(strict, run_of, lamp):
    code = LOOKING.format(modules=ELSEWHERE, run=str(lamp.folder))
    said = judged(run_of, lamp, code)
    assert "I found ['" in said
    found = said.split("I found ")[1].split(" (src/")[0]
    (only,) = ast.literal_eval(found)
    assert only.endswith("/workspace/src/fast_lamp/heat.py")


def test_nobody_is_called(strict, run_of, lamp):
    with socket.create_server(("127.0.0.1", 0)) as server:
        heard = []

        def listen():
            try:
                heard.append(server.accept())
            except OSError:
                return

        threading.Thread(target=listen, daemon=True).start()
        said = judged(run_of, lamp, CALLING.format(port=server.getsockname()[1]))
    assert "ConnectionRefusedError" in said and not heard


def test_keys_and_homes_of_the_host_are_not_seen(strict, run_of, lamp, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    said = judged(run_of, lamp, NOSY)
    assert "secret" not in said and ("I see None" in said or "Error" in said)


def test_answers_that_nobody_asked_for_are_not_believed(strict, run_of, lamp):
    wrong = HEAT.replace("0.0625", "0.125") + LOUD
    spec = replace(lamp, budget=Budget(iterations=1))
    run = run_of(Scripted([turn(heat=wrong)]), spec=spec)
    run.go()
    (verdict,) = run.journal.of("judged")[0]["verdicts"]
    assert len(verdict["failures"]) == 1 and verdict["passed"] == []


@pytest.mark.slow
def test_after_all_that_a_good_module_passes(strict, run_of, lamp):
    agent = Scripted([turn(heat=HEAT + HUNGRY), turn(heat=HEAT), turn(env=ENV)])
    assert run_of(agent, levels=(1,)).go().outcome == "verified"
