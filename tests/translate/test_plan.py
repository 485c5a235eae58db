"""Algorithm 1 as a state machine: what follows from what, without doing anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envwright.schema.translation import Budget
from envwright.translate.journal import Event
from envwright.translate.plan import (
    Finish,
    JudgeLevels,
    JudgeModules,
    Repair,
    Translate,
    WriteInteractions,
    fold,
    next_move,
)

USAGE = {"prompt": 10, "cached": 0, "output": 1, "calls": 1, "dollars": 0.5}
ALL = (1, 2, 3, 4)


def asked(turn):
    return Event("asked", 0.0, {"turn": turn})


def answered(purpose, status="ok", files=None, **more):
    files = {"src/p/a.py": f"v{id(object())}"} if files is None else files
    data = {"purpose": purpose, "status": status, "files": files, "meddled": [], "reason": "why"}
    return Event("answered", 0.0, {**data, "usage": USAGE, "seconds": 2.0, **more})


def judged(*levels, failed=None, whole=True, regressions=()):
    failure = {"test": "t", "module": "", "summary": "s", "detail": ""}
    verdicts = [
        {"level": n, "passed": ["p"], "failures": [failure] if n == failed else [], "notes": []}
        for n in levels
    ]
    data = {"verdicts": verdicts, "regressions": list(regressions), "whole": whole}
    return Event("judged", 0.0, {**data, "seconds": 1.0})


MODULES = [
    asked(1),
    answered("translate"),
    judged(1, whole=False),
    asked(2),
    answered("translate"),
    judged(1),
]


@pytest.fixture
def move(lamp):
    def after(*events, levels=ALL, spec=lamp):
        return next_move(fold(events, spec, levels), spec, levels)

    return after


def test_modules_come_one_by_one_each_judged_with_those_before(move):
    assert move() == Translate(0)
    assert move(*MODULES[:2]) == JudgeModules(1)
    assert move(*MODULES[:3]) == Translate(1)
    assert move(*MODULES[:5]) == JudgeModules(2)


def test_after_level_1_come_the_others_each_once(move):
    assert move(*MODULES) == JudgeLevels((2,))
    assert move(*MODULES, judged(2)) == JudgeLevels((3,))
    assert move(*MODULES, judged(2), judged(3)) == JudgeLevels((4,))
    assert move(*MODULES, judged(2), judged(3), judged(4)) == Finish("verified")


def test_a_repair_of_a_later_level_is_judged_from_level_1_on(move):
    failed = (*MODULES, judged(2), judged(3, failed=3))
    assert isinstance(move(*failed), Repair) and move(*failed).verdict.level == 3
    repaired = (*failed, asked(3), answered("repair"))
    assert move(*repaired) == JudgeLevels((1, 2, 3))
    assert move(*repaired, judged(1, 2, failed=2)).verdict.level == 2


def test_a_repair_that_changes_only_tests_changes_nothing(move):
    failed = (*MODULES, judged(2, failed=2))
    idle = (*failed, asked(3), answered("repair", files={"tests/own/test_a.py": "x"}))
    assert isinstance(move(*idle), Repair)
    again = [asked(4), answered("repair", files={})] * 2
    assert move(*idle, *again) == Finish("human", "the agent changed nothing 3 times in a row")


def test_attempts_are_counted_per_stage_and_anew_after_a_person_came(move, lamp):
    spec = replace(lamp, budget=Budget(per_level=2))
    trail = [asked(1), answered("translate"), judged(1, failed=1)]
    for turn in (2, 3):
        assert isinstance(move(*trail, spec=spec), Repair)
        trail += [asked(turn), answered("repair"), judged(1, failed=1)]
    stop = move(*trail, spec=spec)
    assert isinstance(stop, Finish) and stop.outcome == "human"
    trail += [Event("ended", 0.0, {"outcome": "human"}), Event("resumed", 0.0, {})]
    assert isinstance(move(*trail, spec=spec), Repair)


def test_levels_that_are_switched_off_are_skipped(move):
    first = [asked(1), answered("translate")]
    assert move(*first, levels=(3,)) == Translate(1)
    both = [*first, asked(2), answered("translate")]
    assert move(*both, levels=(3,)) == JudgeLevels((3,))
    assert move(*both, judged(3), levels=(3,)) == Finish("verified")
    assert move(*MODULES, levels=(1, 3)) == JudgeLevels((3,))


def test_tests_between_modules_are_asked_for_once_where_some_are_named(move, lamp):
    spec = replace(lamp, interactions=("a then b",))
    assert move(*MODULES, spec=spec) == WriteInteractions()
    done = (*MODULES, asked(3), answered("interactions", files={"tests/own/test_i.py": "x"}))
    assert move(*done, spec=spec) == JudgeLevels((2,))


def test_a_turn_that_failed_and_changed_nothing_is_asked_again_and_thrice_is_enough(move):
    dead = [asked(1), answered("translate", "crash", {})]
    assert move(*dead) == Translate(0)
    assert move(*dead * 3).outcome == "agent"
    worked = [*dead * 2, asked(2), answered("translate", "timeout")]
    assert move(*worked) == JudgeModules(1), "what it wrote before it ran out of time counts"


def test_crashes_count_even_if_the_agent_edited_a_file(move):
    """Otherwise an agent that fills the disk could do so for ever."""
    crash = [asked(1), answered("repair", "crash"), judged(1, failed=1)]
    began = [asked(1), answered("translate"), judged(1, failed=1)]
    assert isinstance(move(*began, *crash * 2), Repair)
    assert move(*began, *crash * 3).outcome == "agent"
    assert isinstance(move(*began, *crash * 2, asked(1), answered("repair"), *crash), Repair)


@pytest.mark.parametrize(("status", "outcome"), [("auth", "agent"), ("budget", "budget")])
def test_a_refusal_ends_the_run_until_it_is_resumed(move, status, outcome):
    refused = [asked(1), answered("translate", status, {})]
    assert move(*refused).outcome == outcome
    ended = [*refused, Event("ended", 0.0, {"outcome": outcome}), Event("resumed", 0.0, {})]
    assert move(*ended) == Translate(0)


def test_usage_and_time_add_up_and_a_turn_without_end_is_pending(lamp):
    at = fold([*MODULES, asked(3)], lamp, ALL)
    assert (at.usage.tokens, at.usage.dollars, at.seconds) == (22, 1.0, 6.0)
    assert (at.turns, at.pending) == (3, 3)
    assert fold(MODULES, lamp, ALL).pending is None


def test_new_tests_are_kept_in_order(lamp):
    events = [*MODULES, judged(2, failed=2, regressions=["a"]), asked(3), answered("repair")]
    events += [judged(1, 2, failed=2, regressions=["b"])]
    assert fold(events, lamp, ALL).regressions == ("a", "b")


def test_what_cannot_be_decided_is_not_put_down_to_the_agent(move):
    undecided = judged(4)
    undecided.data["verdicts"][0]["undecided"] = "too few seeds"
    trail = (*MODULES, judged(2), judged(3), undecided)
    assert move(*trail) == Finish("inconclusive", "too few seeds")
    resumed = (Event("ended", 0.0, {"outcome": "inconclusive"}), Event("resumed", 0.0, {}))
    assert move(*trail, *resumed) == JudgeLevels((4,))
