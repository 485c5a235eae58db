"""The simulators and bridges that a file may name.

Results, divergences, recordings and training runs are data, possibly somebody else's. What they
name is opened only if it is registered: an environment of the registry, its reference or another
side of its checks, or an id of Gymnasium or gymnax. Everything else needs the user's trust.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterable
from typing import Any

from envwright.core.registry import find, rooms
from envwright.core.room import Room
from envwright.errors import EnvwrightError, UnknownEnvironment
from envwright.schema.names import parse_name
from envwright.schema.translation import room_translation

WORD = re.compile(r"[A-Za-z0-9_,-]{1,100}")  # never a path, an address or a module
OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")  # the name of one; others could be read as code
# Some libraries repeat a frame for ever, in code that Ctrl-C cannot reach, or make a board of it.
LARGEST_OPTION = 4096
LARGEST_LIMIT = 10**6  # of steps
TIME_LIMITS = ("max_steps", "max_episode_steps", "max_steps_in_episode")
# Options whose texts choose among things of the environment itself.
OF_ALL_ROOMS = ("backend", "auto_reset", "dtype")
OF_GYMNASIUM = ("map_name",)
OF_GYMNAX = ("dtype", "map_name")
LIBRARIES = ("gymnasium", "gymnax")


def is_registered(simulator: str) -> bool:
    """Whether a file may name this simulator: opening it runs nothing but installed rooms."""
    name = parse_name(simulator)
    known = _KNOWN.get(name.scheme)
    if known is None:
        return False
    try:
        options = name.options
    except EnvwrightError:  # options that cannot be read
        return False
    words = known(name.target)
    return words is not None and all(_is_plain(k, v, words) for k, v in options.items())


def is_registered_bridge(bridge: str) -> bool:
    """Whether a file may name this bridge: none, or one of a room's checks."""
    module = bridge.removeprefix("python:").partition(":")[0]
    return not bridge or any(bridge in _bridges(room) for room in _rooms_of(module))


def is_registered_policy(policy: str) -> bool:
    """Whether a file may name this policy: one of a room's `policies`."""
    module = policy.removeprefix("python:").partition(":")[0]
    return policy.startswith("python:") and any(
        module == room.policies for room in _rooms_of(module)
    )


def is_registered_code(target: str) -> bool:
    """Whether a file may name this `module:attribute` to be imported and read."""
    module = target.partition(":")[0]
    return module.partition(".")[0] in LIBRARIES or bool(_rooms_of(module))


def require_registered(names: Iterable[str], source: object) -> None:
    """Raise unless a file may name all of these simulators."""
    for name in names:
        if not is_registered(name):
            raise untrusted(name, source)


def untrusted(name: str, source: object) -> EnvwrightError:
    """Return the error to raise for a name that a file may not have."""
    return EnvwrightError(
        f"{source} asks to run {name!r}, which is not registered here; if you trust the file, "
        "add --trust"
    )


def _is_plain(name: str, value: Any, words: Iterable[str]) -> bool:
    """Whether an option is a number of use, true, false, null, or a word where one is expected."""
    if OPTION.fullmatch(name) is None:
        return False
    if isinstance(value, str):
        return name in words and WORD.fullmatch(value) is not None
    most = LARGEST_LIMIT if name in TIME_LIMITS else LARGEST_OPTION
    return value is None or (isinstance(value, bool | int | float) and abs(value) <= most)


# Each gives the options that may be texts, or None if it does not know the target.


def _envwright(name: str) -> Iterable[str] | None:
    try:
        return (*find(name).words, *OF_ALL_ROOMS)
    except UnknownEnvironment:
        return None


def _gymnasium(name: str) -> Iterable[str] | None:
    """Gymnasium imports what stands before a colon, so that only its own ids are known."""
    import gymnasium

    return OF_GYMNASIUM if name in gymnasium.registry else None


def _gymnax(name: str) -> Iterable[str] | None:
    if importlib.util.find_spec("gymnax") is None:
        return None
    import gymnax

    return OF_GYMNAX if name in gymnax.registered_envs else None


def _python(name: str) -> Iterable[str] | None:
    wanted, its_package = f"python:{name}", _rooms_of(name.partition(":")[0])
    for room in rooms():
        if wanted == room.reference or (room in its_package and wanted in _compared(room)):
            return (*room.words, *OF_ALL_ROOMS)
    return None


_KNOWN: dict[str, Callable[[str], Iterable[str] | None]] = {
    "envwright": _envwright,
    "gymnasium": _gymnasium,
    "gymnax": _gymnax,
    "python": _python,
}


def _rooms_of(module: str) -> list[Room]:
    """The rooms whose package a module belongs to."""
    return [r for r in rooms() if r.package and f"{module}.".startswith(f"{r.package}.")]


def _compared(room: Room) -> set[str]:
    """The simulators that a room's checks name, without options."""
    translation = room_translation(room)
    if translation is None:
        return set()
    pairs = [*translation.checks, *([translation.l4] if translation.l4 else [])]
    return {parse_name(name).bare for pair in pairs for name in (pair.reference, pair.twin)}


def _bridges(room: Room) -> set[str]:
    translation = room_translation(room)
    named = [check.bridge for check in translation.checks] if translation else []
    return {bridge for bridge in named if isinstance(bridge, str)}
