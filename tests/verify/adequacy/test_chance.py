"""Mutants of environments with chance are judged on the reference's own draws."""

from __future__ import annotations

import pytest
from tests.verify import walks

from envwright.core.room import Room
from envwright.sim.resolve import as_simulator
from envwright.verify.adequacy.evidence import Evidence
from envwright.verify.pair import PairSpec
from envwright.verify.room import RoomChecks
from envwright.verify.run import Effort

SMALL = Effort(episodes=20, visited=5, fuzzed=10, boundary=2, examples=8, starts=500)


@pytest.fixture(scope="module")
def evidence():
    """Of a walk whose steps slip."""
    room = Room("walk", 1, "Walk", "", {"jax": "tests.verify.walks:TapedWalk"})
    checks = (PairSpec(walks.icy_walk, walks.TapedWalk, walks.Dice()),)
    found = Evidence.record(RoomChecks(room, "jax", checks), SMALL)
    yield found
    for check in found.checks:
        check.pair.close()


@pytest.mark.parametrize(
    ("twin", "noticed"), [(walks.TapedWalk, False), (walks.WrongSlip, True)], ids=["none", "slip"]
)
def test_a_level_notices_a_bug_and_nothing_else(evidence, twin, noticed):
    twins = evidence.with_twins(lambda spec: as_simulator(twin))
    found = {level: twins.differs(level) for level in ("l1", "l2", "l3")}
    assert not twins.raised
    assert found["l3"] is noticed and (noticed or not any(found.values())), found
