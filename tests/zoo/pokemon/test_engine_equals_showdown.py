"""Our engine on NumPy against recorded games of the reference: every field, every decision."""

from pathlib import Path

from envwright.zoo.pokemon import duels
from envwright.zoo.pokemon.compare import differences
from envwright.zoo.pokemon.reference.trace import load
from zoo.pokemon.battles import engine

TRACES = Path(__file__).parent / "traces"


def test_every_duel_agrees():
    names = [duel.atom for duel in duels.all_duels() for _ in range(duel.seeds)]
    found = differences(engine(), load(TRACES / "duels.xz"), most=1 << 30)
    assert {names[one.game]: str(one) for one in found} == {}


def test_every_recorded_game_agrees():
    assert [str(one) for one in differences(engine(), load(TRACES / "games.xz"))] == []
