"""The parts of one PPO iteration: environment, inference, update, transfer.

On the host the parts follow one another, and a stopwatch is held beside the loop. A fused
iteration is one program without seams, so each part is compiled on its own and works on a
roll-out that was recorded before; the whole program is timed too. The sum of the parts need
not be the whole: the compiler overlaps parts, and a part alone keeps results that the whole
never stores.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from envwright.schema.results.speed import PARTS
from envwright.sim.actions import SEED
from envwright.train.episodes import Finished, Running, count
from envwright.train.fused import Fused, FusedState, Play
from envwright.train.host import Host, HostState, Stopwatch
from envwright.train.jax_lanes import Outcome
from envwright.train.ppo import Agent, Choice, Rollout, View

WHOLE = "iteration"
LONG_ENOUGH = 0.05  # seconds of one measurement; shorter parts are repeated

Seconds = dict[str, float]  # for each of PARTS, and the WHOLE


class Recorded(NamedTuple):
    """A roll-out for the parts to work on."""

    before: Play
    after: Play
    rows: Rollout
    outcomes: Outcome  # [T, L]
    last_value: jax.Array


class FusedParts:
    """The parts of a fused iteration, each compiled on its own, and the whole.

    Agents are passed in and out, so that several implementations can take turns with one.
    """

    def __init__(self, fused: Fused) -> None:
        self.fused, self.ppo = fused, fused.ppo
        self._environment = jax.jit(self.environment)
        self._inference = jax.jit(self.inference)
        self._update = jax.jit(self.update, donate_argnums=0)
        self._iterate = jax.jit(fused.iterate, donate_argnums=0)
        # Without the agent, which the compiler sees is not asked for.
        self.play = jax.jit(lambda key: fused.init(key).play)(jax.random.key(SEED))
        self.key, self.k_play, self.k_learn = jax.random.split(jax.random.key(SEED + 1), 3)
        self.recorded: Recorded | None = None

    def measure(self, agent: Agent) -> tuple[Agent, Seconds]:
        """Measure every part once, then the whole."""
        if self.recorded is None:
            self.recorded = self.record(agent)
        before, after, rows, outcomes, last_value = self.recorded
        environment = seconds_of(
            lambda: self._environment(before.states, rows.choice.action, self.k_play)
        )
        inference = seconds_of(
            lambda: self._inference(agent, before, rows.view, outcomes, after, self.k_play)
        )
        box = [agent]

        def update() -> Any:
            box[0], *rest = self._update(box[0], before, rows, last_value, self.k_learn)
            return box[0], rest

        def iterate() -> Any:
            state, told = self._iterate(FusedState(box[0], self.play, self.key))
            box[0], self.play, self.key = state.agent, state.play, state.key
            return state, told

        seconds = {
            "environment": environment,
            "inference": inference,
            "update": seconds_of(update),
            "transfer": 0.0,  # nothing leaves the device
            WHOLE: seconds_of(iterate),
        }
        return box[0], seconds

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    # --- the parts --------------------------------------------------------------------------

    def environment(
        self, states: Any, actions: jax.Array, key: jax.Array
    ) -> tuple[Any, View, Outcome]:
        """Step through a roll-out with actions `[T, L]`; return states, views and outcomes."""

        def step(states: Any, row: Any) -> Any:
            action, key = row
            _, k_step = jax.random.split(key)
            states, view, outcome = self.fused.lanes.step(
                k_step, states, self.ppo.for_environment(action)
            )
            return states, (view, outcome)

        states, (views, outcomes) = lax.scan(step, states, (actions, self._keys(key)))
        return states, views, outcomes

    def inference(
        self, agent: Agent, before: Play, views: View, outcomes: Outcome, after: Play, key: Any
    ) -> tuple[Any, Choice, jax.Array, jax.Array]:
        """Compute all that the network computes in a roll-out: choices and values."""

        def step(carry: Any, row: Any) -> Any:
            hidden, starts = carry
            view, outcome, key = row
            k_act, _ = jax.random.split(key)
            hidden, choice = self.ppo.act(agent, hidden, view, starts, k_act)
            bootstrap = self.fused.bootstrap(agent, hidden, outcome)
            done = outcome.terminated | outcome.truncated
            return (hidden, done), (choice, bootstrap)

        start = (before.hidden, before.starts)
        rows = (views, outcomes, self._keys(key))
        (hidden, starts), (choices, bootstraps) = lax.scan(step, start, rows)
        last_value = self.ppo.value(agent, hidden, after.view.obs, starts)
        return hidden, choices, bootstraps, last_value

    def update(
        self, agent: Agent, before: Play, rows: Rollout, last_value: jax.Array, key: jax.Array
    ) -> tuple[Agent, Running, Finished, dict]:
        """Update the agent with a roll-out; episodes are counted here, as in the host loop."""

        def step(carry: Any, row: Any) -> Any:
            running, finished = carry
            reward, done = row
            running, ended, discounted = count(
                running, reward, done, self.ppo.config.gamma, self.fused.lanes.players
            )
            return (running, finished + ended), discounted

        start = (before.running, Finished.none())
        (running, finished), discounted = lax.scan(step, start, (rows.reward, rows.done))
        rollout = replace(rows, discounted=discounted)
        agent, losses = self.ppo.learn(agent, before.hidden, rollout, last_value, key)
        return agent, running, finished, losses

    # --- a roll-out to work on --------------------------------------------------------------

    def record(self, agent: Agent) -> Recorded:
        """Record a roll-out as the fused iteration plays it."""
        before = jax.tree.map(jnp.copy, self.play)  # the original is used up by iterations
        after, rows, _ = jax.jit(self.fused.collect)(agent, before, self.k_play)
        *_, outcomes = self._environment(before.states, rows.choice.action, self.k_play)
        *_, last_value = self._inference(agent, before, rows.view, outcomes, after, self.k_play)
        return Recorded(before, after, rows, outcomes, last_value)

    def _keys(self, key: jax.Array) -> jax.Array:
        """Make one key for each step, as `Fused.collect` does."""
        return jax.random.split(key, self.ppo.config.rollout)


class HostParts:
    """An iteration of the host loop with a stopwatch beside it."""

    def __init__(self, host: Host) -> None:
        self.host, self.ppo = host, host.ppo
        lanes = host.lanes.num_envs
        self.state = HostState(
            None,  # type: ignore[arg-type]  # the agent is passed in
            jnp.ones(lanes, bool),
            host.ppo.first_hidden(lanes),
            Running.none(lanes),
            jax.random.key(SEED),
        )
        self.state = host.restarted(self.state, SEED, 0)

    def measure(self, agent: Agent) -> tuple[Agent, Seconds]:
        """Time the parts of some iterations, and whole iterations with the stopwatch on."""
        watch = Timer()
        box = [replace(self.state, agent=agent)]

        def iterate() -> Any:
            watch.rounds += 1
            box[0], told = self.host.iterate(box[0], watch)
            return box[0], told

        whole = seconds_of(iterate)
        agent, self.state = box[0].agent, replace(box[0], agent=None)
        return agent, {**watch.of_one_round(), WHOLE: whole}

    def close(self) -> None:
        """Close the environments."""
        self.host.lanes.close()


class Timer(Stopwatch):
    """Adds up the seconds of each part."""

    def __init__(self) -> None:
        self.seconds: Seconds = {part: 0.0 for part in PARTS}
        self.rounds = 0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - began

    def settle(self, value: Any) -> Any:
        return jax.block_until_ready(value)

    def of_one_round(self) -> Seconds:
        """Return the mean over the rounds."""
        return {name: total / self.rounds for name, total in self.seconds.items()}


def seconds_of(call: Callable[[], Any]) -> float:
    """Return how long a call takes until its results exist; the mean of several if it is short."""
    began = time.perf_counter()
    rounds = 0
    while True:
        jax.block_until_ready(call())
        rounds += 1
        took = time.perf_counter() - began
        if took >= LONG_ENOUGH:
            return took / rounds
