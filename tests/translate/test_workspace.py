"""What is the agent's, what is guarded, and how both are put back."""

from __future__ import annotations

import os
import shutil

import pytest

from envwright.errors import EnvwrightError
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
    assert meddled == ["TASK.md", "conftest.py", "reference/a.md", "tests/test_golden.py"]
    assert workspace.guard(GUARDED) == []
    assert (workspace.root / "TASK.md").read_bytes() == b"do it"


def test_a_link_is_no_file_and_leads_nowhere(workspace, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    (workspace.root / "src/p").mkdir(parents=True)
    os.symlink(secret, workspace.root / "src/p/a.py")
    snapshot = workspace.snapshot()
    assert workspace.store.get(snapshot["src/p/a.py"]) == b""
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
    with pytest.raises(EnvwrightError, match=r"data\.bin is larger"):
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
