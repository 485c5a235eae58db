"""Level 4 where nothing can be said, and which policies count; with policies that learnt little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.verify.transfer.plans import CARTPOLE, QUICK, TINY, some_seeds
from tests.verify.transfer.poles import HERE

from envwright.errors import EnvwrightError
from envwright.verify.l4_transfer import check_transfer
from envwright.verify.transfer.result import TransferResult, direction
from envwright.verify.transfer.tost import paired_tost

pytestmark = pytest.mark.usefixtures("compile_quickly")


def compared(twin, policies, plan=TINY, reference=CARTPOLE):
    return check_transfer(reference, f"{HERE}:{twin}", plan, policies=policies)


@pytest.fixture(scope="module")
def both(compile_quickly, tmp_path_factory):
    """Policies of both sides, trained by level 4 itself."""
    return compared("pole", tmp_path_factory.mktemp("both"))


# --- inconclusive ----------------------------------------------------------------------


def test_too_few_episodes_are_inconclusive_and_the_reason_asks_for_seeds(beginners):
    result = compared("pole", beginners)
    e = result.directions[0]
    assert (result.verdict, e.case) == ("inconclusive", "ordinary")
    assert e.power < 0.5
    assert "shown neither to differ nor to lie within" in e.reason and "seeds" in e.reason


@pytest.mark.slow
def test_two_seeds_are_too_few(beginners, tmp_path):
    two = some_seeds(beginners, tmp_path / "two", (0, 1))
    result = compared("pole", two)
    e = result.directions[0]
    assert (result.verdict, e.case, e.n, e.p) == ("inconclusive", "too few", 2, None)
    assert e.mean_reference > 0
    assert result.proposal is None


@pytest.mark.slow
def test_returns_that_cannot_vary_are_inconclusive(beginners):
    """Eight steps are too short to fall: every episode pays 8 on either side."""
    short = f"{HERE}:pole?max_steps=8"
    result = compared("pole?max_steps=8&gravity=15", beginners, reference=short)
    e = result.directions[0]
    assert (result.verdict, e.case, e.difference) == ("inconclusive", "saturated", 0.0)
    assert "add policies from the middle of training" in result.notes[0]
    assert result.correlation.pearson is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("margin", "case", "verdict"),
    [(0.5, "constant difference", "different"), (10.0, "saturated", "inconclusive")],
)
def test_one_step_more_for_everybody_is_judged_by_the_margin(margin, case, verdict, beginners):
    plan = replace(TINY, margin=margin)
    result = compared("pole?max_steps=8", beginners, plan, f"{HERE}:pole?max_steps=7")
    e = result.directions[0]
    assert (e.difference, e.sd, e.case, result.verdict) == (1.0, 0.0, case, verdict)


@pytest.mark.slow
def test_episodes_that_the_horizon_cuts_are_told(beginners):
    result = compared("pole", beginners, replace(TINY, horizon=5))
    assert "54 episodes were cut off at 5 steps" in result.notes
    assert result.tally.steps == 54 * 5


# --- which policies count --------------------------------------------------------------


@pytest.mark.slow
def test_policies_of_both_sides_are_two_directions(both):
    twin = f"{HERE}:pole"
    assert [d.trained_in for d in both.directions] == [CARTPOLE, twin]
    assert [(d.policies, d.n) for d in both.directions] == [(6, 3), (6, 3)]
    assert [p.trained_in for p in both.policies] == [CARTPOLE] * 6 + [twin] * 6
    assert [(p.seed, p.stage) for p in both.policies[:3]] == [(0, 0), (0, 1), (1, 0)]


@pytest.mark.slow
def test_policies_of_different_sides_play_other_episodes(both):
    """Both sides come to the same policies here; equal returns would be counted twice."""
    first, second = ([p.return_twin for p in both.policies[i : i + 6]] for i in (0, 6))
    assert not any(np.equal(first, second))


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        (("equivalent", "equivalent"), "equivalent"),
        (("equivalent", "inconclusive"), "inconclusive"),
        (("inconclusive", "different"), "different"),
        ((), "inconclusive"),
    ],
)
def test_the_worst_direction_decides(verdicts, worst):
    def tested(verdict):
        gap = {"equivalent": 0.0, "inconclusive": 1.0, "different": 9.0}[verdict]
        reference = np.array([1.0, 2.0, 3.0, 4.0])
        noise = np.array([1.0, -1.0, 0.5, -0.5])
        return direction("a", 4, paired_tost(reference, reference + gap + noise, 1.9))

    result = TransferResult(4, directions=[tested(verdict) for verdict in verdicts])
    assert tuple(d.verdict for d in result.directions) == verdicts
    assert result.verdict == worst


@pytest.mark.slow
def test_an_environment_against_itself_trains_each_seed_once(tmp_path):
    """Both sides would come to the same policies, and count them twice."""
    result = check_transfer(CARTPOLE, CARTPOLE, TINY, policies=tmp_path)
    assert [(d.trained_in, d.n) for d in result.directions] == [(CARTPOLE, 3)]


def test_a_seed_that_is_there_twice_is_refused(beginners, tmp_path):
    some_seeds(beginners, tmp_path / "a", (0, 1, 2))
    some_seeds(beginners, tmp_path / "b", (2,))
    with pytest.raises(EnvwrightError, match=r"a.* and .*b.* hold seed 2 .*; remove one"):
        compared("pole", tmp_path)


def test_runs_of_different_stages_are_refused(beginners, tmp_path):
    some_seeds(beginners, tmp_path / "a", (0, 1))
    some_seeds(beginners, tmp_path / "b", (2,))
    min((tmp_path / "b" / "policies").iterdir()).unlink()
    with pytest.raises(EnvwrightError, match="kept policies of different stages"):
        compared("pole", tmp_path)


def test_policies_that_were_trained_with_other_settings_are_used_and_told(beginners):
    """Their networks are their own: what was asked for would only train new ones."""
    result = compared("pole", beginners, replace(TINY, config=QUICK.config))
    assert f"the policies of {beginners} were trained with other settings than these" in (
        result.notes
    )
    assert not any("other settings" in note for note in compared("pole", beginners).notes)
