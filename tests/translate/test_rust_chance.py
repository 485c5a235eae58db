"""Random steps in Rust: they draw what the reference drew."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.translate.conftest import LAMP, REASON
from tests.translate.package.rust_games import GAME
from tests.translate.rust_answers import HEAT, changed, turn
from tests.translate.scripted import Scripted
from tests.translate.test_rust_target import needs_cargo, rust_lamp, written

from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import TwinRaised
from envwright.sim.tape import Draw, tape_of
from envwright.translate.jailed import twin_for
from envwright.translate.run import Run
from envwright.verify.l3_rollouts import check_rollouts
from envwright.verify.pair import PairSpec

pytestmark = needs_cargo
RESTLESS = {
    '"python:lamp:LampEnv"': '"python:lamp:RestlessLamp"',
    '"heat.py"': '"heat.rs"',
    "{ max_steps = 40 }": "{ dice = true }",
}
# It draws the same numbers, the other way round, and one more.
GREEDY = changed(GAME, "rng.integer(-1, 2))", "rng.integer(-1, 2) + 0 * rng.integer(0, 9))")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chance")
    sys.modules.pop("lamp", None)
    sys.path.insert(0, str(LAMP))
    yield folder
    sys.path.remove(str(LAMP))
    sys.modules.pop("lamp", None)


def restless(folder):
    spec = rust_lamp(folder, changes={'"python:lamp:LampEnv"': '"python:lamp:RestlessLamp"'})
    checks = tuple(replace(check, options={"dice": True}) for check in spec.checks)
    effort = replace(spec.effort, starts=200, episodes=4, examples=4)
    return replace(spec, checks=checks, effort=effort)


@pytest.fixture(scope="module")
def run(base):
    """A run of which the first answer draws a number too many."""
    spec = restless(base / "run")
    agent = Scripted([turn(heat=HEAT), turn(env=GREEDY), turn(env=GAME)])
    run = Run(spec.folder / "runs/a", spec, agent, (1, 2, 3), confined=REASON is None, seed=3)
    run.go()
    return run, agent


def test_a_game_that_draws_as_the_reference_is_verified(run):
    events = run[0].journal.of("judged")
    assert run[0].position.ended == "verified", events[-1]
    last = events[-1]["verdicts"][-1]
    assert last["level"] == 3 and "episodes, float64" in last["passed"]


def test_a_number_too_many_is_named_with_its_method(run):
    prompt = run[1].asked[2].prompt
    assert "the reference draws no (further) `integers` here: it draws" in prompt
    assert "1 x `uniform`, 1 x `integers` (src/fast_lamp/env.rs:" in prompt
