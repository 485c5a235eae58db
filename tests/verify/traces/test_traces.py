"""Traces: a planted bug is found, made small with the room's own move, saved and replayed."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from tests.verify.traces import toy
from tests.verify.traces.toy import COUNTS, Adder, Count, RaisingAdder, Script, WrongAdder, count
from typer.testing import CliRunner

from envwright.cli.app import app
from envwright.core import registry
from envwright.errors import EnvwrightError
from envwright.schema.divergence import Trace, load_divergence
from envwright.verify.replay import replay, smaller
from envwright.verify.traces.compare import differences
from envwright.verify.traces.kinds import find_traces

LONG = Script(41, [2, 4, 6, 7, 1, 7, 3])


@pytest.fixture(autouse=True)
def room(monkeypatch):
    monkeypatch.setitem(registry._ROOMS, toy.ROOM.name, toy.ROOM)


def counts(number: int = 30) -> list[Count]:
    rng = np.random.default_rng(0)
    scripts = [Script(i, rng.integers(0, 9, i % 7).tolist()) for i in range(number)]
    return [count(script, f"count {i}") for i, script in enumerate(scripts)]


def saved(folder) -> Trace:
    (found,) = differences(WrongAdder(), [count(LONG)])
    return COUNTS.divergence(2, found, LONG, "a wrong adder").save(folder)


# --- comparing ---------------------------------------------------------------------------


def test_equal_traces_show_nothing_however_they_are_batched():
    for lanes, fixed in ((0, False), (4, False), (4, True), (64, True)):
        engine = Adder()
        engine.lanes, engine.fixed = lanes, fixed
        assert differences(engine, counts()) == []
        if fixed:
            assert set(engine.batches) == {lanes}


def test_a_difference_names_trace_step_field_and_both_values():
    traces = [count(Script(0, [1, 2])), count(LONG, "the long one")]
    (found,) = differences(WrongAdder(), traces)
    assert (found.trace, found.step) == (1, 4)
    assert (found.first.field, found.first.reference, found.first.twin) == ("total", 60, 50)
    assert str(found) == "the long one, after action 4: total: 60 | 50"


def test_differences_do_not_depend_on_the_batches():
    expected = differences(WrongAdder(), counts(60))
    assert len(expected) > 5
    assert [d.step for d in expected] == sorted(d.step for d in expected)
    for lanes in (1, 4, 7):
        engine = WrongAdder()
        engine.lanes = lanes
        assert differences(engine, counts(60)) == expected


def test_one_difference_is_enough_if_no_more_are_asked_for():
    assert len(differences(WrongAdder(), counts(60), most=1)) == 1


def test_an_engine_that_raises_is_found_for_the_traces_alone_that_make_it_raise():
    traces = counts(9)
    traces[5] = count(Script(1, [1, 9, 1]))
    (found,) = differences(RaisingAdder(), traces)
    assert (found.trace, found.step, found.raised) == (5, 2, "ValueError: no nines")


def test_every_trace_is_counted_once():
    done: list[int] = []
    engine = Adder()
    engine.lanes = 4
    differences(engine, counts(), told=done.append)
    assert max(done) == done[-1] == 30


# --- shrinking ---------------------------------------------------------------------------


def test_generic_moves_and_the_rooms_own_make_a_trace_small(tmp_path):
    small = COUNTS.shrink(saved(tmp_path))
    # An odd total and a seven are needed; 41 becomes 1 by the room's own move.
    assert (int(small.start["start"]), small.actions) == (1, [7])
    assert (small.reference_value, small.twin_value, small.step) == (8, -2, 0)


def test_replay_shrinks_a_trace_and_saves_it_beside_the_file(tmp_path):
    kept = saved(tmp_path)
    done = CliRunner().invoke(app, ["replay", kept.path, "--shrink"])
    assert done.exit_code == 1, done.output
    (small,) = [load_divergence(p) for p in tmp_path.iterdir() if str(p) != kept.path]
    assert small.actions == [7] and small.path in "".join(done.output.split())
    again = msgspec.structs.replace(kept, trace="again").save(tmp_path)
    with pytest.raises(EnvwrightError, match="leave --shrink out"):
        smaller(again)


def test_a_trace_that_agrees_cannot_be_shrunk(tmp_path, monkeypatch):
    monkeypatch.setattr(toy.Counts, "engine", Adder)
    with pytest.raises(EnvwrightError, match="nothing to shrink"):
        COUNTS.shrink(saved(tmp_path))


def test_a_script_that_the_reference_rejects_is_no_candidate():
    with COUNTS.recorder() as record:
        assert COUNTS.smaller(Script(1, [-7]), WrongAdder(), record, budget=10) is None


def test_shrinking_keeps_to_its_budget(tmp_path):
    tried: list[Script] = []

    def record(script: Script) -> Count:
        tried.append(script)
        return count(script)

    COUNTS.smaller(LONG, WrongAdder(), record, budget=3)
    assert len(tried) == 4  # the script itself, and three smaller ones


# --- saving and replaying ----------------------------------------------------------------


def test_a_saved_trace_comes_back_and_shows_again_until_the_bug_is_gone(tmp_path, monkeypatch):
    kept = saved(tmp_path)
    loaded = load_divergence(kept.path)
    assert isinstance(loaded, Trace) and loaded.actions == LONG.actions
    assert loaded == msgspec.structs.replace(kept, start=loaded.start)
    shown = replay(loaded)
    assert shown.shows and "total: 60 | 50" in shown.mismatch
    monkeypatch.setattr(toy.Counts, "engine", Adder)
    assert not replay(loaded).shows


def test_a_check_can_be_run_again_by_name(tmp_path):
    again = msgspec.structs.replace(saved(tmp_path), trace="again", seed=7)
    assert replay(again).mismatch == "seed 7 differs again"


def test_a_file_names_registered_traces_and_nothing_else(tmp_path):
    kept = saved(tmp_path)
    assert find_traces(kept) is COUNTS
    for changes, said in (
        ({"trace": "os:system"}, "has no traces named 'os:system'; it has counts, again"),
        ({"room": "os"}, "unknown environment 'os'"),
    ):
        with pytest.raises(EnvwrightError, match=said):
            replay(msgspec.structs.replace(kept, **changes))
