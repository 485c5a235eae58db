"""Level 1 of the tables: every number equals that of the pinned package."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from envwright.core.progress import Progress, quiet
from envwright.schema.divergence import Trace
from envwright.verify.recall import recorded_once
from envwright.verify.results import LevelResult
from envwright.verify.tally import Tally
from envwright.zoo.pokemon.checks import native_tables
from envwright.zoo.pokemon.reference import why_not
from envwright.zoo.pokemon.reference.columns import arrays
from envwright.zoo.pokemon.reference.extract import dump
from envwright.zoo.pokemon.reference.vocabulary import Vocabulary

MOST_SHOWN = 5
ROOM, TABLE = "pokemon", "table"  # in files
TABLES = "data/tables.npz"


def check_tables(
    seed: int = 0, progress: Progress = quiet, mutant: bool = False, backend: str = "jax"
) -> LevelResult:
    """Extract the package's data anew and compare all of it with the tables in use.

    Rust's tables are compared with the room's, in every number that they share.
    """
    result = LevelResult(1, Tally(), inconclusive=why_not())
    if result.inconclusive:
        return result

    def extract() -> dict[str, np.ndarray]:
        data = dump()
        return arrays(data, Vocabulary.of(data))

    package = recorded_once("pokemon tables", extract) if mutant else extract()
    used = importlib.import_module("envwright.zoo.pokemon.tables").load()  # the mutant's
    wrong = 0
    for done, (name, theirs) in enumerate(package.items(), 1):
        table, column = name.split(".")
        ours = np.asarray(getattr(getattr(used, table), column))
        result.tally.cases += theirs.size
        differing = np.argwhere(theirs != ours)
        wrong += len(differing)
        for index in map(tuple, differing[:MOST_SHOWN]):
            result.divergences.append(_divergence(name, index, theirs[index], ours[index]))
        progress("columns compared", done, len(package))
    cases = result.tally.cases
    result.notes.append(f"{cases - wrong} of {cases} numbers of the tables are the package's own")
    if backend == "rust":
        _check_rust(result)
    result.divergences = result.divergences[:MOST_SHOWN]
    return result


def _check_rust(result: LevelResult) -> None:
    shared = native_tables.shared_columns()
    differing = native_tables.differing()
    result.divergences += map(_rust_divergence, differing[:MOST_SHOWN])
    count = sum(ours.size for ours, _ in shared.values())
    result.tally.cases += count
    result.notes.append(
        f"{count} numbers of {len(shared)} columns were compared with Rust's tables, "
        f"{len(differing)} differ"
    )


def _divergence(name: str, index: tuple[int, ...], theirs: Any, ours: Any) -> Trace:
    place = f"{name}[{', '.join(map(str, index))}]"
    said = f"{place} is {theirs} in the package and {ours} in the tables"
    return _trace("@pkmn/sim 0.10.11, its data", TABLES, place, int(theirs), int(ours), said)


def _rust_divergence(said: str) -> Trace:
    return _trace(TABLES, "the tables of Rust", said.partition(" is ")[0], None, None, said)


def _trace(reference: str, twin: str, field: str, theirs: Any, ours: Any, origin: str) -> Trace:
    return Trace(
        level=1,
        reference=reference,
        twin=twin,
        field=field,
        reference_value=theirs,
        twin_value=ours,
        tolerance="exact",
        step=-1,
        origin=origin,
        room=ROOM,
        trace=TABLE,
    )


def replay_table(divergence: Trace) -> str:
    """Return what still differs in the tables, or ""."""
    found = check_tables(backend="rust").divergences
    return found[0].origin if found else ""
