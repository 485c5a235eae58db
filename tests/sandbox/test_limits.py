"""What is used up, and what then happens. Every text here is bounded by itself, too."""

import time
import uuid

import pytest

from envwright.sandbox import Limits

FORKS = """
import os, sys, time
made = 0
for _ in range(300):
    try:
        if os.fork() == 0:
            time.sleep(15)
            os._exit(0)
        made += 1
    except BlockingIOError:
        break
print(made, flush=True)
time.sleep(int(sys.argv[2]))
"""
THREADS = """
import threading, time
for _ in range(300):
    try:
        threading.Thread(target=time.sleep, args=(15,), daemon=True).start()
    except RuntimeError:
        break
time.sleep(15)
"""
ALLOCATES = """
kept = []
for _ in range(10 * 1024):
    kept.append(bytearray(1 << 20))
"""
WRITES = """
import os, sys
chunk = b'x' * (1 << 20)
with open(sys.argv[1], 'wb') as file:
    for _ in range(1000):
        file.write(chunk)
"""
SCATTERS = """
import os
for number in range(1000):
    os.makedirs(str(number))
    with open(f'{number}/file', 'wb') as file:
        file.write(b'x' * (1 << 20))
import time
time.sleep(600)
"""


def test_an_endless_loop_runs_out_of_time(jailed):
    done = jailed("while True: pass", seconds=0.5)
    assert done.stopped == "time" and done.code == 128 + 9
    assert 0.4 < done.seconds < 60


def test_waiting_is_time_too(jailed):
    assert jailed("import time; time.sleep(20)", seconds=0.3).stopped == "time"


def test_processor_time_is_summed_over_processes(jailed):
    code = "import os; os.fork(); os.fork()\nwhile True: pass"
    done = jailed(code, cpu_seconds=0.6, seconds=300)
    assert done.stopped == "time" and done.seconds < 200


def test_processes_that_have_ended_have_used_their_time(jailed):
    code = """
import os, time
for _ in range(100):
    if os.fork() == 0:
        end = time.process_time() + 0.1
        while time.process_time() < end: pass
        os._exit(0)
    os.wait()
"""
    assert jailed(code, cpu_seconds=0.6, seconds=300).stopped == "time"


def test_forking_on_and_on_is_contained_and_nothing_is_left(jailed, alive):
    word = uuid.uuid4().hex
    done = jailed(FORKS, word, "15", processes=32)
    assert done.stopped == "processes"
    assert done.seconds < 10
    assert alive(word) == []


def test_the_kernel_refuses_processes_even_if_nobody_watches(jailed, monkeypatch):
    monkeypatch.setattr("envwright.sandbox.watch.Watch.verdict", lambda self: "")
    done = jailed(FORKS, "word", "0", processes=32)
    assert 32 <= int(done.stdout) < 32 + 32 // 8 + 16
    assert done.stopped == ""


def test_threads_are_processes(jailed):
    assert jailed(THREADS, processes=32).stopped == "processes"


def test_fewer_processes_than_the_limit_are_fine(jailed):
    code = "import os\nfor _ in range(20):\n  if os.fork() == 0: os._exit(0)\nprint('done')"
    done = jailed(code, processes=32)
    assert (done.code, done.stopped, done.stdout) == (0, "", "done\n")


@pytest.mark.parametrize("code", [ALLOCATES, "bytearray(10 << 30)"], ids=["slowly", "at once"])
def test_ten_gigabytes_are_too_much_memory(jailed, code):
    done = jailed(code, memory_mb=512)
    assert done.stopped == "memory", done.stderr


def test_memory_is_summed_over_processes(jailed):
    code = (
        "import os, time\nfor _ in range(2): os.fork()\nkept = bytearray(200 << 20)\ntime.sleep(9)"
    )
    assert jailed(code, memory_mb=512).stopped == "memory"


def test_shared_memory_is_counted_once(jailed):
    code = """
import os, time
kept = bytearray(150 << 20)
for _ in range(5):
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
for _ in range(5): os.wait()
print('done')
"""
    done = jailed(code, memory_mb=512)
    assert (done.stopped, done.stdout) == ("", "done\n")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_is_cut_and_said(jailed, stream):
    done = jailed(f"import sys\nwhile True: sys.{stream}.write('x' * 9999)", output_mb=1)
    text = getattr(done, stream)
    assert done.stopped == "output"
    assert len(text) < (1 << 20) + 100 and text.endswith("[cut after 1 MB]\n")


def test_output_up_to_the_limit_is_whole(jailed):
    done = jailed("print('x' * ((1 << 20) - 1))", output_mb=1)
    assert (done.stopped, len(done.stdout)) == ("", 1 << 20)


@pytest.mark.parametrize("path", ["file", "/tmp/file", "/dev/shm/file"])
def test_a_long_file_is_too_much(jailed, path):
    done = jailed(WRITES, path, disk_mb=20)
    assert done.stopped == "disk", done.stderr


def test_a_long_file_ends_a_program_that_does_not_expect_it(jailed):
    code = "import os, signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)"
    done = jailed(f"{code}\nos.truncate(os.open('file', os.O_CREAT | os.O_RDWR), 1 << 40)")
    assert done.stopped == "disk"


def test_many_files_are_too_much_together(jailed, folder):
    done = jailed(SCATTERS, disk_mb=20)
    assert done.stopped == "disk"
    assert sum(path.stat().st_size for path in folder.rglob("file")) < 1000 << 20


def test_what_was_there_before_does_not_count(jailed, folder):
    (folder / "old").write_bytes(b"x" * (30 << 20))
    assert jailed("open('new', 'w').write('x')", disk_mb=20).stopped == ""


def test_a_file_with_holes_counts_as_if_it_were_full(jailed):
    code = "import os\nfor n in range(4): os.truncate(os.open(str(n), 66), 9 << 20)"
    assert jailed(code, disk_mb=20).stopped == "disk"


def test_a_bottomless_folder_is_ended_and_can_be_removed(jailed, folder):
    code = """
import os, time
for _ in range(400):
    os.mkdir('d')
    os.chdir('d')
time.sleep(600)
"""
    assert jailed(code).stopped == "disk"


def test_folders_that_come_and_go_do_not_confuse_the_watcher(jailed):
    code = """
import os, shutil, time
end = time.time() + 0.7
while time.time() < end:
    os.makedirs('a/b/c'); open('a/b/f', 'w').close(); os.symlink('/', 'a/l')
    shutil.rmtree('a')
print('done')
"""
    assert jailed(code).stdout == "done\n"


def test_a_crash_is_dumped_neither_to_a_file_nor_to_a_program_outside(jailed, folder):
    code = "import os, resource; print(resource.getrlimit(resource.RLIMIT_CORE)); os.abort()"
    done = jailed("import sys; sys.stdout.reconfigure(line_buffering=True)\n" + code)
    assert (done.code, done.stdout) == (128 + 6, "(1, 1)\n"), (
        done.stderr
    )  # the kernel's word for it
    assert not list(folder.iterdir())
    code = "import os; os.fork() or os.abort(); print(os.WCOREDUMP(os.wait()[1]))"
    assert jailed(code).stdout == "False\n"


def test_a_reason_is_a_sentence():
    limits = Limits(seconds=60, memory_mb=512)
    assert limits.why("") == ""
    assert limits.why("time") == "stopped: it took longer than 60 s"
    assert "512 MB" in limits.why("memory")


def test_a_jail_starts_quickly(jailed):
    """The quickest of five: others may keep the machine busy."""
    taken = []
    for _ in range(5):
        began = time.monotonic()
        jailed("pass")
        taken.append(time.monotonic() - began)
    assert min(taken) < 2
