"""Every promise of `check_env` is broken here at least once, on purpose."""

from __future__ import annotations

import itertools
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.games import SlipperyWalk, StoneDuel, TicTacToe

import envwright
from envwright.core.check import PROMISES, EnvCheckFailed, check_env
from envwright.core.env import Env, select
from envwright.core.pytree import pytree_dataclass
from envwright.core.spaces import Box, Discrete
from envwright.core.wrappers import AutoReset, EpisodeStatistics, TimeLimit
from envwright.errors import EnvwrightError


@pytree_dataclass
class Params:
    limit: jax.Array | int = 3


@pytree_dataclass
class Ticks:
    count: jax.Array  # int32[]
    level: jax.Array  # float32[], random at the start


class Ticker(Env):
    """The smallest honest environment: it counts to a limit. What follows breaks it."""

    id, version = "ticker", 1
    default_params = Params()

    def draw_start(self, key, params):
        return jax.random.key_data(key)[-1]

    def start(self, noise, params):
        return Ticks(jnp.int32(0), noise.astype(jnp.float32) / 2.0**32)

    def step(self, key, state, action, params=None):
        """As Env has it, but the key is not split: that takes long to compile."""
        after = self.advance(key, state, action, params)
        obs, following = select(after.done, self.reset(key, params), (after.obs, after.state))
        return after._replace(obs=obs, state=following)

    def transition(self, state, action, noise, params):
        level = (state.level + jnp.float32(action)) / 2
        following = Ticks(state.count + jnp.int32(1), level)
        return following, level, following.count >= params.limit, {"even": state.count % 2 == 0}

    def observe(self, state, player=0):
        return jnp.stack([state.count.astype(jnp.float32), state.level])

    def observation_space(self, params=None):
        return Box([0, 0], [100, 1])

    def action_space(self, params=None):
        return Discrete(2)


class BranchesInPython(Ticker):
    def transition(self, state, action, noise, params):
        if action == 1:
            state = replace(state, level=jnp.float32(0))
        return super().transition(state, action, noise, params)


class WordsInParams(Ticker):
    @pytree_dataclass
    class Named:
        limit: int = 3
        colour: str = "red"

    default_params = Named()


class BranchesOnParams(Ticker):
    def transition(self, state, action, noise, params):
        if params.limit > 2:
            state = replace(state, level=jnp.float32(0))
        return super().transition(state, action, noise, params)


class CountsInFloats(Ticker):
    def transition(self, state, action, noise, params):
        following, *rest = super().transition(state, action, noise, params)
        return replace(following, count=following.count + 0.0), *rest


class WeakReward(Ticker):
    def transition(self, state, action, noise, params):
        following, _, ended, info = super().transition(state, action, noise, params)
        return following, jnp.where(ended, 1.0, 0.0), ended, info


class WeakStart(Ticker):
    def start(self, noise, params):
        return replace(super().start(noise, params), level=jnp.asarray(0.5))


class WeakCount(Ticker):
    def start(self, noise, params):
        return replace(super().start(noise, params), count=jnp.asarray(0))


class RewardInAList(Ticker):
    def transition(self, state, action, noise, params):
        following, reward, *rest = super().transition(state, action, noise, params)
        return following, reward[None], *rest


class EndInIntegers(Ticker):
    def step(self, key, state, action, params=None):
        after = super().step(key, state, action, params)
        return after._replace(terminated=after.terminated.astype(jnp.int32))


class ForgetsParams(Ticker):
    def step(self, key, state, action, params=None):
        after = super().step(key, state, action, params)
        return after if params is None else after._replace(reward=after.reward + 1)


class CountsCalls(Ticker):
    def __init__(self):
        self.calls = itertools.count()

    def transition(self, state, action, noise, params):
        following, reward, *rest = super().transition(state, action, noise, params)
        return following, reward + np.float32(next(self.calls)), *rest


@jax.custom_batching.custom_vmap
def one_more_in_a_batch(x):
    return x


@one_more_in_a_batch.def_vmap
def _(axis_size, in_batched, x):
    return x + 1, in_batched[0]


class DependsOnBatch(Ticker):
    def transition(self, state, action, noise, params):
        following, reward, *rest = super().transition(state, action, noise, params)
        return following, one_more_in_a_batch(reward), *rest


class OtherBatch(Ticker):
    def step_batch(self, keys, states, actions, params=None):
        after = super().step_batch(keys, states, actions, params)
        return after._replace(reward=after.reward + 1)


class AsksTheHost(Ticker):
    numbers = itertools.count()

    def transition(self, state, action, noise, params):
        following, reward, *rest = super().transition(state, action, noise, params)
        shape = jax.ShapeDtypeStruct((), np.float32)
        answer = jax.pure_callback(
            lambda: np.float32(next(self.numbers)), shape, vmap_method="sequential"
        )
        return following, reward + answer, *rest


class LeavesItsSpace(Ticker):
    """Only where an episode ends, so only the final observation shows it."""

    def observe(self, state, player=0):
        return super().observe(state) + jnp.where(state.count >= 3, 1000.0, 0.0)


class StartsOutside(Ticker):
    def observe(self, state, player=0):
        return super().observe(state) - jnp.where(state.count == 0, 1.0, 0.0)


class ShowsThePast(Ticker):
    def step(self, key, state, action, params=None):
        return super().step(key, state, action, params)._replace(obs=self.observe(state))


class ChangesInfo(Ticker):
    def __init__(self):
        self.calls = itertools.count()

    def transition(self, state, action, noise, params):
        *rest, info = super().transition(state, action, noise, params)
        return *rest, info | ({"sometimes": jnp.float32(0)} if next(self.calls) % 2 else {})


class NoFinalObservation(Ticker):
    def step(self, key, state, action, params=None):
        after = super().step(key, state, action, params)
        return after._replace(info={"even": after.info["even"]})


class LosesFinalObservation(Ticker):
    def step(self, key, state, action, params=None):
        after = super().step(key, state, action, params)
        return after._replace(info=after.info | {"final_observation": jnp.zeros(2)})


class ShowsTheStartForTheEnd(Ticker):
    def step(self, key, state, action, params=None):
        after = super().step(key, state, action, params)
        return after._replace(info=after.info | {"final_observation": after.obs})


class EndsTwice(Ticker):
    def step(self, key, state, action, params=None):
        after = super().step(key, state, action, params)
        return after._replace(truncated=after.terminated)


class NeverRestarts(Ticker):
    step = Env.advance


class RestartsFromOneState(Ticker):
    def step(self, key, state, action, params=None):
        after = self.advance(key, state, action, params)
        fresh = self.reset(jax.random.key(0), params)
        obs, following = select(after.done, fresh, (after.obs, after.state))
        return after._replace(obs=obs, state=following)


@pytree_dataclass
class Remembering:
    ticks: Ticks
    first: jax.Array  # float32[]


class RestartsFromItsFirst(Ticker):
    def reset(self, key, params=None):
        obs, state = super().reset(key, params)
        return obs, Remembering(state, state.level)

    def step(self, key, state, action, params=None):
        after = self.advance(key, state.ticks, action, params)
        first = Ticks(jnp.int32(0), state.first)
        following = select(after.done, first, after.state)
        obs = Ticker.observe(self, following)
        return after._replace(obs=obs, state=Remembering(following, state.first))

    def observe(self, state, player=0):
        return super().observe(state.ticks if isinstance(state, Remembering) else state)


class Secret:
    """Travels with a state but is no leaf of it; all secrets look alike."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Secret)

    def __hash__(self):
        return 0


@jax.tree_util.register_pytree_node_class
class Hiding:
    def __init__(self, ticks, secret):
        self.ticks, self.secret = ticks, secret

    def tree_flatten(self):
        return (self.ticks,), self.secret

    @classmethod
    def tree_unflatten(cls, secret, children):
        return cls(*children, secret)


class HidesItsState(Ticker):
    """Each start hides a new secret outside the leaves, as an object of the tree."""

    secrets = itertools.count()

    def reset(self, key, params=None):
        obs, state = super().reset(key, params)
        return obs, Hiding(state, Secret(next(self.secrets)))

    def step(self, key, state, action, params=None):
        after = self.advance(key, state.ticks, action, params)
        reward = after.reward + np.float32(state.secret.value)
        return after._replace(state=Hiding(after.state, state.secret), reward=reward)

    def observe(self, state, player=0):
        return super().observe(state.ticks if isinstance(state, Hiding) else state)


class NothingAllowed(Ticker):
    def legal_actions(self, state, player=0):
        return jnp.full(2, state.count < 2)


class WrongMask(Ticker):
    def legal_actions(self, state, player=0):
        return jnp.ones(3, bool)


class ThirdOfTwo(TicTacToe):
    def current_player(self, state):
        return super().current_player(state) + 1


class NoSuchNoop(StoneDuel):
    noop = 99


class OneReward(TicTacToe):
    def transition(self, state, action, noise, params):
        following, reward, *rest = super().transition(state, action, noise, params)
        return following, reward[0], *rest


class Loose(Discrete):
    def sample(self, key):
        return super().sample(key) + self.n


class SamplesOutside(Ticker):
    def action_space(self, params=None):
        return Loose(2)


BROKEN = [
    (BranchesInPython, "reset and step can be compiled", "TracerBoolConversionError"),
    (WordsInParams, "parameters are numbers that can be traced", "params.colour is a str"),
    (BranchesOnParams, "parameters are numbers that can be traced", "TracerBoolConversionError"),
    (CountsInFloats, "the state keeps its structure, shapes and dtypes", "state.count is int32[]"),
    (WeakReward, "dtypes are strong", "reward is weakly typed after step"),
    (WeakStart, "dtypes are strong", "state.level is weakly typed after reset"),
    (RewardInAList, "reward and ends have their shape", "reward is float32[1], not float[]"),
    (EndInIntegers, "reward and ends have their shape", "terminated is int32[], not bool[]"),
    (OneReward, "reward and ends have their shape", "reward is float32[], not float[2]"),
    (WeakCount, "one trace", "step was traced 2 times"),
    (ForgetsParams, "explicit parameters change nothing", "reward is"),
    (CountsCalls, "jit = eager", "reward is"),
    (DependsOnBatch, "vmap = loop", "reward is"),
    (OtherBatch, "step_batch = step", "reward is"),
    (AsksTheHost, "the same key gives the same run", "reward is"),
    (CountsCalls, "the same key gives the same run", "run twice without compilation, reward is"),
    (LeavesItsSpace, "observations are in their space", "a final observation"),
    (StartsOutside, "observations are in their space", "the first observation"),
    (ShowsThePast, "the observation is that of the state", "obs is"),
    (ChangesInfo, "info is fixed", "in sometimes"),
    (NoFinalObservation, "info is fixed", "info has no final_observation"),
    (LosesFinalObservation, "the final observation is kept", "goes on at step 0, yet obs is"),
    (ShowsTheStartForTheEnd, "the final observation is kept", "first observation of the next"),
    (EndsTwice, "an episode ends for one reason", "both true at step 2"),
    (NeverRestarts, "auto-reset gives fresh starts", "state.count is 3, but every start has 0"),
    (RestartsFromOneState, "auto-reset gives fresh starts", "restarted from the same state"),
    (RestartsFromItsFirst, "auto-reset gives fresh starts", "from their lane's first state"),
    (HidesItsState, "a snapshot goes on the same", "goes on differently"),
    (NothingAllowed, "some action is always legal", "before step 2 a player has no legal action"),
    (WrongMask, "some action is always legal", "bool[3], not bool[2]"),
    (ThirdOfTwo, "players are as declared", "not 0 to 1"),
    (NoSuchNoop, "players are as declared", "noop 99 is not in"),
    (SamplesOutside, "sampled actions are accepted", "but is not in it"),
]


def named(broken, promise, words):
    """A mistake that consists in promoting a dtype must be found, not raise at once."""
    lax = [pytest.mark.lax("promotes on purpose")] if broken is CountsInFloats else []
    return pytest.param(broken, promise, words, id=f"{broken.__name__}: {promise}", marks=lax)


@pytest.mark.parametrize(("broken", "promise", "words"), [named(*each) for each in BROKEN])
def test_a_broken_promise_is_named(broken, promise, words):
    with pytest.raises(EnvCheckFailed) as failure:
        check_env(broken(), only=[promise], steps=16, lanes=2)
    (sentence,) = failure.value.problems
    assert sentence.startswith(f"{promise}: ")
    assert words in sentence


def test_every_promise_has_a_broken_environment():
    assert {promise for _, promise, _ in BROKEN} == set(PROMISES)


def test_all_broken_promises_are_named_at_once():
    class Twice(LosesFinalObservation, WeakReward):
        pass

    with pytest.raises(EnvCheckFailed, match=r"ticker-v1 breaks \d promise") as failure:
        check_env(Twice(), steps=8, lanes=2)
    broken = {sentence.partition(":")[0] for sentence in failure.value.problems}
    assert {"dtypes are strong", "the final observation is kept"} <= broken
    assert "vmap = loop" not in broken


HONEST = [
    pytest.param(envwright.make("cartpole"), marks=pytest.mark.slow),
    TicTacToe(),
    StoneDuel(),
    EpisodeStatistics(AutoReset(TimeLimit(SlipperyWalk(), 9), "pool")),
]


@pytest.mark.parametrize("env", HONEST, ids=lambda env: env.name)
def test_an_honest_environment_keeps_all_promises(env):
    report = check_env(env, steps=48)
    assert set(report.passed) | report.unchecked.keys() == set(PROMISES)
    assert report.episodes > 3
    allowed = set() if env.num_players > 1 else {"players are as declared"}
    assert set(report.unchecked) == allowed


def test_what_cannot_be_checked_is_said():
    report = check_env(Ticker(), Params(limit=90), steps=4, only=["auto-reset gives fresh starts"])
    assert report.passed == ()
    assert "no episode ended" in report.unchecked["auto-reset gives fresh starts"]
    assert "not checked: auto-reset gives fresh starts" in str(report)


def test_a_start_that_is_not_random_may_repeat():
    report = check_env(TicTacToe(), steps=24, only=["auto-reset gives fresh starts"])
    assert report.passed == ("auto-reset gives fresh starts",)


def test_a_promise_that_does_not_exist_is_an_error():
    with pytest.raises(EnvwrightError, match="no promise 'be nice'; there are"):
        check_env(Ticker(), only=["be nice"])
