"""A reference that is only written down: its examples are all there is to compare with."""

from __future__ import annotations

import pytest
from tests.translate.answers import ENV, HEAT, WRONG_HEAT, turn
from tests.translate.scripted import Scripted

from envwright.errors import EnvwrightError
from envwright.translate.run import EXITS
from envwright.translate.spec import load_spec

RULES = "A lamp keeps three quarters of its heat and gains a sixteenth of the level's square.\n"
SPEC = """
[environment]
id = "lamp"

[reference]
specification = "rules.md"

[target]
backend = "jax"
package = "fast_lamp"
entry = "Lamp"

[[modules]]
name = "heat"
file = "heat.py"
contract = "`warm(heat, level)`; `golden_warm(inputs) -> {\\"result\\": …}`."

[[modules.golden]]
ours = "golden_warm"
examples = [
  { inputs = { heat = 0.0, level = 4 }, outputs = { result = 1.0 } },
  { inputs = { heat = 1.0, level = 0 }, outputs = { result = 0.75 } },
]

[[modules]]
name = "env"
file = "env.py"
"""


@pytest.fixture
def written(tmp_path):
    (tmp_path / "rules.md").write_text(RULES)
    (tmp_path / "translation.toml").write_text(SPEC)
    return tmp_path


def test_examples_are_shown_and_judged_and_more_is_not_claimed(written, run_of):
    spec = load_spec(written)
    assert spec.levels == (1,)
    agent = Scripted([turn(heat=WRONG_HEAT), turn(heat=HEAT), turn(env=ENV)])
    finish = run_of(agent, levels=spec.levels, spec=spec).go()
    assert finish.outcome == "inconclusive" and EXITS[finish.outcome] == 3
    assert "no simulator" in finish.reason
    first, repair = agent.asked[0].prompt, agent.asked[1].prompt
    assert RULES.strip() in first and "'heat': 0.0, 'level': 4" in first
    assert "the specification's example gives" in repair


def test_pairs_that_nobody_can_record_are_refused_with_what_to_write(written):
    path = written / "translation.toml"
    start, end = SPEC.index("examples"), SPEC.index('[[modules]]\nname = "env"')
    path.write_text(SPEC[:start] + 'target = "lamp:LampEnv.warm"\n' + SPEC[end:])
    with pytest.raises(EnvwrightError, match="write examples"):
        load_spec(written)


def test_examples_that_name_other_things_are_refused(written):
    path = written / "translation.toml"
    path.write_text(SPEC.replace("{ heat = 1.0, level = 0 }", "{ heat = 1.0 }"))
    with pytest.raises(EnvwrightError, match=r"toml:\d+: .*the same in all of them"):
        load_spec(written)
