"""Where jails do not work, it is said; where nobody wants one, the limits hold all the same."""

import os
import uuid

import pytest

from envwright.sandbox import Jail, JailFailed, Limits, cell, run, why_not
from envwright.sandbox.runtime import launcher_python


@pytest.fixture
def afresh():
    """Nothing that was found out about bubblewrap is remembered."""
    caches = (cell.bwrap, cell._offers, why_not)
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def test_without_bubblewrap_one_is_told_to_install_it(afresh, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "install" in why_not()


def test_a_bubblewrap_that_is_refused_is_explained(afresh, monkeypatch, tmp_path):
    refused = tmp_path / "bwrap"
    refused.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    refused.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    reason = why_not()
    assert "No permissions" in reason and "sysctl" in reason


@pytest.fixture
def loose(folder):
    """Runs a Python text without a jail, as `--unsafe` does."""

    def runs(code: str, *words: str, **limits):
        jail = Jail((folder,), limits=Limits(**{"seconds": 120, **limits}), confined=False)
        return run([str(launcher_python()), "-I", "-S", "-c", code, *words], jail, stdin="soup")

    return runs


def test_without_a_jail_a_command_is_told_things_and_answers(loose, folder):
    code = "import os, sys; print(sys.stdin.read(), os.getcwd()); open('made', 'w'); sys.exit(3)"
    done = loose(code)
    assert (done.code, done.stdout, done.stopped) == (3, f"soup {folder}\n", "")
    assert (folder / "made").stat().st_uid == os.geteuid()


def test_without_a_jail_the_environment_is_clean(loose, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-real-key")
    done = loose("import os; print('GEMINI_API_KEY' in os.environ, os.environ['HOME'])")
    assert done.stdout.startswith("False ") and os.path.expanduser("~") not in done.stdout.split()
    assert not os.path.exists(done.stdout.split()[1])


@pytest.mark.parametrize(
    ("code", "limit", "reason"),
    [
        ("while True: pass", {"seconds": 0.5}, "time"),
        ("kept = [bytearray(1 << 20) for _ in range(4096)]", {"memory_mb": 512}, "memory"),
        ("while True: print('x' * 9999)", {"output_mb": 1}, "output"),
        ("open('f', 'wb').write(b'x' * (30 << 20))", {"disk_mb": 20}, "disk"),
        (
            "import os, time\nfor _ in range(60): os.fork() or time.sleep(9) or os._exit(0)\n"
            "time.sleep(9)",
            {"processes": 16},
            "processes",
        ),
    ],
)
def test_without_a_jail_limits_hold(loose, code, limit, reason):
    assert loose(code, **limit).stopped == reason


def test_without_a_jail_children_are_ended_too(loose, alive):
    word = uuid.uuid4().hex
    code = "import os, time\nif os.fork() == 0: time.sleep(15)\nelse: time.sleep(0.3)"
    loose(code, word)
    assert alive(word) == []


def test_an_unentered_jail_is_an_error_of_its_own(afresh, monkeypatch, folder):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(JailFailed, match="bubblewrap is missing"):
        run(["true"], Jail((folder,)))
