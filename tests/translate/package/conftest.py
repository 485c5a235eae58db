"""A verified run of the lamp, whose bridge and policy lie beside its specification."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tests.translate.answers import ENV, HEAT, changed, turn
from tests.translate.conftest import LAMP, REASON
from tests.translate.scripted import Scripted

from envwright.core import registry
from envwright.core.outside_rooms import FOLDERS
from envwright.core.registry import open_folder
from envwright.translate.package import export, writing
from envwright.translate.run import Run
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run

CONFINED = REASON is None
BRIDGE = '''"""The lamp's states have the same names on both sides."""

from envwright.core.bridge import SameNames

BRIDGE = SameNames()
'''
POLICIES = '''"""Policies for the lamp."""


def up(rng, space, obs, t, memory):
    return 2
'''
OWN = ("lamp", "bridge", "policies")


@pytest.fixture(scope="session")
def verified(tmp_path_factory):
    """A folder with a run that was verified at level 1."""
    folder = tmp_path_factory.mktemp("finished") / "lamp"
    shutil.copytree(LAMP, folder, ignore=shutil.ignore_patterns("__pycache__"))
    toml = folder / "translation.toml"
    text = changed(toml.read_text(), 'label = "float64"\n', 'label = "float64"\nbridge = "B"\n')
    text = text.replace('"B"', '"python:bridge:BRIDGE"')
    toml.write_text(f'{text}policies = ["random", "python:policies:up"]\n')
    (folder / "bridge.py").write_text(BRIDGE)
    (folder / "policies.py").write_text(POLICIES)
    with pytest.MonkeyPatch.context() as patch:
        _reachable(patch, folder)
        agent = Scripted([turn(heat=HEAT), turn(env=ENV)])
        run = Run(folder / "runs/a", load_spec(folder), agent, (1,), confined=CONFINED, seed=7)
        assert run.go().outcome == "verified"
        for part in ("try_package", "store_results"):  # they have tests of their own
            patch.setattr(writing, part, lambda *_: (None, ""))
        export(open_run(folder / "runs/a"), folder / "package", CONFINED)
    _forget()
    return folder


@pytest.fixture
def finished(verified, monkeypatch):
    """The folder, with its own code on the path as in `envwright translate`."""
    _reachable(monkeypatch, verified)
    yield verified
    _forget()


@pytest.fixture
def closed(verified, monkeypatch):
    """Close what a test opens; lamps that other tests left are out of reach."""
    monkeypatch.setattr(registry, "_ROOMS", dict(registry._ROOMS))
    others = [p for p in sys.path if (Path(p) / "lamp.py").is_file() and p != str(verified)]
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in others])
    monkeypatch.setenv(FOLDERS, "")
    _forget()
    yield
    _forget()


@pytest.fixture
def opened(finished, closed):
    """The room of the package."""
    return open_folder(finished)


def _reachable(patch, folder):
    patch.syspath_prepend(str(folder))
    _forget()


def _forget():
    for name in [name for name in sys.modules if name.startswith("fast_") or name in OWN]:
        del sys.modules[name]
