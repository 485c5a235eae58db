"""Promise 1: same id, version, seed, actions and platform give the same trajectory.

The golden file holds a run of cartpole-v1 in float32. It is made by running this module,
once for each version: behaviour that changed is a new version, and old goldens stay.
"""

import hashlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import jax
import numpy as np
import pytest

import envwright
from envwright.core.pytree import named_leaves, with_leaves

GOLDEN = Path(__file__).parent / "golden" / "trajectory-v1.npz"
SEED, STEPS = 20260, 700


def make_env():
    return envwright.make("cartpole-v1")


def keys_of(seed, steps):
    k_reset, k_steps = jax.random.split(jax.random.key(seed))
    return k_reset, jax.random.split(k_steps, steps)


def fields(prefix, tree):
    return {f"{prefix}.{name}".rstrip("."): leaf for name, leaf in named_leaves(tree).items()}


def free_run(env, seed, actions):
    """The whole run by name: `start.…` once, everything else `[T, …]`."""
    k_reset, keys = keys_of(seed, len(actions))

    def body(state, given):
        after = env.step(given[0], state, given[1])
        return after.state, after

    obs, state = jax.jit(env.reset)(k_reset)
    _, steps = jax.jit(lambda *given: jax.lax.scan(body, *given))(state, (keys, actions))
    return fields("start", {"obs": obs, "state": state}) | fields("step", steps._asdict())


def digest(run):
    joined = b"".join(name.encode() + run[name].tobytes() for name in sorted(run))
    return hashlib.sha256(joined).hexdigest()


def choose_actions(env):
    """Some careless episodes, then a careful one that lasts until the time is up."""
    k_reset, keys = keys_of(SEED, STEPS)
    rng, step = np.random.default_rng(SEED), jax.jit(env.step)
    obs, state = env.reset(k_reset)
    actions = []
    for t in range(STEPS):
        x, x_dot, theta, theta_dot = np.asarray(obs)
        careful = theta + 0.5 * theta_dot + 0.05 * x + 0.1 * x_dot > 0
        actions.append(int(careful) if t > 150 else int(rng.integers(2)))
        obs, state, *_ = step(keys[t], state, np.int32(actions[-1]))
    return np.array(actions, np.int32)


def make_golden():
    env = make_env()
    actions = choose_actions(env)
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    run = free_run(env, SEED, actions)
    np.savez_compressed(GOLDEN, seed=np.int64(SEED), actions=actions, **run)


@cache
def golden():
    with np.load(GOLDEN) as stored:
        return {name: stored[name] for name in stored.files}


@cache
def run_again():
    return free_run(make_env(), int(golden()["seed"]), golden()["actions"])


@cache
def forced_run():
    """Each step from the golden state before it, so that a difference cannot grow."""
    env, stored = make_env(), golden()
    k_reset, keys = keys_of(int(stored["seed"]), len(stored["actions"]))
    obs, start = jax.jit(env.reset)(k_reset)
    names = named_leaves(start)
    before = {
        name: np.concatenate(
            [stored[f"start.state.{name}"][None], stored[f"step.state.{name}"][:-1]]
        )
        for name in names
    }
    lanes = jax.tree.map(lambda x: np.broadcast_to(x, (len(keys), *x.shape)), start)
    states = with_leaves(lanes, before)
    # One after the other, as in the run: a batch takes sines of many numbers at once.
    one_by_one = jax.jit(lambda *given: jax.lax.map(lambda lane: env.step(*lane), given))
    steps = one_by_one(keys, states, stored["actions"])
    return fields("start", {"obs": obs, "state": start}) | fields("step", steps._asdict())


def ulps_apart(a, b):
    """In units of the value, or of the range of starts: a sum near zero has larger terms."""
    unit = np.spacing(np.maximum(np.maximum(np.abs(a), np.abs(b)), np.float32(0.05)))
    return np.max(np.abs(a.astype(np.float64) - b) / unit)


def test_the_golden_run_has_seen_both_ends():
    stored = golden()
    assert stored["step.terminated"].sum() >= 4
    assert stored["step.truncated"].sum() == 1
    assert stored["step.obs"].dtype == np.float32


def test_every_step_is_the_golden_one():
    """Floats within 4 ulps, since another CPU may fuse or take sines differently."""
    stored, again = golden(), forced_run()
    assert again.keys() | {"seed", "actions"} == stored.keys()
    for name, value in again.items():
        assert (value.dtype, value.shape) == (stored[name].dtype, stored[name].shape)
        if value.dtype.kind == "f":
            assert ulps_apart(value, stored[name]) <= 4, name
        else:
            assert np.array_equal(value, stored[name]), name


def test_where_every_step_is_exact_so_is_the_whole_run():
    stored = golden()
    exact = {name: np.array_equal(value, stored[name]) for name, value in forced_run().items()}
    if not all(exact.values()):
        pytest.skip(f"this CPU rounds {[n for n, same in exact.items() if not same]} differently")
    for name, value in run_again().items():
        assert np.array_equal(value, stored[name]), name


def test_two_runs_in_one_process_agree_bit_for_bit():
    jax.clear_caches()
    fresh = free_run(make_env(), int(golden()["seed"]), golden()["actions"])
    assert digest(fresh) == digest(run_again())


def test_two_processes_agree_bit_for_bit():
    command = [sys.executable, __file__, "--digest"]
    other = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert other.strip() == digest(run_again())


if __name__ == "__main__":
    if "--digest" in sys.argv:
        print(digest(run_again()))
    elif GOLDEN.exists():
        sys.exit(f"{GOLDEN.name} is there; behaviour that changed is a new version")
    else:
        make_golden()
