"""The contract of each module, in self-contained words."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from envwright.translate.proposal.calls import Function
from envwright.translate.proposal.noise import calls_of
from envwright.translate.proposal.played import Field
from envwright.translate.proposal.reads import attributes_of
from envwright.translate.proposal.rehearsal import Recorded
from envwright.translate.proposal.spaces import described_space
from envwright.translate.proposal.survey import Survey

if TYPE_CHECKING:
    from envwright.translate.proposal.modules import Pairs

WIDTH = 98
SHOWN = 8  # calls of the generator that are written out
GOLDEN = {
    "jax": "{}(inputs: dict) -> dict",
    "rust": "pub fn {}(inputs: &Fields) -> Fields",
}


def item(text: str) -> str:
    """Format a list item, wrapped."""
    return wrapped(f"- {text}", "  ")


def wrapped(text: str, indent: str = "") -> str:
    """Wrap into lines that fit a screen."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


# --- helpers ---------------------------------------------------------------------------------


def helper(survey: Survey, function: Function, pairs: Pairs, backend: str) -> list[str]:
    """Describe a pure function and the function that tests it."""
    given = [*function.parameters, *_state_read(survey, pairs), *_options_read(survey, function)]
    takes = _taken(survey, pairs.recorded) + _by_default(survey, function)
    return [
        item(f"`{function.short}({', '.join(given)})`: what `{function.name}` computes."),
        item(
            f"`{GOLDEN[backend].format(pairs.ours)}`: the same on one recorded call. It takes "
            f"{takes} and returns {_gives(pairs)}."
        ),
    ]


def _gives(pairs: Pairs) -> str:
    columns = pairs.recorded.outputs
    if pairs.outputs == ("result",):
        column = columns["result"]
        many = ", in the order in which they are returned" if column.shape else ""
        return f'`"result"` ({column}{many})'
    named = ", ".join(f'`"{name}"` ({columns[name]})' for name in pairs.outputs)
    return f"{named}: the values that it returns, counted from 0"


# --- state and step ---------------------------------------------------------------------------


def state(survey: Survey, backend: str) -> list[str]:
    """Describe the fields of the state."""
    kind = "a `@pytree_dataclass`" if backend == "jax" else "a struct that is `Clone`,"
    lines = [f"`State`, {kind} with the fields {survey.layout.described(backend)}."]
    for name, places in survey.layout.padded.items():
        lines.append(
            f"The reference's `{name}` is a list: `{name}` holds its elements in order, then "
            f"zeros, in {places} places, and `{name}_count` says how many there are."
        )
    return [item(line) for line in lines] if survey.layout.fields else []


def advance(survey: Survey, done: list[str]) -> list[str]:
    """Describe the step as a function."""
    noise = ["noise"] if survey.step_noise else ["rng"] if _rolls(survey) else []
    given = ", ".join(["state", "action", *noise, *(option.name for option in survey.chosen)])
    uses = f" It uses {_modules(done)}." if done else ""
    limited = survey.subject.simulator.time_limit is not None
    time = " It leaves `time` as it is." if limited else ""
    lines = [
        f"`advance({given}) -> (state, reward, terminated)`: what "
        f"`{survey.subject.source.partition(':')[2]}.step` does to the state, its reward "
        "and whether the episode ends; no observation, no time limit, nothing of rendering."
        f"{time}{uses}"
    ]
    return [item(line) for line in lines + _about_noise(survey)]


def golden_step(survey: Survey, pairs: Pairs, backend: str) -> list[str]:
    """Describe the function that tests the step."""
    reward, terminated = results(survey, pairs.recorded)
    words = {reward: "the reward", terminated: "terminated"}
    gives = ", ".join(
        f'`"{name}"` ({pairs.recorded.outputs[name]}'
        + (f", {words[name]})" if name in words else ", after the step)")
        for name in pairs.outputs
    )
    rest = " `time` is 0 there." if survey.subject.simulator.time_limit is not None else ""
    given = _taken(survey, pairs.recorded) + _by_default(survey, survey.functions.get(survey.step))
    return [
        item(
            f"`{GOLDEN[backend].format(pairs.ours)}`: `advance` on one recorded call. It takes "
            f"{given} and returns {gives}.{rest}"
        )
    ]


def results(survey: Survey, recorded: Recorded) -> tuple[str, str]:
    """Return the names of a step's reward and termination among the outputs of its pairs.

    A step returns observation, reward, terminated, …. Outputs that are not data, such as an
    observation in a dict, are left out before counting.
    """
    first = int("result.3" in recorded.outputs or "result.0.0" in recorded.outputs)
    return f"result.{first}", f"result.{first + 1}"


# --- the environment --------------------------------------------------------------------------


def environment(survey: Survey, done: list[str]) -> list[str]:
    """Describe the environment's class."""
    subject, simulator = survey.subject, survey.subject.simulator
    options = "".join(f", {option.name}={option.value!r}" for option in survey.chosen)
    uses = f", made of {_modules(done)}" if done else ""
    limit = simulator.time_limit
    params = f" with `max_steps` ({limit})" if limit else ""
    seen = survey.play.outside
    obs = ", ".join(f"{n} {f}" for n, f in seen.items() if n.startswith("obs"))
    lines = [
        f'`{subject.entry}(dtype="float32"{options})`: a subclass of `Env` with `id = '
        f'"{subject.id}"` and `version = 1`{uses}.',
        f"`Params`, a `@pytree_dataclass`{params}; `default_params = Params()`.",
        f"Actions: {described_space(simulator.action_space)}.",
        f"Observations: {described_space(simulator.observation_space)}; seen as {obs}. Spaces are "
        "compared with the reference's, bounds included.",
        f"Rewards are floats of the constructor's dtype; seen were {_some(seen['reward'])}.",
        *_about_start(survey),
        *([] if "dynamics" in done else _about_noise(survey)),
        *_about_end(survey),
    ]
    return [item(line) for line in lines]


def game(survey: Survey, done: list[str]) -> list[str]:
    """Describe the environment as a Rust program."""
    simulator, seen = survey.subject.simulator, survey.play.outside
    options = ", ".join(f"`{o.name}` ({o.value!r} unless given)" for o in survey.chosen)
    limit = simulator.time_limit
    uses = f", made of {_modules(done)}" if done else ""
    lines = [
        f"`{survey.subject.entry}`: a struct that implements `Game`{uses}. `state()` names the "
        "fields of `State`.",
        *([f"`new` reads the options {options}."] if options else []),
        f"Actions: {described_space(simulator.action_space)}.",
        f"Observations: {described_space(simulator.observation_space)}. Spaces are compared with "
        "the reference's, bounds included.",
        f"Rewards seen were {_some(seen['reward'])}.",
        *([f"`time` counts steps; an episode is truncated after {limit}."] if limit else []),
        "`start` follows the law of starts described above, which is compared.",
        *_about_noise(survey),
        *_about_end(survey),
    ]
    return [item(line) for line in lines]


def _about_start(survey: Survey) -> list[str]:
    if survey.follows_draws:
        layout = "; ".join(str(channel) for channel in survey.start_noise)
        return [
            f"The noise of a start is a dict: {layout}. `draw_start` draws it with the same law "
            "and in these shapes, `start` makes the state of it; the harness also hands over the "
            "reference's own draws, in the order in which they were made."
        ]
    if not survey.subject.simulator.records_draws:
        return ["Starts: their law must be that of the reference, which is compared."]
    return ["`draw_start` and `start` together follow the law described above, which is compared."]


def _rolls(survey: Survey) -> bool:
    """Whether a step takes a generator."""
    return survey.tapes and survey.play.stochastic


def _about_noise(survey: Survey) -> list[str]:
    if _rolls(survey):
        calls = ", ".join(f"`{call}`" for call in calls_of(survey.play.step_draws)[:SHOWN])
        return [
            f"Steps are random: write `random_step`, and `step` as `unreachable!()`. The reference "
            f"draws {calls}. Draw the same numbers with the methods of `Rng` that the table in "
            "`harness/rng.rs` names, as often and in the same order: a step that is compared is "
            "given the reference's own numbers."
        ]
    if survey.step_noise:
        layout = "; ".join(str(channel) for channel in survey.step_noise)
        return [
            f"Steps are random. The noise of a step is a dict: {layout}. `transition` uses the "
            "elements of each array in the order in which the reference draws them, as many as it "
            "needs; `draw` makes all places, with the same law. The harness hands over the "
            "reference's own draws in the same shapes, zeros in the places that were not drawn."
        ]
    if any(survey.play.step_draws) and not survey.play.stochastic:
        return ["The reference draws in a step, but nothing depends on it: leave that out."]
    return []


def _about_end(survey: Survey) -> list[str]:
    lines = []
    if survey.subject.simulator.time_limit is None:
        lines.append(
            "There is no time limit around the reference: truncated is what its own step returns "
            "as such."
        )
    if survey.rehearsal.goes_on:
        bookkeeping = "; attributes that are None after a reset count as None"
        lines.append(
            "A step from a state in which the episode is over already follows the same rules as "
            f"any other{bookkeeping if survey.subject.env is not None else ''}."
        )
    return lines


# --- words -------------------------------------------------------------------------------------


def _taken(survey: Survey, recorded: Recorded) -> str:
    texts = []
    for name, column in recorded.inputs.items():
        names = survey.layout.names_of(name.removeprefix("self.")) if "self." in name else []
        parts = f": {', '.join(names)}" if len(names) > 1 else ""
        texts.append(f'`inputs["{name}"]` ({column}{parts})')
    return ", ".join(texts)


def _state_read(survey: Survey, pairs: Pairs) -> list[str]:
    return [name for a in pairs.recorded.attributes for name in survey.layout.names_of(a)]


def _options_read(survey: Survey, function: Function) -> list[str]:
    read = attributes_of(function, survey.functions) if function.is_method else []
    return [o.name for o in survey.chosen if o.name in read or f"_{o.name}" in read]


def _by_default(survey: Survey, function: Function | None) -> str:
    """Describe the values of options that no recorded call contains."""
    names = _options_read(survey, function) if function is not None else []
    values = [f"`{o.name} = {o.value!r}`" for o in survey.chosen if o.name in names]
    return f" with {', '.join(values)}" if values else ""


def _modules(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _some(field: Field) -> str:
    values = ", ".join(f"{value:g}" for value in sorted(field.values))
    return values if 0 < len(field.values) < 9 else f"numbers up to {field.largest:.3g} in size"
