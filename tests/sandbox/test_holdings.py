"""Memory and files that no process shows as its own count all the same."""

import pytest
from tests.sandbox import attacks

from envwright.sandbox import Limits, holdings

TRIES = attacks.TRIES


@pytest.mark.parametrize("kind", attacks.MEMORY)
def test_memory_in_the_kernel_is_memory(jailed, kind):
    done = jailed(TRIES + attacks.MEMORY[kind], "100", memory_mb=64, seconds=60)
    assert done.stopped == "memory", done.stderr


def test_a_program_with_some_sockets_and_pipes_is_no_attack(jailed):
    code = """
kept = [socket.socketpair() for _ in range(50)] + [os.pipe() for _ in range(50)]
time.sleep(0.5)
print('done')
"""
    done = jailed(TRIES + code, memory_mb=64)
    assert (done.stopped, done.stdout) == ("", "done\n"), done.stderr


@pytest.mark.parametrize("path", ["file", "/tmp/file", "/dev/shm/file"])
def test_deleted_files_that_are_open_are_files(jailed, path):
    done = jailed(TRIES + attacks.UNLINKED, "40", path, disk_mb=20, seconds=60)
    assert done.stopped == "disk", done.stderr


def test_deleted_files_are_files_however_long_their_path_is(jailed):
    done = jailed(TRIES + attacks.FAR + attacks.UNLINKED, "40", "file", disk_mb=20, seconds=60)
    assert done.stopped == "disk", done.stderr


def test_deleted_files_that_are_mapped_are_files(jailed):
    done = jailed(TRIES + attacks.MAPPED, "40", "file", disk_mb=20, seconds=60)
    assert done.stopped == "disk", done.stderr


def test_a_deleted_file_is_forgotten_when_it_is_closed(jailed):
    code = """
for _ in range(6):
    with open('file', 'wb') as file:
        os.unlink('file')
        file.write(b'x' * (9 << 20))
        file.flush()
        time.sleep(0.1)
print('done')
"""
    done = jailed(TRIES + code, disk_mb=20)
    assert (done.stopped, done.stdout) == ("", "done\n"), done.stderr


@pytest.mark.parametrize("path", ["", "/tmp/", "/dev/shm/"], ids=["folder", "tmp", "shm"])
def test_empty_files_take_room_too(jailed, path):
    done = jailed(TRIES + attacks.INODES, "8000", path, disk_mb=4, seconds=60)
    assert done.stopped == "disk", done.stderr


def test_further_names_of_a_file_take_room_too(jailed):
    done = jailed(TRIES + attacks.NAMES, "8000", disk_mb=4, seconds=60)
    assert done.stopped == "disk", done.stderr


@pytest.mark.parametrize("attack", ["WATCHES", "LOCKS", "NOTIFIERS"])
def test_what_descriptors_observe_and_lock_is_memory(jailed, attack):
    done = jailed(TRIES + getattr(attacks, attack), "120000", memory_mb=28, seconds=60)
    assert done.stopped == "memory", done.stderr


def test_a_few_thousand_small_files_are_fine(jailed):
    code = "for n in range(2000): open(str(n), 'w').close()\nprint('done')"
    assert jailed(code, disk_mb=20).stdout == "done\n"


def test_files_cannot_be_kept_on_their_way_between_processes(jailed, monkeypatch):
    monkeypatch.setattr(holdings, "PATIENCE", 0.2)
    done = jailed(TRIES + attacks.PASSED, "10", seconds=60)
    assert done.stopped == "hidden", done.stderr
    assert "open files" in Limits().why(done.stopped)


# The figures of the report that these answer: 2 GB each under 512 MB of memory and 100 MB of disk.
LARGE = {"memory_mb": 512, "disk_mb": 100, "seconds": 300}


@pytest.mark.slow
@pytest.mark.parametrize("kind", attacks.MEMORY)
def test_two_gigabytes_in_the_kernel_are_too_much(jailed, kind):
    assert jailed(TRIES + attacks.MEMORY[kind], "2048", **LARGE).stopped == "memory"


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["UNLINKED", "MAPPED"])
def test_two_gigabytes_of_deleted_files_are_too_much(jailed, attack):
    done = jailed(TRIES + getattr(attacks, attack), "2048", "file", **LARGE)
    assert done.stopped == "disk", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", "/tmp/"], ids=["folder", "tmp"])
def test_a_million_files_are_too_many(jailed, path, folder):
    done = jailed(TRIES + attacks.INODES, "1000000", path, **LARGE)
    assert done.stopped == "disk", done.stderr
    assert len(list(folder.iterdir())) < 1_000_000
