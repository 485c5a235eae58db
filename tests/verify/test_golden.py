"""Golden pairs: what a function was given and gave, written down, kept and compared."""

from __future__ import annotations

import sys
from types import ModuleType

import gymnasium
import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.schema.tolerance import Tol, Tolerances
from envwright.verify.golden import (
    Some,
    compare_golden,
    instrumented,
    load_golden,
    save_golden,
    table,
)

TOY = """
import math

def damage(power, defence=10):
    return power * 2 / defence

def split(deck, at):
    return deck[:at], deck[at:]

def announce(text, volume):
    return None

class Unit:
    def __init__(self, hp):
        self.hp, self.name = hp, "unit"

    def hit(self, by):
        if by < 0:
            raise ValueError("by")
        self.hp = self.hp - damage(by)
        return self.hp, self.hp > 0

    @staticmethod
    def cap(x):
        return min(x, 99)

    @classmethod
    def double(cls, x):
        return 2 * x

class Hero(Unit):
    pass
"""


@pytest.fixture
def toy():
    module = ModuleType("toy_game")
    exec(TOY, module.__dict__)
    for value in vars(module).values():
        if getattr(value, "__module__", None) == "builtins":
            value.__module__ = "toy_game"
    sys.modules["toy_game"] = module
    yield module
    del sys.modules["toy_game"]


# --- recording -------------------------------------------------------------------------


def test_a_functions_arguments_and_result_are_written_down(toy):
    with instrumented("toy_game:damage") as calls:
        assert toy.damage(30) == 6.0
        toy.damage(5, defence=20)
    inputs, outputs = table(calls)
    assert inputs["power"].tolist() == [30, 5]
    assert inputs["defence"].tolist() == [10, 20]  # a default is an input too
    assert outputs["result"].tolist() == [6.0, 0.5]


def test_a_methods_object_is_written_down_before_and_after(toy):
    unit = toy.Unit(10.0)
    with instrumented("toy_game:Unit.hit", ("hp",)) as calls:
        unit.hit(30)
        unit.hit(25)
    inputs, outputs = table(calls)
    assert inputs["self.hp"].tolist() == [10.0, 4.0]
    assert outputs["self.hp"].tolist() == outputs["result.0"].tolist() == [4.0, -1.0]
    assert outputs["result.1"].tolist() == [True, False]


def test_what_is_no_number_is_left_out(toy):
    with instrumented("toy_game:announce") as calls:
        toy.announce("hello", 3)
    ((given, result),) = calls
    assert (list(given), result) == (["volume"], {})


@pytest.mark.parametrize("call", ["Unit.cap", "Unit.double"])
@pytest.mark.parametrize("through", ["the class", "an object"])
def test_static_and_class_methods_are_recorded_as_well(toy, call, through):
    owner = toy.Unit if through == "the class" else toy.Unit(1)
    with instrumented(f"toy_game:{call}") as calls:
        value = getattr(owner, call.partition(".")[2])(7)
    ((given, result),) = calls
    assert (given["x"], result["result"]) == (7, value)


@pytest.mark.parametrize("target", ["damage", "Unit.hit", "Unit.cap", "Unit.double", "Hero.hit"])
def test_everything_is_put_back_afterwards(toy, target):
    owner = toy if "." not in target else getattr(toy, target.partition(".")[0])
    before = dict(vars(owner))
    with pytest.raises(RuntimeError), instrumented(f"toy_game:{target}"):
        raise RuntimeError
    assert dict(vars(owner)) == before


def test_a_call_that_raises_is_not_a_pair_and_raises_on(toy):
    unit = toy.Unit(10.0)
    with instrumented("toy_game:Unit.hit", ("hp",)) as calls:
        with pytest.raises(ValueError, match="by"):
            unit.hit(-1)
        unit.hit(5)
    assert len(calls) == 1


def test_a_function_is_recorded_where_it_is_looked_up():
    lake = gymnasium.make("FrozenLake-v1")
    with instrumented("gymnasium.envs.toy_text.frozen_lake:categorical_sample") as calls:
        lake.reset(seed=0)
    assert len(calls) == 1


def test_recorded_values_do_not_change_afterwards(toy):
    deck = np.arange(4)
    with instrumented("toy_game:split") as calls:
        toy.split(deck, 2)
    deck += 10
    ((given, result),) = calls
    assert given["deck"].tolist() == [0, 1, 2, 3]
    assert result["result.0"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("toy_game:heal", "no attribute 'heal'"),
        ("toy_game:Unit.heal", "no attribute 'Unit.heal'"),
        ("no_game:damage", "no module"),
        ("toy_game", "not of the form module:attribute"),
    ],
)
def test_a_target_that_is_not_there_gets_one_sentence(toy, target, sentence):
    with pytest.raises(EnvwrightError, match=sentence), instrumented(target):
        pass


def test_an_attribute_that_is_not_there_gets_one_sentence(toy):
    told = pytest.raises(EnvwrightError, match="Unit has no attribute 'mana'")
    with instrumented("toy_game:Unit.hit", ("mana",)), told:
        toy.Unit(1).hit(1)


def test_no_calls_and_calls_of_different_shapes_make_no_table(toy):
    with pytest.raises(EnvwrightError, match="never called"):
        table([])
    with instrumented("toy_game:split") as calls:
        toy.split(np.arange(4), 1)
        toy.split(np.arange(4), 2)
    with pytest.raises(EnvwrightError, match="differ in shape"):
        table(calls)


# --- keeping and comparing -------------------------------------------------------------


@pytest.fixture
def calls(toy):
    with instrumented("toy_game:damage") as recorded:
        for power in range(20):
            toy.damage(power, 7)
    return recorded


def test_a_file_gives_back_what_was_recorded(calls, tmp_path):
    path = tmp_path / "new" / "damage.npz"
    save_golden(path, calls)
    for loaded, recorded in zip(load_golden(path), table(calls), strict=True):
        assert loaded.keys() == recorded.keys()
        assert all(np.array_equal(loaded[k], v) for k, v in recorded.items())
    assert [p.name for p in path.parent.iterdir()] == ["damage.npz"]


@pytest.mark.parametrize("content", [None, b"", b"hello"])
def test_a_file_without_golden_pairs_is_named(content, tmp_path):
    path = tmp_path / "golden.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EnvwrightError, match=r"golden\.npz"):
        load_golden(path)


def test_the_right_function_agrees_and_a_wrong_one_is_found_with_its_inputs(calls):
    golden = table(calls)

    def right(given):
        return {"result": given["power"] * 2 / given["defence"]}

    def wrong(given):
        return {"result": right(given)["result"] + (given["power"] == 13)}

    assert compare_golden(golden, right, Tolerances()) is None
    row, inputs, mismatch = compare_golden(golden, wrong, Tolerances())
    assert (row, int(inputs["power"])) == (13, 13)
    assert mismatch.field == "result"
    assert compare_golden(golden, wrong, Tolerances(Tol(atol=1.0, why="a test"))) is None


def test_a_function_may_account_for_some_of_the_outputs_but_for_no_others(calls):
    golden = table(calls)
    with pytest.raises(EnvwrightError, match="no golden output is called 'critical'"):
        compare_golden(golden, lambda given: {"critical": given["power"]}, Tolerances())


def test_some_of_many_calls_are_kept_each_as_likely_as_any():
    kept = np.zeros(40)
    for seed in range(600):
        some, chosen = Some(10, seed), []
        for number in range(40):
            place = some.place()
            if place is not None:
                chosen[place : place + 1] = [number]
        assert len(chosen) == 10
        kept[chosen] += 1
    assert kept.min() > 100 and kept.max() < 200  # 150 each
