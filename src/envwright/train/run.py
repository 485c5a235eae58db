"""A training run: chunks of updates, and between them the log, checkpoints and policies."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jax.sharding import Mesh

from envwright.core import limits
from envwright.core.env import Env
from envwright.core.files import alone, check_folder, make_folder
from envwright.errors import EnvwrightError
from envwright.schema.results import FinalReturn, Training
from envwright.schema.training_run import RUN, TrainingRun, load_training_run, unusable
from envwright.sim.registered import require_registered
from envwright.sim.targets import Target, open_target
from envwright.train.checkpoint import Checkpoint, Checkpoints
from envwright.train.config import PPOConfig, configure
from envwright.train.devices import agreed, is_first, meet
from envwright.train.log import RunLog, as_line, read_progress
from envwright.train.policy import Policies
from envwright.train.runners import FusedRunner, HostRunner, Runner, parameters

CHECKPOINTS, POLICIES = "checkpoints", "policies"
POINTS = 200  # chunks of a run, hence points of its curve


@dataclass(frozen=True)
class RunSpec:
    """Everything that decides the result of a run."""

    simulator: str
    config: PPOConfig = PPOConfig()
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise EnvwrightError(f"seeds must be different numbers, at least one: {self.seeds}")
        if min(self.seeds) < 0 or max(self.seeds) > limits.SEED:
            raise EnvwrightError("seeds must be from 0 to 2**32 - 1")
        limits.check_whole("the number of seeds", len(self.seeds), 1, limits.AGENTS)

    @property
    def chunk(self) -> int:
        """The updates of a chunk."""
        return -(-self.config.updates // POINTS)

    @property
    def chunks(self) -> int:
        """The chunks of the whole run; the last may be shorter."""
        return -(-self.config.updates // self.chunk)

    @property
    def stored(self) -> TrainingRun:
        """The record to store in the folder of the run."""
        return TrainingRun(self.simulator, self.config.to_json(), self.seeds)


@dataclass(frozen=True)
class Keeping:
    """The files that a run keeps."""

    folder: Path | None = None  # None: nothing
    resume: bool = False
    every_seconds: float = 30.0  # between checkpoints
    stages: tuple[float, ...] = (1.0,)  # shares of training after which policies are kept


@dataclass
class TrainResult:
    """The result of a run."""

    spec: RunSpec
    parameters: int
    curve: list[dict[str, Any]]  # the lines of metrics.jsonl
    policies: Policies
    notes: list[str] = field(default_factory=list)

    @property
    def returns(self) -> list[float | None]:
        """The mean return of each seed over the last tenth of training."""
        tail = self.curve[-max(1, len(self.curve) // 10) :]
        return [_episode_mean(tail, seed) for seed in range(len(self.spec.seeds))]

    @property
    def steps_per_second(self) -> float:
        """Environment steps of all seeds by the time of all chunks but the first.

        The first chunk compiles; a run of one chunk has no other.
        """
        timed = self.curve[1:] or self.curve
        began = self.curve[0]["seconds"] if self.curve[1:] else 0.0
        steps = timed[-1]["steps"] - (self.curve[0]["steps"] if self.curve[1:] else 0)
        return steps * len(self.spec.seeds) / max(timed[-1]["seconds"] - began, 1e-9)

    def record(self, env: str, backend: str) -> Training:
        """Return the result that `envwright train --json` stores."""
        known = [value for value in self.returns if value is not None]
        seeds = range(len(self.spec.seeds))
        return Training(
            env=env,
            backend=backend,
            simulator=self.spec.simulator,
            config=self.spec.config.to_json(),
            seeds=list(self.spec.seeds),
            parameters=self.parameters,
            steps=[line["steps"] for line in self.curve],
            seconds=[line["seconds"] for line in self.curve],
            returns=[[line["return"][seed] for line in self.curve] for seed in seeds],
            lengths=[[line["length"][seed] for line in self.curve] for seed in seeds],
            final_return=FinalReturn(sum(known) / len(known) if known else None, self.returns),
            steps_per_second=self.steps_per_second,
            notes=self.notes,
        )


Watch = Callable[[dict[str, Any], int], None]  # a line of the log, and updates in all


def train(
    spec: RunSpec,
    keeping: Keeping = Keeping(),
    *,
    target: Target | None = None,
    mesh: Mesh | None = None,
    watch: Watch = lambda line, updates: None,
    warn: Callable[[str], None] = lambda sentence: None,
) -> TrainResult:
    """Train, or continue a run that was stopped; the result is the same.

    `target` replaces the environment that the simulator's name opens.
    """
    notes: list[str] = []

    def told(sentence: str) -> None:
        notes.append(sentence)
        warn(sentence)

    _check_run(spec, keeping)
    runner = open_runner(spec, open_target(spec.simulator) if target is None else target, mesh)
    try:
        with _locked(keeping.folder):
            checkpoints = _open_folder(spec, keeping, told)
            curve, state = _train(spec, keeping, runner, checkpoints, watch)
        policies = _policies(spec, runner, state, spec.config.updates)
    finally:
        runner.close()
    return TrainResult(spec, parameters(runner.ppo), curve, policies, notes)


def open_runner(spec: RunSpec, target: Target, mesh: Mesh | None = None) -> Runner:
    """Open a runner: fused for a JAX environment, a host loop for all others."""
    if isinstance(target, Env):
        return FusedRunner(target, spec.config, spec.seeds, mesh)
    if mesh is not None and mesh.size > 1:
        raise EnvwrightError(f"{spec.simulator} steps on the host; it uses one device")
    return HostRunner(target, spec.config, spec.seeds)


def _train(
    spec: RunSpec,
    keeping: Keeping,
    runner: Runner,
    checkpoints: Checkpoints | None,
    watch: Watch,
) -> tuple[list[dict[str, Any]], Any]:
    state = runner.init()
    at, curve, seconds = 0, [], 0.0
    if checkpoints is not None and (found := checkpoints.newest(state)):
        at, state = found.update, found.state
        try:
            curve, seconds = read_progress(found.progress)
        except ValueError as error:
            raise EnvwrightError(
                f"the checkpoint of update {at} in {keeping.folder} is damaged ({error}); "
                "train again into another folder"
            ) from error
        runner.restore_environment(found.environment, at // spec.chunk)
    if checkpoints is not None:
        checkpoints.check_space(state)
    writes = checkpoints is not None and is_first()
    log = RunLog(keeping.folder, at) if writes else None  # type: ignore[arg-type]
    stages = _stage_updates(spec, keeping.stages) if checkpoints is not None else set()
    saved = time.monotonic()
    try:
        while at < spec.config.updates:
            began = time.monotonic()
            updates = min(spec.chunk, spec.config.updates - at)
            state, metrics = runner.chunk(state, updates, at // spec.chunk)
            at += updates
            took = time.monotonic() - began
            seconds += took
            speed = updates * spec.config.batch * len(spec.seeds) / max(took, 1e-9)
            line = as_line(at, at * spec.config.batch, seconds, speed, metrics)
            curve.append(line)
            if log is not None:
                log.write(line)
            if at in stages and keeping.folder is not None and writes:
                policies = _policies(spec, runner, state, at)
                policies.save(policy_file(keeping.folder, at * spec.config.batch))
            due = time.monotonic() - saved >= keeping.every_seconds or at >= spec.config.updates
            if checkpoints is not None and agreed(due):
                progress = {"seconds": seconds, "curve": curve}
                checkpoints.save(Checkpoint(at, state, runner.environment(), progress))
                saved = time.monotonic()
            watch(line, spec.config.updates)
    finally:
        if log is not None:
            log.close()
    return curve, state


def policy_file(folder: Path, steps: int) -> Path:
    """Return the file of the policies after so many steps."""
    return folder / POLICIES / f"{steps:012d}.npz"


def policy_files(folder: Path) -> list[Path]:
    """Return all files of policies, by steps of training."""
    return sorted(path for path in (folder / POLICIES).glob("[0-9]*.npz") if path.is_file())


def read_spec(folder: Path) -> RunSpec:
    """Read the specification of the run in a folder."""
    run = load_training_run(folder)
    try:
        return RunSpec(run.simulator, configure(PPOConfig(), run.config), run.seeds)
    except EnvwrightError as error:
        raise unusable(folder, str(error)) from error


def read_runnable(folder: Path, trust: bool = False) -> RunSpec:
    """Read the specification of a run whose simulator is about to be opened.

    Raises if nothing registers that simulator, unless the folder is trusted.
    """
    spec = read_spec(folder)
    if not trust:
        require_registered([spec.simulator], folder / RUN)
    return spec


def _check_run(spec: RunSpec, keeping: Keeping) -> None:
    """Check that the folder is free for a new run, or holds the run to be resumed."""
    folder = keeping.folder
    if folder is None:
        if keeping.resume:
            raise EnvwrightError("--resume needs the folder of the run: add --checkpoint DIR")
        return
    check_folder(folder)
    if not (folder / RUN).exists():
        return
    if not keeping.resume:
        raise EnvwrightError(
            f"{folder} holds a run already; add --resume, or choose another folder"
        )
    if (before := read_spec(folder)) != spec:
        raise EnvwrightError(f"{folder} holds another run: {_difference(before, spec)}")


def _locked(folder: Path | None) -> AbstractContextManager[None]:
    """Keep other runs out of the folder; the first process of a run does so for all."""
    return nullcontext() if folder is None or not is_first() else alone(folder)


def _open_folder(
    spec: RunSpec, keeping: Keeping, warn: Callable[[str], None]
) -> Checkpoints | None:
    """Open the folder of a new or resumed run."""
    folder = keeping.folder
    if folder is None:
        return None
    _check_run(spec, keeping)  # another process may have begun one before the folder was locked
    meet("run checked")  # or a late process would find the run that the first one began
    if is_first() and not (folder / RUN).exists():
        make_folder(folder / POLICIES)
        spec.stored.save(folder)
    return Checkpoints(folder / CHECKPOINTS, warn)


def _difference(before: RunSpec, now: RunSpec) -> str:
    then, new = (
        {"simulator": spec.simulator, "seeds": list(spec.seeds), **spec.config.to_json()}
        for spec in (before, now)
    )
    name, old, wanted = next((k, then[k], new[k]) for k in then if then[k] != new[k])
    return f"its {name} is {old}, not {wanted}"


def _stage_updates(spec: RunSpec, shares: Sequence[float]) -> set[int]:
    """Return the updates after which policies are kept: ends of chunks."""
    wanted = {max(1, round(share * spec.chunks)) for share in shares}
    return {min(number * spec.chunk, spec.config.updates) for number in wanted}


def _policies(spec: RunSpec, runner: Runner, state: Any, update: int) -> Policies:
    steps = update * spec.config.batch
    agent = runner.agent(state)
    return Policies(spec.simulator, spec.config, spec.seeds, steps, runner.ppo, agent)


def _episode_mean(lines: list[dict[str, Any]], seed: int) -> float | None:
    told = [(line["return"][seed], line["episodes"][seed]) for line in lines]
    episodes = sum(count for mean, count in told if mean is not None)
    if not episodes:
        return None
    return sum(mean * count for mean, count in told if mean is not None) / episodes
