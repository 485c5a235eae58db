"""Helpers stay functions where they can, and the program remains exact."""

import re
import subprocess
import sys

import numpy as np
import pytest
from tests.agents.compiler import helper_toys, toys
from tests.agents.compiler.workbench import compiled, differences, imported, integers

from envwright.agents.compiler.compile import Compiled
from envwright.agents.compiler.emit.goldens import Goldens, name_of
from envwright.agents.compiler.emit.modules import Writer
from envwright.agents.compiler.emit.plan import _gives
from envwright.agents.compiler.facts import watch
from envwright.agents.compiler.functions import Function
from envwright.agents.compiler.job import Job
from envwright.schema.translation import Golden, Module
from envwright.sim.gymnasium_env import GymnasiumSimulator
from envwright.verify.golden import save_golden


def translated(name, folder, *channels):
    """The text of a toy, after every step of it was found equal to the class."""
    cls = getattr(helper_toys, name)
    text, simulator = compiled(cls, folder, step=channels)
    env = imported({"env.py": text}, f"fast_{name.lower()}", folder).Fast("float64")
    found = differences(env, simulator, channels=channels, episodes=20, steps=40)
    assert found == []
    return text


def heads(text):
    """The helpers, by their first lines."""
    before = text.partition("\ndef advance(")[0]
    return re.findall(r"^def (.*):$", before, re.M)


def body(text, function):
    """The lines of one function."""
    return text.partition(f"\ndef {function}(")[2].partition("\n\n\n")[0]


def test_a_helper_is_written_once_and_called_twice(tmp_path):
    text = translated("Twice", tmp_path)
    assert heads(text) == ["bent(x, by)"]
    assert "return rounded(0.7 * x) + by" in body(text, "bent")
    step = body(text, "advance")
    assert "    # once\n    bent_x = bent(state.x, state.y)\n" in step
    assert "bent(bent_x, " in step and "0.7" not in step


def test_known_whole_numbers_make_two_functions_and_known_floats_are_given(tmp_path):
    text = translated("Specialised", tmp_path)
    assert heads(text) == ["turned(x, y)", "turned_2(x, y)", "kept_within(x, low, high)"]
    step = body(text, "advance")
    assert len(re.findall(r"turned\(", step)) == len(re.findall(r"turned_2\(", step)) == 2
    assert "kept_within(x, -LIMIT, LIMIT)" in step and "kept_within(y, -0.75, 1.25)" in step


def test_two_dtypes_make_two_functions_where_they_are_not_written_alike(tmp_path):
    text = translated("Dtypes", tmp_path)
    assert heads(text) == ["smoothed(x)", "narrowed(x)", "narrowed_2(x)"]
    step = body(text, "advance")
    assert "smoothed(smoothed(action[0]))" in step and "narrowed(narrowed(action[0]))" in step
    assert "narrowed_2(smoothed(state.x))" in step and "narrowed_2(smoothed(state.y))" in step


def test_a_helper_is_called_in_a_loop_and_in_its_condition(tmp_path):
    text = translated("Looped", tmp_path)
    assert heads(text) == ["bent(x, by)"]
    inside = body(text, "advance").partition("while_loop")[0]
    assert "bent(x, -0.2) > 0.1" in inside and "x = bent(x, -0.3)" in inside


def test_helpers_call_helpers(tmp_path):
    text = translated("Nested", tmp_path)
    assert heads(text) == ["bent(x, by)", "squeezed(x)"]
    assert "return bent(bent(x, 0.25), -x)" in body(text, "squeezed")
    assert "squeezed(state.x) + squeezed(state.y)" in body(text, "advance")


def test_attributes_that_a_method_reads_are_its_parameters(tmp_path):
    text = translated("Reading", tmp_path)
    assert heads(text) == ["energy(weight, x, y)", "far(x, y)"]
    step = body(text, "advance")
    assert "energy(0.5, state.x, state.y)" in step and "far(state.x, state.y)" in step
    assert "energy(0.5, bent, y)" in step


def test_a_helper_that_writes_draws_or_shares_is_written_where_it_is_called(tmp_path):
    text = translated("Writing", tmp_path, integers(2))
    assert heads(text) == []


def test_a_helper_may_return_early_but_a_loop_in_it_must_know_its_branch(tmp_path):
    text = translated("Graded", tmp_path)
    assert heads(text) == ["graded(x)"]
    step = body(text, "advance")
    assert "graded(" in step and "while_loop" in step  # as a call, and where a branch calls it


def test_nothing_is_joined_across_a_call(tmp_path):
    text = translated("Rounding", tmp_path)
    step = body(text, "advance")
    assert "stretched(rounded(0.7 * state.x), 0.1)" in step
    assert "rounded(product(x, state.y)) + state.y" in step
    assert "exact_div" in body(text, "stretched")


def test_nothing_is_joined_across_a_call_with_arrays(tmp_path):
    text = translated("Packed", tmp_path)
    assert heads(text) == ["spun(values)"]


def test_records_dicts_and_objects_go_in_and_come_out(tmp_path):
    text = translated("Structures", tmp_path)
    assert {"described(p_x, p_y, q_y)", "use(x)", "pushed(force, x)"} <= set(heads(text))
    assert "perhaps" not in "".join(heads(text))


def test_arrays_and_lists_go_in_and_come_out(tmp_path):
    text = translated("Arrays", tmp_path)
    assert heads(text)[:2] == ["arranged(values)", "best(values)"]
    step = body(text, "advance")
    assert "a = arranged(state.v)" in step and "k, most = best(a)" in step


def turned_in_a_module_of_its_own(folder, times):
    """A toy's helper that is tested by itself, with what was recorded of it, and its program."""
    golden = Golden(
        target="tests.agents.compiler.helper_toys:turned",
        ours="golden_turned",
        outputs=("result.0", "result.1"),
    )
    modules = (Module("turned", "turned.py", golden=(golden,)), Module("env", "env.py"))
    numbers = {name: np.float64(0.5) for name in ("x", "y", "result.0", "result.1")}
    calls = [(numbers | {"times": np.int64(t)}, numbers) for t in times]
    save_golden(folder / "turned-golden_turned.npz", calls)
    simulator = GymnasiumSimulator(helper_toys.Specialised(), "Specialised")
    job = Job("Specialised", "fast_turned", "Fast", "fast", 1, modules, folder)
    facts = watch(job, simulator, places={}, step=[], start=None)
    texts = {m.file: Writer(Compiled(facts)).file(m, Goldens(folder)) for m in modules}
    env = imported(texts, "fast_turned", folder).Fast("float64")
    assert differences(env, simulator) == []
    return texts


def test_a_tested_helper_is_the_one_that_the_program_calls(tmp_path):
    texts = turned_in_a_module_of_its_own(tmp_path, [2, 2])
    assert "def turned(x, y):" in texts["turned.py"] and "while_loop" not in texts["turned.py"]
    assert 'results = turned(inputs["x"], inputs["y"])' in texts["turned.py"]
    assert "from fast_turned.turned import turned\n" in texts["env.py"]
    assert heads(texts["env.py"])[0] == "turned_2(x, y)"


def test_a_helper_that_was_recorded_with_other_known_arguments_is_another_one(tmp_path):
    texts = turned_in_a_module_of_its_own(tmp_path, [2, 1])
    assert "def turned(x, y, times):" in texts["turned.py"]
    assert "fast_turned" not in texts["env.py"]
    assert heads(texts["env.py"])[:2] == ["turned_2(x, y)", "turned_3(x, y)"]


def test_names_that_the_program_needs_are_kept_apart(tmp_path):
    text = translated("Names", tmp_path)
    assert heads(text) == ["observe_2(values, jnp_)"]
    assert "def observe(state):" in text


@pytest.mark.parametrize("name", ["observe", "advance", "first_state"])
def test_a_tested_helper_never_has_the_name_of_a_function_of_the_program(name):
    golden = Golden(target=f"somewhere:Thing.{name}", ours=f"golden_{name}", outputs=("result",))
    assert name_of(golden) == f"{name}_2"


@pytest.mark.parametrize("name", ["Reading", "Specialised"])
def test_the_same_helpers_give_the_same_text(name, tmp_path):
    cls = getattr(helper_toys, name)
    first, second = (compiled(cls, tmp_path)[0] for _ in range(2))
    assert first == second


@pytest.mark.parametrize("cls", [helper_toys.Graded, helper_toys.Packed, toys.Child, toys.Rounding])
def test_a_formatter_leaves_the_text_as_it_is(cls, tmp_path):
    pytest.importorskip("ruff")
    text, _ = compiled(cls, tmp_path)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=100", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert done.stdout == text


def test_a_helper_with_a_tuple_inside_its_tuple_is_not_taken_for_a_flat_one():
    flat = Function(len, (), (), (), results=(3, 4, 1.0), single=False)
    assert _gives(flat, {f"result.{k}": np.zeros(5) for k in range(3)})
    assert _gives(flat, {"result": np.zeros((5, 3))})
    assert not _gives(flat, {"result.0": np.zeros((5, 2)), "result.1": np.zeros(5)})
    assert not _gives(flat, {"result": np.zeros(5)})
