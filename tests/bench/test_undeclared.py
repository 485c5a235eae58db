"""Rooms that declare no benchmark: every backend is measured, beside any kind of reference."""

from __future__ import annotations

import dataclasses

import pytest

from envwright.bench import throughput as protocol
from envwright.bench import undeclared
from envwright.bench.implementation import Kind
from envwright.core.registry import find

CLASS = "python:gymnasium.envs.classic_control.cartpole:CartPoleEnv?sutton_barto_reward=true"


def roles(monkeypatch, name, **changes):
    """Who is measured for a room without a benchmark of its own."""
    room = dataclasses.replace(find(name), bench="", **changes)
    monkeypatch.setattr(protocol, "find", lambda _: room)
    result = protocol.run_bench(name, [4], repeats=1, seconds=1e-3)
    assert not result.skipped
    return [(row.implementation, row.role, row.batch) for row in result.rows]


@pytest.mark.parametrize("reference", [CLASS, "envwright:cartpole?dtype=float64"])
def test_references_of_every_kind_are_measured(monkeypatch, reference):
    found = roles(monkeypatch, "cartpole", reference=reference)
    assert found == [("reference", "reference", 1), ("envwright-jax", "ours", 4)]


def test_a_rust_room_is_measured_in_its_own_loop(monkeypatch):
    assert roles(
        monkeypatch, "pong", backends={"rust": find("pong").backends["rust"]}, reference=""
    ) == [("envwright-rust", "ours", 4)]


def test_an_episode_that_ends_is_begun_anew(monkeypatch):
    seeds = []
    steps = iter([False, True, False, True] * 9)
    reset, step = seeds.append, lambda action: next(steps)
    monkeypatch.setattr(undeclared, "_steps_of", lambda name: (reset, step, None))
    actions = find("cartpole").make().action_space()
    run = undeclared.OtherReference("command:x", actions).prepare(1, Kind.RANDOM).run
    assert run(8) == 8 and seeds == [20, 21, 22, 23, 24]
