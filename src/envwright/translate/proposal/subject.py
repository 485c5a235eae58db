"""The environment to be surveyed: its names, its class, its options."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import gymnasium

from envwright.core.room import load_attribute
from envwright.core.source_files import module_name
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name
from envwright.sim.gymnasium_env import GymnasiumSimulator, wrappers_of
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator

FOR_THE_EYE = ("render", "screen", "width", "height", "camera", "fps", "debug", "verbose")


@dataclass(frozen=True)
class Subject:
    """An open simulator, and the object behind it if that is a Python object."""

    name: str  # gymnasium:CartPole-v1
    simulator: Simulator
    env: gymnasium.Env | None  # without wrappers; None: nothing can be seen inside
    title: str  # CartPole

    @property
    def id(self) -> str:
        """Id of the translation, such as `cartpole`."""
        return id_of(self.name)

    @property
    def entry(self) -> str:
        """Name of the class to write, such as `CartPole`."""
        parts = re.split(r"[^A-Za-z0-9]+", self.title)
        word = "".join(part[:1].upper() + part[1:] for part in parts)
        return word if word[:1].isalpha() else f"Env{word}"

    @property
    def cls(self) -> type | None:
        """The class whose code is shown, or None if it cannot be found by its name."""
        if self.env is None:
            return None
        cls = type(self.env)
        try:
            found = load_attribute(f"{cls.__module__}:{cls.__qualname__}")
        except EnvwrightError:
            return None
        return cls if found is cls else None

    @property
    def source(self) -> str:
        """`module:Class`, or an empty string."""
        return f"{module_name(self.cls.__module__)}:{self.cls.__qualname__}" if self.cls else ""

    @property
    def root(self) -> str:
        """The package whose functions belong to the environment, not to its framework."""
        module = self.cls.__module__ if self.cls else ""
        top = module.partition(".")[0]
        return "gymnasium.envs" if top == "gymnasium" else top

    @property
    def package(self) -> str:
        """`gymnasium==1.3.0`, or an empty string for a file outside any package."""
        top = self.root.partition(".")[0]
        names = importlib.metadata.packages_distributions().get(top, [])
        return f"{names[0]}=={importlib.metadata.version(names[0])}" if names else ""

    @property
    def wrappers(self) -> list[str]:
        """`module:Class` of wrappers that may change the game."""
        env = getattr(self.simulator, "_env", None)
        return [] if env is None else list(wrappers_of(env))

    @property
    def options(self) -> dict[str, Any]:
        """The constructor's options and current values, without those for rendering."""
        if self.cls is None:
            return {}
        values = {
            name: parameter.default
            for name, parameter in inspect.signature(self.cls).parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }
        spec = getattr(self.env, "spec", None)
        given = dict(getattr(spec, "kwargs", None) or {}) | parse_name(self.name).options
        values |= {k: v for k, v in given.items() if k in values}
        return {k: v for k, v in values.items() if not any(word in k for word in FOR_THE_EYE)}

    def with_option(self, option: str, value: Any) -> str:
        """Return the simulator's name with one option added or changed."""
        target, _, query = self.name.partition("?")
        kept = [part for part in query.split("&") if part and part.split("=")[0] != option]
        return f"{target}?{'&'.join([*kept, f'{option}={quote(json.dumps(value))}'])}"


def open_subject(name: str) -> Subject:
    """Open a simulator for a survey. The caller closes `simulator`."""
    simulator = open_simulator(name)
    if simulator.sits:
        simulator.close()
        raise EnvwrightError(
            f"{name} is a game of several players, which is not translated yet; write an Env by "
            f"hand, and compare it: envwright verify --reference {name} --twin python:MODULE:CLASS"
        )
    inside = simulator._env.unwrapped if isinstance(simulator, GymnasiumSimulator) else None
    env = inside if isinstance(inside, gymnasium.Env) else None
    return Subject(name, simulator, env, _title(name))


def id_of(name: str) -> str:
    """Return the id of a simulator's translation, such as `cartpole`."""
    word = re.sub(r"[^a-z0-9]+", "_", _title(name).lower()).strip("_")
    return word if word[:1].isalpha() else f"env_{word}"


def _title(name: str) -> str:
    scheme, target, _ = parse_name(name)
    if scheme == "command":
        try:
            words = shlex.split(target)
        except ValueError as error:
            raise EnvwrightError(f"cannot start {target!r}: {error}") from error
        files = [Path(word).stem for word in words if not word.startswith("-")]
        return files[-1] if files else "program"
    last = re.split(r"[/:.]", target)[-1]
    return re.sub(r"(-v\d+|Env)$", "", last) or last
