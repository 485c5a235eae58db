"""Native environments: buffers in place, every refusal, threads, snapshots, Gymnasium."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from importlib.metadata import version

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from envwright import _native
from envwright._native import CounterVecEnv
from envwright.adapters.native_gymnasium import NativeGymnasiumVectorEnv
from envwright.core.native import NativeVectorEnv, available_cores

N, BOUND, MAX_STEPS = 5, 4, 9
OBSERVATION_SPACE = Box(-1.0, 1.0, (2,), np.float32)


def counter(num_envs: int = N, threads: int = 1) -> CounterVecEnv:
    return CounterVecEnv(num_envs, threads, bound=BOUND, max_steps=MAX_STEPS)


def wrapped(num_envs: int = N, threads: int = 1) -> NativeVectorEnv:
    return NativeVectorEnv(counter(num_envs, threads))


def buffers(num_envs: int = N) -> dict[str, np.ndarray]:
    return {
        "actions": np.ones(num_envs, np.int32),
        "obs": np.full((num_envs, 2), -9, np.float32),
        "reward": np.full(num_envs, -9, np.float32),
        "terminated": np.ones(num_envs, np.bool_),
        "truncated": np.ones(num_envs, np.bool_),
        "final_obs": np.full((num_envs, 2), -9, np.float32),
    }


def ready(num_envs: int = N, threads: int = 1) -> CounterVecEnv:
    env = counter(num_envs, threads)
    env.reset(np.arange(num_envs, dtype=np.uint64), buffers(num_envs)["obs"])
    return env


def random_actions(steps: int, num_envs: int = N) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 3, (steps, num_envs), dtype=np.int32)


class CounterTwin(gymnasium.Env):
    """The same walk in Python, written from the rules and not from the Rust code."""

    observation_space = OBSERVATION_SPACE
    action_space = Discrete(3)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random = seed
        self.position, self.steps = self._draw(2 * (BOUND // 2) + 1) - BOUND // 2, 0
        return self._obs(), {}

    def step(self, action):
        self.position += int(action) - 1
        self.steps += 1
        terminated = abs(self.position) == BOUND
        reward = float(np.sign(self.position)) if terminated else 0.0
        return self._obs(), reward, terminated, self.steps >= MAX_STEPS and not terminated, {}

    def _obs(self):
        return np.float32([self.position, self.steps]) / np.float32([BOUND, MAX_STEPS])

    def _draw(self, n: int) -> int:
        mask = 2**64 - 1
        self.random = (self.random + 0x9E3779B97F4A7C15) & mask
        z = self.random
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return (z ^ z >> 31) * n >> 64


def test_native_module_and_package_have_one_version():
    assert _native.__version__ == version("envwright")


# --- buffers -------------------------------------------------------------------------------


def test_step_writes_into_the_callers_memory():
    env, b = counter(), buffers()
    addresses = {name: array.ctypes.data for name, array in b.items()}
    env.reset(np.arange(N, dtype=np.uint64), b["obs"])
    assert (np.abs(b["obs"][:, 0]) <= 0.5).all() and (b["obs"][:, 1] == 0).all()
    env.step(**b)
    assert (b["obs"][:, 1] == np.float32(1 / MAX_STEPS)).all()
    assert (b["reward"] == 0).all()
    assert not b["terminated"].any() and not b["truncated"].any()
    assert (b["final_obs"] == -9).all(), "no episode ended"
    assert {name: array.ctypes.data for name, array in b.items()} == addresses


def test_flags_of_uninitialised_memory_are_no_problem():
    env, b = ready(), buffers()
    b["terminated"] = np.frombuffer(bytearray([0, 7, 255, 1, 2]), np.bool_)
    env.step(**b)
    assert b["terminated"].view(np.uint8).tolist() == [0] * N


def test_wrapper_returns_the_same_buffers_each_time():
    env = wrapped()
    obs = env.reset(seed=3)
    first, second = env.step(np.ones(N, np.int64)), env.step([1] * N)
    assert obs is first.obs is second.obs
    assert first.reward is second.reward and first.final_obs is second.final_obs


WRONG = {
    "list": (lambda a: a.tolist(), "is of type list; pass a NumPy array"),
    "dtype": (lambda a: a.astype(np.complex128), "has dtype complex128; pass an array of"),
    "byte order": (lambda a: a.astype(a.dtype.newbyteorder(">")), "has dtype >"),
    "shape": (
        lambda a: np.concatenate([a, a]),
        r"has shape \(10,.*\); pass an array of shape \(5,",
    ),
    "rank": (lambda a: a[..., None], "has shape"),
    "strides": (lambda a: np.repeat(a, 2, axis=0)[::2], "is not contiguous"),
    "misaligned": (lambda a: misaligned(a), "is not contiguous"),
}


def misaligned(array: np.ndarray) -> np.ndarray:
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    return np.frombuffer(memory, array.dtype).reshape(array.shape)


# A flag is one byte: it has neither a byte order nor an alignment.
UNFIT = [
    (name, wrong)
    for name, array in buffers().items()
    for wrong in WRONG
    if array.itemsize > 1 or wrong not in ("byte order", "misaligned")
]


@pytest.mark.parametrize(("name", "wrong"), UNFIT)
def test_unfit_buffer_is_refused_by_name_and_nothing_changes(name, wrong):
    env, b = ready(), buffers()
    spoil, message = WRONG[wrong]
    before = env.snapshot()
    contents = {other: array.copy() for other, array in b.items()}
    b[name] = spoil(b[name])
    with pytest.raises(ValueError, match=message) as error:
        env.step(**b)
    assert str(error.value).startswith(name)
    assert env.snapshot() == before
    for other in b.keys() - {name}:
        np.testing.assert_array_equal(b[other], contents[other])


@pytest.mark.parametrize("name", [name for name in buffers() if name != "actions"])
def test_read_only_buffer_is_refused(name):
    env, b = ready(), buffers()
    b[name].flags.writeable = False
    with pytest.raises(ValueError, match=f"^{name} is read-only; pass a writeable array$"):
        env.step(**b)


def test_read_only_actions_are_fine():
    env, b = ready(), buffers()
    b["actions"].flags.writeable = False
    env.step(**b)


def test_fortran_order_is_refused():
    env, b = ready(), buffers()
    b["obs"] = np.asfortranarray(b["obs"])
    with pytest.raises(ValueError, match="obs is not contiguous in memory; pass a C-contig"):
        env.step(**b)


def test_overlapping_buffers_are_refused():
    env, b = ready(), buffers()
    with pytest.raises(ValueError, match="final_obs shares memory with obs; give each buffer"):
        env.step(**b | {"final_obs": b["obs"]})
    with pytest.raises(ValueError, match="truncated shares memory with terminated"):
        env.step(**b | {"truncated": b["terminated"]})
    shared = np.zeros(2 * N + 2, np.float32)
    with pytest.raises(ValueError, match="reward shares memory with obs"):
        env.step(**b | {"obs": shared[: 2 * N].reshape(N, 2), "reward": shared[-N:]})
    memory = bytearray(4 * N)
    views = {
        "actions": np.frombuffer(memory, np.int32),
        "reward": np.frombuffer(memory, np.float32),
    }
    with pytest.raises(ValueError, match="reward shares memory with actions"):
        env.step(**b | views)


def test_neighbouring_buffers_in_one_block_are_fine():
    env, b = ready(), buffers()
    block = np.zeros(3 * N, np.float32)
    env.step(**b | {"obs": block[: 2 * N].reshape(N, 2), "reward": block[2 * N :]})
    assert block.any()


def test_reset_and_observe_check_their_buffers_too():
    env, obs = ready(), buffers()["obs"]
    with pytest.raises(ValueError, match="seeds has dtype int64; pass an array of uint64"):
        env.reset(np.arange(N), obs)
    with pytest.raises(ValueError, match="obs has shape"):
        env.reset(np.arange(N, dtype=np.uint64), obs[1:])
    with pytest.raises(ValueError, match="obs has dtype float64; pass an array of float32"):
        env.observe(obs.astype(np.float64))


# --- other refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "0 environments were asked for; choose from 1 to"),
        ({"num_envs": -3}, "environments were asked for; choose from 1 to"),
        ({"num_envs": 10**12}, "1000000000000 environments were asked for; choose"),
        ({"num_envs": 1, "threads": 0}, "0 threads were asked for; choose from 1 to"),
        ({"num_envs": 1, "threads": 10**6}, "1000000 threads were asked for; choose"),
        ({"num_envs": 1, "bound": 1}, "bound is 1; choose one from 2"),
        ({"num_envs": 1, "max_steps": 0}, "max_steps is 0; choose at least 1"),
    ],
)
def test_impossible_settings_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        CounterVecEnv(**arguments)


@pytest.mark.parametrize("action", [-1, 3, 2**31 - 1, -(2**31)])
def test_action_out_of_range_is_refused_and_nothing_changes(action):
    env, b = ready(threads=2), buffers()
    before, obs = env.snapshot(), b["obs"].copy()
    b["actions"][3] = action
    message = rf"the action of environment 3 is {action}; an action is 0 \(left\), 1 \(stay\) or 2"
    with pytest.raises(ValueError, match=message):
        env.step(**b)
    del b["final_obs"]
    with pytest.raises(ValueError, match=message):
        env.step_raw(**b)
    assert env.snapshot() == before
    np.testing.assert_array_equal(b["obs"], obs)


def test_nothing_works_before_a_reset():
    env, b = counter(), buffers()
    for call in (lambda: env.step(**b), env.state_fields, env.snapshot):
        with pytest.raises(RuntimeError, match="no state yet; call reset or restore first"):
            call()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([2**32 + 1] * N, "actions holds numbers that are no int32"),
        ([0.5] * N, "actions holds numbers that are no int32"),
        (["left"] * N, "actions has dtype <U4; pass numbers of int32"),
        ([1] * (N + 1), r"actions has shape \(6,\); pass an array of shape \(5,\)"),
        ([7] * N, "the action of environment 0 is 7"),
    ],
)
def test_wrapper_turns_no_action_into_another(actions, message):
    env = wrapped()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.step(actions)


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (-1, "seed -1 is out of range; choose one from 0"),
        (2**64, "out of range"),
        ([1, 2], "2 seeds were given; pass 5, or one integer"),
        ([1, 2, 3, 4, -5], "seed -5 is out of range"),
    ],
)
def test_impossible_seeds_are_refused(seed, message):
    with pytest.raises(ValueError, match=message):
        wrapped().reset(seed=seed)


# --- seeds and threads ---------------------------------------------------------------------


def test_seeds_decide_the_start():
    one, each = wrapped(), wrapped()
    np.testing.assert_array_equal(one.reset(seed=40), each.reset(seed=[40, 41, 42, 43, 44]))
    start = one.state()
    later = one.reset().copy()
    one.reset(seed=40)
    np.testing.assert_array_equal(one.state()["random"], start["random"])
    np.testing.assert_array_equal(one.reset(), later)
    assert (one.state()["random"] != start["random"]).all()
    mixed = wrapped()
    mixed.reset(seed=[40, None, 42, None, 44])
    same = mixed.state()["random"] == start["random"]
    assert same.tolist() == [True, False, True, False, True]


def run(env: NativeVectorEnv, actions: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    env.reset(seed=11)
    return [tuple(array.copy() for array in env.step(row)) for row in actions]


@pytest.mark.parametrize("num_envs", [1, 3, 64, 1000])
def test_results_do_not_depend_on_threads(num_envs):
    actions = random_actions(40, num_envs)
    alone = run(wrapped(num_envs, threads=1), actions)
    for threads in (2, 3, 7):
        together = run(wrapped(num_envs, threads), actions)
        for expected, actual in zip(alone, together, strict=True):
            for a, b in zip(expected, actual, strict=True):
                np.testing.assert_array_equal(a, b)


def test_other_threads_run_during_a_step():
    """With a switch interval of minutes, a second thread runs only if `step` gives way."""
    env = wrapped(2_000_000)
    env.reset(seed=0)
    actions = np.ones(env.num_envs, np.int32)
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(600)
    try:
        thread.start()
        progress = 0
        for _ in range(100):
            before = ticks[0]
            env._native.step(
                actions, env.obs, env.reward, env.terminated, env.truncated, env.final_obs
            )
            progress += ticks[0] - before
            if progress >= 5:
                break
        assert progress >= 5
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        thread.join()


def test_two_threads_on_one_environment_are_refused_not_raced():
    env = wrapped(500_000)
    env.reset(seed=0)
    actions = np.ones(env.num_envs, np.int32)
    stop = threading.Event()

    def step():
        while not stop.is_set():
            env._native.step(
                actions, env.obs, env.reward, env.terminated, env.truncated, env.final_obs
            )

    thread = threading.Thread(target=step)
    thread.start()
    try:
        deadline = time.monotonic() + 30
        message = ""
        while "in use by another thread" not in message and time.monotonic() < deadline:
            repr(env)  # what never changes stays readable
            try:
                env.snapshot()
            except RuntimeError as error:
                message = str(error)
        assert message == "this environment is in use by another thread; give each thread its own"
    finally:
        stop.set()
        thread.join()


FORKS = """
import os, numpy as np
from envwright._native import CounterVecEnv
from envwright.core.native import NativeVectorEnv
env = NativeVectorEnv(CounterVecEnv(1000, 2))
env.reset(seed=0)
env.step(np.ones(1000, np.int32))
child = os.fork()
if child == 0:
    try:
        env.step(np.ones(1000, np.int32))
    except RuntimeError as error:
        print(error, flush=True)
    del env
    os._exit(0)
os.waitpid(child, 0)
env.step(np.ones(1000, np.int32))
print("parent goes on")
"""


def test_a_forked_child_is_told_instead_of_hanging():
    done = subprocess.run(
        [sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=60, check=True
    )
    child, parent = done.stdout.splitlines()
    assert child.endswith("make the environment after the fork")
    assert parent == "parent goes on"


def test_available_cores_is_a_usable_thread_count():
    assert wrapped(8, available_cores()).threads >= 1


# --- state ---------------------------------------------------------------------------------


def test_state_is_a_copy_with_named_fields():
    env = wrapped()
    env.reset(seed=0)
    state = env.state()
    assert {name: (a.dtype.name, a.shape) for name, a in state.items()} == {
        "position": ("int32", (N,)),
        "steps": ("uint32", (N,)),
        "random": ("uint64", (N,)),
    }
    state["position"][:] = 99
    assert (np.abs(env.state()["position"]) <= BOUND).all()


def test_loaded_state_is_observed_and_stepped_from_there():
    env = wrapped()
    before = env.reset(seed=0).copy()
    env.load(2, {"position": 3, "steps": 5, "random": 2**64 - 1})
    obs = env.observe()
    np.testing.assert_array_equal(obs[2], np.float32([3 / 4, 5 / 9]))
    np.testing.assert_array_equal(np.delete(obs, 2, axis=0), np.delete(before, 2, axis=0))
    step = env.step_raw([1, 1, 2, 1, 1])
    assert step.terminated.tolist() == [False, False, True, False, False]
    assert step.reward.tolist() == [0, 0, 1, 0, 0]


def test_every_state_returns_through_load():
    env, twin = wrapped(), wrapped()
    env.reset(seed=5)
    twin.reset(seed=6)
    for actions in random_actions(20):
        state = env.state()
        for i in range(N):
            twin.load(i, {name: column[i] for name, column in state.items()})
        for expected, actual in zip(env.step(actions), twin.step(actions), strict=True):
            np.testing.assert_array_equal(actual[:4], expected[:4])


def test_all_states_return_at_once():
    env, twin = wrapped(), wrapped()  # the twin needs no reset
    env.reset(seed=5)
    for actions in random_actions(20):
        twin.load_all(env.state())
        np.testing.assert_array_equal(twin.observe(), env.observe())
        for expected, actual in zip(env.step(actions), twin.step(actions), strict=True):
            np.testing.assert_array_equal(actual[:4], expected[:4])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": np.full(N, 5)}, "environment 0 cannot be played: position is 5"),
        ({"position": [0, 0, 0, 0, 9]}, "environment 4 cannot be played: position is 9"),
        ({"position": np.zeros(N + 1)}, r"field 'position' is int32\[6\]; pass int32\[5\]"),
        ({"position": 0}, r"field 'position' is int32\[\]; pass int32\[5\]"),
        ({"position": np.full(N, 0.5)}, "field 'position' holds numbers that are no int32"),
        ({"speed": np.zeros(N)}, "fields position, steps, random, speed; pass exactly"),
    ],
)
def test_states_that_cannot_all_be_loaded_leave_everything_as_it_was(change, message):
    env = wrapped()
    env.reset(seed=0)
    before = env.snapshot()
    with pytest.raises(ValueError, match=message):
        env.load_all(env.state() | change)
    assert env.snapshot() == before


@pytest.mark.parametrize(
    ("index", "change", "message"),
    [
        (N, {}, "no environment 5; indices go from 0 to 4"),
        (-1, {}, "no environment -1; indices go from 0 to 4"),
        (0, {"position": 5}, "cannot be played: position is 5; it lies from -4 to 4"),
        (0, {"position": 2**40}, "field 'position' holds numbers that are no int32"),
        (0, {"position": 0.5}, "field 'position' holds numbers that are no int32"),
        (0, {"position": [1, 2]}, r"field 'position' is int32\[2\]; pass int32\[\]"),
        (0, {"speed": 1}, "fields position, steps, random, speed; pass exactly position, steps"),
    ],
)
def test_unfit_state_is_refused_and_nothing_changes(index, change, message):
    env = wrapped()
    env.reset(seed=0)
    before = env.snapshot()
    with pytest.raises(ValueError, match=message):
        env.load(index, {"position": 0, "steps": 0, "random": 0} | change)
    assert env.snapshot() == before


def test_missing_field_is_refused():
    env = wrapped()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="the fields position; pass exactly position, steps, rand"):
        env.load(0, {"position": 0})


# --- snapshots -----------------------------------------------------------------------------


def test_snapshot_continues_to_the_same_end_on_other_threads():
    env, twin = wrapped(300, threads=1), wrapped(300, threads=2)
    actions = random_actions(60, 300)
    env.reset(seed=1)
    for row in actions[:30]:
        env.step(row)
    np.testing.assert_array_equal(twin.restore(env.snapshot()), env.obs)
    for row in actions[30:]:
        expected, actual = env.step(row), twin.step(row)
        ended = expected.terminated | expected.truncated
        for a, b in zip(expected[:4], actual[:4], strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(expected.final_obs[ended], actual.final_obs[ended])
    assert env.snapshot() == twin.snapshot()


def test_damaged_or_foreign_snapshot_is_refused_and_nothing_changes():
    env = wrapped()
    env.reset(seed=0)
    good = env.snapshot()

    def refused(snapshot: bytes, message: str):
        with pytest.raises(ValueError, match=message):
            env.restore(snapshot)
        assert env.snapshot() == good

    refused(b"", "no snapshot; pass what snapshot")
    refused(b"PK\x03\x04 something else", "no snapshot")
    refused(good[:-1], "damaged or cut short; take it anew")
    refused(good + b"\0", "damaged or cut short")
    refused(good[:30] + bytes([good[30] ^ 1]) + good[31:], "damaged or cut short")
    refused(good[:6] + b"\x09" + good[7:], "format 9 and this version reads format 1")

    larger = wrapped(N + 1)
    larger.reset(seed=0)
    refused(larger.snapshot(), "holds 6 environments and this one has 5; make one with 6")
    other = NativeVectorEnv(CounterVecEnv(N, bound=7))
    other.reset(seed=0)
    refused(other.snapshot(), "is of 'counter v1, bound 7, .* and this is 'counter v1, bound 4")
    with pytest.raises(TypeError):
        env.restore("text")


# --- Gymnasium -----------------------------------------------------------------------------


def in_gymnasium(num_envs: int = N, **kwargs) -> NativeGymnasiumVectorEnv:
    return NativeGymnasiumVectorEnv(wrapped(num_envs), OBSERVATION_SPACE, Discrete(3), **kwargs)


def same_step_twins() -> SyncVectorEnv:
    return SyncVectorEnv([CounterTwin] * N, autoreset_mode=AutoresetMode.SAME_STEP)


def assert_same(ours, theirs, path=""):
    """Equal in type, dtype, keys and values."""
    assert type(ours) is type(theirs), path
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), path
        for key in theirs:
            assert_same(ours[key], theirs[key], f"{path}[{key!r}]")
    elif isinstance(theirs, tuple) or (isinstance(theirs, np.ndarray) and theirs.dtype.kind == "O"):
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(a, b, f"{path}[{i}]")
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype, path
        np.testing.assert_array_equal(ours, theirs, err_msg=path)
    else:
        assert ours == theirs, path


def test_gymnasium_wrapper_gives_what_sync_vector_env_gives():
    ours, theirs = in_gymnasium(), same_step_twins()
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert_same(ours.reset(seed=123), theirs.reset(seed=123))
    ended = 0
    for step, actions in enumerate(random_actions(300).astype(np.int64)):
        mine = ours.step(actions)
        assert_same(mine, theirs.step(actions), f"step {step}")
        ended += mine[2].sum() + mine[3].sum()
    assert ended > 50


def test_gymnasium_wrapper_matches_raw_stepping():
    ours, raw = in_gymnasium(), wrapped()
    obs, _ = ours.reset(seed=9)
    np.testing.assert_array_equal(obs, raw.reset(seed=9))
    for actions in random_actions(100):
        raw.restore(ours.env.snapshot())
        bare = raw.step_raw(actions)
        obs, reward, terminated, truncated, infos = ours.step(actions)
        np.testing.assert_array_equal(reward, bare.reward)
        np.testing.assert_array_equal(terminated, bare.terminated)
        np.testing.assert_array_equal(truncated, bare.truncated)
        for i in range(N):
            last = infos["final_obs"][i] if terminated[i] or truncated[i] else obs[i]
            np.testing.assert_array_equal(last, bare.obs[i])


def test_record_episode_statistics_sees_the_same_episodes():
    ours, theirs = (RecordEpisodeStatistics(env) for env in (in_gymnasium(), same_step_twins()))
    ours.reset(seed=2)
    theirs.reset(seed=2)
    for actions in random_actions(200):
        mine, twin = ours.step(actions)[4], theirs.step(actions)[4]
        for infos in (mine, twin):
            infos.get("episode", {}).pop("t", None)  # wall-clock time
        assert_same(mine, twin)
    assert ours.episode_count == theirs.episode_count > 20
    assert list(ours.return_queue) == list(theirs.return_queue)
    assert list(ours.length_queue) == list(theirs.length_queue)


def test_observations_are_copies_unless_told_otherwise():
    env = in_gymnasium()
    first, _ = env.reset(seed=0)
    kept = first.copy()
    env.step(np.ones(N, np.int64))
    np.testing.assert_array_equal(first, kept)
    bare = in_gymnasium(copy=False)
    assert bare.reset(seed=0)[0] is bare.env.obs


def test_gymnasium_wrapper_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="observation_space has shape"):
        NativeGymnasiumVectorEnv(wrapped(), Box(-1.0, 1.0, (3,)), Discrete(3))
    with pytest.raises(ValueError, match="reset_mask is not supported; ended environments reset"):
        in_gymnasium().reset(options={"reset_mask": np.ones(N, np.bool_)})
