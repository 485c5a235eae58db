"""Coverage of Rust crates: measured where the tool is, and told where it is not."""

import shutil

import pytest

from envwright.errors import EnvwrightError, MissingPackage
from envwright.verify.adequacy.coverage import rust_coverage


def test_a_backend_without_rust_says_so():
    assert rust_coverage([]) == {"skipped": "this backend has no Rust"}


def test_a_missing_tool_is_told_with_how_to_install_it(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingPackage, match="cargo install cargo-llvm-cov"):
        rust_coverage(["envwright-vecenv"])


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("cargo-llvm-cov") is None,
    reason="cargo-llvm-cov is not installed (cargo install cargo-llvm-cov)",
)
def test_most_lines_of_the_batch_runtime_are_run_by_its_tests():
    lines = rust_coverage(["envwright-vecenv"])["lines"]
    assert 0.9 < lines["covered"] / lines["count"] <= 1


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("cargo-llvm-cov") is None,
    reason="cargo-llvm-cov is not installed (cargo install cargo-llvm-cov)",
)
def test_an_unknown_crate_is_told():
    with pytest.raises(EnvwrightError, match="cargo llvm-cov failed"):
        rust_coverage(["no-such-crate"])
