"""Limits by cgroup v2, on a made-up tree where this machine has none that can be used."""

import os
import stat
from pathlib import Path

import pytest

from envwright.sandbox import Jail, JailFailed, Limits, cgroup, described, run, start
from envwright.sandbox.cgroup import Cgroup, bounds
from envwright.sandbox.jail import MB
from envwright.sandbox.processes import Census
from envwright.sandbox.runtime import launcher_python
from envwright.sandbox.watch import Watch

PYTHON = [str(launcher_python()), "-I", "-S", "-c"]


@pytest.fixture
def afresh():
    cgroup.way.cache_clear()
    yield
    cgroup.way.cache_clear()


@pytest.fixture
def tree(afresh, tmp_path, monkeypatch):
    """A tree of which this process is in `/user/session`; `/user` offers both controllers."""
    root = tmp_path / "cgroup"
    (root / "user" / "session").mkdir(parents=True)
    for folder, offered in ((root, "memory"), (root / "user", "cpu memory pids")):
        (folder / "cgroup.subtree_control").write_text(offered)
        (folder / "cgroup.procs").write_text("")
    (root / "user" / "session" / "cgroup.subtree_control").write_text("")
    monkeypatch.setattr(cgroup, "ROOT", root)
    monkeypatch.setattr(cgroup, "folder_of", lambda pid: root / "user" / "session")
    monkeypatch.setattr(cgroup, "SYSTEMD", root / "no systemd")
    monkeypatch.setattr(cgroup, "REMOVAL", 0.0)  # files in a real one do not keep it
    return root


def made(tree: Path) -> list[Path]:
    return sorted((tree / "user").glob("envwright-*"))


def test_a_jail_is_started_in_a_cgroup_with_its_limits(tree, needs_jail, folder):
    limits = Limits(seconds=60, memory_mb=100, disk_mb=20, processes=32)
    done = run([*PYTHON, "print('soup')"], Jail((folder,), limits=limits))
    assert (done.code, done.stdout, done.stopped) == (0, "soup\n", ""), done.stderr
    files = {path.name: path.read_text() for path in made(tree)[-1].iterdir()}
    assert files["memory.max"] == str((100 + 20 + 64) * MB) and files["memory.swap.max"] == "0"
    assert files["pids.max"] == str(32 + 4 + 32) and files["memory.oom.group"] == "1"
    assert files["cgroup.procs"] == "0\n", "the process that becomes the jail enters"
    assert files["cgroup.kill"] == "1"


def test_the_closest_cgroup_with_both_controllers_is_taken(tree):
    assert described() == f"bubblewrap and seccomp; limits by cgroup v2 (cgroups below {tree}/user)"


def test_without_both_controllers_the_watcher_polls(tree):
    (tree / "user" / "cgroup.subtree_control").write_text("memory")
    assert described() == "bubblewrap and seccomp; limits by polling"
    assert described(confined=False) == "none; limits by polling"


def test_a_cgroup_that_cannot_be_written_is_not_used(tree, monkeypatch):
    monkeypatch.setattr(cgroup.os, "access", lambda path, mode: False)
    assert cgroup.way() is None


def test_a_jail_is_refused_if_its_cgroup_cannot_be_made(tree, needs_jail, folder):
    assert cgroup.way() is not None
    cgroup._remove(tree / "user")  # a file in its place
    for path in sorted((tree / "user").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (tree / "user").rmdir()
    (tree / "user").write_text("")
    with pytest.raises(JailFailed, match="no cgroup can be made"):
        run(["true"], Jail((folder,)))


def test_a_jail_that_cannot_enter_its_cgroup_does_not_start(tree, needs_jail, folder, monkeypatch):
    assert cgroup.way() is not None
    make = Path.mkdir

    def occupied(self, *args, **more):
        make(self, *args, **more)
        if self.name.startswith("envwright-") and self.parent.name == "user":
            make(self / "cgroup.procs")  # cannot be written

    monkeypatch.setattr(Path, "mkdir", occupied)
    with pytest.raises(JailFailed, match=r"could not be entered: .*cgroup\.procs"):
        run(["true"], Jail((folder,)))


def test_cgroups_of_dead_processes_are_removed_and_others_stay(tree):
    gone, ours = tree / "user" / f"envwright-{1 << 23}-0", tree / "user" / "envwright-1-0"
    gone.mkdir()
    ours.mkdir()
    assert cgroup.way() is not None
    assert not gone.exists() and ours.exists()


def test_what_the_kernel_can_drop_is_no_memory_in_use(tmp_path):
    (tmp_path / "memory.current").write_text("1000\n")
    stat_ = {"anon": 100, "file": 500, "shmem": 200, "slab_reclaimable": 30, "sock": 7}
    (tmp_path / "memory.stat").write_text("".join(f"{k} {v}\n" for k, v in stat_.items()))
    assert Cgroup((), {}, tmp_path).memory() == 1000 - (500 - 200) - 30
    assert Cgroup((), {}, tmp_path / "gone").memory() is None


class Stage:
    """Processes that show little."""

    proc = os.open("/proc", os.O_RDONLY)
    network = ""
    shown = 5 * MB

    def names(self):
        return []

    def census(self):
        return Census(1, self.shown, 0.0)

    def memory(self):
        return self.shown


class Nothing:
    total, hidden = 0, False

    def measure(self, seconds):
        return True

    def measure_all(self):
        pass


def test_the_kernels_count_decides_where_there_is_one(tmp_path):
    group = Cgroup((), {}, tmp_path)
    (tmp_path / "memory.stat").write_text("file 0\nshmem 0\n")
    watch = Watch(Limits(memory_mb=64), Stage(), Nothing(), [], group)
    for megabytes, stopped in ((60, ""), (65, "memory")):
        (tmp_path / "memory.current").write_text(str(megabytes * MB))
        assert watch.verdict() == stopped
    (tmp_path / "memory.stat").unlink()
    assert watch.verdict() == "", "without a count, the processes are measured"


def test_a_jail_that_the_kernel_ended_for_its_memory_used_too_much(tmp_path):
    watch = Watch(Limits(), Stage(), Nothing(), [], Cgroup((), {}, tmp_path))
    (tmp_path / "memory.events").write_text("max 7\noom 1\noom_kill 0\n")
    assert watch.last() == ""
    (tmp_path / "memory.events").write_text("max 9\noom 1\noom_kill 3\n")
    assert watch.last() == "memory"


@pytest.fixture
def systemd(tree, tmp_path, monkeypatch):
    """A `systemd-run` that notes its words and becomes the command."""
    programs, heard = tmp_path / "programs", tmp_path / "heard"
    programs.mkdir()
    program = programs / "systemd-run"
    program.write_text(
        f'#!/bin/sh\necho "$XDG_RUNTIME_DIR: $*" >>{heard}\n'
        'while [ "$1" != -- ]; do shift; done; shift; exec "$@"\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/soup")
    monkeypatch.setattr(cgroup, "SYSTEMD", tmp_path)
    monkeypatch.setattr(cgroup, "PATIENCE", 60.0)
    own = Path("/proc/self/cgroup").read_text().split("0::")[1].split("\n")[0]
    limit = tree / own.lstrip("/") / "memory.max"
    limit.parent.mkdir(parents=True, exist_ok=True)
    limit.write_text(bounds(Limits())["memory.max"])
    return heard


def test_systemd_is_asked_for_a_scope_where_it_runs(systemd, needs_jail, folder):
    code = "import os; print(sorted(os.environ))"
    limits = Limits(seconds=60, memory_mb=100, disk_mb=20, processes=32)
    done = run([*PYTHON, code], Jail((folder,), limits=limits))
    assert done.stdout == "['HOME', 'LANG', 'PATH', 'TMPDIR']\n", done.stderr
    user = "" if os.geteuid() == 0 else "--user "
    assert f"limits by cgroup v2 (systemd-run {user}--scope)" in described()
    asked = f"/run/soup: {user}--scope --collect --quiet -p MemoryMax={(100 + 20 + 64) * MB} "
    assert asked + "-p MemorySwapMax=0 -p TasksMax=68 -- /usr/bin/env -u" in systemd.read_text()


def test_a_scope_without_the_limit_asked_for_is_not_trusted(systemd, tree):
    for path in tree.rglob("memory.max"):
        path.write_text("max")
    assert "systemd" not in described()


def unified() -> Path | None:
    """Where this machine has cgroup v2 and this process may make cgroups, whatever they limit."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2" and os.access(place, os.W_OK):
            return Path(place)
    return None


@pytest.mark.skipif(unified() is None, reason="no cgroup v2 here that can be written")
def test_a_real_cgroup_holds_the_jail_and_is_removed(afresh, needs_jail, folder, monkeypatch):
    root = unified()
    assert root is not None
    monkeypatch.setattr(cgroup, "ROOT", root)
    monkeypatch.setattr(cgroup, "SYSTEMD", root / "no systemd")
    monkeypatch.setattr(cgroup, "NEEDED", set())
    monkeypatch.setattr(cgroup, "bounds", lambda limits: {"cgroup.max.descendants": "0"})
    found = cgroup.way()
    if found is None or found.parent is None:
        pytest.skip("this process may not make cgroups")
    with start([*PYTHON, "input()"], Jail((folder,))) as child:
        group = cgroup.folder_of(child._keeper.begun.result().pid)
        assert group is not None and group.parent == found.parent
        assert group.name.startswith(f"envwright-{os.getpid()}-")
        # bubblewrap, its other half inside, and Python
        assert len((group / "cgroup.procs").read_text().split()) == 3
        assert (group / "cgroup.max.descendants").read_text() == "0\n"
    assert not group.exists()
