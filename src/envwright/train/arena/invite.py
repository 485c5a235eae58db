"""Open tables and players by name: an environment of the zoo, and folders of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envwright.core.env import Env
from envwright.core.registry import find, make
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.names import parse_name, split_options
from envwright.sim.resolve import opening
from envwright.sim.targets import REFERENCE, open_target, spaces_of
from envwright.train.arena.players import PolicyPlayer, RandomPlayer, ScriptedPlayer
from envwright.train.arena.tables import EnvTable, Player, Table
from envwright.train.policy import load_policies
from envwright.train.run import policy_files, read_runnable


def open_table(name: str, backend: str | None = None) -> Table:
    """Open a table of a zoo environment on one of its backends, or on its reference."""
    with opening(f"envwright:{name}"):
        return _opened_table(name, backend)


def _opened_table(name: str, backend: str | None) -> Table:
    bare, given = split_options(name)
    spec = find(bare)
    options = {**getattr(spec.module("players"), "OPTIONS", {}), **given}
    if backend != REFERENCE:
        env = make(bare, backend, **options)
        if not isinstance(env, Env):
            raise EnvwrightError(f"{spec.name} has no tables on {backend}; use jax or reference")
        return EnvTable(env)
    reference = parse_name(spec.reference)
    made = load_attribute(reference.target)(**options) if reference.scheme == "python" else None
    if not hasattr(made, "table"):
        raise EnvwrightError(f"the reference of {spec.name} has no tables; leave out --backend")
    return made.table()  # type: ignore[union-attr]


def scripted_players(name: str, chosen: Sequence[str] | None = None) -> list[Player]:
    """Return a room's scripted players, or some of them; without any, a random player."""
    hints = find(split_options(name)[0]).module("players")
    plain = RandomPlayer()
    known: dict[str, Any] = {plain.name: None} if hints is None else hints.scripted()
    for label in chosen or ():
        if label not in known:
            raise EnvwrightError(f"there is no player '{label}'; there are {', '.join(known)}")
    if hints is None:
        return [plain]
    return [ScriptedPlayer(label, known[label]) for label in (chosen or known)]


def trained_players(
    name: str,
    folders: Sequence[Path],
    stages: bool = False,
    greedy: bool = False,
    trust: bool = False,
) -> list[Player]:
    """Return all agents of some runs, from their last policies or from all that were kept."""
    players: list[Player] = []
    spec = find(split_options(name)[0])
    for folder in folders:
        run = read_runnable(folder, trust)
        files = policy_files(folder)
        if not files:
            raise EnvwrightError(f"{folder} has no policies yet; let the run come to its end")
        _check_same(run.simulator, spec.id, spec.reference, folder)
        options = parse_name(run.simulator).options
        hints = spec.module("players")
        seen = hints.eyes(options) if hints is not None else lambda obs: obs
        spaces = spaces_of(open_target(run.simulator), lanes=2)
        for file in files if stages else files[-1:]:
            policies = load_policies(file, *spaces)
            for index, seed in enumerate(policies.seeds):
                label = folder.name + (f" seed {seed}" if len(policies.seeds) > 1 else "")
                label += f" at {policies.steps:,}" if stages else ""
                players.append(PolicyPlayer(label, policies, index, greedy, seen))
    return players


def _check_same(simulator: str, env: str, reference: str, folder: Path) -> None:
    trained_in = parse_name(simulator)
    if trained_in.bare != reference and trained_in.target != env:
        raise EnvwrightError(f"{folder} was trained in {simulator}, not in {env}")
