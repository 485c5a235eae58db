"""Work on ray comes back as from anywhere else, and nothing of ray stays behind."""

import importlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest

from envwright.core.executor import Ray, Serial, WorkerDied, make_executor, ray_cluster
from envwright.errors import EnvwrightError, MissingPackage
from envwright.schema.results import as_json
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair

ray = pytest.importorskip("ray", reason="ray is not installed: pip install 'envwright[ray]'")

CHORES = '''
import os, signal, time
from pathlib import Path

class Picky(Exception):
    """Pickles, but cannot be made again."""
    def __init__(self, what, why):
        super().__init__(f"{what} {why}")

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def die_at_first(marker):
    if not Path(marker).exists():
        Path(marker).touch()
        die()
    return "survived"

def die_if_negative(number):
    return number if number >= 0 else die()

def complain(item):
    raise Picky(item, "is wrong")

def meet(folder, _):
    """Wait for another worker, so that neither does all of the work."""
    (Path(folder) / str(os.getpid())).touch()
    end = time.monotonic() + 300
    while len(os.listdir(folder)) < 2:
        assert time.monotonic() < end
        time.sleep(0.01)
    return os.getpid()

def sleep_and_tell(folder, seconds):
    if seconds:
        (Path(folder) / str(os.getpid())).touch()
        time.sleep(seconds)
'''


@pytest.fixture(scope="module")
def chores(tmp_path_factory):
    """A module that only this process knows to find."""
    folder = tmp_path_factory.mktemp("chores")
    (folder / "chores_on_ray.py").write_text(CHORES)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("chores_on_ray")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """One cluster for many maps, since it takes seconds to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.delenv("RAY_ADDRESS", raising=False)
        with ray_cluster.joined(cpus=2):
            yield


@pytest.fixture
def two(cluster):
    return make_executor("ray:2")


def test_ray_gives_the_same_as_serial_in_the_same_order(two):
    work = ["__import__('time').sleep(0.3) or 1", "2", "3 ** 50", "'four'"]
    assert list(two.map(eval, work)) == list(Serial().map(eval, work))


def test_no_items_give_no_results(two):
    assert list(two.map(abs, [])) == []


def test_work_runs_in_at_most_as_many_processes_as_asked_for(two, chores, tmp_path):
    pids = set(two.map(partial(chores.meet, tmp_path), range(6)))
    assert os.getpid() not in pids
    assert len(pids) == 2


def test_two_maps_at_once_do_not_disturb_each_other(two):
    one, other = two.map(abs, [-1, -2, -3]), two.map(str, [1, 2])
    assert list(zip(one, other, strict=False)) == [(1, "1"), (2, "2")]
    one.close()
    assert list(two.map(abs, [-4])) == [4]


def test_an_error_in_an_item_is_raised_where_its_result_was_due(two):
    results = two.map(int, ["1", "2", "three", "4"])
    assert (next(results), next(results)) == (1, 2)
    with pytest.raises(ValueError, match="three") as caught:
        next(results)
    assert "Traceback" in caught.value.__notes__[0]


def test_an_error_that_cannot_travel_is_told_in_words(two, chores):
    with pytest.raises(RuntimeError, match="Picky: soup is wrong") as caught:
        list(two.map(chores.complain, ["soup"]))
    assert "in complain" in caught.value.__notes__[0]


def test_a_result_that_cannot_travel_is_an_error(two):
    with pytest.raises(TypeError, match="cannot be sent back"):
        list(two.map(eval, ["__import__('threading').Lock()"]))


def test_relative_paths_mean_the_same_in_a_worker(two, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("note").write_text("here")
    assert list(two.map(eval, ["open('note').read()"])) == ["here"]


@pytest.mark.slow
def test_an_item_whose_worker_was_killed_is_tried_again(two, chores, tmp_path):
    markers = [tmp_path / "a", tmp_path / "b"]
    assert list(two.map(chores.die_at_first, markers)) == ["survived"] * 2
    assert all(marker.exists() for marker in markers)


def test_an_item_that_kills_every_worker_is_an_error_at_its_place(two, chores):
    results = two.map(chores.die_if_negative, [1, 2, -3, 4])
    assert (next(results), next(results)) == (1, 2)
    with pytest.raises(WorkerDied, match=r"terminated abruptly, 4 times .* \(WorkerCrashedError\)"):
        next(results)


def test_a_caller_who_has_seen_enough_ends_what_is_running_and_starts_nothing_more(
    two, chores, tmp_path
):
    taken = []
    items = (taken.append(seconds) or seconds for seconds in [0, 600, 600, 600, 600])
    results = two.map(partial(chores.sleep_and_tell, tmp_path), items)
    next(results)
    assert taken == [0, 600, 600]
    _wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    results.close()
    _wait_until(lambda: not any(_is_alive(int(file.name)) for file in tmp_path.iterdir()))
    assert list(two.map(abs, [-1])) == [1]


@pytest.mark.slow
def test_a_verification_on_ray_is_the_serial_one(two):
    name = "python:tests.verify.worlds"
    spec = PairSpec(f"{name}:Marble", f"{name}:TiredMarble")
    effort = Effort((3,), episodes=120)  # three pieces of work for two workers
    serial, on_ray = (
        json.dumps(as_json(verify_pair(spec, effort=effort, executor=executor).record()))
        for executor in (None, two)
    )
    assert serial == on_ray


@pytest.mark.slow
def test_a_running_cluster_is_used_and_goes_on(cluster, tmp_path):
    script = """
from envwright.core.executor import make_executor
executor = make_executor("ray")
print(executor.workers, list(executor.map(abs, [-1, -2])))
"""
    env = {
        "RAY_ADDRESS": ray.get_runtime_context().gcs_address,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": ray_cluster._token(),
    }
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **env, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (run.stdout, run.stderr) == ("2 [1, 2]\n", "")
    assert list(make_executor("ray").map(abs, [-3])) == [3]


# --- without the shared cluster --------------------------------------------------------


@pytest.mark.parametrize(("name", "workers"), [("ray", os.cpu_count()), ("ray:3", 3)])
def test_an_executor_knows_its_workers_before_ray_runs(name, workers, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    made = make_executor(name)
    assert isinstance(made, Ray) and made.workers == workers


def test_without_the_package_an_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPackage, match=r"pip install 'envwright\[ray\]'"):
        make_executor("ray:2")


def test_an_address_where_nobody_listens_is_an_error_at_once(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("RAY_ADDRESS", address)
        told = f"cannot join .* RAY_ADDRESS={address}; .*refused"
        with pytest.raises(EnvwrightError, match=told):
            list(make_executor("ray").map(abs, [1]))


SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from envwright.core.executor import make_executor

begun = Path(sys.argv[1])

def work(seconds, begun=begun):
    first = not any(begun.iterdir())
    (begun / str(os.getpid())).touch()
    if first and seconds < 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(seconds)
    return seconds

if __name__ == "__main__":
    results = make_executor("ray:2").map(work, eval(sys.argv[2]))
    print([next(results) for _ in range(3)])
"""


@pytest.fixture
def start(tmp_path):
    """Starts the script in surroundings of its own; at the end, nothing may be left in them."""
    script, home, begun = tmp_path / "work.py", tmp_path / "home", tmp_path / "begun"
    home.mkdir()
    begun.mkdir()
    script.write_text(SCRIPT)
    temporary = tempfile.mkdtemp(dir="/tmp")  # short: it becomes part of the path of a socket
    env = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    runs = []

    def start(items):
        run = subprocess.Popen(
            [sys.executable, str(script), str(begun), items],
            env={**env, "HOME": str(home), "TMPDIR": temporary},
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        runs.append(run)
        return run, begun

    yield start
    for run in runs:
        run.kill()
        _wait_until(lambda run=run: not _is_alive(-run.pid))
    left = list(home.iterdir()), os.listdir(temporary)
    shutil.rmtree(temporary)
    assert left == ([], [])


@pytest.mark.slow
def test_a_script_gets_its_results_and_hears_nothing_of_ray(start):
    run, begun = start("[0.1, 0, 0, 600]")  # the last is left in the middle
    assert run.communicate(timeout=300) == ("[0.1, 0, 0]\n", "")
    assert run.returncode == 0
    assert len(list(begun.iterdir())) >= 2, "the first worker was killed"


@pytest.mark.slow
@pytest.mark.parametrize("later", [2.0, None], ids=["while ray starts", "while workers work"])
def test_ctrl_c_ends_everything(start, later):
    run, begun = start("[600] * 8")
    if later is None:
        _wait_until(lambda: len(list(begun.iterdir())) == 2)
    else:
        time.sleep(later)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, errors = run.communicate(timeout=300)
    assert run.returncode not in (0, None)
    assert errors.count("KeyboardInterrupt") == 1, "one process speaks, and once"


def _wait_until(true, patience=300.0):
    deadline = time.monotonic() + patience
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _is_alive(pid):
    """Whether a process, or with a negative number a group, still exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
