"""A verified run is written as a package that is a room."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib

import jax
import numpy as np
import pytest
from tests.translate.package.conftest import CONFINED
from tests.translate.scripted import Scripted

from envwright.agents.base import Answer
from envwright.cli.export import export as export_command
from envwright.cli.export import write
from envwright.cli.next_steps import steps
from envwright.core.array_file import read_arrays
from envwright.core.outside_rooms import GROUP
from envwright.errors import EnvwrightError
from envwright.testing import assert_golden, assert_recorded, assert_verified, has_reference
from envwright.translate.package import MARK, export, place_for
from envwright.translate.package.evidence import evidence, licence_of
from envwright.translate.package.writing import PINNED
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run

pytestmark = pytest.mark.lax("packages run as they do for users")


def test_the_package_declares_a_room_and_says_how_it_was_verified(finished):
    project = tomllib.loads((finished / "package/pyproject.toml").read_text())["project"]
    assert project["entry-points"][GROUP] == {"fast_lamp": "fast_lamp._room:ROOM"}
    assert project["name"] == "fast-lamp" and project["version"] == "1.0.0"
    page = (finished / "package/README.md").read_text()
    assert "| L1, properties | single steps" in page and "L3" not in page.split("## Tests")[0]
    assert "translated by | scripted, 2 turns" in page
    assert "licence of the reference is not known" in (finished / "package/NOTICE").read_text()


def test_its_room_makes_the_environment(opened):
    assert (opened.id, opened.gymnasium_id) == ("fast_lamp", "fast_lamp/Lamp-v1")
    env = opened.make()
    _, state = env.reset(jax.random.key(0))
    assert env.step(jax.random.key(1), state, 1).reward.shape == ()
    with pytest.raises(EnvwrightError, match="fast_lamp-v1 has no option 'wheels'"):
        opened.make(wheels=4)


def test_importing_it_registers_it_with_gymnasium(opened):
    import gymnasium

    assert "fast_lamp/Lamp-v1" in gymnasium.registry
    envs = gymnasium.make_vec("fast_lamp/Lamp-v1", num_envs=3)
    assert envs.reset(seed=0)[0].shape[0] == 3
    envs.close()
    del gymnasium.registry["fast_lamp/Lamp-v1"]


def test_its_own_tests_pass_with_the_reference_and_without(opened, finished, monkeypatch):
    tests = finished / "package/tests"
    written = (tests / "test_levels.py").read_text()
    compile(written, "test_levels.py", "exec")
    assert has_reference("fast_lamp")
    assert_verified("fast_lamp", levels=(1,))
    assert_golden("fast_lamp", tests / "golden/heat-golden_warm.npz", "heat", "golden_warm")
    monkeypatch.setitem(sys.modules, "lamp", None)  # not installed
    assert not has_reference("fast_lamp")
    label = load_spec(finished).checks[0].label
    assert f'"recorded.npz", {json.dumps(label)}' in written
    assert_recorded("fast_lamp", tests / "recorded.npz", label)


def test_a_specification_that_was_not_verified_is_not_exported(finished, tmp_path):
    """The package would claim that its settings were verified."""
    toml = finished / "translation.toml"
    before = toml.read_text()
    try:
        toml.write_text(before.replace("visited = 4", "visited = 5"))
        with pytest.raises(EnvwrightError, match=r"has changed since run a was verified; verify"):
            export(open_run(finished / "runs/a"), tmp_path / "out", CONFINED)
    finally:
        toml.write_text(before)
    assert not (tmp_path / "out").exists()


def test_recorded_steps_show_a_difference(opened, finished, tmp_path):
    label = load_spec(finished).checks[0].label
    table = read_arrays(finished / "package/tests/recorded.npz")
    assert len(table["action"]) > 100
    table["expected.reward"] = table["expected.reward"] + (np.arange(len(table["action"])) == 7)
    np.savez(tmp_path / "other.npz", **table)
    with pytest.raises(AssertionError, match=r"other.npz: reward.*(?s:.)*after action"):
        assert_recorded("fast_lamp", tmp_path / "other.npz", label)
    (tmp_path / "other.npz").write_bytes(b"PK")
    with pytest.raises(EnvwrightError, match="does not hold recorded steps"):
        assert_recorded("fast_lamp", tmp_path / "other.npz", label)


def test_a_second_export_replaces_the_first_and_leaves_other_files(finished, monkeypatch):
    package = finished / "package"
    (package / "notes.txt").write_text("mine")
    (package / "src/fast_lamp/stale.py").write_text("")
    monkeypatch.setattr("envwright.translate.package.writing._record", lambda *_: None)
    before = (package / "tests/recorded.npz").read_bytes()
    export(open_run(finished / "runs/a"), package, CONFINED)
    assert not (package / "src/fast_lamp/stale.py").exists()
    assert (package / "notes.txt").read_text() == "mine"
    assert not [path for path in package.iterdir() if path.name.startswith(".")]
    (package / "tests/recorded.npz").write_bytes(before)


def test_what_envwright_did_not_write_is_not_replaced(finished, tmp_path):
    run = open_run(finished / "runs/a")
    (tmp_path / "src").mkdir()
    with pytest.raises(EnvwrightError, match="already contains src, which envwright did not write"):
        export(run, tmp_path)
    (tmp_path / "src").rmdir()
    (tmp_path / "translation.toml").write_text("# another")
    with pytest.raises(EnvwrightError, match="holds another translation; choose another folder"):
        export(run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["translation.toml"]


def test_a_journal_cannot_name_a_file_outside_of_the_package(finished, tmp_path):
    """`src/fast_lamp//etc/passwd` without its beginning is `/etc/passwd`."""
    run = shutil.copytree(finished / "runs/a", tmp_path / "lamp/runs/a")
    shutil.copy(finished / "translation.toml", tmp_path / "lamp")
    for line in (lines := (run / "journal.jsonl").read_text().splitlines()):
        event = json.loads(line)
        if event.get("files"):
            event["files"][f"src/fast_lamp/{tmp_path}/outside.py"] = "0" * 24
            lines[lines.index(line)] = json.dumps(event)
    (run / "journal.jsonl").write_text("\n".join([*lines, ""]))
    with pytest.raises(EnvwrightError, match="is not a file below the workspace"):
        export(open_run(run), tmp_path / "out", CONFINED)
    assert not (tmp_path / "outside.py").exists()


@pytest.mark.parametrize(
    ("package", "kept"),
    [
        ("gymnasium==1.3.0", True),
        ("mujoco", True),
        ("evil @ https://example.org/evil.whl", False),
        ("git+https://example.org/evil", False),
        ('x"]\nevil = ["y', False),
        ("a room's own words (npm)", False),
    ],
)
def test_only_a_pinned_package_is_required(package, kept):
    assert (PINNED.fullmatch(package) is not None) == kept


def test_a_run_that_is_not_verified_is_not_exported(lamp, run_of, tmp_path):
    run = run_of(Scripted([Answer("failed", reason="no")]), levels=(1,))
    assert run.go().outcome != "verified"
    with pytest.raises(EnvwrightError, match="ended as agent; only verified runs are exported"):
        export(open_run(run.folder), tmp_path / "out")
    assert not [*(tmp_path / "out").glob("*")]


def test_the_place_of_a_package(finished, tmp_path):
    spec = load_spec(finished)
    assert place_for(spec, None) == spec.folder / "package"
    assert place_for(spec, None, made=True) == spec.folder
    assert place_for(spec, tmp_path) == tmp_path
    (finished / "pyproject.toml").write_text(MARK)
    assert place_for(spec, None) == spec.folder
    (finished / "pyproject.toml").unlink()


def test_the_licence_is_that_of_the_installed_package():
    assert licence_of("gymnasium==1.3.0") == "MIT License"
    assert licence_of("no-such-package==1") == licence_of("") == ""


def test_code_of_other_agents_than_the_compiler_needs_a_sandbox(finished, tmp_path, monkeypatch):
    assert open_run(finished / "runs/a").agents == ["scripted"]
    monkeypatch.setattr("envwright.sandbox.why_not", lambda: "there is no bwrap")
    with pytest.raises(EnvwrightError, match="bwrap"):
        export_command(str(finished), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_evidence_has_a_row_for_each_level(finished):
    shown = evidence(open_run(finished / "runs/a"))
    assert [row.level for row in shown.rows] == ["L1, properties"]
    assert shown.episodes == 0 and shown.turns == 2 and shown.cost == "2,200 tokens, $0.02"


def test_the_last_lines_are_the_next_commands(finished, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("envwright.cli.export.write_package", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    write(open_run(finished / "runs/a"), tmp_path / "my lamp", CONFINED)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "the package is in ./my lamp; next:"
    listed = steps(tmp_path / "my lamp", "fast_lamp", "fast_lamp/Lamp-v1")
    assert lines[1:] == [f"  {command}" for command in listed.values()]
    assert lines[1] == "  envwright verify './my lamp'"
