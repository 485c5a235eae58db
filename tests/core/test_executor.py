"""Where work runs changes nothing of what comes back."""

import math
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from envwright.core.executor import Process, Serial, make_executor, split_evenly
from envwright.errors import EnvwrightError

# Functions of the standard library, since a worker must be able to import them.


def test_serial_and_processes_give_the_same_in_the_same_order():
    items = [20, 3, 11, 0, 7, 5]
    assert list(Serial().map(math.factorial, items)) == list(map(math.factorial, items))
    assert list(Process(2).map(math.factorial, items)) == list(map(math.factorial, items))


def test_results_keep_their_order_when_the_first_takes_longest():
    work = ["__import__('time').sleep(0.3) or 1", "2", "3", "4"]
    assert list(Process(2).map(eval, work)) == [1, 2, 3, 4]


def test_processes_run_elsewhere():
    pids = set(Process(2).map(eval, ["__import__('os').getpid()"] * 4))
    assert os.getpid() not in pids


@pytest.mark.parametrize("executor", [Serial(), Process(2)], ids=["serial", "process"])
def test_an_error_in_an_item_is_raised_where_its_result_was_due(executor):
    results = executor.map(int, ["1", "2", "three", "4"])
    assert (next(results), next(results)) == (1, 2)
    with pytest.raises(ValueError, match="three"):
        next(results)


def test_a_worker_that_dies_is_an_error_and_no_hang():
    with pytest.raises(Exception, match="terminated abruptly"):
        list(Process(1).map(os._exit, [3]))


def test_a_result_that_cannot_travel_is_an_error_and_no_hang():
    with pytest.raises(TypeError, match="cannot be sent back"):
        list(Process(1).map(eval, ["lambda: 1"]))


def test_an_error_that_cannot_travel_is_told_in_words():
    with pytest.raises(RuntimeError, match="Odd: soup") as caught:
        list(Process(1).map(exec, ["class Odd(Exception): pass\nraise Odd('soup')"]))
    assert "Traceback" in caught.value.__notes__[0]


def test_an_error_from_a_worker_tells_where_it_was_raised():
    with pytest.raises(ZeroDivisionError) as caught:
        list(Process(1).map(eval, ["1 / 0"]))
    assert "Traceback" in caught.value.__notes__[0]


@pytest.mark.parametrize("executor", [Serial(), Process(2)], ids=["serial", "process"])
def test_no_items_give_no_results(executor):
    assert list(executor.map(math.sqrt, [])) == []


def test_serial_work_starts_when_its_result_is_asked_for():
    begun = []
    results = Serial().map(begun.append, [1, 2])
    assert begun == []
    next(results)
    assert begun == [1]


def test_a_caller_who_has_seen_enough_does_not_wait_for_the_rest():
    began = time.monotonic()
    results = Process(2).map(time.sleep, [0, 600, 600, 600])
    next(results)
    results.close()
    assert time.monotonic() - began < 300


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_stops_at_once_and_starts_nothing_more(tmp_path):
    script = tmp_path / "work.py"
    script.write_text(
        textwrap.dedent("""
        import pathlib, sys, time
        from envwright.core.executor import Process

        def work(i):
            (pathlib.Path(sys.argv[1]) / str(i)).touch()
            time.sleep(600)

        if __name__ == "__main__":
            list(Process(2).map(work, range(8)))
        """)
    )
    begun = tmp_path / "begun"
    begun.mkdir()
    run = subprocess.Popen(
        [sys.executable, str(script), str(begun)],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 300
        while len(list(begun.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all of them
        _, errors = run.communicate(timeout=300)
    finally:
        run.kill()
    assert run.returncode not in (0, None)
    assert errors.count("KeyboardInterrupt") == 1, "one process speaks, and once"
    assert len(list(begun.iterdir())) == 2


@pytest.mark.parametrize(
    ("name", "kind", "workers"),
    [("serial", Serial, 1), ("process:3", Process, 3), ("process", Process, os.cpu_count())],
)
def test_an_executor_has_a_name(name, kind, workers):
    made = make_executor(name)
    assert isinstance(made, kind) and made.workers == workers


@pytest.mark.parametrize(
    "name",
    ["cloud", "serial:2", "process:", "process:0", "process:x", "process:²", "ray:0", "ray:x", ""],
)
def test_an_unknown_executor_is_refused(name):
    with pytest.raises(EnvwrightError, match="use serial, process, process:N, ray or ray:N"):
        make_executor(name)


@pytest.mark.parametrize(
    ("items", "parts", "lengths"), [(7, 3, [3, 2, 2]), (2, 5, [1, 1]), (6, 2, [3, 3]), (0, 4, [0])]
)
def test_work_is_split_evenly_and_in_order(items, parts, lengths):
    runs = split_evenly(list(range(items)), parts)
    assert [len(run) for run in runs] == lengths
    assert [item for run in runs for item in run] == list(range(items))
