"""What is the agent's, what is guarded, and how both are put back."""

from __future__ import annotations

import os
import shutil

import pytest
from tests.leftovers import LEFTOVERS, MANY

from envwright.sandbox.tree import Unusable
from envwright.translate import workspace as module
from envwright.translate.journal import Store
from envwright.translate.workspace import Workspace, applied, difference

GUARDED = {"TASK.md": b"do it", "tests/test_golden.py": b"assert True"}


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    made = Workspace(root, Store(tmp_path / "objects"), "p")
    made.guard(GUARDED)
    return made


def write(workspace, path, text):
    target = workspace.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def test_only_the_package_and_own_tests_are_his(workspace):
    assert workspace.is_agents("src/p/a.py") and workspace.is_agents("tests/own/test_a.py")
    others = ["TASK.md", "tests/test_a.py", "srcs/a.py", "src", "golden/a.npz", "src/jax.py"]
    assert not any(map(workspace.is_agents, [*others, "src/sitecustomize.py", "src/pp/a.py"]))


def test_a_snapshot_is_restored_whole(workspace):
    write(workspace, "src/p/a.py", "1")
    write(workspace, "tests/own/test_a.py", "2")
    before = workspace.snapshot()
    write(workspace, "src/p/a.py", "changed")
    write(workspace, "src/p/new/b.py", "3")
    (workspace.root / "tests/own/test_a.py").unlink()
    after = workspace.snapshot()
    changed = difference(before, after)
    assert set(changed) == {"src/p/a.py", "src/p/new/b.py", "tests/own/test_a.py"}
    assert changed["tests/own/test_a.py"] is None
    assert applied(before, changed) == after
    workspace.restore(before)
    assert workspace.snapshot() == before


def test_guarded_files_that_were_changed_removed_or_added_are_put_back(workspace):
    write(workspace, "TASK.md", "done")
    (workspace.root / "tests/test_golden.py").unlink()
    write(workspace, "conftest.py", "import evil")
    write(workspace, "reference/a.md", "lies")
    meddled = workspace.guard(GUARDED)
    assert meddled == ["TASK.md", "conftest.py", "reference/", "tests/test_golden.py"]
    assert workspace.guard(GUARDED) == []
    assert (workspace.root / "TASK.md").read_bytes() == b"do it"


def test_files_that_are_as_they_should_be_are_not_written_again(workspace):
    write(workspace, "src/p/a.rs", "1")
    write(workspace, "src/p/b.rs", "2")
    before = workspace.snapshot()
    write(workspace, "src/p/b.rs", "3")
    places = [workspace.root / path for path in (*GUARDED, "src/p/a.rs", "src/p/b.rs")]
    for place in places:
        place.chmod(0o644)
        os.utime(place, (1, 1))
    assert workspace.guard(GUARDED) == []
    workspace.restore(before)
    *same, changed = (place.stat().st_mtime for place in places)
    assert same == [1, 1, 1] and changed > 1
    assert workspace.snapshot() == before


@pytest.mark.parametrize(
    "meddle",
    [
        lambda path: path.chmod(0o666),
        lambda path: path.chmod(0o200),
        lambda path: os.link(path, path.with_name("second")),
        lambda path: path.write_text("another"),
        lambda path: (path.unlink(), path.symlink_to("b.rs")),
    ],
    ids=["mode", "unreadable", "second name", "content", "link"],
)
def test_file_that_is_not_ours_alone_is_written_again(workspace, meddle):
    write(workspace, "src/p/b.rs", "1")
    write(workspace, "src/p/a.rs", "1")
    before = workspace.snapshot()
    place = workspace.root / "src/p/a.rs"
    meddle(place)
    workspace.restore(before)
    status = os.lstat(place)
    assert (status.st_mode & 0o7777, status.st_nlink, place.read_text()) == (0o644, 1, "1")
    assert workspace.snapshot() == before


def test_a_link_is_no_file_and_leads_nowhere(workspace, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    (workspace.root / "TASK.md").unlink()
    os.symlink(secret, workspace.root / "TASK.md")
    assert workspace.guard(GUARDED) == ["TASK.md"]
    assert secret.read_text() == "key"


def test_a_linked_folder_is_not_written_through(workspace, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    write(workspace, "src/p/a.py", "1")
    before = workspace.snapshot()
    workspace.restore({})
    (workspace.root / "src/p").rmdir()
    os.symlink(outside, workspace.root / "src/p")
    workspace.restore(before)
    assert not list(outside.iterdir())
    assert (workspace.root / "src/p/a.py").read_text() == "1"


def test_what_tools_leave_behind_is_ignored(workspace):
    write(workspace, "src/p/__pycache__/a.pyc", "x")
    write(workspace, ".pytest_cache/x", "x")
    assert workspace.snapshot() == {} and workspace.guard(GUARDED) == []


def test_a_file_that_is_too_large_is_named(workspace):
    write(workspace, "src/p/data.bin", "x" * 2_000_001)
    with pytest.raises(Unusable, match=r"data\.bin is larger"):
        workspace.snapshot()


def test_compiled_leftovers_do_not_survive(workspace):
    write(workspace, "src/p/a.py", "x = 1")
    before = workspace.snapshot()
    write(workspace, "src/p/__pycache__/a.cpython-311.pyc", "something else")
    workspace.restore(before)
    assert not (workspace.root / "src/p/__pycache__").exists()


def test_a_workspace_that_was_removed_is_made_again(workspace):
    write(workspace, "src/p/a.py", "x = 1")
    before = workspace.snapshot()
    shutil.rmtree(workspace.root)
    assert workspace.snapshot() == {}
    assert workspace.guard(GUARDED) == sorted(GUARDED)
    workspace.restore(before)
    assert workspace.snapshot() == before


# --- what an agent may leave to stop the harness -----------------------------------------------


@pytest.fixture
def before(workspace, monkeypatch):
    """A snapshot of good files, which are there."""
    monkeypatch.setattr(module, "ENTRIES", MANY)
    write(workspace, "src/p/a.py", "x = 1")
    write(workspace, "src/p/inner/b.py", "y = 1")
    return workspace.snapshot()


@pytest.mark.parametrize(("leave", "reason"), LEFTOVERS.values(), ids=LEFTOVERS)
def test_what_cannot_be_kept_fails_with_its_reason_and_is_removed(workspace, before, leave, reason):
    leave(workspace.root / "src/p")
    kept = workspace.collect(before, GUARDED)
    assert reason in kept.unusable and kept.changed == {}
    assert kept.unusable.isprintable() and len(kept.unusable) < 400
    workspace.restore(before)
    assert workspace.collect(before, GUARDED) == ({}, [], "")
    everything = {p.relative_to(workspace.root).as_posix() for p in workspace.root.rglob("*.*")}
    assert everything == {*before, *GUARDED}


@pytest.mark.parametrize("leave", [leave for leave, _ in LEFTOVERS.values()], ids=LEFTOVERS)
def test_elsewhere_it_is_only_removed(workspace, before, leave):
    for place in ("reference", "tests", "src/__pycache__", "tests/own/target"):
        (workspace.root / place).mkdir(parents=True, exist_ok=True)
        leave(workspace.root / place)
    kept = workspace.collect(before, GUARDED)
    assert kept.unusable == "" and kept.changed == {}
    assert "reference/" in kept.meddled and any(p.startswith("tests/") for p in kept.meddled)
    assert all(path.isprintable() for path in kept.meddled) and len(kept.meddled) < 60
    workspace.restore(before)
    everything = {p.relative_to(workspace.root).as_posix() for p in workspace.root.rglob("*.*")}
    assert everything == {*before, *GUARDED}


@pytest.mark.parametrize("mode", [0, 0o111, 0o444, 0o500, 0o700])
def test_modes_are_put_right(workspace, before, mode):
    paths = ("src/p/inner/b.py", "src/p/inner", "src/p", "src", "TASK.md", "tests", "")
    for path in paths:
        (workspace.root / path).chmod(mode)
    assert workspace.collect(before, GUARDED) == ({}, [], "")
    workspace.restore(before)
    modes = {path: (workspace.root / path).stat().st_mode & 0o777 for path in paths}
    files = {path for path in paths if "." in path}
    assert modes == {path: 0o644 if path in files else 0o755 for path in paths}


def test_all_files_together_are_limited(workspace, monkeypatch):
    monkeypatch.setattr(module, "ALL", 10)
    write(workspace, "src/p/a.py", "x" * 6)
    write(workspace, "src/p/b.py", "x" * 5)
    with pytest.raises(Unusable, match="larger than 10 bytes together"):
        workspace.snapshot()


@pytest.mark.parametrize("path", ["src/p", "src", "tests/own", "tests", "TASK.md", "golden"])
def test_whatever_is_a_link_becomes_what_it_was(workspace, before, tmp_path, path):
    outside = tmp_path / "outside"
    outside.mkdir()
    workspace.make_agent_folders()
    target = workspace.root / path
    shutil.rmtree(target, ignore_errors=True)
    target.unlink(missing_ok=True)
    os.symlink(outside, target)
    kept = workspace.collect(before, GUARDED)
    assert path in kept.meddled and kept.unusable == ""
    workspace.restore(before)
    workspace.make_agent_folders()
    assert workspace.collect(before, GUARDED) == ({}, [], "")
    assert not target.is_symlink() and list(outside.iterdir()) == []
