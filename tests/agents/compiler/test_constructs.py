"""What the compiler understands: each toy equals the class that it was made of, exactly."""

import re
from pathlib import Path

import pytest
from tests.agents.compiler import toys
from tests.agents.compiler.workbench import compiled, differences, imported, integers

from envwright.agents.compiler import Unsupported
from envwright.agents.compiler.interpreter import Machine
from envwright.agents.compiler.trouble import Impossible
from envwright.core.bridge import SameNames

PLAIN = [
    "EarlyReturns", "Rounding", "WholeNumbers", "Grid", "Loops", "Child", "Patience", "Oddities",
]  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_a_step_equals_the_class_it_was_made_of(name, tmp_path):
    text, simulator = compiled(getattr(toys, name), tmp_path)
    env = imported({"env.py": text}, f"fast_{name.lower()}", tmp_path).Fast("float64")
    assert differences(env, simulator) == []


def test_lists_that_grow_and_loops_that_draw_equal_the_class(tmp_path):
    channels = [integers(20)]
    text, simulator = compiled(
        toys.Hand, tmp_path, {"cards": 24, "bank": 24}, channels, [integers(1)]
    )
    env = imported({"env.py": text}, "fast_hand", tmp_path).Fast("float64")
    assert differences(env, simulator, Padded(), channels) == []
    assert "while_loop" in text


class Padded(SameNames):
    """Lists as places and a count."""

    def to_twin(self, state):
        twin = {}
        for name, values in state.items():
            twin[name] = [*values, *[0] * (24 - len(values))]
            twin[f"{name}_count"] = len(values)
        return twin

    def to_reference(self, state):
        return {n: state[n][: int(state[f"{n}_count"])] for n in ("cards", "bank")}


def test_names_and_remarks_of_the_source_are_kept(tmp_path):
    text, _ = compiled(toys.WholeNumbers, tmp_path)
    assert re.search(r"^    x = .*% 41 - 20$", text, re.M)
    assert re.search(r"^    # whether it is odd\n    odd = ", text, re.M)
    text, _ = compiled(toys.Grid, tmp_path)
    assert "MOVES_0" in text  # a table by the name of the list
    assert "x: jax.Array" not in text and "grid: jax.Array  # int32[3, 4]" in text


def test_members_of_an_enumeration_are_constants_by_their_names(tmp_path):
    text, _ = compiled(toys.Oddities, tmp_path)
    assert "GEAR_HIGH = 5\n" in text and "jnp.where(state.x > 0, GEAR_HIGH, GEAR_LOW)" in text


def test_draws_are_apart_from_dynamics(tmp_path):
    text, _ = compiled(toys.Hand, tmp_path, {"cards": 24, "bank": 24}, [integers(20)])
    advance = text.partition("def advance(")[2].partition("\ndef ")[0]
    assert 'noise["integers"]' in advance and "jax.random" not in advance
    assert "jax.random.randint(key, (20,), 1, 11)" in text


def test_the_same_class_gives_the_same_text(tmp_path):
    first, second = (compiled(toys.Child, tmp_path)[0] for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("name", "construct", "line"),
    [
        ("Words", "a decision that depends on an unknown text", 'word == "left"'),
        ("Unfinished", "a set of unknown values", "seen = {action, 1}"),
    ],
)
def test_what_it_cannot_do_is_told_with_file_line_and_advice(name, construct, line, tmp_path):
    with pytest.raises(Unsupported) as told:
        compiled(getattr(toys, name), tmp_path)
    source = Path(toys.__file__).read_text().splitlines()
    said = str(told.value)
    place = re.match(r"toys\.py:(\d+): ", said)
    assert place and line in source[int(place[1]) - 1]
    assert construct in said and "; " in said


def test_numpy_s_global_generator_is_refused_and_not_asked_once_for_all():
    with pytest.raises(
        Unsupported, match=r"choice of a random generator .* draw from self.np_random"
    ):
        Machine(toys.Child()).run(toys.gambled, [], {})


def test_a_function_that_raises_either_way_is_told_with_both_reasons():
    machine = Machine(toys.Child())
    told = r"neither branch can be: .*raises here \(toys.py:\d+\); .*nobody.*\(toys.py:\d+\)"
    with pytest.raises(Impossible, match=told):
        machine.run(toys.lost, [machine.graph.input("x", 1.0)], {})


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Hidden", "the attribute log, which a step reads and changes"),
        ("Dealt", "changes a Deck in self.deck"),
        ("Stacked", "a change of a list that outlives the step, in Deck.hands"),
    ],
)
def test_state_that_nobody_can_load_is_refused(name, told, tmp_path):
    with pytest.raises(Unsupported, match=told):
        compiled(getattr(toys, name), tmp_path)
