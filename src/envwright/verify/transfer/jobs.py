"""The jobs of level 4: each can run anywhere, and its result is kept."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.array_file import read_arrays
from envwright.core.env import Env
from envwright.core.files import files_below, make_folder, write_bytes
from envwright.errors import EnvwrightError
from envwright.schema.training_run import RUN
from envwright.sim.hosts.simulator_lanes import transfer_target
from envwright.sim.targets import Target, spaces_of
from envwright.train.evaluate import Evaluation, Visits, evaluate
from envwright.train.policy import load_policies, side_by_side
from envwright.train.run import Keeping, RunSpec, policy_file, policy_files, read_spec, train
from envwright.verify.transfer.plan import TransferPlan

GROUP = 5  # seeds trained side by side; fixed, so that results do not depend on the executor
EVALUATIONS = "evaluations"
PLACES = ("reference", "twin", "again")  # again: the twin, with other episodes


@dataclass(frozen=True)
class TrainJob:
    """The training of some seeds on one side."""

    spec: RunSpec
    stages: tuple[float, ...]
    folder: Path

    @property
    def finished(self) -> bool:
        """Whether its last policies exist."""
        steps = self.spec.config.updates * self.spec.config.batch
        return policy_file(self.folder, steps).exists()

    def run(self, watch: Callable[[dict[str, Any], int], None] | None = None) -> Path:
        """Train, or continue; return the folder with the policies."""
        if not self.finished:
            keeping = Keeping(self.folder, resume=(self.folder / RUN).exists(), stages=self.stages)
            target = transfer_target(self.spec.simulator)
            with _blamed(self.spec.simulator, target):
                train(
                    self.spec, keeping, target=target, watch=watch or (lambda line, updates: None)
                )
        return self.folder


@dataclass(frozen=True)
class EvaluateJob:
    """The evaluation of all policies of one training folder in one environment."""

    policies: Path
    simulator: str
    place: str  # one of PLACES
    plan: TransferPlan
    seed: int
    keep: Path | None  # a file to keep the result in

    def run(self) -> Evaluation:
        """Return a row for each policy: all seeds of the first stage, of the second, and so on."""
        kept = None if self.keep is None else _read(self.keep)
        if kept is not None:
            return kept
        target = transfer_target(self.simulator)
        spaces = spaces_of(target)
        stages = [load_policies(path, *spaces) for path in policy_files(self.policies)]
        with _blamed(self.simulator, target):
            found = evaluate(
                side_by_side(stages),
                target,
                episodes=self.plan.episodes,
                horizon=self.plan.horizon,
                seed=self._episodes_seed(),
            )
        if self.keep is not None:
            make_folder(self.keep.parent)
            _write(self.keep, found)
        return found

    def _episodes_seed(self) -> int:
        """Return a seed that differs between policies and between places."""
        spec = read_spec(self.policies)
        simulator = hashlib.sha256(spec.simulator.encode()).digest()[:4]
        word = int.from_bytes(simulator, "big")
        entropy = [self.seed, PLACES.index(self.place), word, *spec.seeds]
        return int(np.random.SeedSequence(entropy).generate_state(1)[0])


def training_jobs(simulator: str, plan: TransferPlan, seeds: int, folder: Path) -> list[TrainJob]:
    """Group the seeds into jobs, each with a folder below `folder`."""
    groups = [tuple(range(first, min(first + GROUP, seeds))) for first in range(0, seeds, GROUP)]
    return [
        TrainJob(
            RunSpec(simulator, plan.config, group),
            plan.stages,
            folder / f"seeds-{group[0]}-{group[-1]}",
        )
        for group in groups
    ]


def evaluation_job(
    run: Path,
    simulator: str,
    place: str,
    plan: TransferPlan,
    seed: int,
    folder: Path,
    mark: str | None,
) -> EvaluateJob:
    """Make an evaluation, kept below `folder` under the digests of policies and code (`mark`)."""
    name = f"{run.name}-{policies_digest(run)}-{place}-{mark}"
    file = folder / EVALUATIONS / f"{name}-{plan.episodes}-{plan.horizon}-{seed}.npz"
    return EvaluateJob(run, simulator, place, plan, seed, None if mark is None else file)


def runs_below(folder: Path) -> list[Path]:
    """Return the folders of training runs that have policies."""
    found = sorted(path.parent for path in files_below(folder, RUN) if path.name == RUN)
    return [path for path in found if policy_files(path)]


def trained_in(folder: Path) -> str:
    """Return the simulator that a run's policies were trained in."""
    return read_spec(folder).simulator


def policies_digest(folder: Path) -> str:
    """Return eight hex digits of a run's policies, which identify their evaluations."""
    digest = hashlib.sha256()
    for path in policy_files(folder):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:8]


@contextmanager
def _blamed(simulator: str, target: Target) -> Iterator[None]:
    """Report in one sentence what a simulator on the host raises."""
    try:
        yield
    except EnvwrightError:
        raise
    except Exception as error:
        if isinstance(target, Env):
            raise
        reason = " ".join(str(error).split())
        raise EnvwrightError(
            f"{simulator} raised {type(error).__name__}: {reason}; levels 1 to 3 show where"
        ) from error


def _write(path: Path, found: Evaluation) -> None:
    buffer = io.BytesIO()
    np.savez(
        buffer,
        returns=found.returns,
        lengths=found.lengths,
        cut=np.array(found.cut),
        rows=found.visits.rows,
        episode=found.visits.episode,
    )
    write_bytes(path, buffer.getvalue())


def _read(path: Path) -> Evaluation | None:
    """Read a kept result; None if it is missing or damaged, since it can be made again."""
    try:
        kept = read_arrays(path)
        visits = Visits(kept["rows"], kept["episode"])
        return Evaluation(kept["returns"], kept["lengths"], int(kept["cut"]), visits)
    except (OSError, ValueError, KeyError, TypeError):
        return None
