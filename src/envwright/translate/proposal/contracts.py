"""What is asked of each module, in words that need nothing beside them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from envwright.translate.proposal.calls import Function
from envwright.translate.proposal.look import Look
from envwright.translate.proposal.played import Field
from envwright.translate.proposal.reads import attributes_of
from envwright.translate.proposal.rehearsal import Recorded
from envwright.translate.proposal.spaces import described_space

if TYPE_CHECKING:
    from envwright.translate.proposal.parts import Pairs

WIDTH = 98
GOLDEN = {
    "jax": "{}(inputs: dict) -> dict",
    "rust": "pub fn {}(inputs: &Fields) -> Fields",
}


def item(text: str) -> str:
    """A point of a list, wrapped."""
    return wrapped(f"- {text}", "  ")


def wrapped(text: str, indent: str = "") -> str:
    """In lines that fit a screen."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


# --- helpers ---------------------------------------------------------------------------------


def helper(look: Look, function: Function, pairs: Pairs, backend: str) -> list[str]:
    """A pure function, and the one by which it is tested."""
    given = [*function.parameters, *_state_read(look, pairs), *_options_read(look, function)]
    takes = _taken(look, pairs.recorded) + _by_default(look, function)
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


def state(look: Look, backend: str) -> list[str]:
    """The fields of the state."""
    kind = "a `@pytree_dataclass`" if backend == "jax" else "a struct that is `Clone`,"
    lines = [f"`State`, {kind} with the fields {look.layout.described(backend)}."]
    for name, places in look.layout.padded.items():
        lines.append(
            f"The reference's `{name}` is a list: `{name}` holds its elements in order, then "
            f"zeros, in {places} places, and `{name}_count` says how many there are."
        )
    return [item(line) for line in lines] if look.layout.fields else []


def advance(look: Look, done: list[str]) -> list[str]:
    """The step as a function."""
    noise = ["noise"] if look.step_noise else []
    given = ", ".join(["state", "action", *noise, *(option.name for option in look.chosen)])
    uses = f" It uses {_modules(done)}." if done else ""
    limited = look.subject.simulator.time_limit is not None
    time = " It leaves `time` as it is." if limited else ""
    lines = [
        f"`advance({given}) -> (state, reward, terminated)`: what "
        f"`{look.subject.source.partition(':')[2]}.step` does to the state, its reward and whether "
        f"the episode ends; no observation, no time limit, nothing of rendering.{time}{uses}"
    ]
    return [item(line) for line in lines + _about_noise(look)]


def golden_step(look: Look, pairs: Pairs, backend: str) -> list[str]:
    """The function by which the step is tested."""
    reward, terminated = results(look, pairs.recorded)
    words = {reward: "the reward", terminated: "terminated"}
    gives = ", ".join(
        f'`"{name}"` ({pairs.recorded.outputs[name]}'
        + (f", {words[name]})" if name in words else ", after the step)")
        for name in pairs.outputs
    )
    rest = " `time` is 0 there." if look.subject.simulator.time_limit is not None else ""
    given = _taken(look, pairs.recorded) + _by_default(look, look.functions.get(look.step))
    return [
        item(
            f"`{GOLDEN[backend].format(pairs.ours)}`: `advance` on one recorded call. It takes "
            f"{given} and returns {gives}.{rest}"
        )
    ]


def results(look: Look, recorded: Recorded) -> tuple[str, str]:
    """How a step's reward and its end are named among the outputs of its pairs.

    A step returns observation, reward, terminated, …; what is no data, such as an
    observation in a dict, is left out before they are counted.
    """
    first = int("result.3" in recorded.outputs or "result.0.0" in recorded.outputs)
    return f"result.{first}", f"result.{first + 1}"


# --- the environment --------------------------------------------------------------------------


def environment(look: Look, done: list[str]) -> list[str]:
    """The class of the environment."""
    subject, simulator = look.subject, look.subject.simulator
    options = "".join(f", {option.name}={option.value!r}" for option in look.chosen)
    uses = f", made of {_modules(done)}" if done else ""
    limit = simulator.time_limit
    params = f" with `max_steps` ({limit})" if limit else ""
    seen = look.play.outside
    obs = ", ".join(f"{n} {f}" for n, f in seen.items() if n.startswith("obs"))
    lines = [
        f'`{subject.entry}(dtype="float32"{options})`: a subclass of `Env` with `id = '
        f'"{subject.id}"` and `version = 1`{uses}.',
        f"`Params`, a `@pytree_dataclass`{params}; `default_params = Params()`.",
        f"Actions: {described_space(simulator.action_space)}.",
        f"Observations: {described_space(simulator.observation_space)}; seen as {obs}. Spaces are "
        "compared with the reference's, bounds included.",
        f"Rewards are floats of the constructor's dtype; seen were {_some(seen['reward'])}.",
        *_about_start(look),
        *([] if "dynamics" in done else _about_noise(look)),
        *_about_end(look),
    ]
    return [item(line) for line in lines]


def game(look: Look, done: list[str]) -> list[str]:
    """The environment as a program in Rust."""
    simulator, seen = look.subject.simulator, look.play.outside
    options = ", ".join(f"`{o.name}` ({o.value!r} unless given)" for o in look.chosen)
    limit = simulator.time_limit
    uses = f", made of {_modules(done)}" if done else ""
    lines = [
        f"`{look.subject.entry}`: a struct that implements `Game`{uses}. `state()` names the "
        "fields of `State`.",
        *([f"`new` reads the options {options}."] if options else []),
        f"Actions: {described_space(simulator.action_space)}.",
        f"Observations: {described_space(simulator.observation_space)}. Spaces are compared with "
        "the reference's, bounds included.",
        f"Rewards seen were {_some(seen['reward'])}.",
        *([f"`time` counts steps; an episode is truncated after {limit}."] if limit else []),
        "`start` gives starts of the law said above; it is compared.",
        *_about_noise(look),
        *_about_end(look),
    ]
    return [item(line) for line in lines]


def _about_start(look: Look) -> list[str]:
    if look.follows_draws:
        layout = "; ".join(str(channel) for channel in look.start_noise)
        return [
            f"The noise of a start is a dict: {layout}. `draw_start` draws it with the same law "
            "and in these shapes, `start` makes the state of it; the harness also hands over the "
            "reference's own draws, in the order in which they were made."
        ]
    if not look.subject.simulator.records_draws:
        return ["Starts: their law must be that of the reference, which is compared."]
    return ["`draw_start` and `start` together give starts of the law said above; it is compared."]


def _about_noise(look: Look) -> list[str]:
    if look.step_noise:
        layout = "; ".join(str(channel) for channel in look.step_noise)
        return [
            f"Steps are random. The noise of a step is a dict: {layout}. `transition` uses the "
            "elements of each array in the order in which the reference draws them, as many as it "
            "needs; `draw` makes all places, with the same law. The harness hands over the "
            "reference's own draws in the same shapes, zeros in the places that were not drawn."
        ]
    if any(look.play.step_draws) and not look.play.stochastic:
        return ["The reference draws in a step, but nothing depends on it: leave that out."]
    return []


def _about_end(look: Look) -> list[str]:
    lines = []
    if look.subject.simulator.time_limit is None:
        lines.append(
            "There is no time limit around the reference: truncated is what its own step returns "
            "as such."
        )
    if look.rehearsal.goes_on:
        bookkeeping = "; attributes that are None after a reset count as None"
        lines.append(
            "A step from a state in which the episode is over already follows the same rules as "
            f"any other{bookkeeping if look.subject.env is not None else ''}."
        )
    return lines


# --- words -------------------------------------------------------------------------------------


def _taken(look: Look, recorded: Recorded) -> str:
    texts = []
    for name, column in recorded.inputs.items():
        names = look.layout.names_of(name.removeprefix("self.")) if "self." in name else []
        parts = f": {', '.join(names)}" if len(names) > 1 else ""
        texts.append(f'`inputs["{name}"]` ({column}{parts})')
    return ", ".join(texts)


def _state_read(look: Look, pairs: Pairs) -> list[str]:
    return [name for a in pairs.recorded.attributes for name in look.layout.names_of(a)]


def _options_read(look: Look, function: Function) -> list[str]:
    read = attributes_of(function, look.functions) if function.is_method else []
    return [o.name for o in look.chosen if o.name in read or f"_{o.name}" in read]


def _by_default(look: Look, function: Function | None) -> str:
    """The values of options that no recorded call carries."""
    names = _options_read(look, function) if function is not None else []
    values = [f"`{o.name} = {o.value!r}`" for o in look.chosen if o.name in names]
    return f" with {', '.join(values)}" if values else ""


def _modules(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _some(field: Field) -> str:
    values = ", ".join(f"{value:g}" for value in sorted(field.values))
    return values if 0 < len(field.values) < 9 else f"numbers up to {field.largest:.3g} in size"
