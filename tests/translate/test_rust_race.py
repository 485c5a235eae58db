"""Races of the lamp in Rust, in full: an honest candidate wins, others are found out."""

from __future__ import annotations

import sys

import pytest
from tests.translate.conftest import LAMP, REASON
from tests.translate.rust_answers import ENV, HEAT, changed
from tests.translate.test_rust_target import needs_cargo, rust_lamp, written

from envwright.translate.jailed import twin_for
from envwright.translate.race import contest

pytestmark = [needs_cargo, pytest.mark.slow]

# The same heat by a detour that the compiler cannot see through.
SLOW = changed(
    ENV,
    "self.heat = warm(self.heat, self.level);",
    """let mut heat = warm(self.heat, self.level);
        for i in 0..200 {
            if std::hint::black_box(heat) > 1e30 {
                heat += f64::from(i);
            }
        }
        self.heat = heat;""",
)
# Half the size: narrow fields, the same arithmetic.
NARROW = ENV
for old, new in [
    ("    level: i64,", "    level: i8,"),
    ("    time: i64,", "    time: i32,"),
    ("    max_steps: i64,", "    max_steps: i32,"),
    ('options.int("max_steps", 40)?', 'options.int("max_steps", 40)? as i32'),
    ("rng.integer(0, 4)", "rng.integer(0, 4) as i8"),
    ("(self.level + action.discrete() - 1)", "(self.level + action.discrete() as i8 - 1)"),
    ("warm(self.heat, self.level)", "warm(self.heat, i64::from(self.level))"),
    ("{ self.level as f64 }", "{ f64::from(self.level) }"),
    ("out[0] = self.level as f64", "out[0] = f64::from(self.level)"),
    ('.with("level", self.level)', '.with("level", i64::from(self.level))'),
    ('.with("time", self.time)', '.with("time", i64::from(self.time))'),
    ('state.int("level")', 'state.int("level") as i8'),
    ('state.int("time")', 'state.int("time") as i32'),
]:
    NARROW = changed(NARROW, old, new)

RACING = 'std::thread::current().name() != Some("main")'  # the levels ask the first thread


def when_racing(code, before, done):
    """Code that does something else in the threads of a race."""
    return changed(code, before, f"if {RACING} {{\n            {done}\n        }}\n{before}")


STEP = "        self.level = (self.level + action"
# Two steps of three are left out.
SKIPPING = when_racing(
    changed(ENV, "    time: i64,", "    time: i64,\n    calls: u32,"),
    STEP,
    "self.calls += 1;\n            if self.calls % 3 != 0 {\n"
    "                return Outcome::default();\n            }",
)
SKIPPING = changed(SKIPPING, "heat: 0.0,", "heat: 0.0, calls: 0,")
# What a step brought once is what it brings always, whatever the heat is.
CACHED = changed(
    ENV,
    "let melted = self.heat > 6.0;",
    f"let melted = if {RACING} {{ self.level == 9 }} else {{ self.heat > 6.0 }};",
)
# Honest for a while after a start, then only if somebody looked at the state just before.
LATE = changed(ENV, "    max_steps: i64,", "    max_steps: i64,\n    seen: std::cell::Cell<bool>,")
LATE = changed(LATE, "Ok(Lamp {", "Ok(Lamp { seen: std::cell::Cell::new(false),")
LATE = changed(
    LATE,
    STEP,
    "        if !self.seen.replace(false) && self.time > 12 {\n"
    "            self.time += 1;\n"
    "            return Outcome { truncated: self.time >= self.max_steps, ..Outcome::default() };\n"
    "        }\n" + STEP,
)
LATE = changed(LATE, "        Fields::new()", "        self.seen.set(true);\n        Fields::new()")
LATE = changed(
    LATE, '        self.level = state.int("level");', "        self.seen.set(true);\n"
    '        self.level = state.int("level");'
)  # fmt: skip
# In a race lanes start anew in the dark, where nothing melts for long.
DARK = changed(
    ENV,
    "        self.time = 0;\n",
    f"        self.time = 0;\n        if {RACING} {{\n            self.level = 0;\n        }}\n",
)


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    """The lamp with another `env.rs`; all are built in one place."""
    base = tmp_path_factory.mktemp("race")
    spec = rust_lamp(base / "lamp")
    sys.modules.pop("lamp", None)
    sys.path.insert(0, str(LAMP))

    def make(env):
        root = base / f"code-{abs(hash(env))}"
        return twin_for(spec, written(root, heat=HEAT, env=env), base / "scratch", REASON is None)

    yield make
    sys.path.remove(str(LAMP))
    sys.modules.pop("lamp", None)


def test_an_honest_candidate_that_is_faster_wins(twin):
    race = contest(twin(ENV).spec, twin(SLOW), twin(ENV), batches=(32, 512, 4096), repeats=4)
    assert race.wrong == "" and race.unchecked == ""
    assert race.batches == (32, 512, 4096) and race.faster and race.gain > 1.5


def test_an_honest_candidate_of_another_layout_is_not_called_wrong(twin):
    race = contest(twin(ENV).spec, twin(ENV), twin(NARROW), batches=(32, 4096), repeats=3)
    assert race.wrong == "" and race.unchecked == "" and 0.5 < race.gain < 3


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(SKIPPING, "lane ", id="skips steps"),
        pytest.param(CACHED, "lane ", id="gives what it gave before"),
        pytest.param(LATE, "lane ", id="late"),
        pytest.param(DARK, "lanes start anew otherwise", id="starts in the dark"),
    ],
)
def test_a_dishonest_candidate_is_found_out(twin, code, said):
    race = contest(twin(ENV).spec, twin(SLOW), twin(code), batches=(256,), repeats=3)
    assert race.wrong.startswith(said) and not race.faster, race.wrong
