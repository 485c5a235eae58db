"""A child process as a simulator: sound, wrong, dying, and talking nonsense."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.sim.encoding import decode, encode
from envwright.sim.resolve import open_simulator
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair

EXAMPLE = Path(__file__).parents[2] / "examples" / "command_simulator.py"
SHORT = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4")
REFERENCE = "gymnasium:MountainCar-v0"
SMALL = Effort(episodes=4, visited=2, fuzzed=150, boundary=20, starts=1000, examples=8)


def command(path):
    return f"command:{sys.executable} {path}"


def verify(twin, effort=SMALL):
    return verify_pair(PairSpec(REFERENCE, twin), effort=effort)


@pytest.fixture
def changed(tmp_path):
    """The example with something replaced."""

    def write(old, new):
        text = EXAMPLE.read_text()
        assert old in text
        path = tmp_path / "changed.py"
        path.write_text(text.replace(old, new))
        return command(path)

    return write


def test_the_documented_example_is_gymnasiums_mountain_car():
    report = verify(command(EXAMPLE))
    assert [level.verdict for level in report.levels] == ["equal"] * 3
    assert "states have the same fields" in report.notes
    assert report.levels[2].tally.steps >= 400


def test_a_wrong_wall_is_found(changed):
    wrong = changed("velocity = 0.0  # the wall on the left", "pass")
    (found,) = verify(wrong, Effort((1,), visited=2, fuzzed=150, boundary=0, starts=0)).divergences
    assert found.reference_value == 0 and found.twin_value < 0
    assert float(found.start["state"][0]) < -1.1


def test_numbers_survive_the_pipe_to_the_last_bit():
    with open_simulator(command(EXAMPLE)) as car:
        car.reset(0)
        state = {"state": np.array([0.1, np.nextafter(0.02, 1)]), "time": np.asarray(3)}
        car.load(state)
        assert all(np.array_equal(car.state()[k], v) for k, v in state.items())
        car.step(1)
        car.load(state)
        first, second = car.step(2), (car.load(state), car.step(2))[1]
        assert all(np.array_equal(first[k], second[k]) for k in first)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "bool", *SHORT])
def test_arrays_survive_the_pipe_in_any_dtype(dtype):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    array = np.array([[0, 1, 3], [5, 6, 7]]).astype(kind)
    answer = decode(json.loads(json.dumps(encode({"x": array, "y": array[0, 1]}, packed=True))))
    np.testing.assert_array_equal(np.asarray(answer["x"]).astype(kind), array)
    assert np.asarray(answer["y"]).astype(kind) == array[0, 1]


def test_a_program_that_dies_in_a_step_diverges_there_on_every_level(changed):
    dying = changed(
        "    self.time += 1", "    self.time += 1; self.velocity > 0.002 and sys.exit()"
    )
    report = verify(dying)
    assert [level.verdict for level in report.levels] == ["different"] * 3
    for found in report.divergences:
        assert found.raised == "RuntimeError: the process ended"
        assert found.step >= 0


def test_an_error_that_the_program_answers_is_passed_on(changed):
    refusing = changed(
        "        answer = getattr",
        "        answer = {'error': 'out of fuel'} if question['op'] == 'step' else getattr",
    )
    (found,) = verify(
        refusing, Effort((1,), visited=1, fuzzed=5, boundary=0, starts=10)
    ).divergences
    assert found.raised == "out of fuel"


PROGRAMS = {
    "garbage": ("print('hello', flush=True)", "not a JSON object: 'hello'"),
    "a number": ("print(3, flush=True)", "not a JSON object: '3'"),
    "nothing": ("", "the process ended"),
    "no spaces": ("print('{}', flush=True)", "KeyError: 'action'"),
    "odd spaces": ("""print('{"action": {"n": "many"}}', flush=True)""", "ValueError"),
}


@pytest.mark.parametrize(("program", "sentence"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_that_does_not_describe_itself_gets_one_sentence(program, sentence, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(f"{program}\ninput()\n" if program else "")
    with pytest.raises(EnvwrightError, match="did not describe its spaces") as caught:
        open_simulator(command(path))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", ["/no/such/program", "'unfinished", "/"])
def test_a_program_that_cannot_be_started_gets_one_sentence(line):
    with pytest.raises(EnvwrightError, match="cannot start"):
        open_simulator(f"command:{line}")


def test_a_reference_that_dies_is_bad_input(changed):
    dying = changed("    self.time += 1", "    sys.exit()")
    with pytest.raises(EnvwrightError, match=r"raised RuntimeError .*the process ended"):
        PairSpec(dying, REFERENCE).open()


def test_garbage_in_the_middle_diverges_there(changed):
    babbling = changed("    self.time += 1", "    self.time += 1\n        print('step')")
    report = verify(babbling, Effort((1,), visited=1, fuzzed=5, boundary=0, starts=10))
    assert report.divergences[0].raised == "RuntimeError: not a JSON object: 'step'"


def test_closing_ends_the_program():
    car = open_simulator(command(EXAMPLE))
    child = car._talk._child
    car.close()
    assert child.returncode == 0
    car.close()


def test_a_program_that_falls_silent_is_not_waited_for_for_ever(changed, monkeypatch):
    monkeypatch.setattr("envwright.sim.conversation.PATIENCE", 0.5)
    with open_simulator(changed("    self.time += 1", "    import time; time.sleep(600)")) as car:
        car.reset(0)
        with pytest.raises(RuntimeError, match="no answer within"):
            car.step(1)


FLOODING = """
import sys
input()
while True:
    sys.stdout.write("x" * 10_000)
"""
DEAF = """
import time
print('{"action": {"n": 2}, "observation": {"n": 2}, "does": ["step_table"]}', flush=True)
time.sleep(600)
"""


def test_an_answer_without_end_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr("envwright.sim.bounds.SPARE", 100_000)
    path = tmp_path / "flooding.py"
    path.write_text(FLOODING)
    with pytest.raises(EnvwrightError, match=r"more than 3,200,000 bytes"):
        open_simulator(command(path))


def test_somebody_who_does_not_listen_is_not_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "deaf.py"
    path.write_text(DEAF)
    with open_simulator(command(path)) as deaf:
        deaf._talk._patience = 0.5
        states = [{"x": np.zeros(100_000)}] * 20
        with pytest.raises(RuntimeError, match="no answer within"):
            deaf.step_many(states, [0] * 20)


@pytest.mark.parametrize("space", ['{"n": 0}', '{"n": 1e400}', "[]", '{"low": [[1]], "high": 2}'])
def test_a_space_that_is_none_gets_one_sentence(tmp_path, space):
    path = tmp_path / "odd.py"
    path.write_text(f'input()\nprint(\'{{"action": {space}, "observation": {space}}}\')\n')
    with pytest.raises(EnvwrightError, match="did not describe its spaces"):
        open_simulator(command(path))
