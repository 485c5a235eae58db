"""Divide an environment into modules: which functions belong together and have golden pairs."""

from __future__ import annotations

import itertools
import keyword
from dataclasses import dataclass, field
from types import FunctionType

from envwright.core.source_files import module_name
from envwright.schema.translation import ENDINGS, RUST_WORDS
from envwright.translate.proposal import contracts
from envwright.translate.proposal.calls import Function
from envwright.translate.proposal.closeness import Tolerance
from envwright.translate.proposal.reads import (
    attributes_read,
    constants,
    hidden_tables,
    keeps_digits,
)
from envwright.translate.proposal.rehearsal import Recorded
from envwright.translate.proposal.survey import Survey

ENTRIES = ("__init__", "reset", "step")  # methods of an environment; some classes have no __init__
LARGE = 12  # lines of code that are worth a module, and so a turn, of their own


@dataclass(frozen=True)
class Pairs:
    """Golden pairs of one function."""

    target: str
    ours: str
    recorded: Recorded
    outputs: tuple[str, ...]
    left_out: tuple[str, ...]  # outputs that the last digit decides
    tolerances: list[Tolerance]


@dataclass
class ProposedModule:
    """A module of the proposed translation."""

    name: str
    about: str  # a comment for whoever reads the toml
    source: list[str] = field(default_factory=list)
    contract: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    golden: list[Pairs] = field(default_factory=list)
    ending: str = ".py"

    @property
    def file(self) -> str:
        """File name of the code."""
        return f"{self.name}{self.ending}"


def divide(survey: Survey, backend: str = "jax") -> list[ProposedModule]:
    """Return the modules in dependency order: large helpers, dynamics, environment."""
    helpers = [f for f in survey.own_calls() if f.target in survey.rehearsal.recorded]
    helpers = [f for f in helpers if _pairs_of(survey, f) is not None]
    groups = _groups(helpers)
    parts: list[ProposedModule] = []
    for group in groups:
        part = _helper_part(survey, group, backend)
        part.name = free_word(part.name, [other.name for other in parts])
        parts.append(part)
    grouped = {f.target for group in groups for f in group}
    small = [f for f in helpers if f.target not in grouped]
    rest = [f for f in survey.own_calls() if f.target not in grouped]
    if small or _pairs_of_step(survey) is not None:  # else nothing could test it by itself
        parts.append(_dynamics(survey, small, rest, [p.name for p in parts], backend))
        rest = []
    parts.append(_environment(survey, rest, [p.name for p in parts], backend))
    for part in parts:
        part.ending = ENDINGS[backend]
    return parts


# --- helpers ---------------------------------------------------------------------------------


def _groups(helpers: list[Function]) -> list[list[Function]]:
    """Group large helpers, callees first, each after the small ones that it needs."""
    waiting = [f for f in helpers if f.lines >= LARGE]
    small = [f for f in helpers if f.lines < LARGE]
    groups: list[list[Function]] = []
    while waiting:
        ready = [f for f in waiting if not any(f in _callers(g, helpers) for g in waiting)]
        function = (ready or waiting)[0]
        needed = [f for f in small if function in _callers(f, helpers)]
        groups.append([*needed, function])
        waiting.remove(function)
        small = [f for f in small if f not in needed]
    return groups


def _callers(function: Function, among: list[Function]) -> list[Function]:
    """Return its direct and indirect callers."""
    found: list[Function] = []
    todo = [function]
    while todo:
        here = todo.pop()
        todo += [f for f in among if f.target in here.callers and f not in found]
        found += [f for f in among if f.target in here.callers and f not in found]
    return found


def _helper_part(survey: Survey, group: list[Function], backend: str) -> ProposedModule:
    main = group[-1]
    part = ProposedModule(
        _free(main.short), f"`{main.name}` is pure: it can be written and tested by itself."
    )
    _fill(survey, part, group, group, backend)
    return part


def _free(name: str) -> str:
    """Return a module name that no other module has."""
    word = name.lower()
    taken = word in ("dynamics", "env", "step", "reset") or word in RUST_WORDS
    return f"{word}_rules" if taken or keyword.iskeyword(word) else word


def _fill(
    survey: Survey,
    part: ProposedModule,
    tested: list[Function],
    shown: list[Function],
    backend: str,
) -> None:
    """Add contract and golden pairs of helpers, and the source of all shown functions."""
    for function in tested:
        pairs = _pairs_of(survey, function)
        if pairs is not None:
            part.golden.append(pairs)
            part.contract += contracts.helper(survey, function, pairs, backend)
    part.source += _spans(survey, [], shown)
    part.notes += _constants(survey, shown)


def _pairs_of(survey: Survey, function: Function) -> Pairs | None:
    """Return a helper's golden pairs, without outputs that the last digit decides."""
    recorded = survey.rehearsal.recorded.get(function.target)
    if recorded is None:
        return None
    results = [name for name in recorded.outputs if name.startswith("result")]
    jumping = set() if keeps_digits(function.thing) else recorded.jumps
    outputs = tuple(name for name in results if name not in jumping)
    if not outputs:
        return None
    return Pairs(
        function.target,
        f"golden_{_word(survey, function)}",
        recorded,
        outputs,
        tuple(name for name in results if name in jumping),
        survey.closeness.pair(recorded, list(outputs), {}),
    )


def _word(survey: Survey, function: Function) -> str:
    """Return a short name that no other recorded function has, such as an overridden method."""
    word, owner = function.short, function.name.rpartition(".")[0].rpartition(".")[2]
    others = survey.functions_of(list(survey.rehearsal.recorded))
    earlier = others[: others.index(function)] if function in others else []
    if word != "step" and all(other.short != word for other in earlier):
        return word
    return free_word(f"{word}_of_{owner.lower() or 'module'}", [o.short for o in others])


def free_word(base: str, taken: list[str]) -> str:
    """Return the first of `base`, `base_2`, `base_3`, … that is not taken."""
    found = (base if n == 1 else f"{base}_{n}" for n in itertools.count(1))
    return next(word for word in found if word not in taken)


# --- the step --------------------------------------------------------------------------------


def _dynamics(
    survey: Survey, small: list[Function], shown: list[Function], done: list[str], backend: str
) -> ProposedModule:
    step = survey.functions.get(survey.step)
    part = ProposedModule(
        "dynamics", "What a step does to the state, without observation and time limit."
    )
    part.contract += contracts.state(survey, backend)
    _fill(survey, part, small, [], backend)
    part.contract += contracts.advance(survey, done)
    pairs = _pairs_of_step(survey)
    if pairs is not None:
        part.golden.append(pairs)
        part.contract += contracts.golden_step(survey, pairs, backend)
    every = [*([step] if step else []), *shown]
    makers, note = _tables(survey, every)
    part.source = _spans(survey, [f"{_class(survey)}.step"], [*shown, *makers])
    part.notes += _constants(survey, [*every, *makers]) + note
    return part


def _pairs_of_step(survey: Survey) -> Pairs | None:
    """Return state, reward and end of a step. The observation comes with the environment."""
    recorded = survey.rehearsal.recorded.get(survey.step)
    if recorded is None:
        return None
    reward, terminated = contracts.results(survey, recorded)
    state = [name for name in recorded.outputs if name.startswith("self.")]
    flags = [name for name in (reward, terminated) if name in recorded.outputs]
    outputs = tuple(
        name for name in (*state, *flags) if name in state or name not in recorded.jumps
    )
    of_step = {name: f"state.{name.removeprefix('self.')}" for name in state} | {reward: "reward"}
    rounded = [name for name in outputs if name != reward or not recorded.outputs[name].whole]
    return Pairs(
        survey.step,
        "golden_step",
        recorded,
        outputs,
        tuple(name for name in (*state, *flags) if name in recorded.jumps),
        survey.closeness.pair(recorded, rounded, of_step),
    )


# --- the environment --------------------------------------------------------------------------


def _environment(
    survey: Survey, shown: list[Function], done: list[str], backend: str
) -> ProposedModule:
    about = "The whole: starts, observations, spaces and the time limit."
    part = ProposedModule("env", about)
    if "dynamics" not in done:
        part.contract += contracts.state(survey, backend)
    whole = contracts.environment if backend == "jax" else contracts.game
    part.contract += whole(survey, done)
    if survey.subject.cls is None:
        return part
    starting = survey.own_calls(step=False)
    told = "dynamics" in done  # its notes have the constants of a step
    entries = survey.functions_of(
        [f"{survey.subject.source}.{name}" for name in (("reset",) if told else ("reset", "step"))]
    )
    makers, note = _tables(survey, [*entries, *shown])
    written = [n for n in ENTRIES if isinstance(getattr(survey.subject.cls, n), FunctionType)]
    names = [f"{_class(survey)}.{name}" for name in written]
    part.source = _spans(survey, names, [*starting, *shown, *makers]) + survey.subject.wrappers
    part.notes += _constants(survey, [*entries, *starting, *shown, *makers]) + note
    return part


# --- parts of parts ---------------------------------------------------------------------------


def _class(survey: Survey) -> str:
    return survey.subject.source.partition(":")[2]


def _spans(survey: Survey, first: list[str], functions: list[Function]) -> list[str]:
    """Name functions as `source` does: without the module if it is the class's own."""
    module = survey.subject.source.partition(":")[0]
    rest = [f.name if f.module == module else f.target for f in functions]
    return list(dict.fromkeys([*first, *rest]))


def _tables(survey: Survey, functions: list[Function]) -> tuple[list[Function], list[str]]:
    """Return the methods that make the tables that functions read, and a note about them."""
    cls, env = survey.subject.cls, survey.subject.env
    tables = hidden_tables(functions, env, survey.layout.attributes)
    if cls is None or not tables:
        return [], []
    makers: dict[str, Function] = {}
    todo = ["__init__"]
    while todo:
        name = todo.pop(0)
        thing = getattr(cls, name, None)
        if isinstance(thing, FunctionType) and name not in makers:
            makers[name] = Function(module_name(thing.__module__), thing.__qualname__, thing)
            todo += attributes_read(thing)
    listed = ", ".join(f"`self.{name}`" for name in tables)
    note = f"`__init__` makes tables that no step changes: {listed}. Make them the same way, once."
    return list(makers.values()), [contracts.wrapped(note)]


def _constants(survey: Survey, functions: list[Function]) -> list[str]:
    options = {f"self.{_}{option.name}" for option in survey.chosen for _ in ("", "_")}
    known = constants(functions, survey.subject.env, survey.layout.attributes)
    written = ", ".join(f"`{n} = {value}`" for n, value in known.items() if n not in options)
    return [contracts.wrapped(f"Constants that this code reads: {written}.")] if written else []
