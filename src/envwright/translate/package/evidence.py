"""The results of a run, for the README of its package."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any

from envwright.errors import EnvwrightError
from envwright.schema.results import Bench
from envwright.translate.stored_runs import StoredRun
from envwright.translate.verdict import Verdict
from envwright.verify.stats import clean_bound

LEVELS = {
    1: ("L1, properties", "single steps from visited, fuzzed and boundary states"),
    2: ("L2, interactions", "random sequences of steps, jumps and resets"),
    3: ("L3, rollouts", "whole episodes"),
    4: ("L4, transfer", "the returns of policies trained on either side"),
}


@dataclass(frozen=True)
class Row:
    """A level, the tests that passed at it, and how much they compared."""

    level: str
    compares: str
    passed: int
    counted: str = ""  # cases or episodes


@dataclass(frozen=True)
class Speed:
    """Steps per second of one implementation."""

    implementation: str
    batch: int
    steps: float
    ratio: float | None  # to the reference


@dataclass(frozen=True)
class Evidence:
    """How a run was verified, and who wrote the code."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    episodes: int  # of level 3 in each setting; 0 if it was not verified
    bound: float  # 95 % bound of the share of episodes that differ
    agent: str
    turns: int
    cost: str
    made_on: str
    envwright: str
    kept: int = 0  # rounds of optimisation
    gain: float = 1.0  # that they brought
    speeds: tuple[Speed, ...] = ()
    machine: str = ""  # that was measured on


def evidence(run: StoredRun, kept: int = 0, gain: float = 1.0) -> Evidence:
    """Collect the last verdict of each level. Raises if the run is not verified."""
    at = run.position
    if at.ended != "verified":
        raise EnvwrightError(
            f"run {run.id} ended as {at.ended or 'interrupted'}; only verified runs are exported"
        )
    last = last_verdicts(run)
    begun = run.journal.of("begun")[0]
    episodes = run.spec.effort.episodes or 0 if 3 in last else 0
    return Evidence(
        rows=tuple(_row(level, last[level]) for level in sorted(last)),
        notes=tuple(note for level in sorted(last) for note in last[level].notes),
        episodes=episodes,
        bound=clean_bound(episodes) if episodes else 1.0,
        agent=_agent(begun["agent"]),
        turns=at.turns,
        cost=f"{at.usage.tokens:,} tokens, ${at.usage.dollars:.2f}" if at.usage.tokens else "",
        made_on=time.strftime("%Y-%m-%d", time.gmtime(begun.time)),
        envwright=begun["envwright"],
        kept=kept,
        gain=gain,
    )


def last_verdicts(run: StoredRun) -> dict[int, Verdict]:
    """Return the last verdict of each level on the whole code."""
    last: dict[int, Verdict] = {}
    for event in run.journal.of("judged"):
        if event["whole"]:
            last |= {v["level"]: Verdict.from_json(v) for v in event["verdicts"]}
    return last


def with_speeds(shown: Evidence, bench: Bench) -> Evidence:
    """Return the evidence with the rows of a benchmark."""
    rows = tuple(Speed(r.implementation, r.batch, r.sps_mean, r.ratio) for r in bench.rows)
    cpu, cores = bench.machine.get("cpu", "unknown processor"), bench.machine.get("cores", "?")
    return replace(shown, speeds=rows, machine=f"{cpu}, {cores} cores")


def _row(level: int, verdict: Verdict) -> Row:
    shown = list(verdict.shown.values())
    episodes = max((each.episodes for each in shown), default=0)
    cases = sum(each.cases for each in shown)
    counted = f"{episodes:,} episodes per setting" if level == 3 else f"{cases:,} cases in all"
    return Row(*LEVELS[level], len(verdict.passed), counted if shown else "")


def _agent(told: dict[str, Any]) -> str:
    """Name who wrote the code: `compiler`, `gemini (gemini-2.5-pro)`."""
    name = told.get("who") or told.get("recorded who") or told["kind"]
    return f"{name} ({told['model']})" if told.get("model") else name


def licence_of(package: str) -> str:
    """Name the licence of the reference's package, such as `gymnasium==1.3.0`; "" if unknown."""
    name = package.partition("==")[0].strip()
    try:
        told: Any = metadata.metadata(name)
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    listed = [c.rpartition("::")[2].strip() for c in told.get_all("Classifier") or []]
    licences = [c for c in listed if c.lower().endswith("license")]
    short = (told.get("License") or "").strip()
    return told.get("License-Expression") or ", ".join(licences) or short.partition("\n")[0]
