"""The levels of Pokemon battles find a planted mistake, keep it and replay it."""

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.schema.divergence import load_divergence
from envwright.verify.replay import replay
from envwright.verify.room import load_room
from envwright.zoo.pokemon.checks import battle_traces, levels
from envwright.zoo.pokemon.checks.engines import NumpyEngine
from envwright.zoo.pokemon.native import NativeEngine
from envwright.zoo.pokemon.reference import why_not
from envwright.zoo.pokemon.reference.trace import columns
from envwright.zoo.pokemon.teams import read

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
    monkeypatch.setattr(levels, "TWINS_MET", 1)


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
    monkeypatch.setattr(battle_traces, "JaxEngine", NumpyEngine)  # would be compiled for minutes
    result = levels.check_mirrors(3, engine=Wrong())
    assert result.verdict == "different" and result.tally.cases == 4
    found = result.divergences[0]
    assert found.field.startswith("hp") and found.reference_value == found.twin_value + 1
    kept = load_divergence(tmp_path / _name(found.save(tmp_path)))
    assert kept.actions == found.actions
    shown = replay(kept)
    assert not shown.shows  # the true engine does not make the mistake
    monkeypatch.setattr(battle_traces, "NumpyEngine", Wrong)
    assert replay(kept).shows
    with pytest.raises(EnvwrightError, match="no duel of nobody"):
        levels.check_duels(engine=Wrong(), names=["nobody"])


@pytest.mark.slow
@needs_showdown
def test_a_battle_is_shrunk_to_what_the_mistake_needs(few, tmp_path, monkeypatch):
    monkeypatch.setattr(battle_traces, "NumpyEngine", Wrong)
    found = levels.check_mirrors(3, engine=Wrong()).divergences[0].save(tmp_path)
    small = battle_traces.BATTLES.shrink(found, budget=60)
    teams = [read(str(team)) for team in small.start["teams"]]
    assert [len(team) for team in teams] == [1, 1]
    assert len(small.actions) <= len(found.actions) and replay(small).shows
    assert "|move|" in small.hint or "|turn|" in small.hint


def _name(saved):
    return saved.path.rpartition("/")[2]


class WrongInRust(NativeEngine):
    """The Rust battles, but for a point of HP in their record."""

    def rows(self, state, schema):
        made = super().rows(state, schema).copy()
        start, _ = columns(schema)["hp"]
        made[:, start] -= (state.state()["turn"] == 3).astype(made.dtype)
        return made


@needs_showdown
def test_the_rust_battles_are_a_backend_whose_mistakes_are_found_and_replayed(few, tmp_path):
    assert levels.check_mirrors(3, backend="rust").verdict == "equal"
    result = levels.check_mirrors(3, engine=WrongInRust())
    found = result.divergences[0]
    assert found.twin == "envwright's battles in Rust" and found.field.startswith("hp")
    kept = load_divergence(tmp_path / _name(found.save(tmp_path)))
    assert not replay(kept).shows  # the true battles do not make the mistake


@pytest.mark.slow  # the generator makes hundreds of teams
@needs_showdown
def test_natural_teams_are_all_played_in_rust():
    result = levels.check_games(2, episodes=5, teams="natural", backend="rust")
    assert result.verdict == "equal" and result.tally.episodes == 5
    assert result.notes[0].startswith("100.0% of ")
