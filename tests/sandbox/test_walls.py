"""What can be seen, changed and reached from inside."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from envwright.sandbox import Jail, JailFailed, run
from envwright.sandbox.owner import FIRST_UID, is_root

only_root = pytest.mark.skipif(not is_root(), reason="only root's jails have a user of their own")


def test_a_command_is_told_things_and_answers(jailed):
    done = jailed(
        "import sys; print(sys.stdin.read().upper()); print('oh', file=sys.stderr); sys.exit(3)",
        stdin="soup",
    )
    assert (done.code, done.stdout, done.stderr, done.stopped) == (3, "SOUP\n", "oh\n", "")


def test_a_signal_that_ended_a_command_is_in_its_code(jailed):
    assert jailed("import os; os.kill(os.getpid(), 11)").code == 128 + 11


def test_a_command_that_is_not_there_is_said_to_be_missing(needs_jail, folder):
    done = run(["no-such-program"], Jail(writable=(folder,)))
    assert done.code == 127 and "no-such-program" in done.stderr


def test_input_that_nobody_reads_does_no_harm(jailed):
    assert jailed("pass", stdin="x" * 1_000_000).code == 0


def test_no_signal_is_ignored_that_the_command_does_not_expect(needs_jail, folder):
    done = run(["grep", "-E", "Sig(Ign|Blk)", "/proc/self/status"], Jail((folder,)))
    # Two are the C library's own; nobody can set them, and some start with one ignored.
    others = ~(1 << 31 | 1 << 32)
    assert {int(mask, 16) & others for mask in done.stdout.split()[1::2]} == {0}


def test_only_the_given_folder_is_there(jailed, folder, tmp_path):
    (tmp_path / "secret").write_text("soup")
    (folder / "given").write_text("bread")
    code = """
import os, sys
print(open('given').read(), os.listdir('..'), os.path.exists(sys.argv[1]))
print(os.listdir(os.environ['HOME']), {'sys', 'run', 'boot'} & set(os.listdir('/')))
"""
    done = jailed(code, str(Path.home() / ".profile"))
    assert done.stdout == "bread ['work'] False\n[] set()\n", done.stderr


def test_nothing_outside_the_folder_can_be_written(jailed, folder, tmp_path):
    code = """
import sys
for path in sys.argv[1:]:
    try:
        open(path, 'w').write('x')
    except OSError:
        continue
    print(path)
"""
    shown = tmp_path / "shown"
    shown.mkdir()
    shown.chmod(0o777)
    paths = ["/x", "/usr/x", "/etc/passwd", "/dev/x", "/proc/sysrq-trigger", f"{shown}/x"]
    done = jailed(code, *paths, f"{folder}/ok", readable=(shown,))
    assert done.stdout == f"{folder}/ok\n"
    assert not list(shown.iterdir())
    # Below /tmp, an ordinary user owns what is above the folder: in the jail's own /tmp.
    jailed(code, f"{tmp_path}/y")
    assert not (tmp_path / "y").exists()


def test_what_is_readable_inside_a_writable_folder_stays_as_it_is(jailed, folder):
    guarded = folder / "tests"
    guarded.mkdir()
    (guarded / "test.py").write_text("assert False")
    code = """
import os
for change in (
    lambda: open('tests/test.py', 'w').write('pass'),
    lambda: os.remove('tests/test.py'),
    lambda: os.rename('tests', 'away'),
    lambda: os.chmod('tests', 0o777),
):
    try:
        change()
    except OSError as error:
        print(error.errno)
"""
    done = jailed(code, readable=(guarded,))
    assert len(done.stdout.split()) == 4, done.stdout + done.stderr
    assert (guarded / "test.py").read_text() == "assert False"
    assert guarded.stat().st_uid == os.geteuid()


def test_a_link_that_points_outside_leads_nowhere(jailed, folder, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("soup")
    (folder / "link").symlink_to(secret)
    (folder / "up").symlink_to("../secret")
    code = """
import os
for name in ('link', 'up'):
    try:
        print(open(name).read())
    except OSError:
        pass
os.symlink('/etc', 'etc')
os.remove('link'); os.symlink(os.path.dirname(os.getcwd()) + '/secret', 'link')
try:
    open('link', 'w').write('bread')
except OSError:
    pass  # unless the link leads into the jail's own /tmp
"""
    done = jailed(code)
    assert (done.code, done.stdout) == (0, ""), done.stderr
    assert secret.read_text() == "soup" and secret.stat().st_uid == os.geteuid()


def test_nothing_of_the_environment_is_seen(jailed, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-real-key")
    code = """
import glob, os
print(sorted(os.environ))
for path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline'):
    try:
        text = open(path, 'rb').read()
    except OSError:
        continue
    if b'not-a-real' + b'-key' in text:
        print('leaked', path)
"""
    assert (
        jailed(code, env={"GIVEN": "1"}).stdout == "['GIVEN', 'HOME', 'LANG', 'PATH', 'TMPDIR']\n"
    )


def test_other_processes_are_neither_seen_nor_reached(jailed):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        code = f"""
import os
print(sum(name.isdigit() for name in os.listdir('/proc')) < 5)
try:
    os.kill({bystander.pid}, 9)
except OSError:
    print('refused')
try:
    os.kill(1, 9)
except OSError:
    pass
print('still here')
"""
        done = jailed(code)
        assert done.stdout == "True\nrefused\nstill here\n"
        assert bystander.poll() is None
        bystander.communicate(b"\n")
    assert bystander.returncode == 0


def test_a_command_has_no_rights_and_no_descriptors_left(jailed):
    code = """
import os
print([line.split()[1] for line in open('/proc/self/status')
       if line.startswith(('CapInh', 'CapPrm', 'CapEff', 'CapAmb', 'NoNewPrivs'))])
print(sorted(os.listdir('/proc/self/fd'))[:-1], os.getuid(), os.getgroups())
"""
    nothing = "0" * 16
    lines = jailed(code).stdout.splitlines()
    assert lines[0] == str([nothing] * 4 + ["1"])
    descriptors, _, rest = lines[1].partition("]")
    assert descriptors == "['0', '1', '2'", "only the three"
    if is_root():
        uid, _, groups = rest.strip().partition(" ")
        assert int(uid) >= FIRST_UID and groups == "[]"


def test_no_further_namespaces_can_be_made(jailed):
    code = "import ctypes; print(ctypes.CDLL(None).unshare(0x10000000))"
    done = jailed(code)
    assert done.stdout == "-1\n", done.stderr


def test_devices_are_the_harmless_ones(jailed):
    code = "import os; print(sorted(os.listdir('/dev')))"
    allowed = {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm"}
    allowed |= {"stderr", "stdin", "stdout", "tty", "urandom", "zero"}
    assert set(eval(jailed(code).stdout)) <= allowed


def test_a_listener_outside_cannot_be_reached(jailed):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"import socket; print(socket.socket().connect_ex(('127.0.0.1', {port})))"
        assert int(jailed(code).stdout) != 0
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_an_abstract_socket_outside_cannot_be_reached(jailed, tmp_path):
    name = f"\0{tmp_path}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        listener.listen()
        code = f"import socket; print(socket.socket(socket.AF_UNIX).connect_ex({name!r}))"
        assert int(jailed(code).stdout) != 0


def test_what_the_jail_made_belongs_to_the_caller(jailed, folder):
    (folder / "old").write_text("soup")
    code = """
import os
open('old', 'a').write(' and bread')
os.makedirs('new/inner', mode=0o700)
open('new/inner/file', 'w').write('x')
os.symlink('new', 'link')
"""
    assert jailed(code).code == 0
    assert (folder / "old").read_text() == "soup and bread"
    made = [folder, *folder.rglob("*")]
    assert len(made) == 6
    assert {path.lstat().st_uid for path in made} == {os.geteuid()}
    assert {path.lstat().st_gid for path in made} == {os.getegid()}


@only_root
def test_what_belonged_to_another_user_still_does(jailed, folder):
    (folder / "theirs").write_text("soup")
    os.chown(folder / "theirs", 1234, 1235)
    assert jailed("open('theirs', 'a').write('!')").code == 0
    after = (folder / "theirs").stat()
    assert (after.st_uid, after.st_gid, after.st_size) == (1234, 1235, 5)


@only_root
def test_a_program_made_inside_does_not_run_as_root_afterwards(jailed, folder):
    code = "import os, shutil; shutil.copy('/usr/bin/id', 'id'); os.chmod('id', 0o6755)"
    assert jailed(code).code == 0
    made = (folder / "id").stat()
    assert made.st_uid == 0 and not made.st_mode & (stat.S_ISUID | stat.S_ISGID)


@only_root
def test_a_file_with_a_name_elsewhere_is_not_handed_over(jailed, folder, tmp_path):
    (tmp_path / "precious").write_text("soup")
    (folder / "linked").hardlink_to(tmp_path / "precious")
    (folder / "a").write_text("")
    (folder / "b").hardlink_to(folder / "a")
    code = """
open('a', 'w').write('both names are inside')
try:
    open('linked', 'w').write('x')
except PermissionError:
    print('refused')
"""
    assert jailed(code).stdout == "refused\n"
    assert (tmp_path / "precious").read_text() == "soup"
    assert (folder / "b").read_text()


@only_root
def test_what_root_alone_can_read_is_refused_with_advice(jailed, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    with pytest.raises(JailFailed, match="chmod"):
        jailed("pass", readable=(hidden,))


@pytest.mark.parametrize("path", ["/", "/usr", "/etc", "~"])
def test_too_much_is_refused(jailed, path):
    with pytest.raises(JailFailed, match="pass a folder below"):
        jailed("pass", writable=(Path(path).expanduser(),))


def test_a_missing_folder_is_named(jailed, tmp_path):
    with pytest.raises(JailFailed, match="nowhere"):
        jailed("pass", writable=(tmp_path / "nowhere",))
    with pytest.raises(JailFailed, match="nowhere"):
        jailed("pass", readable=(tmp_path / "nowhere",))


def test_a_home_is_kept_if_it_is_given(jailed, folder, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    code = "import os; open(os.path.expanduser('~/.settings'), 'w').write('x')"
    assert jailed(code, home=home).code == 0
    assert (home / ".settings").read_text() == "x"


def test_a_hidden_folder_looks_empty_and_stays_so(needs_jail, tmp_path):
    room = tmp_path / "shown" / "room"
    room.mkdir(parents=True)
    (room / "answer.py").write_text("42")
    tmp_path.chmod(0o755)
    (tmp_path / "work").mkdir()
    jail = Jail(writable=(tmp_path / "work",), readable=(tmp_path / "shown",), hidden=(room,))
    mounted = f"grep ' {room} ' /proc/mounts | cut -d' ' -f3-4 | cut -c-9"
    done = run(["sh", "-c", f"ls {room}; touch {room}/x; {mounted}"], jail)
    # An ordinary user owns it, and could make it writable otherwise.
    assert done.stdout == "tmpfs ro,\n" and "x" in done.stderr
    assert [path.name for path in room.iterdir()] == ["answer.py"]


def test_a_hidden_file_cannot_be_read(needs_jail, tmp_path):
    answer = tmp_path / "shown" / "answer.py"
    answer.parent.mkdir()
    answer.write_text("42")
    tmp_path.chmod(0o755)
    jail = Jail(readable=(answer.parent,), hidden=(answer,))
    done = run(["sh", "-c", f"cat {answer}; echo end"], jail)
    assert done.stdout == "end\n" and answer.read_text() == "42"
