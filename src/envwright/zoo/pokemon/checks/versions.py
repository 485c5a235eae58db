"""Two versions of Showdown's simulator: data, generated teams, and the same battles on both."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from envwright.core.progress import Progress, Say, quiet
from envwright.errors import EnvwrightError, SameVersion
from envwright.schema.results import Part, Update
from envwright.zoo.pokemon.reference.install import (
    HERE,
    RANDOMS,
    SIM,
    checked_version,
    locked,
    newest,
    set_up_version,
)
from envwright.zoo.pokemon.reference.showdown import Showdown

BATTLES, TEAMS = 300, 2000
SEED = 2026
CLOCK = "|t:|"  # a line of the log with the time of day
NAMED = 6  # entries of a table that a report names


def compare(
    old: str | None, new: str | None, say: Say = quiet, progress: Progress = quiet
) -> Update:
    """Compare the tables, teams of the generator, and battles between the old version's teams."""
    versions = [checked_version(each) for each in (old or locked(SIM), new or newest())]
    if versions[0] == versions[1]:
        raise SameVersion(f"{SIM} {versions[0]}")
    places = [set_up_version(version, say) for version in versions]
    parts = list(_tables(*map(_dumped, places)))
    with Showdown(packages=places[0]) as before, Showdown(packages=places[1]) as after:
        teams, part = _teams(before, after)
        parts += [part, *_battles(before, after, teams, progress)]
    return Update(
        env="pokemon",
        package=SIM,
        old=versions[0],
        new=versions[1],
        parts=parts,
        notes=[f"both with {RANDOMS} {locked(RANDOMS)}"],
    )


def _dumped(packages: Path) -> dict[str, dict[str, list[str]]]:
    done = subprocess.run(
        ["node", str(HERE / "versions.js")],
        env={**os.environ, "NODE_PATH": str(packages / "node_modules")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise EnvwrightError(f"node could not read the data in {packages}: {done.stderr[-300:]}")
    return json.loads(done.stdout)


def _tables(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Part]:
    """Compare the data of each table, and the sources of its callbacks."""
    for name, before in old.items():
        after = new.get(name, {})
        ids = sorted(before.keys() | after.keys())
        for which, label in ((0, name), (1, f"{name}, code")):
            told = [f"{i} {change}" for i in ids if (change := _change(before, after, i, which))]
            first = ", ".join(told[:NAMED]) + (", …" if len(told) > NAMED else "")
            differ = len(told)
            # Code alone is no evidence: battles show what it does.
            code = which == 1
            yield Part(
                name=label, compared=len(ids), unit="entries", differ=differ, first=first, text=code
            )


def _change(old: dict[str, list[str]], new: dict[str, list[str]], name: str, which: int) -> str:
    if name not in new or name not in old:
        added = "added" if name in new else "removed"
        return added if which == 0 else ""
    return "changed" if old[name][which] != new[name][which] else ""


def _teams(before: Showdown, after: Showdown) -> tuple[list[str], Part]:
    old, new = (showdown.teams(SEED, TEAMS) for showdown in (before, after))
    found = Part(name="generated teams", compared=len(old), unit="teams", differ=0)
    for number, (then, now) in enumerate(zip(old, new, strict=True)):
        if then != now:
            found.first = found.first or f"team {number}: {_members(then, now)}"
            found.differ += 1
    return old, found


def _members(old: str, new: str) -> str:
    """Show the first Pokémon of a packed team that differs."""
    pairs = zip_longest(old.split("]"), new.split("]"), fillvalue="none")
    return next(f"{then} → {now}" for then, now in pairs if then != now)


def _battles(
    before: Showdown, after: Showdown, teams: list[str], progress: Progress
) -> Iterator[Part]:
    """Play the same teams, seeds and choices on both."""
    found = Part(name="battles", compared=0, unit="battles", differ=0)
    lines = 0
    for number in range(BATTLES):
        progress("battles", number, BATTLES)
        pair = teams[2 * number : 2 * number + 2]
        asked: dict[str, Any] = {"seed": SEED + number, "teams": pair, "policy": number}
        old, new = (showdown.play(**asked, log=True) for showdown in (before, after))
        lines += len(old["log"])
        found.compared += 1
        if apart := _apart(old, new):
            found.first = found.first or f"battle {number}: {apart}"
            found.differ += 1
    progress("battles", BATTLES, BATTLES)
    found.unit = f"battles, {lines:,} lines of log"
    yield found


def _apart(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return where two games part: the first line of the log, or else the numbers drawn."""
    logs = [[line for line in game["log"] if not line.startswith(CLOCK)] for game in (old, new)]
    for number, (then, now) in enumerate(zip_longest(*logs, fillvalue="(nothing)")):
        if then != now:
            return f"line {number}: {then} → {now}"
    if old["actions"] != new["actions"]:
        return "the same log with other choices"
    return "" if old["rng"] == new["rng"] else "the same log with other random numbers"
