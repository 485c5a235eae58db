"""Ctrl-C: exit code 130, one sentence, no half-written file, nobody left behind."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envwright.cli.interrupt import AGAIN, interrupts

ROOT = Path(__file__).parents[2]
WORLDS = "python:tests.verify.worlds"
COMMAND = [sys.executable, "-c", "from envwright.cli import main; main()"]


@pytest.mark.parametrize(
    ("executor", "later"),
    [
        pytest.param("serial", 0.5, id="serial"),
        pytest.param("process:2", 0.0, id="while workers start", marks=pytest.mark.slow),
        pytest.param("process:2", 1.5, id="while workers work", marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_in_the_middle_leaves_nothing_half_written(executor, later, tmp_path):
    running = subprocess.Popen(
        [
            *COMMAND,
            *("verify", "--reference", f"{WORLDS}:Marble", "--twin", f"{WORLDS}:Marble"),
            *("--levels", "2,3", "--episodes", "1000000", "--executor", executor),
            *("--json", str(tmp_path / "r.json"), "--keep", str(tmp_path)),
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stderr.readline().startswith("  level 2: ")
        time.sleep(later)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of them
        _, errors = running.communicate(timeout=300)
    finally:
        running.kill()
    assert running.returncode == 130
    said = [line for line in errors.splitlines() if not line.startswith("  level ")]  # progress
    assert said == ["envwright: interrupted; nothing was half-written"]
    assert list(tmp_path.iterdir()) == []
    assert _group_is_gone(running.pid)


EARLY = """
import sys
from envwright.cli import main

class Pressed:
    def find_spec(self, name, path, target=None):
        if name == "envwright.cli.app":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
main(["list"])
"""


def test_ctrl_c_while_a_command_is_imported_is_one_sentence():
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "envwright: interrupted; nothing was half-written\n"


def _group_is_gone(group, patience=120.0):
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def _callback(phase="", info=None):
    """As JAX's and hypothesis's: Python prints and forgets what is raised in here."""
    _collect_statistics()
    return "finished"


def _collect_statistics():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def _hooked():
    """As if the collector called it; it is asked for by name, not run by a collection."""
    named = type("Hook", (), {"__name__": "_callback", "__call__": lambda *_: None})()
    gc.callbacks.append(named)
    yield
    gc.callbacks.remove(named)


def test_an_interrupt_in_a_callback_of_the_garbage_collector_is_heard_right_after():
    with pytest.raises(KeyboardInterrupt), interrupts():
        assert _callback() == "finished"
        time.sleep(100 * AGAIN)
        pytest.fail("the interrupt was lost")


def test_an_interrupt_elsewhere_is_heard_at_once():
    with pytest.raises(KeyboardInterrupt), interrupts():
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the interrupt was lost")


def test_signals_are_as_before_afterwards():
    before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGALRM)]
    with pytest.raises(KeyboardInterrupt), interrupts():
        _callback()
        time.sleep(100 * AGAIN)
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGALRM)] == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
