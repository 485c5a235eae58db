"""Facts about the reference before interpretation: its object, state and draws."""

from __future__ import annotations

import copy
import runpy
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.changes import contents_of
from envwright.agents.compiler.interpreter.world import Channel
from envwright.agents.compiler.job import Job
from envwright.agents.compiler.trouble import Unsupported
from envwright.core.spaces import DiscreteTuple, from_gymnasium
from envwright.schema.names import UNWRAPPED, join_options, split_options
from envwright.sim.actions import draw_action
from envwright.sim.gymnasium_env import GymnasiumSimulator, wrappers_of
from envwright.sim.records import is_over
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator

EPISODES, STEPS = 4, 20
BRIDGE = "bridge.py"


@dataclass(frozen=True)
class Leaf:
    """A field of the translated state and where its value comes from."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    counts: str = ""  # the list whose length this is
    grows: bool = False  # places of a list

    @property
    def word(self) -> str:
        """`float` or `int32[3]`, for people."""
        kind = "float" if self.dtype.kind == "f" else kinds.word(self.dtype).removeprefix("jnp.")
        return f"{kind}[{', '.join(map(str, self.shape))}]"

    @property
    def made_as(self) -> str:
        """Dtype in the program."""
        return "dtype" if self.dtype.kind == "f" else kinds.word(self.dtype)


@dataclass
class Facts:
    """Facts about a reference."""

    job: Job
    simulator: GymnasiumSimulator
    env: gymnasium.Env
    examples: dict[str, Any] = field(default_factory=dict)  # attributes of the state, in a game
    begun: dict[str, Any] = field(default_factory=dict)  # the same, after a reset
    empty: set[str] = field(default_factory=set)  # attributes that are None after a reset
    start: list[Channel] | None = None  # None: free choice
    step: list[Channel] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, tuple[np.dtype, tuple[int, ...]]] = field(default_factory=dict)
    changing: set[str] = field(default_factory=set)  # attributes that ever change, state or not
    rows: dict[str, str] = field(default_factory=dict)  # what the elements of a list are
    observation: Any = None  # an example
    action: Any = None

    @property
    def time_limit(self) -> int | None:
        """Number of steps after which an episode is truncated."""
        return self.simulator.time_limit

    @property
    def acts_in_rows(self) -> bool:
        """Whether actions are tuples of whole numbers, which a translation takes as one array."""
        return isinstance(from_gymnasium(self.simulator.action_space), DiscreteTuple)

    def fields_of(self, dotted: str) -> str | tuple[str, ...] | None:
        """Return our fields for one of the reference's."""
        if dotted in self.job.pairs:
            return self.job.pairs[dotted]
        return dotted.replace(".", "_") if dotted in self.sizes else None

    def leaves(self) -> list[Leaf]:
        """The fields of the translated state, in order."""
        found: list[Leaf] = []
        for dotted, (dtype, shape) in self.sizes.items():
            ours = self.fields_of(dotted)
            if isinstance(ours, tuple):
                found += [Leaf(name, dtype, ()) for name in ours]
                continue
            assert ours is not None
            if dotted in self.places:
                found.append(Leaf(ours, dtype, (self.places[dotted], *shape[1:]), grows=True))
                found.append(Leaf(f"{ours}_count", np.dtype(np.int64), (), counts=ours))
            else:
                found.append(Leaf(ours, dtype, shape))
        return found


def gather_facts(job: Job) -> Facts:
    """Open the reference and play it for a while."""
    return watch(job, open_simulator(job.simulator))


def watch(job: Job, simulator: Simulator, **layout: Any) -> Facts:
    """Play an open reference. `layout` is what bridge.py would specify."""
    inside = simulator._env.unwrapped if isinstance(simulator, GymnasiumSimulator) else None
    if not isinstance(simulator, GymnasiumSimulator) or not isinstance(inside, gymnasium.Env):
        raise Unsupported(
            f"{job.simulator}, which is not a Gymnasium environment in Python",
            "name another agent",
        )
    env = inside
    wrappers = [name.partition(":")[2] for name in wrappers_of(simulator._env)]
    if wrappers:
        name = join_options(*_with(job.simulator, UNWRAPPED))
        raise Unsupported(
            f"the wrapper {wrappers[0]}, which may change the game",
            f"translate what is inside, {name}, and put {' and '.join(reversed(wrappers))} around "
            "the translation",
        )
    facts = Facts(job, simulator, env, **layout)
    if not layout:
        _read_bridge(facts)
    _play(facts)
    return facts


def _with(simulator: str, option: str) -> tuple[str, dict[str, Any]]:
    """Return the target and the options of a name, with one more."""
    target, options = split_options(simulator)
    return target, {**options, option: True}


def _read_bridge(facts: Facts) -> None:
    """Read the layout of noise and lists from the specification."""
    path = facts.job.folder / BRIDGE
    if not facts.job.bridged or not path.is_file():
        return
    known = runpy.run_path(str(path))
    facts.places = dict(known.get("PLACES", {}))
    if "START" in known:
        facts.start = _channels(known["START"])
        facts.step = _channels(known.get("STEP", {}))
    pairs = getattr(known.get("BRIDGE"), "pairs", None)
    if pairs:
        facts.job.pairs.update(pairs)


def _channels(layout: dict[str, tuple]) -> list[Channel]:
    return [
        Channel(name, method, tuple(shape), np.dtype(dtype).kind, places)
        for name, (method, places, shape, dtype) in layout.items()
    ]


def _play(facts: Facts) -> None:
    simulator, env = facts.simulator, facts.env
    rng = np.random.default_rng(0)
    held: dict[str, Any] = {}
    for episode in range(EPISODES):
        simulator.reset(episode)
        _note_changes(facts, held)
        facts.empty |= {name for name, value in vars(env).items() if value is None}
        facts.begun = {name: copy.deepcopy(vars(env)[name]) for name in simulator._names}
        for _ in range(STEPS):
            action = draw_action(rng, simulator.action_space)
            facts.action = simulator._legal(action)
            record = simulator.step(action)
            _measure(facts)
            _note_changes(facts, held)
            facts.observation = _observed(record)
            if is_over(record):
                break
    _settle(facts)


def _measure(facts: Facts) -> None:
    for name in facts.simulator._names:
        facts.examples[name] = copy.deepcopy(vars(facts.env)[name])
        _note_rows(facts, name)
    if not facts.simulator.loads:
        return
    for name, value in facts.simulator.state().items():
        dtype, shape = facts.sizes.get(name, (value.dtype, value.shape))
        # An empty list does not show what its elements are.
        now = value.shape if value.ndim == len(shape) else max(shape, value.shape, key=len)
        shape = shape if value.ndim == len(shape) else now
        longest = tuple(map(max, zip(shape, now, strict=True)))
        facts.sizes[name] = (np.result_type(dtype, value.dtype), longest)


def _note_changes(facts: Facts, held: dict[str, Any]) -> None:
    """Remember which attributes are not as they were first seen."""
    for name, now in contents_of(facts.env).items():
        if held.setdefault(name, now) != now:
            facts.changing.add(name)


def _note_rows(facts: Facts, name: str) -> None:
    """Remember what the elements of a list are, for when it is empty."""
    value = facts.examples[name]
    if isinstance(value, list) and value:
        kinds_ = {tuple: "tuple", list: "list", np.ndarray: "array"}
        facts.rows[name] = kinds_.get(type(value[0]), "")


def _observed(record: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {k: v for k, v in record.items() if k == "obs" or k.startswith("obs.")}


def _settle(facts: Facts) -> None:
    """Leave the object as it is after a reset, which is what is interpreted."""
    with suppress(Exception):
        facts.simulator.reset(0)
    for name in facts.empty:
        setattr(facts.env, name, None)
