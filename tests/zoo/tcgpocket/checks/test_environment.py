"""Level 3 of the environment itself."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.checks import environment
from envwright.zoo.tcgpocket.checks.environment import Tables, replay
from envwright.zoo.tcgpocket.engine import blocks


@pytest.mark.slow
def test_the_environment_plays_the_games_that_the_reference_plays_and_a_wrong_word_is_named() -> (
    None
):
    tables = Tables(seed=1, lanes=140)
    for _ in range(120):
        assert tables.compared() is None and tables.step() is None
    assert tables.ended > 20 and tables.decisions == 120 * 140
    lane = int(np.flatnonzero(~tables.new)[0])
    words = tables.states.words
    place = blocks.column("order", "foe")
    tables.states = type(tables.states)(words.at[lane, place].set(jnp.int32(0)))
    found = tables.compared()
    assert found is not None and found[0] == "players" and found[3] == lane


def test_a_saved_divergence_cannot_ask_for_years_of_games() -> None:
    saved = environment._divergence(10**9, 0, "mask", "[0]", "[1]", 3)
    with pytest.raises(EnvwrightError, match="at most 2,000"):
        replay(saved)


@pytest.mark.slow
def test_a_saved_divergence_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = environment._divergence(1, 0, "mask", "[0]", "[1]", 3)
    assert replay(saved) == ""
    monkeypatch.setattr(Tables, "compared", lambda self: ("mask", "[0]", "[1]", 3))
    assert "lane 3" in replay(saved)
