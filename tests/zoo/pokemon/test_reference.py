"""Showdown's simulator in its child process, and what is recorded of it."""

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon import pool
from envwright.zoo.pokemon.checks.golden import pool_specs
from envwright.zoo.pokemon.reference import Showdown, install, seed_words, why_not
from envwright.zoo.pokemon.reference.trace import (
    Spec,
    columns,
    load,
    record,
    record_all,
    save,
    width,
)
from envwright.zoo.pokemon.teams import packed

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())
WAIT = 13


@pytest.fixture(scope="module")
def showdown():
    with Showdown() as running:
        yield running


@pytest.fixture(scope="module")
def pair():
    return packed(pool.teams()[0]), packed(pool.teams()[1])


def test_same_seed_teams_and_choices_give_the_same_battle(showdown, pair):
    first = record(showdown, Spec(5, pair, policy=3))
    again = record(showdown, Spec(5, pair, actions=first.actions.tolist()))
    assert np.array_equal(first.rows, again.rows)
    other = record(showdown, Spec(6, pair, policy=3))
    assert first["rng"][-1].tolist() != other["rng"][-1].tolist()


def test_stepping_live_is_playing_natively(showdown, pair):
    game = showdown.play(9, pair, policy=4)
    live = showdown.new(9, pair)
    for actions in game["actions"]:
        live.step(actions)
    assert live.snapshot["rng"] == game["rng"]
    assert live.snapshot["winner"] == game["winner"]
    live.free()


def test_the_mask_is_what_the_simulator_accepts(showdown):
    """Every action tried at decisions of generated teams: trapping, locks and disabled moves."""
    teams = showdown.teams(11, 24)
    for game in range(12):
        chosen = teams[2 * game], teams[2 * game + 1]
        actions = showdown.play(game, chosen, policy=game)["actions"]
        for upto in range(0, len(actions), 7):
            assert showdown.audit(game, chosen, actions[:upto]) == []


def test_a_waiting_player_has_one_action(showdown, pair):
    game = record(showdown, Spec(2, pair, policy=1))
    waiting = game["request"] == 0
    assert np.array_equal(game["mask"][waiting], np.full(waiting.sum(), 1 << WAIT))
    assert waiting.any()


def test_an_action_that_is_not_legal_is_refused_and_the_child_lives_on(showdown, pair):
    live = showdown.new(1, pair)
    live.step((8, 8))
    with pytest.raises(EnvwrightError, match="Showdown refuses"):
        live.step((99, 0))
    assert showdown.teams(1, 1)


def test_a_set_without_a_gender_is_refused(showdown, pair):
    bare = pair[0].replace("|M|", "||").replace("|F|", "||").replace("|N|", "||")
    with pytest.raises(EnvwrightError, match="has no gender"):
        showdown.new(1, (bare, pair[1]))


def test_counting_callbacks_changes_nothing(pair):
    with Showdown() as plain, Showdown(count_callbacks=True) as counting:
        a, b = (record(one, Spec(3, pair, policy=2)) for one in (plain, counting))
        assert np.array_equal(a.rows, b.rows)
        assert any(acted for _, acted in counting.fired().values())


def test_traces_survive_their_file(showdown, tmp_path):
    games = list(record_all(showdown, pool_specs(5, seed=9)))
    save(tmp_path / "games.xz", games)
    for kept, game in zip(load(tmp_path / "games.xz"), games, strict=True):
        assert kept.seed == game.seed and kept.teams == game.teams
        assert np.array_equal(kept.rows, game.rows) and np.array_equal(kept.actions, game.actions)


def test_the_columns_of_a_record_are_the_schema(showdown):
    last, shape = list(columns(showdown.schema).values())[-1]
    assert last + int(np.prod(shape)) == width(showdown.schema)


def test_small_seeds_share_no_words():
    words = [seed_words(number).split(",") for number in range(100)]
    assert len({word for four in words for word in four}) > 390
    assert seed_words("1,2,3,4") == "1,2,3,4"


def test_missing_node_is_said(monkeypatch):
    monkeypatch.setattr(install.shutil, "which", lambda name: None)
    assert "install node" in install.why_not()
    with pytest.raises(EnvwrightError, match="node is missing"):
        install.set_up()


def test_a_file_that_is_no_trace_is_named(tmp_path):
    (tmp_path / "bad.xz").write_bytes(b"nothing")
    with pytest.raises(EnvwrightError, match="holds no recorded battles"):
        load(tmp_path / "bad.xz")
