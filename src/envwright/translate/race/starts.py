"""Check that lanes of a timed run start and restart by the same law as single starts.

Level 1 has compared single starts with the reference's. A run of many lanes may draw other numbers
in its own way, but not by another law: lanes that all start alike, or where it is easy, are faster
but not the same environment.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from envwright.sim.command import CommandSimulator
from envwright.sim.records import Fields
from envwright.translate.race.clock import Timed
from envwright.translate.race.loop import columns
from envwright.verify.l1_properties import LAW_P
from envwright.verify.stats import same_law

ENOUGH = 256  # starts of one batch size, and restarts of all together
FEWEST = 40  # restarts of which anything can be said
RUNS = 20  # most additional runs to see more restarts
KNOWN = 4096  # starts one by one that the others are compared with
COLUMNS = 512  # elements of a state whose law is compared, at random if there are more
LEAST = 8  # approximate size of a bin in the smaller sample of whole numbers


@dataclass
class Starts:
    """Observed starts of a candidate at every batch size, and after ends."""

    begun: dict[int, list[Fields]] = field(default_factory=dict)
    anew: list[Fields] = field(default_factory=list)

    def collect(self, twin: CommandSimulator, batch: int, runs: Sequence[Timed]) -> None:
        """Collect the starts of a timed run, of others of the same size, and restarts."""
        seeds = [runs[-1].seed, *(secrets.randbelow(2**31) for _ in range(ENOUGH // batch))]
        everyone = np.arange(batch)
        self.begun[batch] = [
            columns(twin.race(batch, 1, seed), "before.", everyone, batch) for seed in seeds
        ]
        for timed in runs:
            self._see(timed.last, batch)

    def collect_more(self, twin: CommandSimulator, batch: int, steps: int) -> None:
        """Collect more restarts while there are too few and time remains."""
        for _ in range(RUNS):
            if _rows(self.anew) >= ENOUGH:
                return
            length = max(1, steps - secrets.randbelow(1 + steps // 2))
            self._see(twin.race(batch, length, secrets.randbelow(2**31)), batch)

    def _see(self, last: Fields, batch: int) -> None:
        over = np.flatnonzero(last["terminated"] | last["truncated"])
        if len(over):
            self.anew.append(columns(last, "after.", over, batch))

    @property
    def unseen(self) -> str:
        """Return why nothing is known about restarts, or an empty string."""
        seen = _rows(self.anew)
        return f"of restarts there were only {seen}" if seen < FEWEST else ""

    def wrong(self, calm: CommandSimulator) -> str:
        """Return which starts follow another law than single starts, or an empty string."""
        told = calm.starts(secrets.randbelow(2**31), KNOWN)
        known = {k.removeprefix("state."): v for k, v in told.items() if k.startswith("state.")}
        for batch, tables in self.begun.items():
            if found := another_law(known, _joined(tables)):
                return f"lanes of a run of {batch} start otherwise than one by one: {found}"
        if not self.unseen and (found := another_law(known, _joined(self.anew))):
            return f"lanes start anew otherwise than one by one: {found}"
        return ""


def another_law(known: Fields, seen: Fields) -> str:
    """Return how two tables of states differ in law, or an empty string."""
    lacking = [name for name in known if name not in seen]
    if lacking:
        return f"they do not show {lacking[0]}"
    pairs = _elements(known, seen)
    for name, a, b in pairs:
        p = same_law(*_comparable(a, b))
        if p < LAW_P / len(pairs):
            return f"{name} is {_range(b)}, not {_range(a)} (p = {p:.2g})"
    again, usual = _repeated(seen, _count(seen)), _repeated(known, _count(seen))
    if again > usual + 8 * np.sqrt(usual + 1) + 4:  # far beyond the chance of equal draws
        return f"{again} of {_count(seen)} are where others are, and not {usual}"
    return ""


def _elements(known: Fields, seen: Fields) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Return single numbers of the states, up to a limit."""
    found = []
    for name, values in known.items():
        a, b = values.reshape(len(values), -1), seen[name].reshape(len(seen[name]), -1)
        found += [(f"{name}[{i}]", a[:, i], b[:, i]) for i in range(min(a.shape[1], b.shape[1]))]
    if len(found) <= COLUMNS:
        return found
    chosen = np.random.default_rng(secrets.randbits(64)).choice(len(found), COLUMNS, replace=False)
    return [found[i] for i in sorted(chosen)]


def _comparable(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bin whole numbers so that each bin has some of the smaller sample; round floats."""
    if a.dtype.kind == "f":
        return np.round(a.astype(np.float32), 6), np.round(b.astype(np.float32), 6)
    both = np.concatenate([a, b]).astype(np.float64)
    bins = max(1, min(32, min(len(a), len(b)) // LEAST))
    edges = np.unique(np.quantile(both, np.linspace(0, 1, bins + 1), method="lower"))
    return np.searchsorted(edges, a), np.searchsorted(edges, b)


def _repeated(table: Fields, count: int) -> int:
    """Count the first states that equal an earlier one."""
    rows = zip(*(value[:count] for value in table.values()), strict=True)
    distinct = {b"".join(part.tobytes() for part in row) for row in rows}
    return min(count, _count(table)) - len(distinct)


def _count(table: Fields) -> int:
    return len(next(iter(table.values())))


def _rows(tables: Sequence[Fields]) -> int:
    return sum(map(_count, tables))


def _joined(tables: Sequence[Fields]) -> Fields:
    return {name: np.concatenate([t[name] for t in tables]) for name in tables[0]}


def _range(values: np.ndarray) -> str:
    numbers = values.astype(np.float64)
    return f"{numbers.min():.6g} … {numbers.max():.6g} with a mean of {numbers.mean():.6g}"
