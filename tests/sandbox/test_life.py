"""How long a jail lives: never longer than those who want it."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid

import pytest

from envwright.sandbox import Jail, JailFailed, run
from envwright.sandbox.runtime import launcher_python

ANSWERS = """
import sys
for line in sys.stdin:
    print(line.strip().upper(), flush=True)
"""
DETACHES = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
print('gone')
"""
# A caller of its own, that others can end.
CALLER = """
import sys
from pathlib import Path
from envwright.sandbox import Jail, run, start
code = "import pathlib, time; pathlib.Path('begun').touch(); time.sleep(600)"
{how}([*{python!r}, code, sys.argv[2]], Jail(writable=(Path(sys.argv[1]),)))
{then}
"""


@pytest.fixture
def caller(needs_jail, folder, alive):
    """Starts a caller, waits until its jail runs, and gives both; nothing of it survives."""
    word = uuid.uuid4().hex
    made = []

    def starts(how: str = "run", then: str = "") -> tuple[subprocess.Popen, str]:
        python = [str(launcher_python()), "-I", "-S", "-c"]
        text = textwrap.dedent(CALLER.format(how=how, then=then, python=python))
        process = subprocess.Popen(
            [sys.executable, "-c", text, str(folder), word], stderr=subprocess.PIPE, text=True
        )
        made.append(process)
        until(lambda: (folder / "begun").exists())
        return process, word

    yield starts
    for process in made:
        process.kill()
        process.communicate()


def until(condition, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_nothing_is_left_when_the_call_returns(jailed, alive):
    word = uuid.uuid4().hex
    done = jailed(DETACHES, word)
    assert (done.code, done.stdout) == (0, "gone\n") and done.seconds < 300
    assert alive(word) == []


def test_a_jail_dies_with_its_caller(caller, alive):
    process, word = caller()
    assert len(alive(word)) > 1
    process.kill()
    process.wait()
    until(lambda: alive(word) == [])


def test_ctrl_c_ends_the_jail_and_gives_the_folder_back(caller, folder, alive):
    process, word = caller()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert "KeyboardInterrupt" in errors
    assert alive(word) == []
    assert (folder / "begun").stat().st_uid == folder.stat().st_uid == os.geteuid()


def test_a_caller_who_forgets_a_child_leaves_nothing_behind(caller, folder, alive):
    process, word = caller("child = start", "import time; time.sleep(0.5)")
    assert process.wait(timeout=300) == 0
    assert alive(word) == []
    assert (folder / "begun").stat().st_uid == folder.stat().st_uid == os.geteuid()


def test_a_folder_left_behind_by_a_killed_caller_is_recovered(caller, jailed, folder, alive):
    process, word = caller()
    process.kill()
    process.wait()
    until(lambda: alive(word) == [])
    assert jailed("open('begun', 'w').write('again')").code == 0
    assert (folder / "begun").stat().st_uid == folder.stat().st_uid == os.geteuid()


def test_a_child_is_asked_and_answers(lodged):
    with lodged(ANSWERS) as child:
        for word in (b"soup", b"bread"):
            child.stdin.write(word + b"\n")
            child.stdin.flush()
            assert child.stdout.readline() == word.upper() + b"\n"
        child.stdin.close()
        assert child.wait(120) == 0
    assert child.stopped == "" and child.errors == ""


def test_a_child_outlives_the_thread_that_started_it(lodged):
    made = []
    thread = threading.Thread(target=lambda: made.append(lodged(ANSWERS)))
    thread.start()
    thread.join()
    time.sleep(0.3)
    with made[0] as child:
        child.stdin.write(b"soup\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"SOUP\n"


def test_a_child_that_was_ended_tells_why_when_its_pipe_closes(lodged):
    code = "import sys; print('no answer', file=sys.stderr, flush=True)\nwhile True: pass"
    with lodged(code, seconds=0.4) as child:
        assert child.stdout.readline() == b""
        assert child.stopped == "time"
    assert child.errors == "no answer\n" and child.wait() == 128 + 9


def test_closing_a_child_ends_it_and_blames_no_limit(lodged, alive):
    word = uuid.uuid4().hex
    child = lodged("import time; time.sleep(30)", word)
    assert child.wait(0.05) is None
    child.close()
    child.close()
    assert alive(word) == [] and child.stopped == ""


def test_jails_beside_each_other_do_not_share_their_limits(lodged, tmp_path):
    code = """
import os, sys, time
for _ in range(20):
    os.fork() or (time.sleep(600), os._exit(0))
print(os.path.exists('/tmp/mine'), flush=True)
open('/tmp/mine', 'w').close()
sys.stdin.read()
"""
    folders = [tmp_path / name for name in "abc"]
    for each in folders:
        each.mkdir()
    children = [lodged(code, processes=30, writable=(each,)) for each in folders]
    try:
        assert [child.stdout.readline() for child in children] == [b"False\n"] * 3
        time.sleep(0.2)
        assert [child.stopped for child in children] == [""] * 3
    finally:
        for child in children:
            child.close()


def test_a_folder_belongs_to_one_jail_at_a_time(lodged, jailed):
    with lodged(ANSWERS), pytest.raises(JailFailed, match="in use by another jail"):
        jailed("pass")
    assert jailed("pass").code == 0


def test_a_jail_that_cannot_be_entered_is_an_error_and_leaves_the_folder_as_it_was(
    needs_jail, folder, tmp_path
):
    with pytest.raises(JailFailed, match="could not be entered"):
        run(["true"], Jail(writable=(folder,)), cwd=tmp_path / "not inside")
    assert folder.stat().st_uid == os.geteuid()


def test_no_threads_or_descriptors_are_left_behind(jailed):
    jailed("pass")
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(3):
        jailed("print('x')", stdin="y")
    until(lambda: threading.active_count() <= before[1])
    assert len(os.listdir("/proc/self/fd")) <= before[0]


def test_a_command_that_is_too_long_is_refused_in_a_sentence(needs_jail, folder):
    with pytest.raises(JailFailed, match=r"echo cannot be started: .*too long"):
        run(["echo", "x" * 200_000], Jail((folder,)))


def test_a_watcher_that_fails_ends_the_jail_and_is_heard(jailed, monkeypatch, alive):
    def fails(self):
        raise RuntimeError("no idea")

    monkeypatch.setattr("envwright.sandbox.watch.Watch.verdict", fails)
    word = uuid.uuid4().hex
    with pytest.raises(RuntimeError, match="no idea"):
        jailed("import time; time.sleep(600)", word)
    assert alive(word) == []
