"""`envwright verify`, `replay` and `list`: exit codes, one sentence, and what is written."""

from __future__ import annotations

import json
import sys
from typing import NamedTuple

import pytest

from envwright.cli import main

WORLDS = "python:tests.verify.worlds"
LEVEL_KEYS = {
    "level", "passed", "verdict", "cases", "episodes", "steps", "bound", "divergences"
}  # fmt: skip


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


def pair(reference, twin):
    return ["verify", "--reference", reference, "--twin", twin]


def one_sentence(result):
    """The only line on stderr; nothing was printed, nothing raised."""
    (line,) = result.err.strip().splitlines()
    assert line.startswith("envwright: ") and result.out == ""
    return line


# --- bad input -------------------------------------------------------------------------

BAD = {
    "a wrong id": (["verify", "cartpol"], "did you mean 'cartpole'?"),
    "a wrong version": (["verify", "cartpole-v7"], "there is cartpole-v1"),
    "a wrong Gymnasium id": (pair("gymnasium:CartPoll-v1", f"{WORLDS}:Marble"), "CartPoll"),
    "no scheme": (pair("CartPole-v1", f"{WORLDS}:Marble"), "does not name a simulator"),
    "nothing to verify": (["verify"], "say what to verify"),
    "half a pair": (["verify", "--twin", f"{WORLDS}:Marble"], "say what to verify"),
    "levels of a vector": (["verify", "cartpole", "--vector", "--levels", "2"], "leave it out"),
    "a room and a pair": (["verify", "cartpole", "--twin", "x:y"], "give either"),
    "a package that is missing": (
        pair("gymnasium:LunarLander-v3", f"{WORLDS}:Marble"),
        "needs more packages",
    ),
    "a module that is missing": (pair("python:nowhere:Env", f"{WORLDS}:Marble"), "no module"),
    "other actions": (pair(f"{WORLDS}:Marble", f"{WORLDS}:FourWayMarble"), "actions differ"),
    "a reference without a seed": (
        pair(f"{WORLDS}:UnseededMarble", f"{WORLDS}:Marble"),
        "does not reproduce itself",
    ),
    "a reference that raises": (
        pair(f"{WORLDS}:LateMarble", f"{WORLDS}:Marble"),
        "raised ArithmeticError",
    ),
    "a level that does not exist": (["verify", "cartpole", "--levels", "1,5"], "no level [5]"),
    "levels in words": (["verify", "cartpole", "--levels", "all"], "not 'all'"),
    "no episodes": (["verify", "cartpole", "--episodes", "0"], "at least 1"),
    "a tolerance in words": ([*pair("a:b", "c:d"), "--atol", "small"], "not 'small'"),
    "a negative tolerance": ([*pair("a:b", "c:d"), "--atol", "obs=-1"], "not negative"),
    "no tolerance at all": ([*pair("a:b", "c:d"), "--atol", "inf"], "not infinite"),
    "half an ulp": ([*pair("a:b", "c:d"), "--ulp", "0.5"], "not '0.5'"),
    "an unknown executor": (
        [*pair(f"{WORLDS}:Marble", f"{WORLDS}:Marble"), "--executor", "cloud"],
        "use serial, process, process:N, ray or ray:N",
    ),
    "an unknown policy": (
        [*pair(f"{WORLDS}:Marble", f"{WORLDS}:Marble"), "--policy", "clever"],
        "unknown policy 'clever'",
    ),
    "an unknown backend": (["verify", "cartpole", "--backend", "cuda"], "use jax"),
    "a backend of a pair": ([*pair("a:b", "c:d"), "--backend", "jax"], "--backend is for"),
    "a tolerance of a room": (["verify", "cartpole", "--atol", "1"], "translation.toml"),
    "a bridge of a room": (["verify", "cartpole", "--bridge", "python:a:b"], "translation.toml"),
    "no lanes": (["verify", "cartpole", "--vector", "--lanes", "0"], "at least 1"),
    "no file to replay": (["replay", "none.npz"], "there is no file none.npz"),
}


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_sentence_and_exit_code_2(arguments, sentence, envwright):
    result = envwright(*arguments)
    assert result.code == 2
    assert sentence in one_sentence(result)


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (["--json", "no/folder/r.json"], "there is no folder"),
        (["--json", "."], "it is a folder"),
        (["--keep", "taken/here"], "is not a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_the_work(
    option, sentence, envwright, tmp_path
):
    (tmp_path / "taken").write_text("")
    # Both simulators would raise if they were opened.
    result = envwright(*pair("python:nowhere:A", "python:nowhere:B"), *option)
    assert result.code == 2
    assert sentence in one_sentence(result)


def test_a_corrupt_file_is_not_replayed(envwright, tmp_path):
    (tmp_path / "broken.npz").write_bytes(b"PK")
    result = envwright("replay", "broken.npz")
    assert result.code == 2
    assert one_sentence(result) == "envwright: broken.npz is not a saved divergence"


# --- verdicts --------------------------------------------------------------------------

FAST = ["--levels", "3", "--episodes", "20"]


def test_equal_is_exit_code_0(envwright, tmp_path):
    result = envwright(*pair(f"{WORLDS}:Marble", f"{WORLDS}:Marble"), *FAST, "--json", "r.json")
    assert result.code == 0
    assert "equal" in result.out and "13.91%" in result.out
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["levels"][0]["passed"] is True
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


@pytest.mark.parametrize(
    ("twin", "shown"),
    [
        ("NaNMarble", "twin       nan"),
        ("RaisingMarble", "the twin raised  ZeroDivisionError: the dome has no right side"),
        ("RaisingResetMarble", "the twin raised  ValueError: seeds must be odd"),
        ("DeadMarble", "the twin raised  RuntimeError: dead"),
    ],
)
def test_different_is_exit_code_1_with_a_file_that_replays(twin, shown, envwright, tmp_path):
    result = envwright(
        *pair(f"{WORLDS}:Marble", f"{WORLDS}:{twin}"), *FAST, "--json", "r.json", "--keep", "kept"
    )
    assert result.code == 1
    assert shown in result.out
    data = json.loads((tmp_path / "r.json").read_text())
    (divergence,) = data["levels"][0]["divergences"]
    assert [str(p.relative_to(tmp_path)) for p in (tmp_path / "kept").iterdir()] == [
        divergence["path"]
    ]
    command = ["replay", "--trust", divergence["path"]]
    assert f"envwright {' '.join(command)}" in result.out
    again = envwright(*command)
    assert again.code == 1
    assert "they still differ" in again.out


def test_inconclusive_is_exit_code_3_and_says_why(envwright):
    result = envwright(*pair(f"{WORLDS}:Marble", f"{WORLDS}:OwnStartMarble"), *FAST)
    assert result.code == 3
    assert "inconclusive" in result.out and "give --bridge" in result.out


def test_a_mended_twin_replays_with_exit_code_0(envwright, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    port = tmp_path / "my_port.py"
    port.write_text("from tests.verify.worlds import NaNMarble as Port")
    result = envwright(*pair(f"{WORLDS}:Marble", "python:my_port:Port"), *FAST)
    assert result.code == 1  # and the module was found in this folder
    (kept,) = tmp_path.glob("*.npz")
    port.write_text("from tests.verify.worlds import Marble as Port")
    sys.modules.pop("my_port")
    again = envwright("replay", kept.name, "--trust")
    assert again.code == 0
    assert "they agree now" in again.out
    sys.modules.pop("my_port")


def test_the_json_has_the_documented_schema(envwright, tmp_path):
    envwright(
        *pair(f"{WORLDS}:Marble", f"{WORLDS}:TiredMarble"),
        *("--levels", "2,3", "--episodes", "20", "--seed", "5", "--json", "r.json"),
    )
    data = json.loads((tmp_path / "r.json").read_text())
    assert data.keys() >= {"env", "backend", "reference", "twin", "seed", "levels"}
    assert (data["reference"], data["seed"]) == (f"{WORLDS}:Marble", 5)
    assert [level["level"] for level in data["levels"]] == [2, 3]
    for level in data["levels"]:
        assert level.keys() >= LEVEL_KEYS
        assert level["bound"] is None
        (divergence,) = level["divergences"]
        assert divergence.keys() >= {
            "field", "reference_value", "twin_value", "step", "start", "actions"
        }  # fmt: skip


def test_infinities_and_nan_are_valid_json(envwright, tmp_path):
    envwright(*pair(f"{WORLDS}:Marble", f"{WORLDS}:NaNMarble"), *FAST, "--json", "r.json")
    text = (tmp_path / "r.json").read_text()
    data = json.loads(text, parse_constant=lambda c: pytest.fail(f"{c} is no JSON"))
    assert data["levels"][0]["divergences"][0]["twin_value"] == "NaN"


def test_tolerances_are_taken_for_all_fields_or_for_one(envwright):
    float32 = pair(f"{WORLDS}:Marble", f"{WORLDS}:Float32Marble")
    assert envwright(*float32, *FAST).code == 1
    assert envwright(*float32, *FAST, "--atol", "1e-6").code == 0
    fields = ["--atol", "state.*=1e-6", "--atol", "obs=1e-6"]
    assert envwright(*float32, *FAST, *fields).code == 0
    assert envwright(*float32, *FAST, *fields[:2]).code == 1


def test_a_policy_of_ones_own_is_played(envwright):
    result = envwright(
        *pair("gymnasium:CartPole-v1", "gymnasium:CartPole-v1"),
        *("--levels", "3", "--episodes", "2", "--policy"),
        "python:envwright.zoo.cartpole.policies:balance",
    )
    assert result.code == 0
    assert "1,000" in result.out  # steps: it stays up until the time is up


def test_the_vector_form_is_verified_by_name(envwright):
    cartpole = "gymnasium:CartPole-v1"
    result = envwright(*pair(cartpole, cartpole), "--vector", "--lanes", "3", "--episodes", "10")
    assert result.code == 0
    assert "level 2: 3 lanes, next step reset" in result.out


# --- list ------------------------------------------------------------------------------


def test_list_shows_every_environment_of_the_zoo(envwright, tmp_path):
    result = envwright("list", "--json", "list.json")
    assert result.code == 0
    assert "cartpole-v1" in result.out and "envwright/CartPole-v1" in result.out
    (cartpole,) = [
        e
        for e in json.loads((tmp_path / "list.json").read_text())["environments"]
        if e["id"] == "cartpole"
    ]
    assert cartpole["backends"] == ["jax"]
    assert cartpole["reference"] == "gymnasium:CartPole-v1"


def test_without_a_verb_there_is_help(envwright):
    result = envwright()
    assert result.code == 2
    assert all(verb in result.out + result.err for verb in ("verify", "replay", "mutate", "list"))


def test_a_negative_seed_is_bad_input(envwright):
    result = envwright("verify", "cartpole", "--seed", -1)
    assert result.code == 2 and "--seed" in result.err


def test_a_defect_of_ours_is_neither_equal_nor_different(envwright, monkeypatch):
    monkeypatch.setattr("envwright.cli.listing.rooms", lambda: 1 / 0)
    result = envwright("list")
    assert result.code == 70 and "ZeroDivisionError" in result.err
