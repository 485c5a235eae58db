"""The tracer: import the code and turn its functions into programs.

The only process of a server that runs its author's Python. What it answers is not believed: the
runner checks every program.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import wrappers
from envwright.core.env import Env
from envwright.core.pytree import leaf_names
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name
from envwright.sim.encoding import describe_space
from envwright.sim.functional import Game, episode_of, game_of, table_of
from envwright.sim.program.elsewhere import elsewhere
from envwright.sim.program.exported import ExportedProgram, export_program
from envwright.sim.program.purity import fingerprint
from envwright.sim.program.trace_watch import TraceWatch, unseen
from envwright.sim.program.wire import Gone, Wire
from envwright.sim.race import played
from envwright.sim.serve import told

T = TypeVar("T")
CALL, RACE = "call:", "race:"
QUESTION = 1 << 20  # values of a question: the shapes of a program's arguments
# What follows from the game, or decides how it is trained; own versions would go unverified.
GIVEN = (
    *("advance", "reset", "reset_env", "step", "step_env", "view"),
    *("current_player", "legal_actions"),
)
BATCHES = ("reset_batch", "step_batch")  # allowed only where a race compares them with single steps


class Tracer:
    """Answers the runner's requests about one environment, or about functions only."""

    def __init__(self, name: str, package: str, own_batches: bool, restarts: bool) -> None:
        self._name, self._package = name, package
        self._given = GIVEN if own_batches else GIVEN + BATCHES
        self._restarts = restarts
        self._x64 = False
        self._harness = _harness()  # before the code is imported
        self._watch = TraceWatch(package)

    def serve(self, wire: Wire) -> None:
        """Answer until the runner is gone."""
        self._watch.watch()
        gc.freeze()  # what is here before the code is imported need not be searched again
        while True:
            try:
                asked, _ = wire.receive(QUESTION)
            except Gone:
                return
            try:
                answer, payload = getattr(self, "on_" + asked.pop("op"))(**asked)
            except Exception as error:
                answer, payload = {"error": told(error)}, b""
            wire.send(answer, payload)

    # --- requests ------------------------------------------------------------------------------

    def on_about(self) -> tuple[dict[str, Any], bytes]:
        """Describe the environment."""
        env = self._env
        with jax.enable_x64(self._x64):
            action = describe_space(env.action_space().to_gymnasium())
            observation = describe_space(env.observation_space().to_gymnasium())
        names = leaf_names(self._start)
        spaces = {"action": action, "observation": observation}
        return {**spaces, "state": names, "x64": self._x64}, b""

    def on_names(self, module: str) -> tuple[dict[str, Any], bytes]:
        """List what a module has."""
        return {"names": sorted(vars(importlib.import_module(module)))}, b""

    def on_program(
        self, name: str, skeleton: Any, specs: list[Any]
    ) -> tuple[dict[str, Any], bytes]:
        """Trace a function for arguments of these shapes.

        The skeleton holds the arguments' positions among the arrays.
        """
        function, x64 = self._function(name)
        positions, tree = jax.tree.flatten(skeleton)
        given = [jax.ShapeDtypeStruct(axes, dtype, weak_type=weak) for axes, dtype, weak in specs]

        def traced() -> tuple[Any, ExportedProgram]:
            shape: list[Any] = []

            def flat(*arrays: Any) -> tuple[Any, ...]:
                results = function(*jax.tree.unflatten(tree, [arrays[i] for i in positions]))
                leaves, out = jax.tree.flatten(results)
                shape[:] = [jax.tree.unflatten(out, range(len(leaves)))]
                return tuple(map(jnp.asarray, leaves))

            with jax.enable_x64(x64):
                return shape, export_program(flat, given, name.removeprefix(CALL))

        held = () if name.startswith(CALL) else (self._env, self._start)
        (shape,), program = self._purely(traced, *held)
        return {"skeleton": shape, **program.header()}, program.module

    def on_profile(self, lanes: int) -> tuple[dict[str, Any], bytes]:
        """Describe where the time of a run of many lanes goes."""
        from envwright.sim.profile import profile

        with jax.enable_x64(self._x64):
            return {"text": profile(self._env, lanes)}, b""

    def on_elsewhere(self, seed: int) -> tuple[dict[str, Any], bytes]:
        """Report whether the code does something else where it is not verified."""
        env, single = self._env, None  # sets x64
        if self._x64:
            name = parse_name(self._name)
            with jax.enable_x64(False):
                single = load_attribute(name.target)(**{**name.options, "dtype": "float32"})
        return {"text": elsewhere(env, single, self._x64, seed)}, b""

    def on_loaded(self) -> tuple[dict[str, Any], bytes]:
        """List the modules that are loaded, with their files."""
        files = {n: getattr(m, "__file__", None) for n, m in list(sys.modules.items())}
        return {"modules": {n: f if isinstance(f, str) else "" for n, f in files.items()}}, b""

    # --- functions of arrays ------------------------------------------------------------------

    @cached_property
    def _env(self) -> Env:
        name = parse_name(self._name)
        target, options = name.target, name.options
        self._x64 = options.get("dtype") == "float64"
        made = load_attribute(target)
        if callable(made) and not isinstance(made, Env):
            env = self._made_alike(made, target, options)
        else:
            env = made
        if not isinstance(env, Env):
            kind = type(env).__name__
            raise EnvwrightError(f"{target} is a {kind}, not an envwright.core.env.Env")
        _require_given(env, self._given, self._restarts)
        _require_unchanged(self._harness)
        return env

    @cached_property
    def _game(self) -> Game:
        return game_of(self._env)

    @cached_property
    def _start(self) -> Any:
        """The shapes of a state."""

        def start() -> Any:
            # A new function each time: JAX traces one only once.
            reset = self._game.reset
            return jax.eval_shape(lambda key: reset(key), jax.random.key(0))[1]

        with jax.enable_x64(self._x64):
            return self._purely(start, self._env)

    def _made_alike(self, made: Callable[..., Any], target: str, options: dict[str, Any]) -> Any:
        """Return an environment like the one made before; the first may fill caches."""
        former = ""
        for _ in range(3):
            env = made(**options)
            now = fingerprint(self._package, env)
            if now == former:
                return env
            former = now
        raise EnvwrightError(
            f"{target} makes another environment the second time; "
            "a translation keeps nothing between two calls"
        )

    def _purely(self, trace: Callable[[], T], *held: Any) -> T:
        """Return what `trace` returns. Raises if that depends on what the code keeps.

        What the code computes only once, such as a table in a cache, may be new the first time.
        """
        before, former = fingerprint(self._package, *held), None
        for _ in range(3):
            self._watch.begin()
            with unseen():
                traced = trace()
            after = fingerprint(self._package, *held)
            if after == before and (former is None or traced == former):
                break
            before, former = after, traced
        else:
            raise EnvwrightError(
                "tracing changes the code's own variables; a translation is pure functions"
            )
        if self._watch.found:
            raise EnvwrightError(f"the code {self._watch.found}, which a translation may not")
        return traced

    def _function(self, name: str) -> tuple[Callable[..., Any], bool]:
        """Return a function of plain arrays, and whether it computes with 64 bits."""
        if name.startswith(CALL):
            found = load_attribute(name.removeprefix(CALL))
            return jax.vmap(found), True
        env, game = self._env, self._game  # sets x64
        if name.startswith(RACE):
            play, _ = played(env, int(name.removeprefix(RACE)))
            return self._raced(play), self._x64
        return getattr(self, "_" + name)(game), self._x64

    def _raced(self, play: Callable[..., Any]) -> Callable[..., Any]:
        def run(key: Any, bank: Any, steps: Any) -> dict[str, Any]:
            before, action, step = play(jax.random.wrap_key_data(key), bank, steps)
            return {
                "before": self._fields(before),
                "action": action,
                "reward": step.reward,
                "terminated": step.terminated,
                "truncated": step.truncated,
                "final_obs": plain(step.info["final_observation"]),
                "after": self._fields(step.state),
            }

        return run

    def _reset(self, game: Game) -> Callable[..., Any]:
        def reset(key: Any) -> Any:
            obs, state = game.reset(jax.random.wrap_key_data(key))
            return plain(obs), self._fields(state)

        return reset

    def _reset_many(self, game: Game) -> Callable[..., Any]:
        return jax.vmap(self._reset(game))

    def _observe(self, game: Game) -> Callable[..., Any]:
        return lambda fields: plain(game.observe(self._state(fields)))

    def _advance(self, game: Game) -> Callable[..., Any]:
        return _of_words(self._keyed(game))

    def _keyed(self, game: Game) -> Callable[..., Any]:
        def advance(key: Any, fields: Any, action: Any) -> Any:
            return self._outcome(game.advance(key, self._state(fields), action))

        return advance

    def _next(self, game: Game) -> Callable[..., Any]:
        def step(key: Any, time: Any, fields: Any, action: Any) -> Any:
            now = jax.random.fold_in(jax.random.wrap_key_data(key), time)
            return self._outcome(game.advance(now, self._state(fields), action))

        return step

    def _advance_many(self, game: Game) -> Callable[..., Any]:
        return _of_words(table_of(jax.vmap(self._keyed(game))))

    def _advance_keys(self, game: Game) -> Callable[..., Any]:
        return jax.vmap(self._advance(game), (0, None, None))

    def _run_many(self, game: Game) -> Callable[..., Any]:
        return _of_words(table_of(jax.vmap(episode_of(self._keyed(game)))))

    def _start_with(self, game: Game) -> Callable[..., Any]:
        return lambda noise: self._fields(game.start_with(noise))

    def _advance_with(self, game: Game) -> Callable[..., Any]:
        def advance(fields: Any, action: Any, noise: Any) -> Any:
            return self._outcome(game.advance_with(self._state(fields), action, noise))

        return advance

    # --- plain data ----------------------------------------------------------------------------

    def _outcome(self, result: tuple[Any, ...]) -> tuple[Any, ...]:
        obs, state, *rest = result
        return plain(obs), self._fields(state), *rest

    def _fields(self, state: Any) -> dict[str, Any]:
        leaves, tree = jax.tree.flatten(state)
        if tree != jax.tree.structure(self._start):
            raise EnvwrightError("a step gives a state with other fields than a start")
        words = [jax.random.key_data(x) if _is_key(x) else x for x in leaves]
        return dict(zip(leaf_names(self._start), words, strict=True))

    def _state(self, fields: dict[str, Any]) -> Any:
        like, tree = jax.tree.flatten(self._start)
        words = [fields[name] for name in leaf_names(self._start)]
        pairs = zip(words, like, strict=True)
        leaves = [
            jax.random.wrap_key_data(word, impl=jax.random.key_impl(x)) if _is_key(x) else word
            for word, x in pairs
        ]
        return jax.tree.unflatten(tree, leaves)


def _require_given(env: Env, given: tuple[str, ...], restarts: bool) -> None:
    """Raise if an environment, or one inside it, has its own version of what is given.

    With `restarts`, it must begin anew by itself where an episode terminates.
    """
    ours = (Env, *vars(wrappers).values())
    each: Any = env
    while isinstance(each, Env):
        written = [cls for cls in type(each).__mro__ if cls not in ours]
        held = {*vars(each), *(name for cls in written for name in vars(cls))}
        own = [name for name in given if name in held]
        is_wrapper = isinstance(each, wrappers.Wrapper)
        own += ["wrapper"] if is_wrapper and type(each) not in ours else []
        if own:
            raise EnvwrightError(
                f"{type(each).__name__} has its own {own[0]!r}, which would not be verified; "
                "write transition, start and observe, from which it follows"
            )
        if each.restarts is not restarts:
            does = "restarts by itself, which" if each.restarts else "does not restart, which"
            raise EnvwrightError(
                f"{type(each).__name__} {does} is not what [target] of the specification says; "
                f"set the class attribute `restarts = {restarts}`"
            )
        if each.num_players != 1:
            raise EnvwrightError(
                f"{type(each).__name__} has several players, which would not be verified; leave "
                "`num_players` as it is"
            )
        each = vars(each)["env"] if is_wrapper else None


def _harness() -> dict[str, Any]:
    """Return what the harness's modules hold by name, and what their classes have."""
    held: dict[str, Any] = {}
    for module in [m for n, m in sys.modules.items() if n.startswith("envwright.core.")]:
        for name, value in vars(module).items():
            held[f"{module.__name__}.{name}"] = value
            if isinstance(value, type) and value.__module__ == module.__name__:
                fields = {k: v for k, v in vars(value).items() if k != "__annotations__"}
                held |= {f"{module.__name__}.{name}.{k}": v for k, v in fields.items()}
                held[f"what {module.__name__}.{name} has"] = len(fields)
    return held


def _require_unchanged(harness: dict[str, Any]) -> None:
    """Raise if importing the code has changed the harness, which training also uses."""
    now = _harness()
    for name, value in harness.items():
        if now.get(name) is not value:
            raise EnvwrightError(f"importing the code has changed {name}, which is not its own")


def plain(value: Any) -> Any:
    """Return an observation as an array, or as arrays by name."""
    leaves = jax.tree.leaves(value)
    if len(leaves) == 1 and leaves[0] is value:
        return value
    if isinstance(value, tuple) and not hasattr(value, "_fields") and _is_vector(value):
        return jnp.stack(list(map(jnp.asarray, value)))
    paths, _ = jax.tree.flatten_with_path(value, is_leaf=lambda x: x is not value)
    return {jax.tree_util.keystr(path, simple=True): plain(part) for path, part in paths}


def _is_vector(value: tuple[Any, ...]) -> bool:
    scalars = all(np.ndim(x) == 0 and not isinstance(x, tuple | list | dict) for x in value)
    return len(value) > 1 and scalars and all(jnp.result_type(x).kind != "b" for x in value)


def _of_words(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a key's words instead of a key."""
    return lambda words, *rest: function(jax.random.wrap_key_data(words), *rest)


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(leaf), jax.dtypes.prng_key)
