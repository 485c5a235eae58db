"""Coverage of a room: decisions of the compiled program, lines and branches of its source.

Both sides of a `where` always run, so that line coverage says little about branchless code;
what counts is whether every decision of the traced program has seen both outcomes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.progress import Progress, quiet
from envwright.core.pytree import with_leaves
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError, MissingPackage
from envwright.schema.names import split_options
from envwright.schema.results import Coverage, Decision, FileCoverage, Impossible, LevelCoverage
from envwright.schema.translation import Unreachable
from envwright.sim.records import Fields, stack
from envwright.verify.adequacy.decisions.program import (
    DecisionProgram,
    decision_program,
    share,
    uncovered,
)
from envwright.verify.adequacy.evidence import EFFORT, CheckEvidence, Evidence
from envwright.verify.adequacy.mutation.loading import load_mutant_package
from envwright.verify.adequacy.mutation.rust.workspace import workspace_of
from envwright.verify.l2_interactions import check_interactions
from envwright.verify.room import RoomChecks, load_room
from envwright.verify.run import Effort
from envwright.verify.stats import clean_bound

Played = list[tuple[Fields, Any]]  # states of the reference, actions


def cover_room(
    name: str,
    backend: str | None = None,
    *,
    seed: int = 0,
    effort: Effort = EFFORT,
    progress: Progress = quiet,
) -> Coverage:
    """Run the levels of a room and count what they exercised.

    Rust is not traced: for its crates, the result has the lines that their own tests run.
    """
    room = load_room(name, backend)
    if room.backend == "rust":
        return Coverage(
            env=room.spec.id,
            backend=room.backend,
            levels=[],
            share=1.0,
            episodes=0,
            bound=1.0,
            decisions=[],
            unseen=[],
            unvisited=[],
            files={},
            rust=rust_coverage(room),
        )
    lines = LineCoverage(room)
    with lines, load_mutant_package(room.packages, {}):
        evidence = Evidence.record(room, effort, seed)
        progress("recorded the reference", 1, 3)
        played = _play_levels(evidence, seed)
    progress("played levels 1 to 3", 2, 3)
    programs, counts = _count_decisions(room, evidence, played)
    progress("counted decisions", 3, 3)
    total = np.sum(list(counts.values()), axis=0)
    decisions, gaps, unvisited = [], [], []
    for label, program in programs.items():
        mine = total[len(decisions) : len(decisions) + len(program.decisions)]
        gaps += [f"{gap}{label}" for gap in uncovered(program, mine)]
        for decision, seen in zip(program.decisions, mine, strict=True):
            outcomes = dict(zip(decision.outcomes, map(int, seen), strict=True))
            decisions.append(Decision(f"{decision}{label}", outcomes))
        unvisited += program.unvisited
    claims = _claims(room, gaps)
    episodes = len(evidence.checks[0].episodes)
    return Coverage(
        env=room.spec.id,
        backend=room.backend,
        levels=[
            LevelCoverage(
                int(level[1:]), len(seen), int(np.all(seen > 0, axis=1).sum()), share(seen)
            )
            for level, seen in counts.items()
        ],
        share=share(total),
        episodes=episodes,
        bound=clean_bound(episodes) if episodes else 1.0,
        decisions=decisions,
        unseen=[gap for gap in gaps if _placeless(gap) not in {claim.gap for claim in claims}],
        unreachable=[Impossible(claim.gap, claim.proof) for claim in claims],
        unvisited=unvisited,
        files=lines.files(),
        rust={"skipped": "this backend has no Rust"},
    )


def _claims(room: RoomChecks, gaps: Sequence[str]) -> list[Unreachable]:
    """Return the room's proofs. Raises for a proof about an outcome that was reached or is gone."""
    for claim in room.adequacy.unreachable:
        if claim.gap not in map(_placeless, gaps):
            raise EnvwrightError(
                f"translation.toml proves {claim.gap} unreachable, but it is not a gap; drop it"
            )
    return list(room.adequacy.unreachable)


def _placeless(gap: str) -> str:
    """Describe a gap without its line, so that a proof survives edits above it."""
    return re.sub(r"^(\S+?):\d+ ", r"\1 ", gap)


def _play_levels(evidence: Evidence, seed: int) -> list[dict[str, Played]]:
    """Return every state and action that was compared, by check and level."""
    for level in ("l1", "l3"):
        if evidence.differs(level, seed):
            raise EnvwrightError(
                f"{evidence.room.spec.id} differs from its reference on level {level[1:]}; "
                "run envwright verify first"
            )
    played = []
    for check in evidence.checks:
        seen: Played = []
        check_interactions(
            check.pair, seed, examples=evidence.effort.examples, jumps=check.jumps, seen=seen
        )
        played.append(
            {
                "l1": [(c.state, c.action) for c in check.cases],
                "l2": seen,
                "l3": [(c.state, c.action) for episode in check.episodes for c in episode],
            }
        )
    return played


def _count_decisions(
    room: RoomChecks, evidence: Evidence, played: list[dict[str, Played]]
) -> tuple[dict[str, DecisionProgram], dict[str, np.ndarray]]:
    """Count the decisions of `advance`, once per configuration of the environment but precision.

    Programs are named by what to add to a decision's text: nothing for the default.
    """
    folders = [Path(load_attribute(f"{name}:__file__")).parent for name in room.packages]
    programs: dict[str, DecisionProgram] = {}
    parts: dict[str, list[np.ndarray]] = {"l1": [], "l2": [], "l3": []}
    for check, levels in zip(evidence.checks, played, strict=True):
        name, options = split_options(str(check.pair.spec.twin))
        if name != f"envwright:{room.spec.id}":
            continue  # it shows a part of the environment
        options.pop("dtype", None)
        label = f" ({', '.join(f'{k}={v}' for k, v in options.items())})" if options else ""
        if label in programs:
            continue
        env = load_attribute(room.spec.backends[room.backend])(**options)
        program = _advance_program(env, folders)
        programs[label] = program
        for level, pairs in levels.items():
            parts[level].append(_count(program, env, check, pairs))
    return programs, {level: np.concatenate(found) for level, found in parts.items()}


def _advance_program(env: Any, folders: list[Path]) -> DecisionProgram:
    import jax

    key = jax.random.key(0)
    _, state = env.reset(key)
    action = env.action_space(env.default_params).sample(key)

    def advance(state: Any, action: Any) -> Any:
        return env.advance(jax.random.key(0), state, action)

    return decision_program(advance, state, action, files=folders)


def _count(program: DecisionProgram, env: Any, check: CheckEvidence, pairs: Played) -> np.ndarray:
    import jax

    if not pairs:
        return np.zeros((len(program.decisions), 2), np.int64)
    assert check.pair.bridge is not None
    table = stack([check.pair.bridge.to_twin(state) for state, _ in pairs])
    _, one = env.reset(jax.random.key(0))
    template = jax.tree.map(lambda x: np.stack([np.asarray(x)] * len(pairs)), one)
    space = env.action_space(env.default_params)
    actions = np.stack([np.asarray(a, space.dtype) for _, a in pairs])
    return program.count(with_leaves(template, table), actions)


class LineCoverage:
    """Records lines and branches of the room's mutated files while it is open."""

    def __init__(self, room: RoomChecks) -> None:
        import coverage

        self._paths = {
            name: str(Path(load_attribute(f"{room.module_of(name)}:__file__")))
            for name in room.adequacy.mutate
        }
        self._coverage = coverage.Coverage(
            data_file=None, branch=True, include=list(self._paths.values()), config_file=False
        )

    def __enter__(self) -> None:
        self._coverage.start()

    def __exit__(self, *_: Any) -> None:
        self._coverage.stop()

    def files(self) -> dict[str, FileCoverage]:
        """Return what ran of each file."""
        return {name: self._file(path) for name, path in self._paths.items()}

    def _file(self, path: str) -> FileCoverage:
        _, statements, _, missing, _ = self._coverage.analysis2(path)
        branches = self._coverage.branch_stats(path).values()
        return FileCoverage(
            lines=len(statements),
            lines_run=len(statements) - len(missing),
            branches=sum(total for total, _ in branches),
            branches_run=sum(taken for _, taken in branches),
            missing=sorted(missing),
        )


def rust_coverage(room: RoomChecks) -> dict[str, Any]:
    """Measure what the tests of a room's crates run of them, with cargo-llvm-cov."""
    if shutil.which("cargo-llvm-cov") is None:
        raise MissingPackage(
            "coverage of Rust needs cargo-llvm-cov; run: rustup component add llvm-tools && "
            "cargo install cargo-llvm-cov"
        )
    packages = [part for crate in room.adequacy.crates for part in ("-p", crate)]
    command = ["cargo", "llvm-cov", "--json", "--summary-only", *packages]
    root = workspace_of(room.spec).root
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise EnvwrightError(f"cargo llvm-cov failed: {last}")
    totals = json.loads(done.stdout)["data"][0]["totals"]
    return {
        kind: {"count": totals[kind]["count"], "covered": totals[kind]["covered"]}
        for kind in ("lines", "functions", "regions")
    }
