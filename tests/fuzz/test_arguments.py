"""No argument list makes a command raise, hang, or write where it was not told to.

`make test` tries the same lists every time. Some thousands of others take minutes:

    ENVWRIGHT_FUZZ_ARGUMENTS=5000 python -m pytest tests/fuzz/test_arguments.py -m slow \
        --hypothesis-profile=explore
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz.arguments import COMMANDS, argument_lists, furnish, singles
from tests.fuzz.watched import Outcome, contents, patience, run, work_cut_off

CODES = (0, 1, 2, 3, 4, 5, 6, 130)
QUICK, SHARE = 100, 61  # lists of all commands together; of the values of an option every 61st
PATIENCE = 7200  # seconds for a test; a command takes milliseconds
LONG = int(os.environ.get("ENVWRIGHT_FUZZ_ARGUMENTS", "1000"))
# What a command writes where no output is named.
USUAL = ("play.webp", "report.html", "run.html", "benchmarks")
# Of Python, JAX and matplotlib, which gymnax imports.
CACHES = ("__pycache__", "/compiled/", "/matplotlib", "/dev/null")
TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
DRAFT = re.compile(r"/\.([^/]+)\.[0-9a-f]{8}\.tmp$")  # of a file, beside it

lists = st.sampled_from(sorted(COMMANDS)).flatmap(
    lambda command: argument_lists(command).map(lambda words: [command, *words])
)
unhurried = {"suppress_health_check": list(HealthCheck), "deadline": None}


@pytest.fixture(autouse=True, scope="module")
def cut_off():
    with work_cut_off():
        yield


@pytest.fixture(autouse=True)
def no_hang():
    with patience(PATIENCE):
        yield


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    """A furnished folder; what a command leaves in it is removed after each."""
    folder = tmp_path_factory.mktemp("yard")
    furnish(folder)
    return folder


def check(words: list[str], yard: Path) -> Outcome:
    """Run a command, and hold it to what every command promises."""
    before = contents(yard)
    outcome = run(words, yard)
    after = contents(yard)
    changed = {path for path in before.keys() | after if before.get(path) != after.get(path)}
    if changed:
        _tidy(yard)
    assert outcome.code is None or outcome.code in CODES, (outcome.code, outcome.err)
    assert "Traceback" not in outcome.err
    if outcome.code == 2 and words[1:]:
        said = [line for line in outcome.err.splitlines() if not line.startswith("  ")]
        assert len(said) == 1 and said[0].startswith("envwright: "), outcome.err
        assert not any(_is_obeyed(c) for c in said[0]), said[0]
        assert not changed, "a command that was refused left something behind"
    named = [os.path.join(yard, word.partition("=")[2] or word) for word in words] + [
        os.path.join(yard, name) for name in USUAL
    ]
    allowed = [os.path.realpath(place) for place in named]
    for path in map(os.path.realpath, changed):
        above = any(place.startswith(f"{path}/") for place in allowed)  # was made for it
        assert above or _is_within(path, allowed), path
    for path in outcome.written:
        path = DRAFT.sub(r"/\1", path)
        mine = path.startswith(str(yard)) or any(cache in path for cache in CACHES)
        assert mine or _is_within(path, [tempfile.gettempdir(), *allowed]), path
    return outcome


def _ended(outcome: Outcome) -> str:
    return "accepted" if outcome.code is None else f"exit code {outcome.code}"


def _is_obeyed(letter: str) -> bool:
    """Whether a terminal does something else than show it."""
    controls = unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")
    return controls or unicodedata.bidirectional(letter) in TURNING


def _is_within(path: str, places: list[str]) -> bool:
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in places)


def _tidy(yard: Path) -> None:
    shutil.rmtree(yard)
    yard.mkdir()
    furnish(yard)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_refuses_what_is_no_value_of_it_in_a_sentence(command, yard):
    codes = {check([command, *words], yard).code for words in singles(command, SHARE)}
    assert 2 in codes or command in ("list", "runs")


@settings(max_examples=QUICK, **unhurried)
@given(words=lists)
def test_any_mixture_of_arguments_ends_with_a_documented_code(words, yard):
    check(words, yard)


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_with_every_nasty_value(command, yard, counted):
    counted(command, Counter(_ended(check([command, *each], yard)) for each in singles(command)))


@pytest.mark.slow
def test_many_mixtures_of_arguments_end_with_a_documented_code(yard, counted):
    seen = Counter()

    @settings(max_examples=LONG, **unhurried)
    @given(words=lists)
    def tried(words):
        seen[_ended(check(words, yard))] += 1

    tried()
    counted("mixtures", seen)


def test_the_watch_sees_what_is_written_and_where_work_begins(yard):
    """The checks above can fail: a list is written, and a training is begun."""
    listed = check(["list", "--json", "new.json"], yard)
    assert listed.code == 0 and any("new.json" in path for path in listed.written)
    assert check(["train", "cartpole", "--steps", "1"], yard).code is None
