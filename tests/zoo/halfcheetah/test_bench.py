"""HalfCheetah's benchmark: what stands beside what, and that each really steps."""

from __future__ import annotations

import pytest

from envwright.bench.implementation import Kind, Role
from envwright.zoo.halfcheetah.bench.implementations import IMPLEMENTATIONS

NAMED = {each.name: each for each in IMPLEMENTATIONS if Kind.RANDOM in each.kinds}


def test_ours_stand_beside_mujocos_own_loop_on_as_many_cores():
    assert NAMED["mujoco-rollout"].role == Role.REFERENCE
    assert NAMED["mujoco-rollout"].threads == NAMED["envwright-rust"].threads
    assert NAMED["mujoco-rollout-1"].threads == NAMED["envwright-rust-1"].threads == 1


@pytest.mark.parametrize("name", ["mujoco-rollout", "mujoco-rollout-1", "envwright-rust"])
def test_they_do_the_steps_they_are_asked_for(name):
    if name.startswith("mujoco"):
        pytest.importorskip("mujoco")
    prepared = NAMED[name].prepare(16, Kind.RANDOM)
    assert prepared.run(1000) >= 1000
    prepared.close()


@pytest.mark.slow  # half a minute to compile
@pytest.mark.parametrize(("name", "package"), [("mjx", "mujoco.mjx"), ("brax", "brax")])
def test_peers_step_in_processes_of_their_own(name, package):
    pytest.importorskip(package)
    assert NAMED[name].batches((256, 1024, 4096)) == (256, 1024)
    prepared = NAMED[name].prepare(8, Kind.RANDOM)
    assert prepared.run(20) == 24 and prepared.compile_seconds > 0 and prepared.processor() > 0
    prepared.close()
