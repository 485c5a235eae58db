"""What coverage counts: cards by set, effects, decisions and lines."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from envwright.cli import main
from envwright.zoo.tcgpocket.cards import load, sets
from envwright.zoo.tcgpocket.checks import coverage
from envwright.zoo.tcgpocket.checks.coverage import complete_by_set
from envwright.zoo.tcgpocket.checks.decisions import watched


@pytest.mark.slow
def test_the_command_counts_cards_effects_decisions_and_lines(tmp_path, monkeypatch, capsys):
    few = {"times": 1, "games_played": 4, "sequences_played": 40}
    monkeypatch.setattr(coverage, "cover_cards", partial(coverage.cover_cards, **few))
    file = tmp_path / "coverage.json"
    with pytest.raises(SystemExit) as left:
        main(["coverage", "tcgpocket", "--json", str(file)])
    assert not left.value.code
    data = json.loads(file.read_text())
    assert data["idle"] == [] and len(data["effects"]) == 150
    assert data["sets"]["A1"] == {"cards": 225, "complete": 225}
    assert 0.5 < data["decisions"]["share"] <= 1 and data["decisions"]["decisions"] > 200
    assert all(f["lines_run"] > 0.8 * f["lines"] for f in data["files"].values())
    assert "150 of 150 effects acted" in capsys.readouterr().out


def test_coverage_rejects_a_backend(capsys):
    with pytest.raises(SystemExit) as left:
        main(["coverage", "tcgpocket", "--backend", "jax"])
    assert left.value.code == 2
    assert "--backend does not go with tcgpocket" in capsys.readouterr().err


def test_sets_have_at_least_as_many_cards_as_are_complete():
    complete = complete_by_set()
    assert complete.keys() <= sets().keys()
    assert all(sets()[name] >= count for name, count in complete.items())
    assert complete["A1"] == sets()["A1"] and complete["P-A"] == sets()["P-A"]
    assert len(load()) < sum(sets().values())


def test_a_decision_counts_both_sides_where_it_stands():
    with watched(Path(__file__).parent) as seen:
        for bound in (0, 2):
            np.where(np.arange(3) < bound, 1, 0)
        np.where(np.array([True]), 1, 0)
    assert sorted(seen.counts.values()) == [[0, 1], [4, 2]]
    assert seen.share == 0.5 and seen.one_sided == [f"test_coverage.py:{_line()} was never false"]


def _line():
    text = Path(__file__).read_text().splitlines()
    return 1 + next(n for n, line in enumerate(text) if "np.array([True])" in line)
