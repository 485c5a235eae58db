"""Level 4 in the loop: a gap is noticed, traced to a step, and repaired."""

from __future__ import annotations

import time

import pytest
from tests.translate.answers import ENV, HEAT, turn
from tests.translate.scripted import Scripted

from envwright.sandbox import Finished
from envwright.translate.deadline import Deadline, OutOfTime
from envwright.translate.jailed import JaxTwin
from envwright.translate.judge import ONLY_ITS_OWN
from envwright.translate.spec import load_spec
from envwright.translate.transfer import judge_transfer

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
    assert [task.title for task in agent.asked][2:] == ["repair level 4"]
    prompt = agent.asked[2].prompt
    assert "policies fare alike" in prompt and "different" in prompt
    assert "episodes, float64" in prompt and "differ at step" in prompt
    assert len(run.position.regressions) == 1


def test_level_4_alone_reads_the_source_too(lamp, tmp_path):
    path = lamp.folder / "translation.toml"
    path.write_text(path.read_text() + PLAN)
    package = tmp_path / "workspace" / "src" / "fast_lamp"
    package.mkdir(parents=True)
    (package / "heat.py").write_text("from lamp import LampEnv\n")
    twin = JaxTwin(load_spec(lamp.folder), tmp_path / "workspace", tmp_path / "scratch")
    verdict = judge_transfer(twin.spec, twin, tmp_path / "p", print)
    assert [f.test for f in verdict.failures] == [ONLY_ITS_OWN]


def test_training_takes_no_longer_than_the_time_that_is_left(lamp, tmp_path):
    path = lamp.folder / "translation.toml"
    path.write_text(path.read_text() + PLAN)
    spec = load_spec(lamp.folder)

    class Stopped:
        """Trains until it is stopped."""

        def forbidden(self):
            return []

        def trained_as(self, check):
            return "python:fast_lamp.env:Lamp"

        entry = trained_as

        def run(self, command, limits, writable, readable):
            assert limits.seconds <= 1.0
            time.sleep(limits.seconds)
            return Finished(-9, "", "", limits.seconds, "time")

    said: list[str] = []
    with pytest.raises(OutOfTime):
        judge_transfer(spec, Stopped(), tmp_path / "p", said.append, Deadline.after(1.0))
    assert len(said) == 1
    with pytest.raises(OutOfTime):
        judge_transfer(spec, Stopped(), tmp_path / "p", said.append, Deadline.after(-1))
    assert len(said) == 1, "it does not begin"
