"""The whole recipe with the compiler as its agent, offline: levels 1 to 3."""

from dataclasses import replace

import pytest

from envwright.agents.compiler import CompilerAgent
from envwright.sandbox import why_not
from envwright.translate.job import job_of
from envwright.translate.propose import write_proposal
from envwright.translate.run import Run
from envwright.translate.spec import load_spec

SLOW = [
    "MountainCar-v0",
    "Pendulum-v1",
    "MountainCarContinuous-v0",
    "Acrobot-v1",
    'FrozenLake-v1?map_name="8x8"',
    "CliffWalking-v1?max_episode_steps=200",
    "Taxi-v4",
    "Blackjack-v1",
]
# Packages of other authors; they are no requirement of this one.
OTHERS = {
    "gymnasium_cartpole_swingup": "CartPoleSwingUp-v0",
    "popgym": "popgym-PositionOnlyCartPoleEasy-v0",
    "gym_simplegrid": "SimpleGrid-4x4-v0",
}


def ended(name, folder, monkeypatch, effort=None):
    """How a run with the compiler ends, and in how many turns."""
    write_proposal(name, folder / "spec", "jax")
    spec = load_spec(folder / "spec")
    monkeypatch.syspath_prepend(str(spec.folder))
    monkeypatch.delitem(__import__("sys").modules, "bridge", raising=False)
    if effort:
        spec = replace(spec, effort=replace(spec.effort, **effort))
    agent = CompilerAgent(job_of(spec))
    run = Run(folder / "run", spec, agent, (1, 2, 3), confined=why_not() is None)
    return run.go().outcome, run.position.turns, len(spec.modules)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["CartPole-v1", "FrozenLake-v1"])
def test_a_translation_ends_verified_without_a_repair(name, tmp_path, monkeypatch):
    few = {"episodes": 12, "fuzzed": 200, "boundary": 40, "starts": 4000, "examples": 10}
    outcome, turns, modules = ended(f"gymnasium:{name}", tmp_path, monkeypatch, few)
    assert (outcome, turns) == ("verified", modules)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_with_all_of_the_effort_it_ends_verified_too(name, tmp_path, monkeypatch):
    outcome, turns, modules = ended(f"gymnasium:{name}", tmp_path, monkeypatch)
    assert (outcome, turns) == ("verified", modules)


@pytest.mark.slow
@pytest.mark.parametrize(("package", "name"), OTHERS.items())
def test_environments_of_other_authors_end_verified(package, name, tmp_path, monkeypatch):
    pytest.importorskip(package, reason=f"{package} is not installed; it is no requirement")
    outcome, turns, modules = ended(f"gymnasium:{package}:{name}", tmp_path, monkeypatch)
    assert (outcome, turns) == ("verified", modules)
