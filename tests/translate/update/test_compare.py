"""Two versions of a reference: what is the same, what is text, and what behaves differently."""

from __future__ import annotations

from tests.translate.answers import changed
from tests.translate.update.conftest import SOURCE, TOML, lamp_with

HEAT = "return 0.75 * heat + 0.0625 * level * level"
DOC = '"""Heat after a tick; it rises with the square of the level."""'


def test_equal_versions_are_the_same_and_say_how_many_calls_agree(versions):
    found = versions(SOURCE)
    assert found.verdicts == {"heat": "same", "env": "same"} and found.differ == set()
    assert found.modules["heat"].calls > 50
    assert "calls with equal inputs agree" in found.modules["heat"].why


def test_a_docstring_is_text_and_no_code(versions):
    found = versions(lamp_with((DOC, '"""The heat of the next tick."""  # in degrees')))
    assert found.verdicts == {"heat": "text", "env": "text"}
    assert [text.code for text in found.modules["heat"].texts] == [False]
    assert found.modules["heat"].why.startswith("only comments")


def test_code_that_does_the_same_is_text_with_its_calls_as_evidence(versions):
    found = versions(
        lamp_with((HEAT, "square = level * level\n        return 0.75 * heat + 0.0625 * square"))
    )
    heat = found.modules["heat"]
    assert (heat.verdict, found.differ) == ("text", set())
    assert heat.texts[0].code and heat.calls > 50 and "agree" in heat.why


def test_a_changed_function_shows_the_first_call_with_both_answers(versions):
    found = versions(lamp_with((HEAT, HEAT.replace("0.0625", "0.125"))))
    assert found.verdicts["heat"] == "behaviour"
    (function,) = found.modules["heat"].functions
    assert 0 < function.differ <= function.calls
    heat, level = function.inputs["heat"], function.inputs["level"]
    assert function.old["result"] == 0.75 * heat + 0.0625 * level * level
    assert function.new["result"] == 0.75 * heat + 0.125 * level * level
    assert {"single steps", "episodes"} <= found.differ and "starts" not in found.differ
    assert "seed " in found.parts["episodes"].first and "step " in found.parts["episodes"].first


def test_a_function_is_compared_on_equal_inputs_only(versions):
    """Steps turn the lamp up by two, so that `warm` sees other levels and is the same."""
    found = versions(lamp_with(("self.level + action - 1", "self.level + 2 * action - 1")))
    heat = found.modules["heat"]
    assert heat.verdict == "same" and heat.calls > 0
    assert found.verdicts["env"] == "behaviour"


def test_the_last_bit_of_a_float_is_a_difference(versions):
    found = versions(lamp_with((HEAT, "return 0.75 * heat + 0.0625 * level * level + 2e-16")))
    assert found.verdicts["heat"] == "behaviour"


def test_a_function_that_is_gone_is_a_change_of_behaviour(versions):
    gone = lamp_with(("def warm(", "def warmed("), ("self.warm(", "self.warmed("))
    found = versions(gone)
    heat = found.modules["heat"]
    assert heat.verdict == "behaviour" and "lamp:LampEnv.warm is gone" in heat.why
    assert found.differ == set(), "the environment does the same without it"


def test_other_parameters_are_a_change_of_behaviour(versions):
    found = versions(
        lamp_with(("def warm(self, heat, level):", "def warm(self, heat, level, on=1):"))
    )
    assert found.verdicts["heat"] == "behaviour"
    assert (
        "takes other parameters" in found.modules["heat"].why
        and "on=1" in found.modules["heat"].why
    )


def test_a_step_that_now_raises_is_reported_with_its_exception(versions):
    found = versions(lamp_with((HEAT, "raise ValueError('no lamp')")))
    assert "ValueError: no lamp" in found.parts["single steps"].first
    assert found.verdicts["env"] == "behaviour"


def test_changed_draws_of_a_reset_belong_to_the_last_module(versions):
    toml = changed(TOML, 'source = ["LampEnv"]', 'source = ["LampEnv._seen"]')
    found = versions(lamp_with(("integers(4)", "integers(5)")), toml=toml)
    assert found.differ >= {"starts", "episodes"} and "single steps" not in found.differ
    assert found.verdicts == {"heat": "same", "env": "behaviour"}
    assert found.modules["env"].why.endswith("starts")


def test_spaces_limits_and_info_are_compared(versions):
    found = versions(lamp_with(("Box(0.0, 10.0, (2,)", "Box(0.0, 10.5, (2,)")))
    assert found.differ == {"declared"} and "10.5" in found.parts["declared"].first
    found = versions(lamp_with(("self.time >= 40, {}", 'self.time >= 40, {"hot": melted}')))
    assert found.differ == {"info"} and "info.hot is new" in found.parts["info"].first
    assert found.verdicts["heat"] == "same"


def test_without_equal_inputs_nothing_is_claimed(versions):
    """Nothing calls the function any more, and its code differs: no evidence either way."""
    found = versions(
        lamp_with(
            ("self.heat = self.warm(self.heat, self.level)", "self.heat = 0.5 * self.heat"),
            (HEAT, HEAT.replace("0.0625", "0.125")),
        )
    )
    assert found.verdicts["heat"] == "inconclusive"


def test_steps_that_draw_are_compared_from_the_same_numbers(versions):
    toml = TOML.replace("LampEnv", "RestlessLamp").replace("RestlessLamp.warm", "LampEnv.warm")
    assert versions(SOURCE, toml=toml).differ == set()
    found = versions(lamp_with(("uniform(0.0, 0.1)", "uniform(0.0, 0.2)")), toml=toml)
    assert "single steps" in found.differ
