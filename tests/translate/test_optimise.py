"""Faster and still the same is kept; everything else is not, and why is said."""

from __future__ import annotations

import pytest
from tests.translate.answers import ENV, HEAT, WRONG_END, turn
from tests.translate.conftest import REASON
from tests.translate.scripted import Scripted

from envwright.errors import EnvwrightError
from envwright.translate.optimise import Optimisation
from envwright.translate.race import Contest
from envwright.translate.start import open_run

# The same heat by a detour that the compiler cannot see through.
DETOUR = """
        def detour(i, x):
            return jnp.where(x > 1e30, jnp.sin(x) + i, x)

        heat = jax.lax.fori_loop(0, 300, detour, warm(state.heat, level))
"""
SLOW = ENV.replace("        heat = warm(state.heat, level)\n", DETOUR.lstrip("\n"))
# Lanes are not stepped at all: what comes back is what went in.
CHEATING = (
    SLOW
    + """
    def step_batch(self, keys, states, actions, params=None):
        from envwright.core.env import Step
        lanes = jnp.zeros(states.level.shape, bool)
        obs = jax.vmap(self.observe)(states)
        info = {"final_observation": obs}
        return Step(obs, states, lanes.astype(jnp.float32), lanes, lanes, info)
"""
)


@pytest.fixture(scope="module")
def verified(tmp_path_factory):
    """A verified run of the lamp that is slower than need be."""
    import shutil
    import sys

    from tests.translate.conftest import LAMP

    from envwright.translate.run import Run
    from envwright.translate.spec import load_spec

    folder = tmp_path_factory.mktemp("slow") / "lamp"
    shutil.copytree(LAMP, folder)
    sys.modules.pop("lamp", None)
    script = Scripted([turn(heat=HEAT), turn(env=SLOW)])
    run = Run(folder / "runs/a", load_spec(folder), script, (1, 2, 3), confined=REASON is None)
    assert run.go().outcome == "verified"
    yield open_run(run.folder)
    sys.modules.pop("lamp", None)


def optimised(run, script, tmp_path, **more):
    import shutil

    shutil.rmtree(run.folder / "optimise", ignore_errors=True)
    options = {"batches": (64, 512), "repeats": 4, "rounds": len(script), **more}
    agent = Scripted(script)
    work = Optimisation(run, agent, confined=REASON is None, **options)
    work.go()
    return work, agent


def test_what_is_faster_is_kept_and_what_is_not_is_refused_with_its_reason(verified, tmp_path):
    script = [
        turn(env=SLOW + "\n# the same\n"),
        turn(env=WRONG_END),
        turn(env=ENV),
    ]
    work, agent = optimised(verified, script, tmp_path)
    same, wrong = work.history[:2]
    assert not same.kept and same.why == "it is not faster beyond the noise"
    assert not wrong.kept and wrong.why.startswith("level 1 fails")
    assert len(work.history) == 2, "two rounds without gain are enough"
    again = Optimisation(verified, agent, confined=REASON is None, rounds=3, batches=(64, 512))
    assert [str(change) for change in again.history] == [str(change) for change in work.history]


def test_a_real_gain_is_measured_and_passed_on_to_the_next_round(verified, tmp_path):
    work, agent = optimised(verified, [turn(env=ENV), turn(env=ENV + "\n# again\n")], tmp_path)
    first = work.history[0]
    assert first.kept and first.gain > 1.5 and first.low > 1.0
    assert work.gain == pytest.approx(first.gain)
    assert "round 1" in agent.asked[1].prompt and "steps per second" in agent.asked[1].prompt
    assert (work.folder / "workspace/src/fast_lamp/env.py").read_text() == ENV


def test_a_candidate_that_computes_something_else_while_it_is_timed_is_found_out(
    verified, tmp_path
):
    work, _ = optimised(verified, [turn(env=CHEATING)], tmp_path)
    (change,) = work.history
    assert not change.kept
    assert change.why.startswith("the timed run computed something else")


def test_a_run_that_is_not_verified_is_refused(run_of):
    run = run_of(Scripted([turn(heat="x")]))
    run.journal.append("begun", spec="", levels=[1, 2, 3], agent={}, budget={})
    with pytest.raises(EnvwrightError, match="is not verified"):
        Optimisation(open_run(run.folder), Scripted([]))


def test_a_gain_within_the_noise_is_none():
    noisy = Contest((32,), {32: [100, 100, 100, 100]}, {32: [90, 120, 95, 125]})
    steady = Contest((32,), {32: [100, 101, 99, 100]}, {32: [120, 121, 119, 122]})
    small = Contest((32,), {32: [100, 100, 100, 100]}, {32: [101, 101, 101.1, 101]})
    assert not noisy.faster and steady.faster and not small.faster
    assert 1.19 < steady.gain < 1.22
    absurd = Contest((32,), {32: [1, 1, 1]}, {32: [50, 51, 52]})
    assert absurd.implausible
