"""The training loop of JAX environments: roll-out and update in one compiled program."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from envwright.core.pytree import pytree_dataclass
from envwright.train.episodes import Finished, Running, count
from envwright.train.jax_lanes import JaxLanes, Outcome
from envwright.train.ppo import PPO, Agent, Rollout, View


@pytree_dataclass
class Play:
    """The state of the lanes between two roll-outs."""

    states: Any
    view: View
    starts: jax.Array  # bool[L], the view is the first of an episode
    hidden: Any
    running: Running


@pytree_dataclass
class FusedState:
    """The whole state of a run: what is saved, and all that is needed to continue."""

    agent: Agent
    play: Play
    key: jax.Array


class Fused:
    """Trains one agent; `jax.vmap` over `init` and `iterate` trains several."""

    def __init__(self, ppo: PPO, lanes: JaxLanes) -> None:
        self.ppo, self.lanes = ppo, lanes

    def init(self, key: jax.Array) -> FusedState:
        """Make a new agent in new episodes."""
        k_agent, k_reset, k_run = jax.random.split(key, 3)
        states, view = self.lanes.reset(k_reset)
        lanes = self.lanes.lanes
        play = Play(
            states,
            view,
            jnp.ones(lanes, bool),
            self.ppo.first_hidden(lanes),
            Running.none(lanes),
        )
        return FusedState(self.ppo.init(k_agent), play, k_run)

    def iterate(self, state: FusedState) -> tuple[FusedState, tuple[Finished, dict]]:
        """Do one update: collect a roll-out and learn from it."""
        key, k_play, k_learn = jax.random.split(state.key, 3)
        agent, before = state.agent, state.play
        play, rollout, finished = self.collect(agent, before, k_play)
        last_value = self.ppo.value(agent, play.hidden, play.view.obs, play.starts)
        agent, losses = self.ppo.learn(agent, before.hidden, rollout, last_value, k_learn)
        return FusedState(agent, play, key), (finished, losses)

    def collect(self, agent: Agent, play: Play, key: jax.Array) -> tuple[Play, Rollout, Finished]:
        """Continue play for the length of a roll-out."""

        def step(carry: tuple[Play, Finished], key: jax.Array) -> Any:
            play, finished = carry
            k_act, k_step = jax.random.split(key)
            hidden, choice = self.ppo.act(agent, play.hidden, play.view, play.starts, k_act)
            action = self.ppo.for_environment(choice.action)
            states, view, outcome = self.lanes.step(k_step, play.states, action)
            done = outcome.terminated | outcome.truncated
            running, ended, discounted = count(
                play.running, outcome.reward, done, self.ppo.config.gamma, self.lanes.players
            )
            row = Rollout(
                play.view,
                choice,
                play.starts,
                outcome.reward,
                done,
                self.bootstrap(agent, hidden, outcome),
                discounted,
            )
            return (Play(states, view, done, hidden, running), finished + ended), row

        keys = jax.random.split(key, self.ppo.config.rollout)
        (play, finished), rollout = lax.scan(step, (play, Finished.none()), keys)
        return play, rollout, finished

    def bootstrap(self, agent: Agent, hidden: Any, outcome: Outcome) -> jax.Array:
        """Return the value that truncations cut off, float32[L]; computed only if there are any."""

        def look(_: None) -> jax.Array:
            going_on = jnp.zeros_like(outcome.truncated)
            value = self.ppo.value(agent, hidden, outcome.final_obs, going_on)
            return jnp.where(outcome.truncated, value, 0.0)

        def skip(_: None) -> jax.Array:
            return jnp.zeros_like(outcome.reward)

        return lax.cond(jnp.any(outcome.truncated), look, skip, None)


def run_chunk(iterate: Any, state: FusedState, updates: int) -> Any:
    """Scan `iterate`; metrics are summed on the way, so that memory stays constant."""

    def body(carry: Any, _: None) -> Any:
        state, told = carry
        state, metrics = iterate(state)
        return (state, jax.tree.map(jnp.add, told, metrics)), None

    nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(iterate, state)[1])
    (state, (finished, losses)), _ = lax.scan(body, (state, nothing), length=updates)
    return state, (finished, jax.tree.map(lambda x: x / updates, losses))
