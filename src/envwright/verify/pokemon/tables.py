"""Level 1 of the tables: every number is what the pinned package says."""

from __future__ import annotations

import importlib

import numpy as np

from envwright.verify.divergence import Divergence
from envwright.verify.recordings import kept
from envwright.verify.results import LevelResult, Progress, quiet
from envwright.verify.tally import Tally
from envwright.zoo.pokemon.reference import why_not
from envwright.zoo.pokemon.reference.columns import arrays
from envwright.zoo.pokemon.reference.extract import dump
from envwright.zoo.pokemon.reference.vocabulary import Vocabulary

MOST_SHOWN = 5


def check_tables(seed: int = 0, progress: Progress = quiet, mutant: bool = False) -> LevelResult:
    """Extract the package's data anew and compare all of it with the tables in use."""
    result = LevelResult(1, Tally())
    if why_not():
        result.inconclusive = why_not()
        return result

    def extract() -> dict[str, np.ndarray]:
        data = dump()
        return arrays(data, Vocabulary.of(data))

    package = kept("pokemon tables", extract) if mutant else extract()
    used = importlib.import_module("envwright.zoo.pokemon.tables").load()  # the mutant's
    for done, (name, theirs) in enumerate(package.items(), 1):
        table, column = name.split(".")
        ours = np.asarray(getattr(getattr(used, table), column))
        result.tally.cases += theirs.size
        for index in map(tuple, np.argwhere(theirs != ours)[:MOST_SHOWN]):
            result.divergences.append(_divergence(name, index, theirs[index], ours[index]))
        progress("columns compared", done, len(package))
    result.divergences = result.divergences[:MOST_SHOWN]
    result.notes.append(f"{result.tally.cases} numbers of the tables are the package's own")
    return result


def _divergence(name: str, index: tuple, theirs: np.generic, ours: np.generic) -> Divergence:
    place = f"{name}[{', '.join(map(str, index))}]"
    return Divergence(
        level=1,
        reference="@pkmn/sim 0.10.11, its data",
        twin="data/tables.npz",
        field=place,
        reference_value=int(theirs),
        twin_value=int(ours),
        tolerance="exact",
        step=-1,
        seed=0,
        actions=[],
        start=None,
        origin=f"{place} is {theirs} in the package and {ours} in the tables",
        bridge="envwright.verify.pokemon.tables:replay_table",
        kind="room",
    )


def replay_table(divergence: Divergence) -> str:
    """What still differs in the tables, or nothing."""
    found = check_tables().divergences
    return found[0].origin if found else ""
