"""The levels of Pokemon battles find a planted mistake, keep it and replay it."""

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.verify.divergence import load_divergence
from envwright.verify.pokemon import levels
from envwright.verify.replay import replay
from envwright.verify.room import load_room
from envwright.zoo.pokemon.engines import NumpyEngine
from envwright.zoo.pokemon.reference import why_not

needs_showdown = pytest.mark.skipif(bool(why_not()), reason=why_not())


class Wrong(NumpyEngine):
    """Ours, but for a point of HP after the first turn."""

    def step(self, state, actions):
        after = super().step(state, actions)
        hp = after.hp.copy()
        hp[0, 0] = np.where(after.turn == 3, np.maximum(hp[0, 0] - 1, 0), hp[0, 0])
        return after._replace(hp=hp)


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(levels, "MIRRORS", 3)


def test_the_room_has_a_check_for_each_level():
    room = load_room("pokemon")
    assert [probe.level for probe in room.probes] == [1, 1, 1, 2, 2, 3]
    assert room.checks == ()


def test_without_showdown_nothing_is_concluded(monkeypatch):
    monkeypatch.setattr(levels, "why_not", lambda: "install node")
    for check in (
        levels.check_duels,
        levels.check_drills,
        levels.check_mirrors,
        levels.check_games,
    ):
        assert check().verdict == "inconclusive"
        assert check().inconclusive == "install node"


def test_unknown_teams_are_refused():
    with pytest.raises(EnvwrightError, match="pool or natural, not 'mine'"):
        levels.check_games(teams="mine")


@needs_showdown
def test_a_planted_mistake_is_found_and_replayed(few, tmp_path, monkeypatch):
    monkeypatch.setattr(levels, "JaxEngine", NumpyEngine)  # would be compiled for minutes
    result = levels.check_mirrors(3, engine=Wrong())
    assert result.verdict == "different" and result.tally.cases == 3
    found = result.divergences[0]
    assert found.field.startswith("hp") and found.reference_value == found.twin_value + 1
    kept = load_divergence(tmp_path / _name(found.save(tmp_path)))
    assert kept.actions == found.actions
    shown = replay(kept)
    assert not shown.shows  # the true engine does not make the mistake


def _name(saved):
    return saved.path.rpartition("/")[2]
