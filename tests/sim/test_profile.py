"""A profile says where the time of a step goes, and whose line it is."""

from __future__ import annotations

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core.env import Env
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete
from envwright.sim.profile import measure, profile
from envwright.sim.profile.program import read_program
from envwright.sim.profile.trace import BETWEEN, read_times


@pytree_dataclass
class Drops:
    height: jax.Array  # float32[64]


class Rain(Env[Drops, None]):
    """A step sorts, which is dear, and counts, which is not."""

    id, version, default_params = "rain", 1, None

    def draw_start(self, key, params):
        return jax.random.uniform(key, (64,))

    def start(self, noise, params):
        return Drops(noise)

    def transition(self, state, action, noise, params):
        height = jnp.sort(jnp.sin(state.height * 12345.0))  # the dear line
        return Drops(height), height[0], jnp.bool_(False), {}

    def observe(self, state, player=0):
        return state.height

    def observation_space(self, params=None):
        return Box(np.full(64, -1.0, np.float32), np.ones(64, np.float32))

    def action_space(self, params=None):
        return Discrete(2)


LINE = next(
    number
    for number, line in enumerate(Path(__file__).read_text().splitlines(), 1)
    if line.endswith("# the dear line")
)


def rows(text):
    """The table: share, microseconds, operation, what it is, where it comes from."""
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [(int(share.rstrip("%")), *rest) for share, *rest in cells[1:]]


def test_the_dear_operation_comes_first_with_its_line():
    text = profile(Rain(), 256)
    share, _, name, kind, where = rows(text)[0]
    assert share > 30 and "sort" in name + kind
    assert f"test_profile.py:{LINE} Rain.transition" in where
    assert sum(row[0] for row in rows(text)) <= 101
    assert re.search(r"Compiling took \d+\.\d s", text) and "bytes read and written" in text
    assert "256 bytes a lane" in text


def test_without_a_trace_there_are_counts_and_the_reason(monkeypatch):
    def refused(run, module):
        raise RuntimeError("another profiler is at work")

    monkeypatch.setattr(measure, "traced", refused)
    text = profile(Rain(), 8)
    assert "RuntimeError: another profiler is at work" in text and "2 sort" in text
    assert "| share |" not in text


def event(name, begin, length, thread=1, module="jit_f"):
    told = {} if name == BETWEEN else {"hlo_module": module, "hlo_op": name}
    return {"ph": "X", "ts": begin, "dur": length, "tid": thread, "name": name, "args": told}


def test_what_runs_inside_another_is_not_counted_twice():
    events = [
        event("while.1", 0, 100),
        event(BETWEEN, 10, 80),
        event("sort.1", 20, 30),
        event("sort.1", 25, 10),
        event("add.1", 60, 5),
        event("add.1", 0, 7, thread=2),
        event("add.1", 200, 7, module="jit_other"),
        {"ph": "M", "name": "process_name"},
    ]
    times = read_times(events, "jit_f")
    assert times.operations == {"while.1": 20, "sort.1": 30, "add.1": 12}
    assert times.between == 45 and times.total == 107


def test_a_program_tells_a_loop_from_what_is_done_once():
    def run(x, steps):
        x = jnp.cumsum(x)
        return jax.lax.fori_loop(0, steps, lambda _, x: jnp.sort(x) + 1, x)

    program = read_program(jax.jit(run).lower(jnp.ones(100), 3).compile().as_text())
    loop = next(op for op in program.operations.values() if op.made_by == "jit(run)/while")
    within = {program.operations[name].kind for name in program.within(loop)}
    assert "sort" in within and "reduce-window" not in within
    sort = next(op for op in program.operations.values() if op.kind == "sort")
    (stack,) = program.places(sort)
    assert stack[0].file == __file__ and "<lambda>" in stack[0].function


@pytest.mark.parametrize("text", ["", "HloModule nothing\n", 'FileNames\n1 "a.py"\n'])
def test_a_text_that_says_nothing_is_no_error(text):
    assert read_program(text).operations == {}
