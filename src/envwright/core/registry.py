"""Environments by id. Nothing is imported until an environment is made."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from dataclasses import dataclass, field
from typing import Any

from envwright.errors import EnvwrightError, MissingPackage, UnknownEnvironment


@dataclass(frozen=True)
class EnvSpec:
    """Where an environment lives; changed behaviour means a new version."""

    id: str  # "cartpole"
    version: int
    title: str  # "CartPole", as in the Gymnasium id envwright/CartPole-v1
    summary: str
    backends: dict[str, str] = field(default_factory=dict)  # name -> "module:attribute"
    room: str = ""  # package with translation.toml, bridge, reference
    reference: str = ""  # simulator name of the reference

    @property
    def name(self) -> str:
        """Id and version, for instance `cartpole-v1`."""
        return f"{self.id}-v{self.version}"

    @property
    def gymnasium_id(self) -> str:
        """The id under which Gymnasium knows it."""
        return f"envwright/{self.title}-v{self.version}"

    @property
    def default_backend(self) -> str:
        """The first backend named."""
        return next(iter(self.backends))


_SPECS: dict[str, EnvSpec] = {}


def register(spec: EnvSpec) -> EnvSpec:
    """Add an environment; an id and version can be taken only once."""
    if spec.name in _SPECS:
        raise EnvwrightError(f"{spec.name} is registered already; raise its version instead")
    if not spec.backends:
        raise EnvwrightError(f"{spec.name} needs at least one backend")
    _SPECS[spec.name] = spec
    return spec


def specs() -> list[EnvSpec]:
    """All environments, by id and version."""
    return sorted(_SPECS.values(), key=lambda s: (s.id, s.version))


def find(name: str) -> EnvSpec:
    """The spec of `cartpole` (newest version), `cartpole-v1` or `envwright/CartPole-v1`."""
    wanted = name.lower().removeprefix("envwright/")
    for spec in specs():
        # A title may differ from the id by more than capitals.
        if wanted in (spec.name, spec.gymnasium_id.lower().removeprefix("envwright/")):
            return spec
    versions = [s for s in specs() if s.id == wanted]
    if versions:
        return versions[-1]
    stem = re.sub(r"-v\d+$", "", wanted)
    others = [s.name for s in specs() if s.id == stem]
    if others:
        raise UnknownEnvironment(f"no version {name!r}; there is {', '.join(others)}")
    ids = sorted({s.id for s in specs()})
    near = difflib.get_close_matches(stem, ids, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ids)}"
    raise UnknownEnvironment(f"unknown environment {name!r}; {hint}")


def make(name: str, backend: str | None = None, **options: Any) -> Any:
    """Make an environment: `make("cartpole")`, `make("pong-v1", backend="rust")`.

    Options go to the environment's constructor.
    """
    spec = find(name)
    backend = backend or spec.default_backend
    if backend not in spec.backends:
        raise EnvwrightError(
            f"{spec.name} has no backend {backend!r}; use {' or '.join(spec.backends)}"
        )
    constructor = load_attribute(spec.backends[backend])
    parameters = inspect.signature(constructor).parameters
    unknown = [option for option in options if option not in parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        known = f"use {' or '.join(parameters)}" if parameters else "it has none"
        raise EnvwrightError(f"{spec.name} has no option {unknown[0]!r}; {known}")
    env = constructor(**options)
    for name in ("id", "version"):
        if getattr(env, name, getattr(spec, name)) != getattr(spec, name):
            raise EnvwrightError(
                f"{spec.name} is registered for an environment whose {name} is "
                f"{getattr(env, name)!r}; correct one of the two"
            )
    return env


def is_native(name: str, backend: str | None = None) -> bool:
    """Whether a backend is a batch in Rust, rather than one environment in JAX."""
    from envwright.core.native import NativeVectorEnv

    spec = find(name)
    path = spec.backends.get(backend or spec.default_backend)
    constructor = load_attribute(path) if path else None
    return isinstance(constructor, type) and issubclass(constructor, NativeVectorEnv)


def load_attribute(path: str) -> Any:
    """The object at `module:attribute`."""
    module, _, attribute = path.partition(":")
    if not attribute:
        raise EnvwrightError(f"{path!r} is not of the form module:attribute")
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and not f"{module}.".startswith(f"{error.name}."):
            raise MissingPackage(
                f"{module} needs the package {error.name!r}; install it"
            ) from error
        raise EnvwrightError(f"there is no module {module!r}; is it on the path?") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise EnvwrightError(f"{module} has no attribute {attribute!r}")
        found = getattr(found, part)
    return found
