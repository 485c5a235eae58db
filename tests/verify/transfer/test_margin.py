"""The margin is seed noise: not evaluation noise, and not what the test would like."""

from __future__ import annotations

import json
import tomllib

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.schema.results import as_json
from envwright.verify.transfer.margin import propose_margin
from envwright.verify.transfer.power import power


def pilot(sd_seed, sd_evaluation, seeds=2000, stages=3, seed=0):
    """Policies of different seeds, evaluated twice."""
    rng = np.random.default_rng(seed)
    skill = np.linspace(20, 100, stages) + rng.normal(0, sd_seed, (seeds, 1))
    return [skill + rng.normal(0, sd_evaluation, (seeds, stages)) for _ in range(2)]


def test_the_margin_bounds_the_difference_of_two_retrainings():
    margin = propose_margin(pilot(10.0, 0.0)[0], units=8).margin
    means = np.random.default_rng(1).normal(0, 10.0, (20_000, 2, 8)).mean(axis=2)
    assert np.mean(np.abs(means[:, 0] - means[:, 1]) > margin) == pytest.approx(0.05, abs=0.01)


def test_a_seed_counts_once_however_many_stages_it_has():
    one, many = pilot(10.0, 0.0, seeds=12, stages=1)[0], pilot(10.0, 0.0, seeds=12, stages=9)[0]
    assert propose_margin(one).margin == pytest.approx(propose_margin(many).margin)


def test_learning_progress_is_not_seed_noise():
    steep = pilot(10.0, 0.0)[0] + 1000 * np.arange(3)
    assert propose_margin(steep).sd_seed == pytest.approx(10.0, rel=0.1)


@pytest.mark.parametrize("sd_evaluation", [1.0, 10.0, 20.0])
def test_evaluation_noise_does_not_widen_the_margin(sd_evaluation):
    first, again = pilot(10.0, sd_evaluation)
    found = propose_margin(first, again)
    assert found.sd_seed == pytest.approx(10.0, rel=0.1)
    assert found.sd_noise == pytest.approx(sd_evaluation * np.sqrt(2 / 3), rel=0.1)


def test_unknown_evaluation_noise_widens_it_and_is_confessed():
    first, again = pilot(10.0, 20.0)
    assert propose_margin(first).margin > 1.3 * propose_margin(first, again).margin
    assert "evaluation noise included" in propose_margin(first).why
    assert propose_margin(first).powered is None


def test_too_noisy_an_evaluation_is_said_and_its_advice_works():
    first, again = pilot(10.0, 30.0)
    found = propose_margin(first, again, units=10)
    assert found.powered is False
    assert found.power < 0.8
    assert found.smallest > found.margin
    times = (found.smallest / found.margin) ** 2
    assert f"evaluate {times:.1f} times as many episodes" in found.why
    assert power(found.sd_noise / np.sqrt(times), 10, found.margin) == pytest.approx(0.8, abs=1e-3)


def test_more_seeds_do_not_cure_evaluation_noise():
    first, again = pilot(10.0, 30.0)
    assert propose_margin(first, again, units=1000).power < 0.5


def test_a_quiet_evaluation_has_power():
    found = propose_margin(*pilot(10.0, 2.0, seeds=10))
    assert found.powered
    assert found.smallest < found.margin
    assert "evaluate" not in found.why


def test_a_repeatable_evaluation_has_no_noise():
    returns = pilot(10.0, 0.0, seeds=5)[0]
    found = propose_margin(returns, returns)
    assert (found.sd_noise, found.power, found.smallest) == (0.0, 1.0, 0.0)


def test_the_sentence_fits_into_toml_and_the_numbers_into_json():
    found = propose_margin(*pilot(10.0, 30.0))
    assert tomllib.loads(f'why = "{found.why}"')["why"] == found.why
    assert json.loads(json.dumps(as_json(found), allow_nan=False))["margin"] == found.margin


@pytest.mark.parametrize(
    ("returns", "again", "words"),
    [
        (np.full((5, 2), 500.0), None, "middle of training"),
        (np.full(5, 0.1) * 3, None, "middle of training"),
        (np.arange(5.0), np.arange(5.0)[::-1], "no more than evaluation noise"),
        (np.arange(2.0), None, "3 or more training seeds"),
        (np.arange(4.0), np.arange(5.0), "same policies"),
        (np.array([1.0, np.nan, 2.0]), None, "NaN"),
        (np.zeros((3, 2, 2)), None, "seed, stage"),
    ],
)
def test_returns_that_justify_no_margin_are_refused_in_words(returns, again, words):
    with pytest.raises(EnvwrightError, match=words):
        propose_margin(returns, again)
