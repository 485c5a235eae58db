"""Level 4 as a whole: what policies notice and what they do not."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.verify.transfer.plans import CARTPOLE, QUICK
from tests.verify.transfer.poles import HERE

from envwright.schema.results import as_json
from envwright.verify.l4_transfer import check_transfer
from envwright.verify.room import load_room
from envwright.verify.transfer.jobs import training_jobs
from envwright.verify.transfer.plan import TransferPlan

ROOM_PLAN: TransferPlan = load_room("cartpole").transfer  # type: ignore[assignment]


def compared(twin, policies, plan=QUICK, reference=CARTPOLE):
    return check_transfer(reference, f"{HERE}:{twin}", plan, policies=policies)


@pytest.fixture(scope="module")
def equal(trained):
    return compared("pole", trained)


# --- an equal twin ---------------------------------------------------------------------


def test_an_equal_twin_is_shown_equivalent_and_with_power(equal):
    assert equal.verdict == "equivalent"
    (e,) = equal.directions
    assert (e.trained_in, e.policies, e.n) == (CARTPOLE, 15, 5)
    assert (e.case, e.margin, e.alpha) == ("ordinary", 10.0, 0.05)
    assert e.power >= 0.8 and e.p < 0.05
    assert -e.margin < e.low < e.difference < e.high < e.margin


def test_a_unit_is_a_seed_whose_stages_are_averaged(equal):
    e = equal.directions[0]
    gaps = [[p.return_twin - p.return_reference for p in equal.policies if p.seed == s]
            for s in range(5)]  # fmt: skip
    assert np.shape(gaps) == (5, 3)
    per_seed = np.mean(gaps, axis=1)
    assert e.difference == pytest.approx(per_seed.mean())
    assert e.sd == pytest.approx(per_seed.std(ddof=1))


def test_returns_are_not_saturated_and_grow_from_stage_to_stage(equal):
    by_stage = [[p.return_reference for p in equal.policies if p.stage == s] for s in range(3)]
    means = [np.mean(stage) for stage in by_stage]
    assert means[0] < means[1] < means[2] < 400
    assert min(np.ptp(stage) for stage in by_stage) > 1
    assert [p.steps for p in equal.policies[:3]] == [2048, 5120, 20480]


def test_policies_of_an_equal_twin_keep_their_order_and_visit_the_same_states(equal):
    assert equal.correlation.pearson > 0.98 and equal.correlation.spearman > 0.9
    assert equal.visitation.p > 0.05
    assert equal.visitation.dims == 4
    assert equal.visitation.jsd_mean < 2 * equal.visitation.noise


def test_every_policy_plays_its_episodes_three_times(equal):
    """In the reference, in the twin, and in the twin again for the noise."""
    assert equal.tally.episodes == 15 * 200 * 3
    assert 9 * equal.tally.episodes < equal.tally.steps < 500 * equal.tally.episodes


def test_the_result_is_plain_data_with_the_documented_keys(equal):
    data = json.loads(json.dumps(as_json(equal.record())))
    assert (data["level"], data["verdict"], data["passed"]) == (4, "equivalent", True)
    transfer = data["transfer"]
    assert transfer.keys() == {
        "margin", "margin_why", "alpha", "horizon", "episodes", "stages", "config", "directions",
        "correlation", "visitation", "proposed_margin", "policies",
    }  # fmt: skip
    (direction,) = transfer["directions"]
    assert direction.keys() >= {
        "trained_in", "policies", "verdict", "reason", "n", "mean_reference", "mean_twin",
        "difference", "sd", "low", "high", "p", "p_difference", "power", "margin", "case",
    }  # fmt: skip
    assert transfer["correlation"].keys() == {"pearson", "spearman", "policies"}
    assert transfer["visitation"].keys() >= {"jsd_mean", "jsd_max", "noise", "p", "rows"}
    assert len(transfer["policies"]) == transfer["correlation"]["policies"] == 15
    assert (transfer["margin"], transfer["horizon"], transfer["episodes"]) == (10.0, 500, 200)


# --- seeded mutants --------------------------------------------------------------------

SEEN = {
    "actions are mirrored": "Mirrored",
    "gravity is 15": "pole?gravity=15",
    "the angle limit is 9 degrees": "pole?theta_limit=0.157",
    "the reward is halved": "HalfPay",
    "columns are swapped": "SwappedColumns",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(twin, id=name, marks=[pytest.mark.slow] if number else [])
        for number, (name, twin) in enumerate(SEEN.items())
    ],
)
def test_half_trained_policies_notice(twin, trained):
    result = compared(twin, trained)
    assert result.verdict == "different"
    (direction,) = result.directions
    assert direction.p_difference < 0.05 < direction.p
    assert "more than chance explains" in result.notes[0]


def test_a_twin_that_pays_half_keeps_the_order_of_the_policies_and_is_different(trained):
    """Why a correlation is no verdict."""
    result = compared("HalfPay", trained)
    assert result.correlation.pearson > 0.98
    assert result.visitation.p > 0.05
    assert result.verdict == "different"


# Level 4 tests that the *return* changes by less than the margin; it cannot see more.
UNSEEN = {
    "observations off by one unit in the last place": "LastDigit",
    "no reward for the last step": "UnpaidFall",
    "a track that is 20 cm shorter on either side": "pole?x_limit=2.2",
}


@pytest.mark.slow
def test_policies_do_not_notice_the_last_digit(trained):
    assert compared("LastDigit", trained).verdict == "equivalent"


# --- the room's own plan ---------------------------------------------------------------


@pytest.fixture(scope="module")
def veterans(shared, compile_once):
    """Ten seeds trained as the room says; most of them live for ever in the end."""
    folder = shared / "l4-veterans"
    for job in training_jobs(CARTPOLE, ROOM_PLAN, ROOM_PLAN.seeds, folder):
        job.run()
    return folder


SEEN_BY_VETERANS = SEEN | {
    "gravity is 12": "pole?gravity=12",
    "a tick is 10 % longer": "pole?tick=0.022",
    "starts are twice as wide": "pole?start_range=0.1",
    "time is up after 400 steps": "pole?max_steps=400",
    "the angle limit is 10.3 degrees": "pole?theta_limit=0.18",
}
UNSEEN_BY_VETERANS = UNSEEN | {
    "the pole is 60 % longer": "pole?half_length=0.8",
    "pushes are 10 % weaker": "pole?push=9",
    "pushes are 20 % stronger": "pole?push=12",
    "positions follow the new velocities": "SemiImplicit",
}


@pytest.mark.slow
@pytest.mark.parametrize("twin", SEEN_BY_VETERANS.values(), ids=SEEN_BY_VETERANS)
def test_the_rooms_plan_notices(twin, veterans):
    assert compared(twin, veterans, ROOM_PLAN).verdict == "different"


@pytest.mark.slow
@pytest.mark.parametrize("twin", UNSEEN_BY_VETERANS.values(), ids=UNSEEN_BY_VETERANS)
def test_the_rooms_plan_does_not_notice(twin, veterans):
    """Policies balance a longer pole as well: levels 1 to 3 see these, level 4 cannot."""
    assert compared(twin, veterans, ROOM_PLAN).verdict == "equivalent"


@pytest.mark.slow
@pytest.mark.parametrize("twin", ["pole?half_length=0.8", "pole?push=9", "pole?push=12"])
def test_visited_states_show_what_returns_do_not(twin, veterans):
    result = compared(twin, veterans, ROOM_PLAN)
    assert result.verdict == "equivalent"
    assert result.visitation.p < 0.05
    assert result.visitation.jsd_mean > result.visitation.noise


@pytest.mark.slow
def test_the_rooms_plan_shows_an_equal_twin_equivalent(veterans):
    e = compared("pole", veterans, ROOM_PLAN).directions[0]
    assert (e.verdict, e.n) == ("equivalent", 10)
    assert e.power >= 0.8  # what a room promises; by the training seeds it is 0.98 and more


@pytest.mark.slow
@pytest.mark.parametrize(("horizon", "verdict"), [(500, "equivalent"), (1000, "different")])
def test_a_missing_time_limit_shows_only_beyond_it(horizon, verdict, veterans):
    """Episodes are cut at the horizon; one that equals the limit hides it."""
    plan = replace(ROOM_PLAN, horizon=horizon)
    result = compared("pole?max_steps=100000", veterans, plan)
    assert result.verdict == verdict
    assert any("were cut off" in note for note in result.notes)
