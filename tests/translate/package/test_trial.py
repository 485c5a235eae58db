"""A package that does not work by itself is not written."""

from __future__ import annotations

import pytest
from tests.translate.package.conftest import CONFINED

from envwright.errors import EnvwrightError
from envwright.translate.package import export, writing
from envwright.translate.package.final import FinalCode
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run

pytestmark = pytest.mark.lax("packages run as they do for users")


def test_a_bridge_that_needs_other_files_is_refused_and_the_old_package_stays(
    finished, monkeypatch
):
    bridge, before = finished / "bridge.py", (finished / "bridge.py").read_text()
    old = (finished / "package/README.md").read_bytes()
    monkeypatch.setattr(writing, "_record", lambda *_: None)
    try:
        bridge.write_text(f"import lamp\n{before}")
        with pytest.raises(EnvwrightError) as refused:
            export(open_run(finished / "runs/a"), finished / "package", CONFINED)
    finally:
        bridge.write_text(before)
    said = str(refused.value)
    assert "does not work by itself: " in said and "needs the package 'lamp'" in said
    assert said.endswith(f"correct that, then run envwright export {finished}")
    assert (finished / "package/README.md").read_bytes() == old
    assert not [path for path in finished.glob("package/.*")]


def test_code_that_differs_from_what_was_recorded_is_refused(finished, tmp_path, monkeypatch):
    write = FinalCode.write

    def wrong(code, prefix, folder):
        write(code, prefix, folder)
        heat = folder / "heat.py"
        if heat.exists():
            heat.write_text(heat.read_text().replace("0.75", "0.5"))

    monkeypatch.setattr(FinalCode, "write", wrong)
    monkeypatch.setattr(writing, "_record", lambda *_: None)
    with pytest.raises(EnvwrightError, match="does not work by itself: row 0 of tests/golden"):
        export(open_run(finished / "runs/a"), tmp_path / "out", CONFINED)
    assert not [*(tmp_path / "out").iterdir()]


def test_a_package_that_ends_the_process_does_not_pass(finished, monkeypatch, tmp_path):
    """Exit code 0 would say that it works."""
    bridge, before = finished / "bridge.py", (finished / "bridge.py").read_text()
    monkeypatch.setattr(writing, "_record", lambda *_: None)
    try:
        bridge.write_text(f"{before}\nraise SystemExit(0)\n")
        with pytest.raises(EnvwrightError, match=r"by itself: its code ends the process \(0\)"):
            export(open_run(finished / "runs/a"), tmp_path / "out", CONFINED)
    finally:
        bridge.write_text(before)


def test_a_package_elsewhere_brings_what_its_toml_names(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_record", lambda *_: None)
    monkeypatch.setattr(writing, "try_package", lambda *_: None)
    export(open_run(finished / "runs/a"), tmp_path / "out", CONFINED)
    assert load_spec(tmp_path / "out").checks[0].bridge == "python:bridge:BRIDGE"
    assert (tmp_path / "out/bridge.py").read_bytes() == (finished / "bridge.py").read_bytes()
