"""Every effect at work in random states of the reference: it acts, and no card is lost."""

import pytest
from tests.zoo.tcgpocket.states import check_record

from envwright.zoo.tcgpocket.checks import effects


@pytest.mark.parametrize("named", effects.all_effects(), ids=str)
def test_an_effect_acts_in_random_states_and_leaves_them_whole(named):
    traces = effects.traces_of(named, seed=0)
    acting = {trace.start.record for trace in traces if effects.acted(named, trace)}
    assert len(acting) == effects.TIMES
    for trace in traces:
        check_record(trace.records[-1])
