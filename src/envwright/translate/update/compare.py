"""Compare what two versions of a reference did, module by module and as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from envwright.schema.results import FunctionUpdate, ModuleUpdate, Part, TextChange
from envwright.schema.results.update import Verdict
from envwright.translate.update.exact import Texts, first_difference, shown
from envwright.translate.update.recorded import Call, Function, Moment, Plan, Recorded
from envwright.translate.update.texts import text_change

INFO = "info"
ABOUT = "declared"


def compare_whole(old: Recorded, new: Recorded, plan: Plan) -> list[Part]:
    """Compare what is declared, starts, single steps, whole episodes and their info."""
    episodes = list(zip(old.episodes, new.episodes, strict=True))
    alike = [*zip(old.starts, new.starts, strict=True), *zip(old.steps, new.steps, strict=True)]
    alike += [pair for before, after in episodes for pair in _common(before, after)]
    parts = [
        _declared(old.about, new.about),
        _moments("starts", "seeds", zip(old.starts, new.starts, strict=True), "seed"),
        _episodes(episodes, plan),
        _infos(alike),
    ]
    if old.steps:
        steps = zip(old.steps, new.steps, strict=True)
        parts.insert(2, _moments("single steps", "states", steps, "state"))
    return parts


def compare_modules(old: Recorded, new: Recorded, parts: Sequence[Part]) -> list[ModuleUpdate]:
    """Judge each module by its source, its recorded functions and the whole.

    A difference of the whole that no module shows belongs to the last one, whose class has the
    spaces, the starts and the limit.
    """
    whole_differs = any(part.differ for part in parts if part.name != INFO)
    modules = [_module(name, old, new, whole_differs) for name in old.sources]
    shown_by = {"behaviour", "inconclusive"}
    if whole_differs and modules and not any(m.verdict in shown_by for m in modules):
        first = next(part for part in parts if part.differ and part.name != INFO)
        modules[-1].verdict = "behaviour"
        modules[-1].why = f"no function shows it, but the whole environment does: {first.name}"
    return modules


def compare_files(old: Recorded, new: Recorded) -> list[TextChange]:
    """Describe how the file of the reference's class changed."""
    if old.file is None or new.file is None:
        return []
    change = text_change(old.file, new.file)
    return [] if change is None else [change]


# --- modules -------------------------------------------------------------------------------------


def _module(name: str, old: Recorded, new: Recorded, whole_differs: bool) -> ModuleUpdate:
    sources = zip(old.sources[name], new.sources[name], strict=True)
    texts = [change for each in sources if (change := text_change(*each)) is not None]
    functions = [
        _function(function, new.functions[key])
        for key, function in old.functions.items()
        if key.startswith(f"{name}-")
    ]
    found = ModuleUpdate(name=name, verdict="same", why="", texts=texts, functions=functions)
    found.verdict, found.why = _judged(found, whole_differs)
    return found


def _judged(module: ModuleUpdate, whole_differs: bool) -> tuple[Verdict, str]:
    """Return the verdict and its reason. Without evidence it is inconclusive."""
    changed = [function for function in module.functions if function.changed]
    if changed:
        first = changed[0]
        return "behaviour", first.why or f"{first.target} differs in {_of(first)}"
    gone = [text for text in module.texts if text.gone]
    if gone:
        return "behaviour", f"{gone[0].title} is gone"
    code = [text for text in module.texts if text.code]
    calls = f"{module.calls:,} calls with equal inputs agree"
    if (code or whole_differs) and any(not function.calls for function in module.functions):
        return "inconclusive", "no calls with equal inputs were recorded"
    if code and whole_differs and not module.functions:
        return "behaviour", "its code differs, and so does the environment"
    if code:
        return "text", calls if module.functions else "its code differs, and nothing that it does"
    if module.texts:
        return "text", "only comments, docstrings, annotations or layout differ"
    return "same", calls if module.functions else ""


def _of(function: FunctionUpdate) -> str:
    return f"{function.differ:,} of {function.calls:,} calls with equal inputs"


def _function(old: Function, new: Function) -> FunctionUpdate:
    found = FunctionUpdate(target=old.target, calls=0, differ=0)
    if old.missing:
        found.why = f"the old version does not have it: {old.missing}"
        return found
    if new.missing:
        found.why = f"{old.target} is gone: {new.missing}"
        return found
    if old.parameters != new.parameters:
        found.why = f"{old.target} takes other parameters: {old.parameters} → {new.parameters}"
    for before, after in _pairs(old.calls, new.calls):
        if before.inputs != after.inputs:
            continue
        found.calls += 1
        if before.outputs != after.outputs:
            if not found.differ:
                found.inputs, found.old, found.new = map(
                    _values, (before.inputs, before.outputs, after.outputs)
                )
            found.differ += 1
    return found


def _pairs(old: Sequence[Call], new: Sequence[Call]) -> Iterator[tuple[Call, Call]]:
    """Pair the calls of the same reset or step, in their order."""
    theirs = _by_moment(new)
    for at, calls in _by_moment(old).items():
        yield from zip(calls, theirs.get(at, ()), strict=False)


def _by_moment(calls: Iterable[Call]) -> dict[int, list[Call]]:
    found: dict[int, list[Call]] = {}
    for call in calls:
        found.setdefault(call.at, []).append(call)
    return found


def _values(texts: Texts) -> dict[str, object]:
    return {name: shown(text) for name, text in texts.items()}


# --- the whole -----------------------------------------------------------------------------------


def _declared(old: dict[str, str], new: dict[str, str]) -> Part:
    names = list(dict.fromkeys([*old, *new]))
    differ = [name for name in names if old.get(name) != new.get(name)]
    first = "".join(f"{n}: {old.get(n, 'none')} → {new.get(n, 'none')}" for n in differ[:1])
    return Part(name=ABOUT, compared=len(names), unit="facts", differ=len(differ), first=first)


def _moments(name: str, unit: str, pairs: Iterable[tuple[Moment, Moment]], one: str) -> Part:
    found = Part(name=name, compared=0, unit=unit, differ=0)
    for number, (before, after) in enumerate(pairs):
        found.compared += 1
        apart = _differs(before, after)
        if apart:
            found.first = found.first or f"{one} {number}: {apart}"
            found.differ += 1
    return found


def _episodes(pairs: Sequence[tuple[list[Moment], list[Moment]]], plan: Plan) -> Part:
    found = Part(name="episodes", compared=len(pairs), unit="episodes", differ=0)
    for episode, (before, after) in zip(plan.episodes, pairs, strict=True):
        apart = _first_apart(before, after)
        if apart is None:
            continue
        found.differ += 1
        if not found.first:
            step, why = apart
            action = f", action {shown(episode.actions[step - 1])}" if step else ""
            where = f"step {step - 1}{action}" if step else "the start"
            found.first = f"seed {episode.seed}, {where}: {why}"
    return found


def _first_apart(old: list[Moment], new: list[Moment]) -> tuple[int, str] | None:
    for step, (before, after) in enumerate(zip_longest(old, new)):
        if before is None or after is None:
            return step, "the episode goes on" if before is None else "the episode is over"
        if apart := _differs(before, after):
            return step, apart
    return None


def _common(old: list[Moment], new: list[Moment]) -> list[tuple[Moment, Moment]]:
    """Return the moments of an episode until it differs."""
    apart = _first_apart(old, new)
    return list(zip(old, new, strict=False))[: None if apart is None else apart[0]]


def _differs(before: Moment, after: Moment) -> str:
    if before.raised != after.raised:
        told = [moment.raised or "an answer" for moment in (before, after)]
        return " → ".join(told)
    return first_difference(before.fields, after.fields)


def _infos(pairs: Iterable[tuple[Moment, Moment]]) -> Part:
    """Compare info where the records agree."""
    equal = [(b, a) for b, a in pairs if not _differs(b, a)]
    found = Part(name=INFO, compared=len(equal), unit="resets and steps", differ=0)
    for before, after in equal:
        if apart := first_difference(before.info, after.info):
            found.first = found.first or apart
            found.differ += 1
    return found
