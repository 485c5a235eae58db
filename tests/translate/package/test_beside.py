"""A package has its own copy of the bridge and the policies beside its translation.toml."""

from __future__ import annotations

import shutil

import pytest
from tests.translate.package.conftest import CONFINED

from envwright.core.registry import open_folder
from envwright.errors import EnvwrightError
from envwright.sim.registered import is_registered_bridge
from envwright.testing import assert_verified, has_reference
from envwright.translate.package import export
from envwright.translate.package.final import FinalCode
from envwright.translate.stored_runs import open_run
from envwright.verify.policies import find_policy
from envwright.verify.room import load_room

pytestmark = pytest.mark.lax("packages run as they do for users")


def test_the_bridge_and_the_policies_are_shipped_under_names_of_the_package(finished, opened):
    code = finished / "package/src/fast_lamp"
    assert (code / "_bridge.py").read_bytes() == (finished / "bridge.py").read_bytes()
    checks = load_room("fast_lamp")
    assert checks.checks[0].bridge == "python:fast_lamp._bridge:BRIDGE"
    assert checks.policies == ("random", "python:fast_lamp._policies:up")
    assert find_policy(checks.policies[1])(None, None, None, 0, {}) == 2
    assert is_registered_bridge("python:fast_lamp._bridge:BRIDGE")
    assert '"python:lamp:LampEnv"' in (code / "translation.toml").read_text(), (
        "the reference is not"
    )


def test_a_package_is_verified_where_the_files_beside_the_toml_are_not(
    finished, closed, tmp_path, monkeypatch
):
    shutil.copytree(finished / "package", tmp_path / "alone")
    shutil.copy(finished / "lamp.py", tmp_path / "alone/src/lamp.py")  # the reference: installed
    monkeypatch.setattr("sys.path", [p for p in __import__("sys").path if p != str(finished)])
    open_folder(tmp_path / "alone")
    assert_verified("fast_lamp", levels=(1,))


def test_the_names_of_shipped_files_are_reserved(finished, tmp_path, monkeypatch):
    run = open_run(finished / "runs/a")

    def write(code, prefix, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "_bridge.py").write_text("")

    monkeypatch.setattr(FinalCode, "write", write)
    with pytest.raises(EnvwrightError, match=r"has a module _bridge\.py, a name that we need"):
        export(run, tmp_path / "out", CONFINED)


def test_the_reference_beside_the_toml_is_found_in_folder_mode(verified, closed):
    open_folder(verified)
    assert has_reference("fast_lamp")
