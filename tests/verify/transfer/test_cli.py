"""`envwright verify --levels 4`: exit codes, one sentence, the table and the JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NamedTuple

import pytest
from tests.verify.transfer.plans import CARTPOLE
from tests.verify.transfer.poles import HERE

from envwright.cli import main
from envwright.verify import run
from envwright.verify.l4_transfer import check_transfer
from envwright.verify.room import load_room

pytestmark = pytest.mark.usefixtures("compile_quickly")


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def envwright(capsys, tmp_path, monkeypatch):
    """Runs a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(a) for a in arguments])
        return Result(int(left.value.code or 0), *capsys.readouterr())

    return run


def pair(twin, *options):
    return ["verify", "--reference", CARTPOLE, "--twin", twin, *options]


# --- bad input -------------------------------------------------------------------------

BAD = {
    "policies without level 4": (
        ["verify", "cartpole", "--policies", "p"],
        "--policies is for level 4; add --levels 4",
    ),
    "a margin without level 4": (
        pair(CARTPOLE, "--margin", "1", "--levels", "1"),
        "--margin is for level 4",
    ),
    "settings without level 4": (
        ["verify", "cartpole", "--set", "steps=1"],
        "--set is for level 4",
    ),
    "a pair without a margin": (pair(CARTPOLE, "--levels", "4"), "add --margin"),
    "a margin of nothing": (pair(CARTPOLE, "--levels", "4", "--margin", "-1"), "above 0"),
    "a margin of a room": (
        ["verify", "cartpole", "--levels", "4", "--margin", "1"],
        "cartpole has its own in translation.toml",
    ),
    "an unknown setting": (
        ["verify", "cartpole", "--levels", "4", "--set", "step=1"],
        "did you mean 'steps'?",
    ),
    "half a setting": (["verify", "cartpole", "--levels", "4", "--set", "steps"], "NAME=VALUE"),
    "policies in a file": (
        ["verify", "cartpole", "--levels", "4", "--policies", "taken/here"],
        "is not a folder",
    ),
    "a fifth level": (["verify", "cartpole", "--levels", "5"], "choose from 1,2,3,4"),
}


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_sentence_and_exit_code_2(arguments, sentence, envwright, tmp_path):
    (tmp_path / "taken").write_text("")
    result = envwright(*arguments)
    (line,) = result.err.strip().splitlines()
    assert (result.code, result.out) == (2, "")
    assert line.startswith("envwright: ") and sentence in line


def test_policies_for_other_observations_get_one_sentence(beginners, envwright):
    car = "gymnasium:MountainCar-v0"
    result = envwright(
        *("verify", "--reference", car, "--twin", car, "--levels", "4", "--margin", "1"),
        *("--policies", beginners),
    )
    (line,) = result.err.strip().splitlines()
    assert (result.code, result.out) == (2, "")
    assert "do not fit these observations and actions" in line


# --- verdicts --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("twin", "margin", "code", "verdict"),
    [
        pytest.param("pole", "10", 0, "equivalent", marks=pytest.mark.slow),
        pytest.param("HalfPay", "5", 1, "different", marks=pytest.mark.slow),
        ("pole", "0.01", 3, "inconclusive"),
    ],
)
def test_the_exit_code_is_the_verdict(twin, margin, code, verdict, beginners, envwright, tmp_path):
    options = ("--levels", "4", "--policies", beginners, "--margin", margin)
    result = envwright(*pair(f"{HERE}:{twin}", *options, "--json", "r.json"))
    assert result.code == code, result.out
    data = json.loads((tmp_path / "r.json").read_text())
    assert data.keys() >= {"kind", "env", "backend", "reference", "twin", "seed", "levels"}
    (level,) = data["levels"]
    assert (level["level"], level["verdict"], level["passed"]) == (4, verdict, code == 0)
    transfer = level["transfer"]
    assert (transfer["margin"], transfer["margin_why"]) == (float(margin), "asked for beforehand")
    (direction,) = transfer["directions"]
    assert (direction["trained_in"], direction["verdict"]) == (CARTPOLE, verdict)
    assert (direction["n"], direction["policies"]) == (3, 6)
    assert not (tmp_path / "runs").exists()  # nothing was trained
    # And the table says so, too.
    for shown in (verdict, CARTPOLE, f"{direction['mean_twin']:.2f}", f"{direction['power']:.3f}",
                  f"{direction['low']:+.2f} .. {direction['high']:+.2f}",
                  f"margin {float(margin):g}", "100 episodes", "horizon 10000",
                  "correlation of 6 paired returns", "Jensen-Shannon"):  # fmt: skip
        assert shown in result.out, shown


@pytest.mark.slow
def test_a_pair_is_trained_with_the_settings_that_were_asked_for(envwright, tmp_path, monkeypatch):
    smaller = run.pair_plan
    monkeypatch.setattr(
        run,
        "pair_plan",
        lambda asked: replace(smaller(asked), seeds=3, stages=(0.5, 1.0), episodes=30),
    )
    settings = {"steps": 512, "num_envs": 8, "rollout": 16, "network": "8x8"}
    result = envwright(
        *pair(f"{HERE}:pole", "--levels", "4", "--margin", "15", "--policies", "kept"),
        *(word for k, v in settings.items() for word in ("--set", f"{k}={v}")),
        *("--json", "r.json"),
    )
    assert result.code == 0, result.out
    transfer = json.loads((tmp_path / "r.json").read_text())["levels"][0]["transfer"]
    assert transfer["config"].items() >= settings.items()
    assert [d["trained_in"] for d in transfer["directions"]] == [CARTPOLE, f"{HERE}:pole"]
    assert {p["steps"] for p in transfer["policies"]} == {256, 512}
    assert sorted(p.name for p in (tmp_path / "kept").iterdir()) == [
        "evaluations", "reference", "twin"
    ]  # fmt: skip
    assert "training runs: 2 of 2" in result.err and "evaluations: 6 of 6" in result.err


# --- against Gymnasium -----------------------------------------------------------------


@pytest.mark.slow
def test_our_cartpole_is_not_told_from_gymnasiums_by_a_smaller_plan(tmp_path):
    plan = load_room("cartpole").transfer
    smaller = replace(
        plan, config=replace(plan.config, steps=20_000), seeds=5, reference_seeds=3, episodes=200
    )
    result = check_transfer("gymnasium:CartPole-v1", CARTPOLE, smaller, policies=tmp_path)
    assert [d.trained_in for d in result.directions] == ["gymnasium:CartPole-v1", CARTPOLE]
    assert "different" not in {d.verdict for d in result.directions}
    assert result.directions[1].verdict == "equivalent"
    assert result.correlation.pearson > 0.98
    assert result.visitation.p > 0.05


@pytest.mark.slow
def test_our_cartpole_is_equivalent_by_its_own_plan(envwright, tmp_path):
    result = envwright(
        *("verify", "cartpole", "--levels", "4", "--executor", "process:2", "--json", "r.json")
    )
    assert result.code == 0, result.out
    transfer = json.loads((tmp_path / "r.json").read_text())["levels"][0]["transfer"]
    assert [d["n"] for d in transfer["directions"]] == [10, 10]
    assert all(d["power"] > 0.8 for d in transfer["directions"])
