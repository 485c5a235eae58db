"""Level 4: whether a policy notices which of the two environments it is in.

Policies are trained on either side, half-trained ones are kept too (a return at its maximum
shows nothing), and every policy is evaluated on both. The unit of the test is a training
seed: its returns are averaged over episodes and stages first, since those are not
independent. The margin is fixed beforehand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.executor import Executor, Serial
from envwright.core.files import check_folder, files_below
from envwright.core.progress import Progress, quiet
from envwright.errors import EnvwrightError
from envwright.schema.results import MarginProposal, PolicyReturns, Visitation
from envwright.schema.training_run import RUN
from envwright.train.evaluate import Evaluation, Visits
from envwright.train.run import policy_files, read_spec
from envwright.verify.tally import Tally
from envwright.verify.transfer.correlation import correlate
from envwright.verify.transfer.fingerprint import fingerprint
from envwright.verify.transfer.jobs import (
    PLACES,
    EvaluateJob,
    TrainJob,
    evaluation_job,
    runs_below,
    trained_in,
    training_jobs,
)
from envwright.verify.transfer.margin import propose_margin
from envwright.verify.transfer.plan import TransferPlan
from envwright.verify.transfer.result import TransferResult, direction
from envwright.verify.transfer.tost import paired_tost
from envwright.verify.transfer.visitation import visitation_divergence

Evaluations = dict[tuple[Path, str], Evaluation]  # by training run and place


def check_transfer(
    reference: str,
    twin: str,
    plan: TransferPlan,
    *,
    seed: int = 0,
    policies: Path | None = None,
    executor: Executor | None = None,
    progress: Progress = quiet,
) -> TransferResult:
    """Train, evaluate, compare. Policies found in the folder `policies` are used again.

    All finished work is kept, in `policies` or in a folder below `runs/` named after the code of
    both sides, so that a run that was interrupted goes on.
    """
    executor = executor or Serial()
    marks = [fingerprint(name) for name in (reference, twin)]
    folder = policies or default_folder(reference, twin, plan, marks)
    check_folder(folder)
    jobs = _training_jobs(reference, twin, plan, folder)
    given = [] if _is_begun(folder, jobs) else runs_below(folder)
    runs = given or _trained(jobs, executor, progress)
    _check_runs(runs)
    evaluations = _evaluated(runs, reference, twin, plan, seed, folder, marks, executor, progress)
    result = _judged(runs, evaluations, plan)
    if any(read_spec(run).config != plan.config for run in given):
        result.notes.append(f"the policies of {folder} were trained with other settings than these")
    return result


def default_folder(reference: str, twin: str, plan: TransferPlan, marks: list[str | None]) -> Path:
    """Return the default folder for policies: another one for other code or settings."""
    text = repr((reference, twin, plan, marks))
    tag = hashlib.sha256(text.encode()).hexdigest()[:8]
    name = "".join(c if c.isalnum() else "-" for c in twin)
    return Path("runs") / f"l4-{name}-{tag}"


def _training_jobs(reference: str, twin: str, plan: TransferPlan, folder: Path) -> list[TrainJob]:
    jobs = training_jobs(twin, plan, plan.seeds, folder / "twin")
    if reference == twin:  # the same seeds would give the same policies once more
        return jobs
    return training_jobs(reference, plan, plan.reference_seeds, folder / "reference") + jobs


def _is_begun(folder: Path, jobs: list[TrainJob]) -> bool:
    """Return whether a folder holds only runs of these jobs, finished or not, to be continued."""
    mine = {job.folder: job.spec for job in jobs}
    runs = [path.parent for path in files_below(folder, RUN) if path.name == RUN]
    return all(mine.get(run) == read_spec(run) for run in runs)


def _check_runs(runs: list[Path]) -> None:
    """Reject, before hours of work, runs that cannot be judged or would count twice."""
    seen: dict[Any, Path] = {}
    stages: dict[str, set[int]] = {}
    for run in runs:
        spec = read_spec(run)
        for unit in ((spec.simulator, spec.config, seed) for seed in spec.seeds):
            if unit in seen:
                raise EnvwrightError(
                    f"{seen[unit]} and {run} hold seed {unit[-1]} of the same training; remove one"
                )
            seen[unit] = run
        stages.setdefault(spec.simulator, set()).add(len(policy_files(run)))
    for simulator in (name for name, counts in stages.items() if len(counts) > 1):
        raise EnvwrightError(
            f"the runs below {runs[0].parent} kept policies of different stages of {simulator}; "
            "train them with the same settings"
        )


def _trained(jobs: list[TrainJob], executor: Executor, progress: Progress) -> list[Path]:
    run: Callable[[TrainJob], Path] = TrainJob.run
    if isinstance(executor, Serial):  # then jobs can report progress, too
        run = partial(_watched, progress=progress)
    runs = []
    for done, path in enumerate(executor.map(run, jobs), start=1):
        runs.append(path)
        progress("training runs", done, len(jobs))
    return runs


def _watched(job: TrainJob, progress: Progress) -> Path:
    label = f"{job.spec.simulator}, seeds {job.spec.seeds[0]} to {job.spec.seeds[-1]}"

    def watch(line: dict[str, Any], updates: int) -> None:
        progress(f"training in {label}", line["update"], updates)

    return job.run(watch)


def _evaluated(
    runs: list[Path],
    reference: str,
    twin: str,
    plan: TransferPlan,
    seed: int,
    folder: Path,
    marks: list[str | None],
    executor: Executor,
    progress: Progress,
) -> Evaluations:
    """Evaluate by run and place; keep results under the code's fingerprint until level 4 ends."""
    simulators = {"reference": reference, "twin": twin, "again": twin}
    mark = dict(zip(("reference", "twin"), marks, strict=True)) | {"again": marks[1]}
    jobs = [
        evaluation_job(run, simulators[place], place, plan, seed, folder, mark[place])
        for run in runs
        for place in PLACES
    ]
    found = {}
    for job, result in zip(jobs, executor.map(EvaluateJob.run, jobs), strict=True):
        found[job.policies, job.place] = result
        progress("evaluations", len(found), len(jobs))
    return found


def _judged(runs: list[Path], evaluations: Evaluations, plan: TransferPlan) -> TransferResult:
    result = TransferResult(4, Tally(), plan=plan)
    for simulator in dict.fromkeys(trained_in(run) for run in runs):
        mine = [run for run in runs if trained_in(run) == simulator]
        tables = [_returns(mine, evaluations, place) for place in PLACES]
        told, twin, _ = (table.mean(axis=1) for table in tables)
        equivalence = paired_tost(told, twin, plan.margin, plan.alpha)
        result.directions.append(direction(simulator, tables[0].size, equivalence))
        result.policies += _policies(simulator, mine, tables)
        result.notes.append(f"trained in {simulator}: {equivalence.reason}")
    paired = [(p.return_reference, p.return_twin) for p in result.policies]
    result.correlation = correlate(*np.array(paired).T)
    result.visitation = _visitation(runs, evaluations)
    every = evaluations.values()
    result.tally.episodes = sum(e.returns.size for e in every)
    result.tally.steps = int(sum(e.lengths.sum() for e in every))
    cut = sum(e.cut for e in every)
    if cut:
        result.notes.append(f"{cut} episodes were cut off at {plan.horizon} steps")
    result.proposal = _proposal(runs, evaluations, plan)
    if result.proposal is not None:
        result.notes.append(f"a margin from seed noise would be {result.proposal.why}")
    return result


def _returns(runs: list[Path], evaluations: Evaluations, place: str) -> np.ndarray:
    """Return the mean returns over episodes: float[seeds, stages]."""
    stages = len(policy_files(runs[0]))
    means = [evaluations[run, place].returns.mean(axis=1, dtype=np.float64) for run in runs]
    return np.concatenate([mean.reshape(stages, -1).T for mean in means])


def _policies(simulator: str, runs: list[Path], tables: list[np.ndarray]) -> list[PolicyReturns]:
    seeds = [seed for run in runs for seed in read_spec(run).seeds]
    steps = [int(path.stem) for path in policy_files(runs[0])]
    reference, twin, _ = tables
    return [
        PolicyReturns(
            simulator,
            seed,
            stage,
            steps[stage],
            return_reference=float(reference[row, stage]),
            return_twin=float(twin[row, stage]),
        )
        for row, seed in enumerate(seeds)
        for stage in range(len(steps))
    ]


def _visitation(runs: list[Path], evaluations: Evaluations) -> Visitation:
    def gathered(place: str) -> Visits:
        parts = [evaluations[run, place].visits for run in runs]
        first = np.cumsum([0, *(part.episode.max(initial=-1) + 1 for part in parts)])
        ids = [part.episode + start for part, start in zip(parts, first[:-1], strict=True)]
        return Visits(np.concatenate([part.rows for part in parts]), np.concatenate(ids))

    a, b = gathered("reference"), gathered("twin")
    return visitation_divergence(a.rows, b.rows, episodes_a=a.episode, episodes_b=b.episode)


def _proposal(
    runs: list[Path], evaluations: Evaluations, plan: TransferPlan
) -> MarginProposal | None:
    """Return the margin that the noise between seeds would justify, if there is such noise."""
    simulator = trained_in(runs[-1])
    mine = [run for run in runs if trained_in(run) == simulator]
    returns, again = (_returns(mine, evaluations, place) for place in ("twin", "again"))
    try:
        return propose_margin(returns, again, units=plan.seeds, alpha=plan.alpha)
    except EnvwrightError:
        return None
