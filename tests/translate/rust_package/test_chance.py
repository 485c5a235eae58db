"""Random steps in Rust: they draw what the reference drew."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from msgspec import structs
from tests.translate.conftest import LAMP, REASON
from tests.translate.rust_answers import HEAT, changed, turn
from tests.translate.rust_package.games import GAME
from tests.translate.scripted import Scripted
from tests.translate.test_rust_target import needs_cargo, rust_lamp

from envwright.sim.tape import Draw, tape_of
from envwright.translate.run import Run

REFERENCE = {'"python:lamp:LampEnv"': '"python:lamp:RestlessLamp"'}
# It draws a number that the reference does not.
GREEDY = changed(GAME, "rng.integer(-1, 2))", "rng.integer(-1, 2) + 0 * rng.integer(0, 9))")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of which the first answer draws a number too many."""
    sys.modules.pop("lamp", None)
    sys.path.insert(0, str(LAMP))
    spec = rust_lamp(tmp_path_factory.mktemp("chance") / "run", changes=REFERENCE)
    checks = tuple(structs.replace(check, options={"dice": True}) for check in spec.checks)
    effort = replace(spec.effort, starts=200, episodes=4, examples=4)
    spec = replace(spec, checks=checks, effort=effort)
    agent = Scripted([turn(heat=HEAT), turn(env=GREEDY), turn(env=GAME)])
    run = Run(spec.folder / "runs/a", spec, agent, (1, 2, 3), confined=REASON is None, seed=3)
    run.go()
    yield run, agent
    sys.path.remove(str(LAMP))
    sys.modules.pop("lamp", None)


@needs_cargo
def test_a_game_that_draws_as_the_reference_is_verified(run):
    last = run[0].journal.of("judged")[-1]
    assert run[0].position.ended == "verified", last
    assert last["verdicts"][-1]["level"] == 3


@needs_cargo
def test_a_number_too_many_is_named_with_its_method(run):
    prompt = run[1].asked[2].prompt
    assert "the reference draws no (further) `integers` here: it draws" in prompt
    assert "1 x `uniform`, 1 x `integers` (src/fast_lamp/env.rs:" in prompt


def test_a_tape_has_the_numbers_of_each_method_in_their_order():
    draws = (
        Draw("integers", (4,), {}, 3),
        Draw("uniform", (), {"size": (2, 1)}, [[0.5], [0.25]]),
        Draw("integers", (4,), {}, 1),
        Draw("choice", (["left"],), {}, "left"),  # not a number
    )
    assert tape_of(draws) == {"integers": [3, 1], "uniform": [0.5, 0.25]}
