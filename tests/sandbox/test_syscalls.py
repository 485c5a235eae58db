"""System calls made in a jail: what is rejected, and that programs go on."""

import errno
import json
import os
import platform
import shutil

import pytest
from tests.sandbox import attacks

from envwright.sandbox import Jail, JailFailed, run, syscalls
from envwright.sandbox.disk import Usage
from envwright.sandbox.syscalls import ARCHITECTURES, RULES

# With zeros as arguments, these would do no harm if they were allowed.
PLAIN = {rule.call: errno.errorcode[rule.error] for rule in RULES if not rule.conditions}


def test_rejected_calls_fail_with_their_errors(jailed):
    numbers = ARCHITECTURES[platform.machine()].numbers
    calls = {name: numbers[name] for name in PLAIN if name in numbers}
    done = jailed(attacks.CALLS, json.dumps(calls))
    answers = dict(line.split() for line in done.stdout.splitlines())
    assert answers == {name: PLAIN[name] for name in calls}, done.stderr


def test_exotic_sockets_cannot_be_made(jailed):
    done = jailed(attacks.TRIES + attacks.FAMILIES, *attacks.EXOTIC)
    assert done.stdout == attacks.FAMILIES_TOLD, done.stderr


def test_memory_and_files_cannot_be_kept_out_of_sight(jailed):
    done = jailed(attacks.TRIES + attacks.LEFTOVERS)
    assert done.stdout == attacks.LEFTOVERS_TOLD, done.stderr


def test_nobody_hears_that_the_watcher_reads_a_folder(jailed):
    done = jailed(attacks.TRIES + attacks.LISTENS)
    assert done.stdout == attacks.LISTENS_TOLD, done.stderr


def test_a_folder_does_not_show_that_the_watcher_has_read_it(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    for place in (inner, tmp_path):
        os.utime(place, (0, os.stat(place).st_mtime))
    Usage([tmp_path]).measure()
    assert [os.stat(place).st_atime for place in (tmp_path, inner)] == [0, 0]


def test_a_jail_stays_the_first_to_die_when_memory_runs_out(jailed):
    done = jailed(attacks.TRIES + attacks.OOM)
    assert done.stdout == attacks.OOM_TOLD.format(parent=1), done.stderr


def test_a_processor_without_a_table_of_calls_is_refused(needs_jail, folder, monkeypatch):
    monkeypatch.setattr(syscalls.platform, "machine", lambda: "vax")
    with pytest.raises(JailFailed, match="x86_64 and aarch64, not on vax"):
        run(["true"], Jail((folder,)))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing")
def test_node_lists_its_network_interfaces(needs_jail, folder):
    code = "console.log(Object.keys(require('os').networkInterfaces()))"
    done = run(["node", "-e", code], Jail((folder,)))
    assert (done.code, done.stdout) == (0, "[ 'lo' ]\n"), done.stderr


def test_python_copies_files_and_starts_processes_all_the_same(jailed):
    code = """
import asyncio, multiprocessing, shutil, socket, subprocess, threading
open('a', 'wb').write(b'soup' * 100_000)
shutil.copyfile('a', 'b')
print(open('b', 'rb').read() == open('a', 'rb').read())
print(subprocess.run(['cp', 'a', 'c']).returncode, open('c').read(4))
context = multiprocessing.get_context('fork')
shared = context.Value('i', 0)
child = context.Process(target=lambda: setattr(shared, 'value', 42))
child.start(); child.join()
print(shared.value)

async def talk():
    async def answer(reader, writer):
        writer.write(str(len(await reader.read())).encode())
        writer.close()
    server = await asyncio.start_server(answer, '127.0.0.1', 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b'x' * (4 << 20))
    writer.write_eof()
    print((await reader.read()).decode())
    server.close()
asyncio.run(talk())
left, right = socket.socketpair()
socket.send_fds(left, [b'x'], [0])
print(len(socket.recv_fds(right, 9, 9)[1]))
thread = threading.Thread(target=print, args=('thread',)); thread.start(); thread.join()
"""
    done = jailed(code)
    assert done.stdout == "True\n0 soup\n42\n4194304\n1\nthread\n", done.stderr
