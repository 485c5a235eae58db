"""The files of a proposal: `translation.toml`, and `bridge.py` where a table cannot say it."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Sequence
from typing import Any

from envwright.schema.translation import Check, Tolerance
from envwright.translate.constraints import LANGUAGE
from envwright.translate.proposal.closeness import DOUBLE, SINGLE, rounded_up
from envwright.translate.proposal.modules import ProposedModule
from envwright.translate.proposal.noise import calls_of
from envwright.translate.proposal.survey import Survey
from envwright.translate.templates import templates

TURNS = (24, 12)  # per translation, and per module


def document(
    look: Survey,
    parts: list[ProposedModule],
    backend: str,
    why: str,
    folder: str,
    package: str,
) -> str:
    """The text of `translation.toml`."""
    subject = look.subject
    return _filled(
        "translation.toml.jinja",
        name=subject.name,
        title=subject.title,
        id=subject.id,
        steps=look.play.steps,
        folder=folder,
        source=subject.source,
        package=subject.package if subject.source else "",
        about_reference=_about_reference(look),
        backend=backend,
        language=LANGUAGE[backend],
        why_backend=why,
        package_name=package,
        entry=subject.entry,
        constraints=constraints(look, backend),
        parts=parts,
        checks=checks(look, backend),
        about_checks=_about_checks(look),
        bridge=_bridge(look),
        goes_on=look.rehearsal.goes_on,
        interactions=_interactions(parts),
        transfer_command=_transfer_command(look, package),
        iterations=TURNS[0] + TURNS[1] * len(parts),
        **_margin(look),
    )


def bridge_file(look: Survey) -> str:
    """The text of `bridge.py`."""
    pairs = look.layout.pairs
    renamed = any(ours != theirs for theirs, ours in pairs.items())
    columns = {k: v if isinstance(v, str) else tuple(v) for k, v in pairs.items()}
    return _filled(
        "bridge.py.jinja",
        name=look.subject.name,
        entry=look.subject.entry,
        columns=columns if renamed else {},
        padded=look.layout.padded,
        follows=look.follows_draws,
        start=look.start_noise,
        step=look.step_noise,
    )


def constraints(look: Survey, backend: str) -> list[str]:
    """What holds for all modules: constructor, state, starts."""
    options = "".join(f", and `{o.name}` ({o.value!r} unless given)" for o in look.chosen)
    lines = []
    if backend == "jax":
        lines.append(
            f'The constructor of `{look.subject.entry}` takes `dtype` ("float32" or "float64", a '
            f"text){options}. Floats below have that dtype."
        )
    if look.layout.fields:
        lines.append(f"The fields of `State` are {look.layout.described(backend)}.")
    drawn = calls_of(look.play.start_draws)
    if drawn:
        calls = ", then ".join(f"`{call}`" for call in drawn[:8])
        lines.append(f"At a reset the reference draws from NumPy's generator: {calls}.")
    if look.closeness.precision == SINGLE and backend == "jax":
        lines.append(
            "The reference itself leaves its state in float32 after a step: keep the state in the "
            "constructor's dtype all the same."
        )
    return lines


def checks(look: Survey, backend: str) -> list[tuple[str, Check]]:
    """List float64, float32, and one check for each option that matters, with comments."""
    exact = tuple(look.closeness.check(DOUBLE))
    double = {"dtype": "float64"} if backend == "jax" else {}
    own = "The reference's own precision: a difference in the rules cannot hide."
    found = [(own, Check("float64", double, listed_tolerances=exact))]
    if backend == "jax":
        usual = "What training uses: a step may differ by rounding, and by nothing else."
        single = tuple(look.closeness.check(SINGLE))
        found.append((usual, Check("float32", {"dtype": "float32"}, listed_tolerances=single)))
    for option in look.chosen:
        check = Check(
            option.name,
            double | {option.name: option.other},
            look.subject.with_option(option.name, option.other),
            listed_tolerances=exact,
        )
        found.append((f"The option {option.name}, with another value than usual.", check))
    return found


# --- parts -----------------------------------------------------------------------------------


def _about_reference(look: Survey) -> list[str]:
    play, lines = look.play, []
    for option in look.options:
        if not option.matters:
            lines.append(f"The option {option.name} stays {option.value!r}: {option.fixed}.")
    if play.unended:
        lines.append(
            "Episodes may go on for long: with ?max_episode_steps=500 behind its name, Gymnasium "
            "ends them."
        )
    if not look.subject.simulator.loads:
        lines.append("Its state is not shown: no fuzzed states, and only whole episodes compared.")
    elif not play.complete:
        lines.append("It cannot be put back into a state by what it shows: no fuzzed states.")
    if look.layout.unbridged:
        names = ", ".join(look.layout.unbridged)
        lines.append(f"No fixed size could be found for {names}: give State fields and a bridge.")
    return lines


def _about_checks(look: Survey) -> list[str]:
    lines = [
        "In which settings both are compared, one step at a time from the same state, and how "
        "closely: without a tolerance they must be equal. `options` go to the constructor of "
        f"{look.subject.entry}."
    ]
    if look.needs_bridge_file:
        lines.append("bridge.py maps the reference's state and draws to ours.")
    elif _bridge(look):
        lines.append("`bridge` maps the fields of the reference's state to ours.")
    if look.rehearsal.goes_on:
        lines.append("`include_terminal`: also steps from states in which the episode is over.")
    return lines


def _bridge(look: Survey) -> str:
    """The value of `bridge`, as TOML writes it."""
    if look.needs_bridge_file:
        return '"python:bridge:BRIDGE"'
    return "" if look.layout.same_names else _table(look.layout.pairs)


def _interactions(parts: Sequence[ProposedModule]) -> list[str]:
    """Between helpers of one step, in the order in which it calls them."""
    names = [part.name for part in parts if part.name not in ("dynamics", "env")]
    if len(names) < 2:
        return []
    return [f"One step uses {' and '.join(names)}: each sees what the one before left."]


def _margin(look: Survey) -> dict[str, Any]:
    returns = look.play.returns
    spread = max(returns, default=0.0) - min(returns, default=0.0)
    horizon = look.subject.simulator.time_limit or 1000
    return {
        "margin": rounded_up(0.02 * spread) or 1.0,
        "margin_why": f"2 % of the spread of random returns, {spread:.4g}" if spread else "a guess",
        "horizon": horizon,
    }


def _transfer_command(look: Survey, package: str) -> str:
    subject = look.subject
    twin = f"python:{package}.env:{subject.entry}"
    return f"envwright verify --reference {shlex.quote(subject.name)} --twin {twin} --levels 4"


# --- as TOML and Python write it ---------------------------------------------------------------


def _comment(text: str) -> str:
    return textwrap.fill(text, 100, initial_indent="# ", subsequent_indent="# ")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _quoted_all(texts: Sequence[str]) -> str:
    one = f"[{', '.join(map(_quoted, texts))}]"
    if len(one) <= 90:
        return one
    return "[\n" + "".join(f"  {_quoted(text)},\n" for text in texts) + "]"


def _block(lines: Sequence[str]) -> str:
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""\n{text}"""' if not text.endswith('"') else f'"""\n{text}\n"""'


def _table(values: dict[str, Any]) -> str:
    pairs = (f"{_key(name)} = {_value(value)}" for name, value in values.items())
    return f"{{ {', '.join(pairs)} }}"


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() else _quoted(name)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return _quoted_all(value)
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _tolerance(t: Tolerance) -> str:
    parts = [f"field = {_quoted(t.field)}"]
    parts += [f"atol = {t.atol:.0e}".replace("e-0", "e-").replace("e+0", "e+")] if t.atol else []
    parts += [f"ulp = {t.ulp}"] if t.ulp else []
    return f"{{ {', '.join(parts)}, why = {_quoted(t.why)} }}"


FILTERS: dict[str, Any] = {
    "comment": _comment,
    "q": _quoted,
    "qs": _quoted_all,
    "block": _block,
    "table": _table,
    "tolerance": _tolerance,
    "python": repr,
}


def _filled(name: str, /, **values: Any) -> str:
    environment = templates("proposal")
    environment.filters.update(FILTERS)
    return environment.get_template(name).render(**values)
