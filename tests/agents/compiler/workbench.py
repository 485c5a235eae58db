"""Compile a class in the test, and play it beside the reference on the reference's own draws."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np

from envwright.agents.compiler.compile import Compiled
from envwright.agents.compiler.emit.goldens import Goldens
from envwright.agents.compiler.emit.modules import Writer
from envwright.agents.compiler.facts import watch
from envwright.agents.compiler.interpreter.world import Channel
from envwright.agents.compiler.job import Job
from envwright.core.bridge import SameNames
from envwright.core.pytree import named_leaves, with_leaves
from envwright.schema.translation import Module
from envwright.sim.actions import draw_action
from envwright.sim.functional import taken_by
from envwright.sim.gymnasium_env import GymnasiumSimulator
from envwright.sim.records import flatten, is_over
from envwright.translate.allowed import forbidden
from envwright.translate.proposal.noise import channels

ENV = Module("env", "env.py")


def compiled(cls, folder, places=None, step=(), start=None, kept=None, **options):
    """The module that the compiler writes for a class, and the open reference.

    `kept` are options of the constructor that the translation has too.
    """
    simulator = GymnasiumSimulator(cls(**options), cls.__name__)
    job = Job(cls.__name__, f"fast_{cls.__name__.lower()}", "Fast", "fast", 1, (ENV,), folder)
    job = replace(job, options=kept or {})
    layout = {"places": places or {}, "step": list(step), "start": start}
    facts = watch(job, simulator, **layout)
    return Writer(Compiled(facts)).file(ENV, Goldens(folder)), simulator


def imported(texts, package, folder):
    """The last of some modules, imported."""
    root = Path(folder) / "src" / package
    root.mkdir(parents=True)
    (root / "__init__.py").write_text("")
    for name, text in texts.items():
        (root / name).write_text(text)
    assert forbidden(root, package) == []
    sys.path.insert(0, str(root.parent))
    importlib.invalidate_caches()
    try:
        return importlib.import_module(f"{package}.{Path(list(texts)[-1]).stem}")
    finally:
        sys.path.remove(str(root.parent))
        for name in [n for n in sys.modules if n.partition(".")[0] == package]:
            del sys.modules[name]


def integers(places):
    """The channel of single whole numbers."""
    return Channel("integers", "integers", (), "i", places)


def noise_of(draws, channels):
    """The reference's draws in arrays of a fixed length."""
    found = {}
    for channel in channels:
        dtype = {"f": np.float64, "i": np.int64}[channel.kind]
        values = [
            d.value
            for d in draws
            if d.method == channel.method and np.shape(d.value) == channel.shape
        ]
        found[channel.name] = np.zeros((channel.places, *channel.shape), dtype)
        found[channel.name][: len(values)] = values
    return found


def differences(env, simulator, bridge=None, channels=(), episodes=12, steps=25, seed=0):
    """Every field of every step in float64, teacher-forced, that is not exactly equal."""
    bridge, rng, found = bridge or SameNames(), np.random.default_rng(seed), []
    params, space = env.default_params, env.action_space()
    with jax.enable_x64(True):
        key = jax.random.key(0)
        template = jax.tree.map(np.asarray, env.start(env.draw_start(key, params), params))
        step = jax.jit(lambda s, a, n: env.transition(s, a, n, params))
        look, late = jax.jit(env.observe), jax.jit(lambda s: env.time_is_up(s, params))
        for episode in range(episodes):
            simulator.reset(seed + episode)
            for t in range(steps):
                before = with_leaves(template, bridge.to_twin(simulator.state()))
                action = draw_action(rng, simulator.action_space)
                record = simulator.step(action)
                made = noise_of(simulator.draws(), channels)
                taken = taken_by(space, np.asarray(action))
                after, reward, terminated, _ = step(before, taken, made)
                ours = {
                    f"state.{k}": v for k, v in bridge.to_reference(named_leaves(after)).items()
                }
                ours |= flatten("obs", jax.tree.map(np.asarray, look(after)))
                ours |= {"reward": np.asarray(reward), "terminated": np.asarray(terminated)}
                if not terminated:
                    ours["truncated"] = np.asarray(late(after))
                found += [
                    (episode, t, name, record[name], value)
                    for name, value in ours.items()
                    if name in record and not np.array_equal(record[name], value)
                ]
                if is_over(record):
                    break
    return found


# --- small games without a specification ---------------------------------------------------------


class AsPlaces(SameNames):
    """Lists that grow as places and a count."""

    def __init__(self, places, template):
        self.places, self.template = places, template

    def to_twin(self, state):
        twin = dict(state)
        for name, size in self.places.items():
            values, rest = np.asarray(state[name]), self.template[name].shape[1:]
            twin[name] = np.zeros((size, *rest), values.dtype)
            twin[name][: len(values)] = values.reshape(-1, *rest)
            twin[f"{name}_count"] = len(values)
        return twin

    def to_reference(self, state):
        counts = {f"{name}_count" for name in self.places}
        kept = {name: value for name, value in state.items() if name not in counts}
        for name in self.places:
            values = np.asarray(state[name])[: int(state[f"{name}_count"])]
            kept[name] = values if len(values) else np.zeros(0)
        return kept


def layout_of(simulator, episodes=6, steps=25):
    """The draws and the lists that grow, as a specification would lay them out."""
    rng, lengths = np.random.default_rng(1), {}
    starts, plays = [], []
    for episode in range(episodes):
        simulator.reset(episode)
        starts.append(simulator.draws())
        for _ in range(steps):
            record = simulator.step(draw_action(rng, simulator.action_space))
            plays.append(simulator.draws())
            for name, value in (simulator.state() if simulator.loads else {}).items():
                if value.ndim:
                    lengths.setdefault(name, set()).add(len(value))
            if is_over(record):
                break
    places = {name: 2 * max(found) + 8 for name, found in lengths.items() if len(found) > 1}
    return {"places": places, "step": channels_of(plays), "start": channels_of(starts)}


def channels_of(draws):
    """As many places as one reset or step drew, doubled."""
    return [Channel(c.name, c.method, c.shape, c.kind, 2 * max(c.counts)) for c in channels(draws)]


def unequal(game, folder):
    """Compile a game, and play it: what differs from the reference at starts and in steps."""
    simulator = GymnasiumSimulator(game(), game.__name__)
    layout = layout_of(simulator)
    text, simulator = compiled(game, folder, **layout)
    env = imported({"env.py": text}, f"fast_{game.__name__.lower()}", folder).Fast("float64")
    with jax.enable_x64(True):
        start = env.start(env.draw_start(jax.random.key(0), env.default_params), None)
    bridge = AsPlaces(layout["places"], named_leaves(start))
    found = differences(env, simulator, bridge, layout["step"], episodes=5, steps=20)
    return found + different_starts(env, simulator, bridge, layout["start"])


def different_starts(env, simulator, bridge, channels, seeds=range(5)):
    """Every field of the states that resets leave, that is not exactly equal."""
    found, params = [], env.default_params
    with jax.enable_x64(True):
        for seed in seeds:
            record = simulator.reset(seed)
            start = env.start(noise_of(simulator.draws(), channels), params)
            ours = bridge.to_reference(jax.tree.map(np.asarray, named_leaves(start)))
            ours = {f"state.{k}": v for k, v in ours.items()}
            ours |= flatten("obs", jax.tree.map(np.asarray, env.observe(start)))
            found += [
                (seed, "start", name, record[name], value)
                for name, value in ours.items()
                if name in record and not np.array_equal(record[name], value)
            ]
    return found
