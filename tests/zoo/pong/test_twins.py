"""Both twins against the recorded games of PufferLib's C, bit for bit."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from tests.zoo.pong import golden

from envwright.core.pytree import named_leaves, with_leaves
from envwright.sim.records import Fields, unstack
from envwright.sim.resolve import open_simulator
from envwright.zoo.pong.bridge import BRIDGE
from envwright.zoo.pong.env import Pong
from envwright.zoo.pong.native import NativePong

every_setting = pytest.mark.parametrize("setting", golden.SETTINGS, ids=lambda s: s.name)


def same(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    """Bit for bit, the sign of a zero included."""
    np.testing.assert_array_equal(np.asarray(ours), theirs, err_msg=what)  # says where
    assert np.asarray(ours).dtype == theirs.dtype, what
    assert np.asarray(ours).tobytes() == theirs.tobytes(), what


def jax_states(env: Pong, fields: Fields) -> object:
    lanes = len(fields["tick"])
    template = jax.vmap(lambda k: env.reset(k)[1])(jax.random.split(jax.random.key(0), lanes))
    return with_leaves(jax.tree.map(np.asarray, template), BRIDGE.to_twin(fields))


@every_setting
def test_jax_plays_the_recorded_games(setting):
    env, games = Pong(*setting), golden.games(setting)

    def tick(states, actions):
        step = env.step_batch(jax.random.key(0), states, actions)
        return step.state, (step.obs, step.reward, step.terminated, step.truncated)

    states = jax_states(env, games.start)
    end, (obs, reward, terminated, truncated) = jax.jit(lambda s, a: jax.lax.scan(tick, s, a))(
        states, games.actions
    )
    same(obs, games.obs, "obs")
    same(reward, games.reward, "reward")
    same(terminated, games.terminated, "terminated")
    assert not np.asarray(truncated).any()
    fields = BRIDGE.to_reference(named_leaves(end))
    for name, expected in games.end.items():
        same(fields[name], expected, name)


@every_setting
@pytest.mark.parametrize(("threads", "copies"), [(1, 1), (2, 80)])
def test_rust_plays_the_recorded_games(setting, threads, copies):
    """Once alone in a block; and in so many copies that each thread has blocks of its own."""
    games = golden.games(setting)
    env = NativePong(copies * games.obs.shape[1], threads, *setting)
    assert games.served.max() < 64
    last = np.uint32([0, 1 << 31])  # a serve that is never reached, since not all may be 0
    start = games.start | {"serves": games.start["serves"] | last}
    env.load_all({name: np.concatenate([column] * copies) for name, column in start.items()})
    for t, actions in enumerate(games.actions):
        step = env.step(np.concatenate([actions] * copies))
        same(step.obs, np.concatenate([games.obs[t]] * copies), f"obs of step {t}")
        same(step.reward, np.concatenate([games.reward[t]] * copies), f"reward of step {t}")
        ended = np.concatenate([games.terminated[t]] * copies)
        same(step.terminated, ended, f"end of step {t}")
        # A game that is over is followed by the next at once; there is no other last view.
        same(step.final_obs[ended], step.obs[ended], "last observation")
    for name, expected in games.end.items():
        same(env.state()[name], np.concatenate([expected] * copies), name)


@every_setting
@pytest.mark.parametrize("backend", ["jax", "rust"])
def test_single_steps_from_any_state(setting, backend):
    steps = golden.steps(setting)
    options = f"frame_skip={setting.frame_skip}&continuous={str(setting.continuous).lower()}"
    with open_simulator(f"envwright:pong?backend={backend}&{options}") as twin:
        before = unstack(steps.before)
        if backend == "jax":
            before = [BRIDGE.to_twin(state) for state in before]
        table = twin.step_table(before, list(steps.actions))
    after = {k.removeprefix("state."): v for k, v in table.items() if k.startswith("state.")}
    after = BRIDGE.to_reference(after) if backend == "jax" else after
    for name, expected in steps.after.items():
        same(after[name], expected, name)
    same(table["obs"], steps.after["shown"], "obs")
    same(table["reward"], steps.reward, "reward")
    same(table["terminated"], steps.terminated, "terminated")
