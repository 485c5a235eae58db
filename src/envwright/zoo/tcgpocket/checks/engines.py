"""The fast engine for the levels: compiled, or the same code on NumPy."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import numpy as np

from envwright.verify.recall import recorded_once
from envwright.zoo.tcgpocket.checks.compare import Batch, Make
from envwright.zoo.tcgpocket.checks.traces import Trace
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import STATE

ENGINE = "envwright.zoo.tcgpocket.engine"
GAMES = f"{ENGINE}.games"
TABLES = f"{ENGINE}.tables"


def compiled(settings: Settings) -> Batch:
    """Return games in the compiled program."""
    return importlib.import_module(GAMES).Games(settings, "jax")


def on_numpy(settings: Settings) -> Batch:
    """Return games without compilation, of the module as it is imported now."""
    return importlib.import_module(GAMES).Games(settings, "numpy")


def everyday(settings: Settings) -> Batch:
    """Return the compiled program in the default settings; others would compile anew."""
    return compiled(settings) if settings == Settings() else on_numpy(settings)


def engine_for(mutant: bool) -> Make:
    """Return the engine for the levels: for a mutant its code on NumPy, since it runs once."""
    return on_numpy if mutant else everyday


def concerned(traces: Sequence[Trace]) -> list[Trace]:
    """Return the traces that a mutant can change: for wrong rows, games with such a card."""
    cards = _wrong_cards()
    if cards is None:
        return list(traces)
    return [trace for trace in traces if not cards.isdisjoint(_cards(trace))]


def _cards(trace: Trace) -> frozenset[int]:
    """Return all cards of both decks."""
    state = np.frombuffer(trace.records[0], STATE)[0]
    return frozenset(state["players"]["cards"].reshape(-1).tolist())


def _wrong_cards() -> frozenset[int] | None:
    """Return cards whose rows differ from the original; None if more may differ."""
    module = importlib.import_module(TABLES)
    used = module.load()
    original = recorded_once("tcgpocket tables", lambda: used)  # the original runs first
    if any(a.shape != b.shape for a, b in zip(used, original, strict=True)):
        return None
    rows = [np.flatnonzero((a != b).any(axis=0)) for a, b in zip(used, original, strict=True)]
    cards = {*rows[0].tolist(), *rows[1].tolist()}
    attacks = rows[2]
    for place in ("attack0", "attack1"):
        uses = module.SLOT.get(original.slot, place)
        cards.update(np.flatnonzero(np.isin(uses, attacks)).tolist())
    return frozenset(cards) if cards and 0 not in cards else None
