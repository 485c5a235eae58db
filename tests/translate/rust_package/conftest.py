"""A package in Rust, built once for all tests of a run."""

from __future__ import annotations

import fcntl
import sys
from dataclasses import replace

import gymnasium
import pytest
from tests.translate.conftest import REASON
from tests.translate.rust_answers import HEAT, turn
from tests.translate.rust_package.games import GAME
from tests.translate.scripted import Scripted
from tests.translate.test_rust_target import rust_lamp

from envwright.core import registry
from envwright.core.outside_rooms import FOLDERS
from envwright.core.registry import open_folder
from envwright.translate.package import export, extension
from envwright.translate.run import Run
from envwright.translate.stored_runs import open_run

GYMNASIUM_ID = "fast_lamp/Lamp-v1"
# Quick to build, slow to run.
CHEAP = {"CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}


@pytest.fixture(scope="session")
def rust_package(shared):
    """A folder with a translation of the lamp to Rust, and its package."""
    folder = shared / "rust-package"
    with open(shared / "rust-package.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "package").exists():
            export_lamp(folder)
    return folder


def export_lamp(folder, changes=None, **options):
    """Translate the lamp with options of `GAME`, and write its package."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(folder))
        patched.delitem(sys.modules, "lamp", raising=False)
        patched.setattr(extension, "SETTINGS", extension.SETTINGS | CHEAP)
        given = "".join(f", {name} = {str(value).lower()}" for name, value in options.items())
        changed = {"{ max_steps = 40 }": f"{{ max_steps = 40{given} }}"} if given else {}
        spec = rust_lamp(folder, changes={**(changes or {}), **changed})
        weak = replace(spec.effort, visited=4, fuzzed=40, boundary=10, starts=200)
        agent = Scripted([turn(heat=HEAT), turn(env=GAME)])
        spec, confined = replace(spec, effort=weak), REASON is None
        run = Run(folder / "runs/a", spec, agent, (1,), confined=confined, seed=104_729)
        assert run.go().outcome == "verified"
        export(open_run(folder / "runs/a"), folder / "package", confined)
        sys.modules.pop("lamp", None)


@pytest.fixture
def opened_rust(rust_package, monkeypatch):
    """The room of the package in Rust; its reference can be imported."""
    monkeypatch.syspath_prepend(str(rust_package))
    monkeypatch.delitem(sys.modules, "lamp", raising=False)
    monkeypatch.setattr(registry, "_ROOMS", dict(registry._ROOMS))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv(FOLDERS, "")
    gymnasium.registry.pop(GYMNASIUM_ID, None)
    yield open_folder(rust_package)
    gymnasium.registry.pop(GYMNASIUM_ID, None)
    for name in [name for name in sys.modules if name == "lamp" or name.startswith("fast_lamp")]:
        del sys.modules[name]
