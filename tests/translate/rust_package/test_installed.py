"""Translations to Rust, built from their sources by maturin, installed and used."""

from __future__ import annotations

import os
import sys
import zipfile

import pytest
from tests.translate.conftest import LAMP
from tests.translate.installing import environment, own_wheel, run, use, wheel_of
from tests.translate.rust_package.conftest import export_lamp
from tests.translate.test_rust_target import needs_cargo

from envwright.cli.app import main
from envwright.verify.adequacy.mutation.rust import workspace

pytestmark = [pytest.mark.slow, needs_cargo]
RESTLESS = {'"python:lamp:LampEnv"': '"python:lamp:RestlessLamp"'}


@pytest.fixture(scope="module")
def restless(tmp_path_factory):
    """A folder with a translation of the lamp whose steps are random, and its package."""
    folder = tmp_path_factory.mktemp("restless") / "lamp"
    export_lamp(folder, RESTLESS, dice=True)
    return folder


def test_a_game_of_chance_is_installed_in_an_empty_environment_and_used(restless, shared, tmp_path):
    package = restless / "package"
    wheel = wheel_of(package, tmp_path / "wheel")
    assert "abi3" in wheel.name
    with zipfile.ZipFile(wheel) as opened:
        names = [name for name in opened.namelist() if ".dist-info" not in name]
    assert names.count("fast_lamp/_native.abi3.so") == 1 and "fast_lamp/translation.toml" in names
    assert not [name for name in names if not name.startswith("fast_lamp/") or ".git" in name]
    python = environment(tmp_path / "empty", own_wheel(shared), wheel)
    site = next((tmp_path / "empty").glob("lib/*/site-packages"))
    (site / "lamp.pth").write_text(f"{LAMP}\n")  # the reference
    use(python, "fast_lamp", "fast_lamp/Lamp-v1", package / "tests", dice=True)


COMMANDS = {
    "verify": ["--levels", "1,3", "--episodes", "10"],
    "bench": ["--batch", "64", "--repeats", "2", "--seconds", "0.1"],
    "train": ["--steps", "4096", "--set", "num_envs=16"],
    "mutate": ["--most", "2"],
    "play": ["-o", "play.webp", "--steps", "20"],
    "report": [],
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_command_takes_the_folder(restless, verb, tmp_path):
    command = [sys.executable, "-P", "-m", "envwright", verb, restless, *COMMANDS[verb]]
    # This envwright is found where it is not the installed one.
    path = os.environ.get("PYTHONPATH", "")
    said = run(command, tmp_path, allowed=(0, 1) if verb == "mutate" else (0,), PYTHONPATH=path)
    if verb == "mutate":
        assert "2 of " in said and "mutants of fast_lamp (rust)" in said


def test_an_installed_package_has_no_sources_to_mutate(restless, monkeypatch, capsys):
    monkeypatch.setattr("envwright.core.registry._ROOMS", {})
    monkeypatch.setattr(workspace, "folder_of", lambda room: None)
    with pytest.raises(SystemExit) as left:
        main(["mutate", str(restless)])
    assert left.value.code == 2
    assert "is installed without its Rust sources; name the folder" in capsys.readouterr().err
