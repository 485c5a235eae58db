"""After optimisation, a package holds the faster code."""

from __future__ import annotations

import shutil

import pytest
from tests.translate.answers import HEAT, changed

from envwright.cli import optimise
from envwright.cli.app import main
from envwright.translate.journal import Journal, Store
from envwright.translate.package import MARK, writing
from envwright.translate.package.evidence import evidence
from envwright.translate.package.final import final_code
from envwright.translate.stored_runs import open_run

FASTER = changed(HEAT, "of the lamp", "of the lamp, faster")
PATH = "src/fast_lamp/heat.py"


def rounds(run, *kept):
    """Add rounds of optimisation to a run."""
    (run / "optimise").mkdir()
    journal, store = Journal(run / "optimise/journal.jsonl"), Store(run / "objects")
    for number, (text, keep) in enumerate(kept, 1):
        race = {"batches": {}, "gain": 2.0, "low": 1.9}
        journal.append(
            "round",
            number=number,
            turn=number,
            status="ok",
            said="",
            usage={},
            seconds=1.0,
            files={PATH: store.put(text.encode())},
            meddled=[],
            kept=keep,
            why="faster" if keep else "slower",
            race=race,
            verdicts=[],
        )


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of the run, to add rounds to."""
    ignored = shutil.ignore_patterns("package", "__pycache__")
    shutil.copytree(finished, tmp_path / "lamp", ignore=ignored)
    return tmp_path / "lamp/runs/a"


def test_without_optimisation_the_verified_code_is_final(copied):
    code = final_code(open_run(copied))
    assert (code.files, code.kept, code.gain) == (open_run(copied).position.files, 0, 1.0)


def test_only_kept_rounds_change_the_code(copied, tmp_path):
    rounds(copied, (FASTER, True), (HEAT + "# slower", False))
    code = final_code(open_run(copied))
    code.write("src/fast_lamp/", tmp_path / "out")
    assert (tmp_path / "out/heat.py").read_text() == FASTER
    assert (code.workspace(tmp_path / "space") / PATH).read_text() == FASTER
    assert (code.kept, code.gain) == (1, 2.0)
    shown = evidence(open_run(copied), code.kept, code.gain)
    page = writing._rendered("README.md.jinja", spec=open_run(copied).spec, evidence=shown)
    assert "| optimised | 1 round kept, 2.00 × as fast" in page.decode()


@pytest.mark.parametrize("packaged", [True, False])
def test_a_package_is_replaced_after_kept_rounds(copied, packaged, monkeypatch, capsys):
    spec, written = open_run(copied).spec, []
    place = spec.folder / "package"
    if packaged:
        place.mkdir()
        (place / "pyproject.toml").write_text(MARK)
    monkeypatch.setattr(optimise, "write", lambda run, place, confined: written.append(place))
    optimise._package_again(spec, copied, True)
    assert written == [place] * packaged
    assert ("envwright export" in capsys.readouterr().out) is not packaged


def test_an_installed_translation_has_no_run_to_optimise(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["optimise", "cartpole", "--agent", "compiler"])
    said = " ".join(capsys.readouterr().err.split())
    assert left.value.code == 2
    assert "is installed without the run that wrote it; name the folder" in said
