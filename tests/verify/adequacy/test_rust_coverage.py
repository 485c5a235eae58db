"""Coverage of Rust crates: measured where the tool is, and told where it is not."""

import shutil
from dataclasses import replace

import pytest

from envwright.errors import EnvwrightError, MissingPackage
from envwright.schema.translation.records import Adequacy
from envwright.verify.adequacy.coverage import rust_coverage
from envwright.verify.room import load_room


def room_of(crate):
    return replace(load_room("pong", "rust"), adequacy=Adequacy(crates=(crate,)))


def test_a_missing_tool_is_told_with_how_to_install_it(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingPackage, match="cargo install cargo-llvm-cov"):
        rust_coverage(room_of("envwright-vecenv"))


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("cargo-llvm-cov") is None,
    reason="cargo-llvm-cov is not installed (cargo install cargo-llvm-cov)",
)
def test_most_lines_of_the_batch_runtime_are_run_by_its_tests():
    lines = rust_coverage(room_of("envwright-vecenv"))["lines"]
    assert 0.9 < lines["covered"] / lines["count"] <= 1


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("cargo-llvm-cov") is None,
    reason="cargo-llvm-cov is not installed (cargo install cargo-llvm-cov)",
)
def test_an_unknown_crate_is_told():
    with pytest.raises(EnvwrightError, match="cargo llvm-cov failed"):
        rust_coverage(room_of("no-such-crate"))
