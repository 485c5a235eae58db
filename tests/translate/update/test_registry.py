"""Two real versions, from the registry that pip uses here."""

from __future__ import annotations

import json

import pytest

from envwright.cli import main
from envwright.core import pinned

pytestmark = pytest.mark.slow


@pytest.fixture
def compared(tmp_path, monkeypatch, capsys):
    """Compare versions of a simulator; its exit code and what was stored."""
    monkeypatch.setenv(pinned.CACHE, str(tmp_path / "cache"))
    result = tmp_path / "result.json"

    def compare(simulator, old, new):
        with pytest.raises(SystemExit) as left:
            words = ["--check", "--from", old, "--to", new, "--json", str(result)]
            main(["update", simulator, *words])
        said = capsys.readouterr().err
        if "whether there is a network" in said:
            pytest.skip(said)
        return left.value.code, json.loads(result.read_text())

    return compare


def test_cartpole_is_the_same_in_two_versions_of_gymnasium(compared):
    code, stored = compared("gymnasium:CartPole-v1", "1.2.3", "1.3.0")
    assert code == 0
    assert {m["name"]: m["verdict"] for m in stored["modules"]} == {
        "dynamics": "text",
        "env": "text",
    }
    assert not any(part["differ"] for part in stored["parts"])


def test_rain_in_taxi_changed_between_two_versions_of_gymnasium(compared):
    taxi = "python:gymnasium.envs.toy_text.taxi:TaxiEnv?is_rainy=true"
    code, stored = compared(taxi, "1.2.3", "1.3.0")
    assert code == 1
    assert {m["name"]: m["verdict"] for m in stored["modules"]}["env"] == "behaviour"
