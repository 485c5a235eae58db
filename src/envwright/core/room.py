"""`Room`: everything an environment offers beside its `Env`.

Higher layers know an environment only through its room. A room is cheap to import: the parts
that cost something are named as `module:attribute` and loaded when a command needs them.
"""

from __future__ import annotations

import importlib
import importlib.resources
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from envwright.core.source_files import import_file, is_file
from envwright.core.text import told
from envwright.errors import EnvwrightError, MissingPackage

TRANSLATION = "translation.toml"
NEEDED = {"players": ("scripted", "eyes"), "play": ("play", "play_trained")}  # of its modules
HERE = ""  # the current folder, on Python's path


@dataclass(frozen=True)
class Option:
    """An option that a room adds to commands, such as `--rom FILE`."""

    name: str  # "frame_skip", on the command line --frame-skip
    verbs: tuple[str, ...]  # the commands that take it
    help: str
    type: type = str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()  # the choices of a text
    flag: str = ""  # where it is not --name: "--cgb/--dmg"
    needs: str = ""  # the option without which it means nothing

    @property
    def shown(self) -> str:
        """The option without a value: `--frame-skip`, `--cgb or --dmg`."""
        return self.flag.replace("/", " or ") or f"--{self.name.replace('_', '-')}"

    @property
    def typed(self) -> str:
        """The option with a placeholder for its value: `--frame-skip N`."""
        value = {int: " N", Path: " FILE", bool: ""}.get(self.type, " NAME")
        return f"{self.shown.partition(' or ')[0]}{value}"


@dataclass(frozen=True)
class Handler:
    """A room's own way to run a command."""

    run: str  # "module:function" from (options, seed, progress) to `Findings`
    when: str = ""  # the option that asks for it; "": whenever the room is named
    accepts: tuple[str, ...] = ("seed", "json")  # the command's own options that still apply


@dataclass(frozen=True)
class Findings:
    """The outcome of a room's own command: what to print, what to store, how to exit."""

    shown: list[Any]  # texts and rich renderables
    data: dict[str, Any]
    exit_code: int


@dataclass(frozen=True)
class Demo:
    """The demonstration of `envwright demo` with a room, whose reference it translates."""

    twin: str  # simulator name of the translation
    port: str  # simulator name of a faulty port by others
    fault: str  # one sentence about the fault


@dataclass(frozen=True)
class Room:
    """An environment and everything around it; changed behaviour means a new version."""

    id: str  # "cartpole"
    version: int
    title: str  # "CartPole", as in the Gymnasium id envwright/CartPole-v1
    summary: str
    backends: dict[str, str] = field(default_factory=dict)  # name -> "module:attribute"
    package: str = ""  # holds translation.toml; the names below are relative to it
    reference: str = ""  # simulator name of the reference; "" if it cannot be stepped by itself
    bench: str = ""  # module that declares implementations to compare
    players: str = ""  # module with scripted opponents, for Elo
    play: str = ""  # module with `play` and `play_trained`, where no backend has `render`
    fetch: str = ""  # "module:function" that fetches and builds the reference
    # "module:function" from (old, new, say, progress) to an `Update`; None is the pinned and the
    # newest version. Not needed where the reference is a simulator of an installed package.
    versions: str = ""
    traces: str = ""  # "module:attribute", its traces by name, which `envwright replay` runs
    options: tuple[Option, ...] = ()
    words: tuple[str, ...] = ()  # options whose texts choose among its own things; never a path
    handlers: Mapping[str, Handler] = field(default_factory=dict)  # by verb
    demo: Demo | None = None
    namespace: str = "envwright"  # of its Gymnasium id
    env_id: str = ""  # the id of its Env, where that is another one

    @property
    def name(self) -> str:
        """Id and version, for instance `cartpole-v1`."""
        return f"{self.id}-v{self.version}"

    @property
    def gymnasium_id(self) -> str:
        """The id under which Gymnasium registers it."""
        return f"{self.namespace}/{self.title}-v{self.version}"

    @property
    def is_outside(self) -> bool:
        """Whether another package brings it."""
        return not self.package.startswith(f"{Room.namespace}.")

    @property
    def default_backend(self) -> str:
        """The first backend named."""
        return next(iter(self.backends))

    def check_backend(self, backend: str | None) -> str:
        """Return the backend, or the default for None. Raises if the room does not have it."""
        chosen = self.default_backend if backend is None else backend
        if chosen not in tuple(self.backends):  # in a name it may be a list
            raise EnvwrightError(
                f"{self.name} has no backend {chosen!r}; use {' or '.join(self.backends)}"
            )
        return chosen

    def make(self, backend: str | None = None, /, **options: Any) -> Any:
        """Make the environment; options go to its constructor. Raises for unknown ones."""
        constructor = load_attribute(self.backends[self.check_backend(backend)])
        parameters = inspect.signature(constructor).parameters
        unknown = [option for option in options if option not in parameters]
        if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            known = f"use {' or '.join(parameters)}" if parameters else "it has none"
            raise EnvwrightError(f"{self.name} has no option {unknown[0]!r}; {known}")
        env = constructor(**options)
        for name, expected in (("id", self.env_id or self.id), ("version", self.version)):
            if getattr(env, name, expected) == expected:
                continue
            if self.namespace == Room.namespace:
                raise EnvwrightError(
                    f"{self.name} is registered for an environment whose {name} is "
                    f"{getattr(env, name)!r}; correct one of the two"
                )
            # The specification of a translation decides them, not its code.
            setattr(env, name, expected)
        return env

    def module(self, part: str) -> ModuleType | None:
        """Import the module named by the field `part`; None if the room has none."""
        name = getattr(self, part)
        if not name:
            return None
        whole = f"{self.package}.{name}"
        try:
            module = importlib.import_module(whole)
        except EnvwrightError:
            raise
        except Exception as error:
            if not self.is_outside:
                raise
            raise EnvwrightError(f"{whole} cannot be imported: {told(error)}") from error
        for needed in NEEDED.get(part, ()):
            if not hasattr(module, needed):
                raise EnvwrightError(f"{whole} needs {needed}; write it, or leave out {part}")
        return module

    def attribute(self, name: str) -> Any:
        """Load `module:attribute`, relative to the room's package."""
        return load_attribute(f"{self.package}.{name}")

    @property
    def bridge(self) -> str:
        """Where a room keeps the bridge to its reference, if it has one: `module:attribute`."""
        return f"{self.package}.bridge:BRIDGE"

    @property
    def policies(self) -> str:
        """The module of its scripted policies, if it has any."""
        return f"{self.package}.policies"

    def translation(self) -> str | None:
        """Return the text of the room's translation.toml; None if it has none."""
        try:
            if not self.package:
                return None
            file = importlib.resources.files(self.package) / TRANSLATION
            return file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    @property
    def folder(self) -> Path | None:
        """The folder of its package; None if it has none."""
        found = importlib.util.find_spec(self.package) if self.package else None
        places = found.submodule_search_locations if found else None
        return Path(places[0]) if places else None

    def option(self, verb: str, name: str) -> Option | None:
        """Return the option that the room adds to a command under this name."""
        return next((o for o in self.options if o.name == name and verb in o.verbs), None)

    def owns(self, simulator: str) -> bool:
        """Whether a simulator name, without options, is this environment or its reference."""
        names = (f"envwright:{self.id}", f"envwright:{self.name}", self.reference)
        return bool(simulator) and simulator in names


def import_named(module: str) -> ModuleType:
    """Import a module that the user named, or a file by its path.

    The module may be a file in the current folder.

    That folder is not on the path before: JAX and others run the plug-ins that they find there.
    """
    if is_file(module):
        return import_file(module)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0] or HERE in sys.path:
            raise
    sys.path.append(HERE)
    importlib.invalidate_caches()
    return importlib.import_module(module)


def load_attribute(path: str) -> Any:
    """Load the object at `module:attribute` or `path/to/file.py:attribute`."""
    module, _, attribute = path.partition(":")
    if not attribute:
        raise EnvwrightError(f"{path!r} is not of the form module:attribute")
    try:
        found: Any = import_named(module)
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
        if isinstance(found, ModuleType):
            raise EnvwrightError(
                f"{path!r} leads through the module {found.__name__}; name an attribute of a "
                f"module itself, such as {found.__name__}:NAME"
            )
    return found
