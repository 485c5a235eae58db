"""Level 4 for mutants: policies that were trained before play in each, and may notice.

Nothing is trained for a mutant. The reference is played in once; a mutant costs one
compiled program, since all policies play in it side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from envwright.core.executor import Executor
from envwright.core.progress import Progress
from envwright.core.spaces import Space
from envwright.errors import EnvwrightError
from envwright.sim.hosts.simulator_lanes import transfer_target
from envwright.sim.targets import Target, spaces_of
from envwright.train.config import PPOConfig
from envwright.train.evaluate import evaluate
from envwright.train.policy import Policies, load_policies, side_by_side
from envwright.train.run import policy_files, read_spec
from envwright.verify.room import RoomChecks
from envwright.verify.run import room_plan
from envwright.verify.transfer.fingerprint import fingerprint
from envwright.verify.transfer.jobs import (
    EvaluateJob,
    evaluation_job,
    policies_digest,
    runs_below,
)
from envwright.verify.transfer.plan import TransferPlan, TransferRequest
from envwright.verify.transfer.tost import paired_tost

EPISODES = 50  # per policy and mutant; the room sets those of the reference
# A mutant's program runs once, so that most of the optimiser's time is not worth it.
IN_HASTE = {"xla_backend_optimization_level": 1}


@dataclass(frozen=True)
class Company:
    """Runs whose policies can play side by side, since their networks are alike."""

    runs: tuple[Path, ...]
    digests: tuple[str, ...]

    def seeds(self) -> list[str]:
        """Each training seed, with where it was trained."""
        return [spec.simulator for spec in map(read_spec, self.runs) for _ in spec.seeds]

    def per_seed(self, returns: list[np.ndarray]) -> np.ndarray:
        """Average `[stages * seeds, episodes]` of each run by seed: float[seeds]."""
        shapes = [(-1, len(read_spec(run).seeds)) for run in self.runs]
        means = [table.mean(axis=1, dtype=np.float64) for table in returns]
        tables = [mean.reshape(shape) for mean, shape in zip(means, shapes, strict=True)]
        return np.concatenate([table.mean(axis=0) for table in tables])

    def rows(self) -> np.ndarray:
        """Where each run except the first begins among all policies."""
        counts = [len(read_spec(run).seeds) * len(policy_files(run)) for run in self.runs]
        return np.cumsum(counts)[:-1]


@dataclass(frozen=True)
class Audience:
    """Policies, and the returns of each training seed in the reference."""

    companies: tuple[Company, ...]
    told: tuple[np.ndarray, ...]  # mean returns of each company, float[seeds]
    twin: str
    plan: TransferPlan
    seed: int
    episodes: int = EPISODES

    @classmethod
    def gather(
        cls, room: RoomChecks, folder: Path, seed: int, executor: Executor, progress: Progress
    ) -> Audience:
        """Load the policies below a folder, with their returns in the room's reference."""
        plan, check = room_plan(room, TransferRequest()), room.everyday_check
        runs = runs_below(folder)
        if not runs:
            raise EnvwrightError(
                f"there are no policies in {folder}; train them with envwright verify "
                f"{room.spec.id} --levels 4 --policies {folder}"
            )
        reference = str(check.reference)
        mark = fingerprint(reference)
        jobs = [
            evaluation_job(run, reference, "reference", plan, seed, folder, mark) for run in runs
        ]
        found = {}
        for run, evaluation in zip(runs, executor.map(EvaluateJob.run, jobs), strict=True):
            found[run] = evaluation.returns
            progress("policies in the reference", len(found), len(jobs))
        companies = _companies(runs)
        told = tuple(c.per_seed([found[run] for run in c.runs]) for c in companies)
        return cls(companies, told, str(check.twin), plan, seed)

    @property
    def policies(self) -> int:
        """The number of policies, over all runs, seeds and stages."""
        runs = [run for company in self.companies for run in company.runs]
        return sum(len(read_spec(run).seeds) * len(policy_files(run)) for run in runs)

    def notices(self) -> bool:
        """Return whether the twin, as it is imported now, pays other returns."""
        target = transfer_target(self.twin)
        met = [self._met(company, target) for company in self.companies]
        trained_in = np.array([name for c in self.companies for name in c.seeds()])
        told, got = np.concatenate(self.told), np.concatenate(met)
        directions = [trained_in == name for name in dict.fromkeys(trained_in.tolist())]
        limits = self.plan.margin, self.plan.alpha
        verdicts = [paired_tost(told[mine], got[mine], *limits).verdict for mine in directions]
        return "different" in verdicts

    def _met(self, company: Company, target: Target) -> np.ndarray:
        found = evaluate(
            _population(company, *spaces_of(target)),
            target,
            episodes=self.episodes,
            horizon=self.plan.horizon,
            seed=self.seed,
            compiler_options=IN_HASTE,
        )
        return company.per_seed(np.split(found.returns, company.rows()))


def _companies(runs: list[Path]) -> tuple[Company, ...]:
    alike: dict[PPOConfig, list[Path]] = {}
    for run in runs:
        alike.setdefault(read_spec(run).config, []).append(run)
    return tuple(Company(tuple(g), tuple(map(policies_digest, g))) for g in alike.values())


@lru_cache(maxsize=8)
def _population(company: Company, obs_space: Space, action_space: Space) -> Policies:
    """Load the policies, run by run and stage by stage; read once for many mutants."""
    files = [path for run in company.runs for path in policy_files(run)]
    return side_by_side([load_policies(path, obs_space, action_space) for path in files])
