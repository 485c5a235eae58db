"""What the judge does where code does not answer, and what it judges beside the checks."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from msgspec import structs

from envwright.sim.conversation import TooLate
from envwright.sim.simulator import TwinRaised
from envwright.translate.by_default import unchecked_defaults
from envwright.translate.judge import ONLY_ITS_OWN, Judge
from envwright.translate.verdict import Failure, Verdict


@pytest.fixture
def judge(lamp):
    twin = SimpleNamespace(strangers=lambda report: [f"it has loaded {name}" for name in report])
    return Judge(lamp, twin, [])


def raises(error):
    def answer(*_):
        raise error

    return answer


def elsewhere(judge, answer):
    verdict, pair = Verdict(3), SimpleNamespace(twin=SimpleNamespace(elsewhere=answer))
    judge._elsewhere(verdict, judge.spec.checks[0], pair)
    return verdict


@pytest.mark.parametrize("error", [TwinRaised("TypeError"), RuntimeError("the process ended")])
def test_code_that_raises_where_it_is_not_compiled_fails(judge, error):
    (failure,) = elsewhere(judge, raises(error)).failures
    assert str(error) in failure.summary


def test_code_that_takes_too_long_there_is_undecided(judge):
    verdict = elsewhere(judge, raises(TooLate("no answer within 180 s")))
    assert not verdict.green and not verdict.failures and "180 s" in verdict.undecided


def test_code_that_does_the_same_there_passes(judge):
    assert elsewhere(judge, lambda seed: "").green


def test_code_that_does_not_report_what_it_has_loaded_fails(judge):
    verdict = Verdict(3)
    judge._has_loaded_only_its_own(verdict, raises(TwinRaised("TypeError")))
    (failure,) = verdict.failures
    assert failure.test == ONLY_ITS_OWN and "does not report" in failure.summary


def test_a_process_that_ended_has_failed_already(judge):
    verdict = Verdict(3, failures=[Failure("steps", "", "the process ended")])
    judge._has_loaded_only_its_own(verdict, raises(RuntimeError("the process ended")))
    assert len(verdict.failures) == 1


@pytest.mark.parametrize(
    ("options", "unchecked"),
    [
        ([{"dtype": "float64"}], [{}]),
        ([{"dtype": "float64"}, {"dtype": "float32"}], []),
        ([{"dtype": "float64"}, {}], []),
        ([{}], []),
        ([{"dtype": "float64", "wind": 1}, {"dtype": "float32"}], [{"wind": 1}]),
    ],
)
def test_defaults_that_no_check_has_are_judged(lamp, options, unchecked):
    checks = tuple(structs.replace(lamp.checks[0], options=each) for each in options)
    found = unchecked_defaults(replace(lamp, checks=checks))
    assert [check.options for check in found] == unchecked
