"""The paper's ablation: the full hierarchy against level 3 alone, over several runs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import scipy

from envwright.agents.base import Agent, TaskKind
from envwright.core.files import alone
from envwright.errors import EnvwrightError
from envwright.schema.results import Arm, Trial
from envwright.translate.goldens import record
from envwright.translate.jailed import twin_for
from envwright.translate.judge import Judge
from envwright.translate.run import Reporter, Run
from envwright.translate.spec import TranslationSpec

ARMS = {"full hierarchy": (1, 2, 3), "level 3 only": (3,)}
FEWEST = 3


def ablate(
    spec: TranslationSpec,
    agent_for: Callable[[Path], Agent],
    folder: Path,
    *,
    runs: int = FEWEST,
    confined: bool = True,
    reporter: Reporter = Reporter(),
) -> list[Trial]:
    """Run every arm several times, alternating. Finished runs are judged, not repeated."""
    if runs < FEWEST:
        raise EnvwrightError(f"an ablation needs {FEWEST} runs or more of each arm, not {runs}")
    with alone(folder):
        return list(_trials(spec, agent_for, folder, runs, confined, reporter))


def _trials(
    spec: TranslationSpec,
    agent_for: Callable[[Path], Agent],
    folder: Path,
    runs: int,
    confined: bool,
    reporter: Reporter,
) -> Iterator[Trial]:
    for number in range(1, runs + 1):
        for arm, levels in ARMS.items():
            place = folder / f"{arm.replace(' ', '-')}-{number:02d}"
            reporter.say(f"{arm}, run {number}")
            run = Run(place, spec, agent_for(place), levels, confined, reporter)
            finish = run.go()
            at = run.position
            repairs = sum(e["purpose"] == TaskKind.REPAIR for e in run.journal.of("answered"))
            yield Trial(
                arm,
                number,
                finish.outcome,
                at.turns,
                repairs,
                at.usage.tokens,
                at.usage.dollars,
                at.seconds,
                _missed(run) if finish.outcome == "verified" else None,
            )


def _missed(run: Run) -> int:
    """Count the failing tests of all levels on the code that an arm accepted."""
    at = run.position
    recordings = record(run.spec, run.folder / "golden")
    twin = twin_for(run.spec, run.workspace.root, run.folder / "scratch", run.confined)
    with Judge(run.spec, twin, recordings, progress=run.reporter.progress) as judge:
        run.workspace.restore(at.files)
        verdicts = [judge.modules(len(run.spec.modules)), judge.level(2), judge.level(3)]
    return sum(len(verdict.failures) for verdict in verdicts)


def summarise(trials: Sequence[Trial]) -> list[Arm]:
    """Return a row for each arm."""
    rows = []
    for arm in ARMS:
        own = [t for t in trials if t.arm == arm]
        verified = sum(t.outcome == "verified" for t in own)
        interval = scipy.stats.binomtest(verified, len(own)).proportion_ci(0.95, "exact")
        rows.append(
            Arm(
                arm,
                len(own),
                verified,
                (float(interval.low), float(interval.high)),
                sum(bool(t.missed) for t in own),
                *(_mean([float(getattr(t, n)) for t in own]) for n in _NUMBERS),
            )
        )
    return rows


_NUMBERS = ("turns", "tokens", "dollars", "seconds")


def _mean(values: list[float]) -> tuple[float, float, float]:
    """Return the mean and its interval, a single point if nothing varies."""
    mean = statistics.fmean(values)
    if len(values) < 2 or statistics.pstdev(values) == 0:
        return mean, mean, mean
    error = statistics.stdev(values) / len(values) ** 0.5
    reach = scipy.stats.t.ppf(0.975, len(values) - 1) * error
    return mean, mean - reach, mean + reach
