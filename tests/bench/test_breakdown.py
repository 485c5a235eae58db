"""The parts of an iteration are parts of that iteration, and are timed in turns."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from rich.console import Console

from envwright.bench import Implementation, Role, breakdown, run_breakdown
from envwright.bench.breakdown import Plan
from envwright.bench.parts import PARTS, WHOLE, FusedParts, Recorded
from envwright.bench.ppo import bench_config
from envwright.bench.tables import result_table
from envwright.core.spaces import Discrete
from envwright.core.wrappers import TimeLimit
from envwright.errors import EnvwrightError
from envwright.schema.results import Breakdown, as_json
from envwright.sim.actions import SEED
from envwright.train.config import PPOConfig
from envwright.train.fused import Fused, FusedState
from envwright.train.jax_lanes import JaxLanes
from envwright.train.ppo import PPO
from envwright.zoo.cartpole.env import CartPole

ROW_KEYS = {
    "implementation", "role", "size", "parameters", "batch", "rollout", "seconds", "share",
    "iteration_seconds", "samples",
}  # fmt: skip


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakdown, "PLANS", {"8x8": Plan(4, 2), "16": Plan(2, 4)})


def assert_same(these: Any, those: Any) -> None:
    for a, b in zip(jax.tree.leaves(these), jax.tree.leaves(those), strict=True):
        # One program or several: the compiler may round in another order.
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


@pytest.fixture(scope="module")
def taken_apart() -> tuple[FusedParts, Recorded, Any]:
    """Parts with a roll-out, short episodes that are cut off, and an agent that learns."""
    lanes = JaxLanes(TimeLimit(CartPole(), 5), 8)
    config = PPOConfig(num_envs=8, rollout=16, network="8x8", anneal=False)
    ppo = PPO(config, lanes.obs_space, lanes.action_space)
    parts = FusedParts(Fused(ppo, lanes))
    agent = jax.jit(ppo.init)(jax.random.key(1))
    return parts, parts.record(agent), agent


def test_environment_part_plays_the_recorded_rollout_again(taken_apart: Any) -> None:
    parts, tape, _ = taken_apart
    rows = tape.rows
    states, views, outcomes = parts._environment(
        tape.before.states, rows.choice.action, parts.k_play
    )
    assert_same(states, tape.after.states)
    assert_same(views.obs[:-1], rows.view.obs[1:])
    assert_same(outcomes.reward, rows.reward)
    assert_same(outcomes.terminated | outcomes.truncated, rows.done)
    assert int(rows.done.sum()) >= 8


def test_inference_part_chooses_what_was_chosen(taken_apart: Any) -> None:
    parts, tape, agent = taken_apart
    rows = tape.rows
    _, choices, bootstraps, last_value = parts._inference(
        agent, tape.before, rows.view, tape.outcomes, tape.after, parts.k_play
    )
    assert_same(choices, rows.choice)
    assert_same(bootstraps, rows.bootstrap)
    assert np.any(rows.bootstrap != 0)
    after = tape.after
    assert_same(last_value, parts.ppo.value(agent, None, after.view.obs, after.starts))


@pytest.mark.slow
def test_parts_together_are_the_fused_iteration(taken_apart: Any) -> None:
    parts, tape, agent = taken_apart
    whole = FusedState(agent, tape.before, jax.random.key(SEED + 1))
    state, (finished, losses) = jax.jit(parts.fused.iterate)(whole)
    # What the update computes itself is not handed to it.
    rows = replace(tape.rows, discounted=jnp.full_like(tape.rows.discounted, jnp.nan))
    learnt, running, ended, lost = parts._update(
        jax.tree.map(jnp.copy, agent), tape.before, rows, tape.last_value, parts.k_learn
    )
    assert_same(learnt, state.agent)
    assert_same(running, state.play.running)
    assert_same(ended, finished)
    assert_same(lost, losses)
    changed = jax.tree.map(lambda a, b: float(jnp.abs(a - b).max()), learnt.params, agent.params)
    assert max(jax.tree.leaves(changed)) > 1e-4


@pytest.mark.slow
def test_breakdown_of_cartpole(small: None) -> None:
    result = run_breakdown("cartpole", ["8x8"], repeats=2)
    data = as_json(result)
    assert (data["kind"], data["env"]) == ("breakdown", "cartpole-v1")
    assert result.skipped == []
    rows = {row["role"]: row for row in data["rows"]}
    assert set(rows) == {"ours", "reference"}
    for row in rows.values():
        assert set(row) == ROW_KEYS
        assert (row["size"], row["batch"], row["rollout"]) == ("8x8", 4, 2)
        assert row["parameters"] == 2 * (4 * 8 + 8 + 8 * 8 + 8) + (8 * 2 + 2) + (8 + 1)
        assert set(row["seconds"]) == set(row["share"]) == set(PARTS)
        assert sum(row["share"].values()) == pytest.approx(1)
        assert {len(s) for s in row["samples"].values()} == {2}
        for part in PARTS:
            assert row["seconds"][part] == pytest.approx(np.mean(row["samples"][part]))
        assert row["iteration_seconds"] == pytest.approx(np.mean(row["samples"][WHOLE]))
    ours, reference = rows["ours"], rows["reference"]
    assert ours["seconds"]["transfer"] == 0
    assert all(ours["seconds"][part] > 0 for part in ("environment", "inference", "update"))
    assert all(reference["seconds"][part] > 0 for part in PARTS)
    # On the host the parts are stretches of the whole.
    for repeat in range(2):
        in_parts = sum(reference["samples"][part][repeat] for part in PARTS)
        assert in_parts <= reference["samples"][WHOLE][repeat]


class FakeParts:
    """Parts whose seconds are given."""

    ppo = PPO(bench_config(2, 2, "8x8"), CartPole().observation_space(), Discrete(2))

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log
        self.closed = False

    def measure(self, agent: Any) -> tuple[Any, dict[str, float]]:
        self.log.append(self.name)
        return agent, {
            "environment": 1.0, "inference": 2.0, "update": 5.0, "transfer": 2.0, WHOLE: 11.0
        }  # fmt: skip

    def close(self) -> None:
        self.closed = True


class Fake(Implementation):
    timed = "nothing"

    def __init__(self, name: str, role: Role, log: list[str], broken: bool = False) -> None:
        self.name, self.role, self.log, self.broken = name, role, log, broken
        self.made: list[FakeParts] = []

    def parts(self, config: PPOConfig) -> FakeParts:
        if self.broken:
            raise RuntimeError("no such kernel\nand more lines")
        self.made.append(FakeParts(self.name, self.log))
        return self.made[-1]


def test_sizes_follow_one_another_and_implementations_take_turns(small: None) -> None:
    log: list[str] = []
    pair = [Fake("a", Role.REFERENCE, log), Fake("b", Role.OURS, log), Fake("c", Role.PEER, log)]
    seen: list[tuple[int, int]] = []
    result = run_breakdown(
        "cartpole",
        ["8x8", "16"],
        repeats=3,
        implementations=pair,
        progress=lambda _, done, total: seen.append((done, total)),
    )
    of_one_size = ["a", "b", *("a", "b"), *("b", "a"), *("a", "b")]  # the first two compile
    assert log == 2 * of_one_size
    assert [(row.size, row.implementation) for row in result.rows] == [
        ("8x8", "a"), ("8x8", "b"), ("16", "a"), ("16", "b")
    ]  # fmt: skip
    assert seen == [(done, 16) for done in range(17)]
    assert all(parts.closed for fake in pair for parts in fake.made)


def test_broken_reference_is_left_out_and_broken_ours_is_an_error(small: None) -> None:
    log: list[str] = []
    pair = [Fake("a", Role.REFERENCE, log, broken=True), Fake("b", Role.OURS, log)]
    result = run_breakdown("cartpole", ["8x8"], repeats=1, implementations=pair)
    assert [row.implementation for row in result.rows] == ["b"]
    assert result.skipped[0].reason == "size 8x8: RuntimeError: no such kernel"
    pair[1].broken = True
    with pytest.raises(RuntimeError, match="no such kernel"):
        run_breakdown("cartpole", ["8x8"], repeats=1, implementations=pair)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": ["3M"]}, "knows the sizes 64x64, 2M, 20M, 200M, not '3M'"),
        ({"sizes": []}, "at least one"),
        ({"repeats": 0}, "at least 1 repeat"),
        ({"env_name": "cartpol"}, "did you mean 'cartpole'"),
        ({"implementations": []}, "has no breakdown"),
    ],
)
def test_bad_input_says_what_to_do(changes: dict, message: str) -> None:
    with pytest.raises(EnvwrightError, match=message):
        run_breakdown(**{"env_name": "cartpole", "sizes": ["64x64"], "repeats": 1, **changes})


def test_table_shows_shares_and_seconds(small: None) -> None:
    pair = [Fake("a", Role.REFERENCE, []), Fake("b", Role.OURS, [])]
    result: Breakdown = run_breakdown("cartpole", ["8x8"], repeats=2, implementations=pair)
    page = io.StringIO()
    Console(width=160, file=page).print(result_table(result))
    for wanted in ("50.0%", "5 ± 0 s", "11 ± 0 s", "4 × 2", "a first look"):
        assert wanted in page.getvalue()
