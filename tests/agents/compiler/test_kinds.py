"""The compiler translates every kind of action, observation and reward."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests import kinds
from tests.agents.compiler.workbench import compiled, differences, imported

from envwright.agents.compiler.facts import watch
from envwright.agents.compiler.job import Job
from envwright.agents.compiler.parts import expression, gathered, without
from envwright.agents.compiler.trouble import Unsupported
from envwright.sim.resolve import open_simulator


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_walk_of_every_kind_is_translated(kind, tmp_path):
    text, simulator = compiled(kind, tmp_path)
    env = imported({"env.py": text}, f"fast_{kind.__name__.lower()}", tmp_path).Fast("float64")
    assert not differences(env, simulator, episodes=4)
    assert env.observation_space().to_gymnasium() == simulator.observation_space


def test_columns_become_the_value_that_was_recorded():
    columns = {"action.way": "w", "action.far.0": "a", "action.far.1": "b", "self.x": "x"}
    assert expression(gathered(columns, "action")) == "{'way': w, 'far': (a, b,)}"
    assert gathered(columns, "self.x") == "x"


def test_dropped_parts_of_an_observation_are_left_out():
    seen = {"place": 1, "text": "go", "more": ("go", 2)}
    assert without(seen, ("obs.text", "obs.more.0")) == {"place": 1, "more": (2,)}


def test_a_wrapper_is_refused_with_the_way_to_keep_it_outside(tmp_path):
    job = Job("python:tests.kinds:scaled", "fast", "Fast", "fast", 1, (), tmp_path)
    with pytest.raises(Unsupported, match=r"inside, python:tests.kinds:scaled\?unwrapped=true, "):
        watch(job, open_simulator(job.simulator))
    inside = f"{job.simulator}?unwrapped=true"
    assert watch(replace(job, simulator=inside), open_simulator(inside)).time_limit == 15
