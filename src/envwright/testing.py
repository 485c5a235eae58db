"""Assertions for your own test suite.

    from envwright.testing import assert_equivalent, check_env

    def test_my_port_is_the_same_game():
        assert_equivalent("gymnasium:MountainCar-v0", "python:mypkg.fast:MountainCar", atol=1e-5)

    def test_my_environment_keeps_the_protocol():
        check_env(MyGame())

Packages that `envwright translate` writes test themselves with `assert_verified`,
`assert_recorded` and `assert_golden`.

The names below are public. Every other name in this module is private and may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envwright.core.bridge import Bridge
from envwright.core.lazy import lazy
from envwright.core.registry import find
from envwright.errors import EnvwrightError
from envwright.schema.tolerance import Tol, Tolerances
from envwright.schema.translation import room_translation
from envwright.sim.resolve import as_simulator
from envwright.verify.pair import PairSpec
from envwright.verify.results import VerifyReport
from envwright.verify.room import load_room
from envwright.verify.run import Effort, verify_pair, verify_room

if TYPE_CHECKING:
    from envwright.core.check import EnvCheckFailed, check_env
    from envwright.verify.laws import compare_transition_laws

__all__ = [
    "Bridge",
    "EnvCheckFailed",
    "Tol",
    "Tolerances",
    "VerifyReport",
    "assert_equivalent",
    "assert_golden",
    "assert_recorded",
    "assert_verified",
    "check_env",
    "compare_transition_laws",
    "has_reference",
]

# Checking an Env imports JAX; comparing two Gymnasium environments does not.
__getattr__ = lazy(
    "envwright",
    {"core.check": "EnvCheckFailed check_env", "verify.laws": "compare_transition_laws"},
)


def assert_equivalent(
    reference: Any,
    twin: Any,
    *,
    levels: Sequence[int] = (1, 2, 3),
    episodes: int = 100,
    seed: int = 0,
    atol: float = 0.0,
    ulp: int = 0,
    why: str = "",
    tolerances: Tolerances | None = None,
    bridge: str | Bridge | None = None,
    include_terminal: bool = False,
) -> VerifyReport:
    """Fail with the shortest divergence unless two simulators agree on all levels.

    `reference` and `twin` are simulator names, functions that make a Gymnasium environment
    or an Env, or such objects. The default is exact; pass `atol` or `ulp` (and `why`) for
    floats that are rounded differently, or `tolerances` per field. An inconclusive comparison
    fails too. Returns the report, with counts and bounds.
    """
    if tolerances is None:
        asked = Tol(atol, ulp, why or "given by the test") if atol or ulp else Tol()
        tolerances = Tolerances(asked)
    spec = PairSpec(reference, twin, bridge, tolerances, include_terminal=include_terminal)
    effort = Effort(levels=tuple(levels), episodes=episodes)
    return _agreeing(verify_pair(spec, seed, effort))


def assert_verified(
    name: str,
    backend: str | None = None,
    *,
    levels: Sequence[int] = (1, 2, 3),
    episodes: int | None = None,
    seed: int = 0,
) -> VerifyReport:
    """Fail unless an environment equals its reference as its `translation.toml` asks.

    `name` is of the zoo or of an installed package. `episodes` replaces the number in the file.
    """
    effort = Effort(levels=tuple(levels), episodes=episodes)
    return _agreeing(verify_room(name, backend, seed, effort))


def assert_recorded(name: str, file: str | Path, label: str = "") -> None:
    """Fail unless an environment gives the answers of recorded steps of its reference.

    `label` names the check of `translation.toml` in whose setting the steps were recorded.
    """
    from envwright.verify.recorded import compare_recorded

    check = next(check for check in load_room(name).checks if check.label == label)
    _, difference = compare_recorded(check, Path(file))
    if difference:
        raise AssertionError(f"{file}: {difference}")


def assert_golden(name: str, file: str | Path, module: str, function: str) -> None:
    """Fail unless a function of an environment gives the outputs of recorded calls."""
    from envwright.verify.golden import function_agrees

    room = find(name)
    translation = room_translation(room)
    assert translation is not None, f"{name} has no translation.toml"
    its = next(each for each in translation.modules if each.name == module)
    golden = next(pair for pair in its.golden if pair.ours.rpartition(":")[2] == function)
    target = f"{room.package}.{its.stem}:{function}"
    difference = function_agrees(Path(file), target, golden.outputs, golden.tolerances)
    if difference:
        raise AssertionError(difference)


def has_reference(name: str) -> bool:
    """Return whether the reference of an environment can be made here."""
    reference = find(name).reference
    try:
        as_simulator(reference).close()
    except EnvwrightError:
        return False
    return bool(reference)


def _agreeing(report: VerifyReport) -> VerifyReport:
    """Return the report. Raises `AssertionError` if it shows a difference or nothing at all."""
    if report.divergences:
        raise AssertionError("\n" + "\n".join(map(str, report.divergences[:1])))
    unsaid = [level.inconclusive for level in report.levels if level.inconclusive]
    if unsaid:
        raise AssertionError(f"nothing could be compared: {unsaid[0]}")
    return report
