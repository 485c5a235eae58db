"""A package holds what its run showed, and how fast it is."""

from __future__ import annotations

import shutil

import pytest
from tests.translate.package.conftest import CONFINED

from envwright.cli.app import main
from envwright.core.registry import open_folder
from envwright.schema.provenance import Sources
from envwright.schema.results import Bench, Verification, read_results
from envwright.translate.package import export, results, writing
from envwright.translate.package.final import FinalCode
from envwright.translate.package.results import BENCH, VERIFY
from envwright.translate.stored_runs import open_run

pytestmark = pytest.mark.lax("packages run as they do for users")


@pytest.fixture
def written(finished, tmp_path, monkeypatch):
    """A package with a benchmark."""
    monkeypatch.setattr(writing, "_record", lambda *_: None)
    monkeypatch.setattr(writing, "try_package", lambda *_: None)
    monkeypatch.setattr(results, "BATCHES", (4,))
    monkeypatch.setattr(results, "REPEATS", 1)
    monkeypatch.setattr(results, "SECONDS", 0.001)
    said = []
    export(open_run(finished / "runs/a"), tmp_path / "out", CONFINED, True, said.append)
    assert said == []
    return tmp_path / "out"


def test_results_are_stored_with_what_decides_them(written, closed):
    (verified,), (bench,) = (list(read_results(written / place)) for place in (VERIFY, BENCH))
    assert isinstance(verified, Verification) and isinstance(bench, Bench)
    (level,) = verified.levels
    assert (level.level, level.verdict) == (1, "equal") and level.cases > 60
    assert {(row.implementation, row.role) for row in bench.rows} == {
        ("reference", "reference"),
        ("envwright-jax", "ours"),
    }
    assert bench.command.startswith("envwright bench fast_lamp --batch 4 --repeats 1")
    open_folder(written)
    sources = Sources()
    for result in (verified, bench):
        assert result.provenance.sources == sources.parts(result), "of the package in its place"


FORGED = """

def _kept():
    try:
        yield
    finally:  # when Python ends
        print('{"bench": {}, "parts": {}, "why": "forged"}')


_KEPT = _kept()
next(_KEPT)
"""


def test_code_of_the_package_does_not_have_the_last_word(finished, tmp_path, monkeypatch):
    """Its speed is what the child measured, not what the code prints."""
    write = FinalCode.write

    def forging(code, prefix, folder):
        write(code, prefix, folder)
        if (folder / "heat.py").exists():
            (folder / "heat.py").write_text((folder / "heat.py").read_text() + FORGED)

    monkeypatch.setattr(FinalCode, "write", forging)
    for name, value in (("BATCHES", (4,)), ("REPEATS", 1), ("SECONDS", 0.001)):
        monkeypatch.setattr(results, name, value)
    monkeypatch.setattr(writing, "_record", lambda *_: None)
    monkeypatch.setattr(writing, "try_package", lambda *_: None)
    said = []
    export(open_run(finished / "runs/a"), tmp_path / "out", CONFINED, True, said.append)
    assert said == [] and (tmp_path / "out" / BENCH).exists()


def test_the_page_shows_them(written):
    page = (written / "README.md").read_text()
    assert "| L1, properties | single steps from visited, fuzzed and boundary states |" in page
    assert " cases in all |" in page
    assert "| envwright-jax | 4 | " in page and "| reference | 1 | " in page


def test_a_package_that_cannot_be_measured_is_written_without(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "CHILD", "no.such.module")
    said = []
    monkeypatch.setattr(writing, "_record", lambda *_: None)
    monkeypatch.setattr(writing, "try_package", lambda *_: None)
    export(open_run(finished / "runs/a"), tmp_path / "out", CONFINED, True, said.append)
    assert len(said) == 1 and said[0].startswith("the package is not measured: ")
    assert (tmp_path / "out" / VERIFY).exists() and not (tmp_path / "out" / BENCH).exists()
    assert "## Speed" not in (tmp_path / "out/README.md").read_text()
    shutil.rmtree(tmp_path / "out")


def test_a_report_of_a_folder_shows_its_evidence_alone(written, closed, tmp_path, capsys):
    page = tmp_path / "page.html"
    with pytest.raises(SystemExit) as left:
        main(["report", str(written), "-o", str(page)])
    assert left.value.code == 0 and "2 results" in capsys.readouterr().out
    text = page.read_text()
    assert "fast_lamp" in text and "cartpole" not in text.lower().split("<script")[0]
    (written / BENCH).unlink(), (written / VERIFY).unlink()
    with pytest.raises(SystemExit) as left:
        main(["report", str(written), "-o", str(page)])
    assert left.value.code == 2
    assert "no results of fast_lamp below" in " ".join(capsys.readouterr().err.split())
