"""Tables of `translation.toml`: reference, target, modules with golden pairs, checks."""

from __future__ import annotations

from typing import Any

from envwright.core.bridge import Bridge, Columns
from envwright.core.toml_table import Table
from envwright.translate.spec.model import (
    BACKENDS,
    FILE,
    Check,
    Golden,
    Module,
    Reference,
    Target,
)
from envwright.translate.spec.words import file_name, identifier, target_of_pairs, word
from envwright.verify.tolerance import EXACT, Tol, Tolerances


def reference_from(table: Table) -> Reference:
    """[reference]."""
    reference = Reference(
        simulator=table.get("simulator", str, ""),
        source=table.get("source", str, ""),
        package=table.get("package", str, ""),
        specification=table.get("specification", str, ""),
    )
    table.end()
    if not reference.simulator and not reference.specification:
        raise table.wrong(
            "", "[reference] needs a simulator, such as gymnasium:ID, or a specification file"
        )
    if reference.specification:
        if not (table.file.path.parent / reference.specification).is_file():
            raise table.wrong(
                "specification", f"there is no file {reference.specification} beside {FILE}"
            )
    return reference


def target_from(table: Table) -> Target:
    """[target]."""
    target = Target(
        backend=table.choice("backend", BACKENDS),
        package=identifier(table, "package"),
        entry=word(table, "entry"),
        constraints=table.texts("constraints"),
    )
    table.end()
    return target


def module_from(table: Table) -> Module:
    """One of [[modules]]."""
    module = Module(
        name=identifier(table, "name"),
        file=file_name(table),
        source=table.texts("source"),
        contract=table.get("contract", str, "").strip(),
        notes=table.get("notes", str, "").strip(),
        golden=tuple(_golden(g) for g in table.tables("golden")),
    )
    table.end()
    names = [golden.ours for golden in module.golden]
    for index, name in enumerate(names):
        if name in names[:index]:
            place = (*table.place, "golden", index, "ours")
            raise table.file.wrong(place, f"{name!r} is to equal two functions; name another")
    return module


def _examples(table: Table) -> tuple[tuple[dict[str, Any], dict[str, Any]], ...]:
    """Pairs from the rules; all of them name the same inputs and outputs."""
    pairs = []
    for entry in table.tables("examples"):
        pairs.append((entry.raw("inputs"), entry.raw("outputs")))
        entry.end()
        alike = all(a.keys() == b.keys() for a, b in zip(pairs[0], pairs[-1], strict=True))
        if not alike or not all(pairs[-1]):
            raise entry.wrong("", "an example names inputs and outputs, the same in all of them")
    return tuple(pairs)


def _golden(table: Table) -> Golden:
    examples = _examples(table)
    golden = Golden(
        target="" if examples else target_of_pairs(table),
        examples=examples,
        ours=word(table, "ours"),
        attributes=table.texts("attributes"),
        outputs=table.texts("outputs"),
        tolerances=_tolerances(table),
    )
    table.end()
    return golden


def check_from(table: Table) -> Check:
    """One of [[checks]]."""
    check = Check(
        label=table.get("label", str, ""),
        options=table.raw("options"),
        reference=table.get("reference", str, ""),
        bridge=_bridge(table),
        tolerances=_tolerances(table),
        include_terminal=table.get("include_terminal", bool, False),
        free_running=table.get("free_running", bool, None),  # type: ignore[arg-type]
        stray=table.get("stray", float, Check.stray),
    )
    table.end()
    return check


def _bridge(table: Table) -> str | Bridge | None:
    """A name of a bridge, or a table from fields of the reference to the target's."""
    if not isinstance(table.data.get("bridge"), dict):
        return table.get("bridge", str, "") or None
    pairs: dict[str, str | tuple[str, ...]] = {}
    for name, ours in table.raw("bridge").items():
        if isinstance(ours, list) and all(isinstance(o, str) for o in ours):
            pairs[name] = tuple(ours)
        elif isinstance(ours, str):
            pairs[name] = ours
        else:
            raise table.wrong("bridge", f"{name!r} is a field's name or a list of names")
    return Columns(pairs)


def _tolerances(table: Table) -> Tolerances:
    fields: dict[str, Tol] = {}
    for entry in table.tables("tolerances"):
        name = entry.get("field", str)
        if name in fields:
            raise entry.wrong("field", f"two tolerances are of {name!r}")
        numbers = {
            "atol": entry.get("atol", float, 0.0),
            "ulp": entry.get("ulp", int, 0),
            "why": entry.get("why", str, ""),
        }
        entry.end()
        fields[name] = entry.build(lambda numbers=numbers: Tol(**numbers))
    return Tolerances(fields.pop("*", EXACT), fields)
