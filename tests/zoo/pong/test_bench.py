"""Pong's benchmark: what stands beside what, and that each really steps."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.zoo.pong.live import needs_reference

from envwright.bench.implementation import Kind, Role
from envwright.bench.jobs import Effort, all_jobs, jobs_of
from envwright.bench.memory import measure_memory
from envwright.bench.throughput import declared_for, run_bench
from envwright.core.registry import find
from envwright.errors import EnvwrightError
from envwright.zoo.pong.bench.implementations import implementations
from envwright.zoo.pong.bench.puffer import PufferLoop


def named(frame_skip: int = 1) -> dict:
    return {each.name: each for each in implementations(frame_skip) if Kind.RANDOM in each.kinds}


def test_rust_and_jax_stand_beside_c_on_as_many_cores():
    found = named()
    assert found["pufferlib-c"].role == Role.REFERENCE
    assert found["pufferlib-c"].threads == found["envwright-rust"].threads
    assert found["pufferlib-c-1"].threads == found["envwright-rust-1"].threads == 1
    assert "-O2" in found["pufferlib-c"].timed, "the flags are told"
    assert "-march=native" in found["pufferlib-c-native"].timed


@pytest.mark.parametrize("name", ["envwright-rust", "envwright-rust-1", "envwright-jax"])
def test_ours_do_the_steps_they_are_asked_for(name):
    prepared = named(8)[name].prepare(64, Kind.RANDOM)
    assert prepared.run(1000) >= 1000


@needs_reference
@pytest.mark.parametrize("build", ["plain", "native"])
def test_c_runs_in_processes_of_its_own(build):
    loop = PufferLoop(Role.REFERENCE, 8, cores=2, build=build)
    prepared = loop.prepare(65, Kind.RANDOM)
    try:
        before = prepared.processor()
        assert prepared.run(65 * 2000) == 65 * 2000
        assert prepared.processor() > before, "their processor time is counted, not ours"
    finally:
        prepared.close()


@needs_reference
def test_memory_of_c_is_that_of_its_processes():
    loop = PufferLoop(Role.REFERENCE, 1, cores=2)
    few, many = (measure_memory(loop, batch, Kind.RANDOM) for batch in (64, 2**17))
    assert many["peak_memory_mb"] > few["peak_memory_mb"] + 2**17 * 100 / 2**20
    assert 150 < few["bytes_per_env"] < 1000


def test_a_process_that_cannot_begin_says_why(monkeypatch, tmp_path):
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path))
    with pytest.raises(EnvwrightError, match=r"python -m envwright\.zoo\.pong\.reference"):
        PufferLoop(Role.REFERENCE, 1, cores=1).prepare(4, Kind.RANDOM)


@needs_reference
@pytest.mark.slow
@pytest.mark.parametrize("kind", [Kind.ROLLOUT, Kind.PPO])
def test_ppo_runs_around_all_three(kind):
    chosen = [each for each in implementations(8) if kind in each.kinds]
    result = run_bench("pong", [8], 1, kind, 1e-3, implementations=chosen)
    assert {row.implementation for row in result.rows} == {
        "pufferlib-c",
        "envwright-rust",
        "envwright-jax",
    }


def test_the_recurrent_network_has_two_million_parameters():
    from envwright.bench.ppo import GRU, bench_config
    from envwright.train.ppo import PPO
    from envwright.train.runners import parameters
    from envwright.zoo.pong.env import Pong

    env = Pong()
    ppo = PPO(bench_config(8, **GRU), env.observation_space(), env.action_space())
    assert 1.9e6 < parameters(ppo) < 2.1e6


def test_options_are_those_that_a_benchmark_has():
    (job,) = jobs_of("pong", ["random"], Effort(), {"frame_skip": 8})
    assert job.name == "pong-random-frame-skip-8"
    assert "--frame-skip 8" in job.command(None)
    with pytest.raises(EnvwrightError, match="no option frame_skip"):
        jobs_of("cartpole", ["random"], Effort(), {"frame_skip": 8})
    with pytest.raises(EnvwrightError, match="choose one from 1 to 1000"):
        declared_for(find("pong"), {"frame_skip": 1001})


def test_everything_is_both_frame_skips():
    names = [job.name for job in all_jobs("pong", Effort())]
    assert {"pong-random-frame-skip-1", "pong-random-frame-skip-8"} <= set(names)
    assert "pong-breakdown" in names and len(names) == len(set(names))


def test_the_child_ends_with_its_parent():
    """Its input is closed: nothing is left running."""
    child = "envwright.zoo.pong.bench.puffer_child"
    done = subprocess.run(
        [sys.executable, "-m", child, "4", "0", "4", "1", "0", "plain"],
        input="",
        text=True,
        capture_output=True,
        timeout=300,
        env={**os.environ},
    )
    assert done.returncode in (0, 1) and done.stdout == ""
