"""What is said before a run begins."""

from __future__ import annotations

import re

import pytest
from tests.translate.answers import ENV, HEAT, turn
from tests.translate.scripted import Scripted

from envwright.translate.estimate import estimate
from envwright.translate.goldens import record
from envwright.translate.run import Reporter


def test_more_repairs_cost_more_and_longer_prompts_too(lamp, tmp_path):
    recordings = record(lamp, tmp_path)
    with_examples, without = estimate(lamp, recordings), estimate(lamp, [])
    low, high = with_examples.usage
    assert with_examples.turns == (2, 14)
    assert 0 < low.tokens < high.tokens and low.cached < low.prompt
    assert without.usage[0].tokens < low.tokens


class Paid(Scripted):
    def price(self, usage):
        return usage.tokens / 1e6


@pytest.mark.slow
def test_who_has_to_pay_is_told_before_the_first_turn_and_not_again(run_of):
    said = []
    agent = Paid([turn(heat=HEAT), turn(env=ENV)])
    run = run_of(agent, levels=(1,))
    run.reporter = Reporter(lambda text: said.append((len(agent.asked), text)))
    run.go()
    told = [(asked, text) for asked, text in said if text.startswith("estimate")]
    assert len(told) == 1 and told[0][0] == 0
    assert re.search(
        r"2 to 14 turns, [\d,]+ to [\d,]+ tokens, .*\$\d+\.\d\d to \$\d+\.\d\d", told[0][1]
    )
