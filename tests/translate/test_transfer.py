"""Level 4 in the loop: a gap is noticed, traced to a step, and repaired."""

from __future__ import annotations

import pytest
from tests.translate.answers import ENV, HEAT, turn
from tests.translate.scripted import Scripted

from envwright.translate.spec import load_spec

PLAN = """
[l4]
margin = 15.0
why = "a test"
seeds = 4
reference_seeds = 4
stages = [0.5, 1.0]
episodes = 30
horizon = 40

[train]
steps = 8192
num_envs = 8
rollout = 32
network = "16"
"""
COOL = HEAT.replace("0.0625 * level * level", "0.03125 * level * level")


@pytest.mark.slow
def test_a_gap_goes_back_with_the_step_behind_it(run_of, lamp):
    path = lamp.folder / "translation.toml"
    path.write_text(path.read_text() + PLAN)
    agent = Scripted([turn(heat=COOL), turn(env=ENV), turn(heat=HEAT)])
    run = run_of(agent, levels=(4,), spec=load_spec(lamp.folder))
    assert run.go().outcome == "verified", run.journal.events[-1]
    assert [task.purpose for task in agent.asked][2:] == ["repair level 4"]
    prompt = agent.asked[2].prompt
    assert "policies fare alike" in prompt and "different" in prompt
    assert "episodes, float64" in prompt and "part at step" in prompt
    assert len(run.position.regressions) == 1
