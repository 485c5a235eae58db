"""An environment under check: its compiled programs, its recorded runs, its differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Env, Step
from envwright.core.pytree import named_leaves
from envwright.core.spaces import Discrete
from envwright.core.wrappers import Wrapper

STARTS = 32  # fresh starts drawn to learn what a start looks like


@dataclass
class Play:
    """A recorded run of all lanes: element t of each list is a batch `[L, …]`."""

    states: list[Any] = field(default_factory=list)  # T + 1
    keys: list[jax.Array] = field(default_factory=list)
    actions: list[Any] = field(default_factory=list)
    turns: list[dict[str, Any]] = field(default_factory=list)  # masks, movers, views
    steps: list[Step] = field(default_factory=list)
    first_obs: Any = None

    def given(self, t: int, lane: int) -> tuple[tuple[Any, Any, Any], Step]:
        """Return the inputs of a lane at a step (key, state, action), and the outcome."""
        given = self.keys[t], self.states[t], self.actions[t]
        return at(given, lane), at(self.steps[t], lane)

    def ended(self) -> list[tuple[int, int]]:
        """Yield step and lane of every end."""
        done = np.stack([np.asarray(s.terminated) | np.asarray(s.truncated) for s in self.steps])
        return [(int(t), int(lane)) for t, lane in np.argwhere(done)]


class Subject:
    """The environment under check with its compiled programs and recorded runs."""

    def __init__(
        self, env: Env, params: Any, steps: int, lanes: int, eager: int, seed: int, ulps: float
    ) -> None:
        self.env, self.params = env, params
        self.length, self.lanes, self.eager, self.ulps = steps, lanes, eager, ulps
        self.seed, self.numbers = seed, np.random.default_rng(seed)
        self.key = self.draw_keys()[0]
        self.worst_ulps = 0.0
        self.traces = 0
        self.many_reset = jax.jit(jax.vmap(lambda key: env.reset(key, params)))
        self.many_step = jax.jit(
            jax.vmap(lambda key, state, action: env.step(key, state, action, params))
        )
        self.one_step = jax.jit(self._traced_step)
        self.turn = jax.jit(jax.vmap(self._turn))

    @property
    def explicit(self) -> Any:
        """Parameters to pass explicitly: those given, or the default ones."""
        return self.env.default_params if self.params is None else self.params

    @property
    def batches(self) -> bool:
        """Whether the environment has batch functions of its own."""
        kind = type(self.env)
        return (kind.step_batch, kind.reset_batch) != (Env.step_batch, Env.reset_batch)

    @cached_property
    def avals(self) -> list[tuple[Any, Any]]:
        """The shapes that reset and step return: with the usual and with traced parameters."""
        return [self.trace(self.params), self.trace(self.explicit)]

    @cached_property
    def play(self) -> Play:
        """A run of `reset` and `step`, lane by lane."""
        return self.record(self.many_reset, self.many_step)

    @cached_property
    def batch_play(self) -> Play:
        """A run of `reset_batch` and `step_batch`."""
        if not self.batches:
            return self.play
        env, params = self.env, self.params
        reset = jax.jit(lambda keys: env.reset_batch(keys, params))
        return self.record(reset, jax.jit(lambda k, s, a: env.step_batch(k, s, a, params)))

    @cached_property
    def eager_steps(self) -> list[tuple[int, int, Step, Step]]:
        """Step, lane, and both outcomes, compiled and eager; one where an episode ended."""
        where = [*self.play.ended()[:1], *((t, 0) for t in range(self.length))][: self.eager]
        given = [self.play.given(t, lane) for t, lane in where]
        return [
            (t, lane, after, self.step_eagerly(before))
            for (t, lane), (before, after) in zip(where, given, strict=True)
        ]

    @cached_property
    def starts(self) -> list[dict[str, np.ndarray]]:
        """The leaves of fresh starts."""
        rounds = range(-(-STARTS // self.lanes))
        fresh = [self.bare(self.many_reset(self.draw_keys())[1]) for _ in rounds]
        return [lane_of(batch, i) for batch in map(named_leaves, fresh) for i in range(self.lanes)]

    @cached_property
    def scales(self) -> dict[str, float]:
        """The largest finite magnitude of each float leaf of a step."""
        scales: dict[str, float] = {}
        for step in self.play.steps:
            for name, leaf in named_leaves(step).items():
                if is_float(leaf):
                    size = np.abs(leaf[np.isfinite(leaf)].astype(np.float64))
                    scales[name] = max(scales.get(name, 0.0), size.max(initial=0.0))
        return scales

    def trace(self, params: Any) -> tuple[Any, Any]:
        """Return the shapes that reset and step return."""
        reset = jax.eval_shape(self.env.reset, self.key, params)
        jax.eval_shape(self._turn, self.key, reset[1])
        sampled = jax.eval_shape(self.env.action_space(self.explicit).sample, self.key)
        movers = (self.env.num_players,) if self.env.simultaneous else ()
        action = jax.tree.map(lambda a: jax.ShapeDtypeStruct(movers + a.shape, a.dtype), sampled)
        return reset, jax.eval_shape(self.env.step, self.key, reset[1], action, params)

    def some_steps(self, every: int) -> Iterator[tuple[int, int, Any, Step]]:
        """Choose some steps at even distances, and all those at which an episode ended."""
        regular = {(t, i) for t in range(0, self.length, every) for i in range(self.lanes)}
        for t, lane in sorted(regular | set(self.play.ended())):
            yield t, lane, *self.play.given(t, lane)

    def step_compiled(self, given: tuple[Any, Any, Any]) -> Step:
        """Take one step of one lane by the compiled program."""
        return self.one_step(*given, self.params)

    def step_eagerly(self, given: tuple[Any, Any, Any]) -> Step:
        """Take one step, operation by operation."""
        key, state, action = jax.tree.map(jnp.asarray, given)
        return self.env.step(key, state, action, self.params)

    def draw_keys(self, numbers: np.random.Generator | None = None) -> jax.Array:
        """Make a key for every lane from random words, without compiling a program."""
        words = jax.random.key_data(jax.random.key(0)).shape
        drawn = (numbers or self.numbers).integers(
            2**32, size=(self.lanes, *words), dtype=np.uint32
        )
        return jax.random.wrap_key_data(jnp.asarray(drawn))

    def bare(self, state: Any) -> Any:
        """The state under all wrappers."""
        env = self.env
        while isinstance(env, Wrapper):
            env, state = env.env, env.inner(state)
        return state

    def difference(self, a: Any, b: Any, ulps: float | None = None) -> str:
        """Return where two steps first differ by more than is allowed, or nothing.

        Integers and bools must be equal; floats may differ by `ulps` units in the last
        place of the leaf's largest value (near zero its own would mean nothing).
        """
        allowed = self.ulps if ulps is None else ulps
        ours, theirs = named_leaves(a), named_leaves(b)
        if ours.keys() != theirs.keys():
            return f"the leaves differ: {', '.join(sorted(ours.keys() ^ theirs.keys()))}"
        for name, x in ours.items():
            y = theirs[name]
            if (x.shape, x.dtype) != (y.shape, y.dtype):
                return f"{name} is {x.dtype}{list(x.shape)} or {y.dtype}{list(y.shape)}"
            apart = ulps_apart(x, y, self.scales.get(name, 0.0))
            if apart > allowed:
                return f"{name} is {short(x)} or {short(y)}, {apart:.3g} ulps apart"
            self.worst_ulps = max(self.worst_ulps, apart)
        return ""

    def _traced_step(self, key: Any, state: Any, action: Any, params: Any) -> Step:
        self.traces += 1
        return self.env.step(key, state, action, params)

    def _turn(self, key: jax.Array, state: Any) -> dict[str, Any]:
        """Return masks, movers and views before an action."""
        env, players = self.env, range(self.env.num_players)
        turn: dict[str, Any] = {"shown": env.view(state)}
        turn["views"] = [env.observe(state, player) for player in players]
        if env.num_players > 1 and not env.simultaneous:
            turn["mover"] = env.current_player(state)
        space = env.action_space(self.explicit)
        if not isinstance(space, Discrete):
            return turn | {"action": space.sample(key)}
        who = list(players) if env.simultaneous else [turn.get("mover", 0)]
        return turn | {"masks": jnp.stack([env.legal_actions(state, player) for player in who])}

    def _pick(self, numbers: np.random.Generator, turn: dict[str, Any]) -> Any:
        """Choose an action for every lane: sampled, or random among the legal ones."""
        if "action" in turn:
            return turn["action"]
        masks = turn["masks"]  # [L, movers, A]
        favour = np.where(masks, numbers.random(masks.shape), -1.0)
        space: Any = self.env.action_space(self.explicit)
        picked = (space.start + favour.argmax(axis=-1)).astype(Discrete.dtype)
        return picked if self.env.simultaneous else picked[:, 0]

    def record(self, reset: Callable[..., Any], step: Callable[..., Any]) -> Play:
        """Record all lanes under random legal actions, with the same keys in every call."""
        play, numbers = Play(), np.random.default_rng(self.seed)
        play.first_obs, states = reset(self.draw_keys(numbers))
        play.states.append(on_host(states))
        for _ in range(self.length):
            turn = on_host(self.turn(self.draw_keys(numbers), states))
            keys, actions = self.draw_keys(numbers), self._pick(numbers, turn)
            after = step(keys, states, actions)
            states, after = after.state, on_host(after)
            play.turns.append(turn)
            play.keys.append(keys)
            play.actions.append(actions)
            play.steps.append(after)
            play.states.append(after.state)
        return play


# --- trees --------------------------------------------------------------------------------


def on_host(tree: Any) -> Any:
    """Move the leaves to NumPy, which is quick to index; typed keys stay as they are."""
    is_key = lambda x: jnp.issubdtype(x.dtype, jax.dtypes.prng_key)  # noqa: E731
    return jax.tree.map(lambda x: x if is_key(x) else np.asarray(x), tree)


def at(tree: Any, lane: int) -> Any:
    return jax.tree.map(lambda x: x[lane], tree)


def lane_of(leaves: dict[str, np.ndarray], lane: int) -> dict[str, np.ndarray]:
    return {name: leaf[lane] for name, leaf in leaves.items()}


def paths(tree: Any) -> dict[str, Any]:
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    named = jax.tree_util.keystr
    return {named(path, simple=True, separator="."): leaf for path, leaf in leaves}


def described(tree: Any) -> dict[str, str]:
    """Return dtype and shape of each leaf by its dotted path."""
    avals = jax.eval_shape(lambda: tree) if not is_abstract(tree) else tree
    return {name: f"{x.dtype}{list(x.shape)}" for name, x in paths(avals).items()}


def is_abstract(tree: Any) -> bool:
    return all(isinstance(x, jax.ShapeDtypeStruct) for x in jax.tree.leaves(tree))


def is_float(leaf: np.ndarray) -> bool:
    return bool(jnp.issubdtype(leaf.dtype, jnp.floating))


def ulps_apart(a: np.ndarray, b: np.ndarray, scale: float) -> float:
    """Return the largest difference, in units in the last place of `scale` or the larger value."""
    if not is_float(a):
        return 0.0 if np.array_equal(a, b) else np.inf
    dtype, (a, b) = a.dtype, (np.asarray(v, np.float64) for v in (a, b))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    sizes = np.maximum(np.maximum(np.abs(a), np.abs(b)), max(scale, float(jnp.finfo(dtype).tiny)))
    unit = float(jnp.finfo(dtype).eps) * 2.0 ** np.floor(np.log2(sizes))
    apart = np.where(same, 0.0, np.abs(a - b) / unit)
    return float(np.where(np.isnan(apart), np.inf, apart).max())


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.tobytes() == b.tobytes()


def fingerprint(leaves: dict[str, np.ndarray]) -> bytes:
    return b"".join(leaf.tobytes() for leaf in leaves.values())


def short(value: Any) -> str:
    text = " ".join(str(jax.tree.map(np.asarray, value)).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
