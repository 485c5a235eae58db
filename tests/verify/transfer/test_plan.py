"""What level 4 is to do: read from a room, or asked for; wrong plans are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs
from tests.verify import worlds

from envwright.errors import EnvwrightError
from envwright.schema.translation import Transfer
from envwright.train.config import PPOConfig
from envwright.verify.pair import PairSpec
from envwright.verify.room import load_room
from envwright.verify.run import Effort, pair_plan, room_plan, verify_pair
from envwright.verify.transfer.jobs import GROUP, training_jobs
from envwright.verify.transfer.plan import TransferPlan, TransferRequest, plan_from


def test_cartpole_fixes_its_margin_and_ten_seeds_on_either_side():
    plan = load_room("cartpole").transfer
    assert (plan.margin, plan.alpha) == (10.0, 0.05)
    assert min(plan.seeds, plan.reference_seeds) >= 10
    assert min(plan.stages) < 0.5 and max(plan.stages) == 1.0
    assert plan.why


def test_a_plan_is_read_from_the_tables_of_a_room():
    plan = plan_from(
        Transfer(margin=2.0, why="a pawn", seeds=12, stages=(0.5, 1.0)), {"steps": 1_000}
    )
    assert (plan.seeds, plan.reference_seeds, plan.stages) == (12, 3, (0.5, 1.0))
    assert plan.config == PPOConfig(steps=1_000)


def test_level_4_may_train_otherwise_than_a_person_would():
    l4 = Transfer(margin=2.0, why="a pawn", train={"steps": 500})
    plan = plan_from(l4, {"steps": 1_000, "num_envs": 8})
    assert plan.config == PPOConfig(steps=500, num_envs=8)
    with pytest.raises(EnvwrightError, match="no setting 'step'"):
        plan_from(structs.replace(l4, train={"step": 500}), {})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"margin": 0.0}, "must be above 0, not 0.0"),
        ({"margin": float("nan")}, "must be a finite number, not nan"),
        ({"seeds": 2}, "at least 3 seeds, not 2"),
        ({"reference_seeds": 1}, "at least 3 reference seeds, not 1"),
        ({"stages": ()}, "shares of training"),
        ({"stages": (0.5, 1.5)}, "shares of training"),
        ({"episodes": 1}, "2 or more episodes"),
        ({"horizon": 0}, "at least 1 step"),
    ],
)
def test_a_plan_that_shows_nothing_is_refused(change, sentence):
    with pytest.raises(EnvwrightError, match=sentence):
        replace(TransferPlan(1.0, "why"), **change)


def test_settings_change_the_training_and_never_the_margin_of_a_room():
    room = load_room("cartpole")
    plan = room_plan(room, TransferRequest(settings={"steps": "1e3"}))
    assert plan == replace(room.transfer, config=replace(room.transfer.config, steps=1000))


def test_a_room_without_a_margin_is_refused():
    room = replace(load_room("cartpole"), transfer=None)
    with pytest.raises(EnvwrightError, match=r"has no margin for level 4; write \[l4\]"):
        room_plan(room, TransferRequest())


def test_a_pair_needs_a_margin_before_anything_is_opened():
    spec = PairSpec("python:nowhere:A", "python:nowhere:B")
    with pytest.raises(EnvwrightError, match="add --margin"):
        verify_pair(spec, effort=Effort(levels=(1, 4)))
    assert pair_plan(TransferRequest(margin=3.0)).margin == 3.0


def test_objects_are_refused_before_any_level_runs():
    """They have no name in another process."""
    effort = Effort(levels=(1, 4), transfer=TransferRequest(margin=1.0))
    told = []
    with pytest.raises(EnvwrightError, match=r"needs simulators by name, .* not objects"):
        verify_pair(
            PairSpec(worlds.Marble, worlds.Marble),
            effort=effort,
            progress=lambda *news: told.append(news),
        )
    assert told == []


def test_seeds_are_trained_in_groups_that_no_executor_changes(tmp_path):
    plan = TransferPlan(1.0, "why", seeds=12)
    groups = [job.spec.seeds for job in training_jobs("envwright:cartpole", plan, 12, tmp_path)]
    assert [seed for group in groups for seed in group] == list(range(12))
    assert max(map(len, groups)) == GROUP
    folders = {job.folder.name for job in training_jobs("x:y", plan, 12, tmp_path)}
    assert folders == {"seeds-0-4", "seeds-5-9", "seeds-10-11"}
