"""For your own test-suite: `assert_equivalent(reference, twin)` and `check_env(env)`.

from envwright.testing import assert_equivalent

def test_my_port_is_the_same_game():
    assert_equivalent("gymnasium:MountainCar-v0", "python:mypkg.fast:MountainCar", atol=1e-5)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envwright.core.bridge import Bridge
from envwright.verify.pair import PairSpec
from envwright.verify.results import VerifyReport
from envwright.verify.run import Effort, verify_pair
from envwright.verify.tolerance import Tol, Tolerances

__all__ = ["assert_equivalent", "check_env"]


def check_env(*args: Any, **kwargs: Any) -> Any:
    """Check the promises of an Env; see `envwright.core.check.check_env`."""
    from envwright.core.check import check_env as check

    return check(*args, **kwargs)


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
    or an Env, or such objects. The default is exact; give `atol` or `ulp` (and `why`) for
    floats that are rounded differently, or `tolerances` per field. A comparison that could
    say nothing fails too. Returns the report, with counts and bounds.
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
