"""Jails of somebody who is not root. As root, an ordinary user is played by the system's Python."""

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest
from tests.sandbox import attacks

import envwright.errors
from envwright import sandbox
from envwright.sandbox.syscalls import ARCHITECTURES, RULES

PYTHON = "/usr/bin/python3"
UID = 54321
TESTS = Path(__file__).parents[1]
DRIVER = """
import json, os, socket, sys, threading
from dataclasses import asdict
from pathlib import Path
from envwright.sandbox import Jail, Limits, disk, holdings, run, watch, why_not
from envwright.sandbox.runtime import launcher_python

given = json.loads(sys.argv[1])
if reason := why_not():
    print(json.dumps({"skip": reason}))
    sys.exit()
if given["blind"]:
    watch.Watch.verdict = lambda self: ""
holdings.PATIENCE = disk.PATIENCE = 0.2
folder = Path(given["folder"])
listener = socket.socket(socket.AF_UNIX)
listener.bind(str(folder / "socket"))
listener.listen()
threading.Thread(target=lambda: listener.accept()[0].sendall(b"soup"), daemon=True).start()
limits = Limits(**{"seconds": 120, **given["limits"]})
jail = Jail((folder,), limits=limits, socket=folder / "socket")
done = run([str(launcher_python()), "-I", "-S", "-c", given["code"], *given["words"]], jail)
print(json.dumps(asdict(done)))
"""


def can_play() -> bool:
    if os.geteuid() != 0 or not shutil.which("setpriv") or not os.path.exists(PYTHON):
        return False
    asked = subprocess.run([PYTHON, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"])
    return asked.returncode == 0


def same_python() -> bool:
    """Whether the system's Python can import this one's packages."""
    asked = [PYTHON, "-c", "import sys; print(*sys.version_info[:2])"]
    version = subprocess.run(asked, capture_output=True, text=True).stdout
    return version.split() == list(map(str, sys.version_info[:2]))


pytestmark = pytest.mark.skipif(not can_play(), reason="needs root, setpriv and a system Python")


@pytest.fixture(scope="module")
def source():
    """The sandbox without the rest, where everyone can read it."""
    with tempfile.TemporaryDirectory() as made:
        package = Path(made) / "envwright"
        package.mkdir()
        (package / "__init__.py").touch()
        shutil.copy(envwright.errors.__file__, package)
        pycache = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(sandbox.__file__).parent, package / "sandbox", ignore=pycache)
        os.chmod(made, 0o755)
        yield made


@pytest.fixture
def home(source):
    with tempfile.TemporaryDirectory() as made:
        os.chown(made, UID, UID)
        yield Path(made)


def slow(tests: str):
    return pytest.param(tests, marks=pytest.mark.slow)


@pytest.fixture
def jailed(source, home):
    """Runs a Python text in a jail of the ordinary user."""

    def runs(code: str, *words: str, blind: bool = False, **limits) -> dict:
        order = {"folder": str(home), "code": code, "words": words, "blind": blind}
        order["limits"] = limits
        user = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"]
        asked = subprocess.run(
            [*user, PYTHON, "-c", DRIVER, json.dumps(order)],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": source, "HOME": "/nonexistent"},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert asked.returncode == 0, asked.stderr
        (home / "socket").unlink(missing_ok=True)
        done = json.loads(asked.stdout)
        if "skip" in done:
            pytest.skip(done["skip"])
        return done

    return runs


@pytest.fixture
def played(source, home):
    """Runs a Python text as the ordinary user, in a folder of the user's."""

    def runs(code: str) -> str:
        user = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"]
        done = subprocess.run(
            [*user, PYTHON, "-c", code],
            env={"PYTHONPATH": source, "HOME": "/nonexistent"},
            cwd=home,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return runs


FORKS = """
import os, time
made = 0
for _ in range(300):
    try:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
        made += 1
    except BlockingIOError:
        break
print(made, flush=True)
"""


def test_a_user_is_himself_inside_and_owns_what_was_made(jailed, home):
    code = "import os; print(os.getuid()); os.mkdir('locked'); open('locked/f', 'w').close()"
    done = jailed(f"{code}; os.chmod('locked', 0)")
    assert (done["code"], done["stdout"]) == (0, f"{UID}\n"), done["stderr"]
    made = home / "locked"
    assert made.stat().st_uid == UID
    assert made.stat().st_mode & 0o700 == 0o700, "so that he can remove it"


def test_a_user_sees_nothing_else(jailed):
    code = """
import os
print(os.path.exists('/home'), os.path.exists('/sys'), len(os.listdir('/tmp')) < 3)
for path in ('/x', '/usr/x', '/etc/passwd', '/dev/x'):
    try:
        open(path, 'w')
        print(path)
    except OSError:
        pass
print([line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')])
"""
    assert jailed(code)["stdout"] == f"False False True\n['{'0' * 16}']\n"


def test_the_kernel_counts_a_users_processes_by_jail(jailed):
    made = int(jailed(FORKS, blind=True, processes=32)["stdout"])
    assert 32 <= made < 32 + 32 // 8 + 16


def test_a_user_is_watched(jailed):
    sleeps = f"{FORKS}\ntime.sleep(600)"
    assert jailed(sleeps, processes=32)["stopped"] == "processes"
    grows = "kept = [bytearray(1 << 20) for _ in range(4096)]"
    assert jailed(grows, memory_mb=300)["stopped"] == "memory"
    writes = "f = open('/tmp/f', 'wb')\nfor _ in range(99): f.write(b'x' * (1 << 20))"
    writes += "\nimport time\ntime.sleep(600)"  # a watcher looks now and then, not at every write
    assert jailed(writes, disk_mb=10)["stopped"] == "disk"


def test_memory_that_a_users_processes_share_is_counted_once(jailed):
    code = """
import os, time
kept = bytearray(150 << 20)
for _ in range(4): os.fork() or (time.sleep(0.7), os._exit(0))
for _ in range(4): os.wait()
"""
    assert jailed(code, memory_mb=400)["stopped"] == ""


def test_a_user_cannot_make_further_namespaces(jailed):
    code = "import ctypes; print(ctypes.CDLL(None).unshare(0x10000000))"
    assert jailed(code)["stdout"] == "-1\n"


def test_a_user_reaches_the_one_socket_and_no_listener(jailed):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = f"""
import socket
print(socket.create_connection(('127.0.0.1', 8080)).recv(9))
print(socket.socket().connect_ex(('127.0.0.1', {listener.getsockname()[1]})) != 0)
"""
        assert jailed(code)["stdout"] == "b'soup'\nTrue\n"


def test_a_users_jail_rejects_the_same_calls(jailed):
    numbers = ARCHITECTURES[os.uname().machine].numbers
    errors = {rule.call: errno.errorcode[rule.error] for rule in RULES if not rule.conditions}
    calls = {name: numbers[name] for name in errors if name in numbers}
    done = jailed(attacks.CALLS, json.dumps(calls))
    answers = dict(line.split() for line in done["stdout"].splitlines())
    assert answers == {name: errors[name] for name in calls}, done["stderr"]


def test_a_user_keeps_nothing_out_of_sight(jailed):
    families = jailed(attacks.TRIES + attacks.FAMILIES, *attacks.EXOTIC)
    assert families["stdout"] == attacks.FAMILIES_TOLD, families["stderr"]
    leftovers = jailed(attacks.TRIES + attacks.LEFTOVERS)
    assert leftovers["stdout"] == attacks.LEFTOVERS_TOLD, leftovers["stderr"]
    assert jailed(attacks.TRIES + attacks.LISTENS)["stdout"] == attacks.LISTENS_TOLD
    score = jailed(attacks.TRIES + attacks.OOM)
    assert score["stdout"] == attacks.OOM_TOLD.format(parent=1), score["stderr"]


@pytest.mark.parametrize("kind", ["unix sockets", "first thread ended"])
def test_a_users_memory_in_the_kernel_is_memory(jailed, kind):
    done = jailed(attacks.TRIES + attacks.MEMORY[kind], "100", memory_mb=64)
    assert done["stopped"] == "memory", done["stderr"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["connections", "pipes", "page tables"])
def test_two_gigabytes_of_a_user_in_the_kernel_are_too_much(jailed, kind):
    done = jailed(attacks.TRIES + attacks.MEMORY[kind], "2048", memory_mb=512)
    assert done["stopped"] == "memory", done["stderr"]


def test_a_users_deleted_files_are_files(jailed):
    for attack in (attacks.UNLINKED, attacks.MAPPED):
        done = jailed(attacks.TRIES + attack, "40", "file", disk_mb=20)
        assert done["stopped"] == "disk", done["stderr"]
    assert jailed(attacks.TRIES + attacks.PASSED, "10")["stopped"] == "hidden"


def test_a_user_who_may_not_look_into_a_process_ends_it(jailed):
    code = """
import os, shutil
shutil.copy('/usr/bin/sleep', 'unreadable')
os.chmod('unreadable', 0o111)
os.execv('unreadable', ['unreadable', '60'])
"""
    assert jailed(code)["stopped"] == "hidden"


def test_a_user_may_lock_the_folder_and_is_watched_all_the_same(jailed, home):
    writes = "open('big', 'wb').write(b'x' * (20 << 20))"
    code = f"import os, time; {writes}; os.chmod('big', 0); os.chmod('.', 0)"
    assert jailed(code, disk_mb=10)["stopped"] == "disk"
    assert home.stat().st_mode & 0o700 == 0o700
    assert jailed("import os, time; os.chmod('.', 0); time.sleep(600)")["stopped"] == "hidden"


@pytest.mark.parametrize("mode", [0, 0o400, 0o100])
def test_a_locked_folder_does_not_show_where_the_watcher_is(jailed, home, mode):
    code = f"""
import os
os.mkdir('canary')
open('canary/file', 'w').close()
os.chmod('canary', {mode})
while os.stat('canary').st_mode & 0o777 == {mode}:
    pass
print('the watcher has been here')
"""
    done = jailed(code)
    assert done["stopped"] == "hidden" and done["stdout"] == ""
    assert (home / "canary").stat().st_mode & 0o700 == 0o700


def test_a_user_may_lock_a_folder_for_a_moment(jailed):
    code = """
import os
os.mkdir('locked')
for _ in range(20):
    os.chmod('locked', 0)
    os.chmod('locked', 0o700)
print('done')
"""
    assert jailed(code)["stdout"] == "done\n"


LOCKED = """
import os
from pathlib import Path
from envwright.sandbox import tree

def locked(place):
    (place / "a" / "b").mkdir(parents=True)
    (place / "a" / "file").write_text("text")
    (place / "link").symlink_to(outside)
    for path in (place / "a" / "file", place / "a" / "b", place / "a", place):
        path.chmod(0)

outside = Path("outside").absolute()
outside.mkdir()
for mode in (0, 0o400, 0o500):
    home = Path("home").absolute()
    locked(home)
    home.chmod(mode)
    tree.fresh(home)
    tree.write(home, "link/settings", b"ours")
    print(sorted(os.listdir(home)), os.listdir(outside))
    tree.remove(home)
place = Path("place").absolute()
locked(place)
print(tree.read(place, "a/file", 4))
tree.write(place, "a/b/c/file", b"ours")
print(sorted(tree.prune(place, lambda path, status: tree.Fate.ENTER)))
"""


def test_what_a_user_has_locked_is_read_written_and_removed(played):
    assert played(LOCKED).splitlines() == [
        *["['link'] []"] * 3,
        "b'text'",
        "['a/b/c/file', 'a/file', 'link']",
    ]


@pytest.fixture(scope="module")
def environment():
    """A virtual environment of the system's Python, with the packages of this one."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o755)
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", made], check=True)
        [packages] = Path(made).glob("lib/python*/site-packages")
        packages.rmdir()
        packages.symlink_to(sysconfig.get_path("purelib"))
        yield f"{made}/bin/python"


CHEATS = "translate/test_cheats.py"
LOOP = "translate/test_loop.py"
CHEAT = "[counter_in_a_library]"
# Tests of agents, cheats and caps that an ordinary user runs in their own jails.
OF_OTHERS = [
    f"{CHEATS}::test_processes_that_answer_refuse_what_nothing_has_read{CHEAT}",
    *map(
        slow,
        (
            "agents/test_cap.py",
            "sandbox/test_tree.py",
            "translate/test_workspace.py",
            f"{CHEATS}::test_no_cheat_ends_verified_if_nothing_reads_it{CHEAT}",
            f"{LOOP}::test_a_good_agent_is_asked_once_for_each_module",
        ),
    ),
]


@pytest.mark.skipif(not same_python(), reason="the system has another version of Python")
@pytest.mark.parametrize("tests", OF_OTHERS)
def test_tests_of_other_parts_pass_for_a_user(home, environment, tests):
    user = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"]
    pytest_ = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "", "-rs"]
    done = subprocess.run(
        [*user, environment, *pytest_, f"--basetemp={home}/tests", str(TESTS / tests)],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(TESTS.parent / "src"),
        },
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
    )
    if "No module named pytest" in done.stderr:
        pytest.skip("an ordinary user cannot read this checkout")
    if "SKIPPED" in done.stdout:
        pytest.skip(done.stdout.partition("SKIPPED")[2].splitlines()[0])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
