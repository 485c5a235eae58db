"""The next version is made beside the old one, and takes its place as a whole or not at all."""

from __future__ import annotations

import os

import pytest
from tests.translate.answers import ENV, HEAT, changed, turn
from tests.translate.scripted import Scripted

from envwright.core.pinned import Pin
from envwright.errors import EnvwrightError
from envwright.schema.toml_file import parse_toml
from envwright.translate.package import MARK
from envwright.translate.package import placing as placed
from envwright.translate.run import Run
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import last_run, open_run
from envwright.translate.update.stage import Stage

NEW = Pin("lampkit", "2.0")


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in files if "updates" not in p.parts}


@pytest.fixture
def pinned_lamp(lamp):
    """The lamp as a package's, with a run, a file beside the toml, and a package."""
    text = changed(
        lamp.path.read_text(), 'source = "lamp:LampEnv"\n', 'source = "lamp:LampEnv"\nP\n'
    )
    lamp.path.write_text(text.replace("\nP\n", '\npackage = "lampkit==1.0"  # pinned\n'))
    (lamp.folder / "notes").mkdir()
    (lamp.folder / "notes" / "a.txt").write_text("a")
    (lamp.folder / ".git").mkdir()
    (lamp.folder / "runs" / "old").mkdir(parents=True)
    (lamp.folder / "runs" / "old" / "golden.npz").write_bytes(b"old pairs")
    return load_spec(lamp.folder)


def verified(folder):
    """A verified run in a folder, without any work."""
    run = Run(folder / "runs" / "b", load_spec(folder), Scripted([turn(heat=HEAT, env=ENV)]), (1,))
    known = {"levels": [1], "spec": "0", "agent": {"kind": "scripted"}}
    run.journal.append("begun", seed=1, reference=run.spec.reference.simulator, **known)
    run.journal.append("ended", outcome="verified", reason="")
    return run.folder


def test_a_stage_holds_the_translation_with_the_new_pin_and_leaves_the_old_alone(pinned_lamp):
    before = contents(pinned_lamp.folder)
    stage = Stage(pinned_lamp, NEW, 2)
    assert stage.prepare() is None
    read = parse_toml((stage.folder / "translation.toml").read_text())
    assert (read["reference"]["package"], read["environment"]["version"]) == ("lampkit==2.0", 2)
    names = {path.name for path in stage.folder.iterdir()}
    assert names == {"translation.toml", "lamp.py", "notes"}
    assert contents(pinned_lamp.folder) == before


def test_a_stage_is_resumed_with_the_folders_present_files(pinned_lamp):
    stage = Stage(pinned_lamp, NEW, 2)
    stage.prepare()
    verified(stage.folder)
    (pinned_lamp.folder / "lamp.py").write_text("# corrected\n")
    assert stage.prepare() == stage.folder / "runs" / "b"
    assert (stage.folder / "lamp.py").read_text() == "# corrected\n"


@pytest.mark.parametrize("own", [False, True])
def test_what_is_verified_takes_the_place_of_the_old(pinned_lamp, own):
    folder = pinned_lamp.folder
    place = folder if own else folder / "package"
    (place / "src").mkdir(parents=True)
    (place / "pyproject.toml").write_text(f"{MARK}\nold\n")
    (place / "src" / "old.py").write_text("")
    stage = Stage(pinned_lamp, NEW, 2)
    stage.prepare()
    assert not (stage.folder / "src").exists()
    verified(stage.folder)
    made = stage.folder if own else stage.folder / "package"
    (made / "src").mkdir(parents=True)
    (made / "src" / "new.py").write_text("")
    (made / "pyproject.toml").write_text(f"{MARK}\nnew\n")
    run = stage.place()
    assert run == folder / "runs" / "b" and open_run(run).position.ended == "verified"
    assert load_spec(folder).version == 2 and "# pinned" in load_spec(folder).path.read_text()
    assert [p.name for p in (place / "src").iterdir()] == ["new.py"]
    assert (folder / "runs/old/golden.npz").read_bytes() == b"old pairs", "old goldens stay"
    assert not (folder / "updates").exists() and (folder / "notes/a.txt").is_file()


def test_a_failure_while_it_is_placed_leaves_the_folder_as_it_was(pinned_lamp, monkeypatch):
    stage = Stage(pinned_lamp, NEW, 2)
    stage.prepare()
    verified(stage.folder)
    before, rename, moves = contents(pinned_lamp.folder), os.rename, []

    def fails_late(source, target):
        moves.append(source)
        if str(source).endswith("updates/2.0/translation.toml"):
            raise OSError("no")
        rename(source, target)

    monkeypatch.setattr(placed.os, "rename", fails_late)
    with pytest.raises(OSError, match="no"):
        stage.place()
    assert len(moves) > 1 and contents(pinned_lamp.folder) == before
    monkeypatch.undo()
    assert last_run(load_spec(stage.folder)) is not None, "nothing of the work is lost"


def test_nothing_is_placed_without_a_verified_run(pinned_lamp):
    stage = Stage(pinned_lamp, NEW, 2)
    stage.prepare()
    with pytest.raises(EnvwrightError, match="has no verified run"):
        stage.place()


def test_a_package_of_others_is_not_replaced(pinned_lamp):
    (pinned_lamp.folder / "package").mkdir()
    with pytest.raises(EnvwrightError, match="envwright did not write what is there"):
        Stage(pinned_lamp, NEW, 2).prepare()


def test_links_and_pipes_do_not_stop_a_copy(pinned_lamp):
    folder = pinned_lamp.folder
    (folder / "notes" / "up").symlink_to("..")
    (folder / "gone").symlink_to("nowhere")
    (folder / "b.py").symlink_to("lamp.py")
    os.mkfifo(folder / "pipe")
    stage = Stage(pinned_lamp, NEW, 2)
    for _ in range(2):
        stage.prepare()
    names = {str(p.relative_to(stage.folder)) for p in stage.folder.rglob("*") if p.is_file()}
    assert names == {"translation.toml", "lamp.py", "b.py", "notes/a.txt"}
