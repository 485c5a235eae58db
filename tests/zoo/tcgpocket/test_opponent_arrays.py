"""Opponents on arrays against the same in plain Python, and against themselves in JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.zoo.tcgpocket import plain_opponents
from tests.zoo.tcgpocket.positions import positions

from envwright.zoo.tcgpocket import opponents
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.observation import record

GAMES = 60


@pytest.mark.parametrize("name", list(opponents.OPPONENTS))
def test_arrays_value_every_legal_action_as_plain_python_does(name):
    views, masks = positions(GAMES)
    assert len(views) > 2000
    worths = opponents.worth(name, np, views, masks)
    scale = 10 if name == "weighted" else 1  # whole weights
    for view, mask, ours in zip(views, masks, worths, strict=True):
        plain = plain_opponents.worths(name, record(view), mask)
        assert {a: float(ours[a]) for a in plain} == {a: scale * w for a, w in plain.items()}
        assert (ours[~mask] == opponents.NEVER).all()


def test_positions_have_every_common_question():
    views, _ = positions(GAMES)
    asked = {int(record(view)["ask"]) for view in views}
    assert asked >= {Ask.SETUP_ACTIVE, Ask.SETUP_BENCH, Ask.MAIN, Ask.EVOLVE, Ask.TRAINER}
    assert asked >= {Ask.PAY, Ask.PROMOTE, Ask.HIT}


@pytest.mark.lax("one source for NumPy and JAX, which promotes as NumPy does")
@pytest.mark.parametrize("name", list(opponents.OPPONENTS))
def test_compiled_opponents_answer_as_those_of_numpy(name):
    views, masks = positions(GAMES)
    words = np.random.default_rng(0).integers(0, 2**32, len(views), np.uint32)
    answer = jax.jit(lambda *x: opponents.answer(name, jnp, *x))
    assert np.array_equal(
        answer(views, masks, words), opponents.answer(name, np, views, masks, words)
    )


def test_equally_good_actions_are_equally_likely():
    views, masks = positions(GAMES)
    lane = int(np.argmax(masks.sum(1)))
    count = 40_000
    words = np.random.default_rng(1).integers(0, 2**32, count, np.uint32)
    many = np.repeat(views[lane][None], count, 0), np.repeat(masks[lane][None], count, 0)
    chosen = opponents.answer("random", np, *many, words)
    legal = np.flatnonzero(masks[lane])
    shares = np.bincount(chosen, minlength=128)[legal] / count
    assert set(chosen) == set(legal)
    assert np.abs(shares - 1 / len(legal)).max() < 5 * np.sqrt(0.25 / count)


def test_the_weighted_opponent_follows_its_weights():
    views, masks = positions(GAMES)
    lane = int(np.argmax((views[:, 4] == Ask.MAIN) * masks.sum(1)))
    count = 40_000
    words = np.random.default_rng(2).integers(0, 2**32, count, np.uint32)
    many = np.repeat(views[lane][None], count, 0), np.repeat(masks[lane][None], count, 0)
    plain = plain_opponents.worths("weighted", record(views[lane]), masks[lane])
    chosen = opponents.answer("weighted", np, *many, words)
    for action, weight in plain.items():
        share = weight / sum(plain.values())
        assert abs((chosen == action).mean() - share) < 5 * np.sqrt(share / count)


def test_a_finished_game_is_answered_with_nothing_that_matters():
    views, masks = positions(GAMES)
    nothing = np.zeros_like(masks[:4])
    for name in opponents.OPPONENTS:
        answers = opponents.answer(name, np, views[:4], nothing, np.full(4, 2**32 - 1, np.uint32))
        assert (answers == 0).all()
