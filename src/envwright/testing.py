"""Assertions for your own test suite.

    from envwright.testing import assert_equivalent, check_env

    def test_my_port_is_the_same_game():
        assert_equivalent("gymnasium:MountainCar-v0", "python:mypkg.fast:MountainCar", atol=1e-5)

    def test_my_environment_keeps_the_protocol():
        check_env(MyGame())

The names below are public. Every other name in this module is private and may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from envwright.core.bridge import Bridge
from envwright.core.lazy import lazy
from envwright.verify.pair import PairSpec
from envwright.verify.results import VerifyReport
from envwright.verify.run import Effort, verify_pair
from envwright.verify.tolerance import Tol, Tolerances

if TYPE_CHECKING:
    from envwright.core.check import EnvCheckFailed, check_env

__all__ = [
    "Bridge",
    "EnvCheckFailed",
    "Tol",
    "Tolerances",
    "VerifyReport",
    "assert_equivalent",
    "check_env",
]

# Checking an Env imports JAX; comparing two Gymnasium environments does not.
__getattr__ = lazy("envwright", {"core.check": "EnvCheckFailed check_env"})


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
    report = verify_pair(spec, seed, effort)
    if report.divergences:
        raise AssertionError("\n" + "\n".join(map(str, report.divergences[:1])))
    unsaid = [level.inconclusive for level in report.levels if level.inconclusive]
    if unsaid:
        raise AssertionError(f"nothing could be compared: {unsaid[0]}")
    return report
