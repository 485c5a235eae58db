"""`envwright update`, from the command to the updated folder; pip sees only two wheels."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from tests.translate.answers import ENV, HEAT, changed, turn
from tests.translate.conftest import REASON
from tests.translate.scripted import Scripted
from tests.translate.update.conftest import SOURCE, TOML, lamp_with
from tests.wheels import offer, put_wheel

from envwright.cli import main
from envwright.core import pinned
from envwright.schema.toml_file import parse_toml
from envwright.translate.run import Run
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import last_run, open_run

UNSAFE = ["--unsafe"] if REASON is not None else []
PINNED = 'source = "lampkit:LampEnv"\npackage = "lampkit==1.0"\n'
TOML = changed(TOML.replace("lamp:", "lampkit:"), 'source = "lampkit:LampEnv"\n', PINNED)
TEXT = lamp_with(("Heat after a tick;", "The heat of the next tick;"))
BRIGHTER = lamp_with(("0.0625 * level", "0.125 * level"))
BASE = "20260101-000000-aaaa"  # before all others
CORRECT = "sed -i s/0.0625/0.125/ src/fast_lamp/heat.py"


def folder_in(place):
    folder = place / "translation"
    folder.mkdir()
    (folder / "translation.toml").write_text(TOML)
    return folder


# --- bad input -----------------------------------------------------------------------------------


@pytest.fixture
def refused(capsys, monkeypatch):
    """The only sentence of a command that is refused before pip is asked for anything."""

    def none(*_):
        raise AssertionError("pip was asked")

    monkeypatch.setattr(pinned, "_pip", none)

    def run(*words):
        with pytest.raises(SystemExit) as left:
            main(["update", *map(str, words)])
        out, err = capsys.readouterr()
        assert (left.value.code, out, err.count("\n")) == (2, "", 1), err
        return err

    return run


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("cartpole",), "can only be compared; add --check"),
        (("gymnasium:CartPole-v1",), "can only be compared; add --check"),
        (("nowhere", "--check"), "there is no folder nowhere"),
        (("pong", "--check"), "is fetched at one version"),
        (("tcgpocket", "--check"), "so there are no versions to compare"),
        (("cartpole", "--check", "--to", "a b"), "'a b' is not a version"),
        (("pokemon", "--check", "--to", "latest"), "is not a version of @pkmn/sim"),
        (("cartpole", "--check", "--budget", "-1"), "a cap on dollars must be above 0"),
        (("cartpole", "--check", "--agent", "replay"), "a recording is of the old version"),
    ],
)
def test_bad_input_is_one_sentence_before_anything_is_installed(words, sentence, refused):
    assert sentence in refused(*words)


@pytest.mark.parametrize(("name", "version"), [("cartpole", "1.3.0"), ("gameboy", "2.8.1")])
def test_the_pinned_version_is_no_difference(name, version, capsys):
    with pytest.raises(SystemExit) as left:
        main(["update", name, "--check", "--to", version])
    assert (
        left.value.code == 0 and "is on both sides, so nothing differs" in capsys.readouterr().err
    )


def test_a_translation_that_was_never_verified_has_nothing_to_begin_with(tmp_path, refused):
    folder = folder_in(tmp_path)
    assert "has no verified run to begin with" in refused(folder, "--to", "2.0")
    assert sorted(path.name for path in folder.iterdir()) == ["translation.toml"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('package = "lampkit==1.0"\n', "", "names no package, so there are no versions"),
        ("lampkit==1.0", "lampkit>=1.0", "so there are no versions to compare"),
        ("lampkit==1.0", "lampkit @ https://x/y", "so there are no versions to compare"),
        ("python:lampkit:LampEnv", "command:lamp", "does not run in the interpreter"),
    ],
)
def test_a_reference_without_versions_is_reported(tmp_path, refused, old, new, sentence):
    folder = folder_in(tmp_path)
    (folder / "translation.toml").write_text(changed(TOML, old, new))
    assert sentence in refused(folder, "--check", "--to", "2.0")


# --- updates -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """Version 1.0, 1.1 with another docstring, 2.0 with a brighter lamp, and a cache."""
    root = tmp_path_factory.mktemp("registry")
    for version, text in (("1.0", SOURCE), ("1.1", TEXT), ("2.0", BRIGHTER)):
        put_wheel(root / "wheels", "lampkit", version, {"lampkit.py": text})
    with pytest.MonkeyPatch.context() as patch:
        offer(patch, root / "wheels")
        patch.setenv(pinned.CACHE, str(root / "cache"))
        yield root


@pytest.fixture(scope="module")
def verified(registry):
    """A folder with a run that was verified at level 1 with version 1.0."""
    folder = folder_in(registry)
    (registry / "lampkit.py").write_text(SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(registry))
        agent = Scripted([turn(heat=HEAT), turn(env=ENV)])
        run = Run(folder / "runs" / BASE, load_spec(folder), agent, (1,), confined=REASON is None)
        assert run.go().outcome == "verified"
    sys.modules.pop("lampkit", None)
    return folder


@pytest.fixture
def lampkit(verified, tmp_path):
    tmp_path.chmod(0o755)
    return shutil.copytree(verified, tmp_path / "lampkit", symlinks=True)


def started(*words, **options):
    command = [sys.executable, "-P", "-m", "envwright", "update", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )


def update(*words):
    process = started(*words)
    said, _ = process.communicate()
    return process.returncode, said


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in files if "updates" not in p.parts}


def pin(folder):
    read = parse_toml((folder / "translation.toml").read_text())
    return read["reference"]["package"], read["environment"].get("version", 1)


@pytest.mark.slow
def test_a_change_of_text_moves_the_pin_without_an_agent(lampkit, tmp_path):
    before, result = contents(lampkit), tmp_path / "result.json"
    code, said = update(lampkit, "--to", "1.1", "--check", "--json", result)
    assert code == 0 and "only comments" in said and contents(lampkit) == before, said
    code, said = update(lampkit, "--to", "1.1", "--levels", "1", "--no-bench", "--json", result)
    assert code == 0 and "level 1: all" in said and "the package is in" not in said, said
    assert pin(lampkit) == ("lampkit==1.1", 1)
    run = open_run(last_run(load_spec(lampkit)))
    assert run.position.turns == 0 and run.journal.of("begun")[0]["base"] == BASE
    assert (lampkit / "runs" / BASE).is_dir() and not (lampkit / "updates").exists()
    project = (lampkit / "package" / "pyproject.toml").read_text()
    assert "lampkit==1.1" in project and (lampkit / "package/tests/golden").is_dir()
    stored = json.loads(result.read_text())
    assert (stored["kind"], stored["outcome"], stored["versions"]) == ("update", "verified", [1, 1])
    assert {m["name"]: m["verdict"] for m in stored["modules"]} == {"heat": "text", "env": "text"}


@pytest.mark.slow
def test_changed_behaviour_is_translated_again_and_is_a_new_version(lampkit, tmp_path):
    before = contents(lampkit)
    agent = ["--agent", "command", "--command", CORRECT, *UNSAFE]
    code, said = update(lampkit, "--to", "2.0", "--check")
    assert code == 1 and contents(lampkit) == before, said
    # An agent that changes nothing right: the folder stays as it is.
    useless = ["--agent", "command", "--command", "true", "--iterations", "1", *UNSAFE]
    code, said = update(lampkit, "--to", "2.0", "--levels", "1", "--no-bench", *useless)
    assert code == 4 and contents(lampkit) == before and "the same command goes on" in said, said
    code, said = update(lampkit, "--to", "2.0", "--no-bench", *agent)
    assert code == 0, said
    assert pin(lampkit) == ("lampkit==2.0", 2)
    run = open_run(last_run(load_spec(lampkit), ended="verified"))
    prompts = [run.folder / "objects" / asked["prompt"] for asked in run.journal.of("asked")]
    assert all("The reference is now lampkit==2.0" in path.read_text() for path in prompts)
    tasks = [asked["task"] for asked in run.journal.of("asked")]
    assert "translate env" in tasks and tasks[0] == "translate heat"
    assert "-v2" in (lampkit / "package/src/fast_lamp/_registration.py").read_text()


@pytest.mark.slow
def test_an_update_that_is_killed_leaves_the_folder_and_goes_on(lampkit):
    before = contents(lampkit)
    words = (lampkit, "--to", "1.1", "--levels", "1", "--no-bench")
    process = started(*words, start_new_session=True)
    until = time.monotonic() + 300
    while not list(lampkit.glob("updates/1.1/runs/*/journal.jsonl")):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert contents(lampkit) == before
    code, said = update(*words)
    assert code == 0 and pin(lampkit) == ("lampkit==1.1", 1), said
    assert len(list((lampkit / "runs").iterdir())) == 2, "the run that was killed went on"


@pytest.mark.slow
def test_a_version_that_does_not_exist_changes_nothing(lampkit):
    before = contents(lampkit)
    code, said = update(lampkit, "--to", "9.9")
    assert code == 2 and "pip finds no lampkit==9.9" in said
    assert contents(lampkit) == before and not (lampkit / "updates").exists()
