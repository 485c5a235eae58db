"""An answer costs the asker no more than its shapes allow, whatever the program writes."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc

import gymnasium
import numpy as np
import pytest

from envwright.sim import bounds
from envwright.sim.bounds import TooMuch, parse

MB = 1 << 20
BOMB = """
import sys
input()
print('{"action": {"n": 2}, "observation": {"n": 2}}', flush=True)
input()
for _ in range(105):
    sys.stdout.write("[" * 1_000_000)
sys.stdout.write("\\n")
sys.stdout.flush()
input()
"""
ASKING = """
import resource, sys

from envwright.sim.resolve import open_simulator

with open_simulator(f"command:{sys.executable} {sys.argv[1]}") as bomb:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        bomb.reset(0)
    except RuntimeError as error:
        print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_line_of_brackets_costs_its_asker_little(tmp_path):
    (tmp_path / "bomb.py").write_text(BOMB)
    command = [sys.executable, "-c", ASKING, str(tmp_path / "bomb.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    reason, megabytes = done.stdout.splitlines()
    assert "more than 67,108,864 bytes" in reason
    assert int(megabytes) < 250


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 4 * MB + b"]" * 4 * MB,
        b"[" + b"[]," * 2 * MB + b"[]]",
        b"[" + b"{}," * 2 * MB + b"{}]",
        b'{"a":' * MB + b"1" + b"}" * MB,
        b"[" + b"1," * 4 * MB + b"1]",
        b'["' + b"x" * 8 * MB + b'"]',
    ],
    ids=["deep lists", "lists", "objects", "deep objects", "numbers", "text"],
)
def test_more_than_expected_is_not_parsed(line):
    tracemalloc.start()
    try:
        with pytest.raises(TooMuch):
            parse(line, 100_000)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * len(line)


def test_a_line_of_few_values_may_not_nest():
    with pytest.raises(TooMuch, match="more than 16 levels"):
        parse(b"[" * 100 + b"]" * 100, 100_000)


def test_what_was_expected_is_parsed():
    table = {"obs": np.ones((50, 4)).tolist(), "note": "a text with [brackets], {x} and more"}
    assert parse(json.dumps(table).encode(), 200) == table
    with pytest.raises(TooMuch, match="more than 90 values"):
        parse(json.dumps(table).encode(), 90)


def test_an_observation_has_the_numbers_of_its_space():
    spaces = gymnasium.spaces
    box = spaces.Box(0, 1, (3, 5))
    nested = spaces.Dict({"a": box, "b": spaces.Tuple([spaces.Discrete(3), box])})
    assert bounds.elements_of(nested) == 31
    assert bounds.elements({"a": np.zeros((3, 5)), "b": {"c": 1.0}}) == 16
