"""`envwright mutate` and `envwright coverage`: exit codes and documented schemas."""

from __future__ import annotations

import json
import shutil

import pytest

from envwright.cli import main
from envwright.verify.adequacy import coverage, mutate
from envwright.verify.run import Effort

SMALL = Effort(episodes=12, visited=6, fuzzed=120, boundary=40, starts=2000, examples=5)


def run(*arguments):
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


@pytest.fixture
def less_effort(monkeypatch):
    """The commands ask as the levels do, only less often."""
    for module, function in ((mutate, "mutate_room"), (coverage, "cover_room")):
        whole = getattr(module, function)
        monkeypatch.setattr(
            module,
            function,
            lambda *a, whole=whole, **k: whole(*a, **{**k, "effort": SMALL}),
        )


@pytest.mark.usefixtures("less_effort")
def test_mutate_tries_a_sample_and_writes_the_documented_schema(tmp_path, capsys):
    file = tmp_path / "mutants.json"
    code = run("mutate", "cartpole", "--most", "2", "--executor", "serial", "--json", str(file))
    data = json.loads(file.read_text())
    assert data.keys() >= {"env", "mutants", "killed", "equivalent", "survived"}
    assert (data["env"], data["mutants"]) == ("cartpole", 2)
    assert data["killed"].keys() == {"l1", "l2", "l3"}
    assert all(e.keys() == {"mutant", "proof"} for e in data["equivalent"])
    judged = data["mutants"] - len(data["equivalent"])
    assert data["killed_by_any"] + len(data["survived"]) == judged
    assert code == (1 if data["survived"] else 0)
    assert f"2 of {data['mutants_in_all']} mutants of cartpole" in capsys.readouterr().out


@pytest.mark.usefixtures("less_effort")
@pytest.mark.slow
def test_coverage_counts_both_outcomes_and_writes_the_documented_schema(tmp_path, capsys):
    file = tmp_path / "coverage.json"
    code = run("coverage", "cartpole", "--json", str(file))
    data = json.loads(file.read_text())
    assert data.keys() >= {
        "env", "backend", "levels", "share", "decisions", "unseen", "unvisited", "files", "rust"
    }  # fmt: skip
    for level in data["levels"]:
        assert level.keys() >= {"level", "decisions", "both_outcomes", "share"}
        assert 0 < level["both_outcomes"] <= level["decisions"]
    assert data["files"]["rules.py"].keys() >= {"lines", "lines_run", "branches", "missing"}
    assert data["files"]["rules.py"]["lines_run"] > 0
    assert code == (1 if data["unseen"] else 0)
    assert "decisions of cartpole (jax)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mutate", "cartpol"], "did you mean 'cartpole'?"),
        (["mutate", "cartpole", "--most", "0"], "at least 1"),
        (["mutate", "cartpole", "--backend", "cuda"], "use jax"),
        (["mutate", "cartpole", "--executor", "cloud"], "unknown executor"),
        (["mutate", "cartpole", "--json", "no/folder/m.json"], "no folder"),
        (["coverage", "cartpol"], "did you mean 'cartpole'?"),
        (["coverage", "cartpole", "--json", "no/folder/c.json"], "no folder"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(arguments, sentence, capsys):
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    (line,) = err.strip().splitlines()
    assert line.startswith("envwright: ") and sentence in line
    assert out == ""


def test_coverage_of_rust_says_how_to_get_the_tool_that_it_needs(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert run("coverage", "pong", "--backend", "rust") == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("envwright: ") and "cargo install cargo-llvm-cov" in line


def test_coverage_of_rust_tells_what_the_crates_tests_run(monkeypatch, tmp_path, capsys):
    counted = {kind: {"count": 9, "covered": 8} for kind in ("lines", "functions", "regions")}
    monkeypatch.setattr(coverage, "rust_coverage", lambda room: counted)
    file = tmp_path / "c.json"
    assert run("coverage", "pong", "--backend", "rust", "--json", str(file)) == 0
    assert json.loads(file.read_text())["rust"] == counted
    assert "own tests run 8 of 9 lines, 8 of 9 functions" in capsys.readouterr().out
